/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evaluates a print fmt over a record. Values are numbers, texts, or addresses in the record
 * (arrays). The output is that of perf script, which unlike the kernel does not hash pointers.
 *
 * Formats follow lib/vsprintf.c as far as events use them: flags, width, precision, hh h l ll z, d
 * i u x X o c s p, and of p's extensions symbols (%ps %pS %pf %pF), %pM %pm, %pI4 %pi4 %pI6 %pI6c,
 * %pISpc, %pU, %*ph, %*pb[l].
 */
#include "trace/event_text.h"
#include <stdio.h>
#include "base/clock.h"
#include "trace/event_address.h"
#include "trace/event_bits.h"
#include "trace/event_constants.h"
#include "trace/event_expr.h"

struct value {
	s64 n;            /* sign- or zero-extended from size */
	u32 size;         /* bytes of the number's C type */
	const char *text; /* NULL: a number */
	u32 text_len;
	const u8 *at; /* bytes in the record */
	u32 len, elem;
	bool is_signed, in_memory;
};

struct eval {
	struct buf *out;
	struct buf *scratch; /* generated texts */
	struct arena *arena;
	const struct names *names;
	const u8 *record;
	u32 len;
};

static struct value eval(struct eval *v, const struct ex *e);

/* ---- the record */

static s64 load(const u8 *p, u32 size, bool is_signed)
{
	u64 n = 0;

	memcpy(&n, p, MIN(size, 8u)); /* little-endian, as all supported kernels */
	if (is_signed && size && size < 8 && n >> (8 * size - 1) & 1)
		n |= ~0ull << 8 * size;
	return (s64)n;
}

static struct value in_record(struct eval *v, u32 offset, u32 len, u32 elem, bool is_signed)
{
	offset = MIN(offset, v->len);
	return (struct value){ .at = v->record + offset,
			       .len = MIN(len, v->len - offset),
			       .elem = elem ? elem : 1,
			       .is_signed = is_signed,
			       .in_memory = true };
}

/* The data that a __data_loc or __rel_loc word refers to. */
static struct value dynamic(struct eval *v, const struct event_member *m)
{
	u32 word = m->offset + 4 <= v->len ? (u32)load(v->record + m->offset, 4, false) : 0;
	u32 from = m->data_loc == 2 ? m->offset + 4 : 0;

	return in_record(v, from + (word & 0xffff), word >> 16, m->elem, m->is_signed);
}

static struct value member(struct eval *v, const struct event_member *m)
{
	if (m->data_loc)
		return dynamic(v, m);
	if (m->is_array || m->size > 8)
		return in_record(v, m->offset, m->size, m->elem, m->is_signed);
	if (m->offset + m->size > v->len)
		return (struct value){ 0 };
	return (struct value){ .n = load(v->record + m->offset, m->size, m->is_signed),
			       .size = m->size,
			       .is_signed = m->is_signed };
}

static s64 number_of(const struct value *x)
{
	return x->in_memory ? (s64)(uintptr_t)x->at : x->n;
}

static struct value number(s64 n)
{
	return (struct value){ .n = n, .size = n == (s32)n ? 4 : 8, .is_signed = true };
}

static struct value made_text(struct eval *v, size_t from)
{
	u32 len = (u32)(v->scratch->len - from);
	const char *s = arena_strndup(v->arena, v->scratch->s ? v->scratch->s + from : "", len);

	v->scratch->len = from;
	return (struct value){ .text = s, .text_len = len };
}

/* ---- operators */

/* Integer promotion (C11 6.3.1.1). */
static void promote(struct value *x)
{
	if (x->in_memory) {
		*x = (struct value){ .n = number_of(x), .size = 8 };
	} else if (x->size < 4) {
		x->size = 4;
		x->is_signed = true;
	}
}

/* Usual arithmetic conversions (C11 6.3.1.8): the larger type, unsigned if that one is. */
static void common_type(struct value *a, struct value *b)
{
	u32 size = MAX(a->size, b->size);
	bool is_signed = (a->size < size || a->is_signed) && (b->size < size || b->is_signed);

	a->n = load((const u8 *)&a->n, size, is_signed);
	b->n = load((const u8 *)&b->n, size, is_signed);
	a->size = b->size = size;
	a->is_signed = b->is_signed = is_signed;
}

