/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the input of flame graph tools: a map with a stack in its key becomes one line for
 * each key, outermost frame first.
 *
 *	@[comm, ustack, kstack] = count()	bash;main;read;entry_SYSCALL_64;vfs_read 42
 *
 * Parts that are not stacks come first in their order, then user frames, then kernel frames.
 * Everything else is as in text, except that no blank lines mark the end.
 */
#include "output/hist.h"
#include "output/output.h"
#include "output/notice.h"
#include "trace/value.h"
#include "type/agg.h"

static void attached(struct sink *s, u32 n_probes)
{
	output_text.attached(s, n_probes);
}

static void text(struct sink *s, enum sink_text kind, const char *bytes, size_t len)
{
	output_text.text(s, kind, bytes, len);
}

static void value(struct sink *s, const struct type *t, const void *p)
{
	output_text.value(s, t, p);
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	output_text.lost(s, loss, count);
}

static void message(struct sink *s, enum sink_level level, struct span span, const char *bytes)
{
	output_text.message(s, level, span, bytes);
}

static void end(struct sink *s)
{
	sink_item(s);
}

static bool has_stack(const struct type *t)
{
	if (type_is_stack(t))
		return true;
	for (u32 i = 0; i < t->n_fields && (t->kind == TY_TUPLE || t->kind == TY_RECORD); i++)
		if (has_stack(t->fields[i].type))
			return true;
	return false;
}

static bool has_number(const struct type *t)
{
	return t->kind == TY_INT || (type_is_agg(t) && t->kind != TY_TSERIES);
}

/* The separator and line ends may not occur inside a name. */
static void clean_since(struct buf *b, size_t start)
{
	for (size_t i = start; i < b->len; i++)
		if (b->s[i] == ';' || b->s[i] == '\n')
			b->s[i] = b->s[i] == ';' ? ':' : ' ';
}

static void separate(struct buf *b, size_t line)
{
	if (b->len > line)
		buf_putc(b, ';');
}

static void fold_stack(struct sink *s, size_t line, const struct type *t, const void *p, bool user)
{
	u64 ips[STACK_MAX_FRAMES];

	for (u32 n = stack_frames(s->names, t, p, user, ips); n-- > 0;) {
		separate(&s->out, line);
		size_t start = s->out.len;

		frame_name(&s->out, s->names, user, stack_pid(t, p), ips[n]);
		clean_since(&s->out, start);
	}
}

static void fold_word(struct sink *s, size_t line, const struct type *t, const void *p)
{
	separate(&s->out, line);
	size_t start = s->out.len;

	value_text(&s->out, s->names, t, p);
	clean_since(&s->out, start);
}

enum part { PART_WORD, PART_USER, PART_KERNEL, N_PARTS };

static void fold_part(struct sink *s, size_t line, enum part part, const struct type *t,
		      const char *p)
{
	if (t->kind == TY_TUPLE || t->kind == TY_RECORD) {
		for (u32 i = 0; i < t->n_fields; i++)
			fold_part(s, line, part, t->fields[i].type, p + t->fields[i].offset);
		return;
	}
	if (part == PART_WORD && !type_is_stack(t))
		fold_word(s, line, t, p);
	else if (part != PART_WORD && type_is_stack(t))
		fold_stack(s, line, t, p, part == PART_USER);
}

static void fold_row(struct sink *s, const struct table *t, const struct table_row *row)
{
	const struct type *type = t->map->value;
	size_t line = s->out.len;
	s64 n = value_div(type, table_number(type, row->value), t->div);

	for (u32 part = 0; part < N_PARTS; part++)
		fold_part(s, line, part, t->map->key, row->key);
	if (s->out.len == line)
		buf_puts(&s->out, "[unknown]");
	buf_putc(&s->out, ' ');
	if (type->is_signed)
		buf_s64(&s->out, n);
	else
		buf_u64(&s->out, (u64)n);
	buf_putc(&s->out, '\n');
}

static void table(struct sink *s, const struct table *t)
{
	if (!t->map->key || !has_stack(t->map->key) || !has_number(t->map->value)) {
		output_text.table(s, t);
		return;
	}
	for (u32 i = 0; i < t->rows.n; i++) {
		fold_row(s, t, &t->rows.v[i]);
		sink_row(s);
	}
	sink_item(s);
}

const struct output output_folded = {
	.name = "folded",
	.brief = "stack-keyed maps as folded lines for flame graphs",
	.doc = "A map whose key has a stack prints one line for each key: frames from the outermost to "
	       "the innermost, separated by semicolons, then the number. Everything else is text.",
	.example = "sonde -f folded -e 'profile:hz:99 { @[ustack, kstack] = count(); }'",
	.attached = attached,
	.text = text,
	.value = value,
	.table = table,
	.lost = lost,
	.message = message,
	.test = text_test,
	.tested = text_tested,
	.bench = text_bench,
	.end = end,
};
