/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of providers and the lookup of their names: names (case is ignored), aliases (case
 * matters: u is uprobe, U is usdt), and old names.
 */
#include <stdio.h>
#include <strings.h>
#include "provider/internal.h"

#define P(name) &provider_##name,
const struct provider *const providers[] = {
#include "provider/index.h"
	NULL,
};
#undef P

typedef int compare_fn(const char *a, const char *b, size_t len);

/* Whether name is one of the words of a space-separated list. */
static bool in_list(const char *list, const char *name, compare_fn *compare)
{
	size_t len = strlen(name);

	for (const char *s = list; s && *s;) {
		size_t n = strcspn(s, " ");

		if (n == len && !compare(s, name, n))
			return true;
		s += n + strspn(s + n, " ");
	}
	return false;
}

const struct provider *provider_lookup(const char *name, bool *old_name)
{
	*old_name = false;
	for (u32 i = 0; providers[i]; i++)
		if (!strcasecmp(providers[i]->name, name) ||
		    in_list(providers[i]->aliases, name, strncmp))
			return providers[i];
	for (u32 i = 0; providers[i]; i++) {
		*old_name = in_list(providers[i]->old_names, name, strncasecmp);
		if (*old_name || in_list(providers[i]->aliases, name, strncasecmp))
			return providers[i];
	}
	return NULL;
}

const struct provider *provider_find(const char *name)
{
	bool old_name;

	return provider_lookup(name, &old_name);
}

const struct provider *provider_of(const char *text)
{
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
	return provider_find(name);
}

bool probe_has_type(const char *text)
{
	return strchr(text, ':') && provider_of(text);
}

const char *provider_near(const char *name)
{
	struct near near;

	near_init(&near, name);
	for (u32 i = 0; providers[i]; i++)
		near_try(&near, providers[i]->name);
	return near_best(&near);
}