static s64 divide(s64 a, s64 b, bool is_signed, bool rest)
{
	if (!b || (is_signed && b == -1 && a == INT64_MIN))
		return 0;
	if (is_signed)
		return rest ? a % b : a / b;
	return (s64)(rest ? (u64)a % (u64)b : (u64)a / (u64)b);
}

static s64 shift_right(s64 a, s64 by, bool is_signed)
{
	return is_signed ? a >> (by & 63) : (s64)((u64)a >> (by & 63));
}

static bool less(s64 a, s64 b, bool is_signed)
{
	return is_signed ? a < b : (u64)a < (u64)b;
}

static s64 binary(u16 op, s64 a, s64 b, bool is_signed)
{
	switch (op) {
	case '+': return (s64)((u64)a + (u64)b);
	case '-': return (s64)((u64)a - (u64)b);
	case '*': return (s64)((u64)a * (u64)b);
	case '/': return divide(a, b, is_signed, false);
	case '%': return divide(a, b, is_signed, true);
	case '&': return a & b;
	case '|': return a | b;
	case '^': return a ^ b;
	case '<': return less(a, b, is_signed);
	case '>': return less(b, a, is_signed);
	case '<' << 8 | '<': return (s64)((u64)a << (b & 63));
	case '>' << 8 | '>': return shift_right(a, b, is_signed);
	case '<' << 8 | '=': return !less(b, a, is_signed);
	case '>' << 8 | '=': return !less(a, b, is_signed);
	case '=' << 8 | '=': return a == b;
	case '!' << 8 | '=': return a != b;
	}
	return 0;
}

static bool is_comparison(u16 op)
{
	return op == '<' || op == '>' || (op & 0xff) == '=';
}

static bool is_shift(u16 op)
{
	return op == ('<' << 8 | '<') || op == ('>' << 8 | '>');
}

static struct value arithmetic(u16 op, struct value a, struct value b)
{
	s64 n;

	promote(&a);
	promote(&b);
	if (!is_shift(op)) /* a shift has the type of its left operand */
		common_type(&a, &b);
	n = binary(op, a.n, b.n, a.is_signed);
	if (is_comparison(op))
		return number(n);
	return (struct value){ .n = load((const u8 *)&n, a.size, a.is_signed),
			       .size = a.size,
			       .is_signed = a.is_signed };
}

static struct value eval_binary(struct eval *v, const struct ex *e)
{
	struct value a = eval(v, e->a), b;
	s64 left = number_of(&a);

	if (e->op == ('&' << 8 | '&') && !left)
		return number(0);
	if (e->op == ('|' << 8 | '|') && left)
		return number(1);
	b = eval(v, e->b);
	if (e->op == ('&' << 8 | '&') || e->op == ('|' << 8 | '|'))
		return number(number_of(&b) != 0);
	if (e->op == '+' && a.in_memory && !b.in_memory) { /* an address in the record */
		u32 skip = (u32)MIN((u64)MAX(b.n, 0), (u64)a.len);

		a.at += skip;
		a.len -= skip;
		return a;
	}
	return arithmetic(e->op, a, b);
}

static struct value eval_index(struct eval *v, const struct ex *e)
{
	struct value a = eval(v, e->a), i = eval(v, e->b);
	u64 at = (u64)i.n * a.elem;

	if (!a.in_memory || i.n < 0 || at + a.elem > a.len)
		return number(0);
	return (struct value){ .n = load(a.at + at, a.elem, a.is_signed),
			       .size = a.elem,
			       .is_signed = a.is_signed };
}

static struct value eval_unary(struct eval *v, const struct ex *e)
{
	struct value a = eval(v, e->a);

	switch (e->op) {
	case '!': return number(!number_of(&a));
	case '~': return arithmetic('^', a, number(-1));
	case '-': return arithmetic('-', number(0), a);
	case '*':
		return a.in_memory && a.len >= a.elem ? number(load(a.at, a.elem, a.is_signed)) : a;
	}
	return a;
}

static struct value eval_cast(struct eval *v, const struct ex *e)
{
	struct value a = eval(v, e->a);

	if (a.text || (a.in_memory && e->size == 8)) /* pointer to pointer */
		return a;
	a.n = number_of(&a);
	a.in_memory = false;
	a.n = load((const u8 *)&a.n, e->size, e->is_signed);
	a.size = e->size;
	a.is_signed = e->is_signed;
	return a;
}

/* ---- the kernel's print functions */

static const struct ex *nth(const struct ex *e, u32 n)
{
	for (; e && n; n--)
		e = e->next;
	return e;
}

