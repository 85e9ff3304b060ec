/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of netlink (linux/netlink.h). In: bytes that a process has sent or received, and the
 * tables of sym/netlink.def. Out: the text of strace 6.1.
 *
 *	u32 nlmsg_len, u16 type, u16 flags, u32 seq, u32 pid	a message, padded to 4 bytes
 *		a structure, which depends on the type
 *		u16 nla_len, u16 nla_type, data			attributes, padded to 4 bytes
 *
 * Lengths in messages are not trusted: each step looks at a part that lies in the one around it.
 */
#include <arpa/inet.h>
#include "trace/call_number.h"
#include "trace/call_show.h"
#include "trace/call_words.h"

enum {
	HEAD = 16,
	ATTR_HEAD = 4,
	ERROR_HEAD = 4,
	MOST_HARDWARE = 32, /* bytes of an address: MAX_ADDR_LEN */
	MOST_NESTED = 32,   /* attributes within attributes, messages within messages */
	PAGE = 4096,
	FIRST_TYPE = 16, /* NLMSG_MIN_TYPE: of a protocol */
	TYPE_ERROR = 2,
	TYPE_DONE = 3,
	FLAG_CAPPED = 0x100,
	IS_NESTED = 0x8000,
	IS_NET_ORDER = 0x4000,
	PROTOCOL_EVENTS = 15, /* NETLINK_KOBJECT_UEVENT */
};

/* Bytes of a message, of which the first n are known. */
struct part {
	const u8 *p;
	u32 n;
	u64 len, address;
	bool ends; /* the process has no more memory behind what is known */
};

/* What the views of a message depend on. */
struct message {
	struct shown *s;
	const struct call_messages *tables;
	u32 protocol;
	const u8 *p; /* of the message: its n known bytes */
	u32 n;
	const u8 *kind; /* text of an attribute */
	u32 n_kind, depth;
};

static struct part part_from(struct part x, u64 skip)
{
	u32 known = (u32)MIN(skip, (u64)x.n);

	skip = MIN(skip, x.len);
	return (struct part){ .p = x.p + known,
			      .n = x.n - known,
			      .len = x.len - skip,
			      .address = x.address + skip,
			      .ends = x.ends };
}

static struct part part_of(struct part x, u64 len)
{
	x.len = MIN(x.len, len);
	x.n = (u32)MIN((u64)x.n, x.len);
	return x;
}

static void put_missing_comment(struct shown *s, struct part x)
{
	if (!x.ends)
		buf_puts(s->b, "...");
	else
		buf_printf(s->b, "... /* %#llx */", (unsigned long long)x.address);
}

/* Memory ended, or no more was copied. */
static void put_missing(struct shown *s, struct part x)
{
	if (!x.ends)
		buf_puts(s->b, "...");
	else
		put_address(s->b, x.address);
}

static void put_hex(struct shown *s, struct part x)
{
	if (x.n < MIN(x.len, (u64)s->most))
		put_missing(s, x);
	else
		call_put_hex(s, x.p, x.n, x.len);
}

/* -v */
static bool shows_all(const struct shown *s)
{
	return s->style && s->style->whole;
}

void call_put_net_address(struct shown *s, u32 family, const char *name, struct bytes at)
{
	enum { IPV4 = 2, IPV6 = 10 };
	enum call_constants style = s->style ? s->style->constants : CALL_ABBREV;
	char text[INET6_ADDRSTRLEN] = "";
	bool six = family == IPV6;

	if ((!six && family != IPV4) || at.n < (six ? 16 : 4)) {
		if (name)
			buf_printf(s->b, "%s=", name);
		call_put_hex(s, at.p, at.n, at.n);
		return;
	}
	inet_ntop(six ? AF_INET6 : AF_INET, at.p, text, sizeof text);
	if (name && (!six || style))
		buf_printf(s->b, "%s=", name);
	if (style)
		call_put_hex(s, at.p, six ? 16 : 4, six ? 16 : 4);
	if (style == CALL_RAW)
		return;
	buf_puts(s->b, style ? " /* " : "");
	put_inet_text(s->b, text, six, style ? NULL : name, s->hex);
	buf_puts(s->b, style ? " */" : "");
}

/* ---- what attributes contain */

static void show_attrs(struct message *m, const struct call_attrs *t, struct part x);
static bool show_value(struct message *m, const struct call_view *v, struct part x);

static struct bytes bytes_of(const struct message *m, struct part x)
{
	return (struct bytes){ .p = x.p, .n = x.n, .base = m->p, .n_base = m->n };
}

