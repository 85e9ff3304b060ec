/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A system call as text. Input: a value of argstr, whose format has a view for each argument.
 * Output, by call_show():
 *
 *	AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC
 */
#include "trace/call_text.h"
#include "trace/call_number.h"
#include "trace/call_quote.h"
#include "trace/call_show.h"

enum { MOST_SHOWN = 32 }; /* bytes of text and elements of an array */

/* ---- arguments */

/* Its format; NULL: the value cannot be shown. */
static const struct call_format *open_value(struct shown *s, struct buf *b,
					    const struct names *names, const void *value, u32 size)
{
	u64 head = word_at(value, 8);
	u32 nr = (u32)(head >> CALL_NUMBER_SHIFT & CALL_NUMBER);
	const struct call_format *f = names && names->prog && names->prog->calls &&
						      nr < SYSCALL_SET_BITS ?
					      names->prog->calls[nr] :
					      NULL;

	*s = (struct shown){ .b = b,
			     .names = names,
			     .most = names ? names->argstr_bytes : MOST_SHOWN,
			     .hex = names ? names->argstr_hex : 0,
			     .most_name = names ? MIN(names->max_strlen, (u32)CALL_FILE_NAME) : 0,
			     .style = names ? names->style : NULL,
			     .more = names && names->style ? names->style->more : NULL,
			     .value = value,
			     .used = MIN((u32)(head & CALL_USED), size),
			     .n_args = (u32)MIN(head >> CALL_ARGS_SHIFT & 0xff, (u64)CALL_MAX_ARGS),
			     .protocol = head >> CALL_PROTOCOL_SHIFT & CALL_PROTOCOL,
			     .returned = head >> CALL_RESULT_SHIFT & 1 };
	if (!f || s->used < CALL_AT_ARGS + 8 * s->n_args || f->n > s->n_args)
		return NULL;
	s->f = f;
	s->result = s->left = (s64)word_at(s->value + CALL_AT_RESULT, 8);
	return f;
}

void call_text(struct buf *b, const struct names *names, const void *value, u32 size)
{
	struct shown s;
	const struct call_format *f = open_value(&s, b, names, value, size);
	const char *between = "";

	if (!f)
		return;
	if (f->whole) {
		call_show_members(&s, f->whole,
				  (struct bytes){ .p = s.value + CALL_AT_ARGS, .n = 8 * s.n_args });
		return;
	}
	for (u32 i = 0; i < f->n; i++) {
		const struct call_view *v = &f->arg[i].view;

		if (v->kind == VIEW_CHOICE)
			v = call_chosen(&s, v->choice, NULL, 0);
		if (v->kind == VIEW_HIDDEN)
			continue;
		buf_puts(b, between);
		between = ", ";
		if (s.style && s.style->arg_names)
			buf_printf(b, "%s=", f->arg[i].name);
		call_show(&s, v,
			  (struct bytes){ .p = s.value + CALL_AT_ARGS + 8 * i,
					  .n = 8 * (s.n_args - i) });
	}
}

void call_dump_text(struct buf *b, const struct names *names, const void *value, u32 size)
{
	struct buf text = { 0 };
	struct shown s;
	const struct call_format *f = open_value(&s, &text, names, value, size);

	s.dump = b;
	s.style = NULL;
	for (u32 i = 0; f && i < f->n && s.result >= 0; i++)
		call_show(&s, &f->arg[i].view,
			  (struct bytes){ .p = s.value + CALL_AT_ARGS + 8 * i, .n = 8 });
	buf_release(&text);
}

void call_raw_text(struct buf *b, const struct names *names, const void *value, u32 size)
{
	struct shown s;
	const struct call_format *f = open_value(&s, b, names, value, size);

	for (u32 i = 0; f && i < f->n; i++)
		buf_printf(b, "%s%#llx", i ? ", " : "", (unsigned long long)call_arg_of(&s, i));
}

/* ---- what follows the result */

static bool is_hex(const struct call_view *v)
{
	return v->kind == VIEW_FLAGS || (v->kind == VIEW_NAMES && v->base == 16);
}

/* Not shown: no flags, an empty array, no such argument, memory that is not known. */
static bool says_nothing(const struct shown *s, const char *text, size_t len)
{
	bool is_raw = s->style && s->style->constants == CALL_RAW;

	return !len || (len == 1 && *text == '0') || (len == 2 && !memcmp(text, "[]", 2)) ||
	       (len == 4 && !memcmp(text, "NULL", 4)) ||
	       (len > 2 && !is_raw && !memcmp(text, "0x", 2) && !memchr(text, ' ', len));
}

/* " (in [5], left {tv_sec=0, tv_nsec=998799})" */
static void show_remark(struct shown *s, const struct call_struct *st, struct bytes words)
{
	const char *between = " (";

	for (u32 i = 0; i < st->n; i++) {
		const struct call_view *v = &st->v[i].view;
		struct bytes at = words;
		size_t before = s->b->len, begun;

		if (v->kind == VIEW_CHOICE)
			v = call_chosen(s, v->choice, words.p, words.n);
		if (v->kind == VIEW_HIDDEN || st->v[i].offset + call_size_of(v) > words.n)
			continue;
		at.p += st->v[i].offset;
		at.n -= st->v[i].offset;
		buf_printf(s->b, "%s%s%s", between, st->v[i].name, *st->v[i].name ? " " : "");
		begun = s->b->len;
		call_show(s, v, at);
		if (says_nothing(s, s->b->s + begun, s->b->len - begun))
			s->b->len = before;
		else
			between = ", ";
		if (v->kind == VIEW_LITERAL)
			break;
	}
	buf_puts(s->b, *between == ',' ? ")" : "");
}

void call_result_text(struct buf *b, const struct names *names, const void *value, u32 size,
		      s64 result)
{
	struct shown s;
	const struct call_format *f = open_value(&s, b, names, value, size);
	const struct call_view *v = f ? &f->result : NULL;
	struct bytes words = { .p = s.value + CALL_AT_RESULT, .out = true };

	words.base = words.p;
	words.n = words.n_base = 8 + 8 * s.n_args;
	if (v && v->kind == VIEW_CHOICE)
		v = call_chosen(&s, v->choice, words.p, words.n);
	if (!v || v->kind != VIEW_MEMBERS || v->st->v[0].view.kind == VIEW_FD) {
		buf_s64(b, result);
		if (v && v->kind == VIEW_MEMBERS)
			put_file(b, names, (s32)result, false);
		return;
	}
	if (is_hex(&v->st->v[0].view))
		buf_printf(b, "%#llx", (unsigned long long)result);
	else
		buf_s64(b, result);
	s.plain_fds = true;
	show_remark(&s, v->st, words);
}
