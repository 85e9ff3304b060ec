/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of sonde flow. In: the records of the script. Out: entries and returns for
 * frames.c. */
#include <stdlib.h>
#include "base/clock.h"
#include "cli/flow/flow.h"
#include "cli/strace/strace.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/output.h"

/* Members of a record; values follow. */
enum { AT_CLAUSE, AT_KIND, AT_NS, AT_TID, AT_PROBE, AT_SP, AT_BACK, AT_VALUES };

static struct flow *flow_of(struct sink *s)
{
	return s->state;
}

/* ---- records */

struct record {
	struct flow *f;
	const struct type *type;
	const char *p;
	const struct trace_clause *clause; /* NULL: of system calls and the kernel */
};

static s64 number(const struct record *r, u32 i)
{
	return tuple_int(r->type, r->p, i);
}

static void put_value(const struct record *r, struct buf *b, u32 i)
{
	trace_put_value(b, r->f->s->names, r->type->fields[i].type,
			r->p + r->type->fields[i].offset);
}

/* "n=2, word=\"odd\""; NULL: nothing. The caller frees it. */
static char *values_text(const struct record *r, bool named)
{
	struct buf b = { 0 };

	for (u32 i = AT_VALUES; i < r->type->n_fields; i++) {
		buf_puts(&b, i > AT_VALUES ? ", " : "");
		if (named)
			buf_printf(&b, "%s=", r->clause->fields.v[i - AT_VALUES].name);
		put_value(r, &b, i);
	}
	return b.s;
}

/* The caller frees it. NULL: nothing is known. */
static char *kernel_args_text(const struct record *r, u32 function)
{
	struct buf b = { 0 };
	u64 words[FLOW_WORDS];

	for (u32 i = 0; i < FLOW_WORDS; i++)
		words[i] = (u64)number(r, AT_VALUES + i);
	flow_put_kernel_args(r->f, &b, function, words);
	return b.s;
}

static bool is_of_kernel(const struct record *r)
{
	u64 kind = (u64)number(r, AT_KIND);

	return kind == FLOW_KERNEL_ENTER || kind == FLOW_KERNEL_RETURN;
}

static char *result_text(const struct record *r, u32 function)
{
	struct buf b = { 0 };

	if (!is_of_kernel(r))
		return values_text(r, false);
	flow_put_kernel_result(r->f, &b, function, (u64)number(r, AT_VALUES));
	return b.s;
}

static void enter(struct flow *f, struct flow_thread *th, const struct record *r,
		  struct flow_frame *frame)
{
	bool has_values = r->type->n_fields > AT_VALUES;

	if (has_values && r->clause)
		frame->args = values_text(r, true);
	else if (has_values)
		frame->args = kernel_args_text(r, frame->function);
	flow_enter(f, th, frame);
}

static void leave(struct flow *f, struct flow_thread *th, const struct record *r,
		  const struct flow_frame *frame)
{
	struct flow_end end = { .ns = frame->ns };
	char *text = r->type->n_fields > AT_VALUES ? result_text(r, frame->function) : NULL;

	end.result = text;
	flow_return(f, th, frame, &end);
	free(text);
}

static void leave_call(struct flow *f, struct flow_thread *th, const struct record *r,
		       struct flow_frame *frame)
{
	struct flow_end end = { .ns = frame->ns };
	const struct field *value = &r->type->fields[AT_VALUES + 1];
	struct strace_call call = { 0 };
	struct buf args = { 0 }, result = { 0 };

	call.name = flow_name(f, frame->function);
	put_value(r, &args, AT_VALUES + 1);
	strace_describe(&call);
	strace_put_result(&result, &call, f->s->names, r->p + value->offset, value->type->size,
			  number(r, AT_VALUES));
	end.args = args.s;
	end.result = result.s;
	flow_return(f, th, frame, &end);
	buf_release(&args);
	buf_release(&result);
}

static bool has_layout(const struct type *type)
{
	return type->kind == TY_TUPLE && type->n_fields >= AT_VALUES &&
	       type->fields[AT_PROBE].type->kind == TY_PROBE;
}

static enum flow_split_kind split_kind(const struct flow *f, u64 clause)
{
	return clause < f->split.kinds.n ? f->split.kinds.v[clause] : SPLIT_ENTER;
}

