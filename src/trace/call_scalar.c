/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls whose text depends on the bytes around them, or on the style. */
#include <stdio.h>
#include "base/os_names.h"
#include "trace/call_number.h"
#include "trace/call_scalar.h"
#include "trace/call_words.h"

/* Of capabilities, 32 in this word and the others 12 bytes further. */
void put_capabilities(struct buf *b, struct bytes at)
{
	u64 more = at.n >= 16 ? word_at(at.p + 12, 4) : 0;

	put_capability_words(b, word_at(at.p, 4) | more << 32);
}

/* Arguments are words of 8 bytes, of which 32-bit programs use the low halves. */
void put_pair(struct buf *b, const struct call_view *v, struct bytes at)
{
	u64 first = word_at(at.p, 4), second = at.n >= 12 ? word_at(at.p + 8, 4) : 0;

	buf_s64(b, (s64)(v->base ? first << 32 | second : second << 32 | first));
}

/* Seconds in a word; nanoseconds in the next one if the size is that of more than a word. */
void put_date_word(struct buf *b, const struct call_view *v, struct bytes at)
{
	u32 width = v->size == 12 || v->size == 4 ? 4 : 8;
	bool has_fraction = v->size > width && at.n >= 2 * width;
	s64 seconds = (s64)word_at(at.p, width);

	if (v->base == 1) {
		put_bare_date(b, seconds);
		return;
	}
	buf_s64(b, seconds);
	put_date(b, seconds, has_fraction ? word_at(at.p + width, width) : 0, 9);
}

/* A field that need not be there is apart from the flags: 0x1|0x80000 */
static void restyle_apart(const struct shown *s, const struct call_set *set, size_t start, u64 word)
{
	size_t len = strcspn(s->b->s + start, "|");
	char flags[512];

	snprintf(flags, sizeof flags, "%s", s->b->s + start + len);
	s->b->len = start + len;
	call_restyle(s->b, s->style, start, CALL_AS_HEX, *flags ? word & set->field : word);
	if (!*flags)
		return;
	buf_putc(s->b, '|');
	start = s->b->len;
	buf_puts(s->b, flags + 1);
	call_restyle(s->b, s->style, start, CALL_AS_HEX, word & ~set->field);
}

/* The low byte of clone's flags is a signal, which strace shows apart: 0x1200000|17 */
static void restyle_clone(const struct shown *s, struct call_set *set, size_t start, u64 word)
{
	enum { SIGNAL = 0xff };
	const char *name = os_signal_name((u32)word & SIGNAL);
	u64 flags = word & ~(u64)SIGNAL;

	s->b->len = start;
	if (flags)
		put_flag_words(s->b, set, flags, false);
	if (flags)
		call_restyle(s->b, s->style, start, CALL_AS_HEX, flags);
	if (!(word & SIGNAL))
		return;
	buf_puts(s->b, flags ? "|" : "");
	start = s->b->len;
	if (name)
		buf_printf(s->b, "SIG%s", name);
	else
		buf_u64(s->b, word & SIGNAL);
	call_restyle(s->b, s->style, start, CALL_AS_SIGNED, word & SIGNAL);
}

/* -X: as a number. */
void call_restyle_view(const struct shown *s, const struct call_view *v, const u8 *p, size_t start)
{
	u64 word = word_at(p, v->size);
	enum call_number how = CALL_AS_HEX;

	switch ((enum view_kind)v->kind) {
	case VIEW_NAMES:
		if (v->base == 10 || (v->set && streq(v->set->name, "signal"))) {
			how = CALL_AS_SIGNED;
			word = (u64)number_of(v, p);
		}
		break;
	case VIEW_RLIMIT:
		how = CALL_AS_UNSIGNED;
		word = word_at(p, v->size);
		break;
	case VIEW_FILE_MODE: how = CALL_AS_OCTAL; break;
	case VIEW_ERROR:
		how = CALL_AS_SIGNED;
		word = (u64)number_of(v, p);
		break;
	case VIEW_INTERFACE: how = CALL_AS_UNSIGNED; break;
	case VIEW_FLAGS:
		if (streq(v->set->name, "clone")) {
			restyle_clone(s, v->set, start, word);
			return;
		}
		if (v->set->field && !v->set->any_field) {
			restyle_apart(s, v->set, start, word);
			return;
		}
		break;
	case VIEW_CAPS:
	case VIEW_DEVICE:
	case VIEW_QUOTA:
	case VIEW_PRIORITY:
	case VIEW_HANDLER:
	case VIEW_FUTEX_OP: break;
	default: return;
	}
	call_restyle(s->b, s->style, start, how, word);
}
