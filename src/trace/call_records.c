/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffers of records that have their own lengths: directory entries, control messages. */
#include "trace/call_memory.h"
#include "trace/call_number.h"
#include "trace/call_show.h"
#include "trace/call_style.h"

void call_put_end(struct buf *b, u64 address)
{
	buf_printf(b, " /* %#llx */", (unsigned long long)address);
}

static void show_struct(struct shown *s, const struct call_struct *st, struct bytes at)
{
	call_show(s, &(struct call_view){ .kind = VIEW_STRUCT, .st = st }, at);
}

/* Struct linux_dirent has the type in its last byte; where dirent64 has it, that is shown. */
static void show_entry(struct shown *s, const struct call_view *v, const u8 *p, u32 n)
{
	enum { AT_TYPE = 18, AT_NAME = 19, LONGEST = 4096 };
	u8 as_64[LONGEST];

	if (v->size) {
		show_struct(s, v->st, (struct bytes){ .p = p, .n = n });
		return;
	}
	n = MIN(n, (u32)LONGEST - 1);
	memcpy(as_64, p, AT_TYPE);
	as_64[AT_TYPE] = p[n - 1];
	memcpy(as_64 + AT_NAME, p + AT_TYPE, n - AT_TYPE);
	show_struct(s, v->st, (struct bytes){ .p = as_64, .n = n + 1 });
}

/* Both kinds of entries have their length at byte 16. */
static void show_entries(struct shown *s, const struct call_view *v, struct bytes m, u64 n)
{
	enum { AT_LENGTH = 16, SMALLEST = 24 };
	u32 at = 0;

	buf_putc(s->b, '[');
	while (at + SMALLEST <= m.n) {
		u32 len = (u32)word_at(m.p + at + AT_LENGTH, 2);

		if (len < SMALLEST || len > m.n - at)
			break;
		buf_puts(s->b, at ? ", " : "");
		show_entry(s, v, m.p + at, len);
		at += len;
	}
	if (at < n)
		buf_puts(s->b, at ? ", ..." : "...");
	buf_putc(s->b, ']');
}

/* One piece has the entries, another two words: their number and their size. */
void call_show_dirents(struct shown *s, const struct call_view *v, u64 address, struct bytes at)
{
	s64 n = call_len_of(s, v->len, at);
	struct bytes m = call_memory(s, address, 16, true);
	bool counted = !n || (n > 0 && m.n >= 16 && word_at(m.p + 8, 8) == (u64)n);
	u64 count = n && counted ? word_at(m.p, 8) : 0;

	if (counted && s->style && s->style->whole) {
		show_entries(s, v, call_memory(s, address, (u32)n, true), (u64)n);
		return;
	}
	put_address(s->b, address);
	if (counted)
		buf_printf(s->b, " /* %llu entr%s */", (unsigned long long)count,
			   count == 1 ? "y" : "ies");
}

/* struct cmsghdr of linux/socket.h: u64 length, s32 level, s32 type, the data; each padded to 8. */
void call_show_control(struct shown *s, const struct call_view *v, u64 address, struct bytes at)
{
	enum { HEAD = 16 };
	s64 n = MAX(call_len_of(s, v->len, at), (s64)0);
	struct bytes m = call_memory(s, address, (u32)MIN(n, (s64)SNAPSHOT_CONTROL), at.out);
	u64 next = 0, len = HEAD;

	if (n < HEAD || m.n < MIN(n, (s64)SNAPSHOT_CONTROL)) {
		put_address(s->b, address);
		return;
	}
	buf_putc(s->b, '[');
	while (next < (u64)n) {
		u64 left = MIN((u64)n, (u64)m.n) - MIN(next, (u64)m.n);

		buf_puts(s->b, next ? ", " : "");
		if (left < HEAD || len < HEAD) {
			buf_puts(s->b, "...");
			call_put_end(s->b, address + next);
			break;
		}
		len = word_at(m.p + next, 8);
		show_struct(s, v->st,
			    (struct bytes){ .p = m.p + next,
					    .n = (u32)MIN(MAX(len, (u64)HEAD), left),
					    .out = at.out });
		next += ALIGN_UP(MIN(MAX(len, (u64)HEAD), (u64)n - next), 8u);
	}
	buf_putc(s->b, ']');
}