/* Text that should end with a NUL, which is not shown; up_to_nul: nothing behind one, either. */
static void show_text(struct shown *s, struct part x, bool up_to_nul)
{
	bool in_hex = s->hex == CALL_HEX_ALL || s->hex == CALL_HEX_NON_ASCII;
	u32 shown = (u32)MIN(x.len, (u64)s->most), len = shown;

	if (x.n < MIN(x.len, (u64)s->most + 1)) {
		put_missing(s, x);
		return;
	}
	if (up_to_nul)
		len = (u32)strnlen((const char *)x.p, shown);
	else if (shown && !x.p[shown - 1] && !in_hex)
		len--;
	call_put_data(s, x.p, len, len);
	if (len == shown && x.len && !(up_to_nul && x.len > shown && !x.p[shown]))
		buf_puts(s->b, "...");
}

static void show_index(struct message *m, struct call_set *names, u32 i)
{
	struct shown *s = m->s;
	size_t start;

	if (!names)
		return;
	buf_putc(s->b, '[');
	start = s->b->len;
	put_name_word(s->b, names, i, true);
	call_restyle(s->b, s->style, start, CALL_AS_UNSIGNED, i);
	if (s->b->s[start] >= '0' && s->b->s[start] <= '9' && !(s->style && s->style->constants))
		buf_printf(s->b, " /* %s??? */", names->unknown);
	buf_puts(s->b, "]=");
}

static bool show_array(struct message *m, const struct call_view *v, struct part x)
{
	struct shown *s = m->s;
	u32 size = MAX(call_size_of(v->of), 1u);
	u64 n = x.len / size;

	if (!n)
		return false;
	if (x.n < size) {
		put_missing(s, x);
		return true;
	}
	buf_putc(s->b, '[');
	for (u64 i = 0; i < n; i++, x = part_from(x, size)) {
		buf_puts(s->b, i ? ", " : "");
		if (i >= s->most && !shows_all(s)) {
			buf_puts(s->b, "...");
			break;
		}
		if (x.n < size) {
			put_missing_comment(s, x);
			break;
		}
		show_index(m, v->set, (u32)i);
		call_show(s, v->of, bytes_of(m, part_of(x, size)));
	}
	buf_putc(s->b, ']');
	return true;
}

/* What follows a structure is padded to 4 bytes. */
static void show_rest(struct message *m, const struct call_view *v, struct part x)
{
	u32 at = ALIGN_UP(v->st->size, 4u);
	const struct call_view *of = v->of;

	if ((!v->attrs && !of) || x.len <= at)
		return;
	if (of && of->kind == VIEW_CHOICE)
		of = call_chosen(m->s, of->choice, x.p, x.n);
	buf_puts(m->s->b, ", ");
	x = part_from(x, at);
	if (v->attrs)
		show_attrs(m, v->attrs, x);
	else if (!show_value(m, of, x))
		put_hex(m->s, x);
}

static bool show_struct(struct message *m, const struct call_view *v, struct part x)
{
	bool has_older = v->len.kind == LEN_CONST, braces = v->kind == VIEW_STRUCT;
	u32 size = (u32)MIN((u64)v->st->size, x.len);

	if (x.len < (has_older ? v->len.value : v->st->size))
		return false;
	if (x.n < size) {
		put_missing(m->s, x);
		return true;
	}
	buf_puts(m->s->b, braces ? "{" : "");
	call_show_members(m->s, v->st, bytes_of(m, v->attrs ? part_of(x, size) : x));
	buf_puts(m->s->b, braces ? "}" : "");
	show_rest(m, v, x);
	return true;
}

/* Structures with attributes behind each, as in RTA_MULTIPATH. */
static bool show_records(struct message *m, const struct call_view *v, struct part x)
{
	struct shown *s = m->s;
	u32 head = v->st->size;
	bool in_array = false;

	if (x.len < head)
		return false;
	for (;;) {
		u64 len = x.n >= head ? MIN((u64)word_at(x.p, 2), x.len) : 0,
		    next = ALIGN_UP(len, (u64)4);

		if (x.n < head) {
			put_missing(s, x);
			break;
		}
		if (!in_array && len < x.len)
			buf_putc(s->b, '[');
		else if (in_array)
			buf_puts(s->b, ", ");
		in_array |= len < x.len;
		buf_puts(s->b, len > head ? "[{" : "{");
		call_show_members(s, v->st, bytes_of(m, part_of(x, head)));
		buf_putc(s->b, '}');
		show_rest(m, v, part_of(x, len));
		buf_puts(s->b, len > head ? "]" : "");
		if (next >= x.len || !next)
			break;
		x = part_from(x, next);
	}
	buf_puts(s->b, in_array ? "]" : "");
	return true;
}

