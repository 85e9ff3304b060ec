/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values as text. Input: a type and the bytes of a value, in a record or a map. Output: the format
 * of print() and %s. The bytes after the NUL of a string are garbage, lengths of buffers are not
 * trusted, and nothing beyond type->size is read.
 *
 *	int -5   bool true   pointer 0xffff8881   string abc   buffer a\x00b   array [1,2,3]
 *	tuple (1, abc)   struct { .a = 1, .b = 2 }   enum SYMBOL   void null
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/visible.h"
#include "trace/call_text.h"
#include "trace/event_text.h"
#include "trace/table.h"
#include "trace/value.h"
#include "type/agg.h"

/* Constant for a value and its members. */
struct show {
	struct buf *b;
	const struct names *names;
	s64 div;        /* of all integers */
	bool in_struct; /* in a C struct: char arrays may have no NUL and are not truncated */
};

static void show(struct show s, const struct type *t, const void *p);

/* ---- numbers */

s64 value_div(const struct type *t, s64 v, s64 div)
{
	if (div == 0 || div == 1)
		return v;
	if (!t->is_signed)
		return (s64)((u64)v / (u64)div);
	return div == -1 ? (s64) - (u64)v : v / div; /* the smallest number has no negative */
}

static void put_number(struct buf *b, bool is_signed, s64 v)
{
	if (is_signed)
		buf_s64(b, v);
	else
		buf_u64(b, (u64)v);
}

static void put_address(struct buf *b, u64 v)
{
	buf_add(b, "0x", 2);
	buf_hex(b, v);
}

double value_double(const struct type *t, const void *p)
{
	float f = 0;
	double d = 0;

	if (t->size == sizeof f) {
		memcpy(&f, p, sizeof f);
		return (double)f;
	}
	memcpy(&d, p, MIN(t->size, (u32)sizeof d));
	return d;
}

void value_float(struct buf *b, const struct type *t, const void *p)
{
	double v = value_double(t, p);
	int most = t->size == sizeof(float) ? 9 : 17;
	char text[40];

	for (int digits = 6; digits <= most; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		double back = strtod(text, NULL);

		if (t->size == sizeof(float) ? (float)back == (float)v : back == v)
			break;
	}
	buf_puts(b, text);
}

/* Escapes the foreign text in b after `start`. */
static void foreign_since(struct buf *b, const struct names *names, size_t start)
{
	if (names && names->visible)
		buf_visible(b, start, VISIBLE_NAME);
}

void put_foreign(struct buf *b, const struct names *names, const char *text, size_t len)
{
	size_t start = b->len;

	buf_add(b, text, len);
	foreign_since(b, names, start);
}

void put_foreignz(struct buf *b, const struct names *names, const char *text)
{
	put_foreign(b, names, text, strlen(text));
}

/* The enumerator's name, or NULL. */
static const char *value_enum_name(const struct type *t, s64 value)
{
	for (u32 i = 0; i < t->n_enums; i++)
		if (t->enums[i].value == value)
			return t->enums[i].name;
	return NULL;
}

/* O_WRONLY|O_CREAT|0x40000000: bits without a name follow as a number. */
static void put_flags(struct buf *b, const struct names *names, const struct type *t, u32 v)
{
	size_t start = b->len;
	u32 rest = v;

	for (u32 i = 0; i < t->n_enums; i++) {
		u32 value = (u32)t->enums[i].value, mask = (u32)((u64)t->enums[i].value >> 32);

		if (!mask || (v & mask) != value || (value && (rest & value) != value))
			continue;
		buf_puts(b, b->len > start ? "|" : "");
		put_foreignz(b, names, t->enums[i].name);
		rest &= ~mask;
	}
	if (rest || b->len == start) {
		buf_puts(b, b->len > start ? "|" : "");
		if (rest)
			put_address(b, rest);
		else
			buf_putc(b, '0');
	}
}

static void put_enum(struct buf *b, const struct names *names, const struct type *t, const void *p)
{
	s64 v = value_int(t, p);
	const char *name = t->is_flags ? NULL : value_enum_name(t, v);

	if (t->is_flags)
		put_flags(b, names, t, (u32)v);
	else if (name)
		put_foreignz(b, names, name);
	else
		put_number(b, t->is_signed, v);
}

