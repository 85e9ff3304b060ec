/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views of the arguments of system calls as text. Input: a view (type/call.h) and the bytes there.
 * Output: the spelling of strace 6.1, as its manual page and its output show it.
 *
 *	O_RDONLY|O_CLOEXEC
 *	{st_mode=S_IFREG|0644, st_size=3, ...}
 */
#include <sys/socket.h>
#include "base/visible.h"
#include "trace/call_filter.h"
#include "trace/call_memory.h"
#include "trace/call_number.h"
#include "trace/call_quote.h"
#include "trace/call_scalar.h"
#include "trace/call_show.h"
#include "trace/call_words.h"

enum { PAGE = 4096, MOST_DEPTH = 12, MOST_FDS = 1024, AT_CWD = -100 };

/* ---- text */

/* An argument that is a descriptor always. */
static bool is_arg(const struct shown *s, const u8 *p)
{
	const u8 *args = s->value + CALL_AT_ARGS;
	u32 i = (u32)(p - args) / 8;

	return p >= args && i < s->n_args &&
	       (s->f->arg[i].view.kind == VIEW_FD || s->f->arg[i].view.kind == VIEW_AT);
}

static void put_fd(const struct shown *s, const u8 *p, s32 fd)
{
	buf_s64(s->b, fd);
	if (fd >= 0 && !s->plain_fds)
		put_file(s->b, s->names, fd, is_arg(s, p));
}

static void put_at(const struct shown *s, const u8 *p, s32 fd)
{
	size_t start = s->b->len;

	if (fd == AT_CWD) {
		buf_puts(s->b, "AT_FDCWD");
		call_restyle(s->b, s->style, start, CALL_AS_SIGNED, (u64)AT_CWD);
	} else {
		buf_s64(s->b, fd);
	}
	put_file(s->b, s->names, fd, is_arg(s, p));
}

/* As text: n bytes of which the first are known. */
static void put_text(const struct shown *s, const u8 *p, u32 known, u64 n, bool is_text)
{
	u32 shown = (u32)MIN(MIN((u64)known, n), (u64)s->most);

	if (is_text && shown && !p[shown - 1]) /* the end of a string is not shown */
		n = --shown;
	put_quoted(s->b, p, shown, s->hex);
	if (n > shown)
		buf_puts(s->b, "...");
}

void call_put_data(const struct shown *s, const u8 *p, u32 known, u64 n)
{
	put_text(s, p, known, n, false);
}

static void put_hex_bytes(struct buf *b, const u8 *p, u32 shown, u64 n)
{
	buf_putc(b, '"');
	for (u32 i = 0; i < shown; i++)
		buf_printf(b, "\\x%02x", p[i]);
	buf_puts(b, n > shown ? "\"..." : "\"");
}

/* Up to the NUL, which is among the bytes unless the text was cut. */
void call_put_hex(const struct shown *s, const u8 *p, u32 known, u64 n)
{
	put_hex_bytes(s->b, p, (u32)MIN(MIN((u64)known, n), (u64)s->most), n);
}

static void put_string(const struct shown *s, const struct call_view *v, struct bytes at)
{
	u32 len = (u32)strnlen((const char *)at.p, at.n), most = len;
	bool cut = len + 1 >= at.n && v->kind == VIEW_FILE_NAME && s->most_name &&
		   at.n >= s->most_name;

	if (v->kind == VIEW_STRING)
		most = MIN(len, s->most);
	put_quoted(s->b, at.p, most, s->hex);
	if (cut || most < len)
		buf_puts(s->b, "...");
}

static void put_chars(const struct shown *s, struct bytes at, u32 n)
{
	put_quoted(s->b, at.p, (u32)strnlen((const char *)at.p, MIN(n, at.n)), s->hex);
}

static void put_cut_chars(const struct shown *s, struct bytes at, u32 n)
{
	put_chars(s, at, n);
	if (at.n >= n && strnlen((const char *)at.p, n) == n)
		buf_puts(s->b, "...");
}