static bool show_by_kind(struct message *m, const struct call_view *v, struct part x)
{
	for (u32 i = 0; m->kind && i < v->attrs->n; i++) {
		const struct call_attr *a = &v->attrs->v[i];

		if (strlen(a->kind) == m->n_kind && !memcmp(a->kind, m->kind, m->n_kind))
			return show_value(m, &a->view, x);
	}
	return false;
}

static bool show_hardware(struct message *m, struct part x)
{
	enum call_constants style = m->s->style ? m->s->style->constants : CALL_ABBREV;

	if (x.len > MOST_HARDWARE)
		return false;
	if (x.n < x.len) {
		put_missing(m->s, x);
		return true;
	}
	if (style)
		call_put_hex(m->s, x.p, x.n, x.n);
	if (style == CALL_RAW)
		return true;
	buf_puts(m->s->b, style ? " /* " : "");
	put_hardware(m->s->b, x.p, x.n);
	buf_puts(m->s->b, style ? " */" : "");
	return true;
}

/* Of the size that the view says, or of any up to 8 bytes; names and flags have at most 8. */
static bool show_scalar(struct message *m, const struct call_view *v, struct part x)
{
	bool is_named = v->kind == VIEW_NAMES || v->kind == VIEW_FLAGS;
	struct call_view of_size = *v;

	if (v->kind == VIEW_TICKS || !v->size)
		of_size.size = (u8)MIN(x.len, (u64)UINT8_MAX);
	if (x.len < of_size.size || (of_size.size > 8 && v->kind != VIEW_INET6) ||
	    (is_named && x.len > 8))
		return false;
	if (x.n < of_size.size)
		put_missing(m->s, x);
	else if (v->kind == VIEW_INET6)
		call_put_net_address(m->s, AF_INET6, NULL, bytes_of(m, x));
	else
		call_show(m->s, &of_size, bytes_of(m, part_of(x, of_size.size)));
	return true;
}

static bool show_net_address(struct message *m, struct part x)
{
	u32 family = m->n > HEAD ? m->p[HEAD] : 0;

	if (x.n < MIN(x.len, (u64)16))
		put_missing(m->s, x);
	else
		call_put_net_address(m->s, family, NULL, bytes_of(m, x));
	return true;
}

static void keep_kind(struct message *m, struct part x)
{
	m->kind = x.p;
	m->n_kind = (u32)strnlen((const char *)x.p, x.n);
	if (m->n_kind == x.n)
		m->kind = NULL;
}

/* False: it is not as the view says; nothing was shown. */
static bool show_value(struct message *m, const struct call_view *v, struct part x)
{
	if (v->kind == VIEW_CHOICE)
		v = call_chosen(m->s, v->choice, m->p, m->n);
	switch ((enum view_kind)v->kind) {
	case VIEW_HIDDEN: return false;
	case VIEW_ATTRS: show_attrs(m, v->attrs, x); return true;
	case VIEW_BY_KIND: return show_by_kind(m, v, x);
	case VIEW_MEMBERS:
	case VIEW_STRUCT: return show_struct(m, v, x);
	case VIEW_RECORDS: return show_records(m, v, x);
	case VIEW_ARRAY: return show_array(m, v, x);
	case VIEW_HARDWARE: return show_hardware(m, x);
	case VIEW_NET_ADDRESS: return show_net_address(m, x);
	case VIEW_STRING:
		if (v->size == 1)
			keep_kind(m, x);
		show_text(m->s, x, v->size);
		return true;
	default: return show_scalar(m, v, x);
	}
}

/* ---- attributes */

static void put_type_flag(struct shown *s, u32 type, u32 flag, const char *name)
{
	size_t start = s->b->len;

	if (!(type & flag))
		return;
	buf_puts(s->b, name);
	call_restyle(s->b, s->style, start, CALL_AS_HEX, flag);
	buf_putc(s->b, '|');
}

static void put_attr_head(struct shown *s, const struct call_attrs *t, u32 len, u32 type)
{
	u32 own = type & ~(u32)(IS_NESTED | IS_NET_ORDER);
	size_t start;

	buf_printf(s->b, "{nla_len=%u, nla_type=", len);
	put_type_flag(s, type, IS_NESTED, "NLA_F_NESTED");
	put_type_flag(s, type, IS_NET_ORDER, "NLA_F_NET_BYTEORDER");
	start = s->b->len;
	put_name_word(s->b, t->set, own, false);
	call_restyle(s->b, s->style, start, CALL_AS_HEX, own);
	buf_putc(s->b, '}');
}