static u64 key_of(struct eval *v, const struct ex *pair)
{
	return pair->a ? (u64)eval(v, pair->a).n : 0;
}

static struct value print_symbolic(struct eval *v, const struct ex *e)
{
	struct value x = eval(v, e->a);
	size_t from = v->scratch->len;

	for (const struct ex *p = e->a->next; p; p = p->next)
		if (p->kind == EX_PAIR && p->text && key_of(v, p) == (u64)x.n)
			return (struct value){ .text = p->text, .text_len = (u32)strlen(p->text) };
	buf_printf(v->scratch, "0x%llx", (unsigned long long)load((const u8 *)&x.n, x.size, false));
	return made_text(v, from);
}

static struct value print_flags(struct eval *v, const struct ex *e)
{
	struct value x = eval(v, e->a), delim = e->a->next ? eval(v, e->a->next) : number(0);
	const struct ex *first = nth(e->a, 2);
	size_t from = v->scratch->len;
	u64 left = (u64)load((const u8 *)&x.n, x.size, false);
	const char *between = "";

	for (const struct ex *p = first; p; p = p->next) {
		u64 mask = p->kind == EX_PAIR ? key_of(v, p) : 0;

		if (p->kind != EX_PAIR || !p->text || (mask ? (left & mask) != mask : x.n != 0))
			continue;
		buf_printf(v->scratch, "%s%s", between, p->text);
		between = delim.text ? delim.text : "";
		left &= ~mask;
		if (!left)
			break;
	}
	if (left)
		buf_printf(v->scratch, "%s0x%llx", between, (unsigned long long)left);
	return made_text(v, from);
}

static struct value print_hex(struct eval *v, const struct ex *e, char between)
{
	struct value bytes = eval(v, e->a), n = e->a->next ? eval(v, e->a->next) : number(0);
	size_t from = v->scratch->len;

	if (bytes.in_memory && n.n > 0)
		put_hex_bytes(v->scratch, bytes.at, (u32)MIN((u64)n.n, (u64)bytes.len), between);
	return made_text(v, from);
}

static struct value list_of(struct eval *v, const struct value *a, s64 n, u32 size)
{
	size_t from = v->scratch->len;

	size = size && size <= 8 ? size : 1;
	buf_putc(v->scratch, '{');
	for (s64 i = 0; a->in_memory && i < n && (u64)(i + 1) * size <= a->len; i++)
		buf_printf(v->scratch, "%s0x%llx", i ? "," : "",
			   (unsigned long long)load(a->at + i * size, size, false));
	buf_putc(v->scratch, '}');
	return made_text(v, from);
}

/* __print_array(array, count, element size): "{0x1,0x2}" */
static struct value print_array(struct eval *v, const struct ex *e)
{
	struct value a = eval(v, e->a), n = eval(v, nth(e->a, 1) ? nth(e->a, 1) : e->a);
	const struct ex *size_arg = nth(e->a, 2);

	return list_of(v, &a, n.n, size_arg ? (u32)eval(v, size_arg).n : a.elem);
}

/* __print_dynamic_array(member, element size) */
static struct value print_dynamic(struct eval *v, const struct ex *e)
{
	struct value a = dynamic(v, e->member);

	return list_of(v, &a, a.len, e->a ? (u32)eval(v, e->a).n : a.elem);
}

static struct value bitmask(struct eval *v, const struct event_member *m)
{
	struct value a = dynamic(v, m);
	size_t from = v->scratch->len;

	put_bit_words(v->scratch, a.at, 8 * (a.len & ~3u));
	return made_text(v, from);
}

static struct value cpumask(struct eval *v, const struct event_member *m)
{
	struct value a = dynamic(v, m);
	size_t from = v->scratch->len;

	put_bit_list(v->scratch, a.at, 8 * a.len);
	return made_text(v, from);
}

enum { FAMILY_IP4 = 2, FAMILY_IP6 = 10 };

/* struct sockaddr_in, sockaddr_in6: "1.2.3.4:80", "[::1]:80" */
static void put_sockaddr(struct buf *b, const struct value *a)
{
	u32 family = a->len >= 2 ? (u32)load(a->at, 2, false) : 0;

	if (family == FAMILY_IP4 && a->len >= 8) {
		put_ip4(b, a->at + 4);
		buf_printf(b, ":%u", a->at[2] << 8 | a->at[3]);
	} else if (family == FAMILY_IP6 && a->len >= 24) {
		buf_putc(b, '[');
		put_ip6(b, a->at + 8);
		buf_printf(b, "]:%u", a->at[2] << 8 | a->at[3]);
	}
}