s64 value_bitfield(const struct field *f, const void *base)
{
	const u8 *p = (const u8 *)base + f->offset;
	u32 n_bits = MIN(f->bit_size, 64), last = f->bit_offset + n_bits;
	unsigned __int128 raw = 0;
	u64 v;

	for (u32 i = 0; i * 8 < last; i++)
		raw |= (unsigned __int128)p[i] << i * 8;
	v = (u64)(raw >> f->bit_offset);
	if (n_bits == 64)
		return (s64)v;
	v &= (1ull << n_bits) - 1;
	if (f->type->is_signed && v >> (n_bits - 1))
		v |= ~0ull << n_bits;
	return (s64)v;
}

bool value_has_field(const struct field *f, const void *base)
{
	const struct presence *when = f->when;
	u64 tag;
	u32 i = 0;

	if (f->is_tag || f->virtual_at)
		return false;
	if (!when)
		return true;
	tag = (u64)value_int(type_int(when->tag->type->size, false),
			     (const u8 *)base + when->tag->offset);
	while (i < when->n && (tag < when->range[i].first || tag > when->range[i].last))
		i++;
	return (i < when->n) != when->otherwise;
}

/* ---- bytes */

u32 value_strlen(const struct type *t, const void *p)
{
	return (u32)strnlen(p, t->count);
}

const char *value_str_trailer(const struct names *names, const struct type *t, u32 len)
{
	u32 max = names ? names->max_strlen : 0;
	bool full = t->count && !t->is_whole &&
		    (len >= t->count ||
		     (len + 1 == t->count && max && (t->count == max || t->count == max + 1)));

	return full && names && names->trunc_trailer ? names->trunc_trailer : "";
}

static void put_string(const struct show *s, const struct type *t, const void *p)
{
	u32 len = value_strlen(t, p);

	put_foreign(s->b, s->names, p, len);
	if (!s->in_struct)
		buf_puts(s->b, value_str_trailer(s->names, t, len));
}

static void put_hex_byte(struct buf *b, u8 c)
{
	static const char digit[] = "0123456789abcdef";

	buf_add(b, (char[]){ digit[c >> 4], digit[c & 15] }, 2);
}

void bytes_text(struct buf *b, const u8 *bytes, u32 len)
{
	for (u32 i = 0; i < len; i++) {
		if (bytes[i] >= ' ' && bytes[i] <= '~')
			buf_putc(b, (char)bytes[i]);
		else
			bytes_escaped(b, bytes + i, 1);
	}
}

void bytes_escaped(struct buf *b, const u8 *bytes, u32 len)
{
	for (u32 i = 0; i < len; i++) {
		buf_add(b, "\\x", 2);
		put_hex_byte(b, bytes[i]);
	}
}

void bytes_hex(struct buf *b, const u8 *bytes, u32 len)
{
	for (u32 i = 0; i < len; i++) {
		if (i)
			buf_putc(b, ' ');
		put_hex_byte(b, bytes[i]);
	}
}

u32 value_bytes(const struct type *t, const void *p, const u8 **bytes)
{
	u32 len;

	memcpy(&len, p, sizeof len);
	*bytes = (const u8 *)p + sizeof len;
	return MIN(len, t->count);
}

/* ---- names */

/* "192.0.2.1", "2001:db8::1": a TY_INET value. */
static void value_inet(struct buf *b, const void *p)
{
	char text[INET6_ADDRSTRLEN];
	u32 family;

	memcpy(&family, p, sizeof family);
	if (inet_ntop((int)family, (const char *)p + sizeof family, text, sizeof text))
		buf_puts(b, text);
}

static void put_macaddr(struct buf *b, const u8 *p)
{
	static const char digit[] = "0123456789ABCDEF";

	for (u32 i = 0; i < 6; i++) {
		if (i)
			buf_putc(b, ':');
		buf_add(b, (char[]){ digit[p[i] >> 4], digit[p[i] & 15] }, 2);
	}
}

static void put_username(struct buf *b, const struct names *names, u32 uid)
{
	const char *name = names && names->user ? names->user(names->ctx, uid) : NULL;

	if (name)
		put_foreignz(b, names, name);
	else
		buf_u64(b, uid);
}

static void put_cgroup(struct buf *b, const struct names *names, u64 id, const char *filter)
{
	const char *path = names && names->cgroup ? names->cgroup(names->ctx, id, filter) : NULL;

	if (path)
		put_foreignz(b, names, path);
	else
		buf_u64(b, id);
}

const char *site_text(const struct program *prog, bool is_func, u64 site)
{
	const struct site_name *s = prog && site < prog->sites.n ? &prog->sites.v[site] : NULL;

	return !s ? NULL : is_func && s->func ? s->func : s->probe;
}

