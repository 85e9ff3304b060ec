/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and memory in a value of argstr: the pieces of type/call.h by their addresses, and the
 * lengths and cases that views depend on. */
#include "trace/call_memory.h"
#include "trace/call_style.h"
#include "trace/call_number.h"

u64 call_arg_of(const struct shown *s, u32 i)
{
	return i < s->n_args ? word_at(s->value + CALL_AT_ARGS + 8 * i, 8) : 0;
}

/* A piece of len bytes from an address on. */
static void consider(struct bytes *found, u64 address, u32 wanted, u64 from, u32 len, const u8 *p)
{
	u32 skip = (u32)(address - from);

	if (address < from || address - from >= len)
		return;
	if (found->p &&
	    (found->out ? len - skip < MIN(wanted, found->n) : found->n >= MIN(wanted, len - skip)))
		return;
	found->p = p + skip;
	found->n = len - skip;
}

/* What the entry had is not what the call has left. */
static void consider_more(const struct shown *s, struct bytes *found, u64 address, u32 wanted)
{
	const struct call_more *more = s->more;

	for (u32 i = 0; more && i < more->n; i++)
		if (!found->out || more->v[i].out)
			consider(found, address, wanted, more->v[i].address, more->v[i].len,
				 (const u8 *)more->bytes.s + more->v[i].at);
}

struct bytes call_memory(const struct shown *s, u64 address, u32 wanted, bool out)
{
	const u64 mask = (1ull << CALL_PIECE_SHIFT) - 1;
	struct bytes found = { .out = out };

	for (u32 at = CALL_AT_ARGS + 8 * s->n_args; at + CALL_PIECE_HEAD <= s->used;) {
		u64 head = word_at(s->value + at, 8);
		u32 len = (u32)(head >> CALL_PIECE_SHIFT);
		const u8 *p = s->value + at + CALL_PIECE_HEAD;

		if (len > s->used - at - CALL_PIECE_HEAD)
			break;
		at += CALL_PIECE_HEAD + ALIGN_UP(len, 8u);
		consider(&found, address & mask, wanted, head & mask, len, p);
	}
	consider_more(s, &found, address, wanted);
	return found;
}

struct bytes call_string(const struct shown *s, u64 address, bool out)
{
	struct bytes m = call_memory(s, address, 1, out), more;

	if (!m.p)
		return m;
	/* a string that argstr has cut ends with NUL, too: a longer piece has more of it */
	more = call_memory(s, address, MAX(m.n, s->most) + 1, out);
	return more.n > m.n || !memchr(m.p, '\0', m.n) ? more : m;
}

/* A call that sets the length may set it to more than there was room for. */
static s64 len_of_pointee(const struct shown *s, u64 address, bool out)
{
	struct bytes is = call_memory(s, address, 4, out), was = call_memory(s, address, 4, false);
	s64 n = is.n >= 4 ? (s64)word_at(is.p, 4) : -1;

	return out && was.n >= 4 ? MIN(n, (s64)word_at(was.p, 4)) : n;
}

/* An int may be negative. */
static s64 len_of_argument(const struct shown *s, u32 i)
{
	const struct call_view *v = i < s->f->n ? &s->f->arg[i].view : NULL;
	u64 n = call_arg_of(s, i);

	return v && v->is_signed && v->size == 4 ? (s32)n : (s64)n;
}

s64 call_len_of(const struct shown *s, struct call_len len, struct bytes at)
{
	s64 n;

	switch (len.kind) {
	case LEN_NONE: return -1;
	case LEN_CONST: return len.value;
	case LEN_ARG: return len_of_argument(s, len.value);
	case LEN_BITS:
		return (s64)call_arg_of(s, len.value) < 0 ?
			       -1 :
			       (s64)(call_arg_of(s, len.value) + 63) / 64;
	case LEN_NODES:
		n = (s64)call_arg_of(s, len.value);
		return n < 0 || n == 1 ? -1 : n ? (n - 2) / 64 + 1 : 0;
	case LEN_PAGES: return (s64)(call_arg_of(s, len.value) + 4095) / 4096;
	case LEN_RESULT: return s->returned ? s->result : -1;
	case LEN_POINTEE:
		n = len_of_pointee(s, call_arg_of(s, len.value), at.out);
		return !len.size || n < 0 ? n : n ? MAX(n, (s64)4) : len.size;
	case LEN_MEMBER:
		return at.base && len.value + len.size <= at.n_base ?
			       (s64)word_at(at.base + len.value, len.size) :
			       -1;
	}
	return -1;
}

u32 call_size_of(const struct call_view *v)
{
	switch ((enum view_kind)v->kind) {
	case VIEW_STRUCT:
	case VIEW_MEMBERS: return v->st->size;
	case VIEW_ARRAY: return v->len.kind == LEN_CONST ? v->len.value * call_size_of(v->of) : 0;
	case VIEW_CHARS:
	case VIEW_HARDWARE:
	case VIEW_BYTES: return v->count;
	case VIEW_DATED: return 16;
	case VIEW_CHOICE:
	case VIEW_NET_ADDRESS:
	case VIEW_PATH: return 0;
	default: return v->size;
	}
}

const struct call_view *call_chosen(const struct shown *s, const struct call_choice *c,
				    const u8 *base, u32 n_base)
{
	static const struct call_view hidden = { .kind = VIEW_HIDDEN };
	const struct call_view *v = n_base < c->rest_least ? &hidden : &c->rest;
	u64 value = 0;
	bool known = true;

	if (!c->by_member)
		value = call_arg_of(s, c->where);
	else if (base && c->where + c->size <= n_base)
		value = word_at(base + c->where, c->size);
	else
		known = false;
	for (u32 i = 0; i < c->n && known; i++)
		if (((u32)value & c->mask) == ((u32)c->v[i].value & c->mask) &&
		    n_base >= c->v[i].least) {
			v = &c->v[i].view;
			break;
		}
	return v->kind == VIEW_CHOICE ? call_chosen(s, v->choice, base, n_base) : v;
}