static struct value sockaddr_of(struct eval *v, const struct event_member *m)
{
	struct value a = dynamic(v, m);
	size_t from = v->scratch->len;

	put_sockaddr(v->scratch, &a);
	return made_text(v, from);
}

static struct value swapped(struct eval *v, const struct ex *e, u32 size)
{
	struct value x = eval(v, e->a);
	u64 n = __builtin_bswap64((u64)x.n) >> (64 - 8 * size);

	return (struct value){ .n = (s64)n, .size = size };
}

static struct value jiffies_to_ms(struct eval *v, const struct ex *e)
{
	u64 n = (u64)eval(v, e->a).n;

	return (struct value){ .n = (s64)(n * clock_tick_ns() / 1000000), .size = 4 };
}

static struct value disk_name(struct eval *v, const struct ex *e)
{
	struct value name = eval(v, e->a);
	u32 len = name.in_memory ? (u32)strnlen((const char *)name.at, name.len) : 0;
	size_t from = v->scratch->len;

	if (len)
		buf_printf(v->scratch, "disk=%.*s, ", (int)len, (const char *)name.at);
	return made_text(v, from);
}

static struct value ctrl_id(struct eval *v, const struct ex *e)
{
	u16 id = (u16)eval(v, e->a).n;
	size_t from = v->scratch->len;

	if (id)
		buf_printf(v->scratch, "%u", id);
	else
		buf_putc(v->scratch, '_');
	return made_text(v, from);
}

/* A text for %s, a number for other conversions. */
static struct value unknown_call(struct eval *v, const struct ex *e)
{
	struct value x = eval(v, e->a), text;
	size_t from = v->scratch->len;

	if (x.text)
		return x;
	if (x.in_memory)
		put_hex_bytes(v->scratch, x.at, MIN(x.len, 64u), ' ');
	else
		buf_printf(v->scratch, x.is_signed ? "%lld" : "%llu", (long long)x.n);
	text = made_text(v, from);
	text.n = number_of(&x);
	text.size = x.in_memory ? 8 : x.size;
	return text;
}

static struct value eval_call(struct eval *v, const struct ex *e)
{
	switch (e->call) {
	case EX_GET_STR:
	case EX_GET_ARRAY:
		return e->member->data_loc ? dynamic(v, e->member) : member(v, e->member);
	case EX_GET_LEN: return number(dynamic(v, e->member).len);
	case EX_GET_BITMASK: return bitmask(v, e->member);
	case EX_GET_CPUMASK: return cpumask(v, e->member);
	case EX_GET_SOCKADDR: return sockaddr_of(v, e->member);
	case EX_PRINT_FLAGS: return print_flags(v, e);
	case EX_PRINT_SYMBOLIC: return print_symbolic(v, e);
	case EX_PRINT_HEX: return print_hex(v, e, ' ');
	case EX_PRINT_HEX_STR: return print_hex(v, e, '\0');
	case EX_PRINT_ARRAY: return print_array(v, e);
	case EX_NS_TO_SECS: return number((s64)((u64)eval(v, e->a).n / 1000000000));
	case EX_NS_WITHOUT_SECS: return number((s64)((u64)eval(v, e->a).n % 1000000000));
	case EX_PRINT_DYNAMIC: return print_dynamic(v, e);
	case EX_BSWAP16: return swapped(v, e, 2);
	case EX_BSWAP32: return swapped(v, e, 4);
	case EX_BSWAP64: return swapped(v, e, 8);
	case EX_JIFFIES_TO_MS: return jiffies_to_ms(v, e);
	case EX_DISK_NAME: return disk_name(v, e);
	case EX_CTRL_ID: return ctrl_id(v, e);
	case EX_UNKNOWN: return unknown_call(v, e);
	case EX_SAME: return eval(v, e->a);
	}
	return number(0);
}

static struct value eval(struct eval *v, const struct ex *e)
{
	struct value a;