/* sun_path: "/tmp/x", @"abstract" */
static void put_path(const struct shown *s, struct bytes at, u32 most)
{
	at.n = most ? MIN(at.n, most) : at.n;
	if (at.n && !at.p[0]) {
		buf_putc(s->b, '@');
		put_quoted(s->b, at.p + 1, at.n - 1, s->hex);
	} else {
		put_chars(s, at, at.n);
	}
}

/* ---- structures, arrays */

/* The name may be within what is shown. */
static bool names_itself(const struct call_view *v)
{
	return v->kind == VIEW_NET_ADDRESS || v->kind == VIEW_INET || v->kind == VIEW_INET6;
}

static u32 family_of(const struct shown *s, const struct call_view *v, struct bytes at)
{
	if (v->kind == VIEW_INET || v->kind == VIEW_INET6)
		return v->kind == VIEW_INET ? AF_INET : AF_INET6;
	return v->len.kind == LEN_MEMBER ? (u32)call_len_of(s, v->len, at) : s->net_family;
}

static void show_net_address(struct shown *s, const struct call_field *f, struct bytes at)
{
	u32 family = family_of(s, &f->view, at);

	if (f->view.size)
		at.n = MIN(at.n, (u32)f->view.size);
	call_put_net_address(s, family, f->name, at);
}

bool call_show_members(struct shown *s, const struct call_struct *st, struct bytes at)
{
	bool some = false;

	for (u32 i = 0; i < st->n; i++) {
		const struct call_field *f = &st->v[i];
		const struct call_view *v = &f->view;
		struct bytes m = { .base = at.p, .n_base = at.n, .out = at.out };
		size_t before = s->b->len, named;

		if (v->kind == VIEW_CHOICE)
			v = call_chosen(s, v->choice, at.p, at.n);
		if (v->kind == VIEW_HIDDEN)
			continue;
		if (st->is_cut && f->offset < at.n && f->offset + call_size_of(v) > at.n) {
			buf_printf(s->b, "%s%s=", some ? ", " : "", f->name);
			put_hex_bytes(s->b, at.p + f->offset, at.n - f->offset, at.n - f->offset);
			return true;
		}
		if (f->offset >= at.n ||
		    (f->offset + call_size_of(v) > at.n && (v->kind != VIEW_STRUCT || !at.whole)))
			break;
		m.p = at.p + f->offset;
		m.n = at.n - f->offset;
		m.was = at.was ? at.was + f->offset : NULL;
		buf_puts(s->b, some ? (st->between ? st->between : ", ") : "");
		if (*f->name && !names_itself(v))
			buf_printf(s->b, "%s=", f->name);
		named = s->b->len;
		if (names_itself(v))
			show_net_address(s, f, m);
		else
			call_show(s, v, m);
		if (s->b->len == named)
			s->b->len = before;
		else
			some = true;
	}
	return some;
}

/* " => {pidfd=[3]}": what the call has changed. */
static void show_after(struct shown *s, const struct call_struct *st, struct bytes at)
{
	size_t start = s->b->len;

	if (!s->returned || s->result < 0)
		return;
	at.out = true;
	buf_puts(s->b, " => {");
	if (call_show_members(s, st, at))
		buf_puts(s->b, st->has_more ? ", ...}" : "}");
	else
		s->b->len = start;
}

/* Bytes that the call passes after the members: zeros are not shown; ???: unreadable. */
static void show_tail(struct shown *s, u32 size, struct bytes at)
{
	u64 n = MIN(at.whole, (u64)size + SNAPSHOT_TAIL);
	u32 zeros = size;

	while (zeros < at.n && !at.p[zeros])
		zeros++;
	if (at.n < n) {
		buf_puts(s->b, ", ???");
	} else if (zeros < at.n) {
		buf_printf(s->b, ", /* bytes %u..%u */ ", size, (u32)(at.whole - 1));
		put_hex_bytes(s->b, at.p + size, at.n - size, at.whole - size);
	}
}

