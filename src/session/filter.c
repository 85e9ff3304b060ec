/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The regular expression of --probe-filter: that of JavaScript and std::regex, as far as regcomp(3)
 * supports it. \d and (?: are rewritten. What regcomp() would treat as a plain character (a lone
 * ")", a leading "*") is an error.
 */
#include <errno.h>
#include "base/buf.h"
#include "session/filter.h"

/* Texts of the reference implementation where they say the same. */
static const char *fault(int code)
{
	switch (code) {
	case REG_EBRACK: return "Unexpected character within '[...]' in regular expression";
	case REG_EPAREN: return "Mismatched '(' and ')' in regular expression";
	case REG_EBRACE:
	case REG_BADBR: return "Invalid range in '{}' in regular expression";
	case REG_EESCAPE: return "Invalid escape at end of regular expression";
	case REG_ERANGE: return "Invalid range in bracket expression.";
	case REG_ECTYPE: return "Invalid character class.";
	case REG_BADRPT:
		return "There is nothing before '*', '+', '?' or '{' that could be repeated";
	}
	return "Invalid regular expression";
}

/* The end of a bracket expression that begins at s. */
static const char *skip_brackets(const char *s)
{
	const char *p = s + 1;

	p += *p == '^';
	p += *p == ']';
	for (; *p && *p != ']'; p++)
		if (p[0] == '[' && p[1] == ':' && strstr(p, ":]"))
			p = strstr(p, ":]") + 1;
	return *p ? p + 1 : p;
}

/* Copies to out what regcomp() understands; 0, or what is wrong. */
static int rewrite(const char *s, struct buf *out)
{
	bool may_repeat = false;
	int depth = 0;

	while (*s) {
		const char *end = s + 1;

		if (strchr("*+?{", *s) && !may_repeat)
			return REG_BADRPT;
		if (*s == '\\' && !s[1])
			return REG_EESCAPE;
		depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
		if (depth < 0)
			return REG_EPAREN;
		may_repeat = !strchr("(|^", *s);
		if (*s == '[') {
			end = skip_brackets(s);
			if (end[-1] != ']')
				return REG_EBRACK;
			buf_add(out, s, (size_t)(end - s));
		} else if (*s == '\\' && (s[1] | 32) == 'd') {
			buf_puts(out, s[1] == 'd' ? "[0-9]" : "[^0-9]");
			end = s + 2;
		} else if (*s == '\\') {
			end = s + 2;
			buf_add(out, s, 2);
		} else if (starts_with(s, "(?:")) {
			end = s + 3;
			buf_putc(out, '(');
		} else {
			buf_putc(out, *s);
		}
		s = end;
	}
	return depth ? REG_EPAREN : 0;
}

int probe_filter_make(regex_t *filter, const char *text, struct err *err)
{
	struct buf b = { 0 };
	int code = rewrite(text, &b);

	buf_puts(&b, "");
	if (!code)
		code = regcomp(filter, b.s, REG_EXTENDED | REG_NOSUB);
	buf_release(&b);
	return code ? err_usage(err, -EINVAL, "Invalid --probe-filter regex '%s': %s", text,
				fault(code)) :
		      0;
}
