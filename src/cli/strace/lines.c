/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of sonde strace. In: the records of the script. Out: lines in the layout of
 * strace(1). */
#include <stddef.h>
#include "base/clock.h"
#include "cli/job.h"
#include "cli/strace/event.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/output.h"

#define SHOWN_AFTER_NS 50000000ull  /* a longer call is shown as unfinished */
#define LOOK_AFTER_NS 1000000000ull /* threads whose end was lost are looked for */

static struct strace *strace_of(struct sink *s)
{
	return ((struct cli *)((char *)s - offsetof(struct cli, sink)))->own.strace;
}

static bool is_late(const struct strace_thread *th, u64 ns)
{
	return th->call && !th->is_shown && !th->is_hidden && ns > th->begun_ns + SHOWN_AFTER_NS;
}

/* Calls that began before tracing and still run. */
static void show_in_calls(struct strace *st, u64 ns)
{
	struct strace_thread *th;
	bool more = false;
	u32 i = 0;

	while (!st->no_more_in_call && (th = strace_next_thread(st, &i))) {
		if (th->was_in_call && is_late(th, ns)) {
			strace_close_current(st, "<unfinished ...>");
			th->was_in_call = false;
			st->current = th;
		}
		more |= th->was_in_call;
	}
	st->no_more_in_call = !more;
}

static void on_tick(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th;
	u32 i = 0;

	if (!st->o.lines || strace_shows_whole(st))
		return;
	if (!st->o.separate) {
		show_in_calls(st, r->ns);
		if (st->current && is_late(st->current, r->ns))
			strace_begin_call(st, st->current);
		return;
	}
	while ((th = strace_next_thread(st, &i))) {
		if (is_late(th, r->ns))
			strace_begin_call(st, th);
		strace_write_file(st, th);
	}
}

static void (*const handlers[N_STRACE_RECORDS])(struct strace *st, const struct strace_event *r) = {
	[RECORD_ENTER] = strace_on_enter,     [RECORD_RETURN] = strace_on_return,
	[RECORD_BORN] = strace_on_born,       [RECORD_FORKED] = strace_on_forked,
	[RECORD_END] = strace_on_end,         [RECORD_SIGNAL] = strace_on_signal,
	[RECORD_IGNORED] = strace_on_ignored, [RECORD_TICK] = on_tick,
	[RECORD_EXEC] = strace_on_exec,       [RECORD_FILE] = strace_on_file,
	[RECORD_SOCKET] = strace_on_socket,   [RECORD_MEMORY] = strace_on_memory,
};

/* Until CMD is executed, its process is ours. */
static bool is_ours(struct strace *st, const struct strace_event *r, s64 kind)
{
	const struct strace_call *call;

	if (!st->awaits_exec || kind == RECORD_MEMORY || !job_is_launcher(st->c, r->pid))
		return false;
	if (kind == RECORD_EXEC) {
		st->awaits_exec = false;
		return false;
	}
	call = kind == RECORD_ENTER ? strace_call_of(st, r) : NULL;
	st->awaits_exec = !call || !starts_with(call->name, "execve");
	if (st->awaits_exec && (kind == RECORD_ENTER || kind == RECORD_RETURN))
		strace_forget_memory(strace_thread_of(st, r->tid, r->pid));
	return st->awaits_exec;
}

static void value(struct sink *s, const struct type *t, const void *p)
{
	struct strace *st = strace_of(s);
	struct strace_event r = { .t = t, .p = p };
	s64 kind;

	if (t->kind != TY_TUPLE || t->n_fields < 4)
		return;
	kind = event_number(&r, 0);
	r.tid = (u32)event_number(&r, 1);
	r.pid = (u32)event_number(&r, 2);
	r.ns = (u64)event_number(&r, 3);
	if (r.ns)
		st->last_ns = r.ns;
	else
		r.ns = st->last_ns;
	if (kind > 0 && kind < N_STRACE_RECORDS && !is_ours(st, &r, kind) &&
	    !(st->o.detach_on_execve && strace_is_detached(st, r.tid)) &&
	    !(st->o.detach_on_execve && strace_is_detached(st, r.pid)))
		handlers[kind](st, &r);
}

static void attached(struct sink *s, u32 n_probes)
{
	struct strace *st = strace_of(s);
	struct strace_thread *th;
	u32 i = 0;

	put_notify(s);
	s->awaits_more = true;
	st->names = *s->names;
	st->names.file = st->o.files ? strace_file : NULL;
	st->names.file_ctx = st;
	st->names.argstr_bytes = st->o.strings;
	st->names.style = &st->style;
	st->style.constants = st->o.constants;
	st->style.arg_names = st->o.arg_names;
	st->style.comm = st->o.pids ? strace_comm : NULL;
	st->style.comm_ctx = st;
	st->looked_ns = clock_mono_ns();
	while (st->o.lines && !strace_shows_whole(st) && (th = strace_next_thread(st, &i)))
		strace_look_in_call(st, th);
}

static void tick(struct sink *s)
{
	struct strace *st = strace_of(s);
	u64 now = clock_mono_ns();
	bool follows = st->c->request.traced.scope == SCOPE_TREE;

	if (now - st->looked_ns > LOOK_AFTER_NS) {
		st->looked_ns = now;
		strace_look_for_ends(st);
	}
	s->awaits_more = st->n_live > 0 || (st->n_expected > 0 && follows);
}

/* Memory that cannot be read is shown as its address: that is no loss. */
static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	if (loss_row(loss)->reason)
		output_text.lost(s, loss, count);
}

/* Detached: the call that was begun last is shown. */
static void end(struct sink *s)
{
	struct strace *st = strace_of(s);
	struct strace_thread *th;
	u32 i = 0;

	while (st->o.separate && (th = strace_next_thread(st, &i))) {
		st->current = th->call ? th : NULL;
		strace_close_current(st, "<detached ...>");
		strace_write_file(st, th);
	}
	strace_close_current(st, "<detached ...>");
	if (st->o.summary)
		strace_put_summary(st, &s->out);
	sink_flush(s);
}

const struct output output_strace = {
	.name = "strace",
	.brief = "lines as strace(1) prints them",
	.attached = attached,
	.tick = tick,
	TEXT_MESSAGES,
	.value = value,
	.table = none_table,
	.event = text_event,
	.lost = lost,
	.end = end,
};
