/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printf() formats. Input: a format, parsed once, and records with fields at known offsets. Output:
 * text, appended to a buffer. Each printed event takes this path: plain %d, %u, %x, %s write
 * directly to the buffer, nothing is allocated, and libc's printf is called for floats only.
 *
 *	%[-+ #0][width|*][.precision|.*][hh h l ll L j z t]
 *		d i u o x X c p s	as in C; s takes any value
 *		e E f F g G		float, double
 *		r rx rh			bytes: printable and \xNN; all \xNN; all "4a 4b"
 *		gr			GFP flags
 *		%			a percent sign
 *
 * A percent sign that begins no conversion is text: "100%\n". n, a and A are C's, and refused.
 *
 * Without a length modifier an integer is an int, as in C: %d of a 64-bit value prints its low
 * half.
 */
#include <math.h>
#include <stdlib.h>

#include "trace/table.h"
#include "trace/value.h"

enum { MAX_WIDTH = 65535 };

/* ---- parsing */

struct parse {
	const char *fmt, *p, *end;
	const char *error;
	u32 at;
	bool is_text; /* the percent sign begins no conversion */
};

static bool fail(struct parse *ps, const char *at, const char *error)
{
	ps->error = error;
	ps->at = (u32)(at - ps->fmt);
	return false;
}

static void parse_flags(struct parse *ps, struct format_spec *s)
{
	for (;; ps->p++) {
		switch (*ps->p) {
		case '-': s->minus = true; break;
		case '+': s->plus = true; break;
		case ' ': s->blank = true; break;
		case '#': s->hash = true; break;
		case '0': s->zero = true; break;
		default: return;
		}
	}
}

/* A number or a star; without either, n does not change. */
static bool parse_number(struct parse *ps, s32 *n, bool *star)
{
	const char *from = ps->p;
	s32 v = 0;

	if (*ps->p == '*') {
		ps->p++;
		*star = true;
		return true;
	}
	for (; *ps->p >= '0' && *ps->p <= '9'; ps->p++) {
		v = v * 10 + (*ps->p - '0');
		if (v > MAX_WIDTH)
			return fail(ps, from, "width or precision is too large");
	}
	if (ps->p > from)
		*n = v;
	return true;
}

static u8 parse_length(struct parse *ps)
{
	const char *from = ps->p;

	ps->p += strspn(ps->p, "hlLjzt");
	if (ps->p == from)
		return 0;
	if (*from != 'h')
		return 8;
	return from[1] == 'h' ? 1 : 2;
}

static bool parse_conversion(struct parse *ps, struct format_spec *s)
{
	const char *p = ps->p++;

	switch (*p) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'c':
	case 'p':
	case 's': s->conv = *p; return true;
	case 'r':
		s->conv = p[1] == 'x' ? 'R' : p[1] == 'h' ? 'H' : 'r';
		ps->p += s->conv != 'r';
		return true;
	case 'g':
		if (p[1] == 'r') {
			s->conv = 'G';
			ps->p++;
			return true;
		}
		s->conv = 'e';
		s->letter = *p;
		return true;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'G':
		s->conv = 'e';
		s->letter = *p;
		return true;
	default: break;
	}
	ps->is_text = p >= ps->end || !strchr("naA", *p);
	return fail(ps, ps->fmt + s->offset, "unknown conversion");
}

/* Parses a conversion, starting at the percent sign. */
static bool parse_spec(struct parse *ps, struct format_spec *s)
{
	s->offset = (u32)(ps->p - ps->fmt);
	s->width = s->precision = -1;
	ps->p++;
	parse_flags(ps, s);
	if (!parse_number(ps, &s->width, &s->star_width))
		return false;
	if (*ps->p == '.') {
		ps->p++;
		s->precision = 0;
		if (!parse_number(ps, &s->precision, &s->star_prec))
			return false;
		if (s->star_prec)
			s->precision = -1;
	}
	s->length = parse_length(ps);
	if (!parse_conversion(ps, s))
		return false;
	s->end = (u32)(ps->p - ps->fmt);
	return true;
}

