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

enum { RESULT_MEMORY = LTRACE_WORDS, LARGE = 10000 };

struct putting {
	struct buf *b;
	const struct ltrace *lt;
	const struct ltrace_values *v;
	/* Of a structure that is put: bit i: its 8 bytes i are in a floating-point register. */
	const u8 *base;
	u32 unknown;
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
			if (at / size == p->lt->o.elements) {
				buf_puts(p->b, "...");
				break;
			}
			buf_puts(p->b, at ? ", " : "");
			put_bytes(p, t->elem, bytes + at, size);
		}
		buf_puts(p->b, " ]");
	} else if (p->base && p->unknown >> MIN((u64)(bytes - p->base) / 8, 31u) & 1) {
		buf_puts(p->b, "<float>");
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
	char conv;    /* 0: the end */
	u32 size;     /* of a whole number */
	bool is_wide; /* %ls, %lc */
	bool is_long_double;
	bool is_placed;   /* %2$d */
	u32 n_stars;      /* for each a number comes first */
	bool star_limits; /* the last of them is a precision */
	s32 precision;    /* of text; -1: none */
};

static const char *next_conversion(const char *s, const char *end, struct conversion *c)
{
	bool in_precision = false;

	*c = (struct conversion){ .size = 4, .precision = -1 };
	while (s < end && !(*s == '%' && s + 1 < end && s[1] != '%'))
		s += *s == '%' ? 2 : 1;
	if (s >= end)
		return end;
	for (s++; s < end && strchr("#0- +'I123456789.*$hlLqjzt", *s); s++) {
		if (*s == 'h')
			c->size /= 2;
		else if (strchr("lLqjzt", *s))
			c->size = 8;
		else if (*s == '.')
			c->precision = 0;
		else if (in_precision && *s >= '0' && *s <= '9' && c->precision < 100000)
			c->precision = c->precision * 10 + *s - '0';
		in_precision |= *s == '.';
		c->is_wide |= *s == 'l';
		c->is_long_double |= *s == 'L';
		c->is_placed |= *s == '$';
		c->n_stars += *s == '*';
		c->star_limits |= *s == '*' && in_precision;
	}
	if (s < end)
		c->conv = *s++;
	return s;
}

/* What a function with a variable number of arguments takes next. WORD_FLOAT: it is not known. */
static u32 next_word(struct proto_walk *w, const struct conversion *c)
{
	static const struct proto_type whole = { .kind = PROTO_INT, .size = 8 },
				       number = { .kind = PROTO_FLOAT, .size = 8 };
	bool is_float = c && strchr("aAeEfFgG", c->conv);
	struct proto_place place;

	if (is_float && c->is_long_double && arch_native == &arch_x86_64) {
		w->stack = ALIGN_UP(w->stack, 2u) + 2; /* always there, as are 16 bytes */
		return WORD_FLOAT;
	}
	proto_place(w, is_float ? &number : &whole, &place);
	return place.word[0];
}

static void put_whole(const struct putting *p, const struct conversion *c, u64 value)
{
	const struct proto_type t = { .kind = PROTO_INT,
				      .size = c->size ? c->size : 1,
				      .is_signed = c->conv == 'd' || c->conv == 'i',
				      .lens = strchr("xXob", c->conv) ? LENS_HEX : LENS_NONE };

	put_number(p->b, &t, value);
}

static void put_text(const struct putting *p, const struct conversion *c, u32 word)
{
	static const struct proto_type text = { .kind = PROTO_STRING, .size = 8 };
	struct ltrace_memory m = p->v->memory[word];

	if (c->precision >= 0)
		m.len = MIN(m.len, (u32)c->precision);
	if (c->is_wide)
		put_address(p->b, p->v->word[word]);
	else
		put_pointed(p, &text, &m, p->v->word[word]);
}

static void put_formatted(const struct putting *p, const struct conversion *c, u32 word)
{
	static const struct proto_type letter = { .kind = PROTO_CHAR, .size = 1 };
	u64 value = p->v->word[word];
	double d;

	switch (c->conv) {
	case 's': put_text(p, c, word); break;
	case 'c': put_scalar(p, &letter, value); break;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'b':
	case 'o': put_whole(p, c, value); break;
	default:
		if (strchr("aAeEfFgG", c->conv)) {
			memcpy(&d, &value, sizeof d);
			buf_printf(p->b, "%f", d);
		} else {
			put_address(p->b, value);
		}
	}
}

