/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of builtin rows by name. In: the themes of struct env. Out: the row of a name; a
 * numbered name ("arg3") finds the row that is named with an N ("argN").
 */
#include <ctype.h>
#include <stdlib.h>

#include "lang/env.h"

void env_init(struct env *env)
{
	u32 n = 0;

	env->builtins = (struct hash){ 0 };
	for (u32 i = 0; env->themes && env->themes[i]; i++)
		n += env->themes[i]->n;
	hash_reserve(&env->builtins, n);
	for (u32 i = 0; env->themes && env->themes[i]; i++) {
		const struct builtin_theme *theme = env->themes[i];

		for (u32 j = 0; j < theme->n; j++) {
			union { /* the table holds pointers to non-const; rows are only read */
				const struct builtin *row;
				void *value;
			} u = { &theme->rows[j] };

			hash_puts(&env->builtins, theme->rows[j].name, u.value);
		}
	}
}

void env_release(struct env *env)
{
	hash_release(&env->builtins);
	hash_release(&env->options);
	hash_release(&env->option_default);
}

/* Length of name without trailing digits; strlen(name) if there are none. */
static size_t stem(const char *name)
{
	size_t n = strlen(name), len = n;

	while (len && isdigit((u8)name[len - 1]))
		len--;
	return len ? len : n;
}

const struct builtin *env_builtin(const struct env *env, const char *name)
{
	static const char prefix[] = "__builtin_";
	const struct builtin *row;
	size_t len;
	char numbered[32];

	if (starts_with(name, prefix)) {
		row = hash_gets(&env->builtins, name + strlen(prefix));
		return row && (row->flags & BI_PREFIXED) ? row : NULL;
	}
	row = hash_gets(&env->builtins, name);
	len = stem(name);

	if (row || !name[len] || len + 2 > sizeof numbered)
		return row;
	memcpy(numbered, name, len);
	memcpy(numbered + len, "N", 2);
	return hash_gets(&env->builtins, numbered);
}

s64 env_builtin_number(const struct builtin *row, const char *name)
{
	size_t len = stem(name);

	if (!name[len] || streq(row->name, name))
		return -1;
	return strtoll(name + len, NULL, 10);
}