/* Bytes that the structure of this kernel does not have are shown only if one is not zero. */
static void show_extra(struct shown *s, u32 size, struct bytes at)
{
	u32 zeros = size;

	while (zeros < at.n && !at.p[zeros])
		zeros++;
	if (zeros >= at.n)
		return;
	if (!s->style || !s->style->whole) {
		buf_puts(s->b, ", ...");
		return;
	}
	buf_puts(s->b, ", extra_data=");
	put_hex_bytes(s->b, at.p + size, at.n - size, at.whole - size);
	buf_printf(s->b, " /* bytes %u..%u */", size, (u32)(at.whole - 1));
}

static void show_struct(struct shown *s, const struct call_struct *st, struct bytes at)
{
	if (s->returned && s->result < 0 && st->failed)
		st = st->failed;
	if (s->style && s->style->whole && st->full)
		st = st->full;
	buf_putc(s->b, '{');
	if (call_show_members(s, st, at) && st->has_more)
		buf_puts(s->b, ", ...");
	if (st->tail_is_extra && at.whole > st->size)
		show_extra(s, st->size, at);
	else if (st->tail_is_more && at.whole > st->size)
		buf_puts(s->b, ", ...");
	else if (st->has_tail && at.whole > st->size)
		show_tail(s, st->size, at);
	buf_putc(s->b, '}');
	if (st->after)
		show_after(s, st->after, at);
}

static u32 most_elements(const struct shown *s)
{
	return s->dump || (s->style && s->style->whole) ? UINT32_MAX : s->most;
}

/* Whether memory ended: the next element would reach into the next page. */
static bool ends_page(u64 address, u32 known, u32 size)
{
	u64 next = address + known;

	return address && (next % PAGE == 0 || next / PAGE != (next + size - 1) / PAGE);
}

/* [VINTR]= */
static void put_index(const struct shown *s, struct call_set *names, u32 i)
{
	if (!names)
		return;
	buf_putc(s->b, '[');
	put_name_word(s->b, names, i, true);
	buf_puts(s->b, "]=");
}

static void show_array(struct shown *s, const struct call_view *v, struct bytes at, s64 n)
{
	u32 size = MAX(call_size_of(v->of), 1u), known = at.n / size;

	if (n < 0)
		n = known;
	s->n_dumped = 0;
	buf_putc(s->b, '[');
	for (u32 i = 0, shown = 0; i < n; i++) {
		struct bytes one = { .p = at.p + (size_t)i * size, .n = size, .out = at.out };
		size_t before = s->b->len, begun;

		buf_puts(s->b, shown ? ", " : "");
		if (i >= known || shown >= most_elements(s)) {
			buf_puts(s->b, "...");
			if (shown < most_elements(s) && ends_page(at.address, i * size, size))
				call_put_end(s->b, at.address + (u64)i * size);
			break;
		}
		put_index(s, v->set, i);
		begun = s->b->len;
		one.base = one.p;
		one.n_base = one.n;
		call_show(s, v->of, one);
		if (s->b->len == begun)
			s->b->len = before;
		else
			shown++;
	}
	buf_putc(s->b, ']');
}

/* ---- what pointers lead to */

static void show_strings(struct shown *s, const struct call_view *v, u64 address)
{
	static const struct call_view string = { .kind = VIEW_STRING };

	if (call_memory(s, address, v->size, false).n < v->size) {
		put_address(s->b, address);
		return;
	}
	buf_putc(s->b, '[');
	for (u32 i = 0;; i++, address += v->size) {
		struct bytes p = call_memory(s, address, v->size, false), text = { 0 };

		if (p.n >= v->size && !word_at(p.p, v->size))
			break;
		buf_puts(s->b, i ? ", " : "");
		if (p.n < v->size || i >= most_elements(s)) {
			buf_puts(s->b, "...");
			if (i < most_elements(s) && ends_page(address, 0, v->size))
				call_put_end(s->b, address);
			break;
		}
		text = call_string(s, word_at(p.p, v->size), false);
		if (text.p)
			put_string(s, &string, text);
		else
			put_address(s->b, word_at(p.p, v->size));
	}
	buf_putc(s->b, ']');
}