/* The numbers of the stars, then the value; false: the record does not have them all. */
static bool put_conversion(const struct putting *p, struct conversion *c, struct proto_walk *w)
{
	u32 word;

	for (u32 i = 0; i < c->n_stars; i++) {
		word = next_word(w, NULL);
		if (word >= p->v->n_words)
			return false;
		buf_printf(p->b, ", %d", (s32)p->v->word[word]);
		if (c->star_limits && i + 1 == c->n_stars)
			c->precision = (s32)p->v->word[word];
	}
	word = next_word(w, c);
	if (word != WORD_FLOAT && word >= p->v->n_words)
		return false;
	buf_puts(p->b, ", ");
	if (word == WORD_FLOAT)
		buf_puts(p->b, "<float>");
	else
		put_formatted(p, c, word);
	return true;
}

static void put_format_args(const struct putting *p, u32 format, struct proto_walk w)
{
	const struct ltrace_memory *m = &p->v->memory[format];
	const char *s = (const char *)m->bytes, *end = s + m->len;
	bool is_cut = m->len > MAX(p->lt->o.strings, LTRACE_FORMAT);

	while (s && s < end) {
		struct conversion c;

		s = next_conversion(s, end, &c);
		if (!c.conv || c.conv == 'm')
			continue;
		if (c.is_placed || !put_conversion(p, &c, &w)) {
			is_cut = true;
			break;
		}
	}
	buf_puts(p->b, is_cut ? ", ..." : "");
}

/* ---- calls */

u32 ltrace_first_out(const struct proto *p)
{
	u32 i = 0;

	while (i < p->n && !p->param[i].is_out)
		i++;
	return i;
}

/* A structure by its words: of the call, or of the result. */
static void put_struct(struct putting *p, const struct proto_type *t,
		       const struct proto_place *place, const u64 *words, u32 n_words)
{
	u64 bytes[ARG_WORDS] = { 0 };
	u32 n = 0;

	p->unknown = 0;
	for (; n < place->n; n++) {
		u32 word = place->word[n];

		if (word == WORD_FLOAT)
			p->unknown |= 1u << n;
		else if (word >= n_words)
			break;
		else
			bytes[n] = words[word];
	}
	p->base = (const u8 *)bytes;
	put_bytes(p, t, p->base, MIN(n * 8, t->size));
	p->base = NULL;
}

static void put_arg(struct putting *p, const struct proto_type *t, const struct proto_place *place)
{
	const struct ltrace_values *v = p->v;
	u32 word = place->word[0];
	u64 value;

	if (t->kind == PROTO_STRUCT && !place->by_address) {
		put_struct(p, t, place, v->word, v->n_words);
		return;
	}
	if (word == WORD_FLOAT || word >= v->n_words) {
		buf_puts(p->b, word == WORD_FLOAT ? "<float>" : "...");
		return;
	}
	value = v->word[word];
	if (place->by_address && v->memory[word].bytes)
		put_bytes(p, t, v->memory[word].bytes, v->memory[word].len);
	else if (t->kind == PROTO_FLOAT)
		put_bytes(p, t, (const u8 *)&value, sizeof value);
	else
		put_pointed(p, t, &v->memory[word], value);
}

void ltrace_put_args(struct buf *b, const struct ltrace *lt, const struct ltrace_func *f,
		     const struct ltrace_values *v, u32 from, u32 to)
{
	struct putting p = { .b = b, .lt = lt, .v = v };
	struct proto_walk w;

	proto_walk_begin(&w, f->proto);
	for (u32 i = 0; i < to && i < f->proto->n; i++) {
		const struct proto_type *t = f->proto->param[i].type;
		struct proto_place place;

		proto_place(&w, t, &place);
		if (i < from)
			continue;
		buf_puts(b, i ? ", " : "");
		put_arg(&p, t, &place);
		if (t->kind == PROTO_FORMAT && place.word[0] < v->n_words)
			put_format_args(&p, place.word[0], w);
	}
}

void ltrace_put_result(struct buf *b, const struct ltrace *lt, const struct ltrace_func *f,
		       const struct ltrace_values *v)
{
	struct putting p = { .b = b, .lt = lt, .v = v };
	const struct proto_type *t = f->proto->result;
	const struct ltrace_memory *m = &v->memory[RESULT_MEMORY];
	struct proto_place place;

	if (t->kind != PROTO_STRUCT) {
		put_pointed(&p, t, m, v->result[0]);
		return;
	}
	proto_place_result(t, &place);
	if (!proto_result_in_memory(t))
		put_struct(&p, t, &place, v->result, ARRAY_SIZE(v->result));
	else if (m->bytes)
		put_bytes(&p, t, m->bytes, m->len);
	else
		buf_puts(b, "...");
}
