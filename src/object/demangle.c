/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangling of symbol names by language. Input: a symbol's name; output: the name in its language.
 */
#include <stdlib.h>
#include "base/glob.h"
#include "object/demangle.h"

char *demangle(const char *name)
{
	char *rust;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	rust = demangle_rust(name);
	return rust || name[1] == 'R' ? rust : demangle_cxx(name);
}

/*
 * A pre-filter: the longest word of the pattern that any matching symbol must contain, taken from
 * the names before parameters and template arguments. Operators, the standard library (which has
 * abbreviations) and unnamed entities have none.
 */
static size_t word_of(const char *pattern, const char **word)
{
	size_t names = strcspn(pattern, "(<"), best = 0;

	if (starts_with(pattern, "std") || memmem(pattern, names, "operator", 8) ||
	    strchr(pattern, ' ') || strstr(pattern, "lambda") || strstr(pattern, "unnamed") ||
	    strstr(pattern, "anonymous"))
		return 0;
	for (size_t i = 0, len; i < names; i += len + 1) {
		len = strspn(pattern + i,
			     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
		if (len > best) {
			best = len;
			*word = pattern + i;
		}
	}
	return best;
}

bool demangle_matches(const char *symbol, const char *pattern)
{
	const char *word = NULL;
	size_t len;
	char *rust;
	bool yes;

	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return false;
	len = word_of(pattern, &word);
	if (len && symbol[1] == 'Z' && !memmem(symbol, strlen(symbol), word, len))
		return false;
	rust = demangle_rust(symbol);
	if (!rust)
		return demangle_cxx_matches(symbol, pattern);
	yes = glob_match(pattern, rust);
	free(rust);
	return yes;
}