static const struct call_view *view_of_attr(const struct call_attrs *t, u32 type)
{
	static const struct call_view bytes = { .kind = VIEW_HIDDEN };

	for (u32 i = 0; i < t->n; i++)
		if (t->v[i].type == type)
			return &t->v[i].view;
	return &bytes;
}

/* x: from the head of the attribute on, to the end of all. */
static void show_attr(struct message *m, const struct call_attrs *t, struct part x)
{
	u32 len = (u32)word_at(x.p, 2), type = (u32)word_at(x.p + 2, 2);
	struct part value = part_from(part_of(x, len), ATTR_HEAD);
	const struct call_view *v = view_of_attr(t, type & ~(u32)(IS_NESTED | IS_NET_ORDER));

	buf_puts(m->s->b, value.len ? "[" : "");
	put_attr_head(m->s, t, len, type);
	if (!value.len)
		return;
	buf_puts(m->s->b, ", ");
	if (!show_value(m, v, value))
		put_hex(m->s, value);
	buf_putc(m->s->b, ']');
}

static void show_each(struct message *m, const struct call_attrs *t, struct part x)
{
	struct shown *s = m->s;
	bool in_array = false;

	for (u32 i = 0;; i++) {
		u32 len;
		u64 next;

		if (x.len < ATTR_HEAD) {
			put_hex(s, x);
			break;
		}
		if (x.n < ATTR_HEAD) {
			in_array ? put_missing_comment(s, x) : put_missing(s, x);
			break;
		}
		if (i == s->most && !shows_all(s)) {
			buf_puts(s->b, "...");
			break;
		}
		len = (u32)word_at(x.p, 2);
		next = len >= ATTR_HEAD ? ALIGN_UP(len, 4u) : x.len;
		if (!in_array && next < x.len) {
			buf_putc(s->b, '[');
			in_array = true;
		}
		show_attr(m, t, x);
		if (next >= x.len)
			break;
		buf_puts(s->b, ", ");
		x = part_from(x, next);
	}
	buf_puts(s->b, in_array ? "]" : "");
}

static void show_attrs(struct message *m, const struct call_attrs *t, struct part x)
{
	if (m->depth >= MOST_NESTED) {
		buf_puts(m->s->b, "...");
		return;
	}
	m->depth++;
	show_each(m, t, x);
	m->depth--;
}

/* ---- messages */

static void show_message(struct message *m, struct part x);

/* The structure that begins a payload, of which the first member is shown if not all is there. */
static void show_short(struct message *m, const struct call_struct *st, struct part x)
{
	u32 first = st->n > 1 ? st->v[1].offset : st->size;

	if (st->is_whole) {
		put_hex(m->s, x);
		return;
	}
	if (!x.n) {
		put_missing(m->s, x);
		return;
	}
	buf_putc(m->s->b, '{');
	call_show_members(m->s, st,
			  bytes_of(m, part_of(x, MIN(first, call_size_of(&st->v[0].view)))));
	buf_puts(m->s->b, st->n > 1 ? ", " : "");
	if (st->n > 1 && x.len >= st->size)
		put_missing(m->s, part_from(x, 1));
	else if (st->n > 1)
		buf_puts(m->s->b, "...");
	buf_putc(m->s->b, '}');
}

/* struct nlmsgerr: s32 error, the message that has failed, and attributes. */
static void show_error(struct message *m, struct part x)
{
	static const struct call_view number = { .kind = VIEW_ERROR, .size = 4, .is_signed = true };
	bool capped = word_at(m->p + 6, 2) & FLAG_CAPPED, has_attrs;
	struct message inner = *m;
	struct part msg = part_from(x, ERROR_HEAD);
	u64 len = capped || msg.n < HEAD ? HEAD : MAX(word_at(msg.p, 4), (u64)HEAD);

	if (x.len < ERROR_HEAD + HEAD) {
		put_hex(m->s, x);
		return;
	}
	if (x.n < ERROR_HEAD + HEAD) {
		put_missing(m->s, x);
		return;
	}
	has_attrs = msg.len > len;
	buf_puts(m->s->b, has_attrs ? "[{error=" : "{error=");
	call_show(m->s, &number, bytes_of(m, x));
	buf_puts(m->s->b, ", msg=");
	inner.depth++;
	show_message(&inner, capped ? part_of(msg, HEAD) : msg);
	buf_putc(m->s->b, '}');
	if (!has_attrs)
		return;
	buf_puts(m->s->b, ", ");
	show_attrs(m, m->tables->error, part_from(msg, len));
	buf_putc(m->s->b, ']');
}