static void show_environ(struct shown *s, const struct call_view *v, u64 address)
{
	u32 n = 0;
	bool ends = false, cut;

	if (s->style && s->style->whole) {
		show_strings(s, v, address);
		return;
	}
	put_address(s->b, address);
	while (!ends) {
		struct bytes p = call_memory(s, address + v->size * n, v->size, false);

		if (p.n < v->size)
			break;
		ends = !word_at(p.p, v->size);
		n += !ends;
	}
	cut = !ends && !ends_page(address + v->size * n, 0, v->size);
	if (ends || n)
		buf_printf(s->b, " /* %s%u var%s%s */", cut ? "more than " : "", n,
			   n == 1 ? "" : "s", ends || cut ? "" : ", unterminated");
}

/* Of several buffers that a call fills in, the bytes that are in this one. */
static s64 bytes_here(struct shown *s, s64 n)
{
	s64 here = MAX(MIN(n, s->left), (s64)0);

	s->left -= here;
	return here;
}

static void put_bytes(const struct shown *s, const struct call_view *v, struct bytes m, u64 n)
{
	if (v->kind == VIEW_HEX_DATA)
		call_put_hex(s, m.p, m.n, n);
	else
		put_text(s, m.p, m.n, n, v->base == 1);
}

/* n bytes, of which those of m are known; in_vector: one of several buffers. */
static void dump(struct shown *s, struct bytes m, u64 n, bool in_vector)
{
	u32 known = (u32)MIN(n, (u64)m.n);

	if (in_vector)
		buf_printf(s->dump, " * %llu bytes in buffer %u\n", (unsigned long long)n,
			   s->n_dumped++);
	if (known < n && s->more && s->more->is_all) /* as strace: nothing of it */
		return;
	for (u32 at = 0; at < known; at += CALL_DUMP_ROW)
		put_dump_row(s->dump, m.p, at, MIN(known - at, (u32)CALL_DUMP_ROW));
	if (known < n)
		buf_printf(s->dump, " | the first %u of %llu bytes: the rest is not copied\n",
			   known, (unsigned long long)n);
}

static void show_data(struct shown *s, const struct call_view *v, u64 address, struct bytes at)
{
	s64 n = call_len_of(s, v->len, at);
	struct bytes m;

	if (at.out && at.base)
		n = bytes_here(s, n);
	m = call_memory(s, address, (u32)MAX(n, (s64)1), at.out);
	if (s->dump && n > 0 && m.p)
		dump(s, m, (u64)n, at.base != NULL);
	if (v->kind == VIEW_MESSAGE && s->protocol && m.p && n > 0) {
		m.address = address;
		call_show_netlink(s, v, m, (u64)n);
	} else if (!n)
		buf_puts(s->b, "\"\"");
	else if (!m.p || (n > 0 && m.n < MIN((u64)n, (u64)s->most)))
		put_address(s->b, address);
	else
		put_bytes(s, v, m, n < 0 ? m.n : (u64)n);
}

static bool in_brackets(const struct call_view *v)
{
	if (v->kind == VIEW_FLAGS && v->base == 2) /* has its own */
		return false;
	return (v->kind >= VIEW_NUMBER && v->kind <= VIEW_ID && v->kind != VIEW_FILE_MODE) ||
	       v->kind == VIEW_DATE;
}