static bool begins_conversion(const struct parse *ps)
{
	struct parse ahead = *ps;
	struct format_spec s = { 0 };

	return parse_spec(&ahead, &s) || !ahead.is_text;
}

/* Copies text up to the next conversion or the end; %% is one percent sign. */
static char *parse_literal(struct parse *ps, struct format *f, char *to)
{
	for (; ps->p < ps->end; *to++ = *ps->p++) {
		if (*ps->p != '%')
			continue;
		if (ps->p[1] == '%')
			ps->p++;
		else if (begins_conversion(ps))
			return to;
		else if (!f->odd)
			f->odd = ps->p;
	}
	return to;
}

static u32 count_percent(const char *fmt, size_t len)
{
	u32 n = 0;

	for (size_t i = 0; i < len; i++)
		n += fmt[i] == '%';
	return n;
}

struct format *format_parse(struct arena *a, const char *fmt, size_t len, const char **error,
			    u32 *at)
{
	struct parse ps = { .fmt = fmt, .p = fmt, .end = fmt + len };
	struct format *f = arena_new(a, struct format);
	char *text = arena_alloc(a, len + 1);

	f->spec = arena_array(a, struct format_spec, count_percent(fmt, len) + 1);
	for (;;) {
		struct format_spec *s = &f->spec[f->n++];
		char *end = parse_literal(&ps, f, text);

		s->literal = text;
		s->literal_len = (u32)(end - text);
		text = end;
		if (ps.p >= ps.end) {
			s->offset = s->end = (u32)(ps.p - fmt);
			return f;
		}
		if (!parse_spec(&ps, s)) {
			*error = ps.error;
			*at = ps.at;
			return NULL;
		}
		f->n_args += 1u + s->star_width + s->star_prec;
	}
}

/* ---- checking */

static bool is_number(const struct type *t)
{
	return (t->kind >= TY_COUNT && t->kind <= TY_AVG) || type_is_integer(t);
}

bool format_accepts(const struct format_spec *spec, const struct type *t)
{
	if (t->kind == TY_ERROR || t->kind == TY_UNKNOWN)
		return true;
	switch (spec->conv) {
	case 's': return t->kind != TY_VOID;
	case 'r':
	case 'R':
	case 'H': return t->kind == TY_BUFFER;
	case 'e': return t->kind == TY_FLOAT;
	case 'G': return type_is_integer(t);
	case 0: return false;
	default: return is_number(t) || t->kind == TY_POINTER;
	}
}

/* ---- numbers */

static s64 truncate(s64 v, u8 length, bool is_signed)
{
	switch (length ? length : 4) {
	case 1: return is_signed ? (s8)v : (s64)(u8)v;
	case 2: return is_signed ? (s16)v : (s64)(u16)v;
	case 4: return is_signed ? (s32)v : (s64)(u32)v;
	default: return v;
	}
}

static s64 float_as_int(double v)
{
	if (!(v > -0x1p63))
		return v == v ? INT64_MIN : 0;
	return v < 0x1p63 ? (s64)v : INT64_MAX;
}

static s64 number_of(const struct type *t, const void *p)
{
	if (t->kind == TY_INT || t->kind == TY_POINTER)
		return value_int(t, p);
	if (t->kind == TY_FLOAT)
		return float_as_int(value_double(t, p));
	return table_number(t, p);
}

static char *write_digits(char *end, u64 v, u32 base, const char *digit)
{
	do
		*--end = digit[v % base];
	while (v /= base);
	return end;
}

static char *conv_digits(char *end, u64 v, char conv)
{
	switch (conv) {
	case 'o': return write_digits(end, v, 8, "01234567");
	case 'x':
	case 'p': return write_digits(end, v, 16, "0123456789abcdef");
	case 'X': return write_digits(end, v, 16, "0123456789ABCDEF");
	default: return write_digits(end, v, 10, "0123456789");
	}
}