static void show_payload(struct message *m, struct part x)
{
	u32 type = (u32)word_at(m->p + 4, 2);
	const struct call_view *v = m->protocol < CALL_PROTOCOLS ?
					    &m->tables->of[m->protocol].payload :
					    &m->tables->other.payload;

	if (type == TYPE_ERROR && m->depth < MOST_NESTED) {
		show_error(m, x);
		return;
	}
	if (v->kind == VIEW_CHOICE)
		v = call_chosen(m->s, v->choice, m->p, m->n);
	if ((type >= FIRST_TYPE || type == TYPE_DONE) && v->kind == VIEW_STRUCT) {
		if (x.len < v->st->size || x.n < v->st->size)
			show_short(m, v->st, x);
		else
			show_struct(m, v, x);
	} else if (type == TYPE_DONE && x.len == 4 && x.n == 4) {
		buf_s64(m->s->b, (s32)word_at(x.p, 4));
	} else {
		put_hex(m->s, x);
	}
}

/* False: there is no header. */
static bool has_head(struct shown *s, struct part x, bool in_array)
{
	if (x.len < HEAD)
		put_hex(s, x);
	else if (x.n < HEAD)
		in_array ? put_missing_comment(s, x) : put_missing(s, x);
	return x.len >= HEAD && x.n >= HEAD;
}

/* A capped one inside an error has no payload. */
static void show_message(struct message *m, struct part x)
{
	const struct call_struct *head = m->protocol < CALL_PROTOCOLS ?
						 m->tables->of[m->protocol].head :
						 m->tables->other.head;
	struct part own;

	if (!has_head(m->s, x, false))
		return;
	own = part_of(x, word_at(x.p, 4));
	own.len = MAX(own.len, (u64)HEAD);
	m->p = x.p;
	m->n = x.n;
	m->s->net_family = x.n > HEAD ? x.p[HEAD] : 0;
	buf_puts(m->s->b, own.len > HEAD ? "[{" : "{");
	call_show_members(m->s, head, bytes_of(m, part_of(x, HEAD)));
	buf_putc(m->s->b, '}');
	if (own.len <= HEAD)
		return;
	buf_puts(m->s->b, ", ");
	show_payload(m, part_from(own, HEAD));
	buf_putc(m->s->b, ']');
}

static void show_messages(const struct message *all, struct part x)
{
	struct shown *s = all->s;
	bool in_array = false;

	for (u32 i = 0; has_head(s, x, in_array); i++) {
		struct message m = *all;
		u64 len = word_at(x.p, 4), next = len >= HEAD ? ALIGN_UP(len, (u64)4) : x.len;

		if (i == s->most && !shows_all(s)) {
			buf_puts(s->b, "...");
			break;
		}
		if (!in_array && next < x.len) {
			buf_putc(s->b, '[');
			in_array = true;
		}
		show_message(&m, x);
		if (next >= x.len)
			break;
		buf_puts(s->b, ", ");
		x = part_from(x, next);
	}
	buf_puts(s->b, in_array ? "]" : "");
}

/* Text of the kernel, or a message of udev, which begins with a structure. */
static void show_event(struct shown *s, const struct call_struct *st, struct part x)
{
	static const char prefix[] = "libudev";
	u32 head = st->size;

	if (x.len < head || x.n < head || memcmp(x.p, prefix, sizeof prefix)) {
		if (x.n < MIN(x.len, (u64)s->most))
			put_missing(s, x);
		else
			call_put_data(s, x.p, x.n, x.len);
		return;
	}
	buf_puts(s->b, x.len > head ? "[{" : "{");
	call_show_members(s, st, (struct bytes){ .p = x.p, .n = head });
	buf_putc(s->b, '}');
	if (x.len <= head)
		return;
	buf_puts(s->b, ", ");
	x = part_from(x, head);
	call_put_data(s, x.p, x.n, x.len);
	buf_putc(s->b, ']');
}

void call_show_netlink(struct shown *s, const struct call_view *v, struct bytes m, u64 n)
{
	struct part x = { .p = m.p, .n = (u32)MIN((u64)m.n, n), .len = n, .address = m.address };
	struct message all = { .s = s, .tables = v->messages, .protocol = s->protocol - 1 };

	x.ends = x.n < n && (m.address + x.n) % PAGE == 0;
	if (all.protocol == PROTOCOL_EVENTS)
		show_event(s, v->messages->event, x);
	else
		show_messages(&all, x);
}