/* The previous and the current value: [16 => 8], [2] => [5] */
static void show_both(struct shown *s, const struct call_view *v, struct bytes is, bool apart)
{
	const u8 *now = is.p;

	is.p = is.was;
	is.was = NULL;
	call_show(s, v, is);
	if (!memcmp(is.p, now, MIN(v->size, is.n)))
		return;
	buf_puts(s->b, apart ? "] => [" : " => ");
	is.p = now;
	call_show(s, v, is);
}

/* Bytes of an object of which the views of an array tell how many elements there are. */
static u32 wanted(const struct shown *s, const struct call_view *v, u32 size, s64 n)
{
	if (n > 0 && v->len.kind == LEN_BITS && v->kind == VIEW_FD_SET)
		return (u32)MIN(8 * n, (s64)MOST_FDS / 8);
	if (n > 0 && v->kind == VIEW_ARRAY)
		return (u32)MIN(n, (s64)most_elements(s)) * call_size_of(v->of);
	return n > 0 ? (u32)MIN(n, (s64)CALL_USED) : MAX(size, 1u);
}

/* Whether enough of an object of n bytes or elements is known to show a part of it. */
static bool is_readable(const struct shown *s, const struct call_view *v, u32 known, s64 n)
{
	if (v->len.exact && (n != call_size_of(v) || known < n))
		return false;
	if (v->len.least && (n < call_size_of(v) || known < call_size_of(v)))
		return false;
	if (v->kind == VIEW_STRUCT && v->st->has_tail)
		return known >= MIN((u64)n, (u64)v->st->size);
	if (v->kind == VIEW_FD_SET && v->len.kind == LEN_BITS)
		return known >=
		       MIN(8 * ((call_arg_of(s, v->len.value) + 63) / 64), (u64)MOST_FDS / 8);
	return v->kind != VIEW_ARRAY ||
	       (known >= call_size_of(v->of) && (n >= 0 || v->len.kind != LEN_NODES));
}

static void show_object(struct shown *s, const struct call_view *v, u64 address, struct bytes at,
			u8 dir)
{
	u32 size = call_size_of(v);
	s64 n = call_len_of(s, v->len, at);
	bool out = at.out || (dir == VIEW_NOW && s->returned);
	struct bytes m = v->kind == VIEW_STRING ?
				 call_string(s, address, out) :
				 call_memory(s, address, wanted(s, v, size, n), out),
		     was = { 0 };
	bool partial = v->len.kind != LEN_NONE;
	size_t start;

	m.out = at.out;
	m.address = address;
	m.whole = partial ? (u64)n : 0;
	if (v->kind == VIEW_ARRAY && !n) {
		buf_puts(s->b, "[]");
		return;
	}
	if (v->kind == VIEW_CHOICE) {
		v = call_chosen(s, v->choice, m.p, MIN(m.n, n < 0 ? m.n : (u32)MIN(n, (s64)m.n)));
		if (v->kind == VIEW_ARRAY) {
			m.n = n < 0 ? m.n : (u32)MIN(n, (s64)m.n);
			n = m.n / MAX(call_size_of(v->of), 1u);
		}
	}
	if (v->kind == VIEW_INT_OR_DATA && !n && !at.out) {
		buf_puts(s->b, "\"\"");
		return;
	}
	if (!m.p || (m.n < size && !partial) || (!n && partial) || v->kind == VIEW_HIDDEN ||
	    !is_readable(s, v, m.n, n)) {
		put_address(s->b, address);
		return;
	}
	if (v->kind == VIEW_ARRAY) {
		show_array(s, v, m, n);
		return;
	}
	if (n >= 0 && v->kind != VIEW_FD_SET)
		m.n = (u32)MIN((s64)m.n, n);
	if (at.out && (dir == VIEW_INOUT || dir == VIEW_APART))
		was = call_memory(s, address, m.n, false);
	m.was = was.n >= m.n ? was.p : NULL;
	m.base = m.p;
	m.n_base = m.n;
	if (v->kind == VIEW_INT_OR_DATA && m.n != 4) {
		call_put_data(s, m.p, m.n, (u64)n);
		return;
	}
	if (in_brackets(v) && m.n < v->size) {
		put_hex_bytes(s->b, m.p, m.n, m.n);
		return;
	}
	if (in_brackets(v) || v->kind == VIEW_INT_OR_DATA)
		buf_putc(s->b, '[');
	start = s->b->len;
	if (m.was && in_brackets(v))
		show_both(s, v, m, dir == VIEW_APART);
	else
		call_show(s, v, m);
	if (m.n < call_size_of(v) && s->b->len == start + 2 && !memcmp(s->b->s + start, "{}", 2)) {
		s->b->len = start; /* too short for the first member */
		put_address(s->b, address);
	}
	if (in_brackets(v) || v->kind == VIEW_INT_OR_DATA)
		buf_putc(s->b, ']');
}

