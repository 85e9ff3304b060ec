/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON array format of Chrome's about:tracing ("Trace Event Format"), which Perfetto,
 * speedscope and Trace Compass read:
 *
 *	switches	a slice (X) for each stay of a thread on a processor, in the process "processors"
 *	system calls	a slice of the thread; one whose entry or return is not there is an instant, one that the file ends in
 *			has no end (B)
 *	other events	instants (i) of the thread, with their text
 *
 * Slices of one row never overlap. Times are microseconds. Stacks are in "stackFrames", a tree in
 * which a frame names the one that called it; "sf" of an event, or of the beginning of a slice, and
 * "esf" of its end are the innermost frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "export/calls.h"
#include "export/frames.h"
#include "trace/event_line.h"

enum { PROCESSORS = 0 }; /* the pid of their rows: no thread has it */

struct slice {    /* that has begun */
	u64 from; /* 0: none */
	u32 tid;
	u32 stack; /* where it began: a node; 0: not known */
	char name[64];
};

struct node {               /* of the tree of stacks */
	u32 number, parent; /* parent 0: none */
	const struct frame *frame;
};

struct node_key {
	u32 parent, frame;
};

struct thread {
	u32 tid, pid;
	char comm[COMM_SIZE];
	struct slice call;
};

struct chrome {
	const struct export_job *j;
	struct out out;
	struct buf text;
	struct arena arena;
	struct hash threads;
	VEC(struct thread *) all; /* the same */
	bool has_returns;         /* of calls */
	struct slice *cpus;
	u32 n_cpus;
	bool has_items;
	struct frames frames;
	struct hash by_key; /* struct node_key -> struct node * */
	VEC(struct node *) nodes;
};

/* ---- items of the array */

static void put_us(struct buf *b, u64 ns)
{
	buf_printf(b, "%llu.%03llu", (unsigned long long)ns / 1000, (unsigned long long)ns % 1000);
}

/* {"ph":"X","pid":1,"tid":2,"name":"x" */
static struct buf *begin_item(struct chrome *c, char kind, u32 pid, u32 tid, const char *name,
			      size_t len)
{
	struct buf *b = &c->out.buf;

	buf_printf(b, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":", c->has_items ? ",\n" : "",
		   kind, pid, tid);
	json_str(b, name, len);
	c->has_items = true;
	return b;
}

static void end_item(struct chrome *c)
{
	buf_putc(&c->out.buf, '}');
	out_room(&c->out);
}

/* ---- stacks */

static u32 node_of(struct chrome *c, u32 parent, const struct frame *frame)
{
	struct node_key key = { parent, frame->number };
	struct node *n = hash_get(&c->by_key, &key, sizeof key);

	if (!n) {
		n = arena_new(&c->arena, struct node);
		*n = (struct node){ c->nodes.n + 1, parent, frame };
		vec_push(&c->arena, &c->nodes, n);
		hash_put(&c->by_key, arena_dup(&c->arena, &key, sizeof key), sizeof key, n);
	}
	return n->number;
}

/* The node of the event's innermost frame; 0: it has no stack. */
static u32 stack_of(struct chrome *c, const struct trace_event *e)
{
	struct framed_stack *s = frames_of(&c->frames, e);
	u32 at = 0;

	if (!s || s->count)
		return s ? (u32)s->count : 0;
	for (u32 i = s->n; i-- > 0;)
		at = node_of(c, at, s->frames[i]);
	s->count = at;
	return at;
}

static void put_stack(struct buf *b, const char *member, u32 node)
{
	if (node)
		buf_printf(b, ",\"%s\":%u", member, node);
}

static void put_nodes(struct chrome *c)
{
	struct buf *b = &c->out.buf;

	for (u32 i = 0; i < c->nodes.n; i++) {
		const struct node *n = c->nodes.v[i];
		const char *file = base_name(n->frame->module);

		buf_printf(b, "%s\"%u\":{\"category\":", i ? ",\n" : ",\"stackFrames\":{\n",
			   n->number);
		json_str(b, file, strlen(file));
		buf_puts(b, ",\"name\":");
		json_str(b, n->frame->name, strlen(n->frame->name));
		if (n->parent)
			buf_printf(b, ",\"parent\":\"%u\"", n->parent);
		buf_putc(b, '}');
		out_room(&c->out);
	}
	buf_puts(b, c->nodes.n ? "\n}" : "");
}