static void put_probe(struct buf *b, const struct names *names, bool is_func, u64 site)
{
	const char *text = site_text(names ? names->prog : NULL, is_func, site);

	if (text)
		put_foreignz(b, names, text);
	else
		buf_u64(b, site);
}

static void put_timestamp(struct buf *b, const struct names *names, const void *p)
{
	const struct program *prog = names ? names->prog : NULL;
	const char *fmt = NULL;
	struct timestamp_value ts;

	memcpy(&ts, p, sizeof ts);
	if (prog && ts.format < prog->strings.n)
		fmt = prog->strings.v[ts.format];
	time_text(b, fmt ? fmt : "%Y-%m-%dT%H:%M:%S.%k",
		  names && names->wall_ns ? names->wall_ns(names->ctx, &ts) : ts.ns);
}

/* pid: of a user symbol, or 0. */
static void put_symbol(struct buf *b, const struct names *names, bool user, u64 address, u32 pid)
{
	if (address & SYM_OF_SITE && address >> 63 == 0)
		put_probe(b, names, true, address & ~SYM_OF_SITE);
	else if (!address)
		buf_putc(b, '0'); /* as bpftrace */
	else
		symbol_name(b, names, user, (struct process_at){ pid, 0 }, address);
}

static void put_usym(struct buf *b, const struct names *names, const void *p)
{
	struct usym_value v;

	memcpy(&v, p, sizeof v);
	put_symbol(b, names, true, v.addr, v.pid);
}

/* ---- aggregations inside other values; outputs print whole ones */

static void put_stats(const struct show *s, const struct type *t, const void *p)
{
	struct agg_avg a;

	memcpy(&a, p, sizeof a);
	buf_puts(s->b, "{ .count = ");
	buf_u64(s->b, a.count);
	buf_puts(s->b, ", .average = ");
	put_number(s->b, t->is_signed, value_div(t, table_number(t, p), s->div));
	buf_puts(s->b, ", .total = ");
	put_number(s->b, t->is_signed, a.total);
	buf_puts(s->b, " }");
}

static void put_samples(const struct show *s, const struct type *t, const void *p)
{
	static const struct {
		const char *name;
		u32 pct;
	} shown[] = { { "min", 0 },
		      { "p50", 50000 },
		      { "p90", 90000 },
		      { "p99", 99000 },
		      { "max", 100000 } };

	buf_puts(s->b, "{ .count = ");
	buf_u64(s->b, (u64)table_number(t, p));
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		s64 v;

		if (!table_percentile(t, p, shown[i].pct, &v))
			break;
		buf_puts(s->b, ", .");
		buf_puts(s->b, shown[i].name);
		buf_puts(s->b, " = ");
		put_number(s->b, t->is_signed, value_div(t, v, s->div));
	}
	buf_puts(s->b, " }");
}

/* ---- composite values */

static void put_array(struct show s, const struct type *t, const char *p)
{
	buf_putc(s.b, '[');
	for (u32 i = 0, n = type_array_count(t, p); i < n; i++) {
		if (i)
			buf_putc(s.b, ',');
		show(s, t->elem, p + (size_t)i * t->elem->size);
	}
	buf_putc(s.b, ']');
}

static void put_tuple(struct show s, const struct type *t, const char *p)
{
	buf_putc(s.b, '(');
	for (u32 i = 0; i < t->n_fields; i++) {
		if (i)
			buf_add(s.b, ", ", 2);
		show(s, t->fields[i].type, p + t->fields[i].offset);
	}
	buf_putc(s.b, ')');
}

static void put_event(struct buf *b, const struct names *names, const struct type *t, const char *p)
{
	size_t start = b->len;

	if (names && names->prog)
		event_text(b, names->prog->arena, names, t->origin, p, t->size);
	foreign_since(b, names, start);
}

static void put_field(struct show s, const struct field *f, const char *p)
{
	if (f->bit_size) {
		put_number(s.b, f->type->is_signed,
			   value_div(f->type, value_bitfield(f, p), s.div));
	} else if (f->data_loc) { /* the data was not copied: print its location */
		put_address(s.b, (u64)value_int(type_int(4, false), p + f->offset));
	} else {
		show(s, f->type, p + f->offset);
	}
}

static bool is_anonymous(const struct field *f)
{
	return !f->name || !*f->name;
}

/* Members of anonymous members belong to the enclosing struct. Returns the separator for the
 * next member. */
