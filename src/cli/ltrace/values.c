/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A value is shown by the type that its prototype has: strings in quotes with C's escapes, numbers
 * in decimal, pointers in hex, 0 as nil. Numbers of unknown functions are in hex if they are large,
 * as by ltrace. Arguments and results in floating-point registers are not in struct pt_regs, which
 * is all that programs in the kernel see of registers.
 */
#include <ctype.h>
#include "arch/arch.h"
#include "cli/ltrace/values.h"

enum { RESULT_MEMORY = 8, LARGE = 10000 };

struct putting {
	struct buf *b;
	const struct ltrace *lt;
	const struct ltrace_values *v;
};

/* ---- bytes */

static void put_char(struct buf *b, u8 c, char quote)
{
	static const char letters[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
	const char *at = c ? strchr(letters, c) : NULL;

	if (at)
		buf_printf(b, "\\%c", names[at - letters]);
	else if (c == (u8)quote || c == '\\')
		buf_printf(b, "\\%c", c);
	else if (isprint(c))
		buf_putc(b, (char)c);
	else if (!c)
		buf_puts(b, "\\0");
	else
		buf_printf(b, "\\%03o", c);
}

static void put_quoted(const struct putting *p, const u8 *bytes, u32 len)
{
	u32 most = p->lt->o.strings;

	buf_putc(p->b, '"');
	for (u32 i = 0; i < MIN(len, most); i++)
		put_char(p->b, bytes[i], '"');
	buf_puts(p->b, len > most ? "\"..." : "\"");
}

static u64 read_word(const u8 *bytes, u32 size)
{
	u64 word = 0;

	memcpy(&word, bytes, MIN(size, 8u));
	return word;
}

/* ---- by type */

static s64 extend(u64 value, const struct proto_type *t)
{
	u32 bits = 64 - MIN(t->size ? t->size : 8, 8u) * 8;

	return t->is_signed ? (s64)(value << bits) >> bits : (s64)(value << bits >> bits);
}

static void put_address(struct buf *b, u64 value)
{
	if (value)
		buf_printf(b, "%#llx", (unsigned long long)value);
	else
		buf_puts(b, "nil");
}

static void put_guess(struct buf *b, s64 value)
{
	bool is_large = value > LARGE || value < -LARGE;

	buf_printf(b, is_large ? "%#llx" : "%lld", (long long)value);
}

/* "<1,3>": the bits that are set, of a set of signals */
static void put_bits(struct buf *b, u64 value)
{
	u32 n = 0;

	buf_putc(b, '<');
	for (u32 i = 0; i < 64; i++)
		if (value >> i & 1)
			buf_printf(b, "%s%u", n++ ? "," : "", i);
	buf_putc(b, '>');
}

static void put_number(struct buf *b, const struct proto_type *t, u64 value)
{
	s64 n = extend(value, t);

	switch (t->lens) {
	case LENS_NONE: buf_printf(b, t->is_signed ? "%lld" : "%llu", (long long)n); break;
	case LENS_HEX: buf_printf(b, n ? "%#llx" : "%llx", (unsigned long long)n); break;
	case LENS_OCTAL: buf_printf(b, "0%llo", (unsigned long long)n); break;
	case LENS_BOOL: buf_puts(b, n ? "true" : "false"); break;
	case LENS_BITS: put_bits(b, (u64)n); break;
	case LENS_HIDE: break;
	}
}

static void put_enum(struct buf *b, const struct proto_type *t, u64 value)
{
	s64 n = extend(value, t);

	for (u32 i = 0; i < t->n; i++)
		if (t->member[i].value == n) {
			buf_puts(b, t->member[i].name);
			return;
		}
	buf_printf(b, "%lld", (long long)n);
}

static void put_scalar(const struct putting *p, const struct proto_type *t, u64 value);

/* A value of which the record has the bytes. */
static void put_bytes(const struct putting *p, const struct proto_type *t, const u8 *bytes, u32 len)
{
	if (t->kind == PROTO_STRUCT) {
		buf_puts(p->b, "{ ");
		for (u32 i = 0; i < t->n && t->member[i].value < (s64)len; i++) {
			buf_puts(p->b, i ? ", " : "");
			put_bytes(p, t->member[i].type, bytes + t->member[i].value,
				  len - (u32)t->member[i].value);
		}
		buf_puts(p->b, " }");
	} else if (t->kind == PROTO_ARRAY) {
		u32 size = MAX(t->elem->size, 1u);

		buf_puts(p->b, "[ ");
		for (u32 at = 0; at + size <= len && (!t->size || at < t->size); at += size) {
			buf_puts(p->b, at ? ", " : "");
			put_bytes(p, t->elem, bytes + at, size);
		}
		buf_puts(p->b, " ]");
	} else if (t->kind == PROTO_FLOAT && len >= t->size) {
		double d;
		float f;

		memcpy(&f, bytes, sizeof f);
		if (t->size == sizeof d)
			memcpy(&d, bytes, sizeof d);
		buf_printf(p->b, "%f", t->size == sizeof d ? d : (double)f);
	} else {
		put_scalar(p, t, read_word(bytes, MIN(len, t->size)));
	}
}

static void put_scalar(const struct putting *p, const struct proto_type *t, u64 value)
{
	switch (t->kind) {
	case PROTO_VOID: buf_puts(p->b, "<void>"); break;
	case PROTO_INT: put_number(p->b, t, value); break;
	case PROTO_CHAR:
		buf_putc(p->b, '\'');
		put_char(p->b, (u8)value, '\'');
		buf_putc(p->b, '\'');
		break;
	case PROTO_FLOAT: buf_puts(p->b, "<float>"); break;
	case PROTO_ENUM: put_enum(p->b, t, value); break;
	case PROTO_GUESS: put_guess(p->b, (s64)value); break;
	case PROTO_STRUCT:
	case PROTO_ARRAY:
	case PROTO_ADDR:
	case PROTO_STRING:
	case PROTO_FORMAT:
	case PROTO_POINTER: put_address(p->b, value); break;
	}
}

static void put_pointed(const struct putting *p, const struct proto_type *t,
			const struct ltrace_memory *m, u64 value)
{
	bool is_text = t->kind == PROTO_STRING || t->kind == PROTO_FORMAT ||
		       (t->kind == PROTO_POINTER && t->elem->kind == PROTO_STRING);

	if (t->lens == LENS_HIDE)
		return;
	if (!value || !m->bytes || !(is_text || t->kind == PROTO_POINTER))
		put_scalar(p, t, value);
	else if (is_text)
		put_quoted(p, m->bytes,
			   t->stops ? (u32)strnlen((const char *)m->bytes, m->len) : m->len);
	else
		put_bytes(p, t->elem, m->bytes, m->len);
}

/* ---- what follows a format */

struct conversion {
	char conv;     /* 0: the end */
	bool is_long;  /* l, z, j, t */
	bool has_star; /* for each a number comes first */
};

static const char *next_conversion(const char *s, const char *end, struct conversion *c)
{
	*c = (struct conversion){ 0 };
	while (s < end && !(*s == '%' && s + 1 < end && s[1] != '%'))
		s += *s == '%' ? 2 : 1;
	if (s >= end)
		return end;
	for (s++; s < end && strchr("#0- +'123456789.*$hlLqjzt", *s); s++) {
		c->is_long |= strchr("lLqjzt", *s) != NULL;
		c->has_star |= *s == '*';
	}
	if (s < end)
		c->conv = *s++;
	return s;
}

static void put_formatted(const struct putting *p, char conv, bool is_long, u32 i)
{
	static const struct proto_type whole = { .kind = PROTO_INT, .size = 8, .is_signed = true },
				       small = { .kind = PROTO_INT, .size = 4, .is_signed = true },
				       text = { .kind = PROTO_STRING, .size = 8 },
				       letter = { .kind = PROTO_CHAR, .size = 1 };
	u64 value = p->v->arg[i];

	switch (conv) {
	case 's': put_pointed(p, &text, &p->v->memory[i], value); break;
	case 'c': put_scalar(p, &letter, value); break;
	case 'd':
	case 'i': put_scalar(p, is_long ? &whole : &small, value); break;
	case 'u':
		buf_printf(p->b, "%llu", (unsigned long long)(is_long ? value : (u32)value));
		break;
	case 'x':
	case 'X':
	case 'o':
		buf_printf(p->b, "%#llx", (unsigned long long)(is_long ? value : (u32)value));
		break;
	default: put_address(p->b, value);
	}
}

static void put_format_args(const struct putting *p, u32 format)
{
	const struct ltrace_memory *m = &p->v->memory[format];
	const char *s = (const char *)m->bytes, *end = s + m->len;
	u32 i = format + 1;

	while (s && s < end) {
		struct conversion c;

		s = next_conversion(s, end, &c);
		if (!c.conv || c.conv == 'm')
			continue;
		buf_puts(p->b, ", ");
		if (strchr("aAeEfFgG", c.conv)) {
			buf_puts(p->b, "<float>");
			continue;
		}
		i += c.has_star;
		if (i >= arch_native->n_args) { /* the others are on the stack */
			buf_puts(p->b, "...");
			return;
		}
		put_formatted(p, c.conv, c.is_long, i++);
	}
}

/* ---- calls */

u32 ltrace_first_out(const struct proto *p)
{
	u32 i = 0;

	while (i < p->n && !p->param[i].is_out)
		i++;
	return i;
}

void ltrace_put_args(struct buf *b, const struct ltrace *lt, const struct ltrace_func *f,
		     const struct ltrace_values *v, u32 from, u32 to)
{
	struct putting p = { b, lt, v };

	for (u32 i = from; i < to && i < f->proto->n; i++) {
		const struct proto_type *t = f->proto->param[i].type;
		u32 reg = proto_register(f->proto, i);

		buf_puts(b, i ? ", " : "");
		if (t->kind == PROTO_FLOAT)
			buf_puts(b, "<float>");
		else if (reg >= arch_native->n_args)
			buf_puts(b, "...");
		else
			put_pointed(&p, t, &v->memory[reg], v->arg[reg]);
		if (t->kind == PROTO_FORMAT)
			put_format_args(&p, reg);
	}
}

void ltrace_put_result(struct buf *b, const struct ltrace *lt, const struct ltrace_func *f,
		       const struct ltrace_values *v)
{
	struct putting p = { b, lt, v };

	put_pointed(&p, f->proto->result, &v->memory[RESULT_MEMORY], v->result);
}