static void put_name(struct chrome *c, const char *what, u32 pid, u32 tid, const char *name)
{
	struct buf *b = begin_item(c, 'M', pid, tid, what, strlen(what));

	buf_puts(b, ",\"args\":{\"name\":");
	json_str(b, name, strlen(name));
	buf_putc(b, '}');
	end_item(c);
}

static void put_slice(struct chrome *c, u32 pid, u32 tid, const struct slice *s, u64 to,
		      const char *category)
{
	struct buf *b = begin_item(c, 'X', pid, tid, s->name, strlen(s->name));

	buf_printf(b, ",\"cat\":\"%s\",\"ts\":", category);
	put_us(b, s->from);
	buf_puts(b, ",\"dur\":");
	put_us(b, to - MIN(s->from, to));
	put_stack(b, "sf", s->stack);
}

static void put_instant(struct chrome *c, const struct trace_event *e)
{
	const char *name = e->format->name, *colon = strchr(name, ':');
	struct buf *b = begin_item(c, 'i', e->pid, e->tid, colon ? colon + 1 : name,
				   strlen(colon ? colon + 1 : name));

	buf_puts(b, ",\"cat\":");
	json_str(b, name, colon ? (size_t)(colon - name) : 0);
	buf_puts(b, ",\"s\":\"t\",\"ts\":");
	put_us(b, e->time);
	buf_printf(b, ",\"args\":{\"cpu\":%u,\"text\":", e->cpu);
	buf_clear(&c->text);
	event_text(&c->text, c->j->arena, c->j->names, e->format, e->record, e->len);
	json_str(b, c->text.s ? c->text.s : "", c->text.len);
	buf_putc(b, '}');
	put_stack(b, "sf", stack_of(c, e));
	end_item(c);
}

/* ---- threads */

static struct thread *thread_of(struct chrome *c, const struct trace_event *e)
{
	struct thread *t = hash_get(&c->threads, &e->tid, sizeof e->tid);
	char name[COMM_SIZE + 1] = { 0 };
	u32 len;
	const char *comm = event_comm(e, &len);

	if (!t) {
		t = arena_new(&c->arena, struct thread);
		t->tid = e->tid;
		vec_push(&c->arena, &c->all, t);
		hash_put(&c->threads, &t->tid, sizeof t->tid, t);
	}
	t->pid = e->pid;
	memcpy(name, comm, len);
	if (memcmp(t->comm, name, COMM_SIZE)) {
		memcpy(t->comm, name, COMM_SIZE);
		put_name(c, "thread_name", e->pid, e->tid, name);
		if (e->pid == e->tid && e->pid != PROCESSORS)
			put_name(c, "process_name", e->pid, e->tid, name);
	}
	return t;
}

/* ---- switches */

static struct slice *cpu_of(struct chrome *c, u32 cpu)
{
	if (cpu >= c->n_cpus) {
		u32 n = cpu + 1;

		c->cpus = xrealloc(c->cpus, n * sizeof *c->cpus);
		memset(c->cpus + c->n_cpus, 0, (n - c->n_cpus) * sizeof *c->cpus);
		for (u32 i = c->n_cpus; i < n; i++)
			put_name(c, "thread_name", PROCESSORS, i,
				 arena_printf(&c->arena, "processor %u", i));
		if (!c->n_cpus)
			put_name(c, "process_name", PROCESSORS, PROCESSORS, "processors");
		c->n_cpus = n;
	}
	return &c->cpus[cpu];
}

static void end_stay(struct chrome *c, u32 cpu, u64 to, u32 stack)
{
	struct slice *s = &c->cpus[cpu];

	if (s->from && s->tid) { /* idle is a gap */
		put_slice(c, PROCESSORS, cpu, s, to, "sched");
		put_stack(&c->out.buf, "esf", stack);
		buf_printf(&c->out.buf, ",\"args\":{\"tid\":%u}", s->tid);
		end_item(c);
	}
	s->from = 0;
}

static void begin_stay(struct slice *s, const struct trace_event *e, const char *who)
{
	char member[16];
	u32 len;
	const char *comm;

	snprintf(member, sizeof member, "%s_comm", who);
	comm = event_string(e, member, &len);
	snprintf(s->name, sizeof s->name, "%.*s", (int)len, comm);
	snprintf(member, sizeof member, "%s_pid", who);
	s->tid = (u32)event_number(e, member);
	s->from = e->time;
}