static const char *put_fields(struct show s, const struct type *t, const char *p,
			      const char *between)
{
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];

		if (!value_has_field(f, p))
			continue;
		if (is_anonymous(f) && f->type->kind == TY_STRUCT) {
			between = put_fields(s, type_complete(f->type), p + f->offset, between);
			continue;
		}
		if (is_anonymous(f)) /* padding bits */
			continue;
		buf_puts(s.b, between);
		buf_putc(s.b, '.');
		put_foreignz(s.b, s.names, f->name);
		buf_puts(s.b, " = ");
		put_field(s, f, p);
		between = ", ";
	}
	return between;
}

static void put_struct(struct show s, const struct type *t, const char *p)
{
	s.in_struct = t->kind == TY_STRUCT;
	t = type_complete(t);

	const char *between = put_fields(s, t, p, "{ ");

	buf_puts(s.b, *between == '{' ? "{}" : " }");
}

static void put_int(const struct show *s, const struct type *t, const void *p)
{
	s64 v = value_int(t, p);
	char octal[32];

	if (t->base == 16) {
		put_address(s->b, (u64)v);
	} else if (t->base == 8) {
		snprintf(octal, sizeof octal, "%#llo", (unsigned long long)v);
		buf_puts(s->b, octal);
	} else {
		put_number(s->b, t->is_signed, value_div(t, v, s->div));
	}
}

static void put_call(const struct show *s, const struct type *t, const void *p)
{
	size_t start = s->b->len;

	call_text(s->b, s->names, p, t->size);
	foreign_since(s->b, s->names, start);
}

static void show(struct show s, const struct type *t, const void *p)
{
	switch (t->kind) {
	case TY_BOOL: buf_puts(s.b, value_int(t, p) ? "true" : "false"); return;
	case TY_INT: put_int(&s, t, p); return;
	case TY_COUNT:
	case TY_SUM:
	case TY_MIN:
	case TY_MAX:
	case TY_AVG: put_number(s.b, t->is_signed, value_div(t, table_number(t, p), s.div)); return;
	case TY_FLOAT: value_float(s.b, t, p); return;
	case TY_ENUM: put_enum(s.b, s.names, t, p); return;
	case TY_STRING: put_string(&s, t, p); return;
	case TY_BUFFER: {
		const u8 *bytes;
		u32 len = value_bytes(t, p, &bytes);

		bytes_text(s.b, bytes, len);
		return;
	}
	case TY_INET: value_inet(s.b, p); return;
	case TY_POINTER: put_address(s.b, (u64)value_int(t, p)); return;
	case TY_ARRAY: put_array(s, t, p); return;
	case TY_TUPLE: put_tuple(s, t, p); return;
	case TY_STRUCT:
	case TY_RECORD: put_struct(s, t, p); return;
	case TY_CALL: put_call(&s, t, p); return;
	case TY_STATS: put_stats(&s, t, p); return;
	case TY_SAMPLES: put_samples(&s, t, p); return;
	case TY_KSTACK:
	case TY_USTACK:
	case TY_FULLSTACK: stack_text(s.b, s.names, t, p); return;
	case TY_KSYM: put_symbol(s.b, s.names, false, (u64)value_int(t, p), 0); return;
	case TY_USYM: put_usym(s.b, s.names, p); return;
	case TY_USERNAME: put_username(s.b, s.names, (u32)value_int(t, p)); return;
	case TY_TIMESTAMP: put_timestamp(s.b, s.names, p); return;
	case TY_MACADDR: put_macaddr(s.b, p); return;
	case TY_EVENT: put_event(s.b, s.names, t, p); return;
	case TY_CGROUP_PATH: put_cgroup(s.b, s.names, (u64)value_int(t, p), t->name); return;
	case TY_PROBE: put_probe(s.b, s.names, t->is_func, (u64)value_int(t, p)); return;
	case TY_ERROR:
	case TY_UNKNOWN:
	case TY_VOID:
	case TY_FUNC:
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST:
	case TY_TSERIES:
	case TY_STACK_MODE:
	case TY_TIMESTAMP_MODE:
	case TY_MAP:
	case N_TYPE_KINDS: buf_puts(s.b, "null"); return;
	}
}

void value_text(struct buf *b, const struct names *names, const struct type *t, const void *p)
{
	show((struct show){ .b = b, .names = names }, t, p);
}

void value_text_div(struct buf *b, const struct names *names, const struct type *t, const void *p,
		    s64 div)
{
	show((struct show){ .b = b, .names = names, .div = div }, t, p);
}
