/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration variables of the process environment: BPFTRACE_NAME, then SONDE_NAME, which wins.
 * In: environ. Out: struct config with each value that is valid; the last error.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lang/config.h"

static bool set_from(struct config *cfg, const char *prefix, const char *key,
		     struct config_error *e)
{
	char name[64];
	const char *why = NULL;
	u32 n = (u32)snprintf(name, sizeof name, "%s%s", prefix, key);

	for (u32 i = 0; i < n && i < sizeof name; i++)
		name[i] = (char)toupper((u8)name[i]);
	const char *value = getenv(name);

	if (!value || config_set(cfg, key, value, &why))
		return true;
	memcpy(e->name, name, sizeof name);
	e->why = why;
	return false;
}

/* Mostly no variable has the prefix: then the names of all keys need not be looked up. */
static bool is_in_environment(const char *prefix)
{
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

bool config_from_environment(struct config *cfg, struct config_error *e)
{
	static const char *const prefixes[] = { "BPFTRACE_", "SONDE_" };
	const char *key;
	bool good = true;

	for (u32 p = 0; p < ARRAY_SIZE(prefixes); p++) {
		if (!is_in_environment(prefixes[p]))
			continue;
		for (u32 i = 0; (key = config_key(i)); i++)
			good &= set_from(cfg, prefixes[p], key, e);
	}
	return good;
}