/* What the call fills in is not shown before it has done so. */
static bool is_there(const struct shown *s, const struct call_view *v)
{
	if (v->dir ==
	    VIEW_FAILED) /* interrupted: EINTR, ERESTARTSYS and others that programs do not see */
		return s->returned && (s->result == -4 || s->result <= -512);
	if (v->dir == VIEW_OUT)
		return s->returned && s->result >= (v->of->kind == VIEW_WAIT);
	return true;
}

/* -e verbose=: shown although structures are not. */
static bool is_text(const struct call_view *v)
{
	return v->kind == VIEW_DATA || v->kind == VIEW_MESSAGE || v->kind == VIEW_HEX_DATA ||
	       v->kind == VIEW_STRING || v->kind == VIEW_FILE_NAME;
}

static void show_filter(struct shown *s, const struct call_view *v, u64 address, struct bytes at)
{
	s64 n = call_len_of(s, v->len, at);
	struct bytes m = call_memory(s, address, (u32)MAX(n, (s64)0) * FILTER_INSN, at.out);

	if (s->style && s->style->whole && (!n || (n > 0 && m.n >= (u64)n * FILTER_INSN)))
		put_filter(s->b, m.p, (u32)n * FILTER_INSN, (enum filter_kind)v->size);
	else
		put_address(s->b, address);
}

static void show_pointer(struct shown *s, const struct call_view *v, struct bytes at)
{
	u64 address = word_at(at.p, v->size);

	if (address && v->of->kind == VIEW_ARRAY &&
	    (v->of->len.kind == LEN_BITS || v->of->len.kind == LEN_NODES) &&
	    !call_len_of(s, v->of->len, at)) {
		buf_puts(s->b, "[]"); /* also of a call that failed */
		return;
	}
	if (!address || !is_there(s, v) || (s->style && s->style->addresses && !is_text(v->of))) {
		put_address(s->b, address);
		return;
	}
	at.out |= v->dir == VIEW_OUT || v->dir == VIEW_FAILED ||
		  ((v->dir == VIEW_INOUT || v->dir == VIEW_APART) && s->returned && s->result >= 0);
	if (v->dir == VIEW_WAS)
		at.out = false;
	switch ((enum view_kind)v->of->kind) {
	case VIEW_STRINGS: show_strings(s, v->of, address); break;
	case VIEW_ENVIRON: show_environ(s, v->of, address); break;
	case VIEW_DATA:
	case VIEW_MESSAGE:
	case VIEW_HEX_DATA: show_data(s, v->of, address, at); break;
	case VIEW_DIRENTS: call_show_dirents(s, v->of, address, at); break;
	case VIEW_FILTER: show_filter(s, v->of, address, at); break;
	case VIEW_CONTROL: call_show_control(s, v->of, address, at); break;
	default: show_object(s, v->of, address, at, v->dir); break;
	}
}