	switch (e->kind) {
	case EX_NUMBER:
		return (struct value){ .n = e->value, .size = e->size, .is_signed = e->is_signed };
	case EX_STRING: return (struct value){ .text = e->text, .text_len = (u32)strlen(e->text) };
	case EX_MEMBER: return member(v, e->member);
	case EX_INDEX: return eval_index(v, e);
	case EX_UNARY: return eval_unary(v, e);
	case EX_BINARY: return eval_binary(v, e);
	case EX_TERNARY: a = eval(v, e->a); return eval(v, number_of(&a) ? e->b : e->c);
	case EX_CAST: return eval_cast(v, e);
	case EX_CALL: return eval_call(v, e);
	case EX_PAIR: break;
	}
	return number(0);
}

/* ---- the format */

struct conversion {
	char flags[8];
	s32 width, precision; /* -1: none */
	u32 size;             /* bytes of an integer */
	char conv;
	char ext[8]; /* letters after %p */
};

static s32 number_or_star(struct eval *v, const char **p, const struct ex **arg)
{
	s32 n = 0;

	if (**p == '*') {
		++*p;
		if (*arg) {
			n = (s32)eval(v, *arg).n;
			*arg = (*arg)->next;
		}
		return MIN(MAX(n, -1024), 1024);
	}
	for (; **p >= '0' && **p <= '9'; ++*p)
		n = MIN(n * 10 + **p - '0', 1024);
	return n;
}

static void read_conversion(struct eval *v, const char **p, const struct ex **arg,
			    struct conversion *c)
{
	u32 n = 0;

	*c = (struct conversion){ .width = -1, .precision = -1, .size = 4 };
	for (; **p && strchr("-+ #0", **p); ++*p)
		if (n < sizeof c->flags - 1)
			c->flags[n++] = **p;
	if (**p == '*' || (**p >= '1' && **p <= '9'))
		c->width = number_or_star(v, p, arg);
	if (**p == '.') {
		++*p;
		c->precision = number_or_star(v, p, arg);
	}
	for (; **p && strchr("hlLzjtq", **p); ++*p)
		c->size = **p == 'h' ? c->size / 2 : 8;
	c->size = MAX(c->size, 1u);
	c->conv = **p ? *(*p)++ : '\0';
	n = 0;
	while (c->conv == 'p' && ((**p >= 'a' && **p <= 'z') || (**p >= 'A' && **p <= 'Z') ||
				  (n && **p >= '0' && **p <= '9')))
		if (n < sizeof c->ext - 1)
			c->ext[n++] = *(*p)++;
		else
			++*p;
}

static void put_padded(struct eval *v, const struct conversion *c, const char *s, u32 len)
{
	bool left = strchr(c->flags, '-');
	s32 width = MAX(c->width, 0);

	if (c->precision >= 0)
		len = MIN(len, (u32)c->precision);
	if (!left)
		for (s32 i = (s32)len; i < width; i++)
			buf_putc(v->out, ' ');
	buf_add(v->out, s, len);
	if (left)
		for (s32 i = (s32)len; i < width; i++)
			buf_putc(v->out, ' ');
}

/* A string that a pointer refers to is not in the record. The kernel lists the constant strings
 * that it prints by address. */
static void put_pointed_at(struct eval *v, u64 address)
{
	const char *s = v->names && v->names->kstring ? v->names->kstring(v->names->ctx, address) :
							NULL;

	if (s)
		buf_puts(v->out, s);
	else
		buf_printf(v->out, "%llx", (unsigned long long)address);
}

static void put_text(struct eval *v, const struct conversion *c, const struct value *x)
{
	if (x->text)
		put_padded(v, c, x->text, x->text_len);
	else if (x->in_memory)
		put_padded(v, c, (const char *)x->at, (u32)strnlen((const char *)x->at, x->len));
	else
		put_pointed_at(v, (u64)x->n);
}

/* Writes the digits of a magnitude; returns their number. */
static u32 digits_of(char *to, size_t size, char conv, u64 n)
{
	int len = conv == 'x' ? snprintf(to, size, "%llx", (unsigned long long)n) :
		  conv == 'X' ? snprintf(to, size, "%llX", (unsigned long long)n) :
		  conv == 'o' ? snprintf(to, size, "%llo", (unsigned long long)n) :
				snprintf(to, size, "%llu", (unsigned long long)n);

	return (u32)len;
}

static const char *sign_of(const struct conversion *c, bool is_signed, bool negative, u64 n)
{
	if (is_signed)
		return negative              ? "-" :
		       strchr(c->flags, '+') ? "+" :
		       strchr(c->flags, ' ') ? " " :
					       "";
	if (!strchr(c->flags, '#') || !n)
		return "";
	return c->conv == 'x' ? "0x" : c->conv == 'X' ? "0X" : c->conv == 'o' ? "0" : "";
}