static const char *number_prefix(const struct format_spec *s, bool negative, u64 v)
{
	if (s->conv == 'p')
		return v ? "0x" : "";
	if (s->conv == 'd' || s->conv == 'i')
		return negative ? "-" : s->plus ? "+" : s->blank ? " " : "";
	if (s->hash && v && s->conv == 'x')
		return "0x";
	if (s->hash && v && s->conv == 'X')
		return "0X";
	return "";
}

/* blanks, prefix, zeros, digits, blanks */
static void put_wide(struct buf *b, const struct format_spec *s, s32 width, s32 precision,
		     s64 value)
{
	bool is_signed = s->conv == 'd' || s->conv == 'i';
	bool negative = is_signed && value < 0;
	u64 v = negative ? -(u64)value : (u64)value;
	const char *prefix = number_prefix(s, negative, v);
	char text[24], *end = text + sizeof text;
	char *digits = v || precision ? conv_digits(end, v, s->conv) : end;
	s32 n = (s32)(end - digits), n_prefix = (s32)strlen(prefix);
	s32 zeroes = MAX(precision - n, 0), blanks;

	if (s->conv == 'o' && s->hash && !zeroes && (n == 0 || *digits != '0'))
		zeroes = 1;
	if (s->zero && !s->minus && precision < 0)
		zeroes = MAX(zeroes, width - n - n_prefix);
	blanks = MAX(width - n - n_prefix - zeroes, 0);
	if (!s->minus)
		buf_pad(b, ' ', (size_t)blanks);
	buf_add(b, prefix, (size_t)n_prefix);
	buf_pad(b, '0', (size_t)zeroes);
	buf_add(b, digits, (size_t)n);
	if (s->minus)
		buf_pad(b, ' ', (size_t)blanks);
}

static void put_integer(struct buf *b, const struct format_spec *s, s64 v)
{
	bool is_signed = s->conv == 'd' || s->conv == 'i';

	if (s->conv != 'p')
		v = truncate(v, s->length, is_signed);
	if (s->width >= 0 || s->precision >= 0 || s->plus || s->blank || s->hash)
		put_wide(b, s, s->width, s->precision, v);
	else if (is_signed)
		buf_s64(b, v);
	else if (s->conv == 'u')
		buf_u64(b, (u64)v);
	else if (s->conv == 'x')
		buf_hex(b, (u64)v);
	else
		put_wide(b, s, s->width, s->precision, v);
}

/* ---- text */

/* Pads the text since `start` to width, on the left or on the right. */
static void pad_since(struct buf *b, size_t start, s32 width, bool minus, char with)
{
	size_t len = b->len - start;

	if (width < 0 || (size_t)width <= len)
		return;

	size_t more = (size_t)width - len;

	buf_pad(b, ' ', more);
	if (minus)
		return;
	memmove(b->s + start + more, b->s + start, len);
	memset(b->s + start, with, more);
}

static void cut_since(struct buf *b, size_t start, s32 precision)
{
	if (precision >= 0 && b->len - start > (size_t)precision) {
		b->len = start + (size_t)precision;
		b->s[b->len] = '\0';
	}
}

static void put_double(struct buf *b, char letter, int precision, double v)
{
	switch (letter) {
	case 'e': buf_printf(b, "%.*e", precision, v); return;
	case 'E': buf_printf(b, "%.*E", precision, v); return;
	case 'f': buf_printf(b, "%.*f", precision, v); return;
	case 'F': buf_printf(b, "%.*F", precision, v); return;
	case 'g': buf_printf(b, "%.*g", precision, v); return;
	case 'G': buf_printf(b, "%.*G", precision, v); return;
	}
}

static void put_float(struct buf *b, const struct format_spec *s, double v)
{
	size_t start = b->len, digits;
	bool zero = s->zero && !s->minus && isfinite(v);

	if (signbit(v))
		buf_putc(b, '-');
	else if (s->plus || s->blank)
		buf_putc(b, s->plus ? '+' : ' ');
	digits = b->len;
	put_double(b, s->letter, s->precision < 0 ? 6 : s->precision, fabs(v));
	if (zero)
		pad_since(b, digits, s->width - (s32)(digits - start), false, '0');
	else
		pad_since(b, start, s->width, s->minus, ' ');
}