static void show_fd_set(struct shown *s, const struct call_view *v, struct bytes at)
{
	s64 len = call_len_of(s, v->len, at);
	u64 n = v->len.kind == LEN_BITS ? call_arg_of(s, v->len.value) : (u64)MAX(len, (s64)0) * 8;
	const char *between = "";

	buf_putc(s->b, '[');
	for (u32 fd = 0; fd < MIN(n, (u64)at.n * 8); fd++)
		if (at.p[fd / 8] >> fd % 8 & 1) {
			buf_puts(s->b, between);
			if (v->len.kind == LEN_BITS)
				put_fd(s, at.p, (s32)fd);
			else /* processors */
				buf_u64(s->b, fd);
			between = " ";
		}
	if (n > MOST_FDS && len > 0)
		buf_printf(s->b, "%s...", between);
	buf_putc(s->b, ']');
}

/* Base 16: the kernel's headers do not have the names, so the number is shown, too. */
static void show_flags(struct shown *s, const struct call_view *v, u64 word)
{
	static const struct call_style both = { .constants = CALL_VERBOSE };
	size_t start = s->b->len;

	if (v->base == 2) {
		put_bit_set(s->b, v->set, (u32)word);
		return;
	}
	put_flag_words(s->b, v->set, word, v->base == 8);
	if (v->base == 16 && !(s->style && s->style->constants))
		call_restyle(s->b, &both, start, CALL_AS_HEX, word);
}

/* Base 10: all of them; 16: all in styles that show all members. */
static void show_bit_fields(struct shown *s, const struct call_view *v, u64 word)
{
	bool all = v->base == 10 || (v->base == 16 && s->style && s->style->whole);

	put_bit_fields(s->b, v->set, word, all, v->base != 10);
}

static void show_path_or_data(struct shown *s, const struct call_view *v, struct bytes at)
{
	s64 n = call_len_of(s, v->len, at);

	if (v->kind == VIEW_HEX_DATA && n >= 0) /* a member, not text of any length */
		put_hex_bytes(s->b, at.p, (u32)MIN(n, (s64)at.n), 0);
	else
		put_bytes(s, v, at, n < 0 ? at.n : (u64)n);
}

/* In network order: also, or only, its bytes. */
static void show_port(const struct shown *s, const struct call_view *v, struct bytes at, u64 word)
{
	enum call_constants style = s->style && v->size < 8 ? s->style->constants : CALL_ABBREV;

	if (style)
		put_hex_bytes(s->b, at.p, MIN(v->size, at.n), 0);
	if (style == CALL_RAW)
		return;
	buf_puts(s->b, style ? " /* " : "");
	put_port(s->b, v, word);
	buf_puts(s->b, style ? " */" : "");
}

static void show_hardware(const struct shown *s, const struct call_view *v, struct bytes at)
{
	s64 n = call_len_of(s, v->len, at);

	put_hardware(s->b, at.p, MIN(n < 0 ? v->count : (u32)MIN(n, (s64)v->count), at.n));
}

