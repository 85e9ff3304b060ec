/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded lines, the input of flame graph tools: one count for each thread name and event. The name
 * of the call follows an event of system calls, the stack, outermost function first, an event that
 * has one.
 *
 *	make;sched:sched_process_fork 12
 *	make;raw_syscalls:sys_enter;openat 1204
 *	make;sched:sched_switch;main;read_all;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;schedule 7
 *
 * Off the CPU, the second part is the state of the thread, and the number the microseconds that it
 * lasted, from the switch away from the thread to the switch to it:
 *
 *	make;sleeping;main;read_all;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;schedule 41207
 */
#include <stdlib.h>
#include "export/calls.h"
#include "export/frames.h"
#include "export/timeline/model.h"
#include "trace/event_line.h"

struct line_key {
	char comm[COMM_SIZE];
	/* Numbers; call: of a raw call, else ~0. Off the CPU: an enum task_state, and ~0. */
	u32 format, call;
	/* Equal stacks of a file are at the same address; names depend on the process. */
	const u64 *stack[N_STACK_SIDES];
	u64 pid; /* 0 without user stack */
};

struct line {
	struct line_key key;
	const char *text;
	u64 count;
};

struct wait { /* of a thread */
	u32 tid, reserved;
	u64 since;
	struct line *line; /* NULL: it does not wait */
};

struct folded {
	const struct export_job *j;
	struct hash waits; /* tid -> struct wait * */
	struct arena arena;
	struct frames frames;
	struct hash known; /* line_key -> struct line * */
	VEC(struct line *) lines;
};

/* The separator and line ends may not occur inside a name. */
static void put_name(struct buf *b, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_putc(b, name[i] == ';' ? ':' : name[i] == '\n' ? ' ' : name[i]);
}

/* The outermost frame first; what is missing above is one, too. */
static void put_stack(struct buf *b, const struct framed_stack *s)
{
	for (u32 i = s ? s->n : 0; i-- > 0;) {
		buf_putc(b, ';');
		put_name(b, s->frames[i]->name, strlen(s->frames[i]->name));
	}
}

/* second, third: the parts after the thread; third may be NULL. */
static const char *text_of(struct folded *f, const struct trace_event *e, const char *second,
			   const char *third)
{
	struct buf b = { 0 };
	const char *text;
	u32 len;
	const char *comm = event_comm(e, &len);

	put_name(&b, comm, len);
	buf_putc(&b, ';');
	put_name(&b, second, strlen(second));
	if (third)
		buf_printf(&b, ";%s", third);
	put_stack(&b, frames_of(&f->frames, e));
	text = arena_strdup(&f->arena, b.s);
	buf_release(&b);
	return text;
}

static struct line *line_of(struct folded *f, const struct trace_event *e, u32 format, u32 call,
			    const char *second, const char *third)
{
	struct line_key key = { .format = format,
				.call = call,
				.stack = { e->stack[STACK_KERNEL].ips, e->stack[STACK_USER].ips },
				.pid = e->stack[STACK_USER].n ? e->pid : 0 };
	struct line *line;
	u32 len;
	const char *comm = event_comm(e, &len);

	memcpy(key.comm, comm, len);
	line = hash_get(&f->known, &key, sizeof key);
	if (line)
		return line;
	line = arena_new(&f->arena, struct line);
	*line = (struct line){ .key = key, .text = text_of(f, e, second, third) };
	hash_put(&f->known, &line->key, sizeof line->key, line);
	vec_push(&f->arena, &f->lines, line);
	return line;
}

static void add_event(struct folded *f, const struct trace_event *e)
{
	struct call_event call = { 0 };
	bool is_raw = call_of_event(e, &call) && call.is_raw;

	line_of(f, e, e->format->stored, is_raw ? call.number : ~0u, e->format->name,
		is_raw ? call.name : NULL)
		->count++;
}

static struct wait *wait_of(struct folded *f, u32 tid)
{
	struct wait *w = hash_get(&f->waits, &tid, sizeof tid);

	if (w)
		return w;
	w = arena_new(&f->arena, struct wait);
	*w = (struct wait){ .tid = tid };
	hash_put(&f->waits, &w->tid, sizeof w->tid, w);
	return w;
}

static void add_wait(struct folded *f, const struct trace_event *e)
{
	static const char *const names[] = {
		[STATE_RUNNABLE] = "preempted",
		[STATE_SLEEPING] = "sleeping",
		[STATE_BLOCKED] = "blocked",
		[STATE_STOPPED] = "stopped",
	};
	enum task_state state;
	struct wait *w;

	if (!streq(e->format->name, "sched:sched_switch"))
		return;
	w = wait_of(f, (u32)event_number(e, "next_pid"));
	if (w->line)
		w->line->count += e->time - w->since;
	w->line = NULL;
	w = wait_of(f, (u32)event_number(e, "prev_pid"));
	w->line = NULL;
	state = model_state_after(event_number(e, "prev_state"));
	if (!w->tid || state == STATE_UNKNOWN)
		return;
	w->since = e->time;
	w->line = line_of(f, e, state, ~0u, names[state], NULL);
}

static int by_text(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	return strcmp(x->text, y->text);
}

/* Lines of several processes may be the same. */
static void put_lines(struct folded *f, u64 unit, struct buf *b)
{
	u64 count = 0;

	for (u32 i = 0; i < f->lines.n; i++) {
		const struct line *line = f->lines.v[i];

		count += line->count;
		if (i + 1 < f->lines.n && streq(line->text, f->lines.v[i + 1]->text))
			continue;
		if (count >= unit)
			buf_printf(b, "%s %llu\n", line->text, (unsigned long long)(count / unit));
		count = 0;
	}
}

void put_folded(const struct export_job *j, bool off_cpu, struct buf *b)
{
	struct folded f = { .j = j };
	struct trace_event e;

	arena_init(&f.arena);
	frames_init(&f.frames, j->names, j->stack_names);
	number_formats(j->tables);
	while (store_next(j->store, &e))
		(off_cpu ? add_wait : add_event)(&f, &e);
	if (f.lines.n)
		qsort(f.lines.v, f.lines.n, sizeof *f.lines.v, by_text);
	put_lines(&f, off_cpu ? 1000 : 1, b);
	frames_release(&f.frames);
	hash_release(&f.known);
	hash_release(&f.waits);
	arena_release(&f.arena);
}

static int run(const struct export_job *j, struct err *err)
{
	struct out o;

	if (out_open(&o, j->path, err) < 0)
		return err->code;
	put_folded(j, false, &o.buf);
	return out_close(&o, j->path, err);
}

const struct exporter export_folded = {
	.name = "folded",
	.brief = "lines of thread, event, stack and count, for flame graphs",
	.suffix = ".folded",
	.run = run
};