static void put_buffer(struct buf *b, const struct format_spec *s, const struct names *names,
		       const struct type *t, const void *p)
{
	const u8 *bytes;

	if (t->kind != TY_BUFFER) {
		value_text(b, names, t, p);
		return;
	}

	u32 len = value_bytes(t, p, &bytes);

	if (s->conv == 'R')
		bytes_escaped(b, bytes, len);
	else if (s->conv == 'H')
		bytes_hex(b, bytes, len);
	else
		bytes_text(b, bytes, len);
}

/* Literals of the script are not escaped. */
static void put_value(struct buf *b, const struct names *names, const struct event_field *f,
		      const void *p)
{
	struct names exact;

	if (f->is_literal && names && names->visible) {
		exact = *names;
		exact.visible = false;
		names = &exact;
	}
	value_text(b, names, f->type, p);
}

static void put_text(struct buf *b, const struct format_spec *s, const struct names *names,
		     const struct event_field *f, const void *p)
{
	const struct type *t = f->type;
	size_t start = b->len;

	if (s->conv == 's')
		put_value(b, names, f, p);
	else if (s->conv == 'c')
		put_foreign(b, names, (char[]){ (char)number_of(t, p) }, 1);
	else if (s->conv == 'G')
		gfp_text(b, (u64)number_of(t, p));
	else
		put_buffer(b, s, names, t, p);
	if (s->conv != 'c')
		cut_since(b, start, s->precision);
	pad_since(b, start, s->width, s->minus, ' ');
}

/* ---- applying */

struct args {
	const struct event_field *at, *end;
	const char *record;
};

/* The value of a star. The caller treats a negative width as the flag "-". */
static s32 star(struct args *a)
{
	if (a->at == a->end)
		return -1;

	s64 v = number_of(a->at->type, a->record + a->at->offset);

	a->at++;
	return (s32)(v > MAX_WIDTH ? MAX_WIDTH : v < -MAX_WIDTH ? -MAX_WIDTH : v);
}

static void put_arg(struct buf *b, const struct format_spec *s, const struct names *names,
		    const struct event_field *f, const void *p)
{
	switch (s->conv) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p': put_integer(b, s, number_of(f->type, p)); return;
	case 'e':
		put_float(b, s,
			  f->type->kind == TY_FLOAT ? value_double(f->type, p) :
						      (double)number_of(f->type, p));
		return;
	default: put_text(b, s, names, f, p); return;
	}
}

static void put_starred(struct buf *b, const struct format_spec *spec, const struct names *names,
			struct args *a)
{
	struct format_spec s = *spec;

	if (s.star_width) {
		s.width = star(a);
		if (s.width < 0) {
			s.minus = true;
			s.width = -s.width;
		}
	}
	if (s.star_prec)
		s.precision = star(a); /* below 0: none */
	if (a->at == a->end)
		return;
	put_arg(b, &s, names, a->at, a->record + a->at->offset);
	a->at++;
}

void format_apply(struct buf *b, const struct format *f, const struct names *names,
		  const struct event_field *fields, u32 n_fields, const void *record)
{
	/* of no fields NULL: clang's sanitizer reports NULL + 0 */
	struct args a = { .at = fields,
			  .end = n_fields ? fields + n_fields : fields,
			  .record = record };

	for (const struct format_spec *s = f->spec, *end = s + f->n; s < end; s++) {
		if (s->literal_len)
			buf_add(b, s->literal, s->literal_len);
		if (!s->conv || a.at == a.end)
			continue;
		if (s->star_width || s->star_prec) {
			put_starred(b, s, names, &a);
			continue;
		}
		put_arg(b, s, names, a.at, a.record + a.at->offset);
		a.at++;
	}
}
