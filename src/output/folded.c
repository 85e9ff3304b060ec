/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the input of flame graph tools: a map with a stack in its key becomes one line for
 * each key, outermost frame first.
 *
 *	@[comm, ustack, kstack] = count()	bash;main;read;entry_SYSCALL_64;vfs_read 42
 *
 * The order of a line is that of output/stacks.h.
 * Everything else is as in text, except that no blank lines mark the end.
 */
#include "output/output.h"
#include "output/notice.h"
#include "output/stacks.h"
#include "trace/value.h"
#include "type/agg.h"

/* The separator and line ends may not occur inside a name. */
static void clean_since(struct buf *b, size_t start)
{
	for (size_t i = start; i < b->len; i++)
		if (b->s[i] == ';' || b->s[i] == '\n')
			b->s[i] = b->s[i] == ';' ? ':' : ' ';
}

struct line {
	struct sink *sink;
	size_t start;
};

static void fold_frame(void *ctx, const struct stack_frame *f)
{
	const struct line *line = ctx;
	struct buf *b = &line->sink->out;
	size_t start;

	if (b->len > line->start)
		buf_putc(b, ';');
	start = b->len;
	put_frame_label(b, line->sink->names, f);
	clean_since(b, start);
}

static void fold_row(struct sink *s, const struct table *t, const struct table_row *row)
{
	const struct type *type = t->map->value;
	size_t line = s->out.len;
	s64 n = value_div(type, table_number(type, row->value), t->div);

	stacks_walk(s->names, t->map->key, row->key, fold_frame, &(struct line){ s, line });
	if (s->out.len == line)
		buf_puts(&s->out, stacks_frame_of_none(t->map->key)->name);
	buf_putc(&s->out, ' ');
	if (type->is_signed)
		buf_s64(&s->out, n);
	else
		buf_u64(&s->out, (u64)n);
	buf_putc(&s->out, '\n');
}

static void table(struct sink *s, const struct table *t)
{
	if (!stacks_are_keys(t)) {
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
	TEXT_HOOKS,
	.table = table,
	.end = sink_item,
};
