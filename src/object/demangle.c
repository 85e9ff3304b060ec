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

	if (name[0] == '_' && name[1] == 'D')
		return demangle_d(name);
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	rust = demangle_rust(name);
	return rust || name[1] == 'R' ? rust : demangle_cxx(name);
}

/*
 * A prefilter: the longest word of the pattern that every matching symbol must contain, taken from
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

/* The length of a D name without parameters and modifiers: "a.f!(int).f(char) const". */
static size_t without_parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;

	if (!end || (end[1] && end[1] != ' '))
		return strlen(name);
	for (const char *s = end; s > name; s--) {
		depth += (*s == ')') - (*s == '(');
		if (!depth)
			return s[-1] == '!' ? strlen(name) : (size_t)(s - name);
	}
	return strlen(name);
}

static bool d_matches(const char *symbol, const char *pattern)
{
	char *name = demangle_d(symbol);
	bool yes = name && glob_match(pattern, name);

	if (name && !yes) {
		name[without_parameters(name)] = '\0';
		yes = glob_match(pattern, name);
	}
	free(name);
	return yes;
}

bool demangle_matches(const char *symbol, const char *pattern)
{
	const char *word = NULL;
	size_t len;
	char *rust;
	bool yes;

	if (symbol[0] == '_' && symbol[1] == 'D')
		return d_matches(symbol, pattern);
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
