/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines. In: the open calls of a thread. Out: a line where a call begins to call, a line where
 * it ends, and one for both if it called nothing, in the layout of uftrace:
 *
 *	              [  2806] | work() {
 *	     0.653 us [  2806] |   leaf() = 3;
 *	    12.345 us [  2806] | } = 3; // work
 */
#include "cli/flow/flow.h"

static void put_head(const struct flow *f, struct flow_thread *th, const u64 *took, u32 depth)
{
	struct buf *b = &th->text;

	if (took)
		flow_put_time(b, *took);
	else
		buf_pad(b, ' ', 12);
	buf_printf(b, " [%6u] | ", th->tid);
	buf_pad(b, ' ', 2 * depth);
}

static bool is_deep(const struct flow *f, u32 depth)
{
	return f->depth && depth >= f->depth;
}

static void put_call(struct flow *f, struct flow_thread *th, u32 i, const char *args)
{
	struct flow_frame *frame = &th->open.v[i];
	const char *name = flow_name(f, frame->function), *open = strchr(name, '(');
	const char *text = args ? args : frame->args;

	buf_printf(&th->text, "%s%.*s%s(%s)", f->t.has_color ? "\033[36m" : "",
		   (int)(open ? open - name : (s32)strlen(name)), name,
		   f->t.has_color ? "\033[0m" : "", text ? text : "");
}

/* Lines that are not needed for --over are written at once. */
void flow_write_lines(struct flow *f, struct flow_thread *th)
{
	struct buf *b = &f->s->out;

	if (f->over_ns && th->open.n)
		return;
	if (!th->text.len)
		return;
	if (!f->has_head)
		buf_puts(b, "# DURATION       TID     FUNCTION\n");
	f->has_head = true;
	buf_add(b, th->text.s, th->text.len);
	buf_clear(&th->text);
	sink_item(f->s);
}

/* The call on top is about to call something. */
void flow_put_begun(struct flow *f, struct flow_thread *th)
{
	struct flow_frame *top = &th->open.v[th->open.n - 1];

	if (f->is_json || top->is_open || is_deep(f, th->open.n))
		return;
	top->is_open = true;
	top->line = th->text.len;
	put_head(f, th, NULL, th->open.n - 1);
	put_call(f, th, th->open.n - 1, NULL);
	buf_puts(&th->text, " {\n");
	if (!f->over_ns)
		flow_write_lines(f, th);
}

static void put_result(struct flow_thread *th, const struct flow_end *end)
{
	if (end->result)
		buf_printf(&th->text, " = %s", end->result);
}

static void put_closing(struct flow *f, struct flow_thread *th, const struct flow_end *end)
{
	const char *name = flow_name(f, th->open.v[th->open.n - 1].function);

	buf_putc(&th->text, '}');
	put_result(th, end);
	buf_printf(&th->text, " // %.*s%s\n", (int)strcspn(name, "("), name,
		   end->unseen ? ": no return seen" : "");
}

static void put_end(struct flow *f, struct flow_thread *th, const struct flow_end *end)
{
	u32 i = th->open.n - 1;
	struct flow_frame *top = &th->open.v[i];
	u64 took = end->ns - top->ns;

	if (took < f->over_ns && top->is_open && !top->was_aside)
		th->text.len = top->line;
	if (took >= f->over_ns && !is_deep(f, i)) {
		put_head(f, th, &took, i);
		if (top->is_open) {
			put_closing(f, th, end);
		} else {
			put_call(f, th, i, end->args);
			put_result(th, end);
			buf_puts(&th->text, end->unseen ? "; // no return seen\n" : ";\n");
		}
	}
	if (!f->over_ns || !i) {
		th->open.n--; /* it is not open any more */
		flow_write_lines(f, th);
		th->open.n++;
	}
}

void flow_put_end(struct flow *f, struct flow_thread *th, const struct flow_end *end)
{
	if (f->is_json)
		flow_json_end(f, th, end);
	else
		put_end(f, th, end);
}

static void put_unfinished(struct flow *f, struct flow_thread *th, u32 i)
{
	struct flow_frame *frame = &th->open.v[i];

	if (frame->is_open || is_deep(f, i) || th->last_ns - frame->ns < f->over_ns)
		return;
	put_head(f, th, NULL, i);
	put_call(f, th, i, NULL);
	buf_puts(&th->text, "; // has not returned\n");
}

void flow_put_unfinished(struct flow *f, struct flow_thread *th, u32 i)
{
	if (f->is_json)
		flow_json_unfinished(f, th, i);
	else
		put_unfinished(f, th, i);
}