/* The stay that ends: of the thread before, if its beginning was not recorded, it is not known. */
static void put_switch(struct chrome *c, const struct trace_event *e)
{
	struct slice *s = cpu_of(c, e->cpu);

	if (s->from && s->tid == (u32)event_number(e, "prev_pid"))
		end_stay(c, e->cpu, e->time, stack_of(c, e));
	begin_stay(s, e, "next");
}

/* ---- system calls */

/* An instant (i), or the beginning of a slice without an end (B). */
static struct buf *begin_lone(struct chrome *c, char kind, const struct thread *t,
			      const struct slice *s)
{
	struct buf *b = begin_item(c, kind, t->pid, t->tid, s->name, strlen(s->name));

	buf_printf(b, ",\"cat\":\"syscall\"%s,\"ts\":", kind == 'i' ? ",\"s\":\"t\"" : "");
	put_us(b, s->from);
	put_stack(b, "sf", s->stack);
	return b;
}

/* A call whose return is not in the file; is_over: the file ends before it, or does not have
 * returns. */
static void put_entry(struct chrome *c, struct thread *t, bool is_over)
{
	if (!t->call.from)
		return;
	begin_lone(c, is_over && c->has_returns ? 'B' : 'i', t, &t->call);
	end_item(c);
	t->call.from = 0;
}

/* A return whose entry is not in the file. */
static void put_return(struct chrome *c, struct thread *t, const struct trace_event *e,
		       const struct call_event *call)
{
	struct slice s = { .from = e->time, .stack = stack_of(c, e) };

	snprintf(s.name, sizeof s.name, "%s", call->name);
	buf_printf(begin_lone(c, 'i', t, &s), ",\"args\":{\"ret\":%lld}",
		   (long long)event_number(e, "ret"));
	end_item(c);
}

static void put_call(struct chrome *c, const struct trace_event *e, const struct call_event *call)
{
	struct thread *t = thread_of(c, e);

	if (!call->is_exit) {
		put_entry(c, t, false);
		t->call.from = e->time;
		t->call.stack = stack_of(c, e);
		snprintf(t->call.name, sizeof t->call.name, "%s", call->name);
		return;
	}
	c->has_returns = true;
	if (!t->call.from) {
		put_return(c, t, e, call);
		return;
	}
	put_slice(c, e->pid, e->tid, &t->call, e->time, "syscall");
	put_stack(&c->out.buf, "esf", stack_of(c, e));
	buf_printf(&c->out.buf, ",\"args\":{\"ret\":%lld}", (long long)event_number(e, "ret"));
	end_item(c);
	t->call.from = 0;
}

static void put_event(struct chrome *c, const struct trace_event *e)
{
	struct call_event call;

	if (streq(e->format->name, "sched:sched_switch")) {
		put_switch(c, e);
	} else if (call_of_event(e, &call)) {
		put_call(c, e, &call);
	} else {
		thread_of(c, e);
		put_instant(c, e);
	}
}

static int run(const struct export_job *j, struct err *err)
{
	struct chrome c = { .j = j };
	struct trace_event e;

	if (out_open(&c.out, j->path, err) < 0)
		return err->code;
	arena_init(&c.arena);
	frames_init(&c.frames, j->names, j->stack_names);
	buf_puts(&c.out.buf, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	while (!c.out.error && store_next(j->store, &e))
		put_event(&c, &e);
	for (u32 i = 0; i < c.n_cpus; i++)
		end_stay(&c, i, j->tables->t1, 0);
	for (u32 i = 0; i < c.all.n; i++)
		put_entry(&c, c.all.v[i], true);
	buf_puts(&c.out.buf, "\n]");
	put_nodes(&c);
	buf_puts(&c.out.buf, "}\n");
	free(c.cpus);
	buf_release(&c.text);
	frames_release(&c.frames);
	hash_release(&c.by_key);
	hash_release(&c.threads);
	arena_release(&c.arena);
	return out_close(&c.out, j->path, err);
}

const struct exporter export_chrome = { .name = "chrome",
					.brief = "JSON, for about:tracing, Perfetto, speedscope",
					.suffix = ".json",
					.run = run };
