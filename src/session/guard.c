/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instances need a guard, because one of their programs may run within a helper of another
 * (ir/lower_guard.c). */
#include <linux/perf_event.h>
#include "session/compile.h"

/* Whether a program there may run within a helper that another program, or itself, calls. */
static bool is_nested_site(const struct compiled *c, const struct site *s)
{
	bool is_hardware = s->kind == SITE_PERF_SOFTWARE && s->event.type != PERF_TYPE_SOFTWARE;

	if (!site_is_in_helpers(s) && !is_hardware)
		return false;
	if (feature_has(c->features,
			FEAT_FENTRY_RECURSION)) /* and maps that tell a nested program so (5.11) */
		return c->instances.n > 1 && !is_hardware;
	return c->instances.n > 1 || s->kind == SITE_TRAMPOLINE;
}

void guard_instances(struct compiled *c)
{
	bool guard = false;

	for (u32 i = 0; i < c->sites.n && !guard; i++)
		guard = is_nested_site(c, &c->sites.v[i].site);
	for (u32 i = 0; i < c->instances.n; i++)
		c->instances.v[i]->guarded = guard && !c->instances.v[i]->internal;
}