static void put_integer(struct eval *v, const struct conversion *c, const struct value *x)
{
	bool is_signed = c->conv == 'd' || c->conv == 'i', left = strchr(c->flags, '-'), negative;
	s64 raw = number_of(x), n = load((const u8 *)&raw, c->size, is_signed);
	struct conversion whole = { .flags = "", .width = c->width, .precision = -1 };
	u64 magnitude = (negative = is_signed && n < 0) ? 0 - (u64)n : (u64)n;
	const char *sign = sign_of(c, is_signed, negative, magnitude);
	char digits[32], text[1100];
	s32 len = (s32)digits_of(digits, sizeof digits, c->conv, magnitude),
	    zeros = MAX(c->precision - len, 0);
	size_t at = 0;

	if (c->precision < 0 && strchr(c->flags, '0') && !left)
		zeros = MAX(c->width - len - (s32)strlen(sign), 0);
	for (; *sign; sign++)
		text[at++] = *sign;
	for (s32 i = 0; i < zeros; i++)
		text[at++] = '0';
	memcpy(text + at, digits, (size_t)len);
	if (left)
		whole.flags[0] = '-';
	put_padded(v, &whole, text, (u32)at + (u32)len);
}

static void put_symbol(struct eval *v, u64 address, bool with_offset)
{
	struct symbol s = { 0 };

	if (!v->names || !v->names->ksym || !v->names->ksym(v->names->ctx, address, &s) ||
	    !s.name) {
		buf_printf(v->out, "0x%llx", (unsigned long long)address);
		return;
	}
	buf_puts(v->out, s.name);
	if (with_offset)
		buf_printf(v->out, "+0x%llx", (unsigned long long)s.offset);
}

static void put_plain_pointer(struct eval *v, const struct conversion *c, u64 address)
{
	char text[24];

	put_padded(v, c, text,
		   (u32)snprintf(text, sizeof text, "0x%llx", (unsigned long long)address));
}

/* %*ph[CDN], %*pb[l]: the width is the number of bytes or bits. */
static void put_memory(struct eval *v, const struct conversion *c, const struct value *x)
{
	static const char letters[] = "CDN", between[] = { ':', '-', '\0', ' ' };
	const char *style = c->ext[1] ? strchr(letters, c->ext[1]) : NULL;
	u32 width = (u32)MAX(c->width, 0);

	if (c->ext[0] == 'h')
		put_hex_bytes(v->out, x->at, MIN(MIN(width, x->len), 64u),
			      between[style ? style - letters : 3]);
	else if (c->ext[1] == 'l')
		put_bit_list(v->out, x->at, MIN(width, 8 * x->len));
	else
		put_bit_words(v->out, x->at, MIN(width, 8 * x->len));
}

static bool is_symbol(const char *ext)
{
	return *ext && strchr("sSfFB", *ext);
}

static void put_pointer(struct eval *v, const struct conversion *c, const struct value *x)
{
	const char *e = c->ext;

	if (is_symbol(e))
		put_symbol(v, (u64)number_of(x), e[0] == 'S' || e[0] == 'F' || e[0] == 'B');
	else if ((e[0] == 'M' || e[0] == 'm') && x->in_memory)
		put_hex_bytes(v->out, x->at, MIN(x->len, 6u),
			      e[0] == 'm' ? '\0' :
			      e[1] == 'F' ? '-' :
					    ':');
	else if (e[0] == 'i' && e[1] == '4' && x->in_memory && x->len >= 4)
		buf_printf(v->out, "%03u.%03u.%03u.%03u", x->at[0], x->at[1], x->at[2], x->at[3]);
	else if (e[0] == 'I' && e[1] == '4' && x->in_memory && x->len >= 4)
		put_ip4(v->out, x->at);
	else if (e[0] == 'I' && e[1] == '6' && e[2] == 'c' && x->in_memory && x->len >= 16)
		put_ip6(v->out, x->at);
	else if ((e[0] == 'I' || e[0] == 'i') && e[1] == '6' && x->in_memory && x->len >= 16)
		put_ip6_whole(v->out, x->at, e[0] == 'I' ? ":" : "");
	else if ((e[0] == 'I' || e[0] == 'i') && e[1] == 'S' && x->in_memory)
		put_sockaddr(v->out, x);
	else if ((e[0] == 'h' || e[0] == 'b') && x->in_memory)
		put_memory(v, c, x);
	else if (e[0] == 'U' && x->in_memory)
		put_uuid(v->out, x->at, x->len, (e[1] | 32) == 'l');
	else if (!number_of(x))
		put_padded(v, c, "(nil)", 5);
	else
		put_plain_pointer(v, c, (u64)x->n);
}