static void show(struct flow *f, const struct type *type, const void *p)
{
	struct record r = { .f = f, .type = type, .p = p };
	struct flow_thread *th;
	struct flow_frame frame;
	u64 clause = (u64)number(&r, AT_CLAUSE);

	r.clause = clause < f->t.clauses.n ? &f->t.clauses.v[clause] : NULL;
	frame = (struct flow_frame){ .function = flow_function(f, (u32)number(&r, AT_PROBE)),
				     .sp = (u64)number(&r, AT_SP),
				     .back = (u64)number(&r, AT_BACK),
				     .ns = (u64)number(&r, AT_NS),
				     .in_kernel = !r.clause };
	th = flow_thread(f, (u32)number(&r, AT_TID));
	if (f->split.is_on && !flow_is_inside(th, split_kind(f, clause), frame.sp))
		return;
	if (frame.function == FLOW_NONE)
		return;
	f->t.n_events++;
	switch ((enum flow_record)number(&r, AT_KIND)) {
	case FLOW_ENTER:
	case FLOW_CALL_ENTER:
	case FLOW_KERNEL_ENTER: enter(f, th, &r, &frame); break;
	case FLOW_RETURN:
	case FLOW_KERNEL_RETURN: leave(f, th, &r, &frame); break;
	case FLOW_CALL_RETURN: leave_call(f, th, &r, &frame); break;
	}
}

/* Those up to this time. */
static void show_waiting(struct flow *f, u64 until)
{
	struct flow_waiting w;

	while (flow_next_waiting(f, until, &w)) {
		show(f, w.type, w.value);
		free(w.value);
	}
}

static void value(struct sink *s, const struct type *type, const void *p)
{
	struct flow *f = flow_of(s);
	struct record r = { .f = f, .type = type, .p = p };
	struct flow_waiting w;

	if (!has_layout(type))
		return;
	if (!f->split.is_on) {
		show(f, type, p);
		return;
	}
	w = (struct flow_waiting){ .ns = (u64)number(&r, AT_NS), .type = type };
	if (split_kind(f, (u64)number(&r, AT_CLAUSE)) >= SPLIT_KERNEL_BEGIN) {
		w.value = xcalloc(1, type->size);
		memcpy(w.value, p, type->size);
		flow_wait(f, &w);
		return;
	}
	show_waiting(f, w.ns);
	show(f, type, p);
}

/* ---- the output */

static void settled(struct sink *s, u64 boot_ns)
{
	show_waiting(flow_of(s), boot_ns);
}

static void attached(struct sink *s, u32 n_probes)
{
	if (!flow_of(s)->t.begun_ns) /* by another engine, which could not begin */
		text_attached(s, n_probes);
	flow_of(s)->t.begun_ns = clock_mono_ns();
	if (flow_has_kernel(flow_of(s)))
		flow_tell_cost(flow_of(s), n_probes);
}

/* What helpers call while a program runs is not the traced thread's. Functions of an interrupt that
 * arrives then are among them. */
static bool is_of_tracer(const struct flow *f, const struct loss *loss)
{
	return flow_has_kernel(f) && !f->t.c->request.verbose &&
	       (loss->reason == LOSS_NESTED || loss->reason == LOSS_SKIPPED_ANY);
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct flow *f = flow_of(s);

	if (loss->reason == LOSS_UNREADABLE || is_of_tracer(f, loss))
		return;
	if (loss_row(loss)->reason)
		f->t.n_lost += count;
	text_lost(s, loss, count);
}

static void end(struct sink *s)
{
	struct flow *f = flow_of(s);
	struct flow_thread *th;

	show_waiting(f, ~0ull);
	flow_end(f);
	for (u32 i = 0; i < f->threads.cap; i++)
		if (f->threads.slot[i].key && (th = f->threads.slot[i].value))
			flow_write_lines(f, th);
	if (f->shows.report)
		flow_put_report(f, &s->out);
	if (f->shows.graph)
		flow_put_graph(f, &s->out);
	sink_flush(s);
}

const struct output output_flow = {
	.name = "flow",
	.brief = "a tree of calls",
	.attached = attached,
	TEXT_MESSAGES,
	.value = value,
	.table = none_table,
	.event = text_event,
	.lost = lost,
	.end = end,
	.settled = settled,
};
