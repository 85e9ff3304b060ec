/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of passes, in the order in which they run. Each takes a valid unit, rewrites it in place
 * in linear time and leaves a valid one; debug builds (sanitizers, hostile) verify after each.
 */
#include "ir/pass.h"

#define P(name, brief) { #name, brief, pass_##name },
const struct ir_pass ir_passes[] = {
#include "ir/index.h"
};
#undef P
const u32 n_ir_passes = ARRAY_SIZE(ir_passes);

#if defined(__SANITIZE_ADDRESS__) || (defined(SONDE_HOSTILE) && SONDE_HOSTILE)
enum { VERIFY = 1 };
#else
enum { VERIFY = 0 };
#endif

/* Whether name is in the comma-separated list. */
static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = list; s && *s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (!strncmp(s, name, n) && (!s[n] || s[n] == ','))
			return true;
	return false;
}

void ir_optimize(struct ir_unit *u, const char *off)
{
	if (VERIFY)
		ir_verify(u);
	for (u32 i = 0; i < n_ir_passes; i++) {
		if (listed(off, "all") || listed(off, ir_passes[i].name))
			continue;
		ir_passes[i].run(u);
		if (VERIFY)
			ir_verify(u);
	}
}
