/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of USDT probes. In: the note's text, one operand for each argument, "SIZE@OPERAND" with a
 * negative size for signed values (sys/sdt.h); out: locations.
 *
 *	x86-64	%edi	-16(%rbp)	(%rax)	$5
 *	arm64	w0	[sp, 16]	[x1]	5
 */
#include <stdio.h>
#include <stdlib.h>
#include "provider/usdt_args.h"

static const char *const names[] = { "arg0", "arg1", "arg2", "arg3", "arg4",  "arg5",
				     "arg6", "arg7", "arg8", "arg9", "arg10", "arg11" };

static bool whole_number(const char *s, s64 *out)
{
	char *end;

	if (!*s || (*s != '-' && (*s < '0' || *s > '9')))
		return false;
	*out = strtoll(s, &end, 0);
	return !*end;
}

/* The value in a register, or in memory at a register plus a displacement. */
static bool in_register(const struct arch *a, const char *name, struct loc *loc)
{
	u32 size;
	s32 off = arch_reg_offset(a, name, &size);

	if (off < 0)
		return false;
	loc->kind = LOC_REG;
	loc->offset = (u32)off;
	loc->size = (u8)MIN(loc->size, size);
	return true;
}

static bool in_memory(const struct arch *a, const char *base, s64 displacement, struct loc *loc)
{
	s32 off = arch_reg_offset(a, base, NULL);

	if (off < 0 || displacement < INT32_MIN || displacement > INT32_MAX)
		return false;
	loc->kind = LOC_STACK;
	loc->offset = (u32)off;
	loc->inner = (s32)displacement;
	return true;
}

static bool constant(const char *s, struct loc *loc)
{
	if (!whole_number(s, &loc->value))
		return false;
	loc->kind = LOC_CONST;
	return true;
}

static bool x86_operand(const struct arch *a, char *s, struct loc *loc)
{
	char *open = strchr(s, '('), *close = open ? strchr(open, ')') : NULL;
	s64 displacement = 0;

	if (*s == '$')
		return constant(s + 1, loc);
	if (*s == '%')
		return in_register(a, s, loc);
	if (!open || !close || close[1] || strchr(open, ','))
		return false;
	*open = *close = '\0';
	if (*s && !whole_number(s, &displacement))
		return false;
	if (streq(open + 1, "%rip"))
		return false;
	return in_memory(a, open + 1, displacement, loc);
}

static bool arm_operand(const struct arch *a, char *s, struct loc *loc)
{
	char *comma, *close;
	s64 displacement = 0;

	if (*s != '[')
		return constant(s, loc) || in_register(a, s, loc);
	comma = strchr(s, ',');
	close = strchr(s, ']');
	if (!close || close[1])
		return false;
	*close = '\0';
	if (comma) {
		*comma++ = '\0';
		comma += strspn(comma, " #");
		if (!whole_number(comma, &displacement))
			return false;
	}
	return in_memory(a, s + 1, displacement, loc);
}

/* One operand ends at a blank outside of brackets. */
static size_t operand_len(const char *s)
{
	size_t n = 0;
	int depth = 0;

	for (; s[n] && (s[n] != ' ' || depth > 0); n++)
		depth += (s[n] == '[' || s[n] == '(') - (s[n] == ']' || s[n] == ')');
	return n;
}

static bool parse_size(const char *s, size_t n, struct loc *loc)
{
	loc->is_signed = *s == '-';
	s += loc->is_signed;
	n -= loc->is_signed;
	if (n != 1 || (*s != '1' && *s != '2' && *s != '4' && *s != '8'))
		return false;
	loc->size = (u8)(*s - '0');
	return true;
}

static bool parse_one(const struct arch *a, const char *s, size_t n, struct loc *loc)
{
	const char *at = memchr(s, '@', n);
	char text[128];

	loc->size = 8;
	if (at) {
		if (!parse_size(s, (size_t)(at - s), loc))
			return false;
		n -= (size_t)(at + 1 - s);
		s = at + 1;
	}
	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	return a == &arch_arm64 ? arm_operand(a, text, loc) : x86_operand(a, text, loc);
}

u32 usdt_parse_args(const struct arch *a, const char *text, struct arg_desc *args, u32 max)
{
	u32 n = 0;

	max = MIN(max, (u32)ARRAY_SIZE(names));
	for (const char *s = text; n < max; n++) {
		struct loc loc = {};
		size_t len;

		s += strspn(s, " ");
		len = operand_len(s);
		if (!len || !parse_one(a, s, len, &loc))
			break;
		args[n] = (struct arg_desc){ .name = names[n],
					     .loc = loc,
					     .type = type_int(loc.size, loc.is_signed) };
		s += len;
	}
	return n;
}