static void put_one(struct eval *v, const struct conversion *c, const struct ex *arg)
{
	struct value x = eval(v, arg);

	switch (c->conv) {
	case 's': put_text(v, c, &x); return;
	case 'p': put_pointer(v, c, &x); return;
	case 'c': buf_putc(v->out, (char)number_of(&x)); return;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o': put_integer(v, c, &x); return;
	}
}

static void apply(struct eval *v, const struct ex_format *f)
{
	const struct ex *arg = f->args;

	for (const char *p = f->text; *p;) {
		struct conversion c;

		if (*p != '%') {
			buf_putc(v->out, *p++);
			continue;
		}
		if (*++p == '%') {
			buf_putc(v->out, *p++);
			continue;
		}
		read_conversion(v, &p, &arg, &c);
		if (!arg)
			continue;
		put_one(v, &c, arg);
		arg = arg->next;
	}
}

/* ---- without a format */

static void put_members(struct eval *v, const struct event_format *f)
{
	const char *between = "";

	for (u32 i = 0; i < f->n_members; i++) {
		const struct event_member *m = &f->members[i];
		struct value x = member(v, m);

		if (m->is_common)
			continue;
		buf_printf(v->out, "%s%s=", between, m->name);
		between = " ";
		if (x.in_memory && m->is_char)
			buf_add(v->out, x.at, strnlen((const char *)x.at, x.len));
		else if (x.in_memory)
			for (u32 at = 0; at + x.elem <= x.len; at += x.elem)
				buf_printf(v->out, "%s0x%llx", at ? "," : "",
					   (unsigned long long)load(x.at + at, x.elem, false));
		else
			buf_printf(v->out, m->is_signed ? "%lld" : "%llu", (long long)x.n);
	}
}

static const struct ex_format not_understood;

static void understand(struct arena *a, const struct names *names, struct event_format *f)
{
	if (!f->parsed)
		f->parsed = ex_parse(a, f, names);
	if (!f->parsed)
		f->parsed = (void *)(uintptr_t)&not_understood;
}

void event_prepare(struct arena *a, const struct names *names, struct event_format *f)
{
	if (f->parsed)
		return;
	event_set_constants(a, f, names);
	understand(a, names, f);
}

/* The member that the value is. */
static const struct event_member *member_of(const struct ex *x)
{
	while (x->kind == EX_CAST || (x->kind == EX_UNARY && x->op == '+'))
		x = x->a;
	return x->kind == EX_MEMBER ? x->member : NULL;
}

u32 event_symbols(struct arena *a, const struct names *names, struct event_format *f,
		  const struct event_member **members, u32 most)
{
	const struct ex_format *of;
	const struct ex *arg;
	u32 n = 0;

	understand(a, names, f);
	of = f->parsed;
	arg = of->args;
	for (const char *p = of->text ? of->text : ""; *p && arg && n < most;) {
		const struct event_member *m;

		if (*p++ != '%')
			continue;
		if (*p == '%') {
			p++;
			continue;
		}
		p += strspn(p, "0123456789.-+ #");
		m = p[0] == 'p' && is_symbol(p + 1) ? member_of(arg) : NULL;
		if (m && m->size == sizeof(u64))
			members[n++] = m;
		for (; *p == '*'; p++) /* of a width */
			arg = arg ? arg->next : NULL;
		arg = arg ? arg->next : NULL;
	}
	return n;
}

void event_text(struct buf *b, struct arena *a, const struct names *names, struct event_format *f,
		const void *record, u32 len)
{
	struct buf scratch = { 0 };
	struct arena texts;
	struct eval v = { .out = b,
			  .scratch = &scratch,
			  .arena = &texts,
			  .names = names,
			  .record = record,
			  .len = len };

	understand(a, names, f);
	arena_init(&texts);
	if (f->parsed == &not_understood)
		put_members(&v, f);
	else
		apply(&v, f->parsed);
	arena_release(&texts);
	buf_release(&scratch);
}
