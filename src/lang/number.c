/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Integer literals. In: text. Out: a value, or the error in it. The whole run of letters and digits
 * is one literal, so that 12xyz is one error and not a number next to a name.
 *
 *	1_000_000   0x1f   0755   0b101   1e6   10ms   5UL
 *	digits '_'  base                  exp   unit   C suffix
 */
#include "lang/number.h"

static const struct suffix {
	const char *text;
	u64 factor; /* durations: to nanoseconds */
	u64 max;    /* C suffixes: the type's largest value */
} suffixes[] = {
	{ "ns", 1, UINT64_MAX },
	{ "us", 1000, UINT64_MAX },
	{ "ms", 1000000, UINT64_MAX },
	{ "s", 1000000000, UINT64_MAX },
	{ "m", 60000000000, UINT64_MAX },
	{ "h", 3600000000000, UINT64_MAX },
	{ "d", 86400000000000, UINT64_MAX },
	{ "u", 1, UINT32_MAX },
	{ "l", 1, INT64_MAX },
	{ "ll", 1, INT64_MAX },
	{ "ul", 1, UINT64_MAX },
	{ "lu", 1, UINT64_MAX },
	{ "ull", 1, UINT64_MAX },
	{ "llu", 1, UINT64_MAX },
};
enum { FIRST_C_SUFFIX = 7 };

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

static u32 digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (u32)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (u32)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (u32)(c - 'A') + 10 : 99;
}

static void fault(struct number *num, enum number_fault what, u32 at)
{
	if (num->fault)
		return;
	num->fault = what;
	num->fault_at = at;
}

static void multiply(struct number *num, u64 factor, u64 add)
{
	u64 v;

	if (__builtin_mul_overflow(num->value, factor, &v) || __builtin_add_overflow(v, add, &v)) {
		fault(num, NUMBER_TOO_BIG, 0);
		num->max = UINT64_MAX;
		return;
	}
	num->value = v;
}

/* Reads digits and separators from `at`; returns the offset after them. */
static u32 scan_digits(const char *s, u32 at, u32 base, struct number *num)
{
	for (; at < num->len && (s[at] == '_' || digit_of(s[at]) < base); at++)
		if (s[at] != '_')
			multiply(num, base, digit_of(s[at]));
	if (s[at - 1] == '_')
		fault(num, NUMBER_BAD_UNDERSCORE, at - 1);
	return at;
}

static u32 scan_exponent(const char *s, u32 at, struct number *num)
{
	u32 exponent = 0;

	if (num->value < 1 || num->value > 9 || at != 1)
		fault(num, NUMBER_BAD_COEFFICIENT, 0);
	for (at++; at < num->len && (s[at] == '_' || digit_of(s[at]) < 10); at++)
		if (s[at] != '_')
			exponent = MIN(exponent * 10 + digit_of(s[at]), 1000u);
	if (s[at - 1] == '_')
		fault(num, NUMBER_BAD_UNDERSCORE, at - 1);
	while (exponent-- && !num->fault)
		multiply(num, 10, 0);
	return at;
}

static bool is_exponent(const char *s, u32 at, u32 len)
{
	return at + 1 < len && (s[at] == 'e' || s[at] == 'E') && digit_of(s[at + 1]) < 10;
}

/* C suffixes in any case, durations in lower case. */
static bool is_suffix(const struct suffix *row, const char *s, u32 len)
{
	bool any_case = row >= suffixes + FIRST_C_SUFFIX;

	if (strlen(row->text) != len)
		return false;
	for (u32 i = 0; i < len; i++)
		if ((any_case ? s[i] | 0x20 : s[i]) != row->text[i])
			return false;
	return true;
}

static void apply_suffix(const char *s, struct number *num)
{
	u32 len = num->len - num->suffix;

	for (u32 i = 0; len && i < ARRAY_SIZE(suffixes); i++) {
		const struct suffix *row = &suffixes[i];

		if (!is_suffix(row, s + num->suffix, len))
			continue;
		multiply(num, row->factor, 0);
		if (num->value > row->max) {
			fault(num, NUMBER_TOO_BIG, 0);
			num->max = row->max;
		}
		return;
	}
	if (len)
		fault(num, NUMBER_BAD_SUFFIX, num->suffix);
}

static u32 base_of(const char *s, struct number *num, u32 *at)
{
	*at = 2;
	if (num->len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') &&
	    (digit_of(s[2]) < 16 || s[2] == '_')) {
		num->base_name = "hexadecimal";
		return 16;
	}
	if (num->len > 2 && s[0] == '0' && (s[1] == 'b' || s[1] == 'B') &&
	    (digit_of(s[2]) < 2 || s[2] == '_')) {
		num->base_name = "binary";
		return 2;
	}
	*at = 0;
	if (s[0] == '0' && num->len > 1 && (digit_of(s[1]) < 10 || s[1] == '_')) {
		num->base_name = "octal";
		return 8;
	}
	num->base_name = "decimal";
	return 10;
}

u32 number_scan(const char *s, u32 room, struct number *num)
{
	u32 at, base;

	*num = (struct number){ 0 };
	while (num->len < room && is_word(s[num->len]))
		num->len++;
	base = base_of(s, num, &at);
	at = scan_digits(s, at, base, num);
	if (base == 10 && is_exponent(s, at, num->len))
		at = scan_exponent(s, at, num);
	if (base < 10 && at < num->len && digit_of(s[at]) < 10)
		fault(num, NUMBER_BAD_DIGIT, at);
	num->suffix = at;
	if (!num->fault)
		apply_suffix(s, num);
	if (num->fault)
		num->value = 1;
	return num->len;
}

static void report_suffix(const struct number *num, struct diags *diags, struct span span,
			  const char *text)
{
	struct span at = { span.off + num->suffix, num->len - num->suffix };
	struct diag *d = diag_report(diags, at, D_NUMBER_SUFFIX, text + num->suffix);

	diag_help(diags, d, "durations end in ns us ms s m h d, C integers in u l ul ll ull");
}

void number_report(const struct number *num, struct diags *diags, struct span span, const char *s)
{
	const char *text = arena_strndup(diags->arena, s, num->len);
	struct span at = { span.off + num->fault_at, 1 };
	struct diag *d;

	switch (num->fault) {
	case NUMBER_FINE: break;
	case NUMBER_BAD_UNDERSCORE: diag_report(diags, at, D_NUMBER_UNDERSCORE); break;
	case NUMBER_BAD_COEFFICIENT:
		d = diag_report(diags, span, D_NUMBER_COEFFICIENT, text);
		diag_help(diags, d, "use separators instead, as in 25_000_000");
		break;
	case NUMBER_BAD_SUFFIX: report_suffix(num, diags, span, text); break;
	case NUMBER_BAD_DIGIT:
		d = diag_report(diags, at, D_NUMBER_DIGIT, s[num->fault_at], num->base_name);
		if (num->base_name[0] == 'o')
			diag_help(diags, d, "a leading 0 makes a number octal");
		break;
	case NUMBER_TOO_BIG:
		diag_report(diags, span, D_NUMBER_OVERFLOW, (unsigned long long)num->max, text);
		break;
	}
}