void call_show(struct shown *s, const struct call_view *v, struct bytes at)
{
	size_t start = s->b->len;
	u64 word = at.p ? word_at(at.p, MIN(v->size, at.n)) : 0;

	if (s->depth >= MOST_DEPTH)
		return;
	if (at.was && v->dir == VIEW_INOUT && v->kind != VIEW_POINTER) {
		show_both(s, v, at, false);
		return;
	}
	s->depth++;
	switch ((enum view_kind)v->kind) {
	case VIEW_NUMBER: put_number(s->b, v, number_of(v, at.p)); break;
	case VIEW_FD: put_fd(s, at.p, (s32)word); break;
	case VIEW_ERROR: put_error(s->b, (s32)word); break;
	case VIEW_TICKS: put_ticks(s->b, (s64)word); break;
	case VIEW_ADDRESS: put_address(s->b, word); break;
	case VIEW_FLAGS: show_flags(s, v, word); break;
	case VIEW_NAMES: put_name_word(s->b, v->set, number_of(v, at.p), v->base == 10); break;
	case VIEW_QUOTA: put_quota(s->b, v->set, (u32)word); break;
	case VIEW_VERSION: put_version(s->b, (u32)word); break;
	case VIEW_PRIORITY: put_priority(s->b, (u32)word); break;
	case VIEW_LEFT: s->left = call_len_of(s, v->len, at); break;
	case VIEW_AT: put_at(s, at.p, (s32)word); break;
	case VIEW_MODE: put_mode(s->b, word); break;
	case VIEW_FILE_MODE: put_file_mode(s->b, word); break;
	case VIEW_DEVICE: put_device(s->b, word); break;
	case VIEW_ID: put_id(s->b, word); break;
	case VIEW_PORT: show_port(s, v, at, word); break;
	case VIEW_INET: put_inet(s->b, at.p, false, s->hex); break;
	case VIEW_INET6: put_inet(s->b, at.p, true, s->hex); break;
	case VIEW_SIGNALS: put_signal_set(s->b, word, s->style); break;
	case VIEW_WAIT: put_wait_status(s->b, (int)word); break;
	case VIEW_CHARS: (v->base ? put_cut_chars : put_chars)(s, at, v->count); break;
	case VIEW_BYTES:
		put_quoted(s->b, at.p, v->count ? MIN(v->count, at.n) : at.n, s->hex);
		break;
	case VIEW_PATH: put_path(s, at, v->count); break;
	case VIEW_HARDWARE: show_hardware(s, v, at); break;
	case VIEW_FD_SET: show_fd_set(s, v, at); break;
	case VIEW_LITERAL: buf_puts(s->b, v->set->name); break;
	case VIEW_RLIMIT: put_limit(s->b, word, v->size); break;
	case VIEW_HANDLER: put_handler(s->b, word); break;
	case VIEW_DATE: put_date_word(s->b, v, at); break;
	case VIEW_DATED: put_dated(s->b, v, at.p); break;
	case VIEW_CAPS: put_capabilities(s->b, at); break;
	case VIEW_FUTEX_OP: put_futex_op(s->b, (u32)word); break;
	case VIEW_NUMBER_NAME: put_number_name(s->b, v->set, number_of(v, at.p)); break;
	case VIEW_BIT_FIELDS: show_bit_fields(s, v, word); break;
	case VIEW_PAIR: put_pair(s->b, v, at); break;
	case VIEW_PAGES: buf_printf(s->b, "%#llx", (unsigned long long)word << 12); break;
	case VIEW_INT_OR_DATA: buf_s64(s->b, (s32)word_at(at.p, 4)); break;
	case VIEW_INTERFACE: put_interface(s->b, (u32)word, s->style != NULL); break;
	case VIEW_STRUCT: show_struct(s, v->st, at); break;
	case VIEW_MEMBERS: call_show_members(s, v->st, at); break;
	case VIEW_ARRAY: show_array(s, v, at, call_len_of(s, v->len, at)); break;
	case VIEW_CHOICE: call_show(s, call_chosen(s, v->choice, at.base, at.n_base), at); break;
	case VIEW_POINTER: show_pointer(s, v, at); break;
	case VIEW_STRING:
	case VIEW_FILE_NAME: put_string(s, v, at); break;
	case VIEW_DATA:
	case VIEW_HEX_DATA: show_path_or_data(s, v, at); break;
	case VIEW_PID:
		buf_s64(s->b, (s32)word);
		put_comm(s->b, s->style, (s32)word);
		break;
	case VIEW_HIDDEN:
	case VIEW_ATTRS:
	case VIEW_BY_KIND:
	case VIEW_NET_ADDRESS:
	case VIEW_RECORDS:
	case VIEW_MESSAGE:
	case VIEW_CONTROL:
	case VIEW_DIRENTS:
	case VIEW_FILTER:
	case VIEW_STRINGS:
	case VIEW_ENVIRON:
	case N_VIEW_KINDS: break;
	}
	if (s->style && s->style->constants && at.p)
		call_restyle_view(s, v, at.p, start);
	s->depth--;
}
