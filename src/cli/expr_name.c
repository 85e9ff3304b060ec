/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include "cli/expr_name.h"

size_t expr_name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((u8)s[n]) || s[n] == '_')
		n++;
	return n;
}

size_t expr_quoted_length(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != *s)
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] != '\0');
}

bool expr_is_alone(const char *text, const char *s, size_t n)
{
	char before = s > text ? s[-1] : ' ';

	if (before == '>' && s - text >= 2 && s[-2] == '-')
		return false;
	return !strchr(".$@", before) && s[n + strspn(s + n, " \t")] != '(';
}
