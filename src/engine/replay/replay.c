/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: the events of a recording (store/) run the programs of a script in the interpreter (vm/),
 * in time order, as they would have run live. The context of a program is the event's record, as it
 * is on the kernel's perf path. Clocks, tasks and processors are those of the recording; a script
 * that needs other data (lacks) is refused before it runs.
 *
 *	event at t: timers that are due before t, then the functions of its format, each followed by
 *	the records that it sent
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/replay/internal.h"
#include "store/chunks.h"
#include "store/gaps.h"

enum {
	BATCH = 16384, /* events and runs of functions in a drain() */
	/* Bytes of the context: a program may read past the end of the record, as in the kernel's
	 * buffer. */
	CTX_SIZE = 128 << 10,
	NEXT = 1, /* the second task of sched_switch */
};

/* The task that runs on a processor: that of its last event. */
struct on_cpu {
	u64 pid_tgid;
	char comm[16];
};

struct replay {
	struct vm *vm;
	struct vm_world *world;
	struct store *store;
	const struct store_tables *tables;
	struct event_handlers *events; /* by format */
	struct timers timers;
	struct threads threads; /* for rawtracepoint and timers */
	struct arena arena;
	struct on_cpu *cpus; /* for timers */
	u32 switch_format;   /* of sched_switch; NO_INDEX: not in the file */
	const struct raw_event *switches;
	struct trace_event event;
	const struct trace_event *current; /* the event whose functions run; NULL: none */
	struct store_names *names;
	bool has_event; /* event has not run yet */
	bool is_started, is_stopped, is_over;
	u64 from, to; /* the part of the file */
	u64 now, end;
	u32 clock;   /* the current row of tables.clocks */
	u32 n_done;  /* events and runs of functions in this drain() */
	u64 *failed; /* by function: runs that a fault ended */
	struct raw_context raw;
	u8 ctx[CTX_SIZE];
};

static struct replay *replay_of(const void *self)
{
	return vm_world((struct vm *)(uintptr_t)self)->ctx;
}

/* ---- before a run */

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	if (id == FEAT_TRACEFS || id == FEAT_PERF_EVENTS)
		return FEATURE_YES;
	return in_vm_feature(id);
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature, .engine = "replay" };

	return &f;
}

static bool serves(const struct site *s, struct engine_answer *a)
{
	switch (s->kind) {
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_PERF_TRACEPOINT:
	case SITE_RAW_TRACEPOINT:
	case SITE_PERF_TIMER: return true;
	case SITE_PERF_SOFTWARE:
	case SITE_KPROBE:
	case SITE_UPROBE:
	case SITE_RECORD:
	case SITE_TRAMPOLINE:
	case SITE_WATCHPOINT:
	case SITE_ITER: break;
	}
	a->why_not = "a recording has tracepoints and system calls";
	return false;
}

static bool has_stacks(void)
{
	const struct store_tables *t = store_tables(replay_store());

	return t->n_stacks || t->head.version == STORE_VERSION;
}

static const char *lacks(u32 helper, bool memory)
{
	if (memory)
		return "the memory that a pointer refers to";
	switch (helper) {
	case BPF_FUNC_get_stack: return has_stacks() ? NULL : "stacks (sonde record -g keeps them)";
	case BPF_FUNC_get_numa_node_id: return "NUMA nodes";
	case BPF_FUNC_jiffies64: return "the jiffies";
	case BPF_FUNC_ktime_get_ns: return "the monotonic clock";
	default: return in_vm_lacks(helper);
	}
}

/* ---- clocks */

static s64 to_real(const struct replay *r)
{
	return r->tables->clocks.n && r->tables->clocks.v[r->clock].time <= r->now ?
		       r->tables->clocks.v[r->clock].to_real :
		       r->tables->head.to_real;
}

static void set_now(struct replay *r, u64 now)
{
	const struct store_tables *t = r->tables;

	r->now = now;
	while (r->clock + 1 < t->clocks.n && t->clocks.v[r->clock + 1].time <= now)
		r->clock++;
}

static u64 now_ns(void *ctx, u32 clock)
{
	const struct replay *r = ctx;

	return clock == TS_TAI || clock == TS_REAL ? r->now + (u64)to_real(r) : r->now;
}

/* ---- stacks */

static int stack(void *ctx, u64 *ips, u32 max, u64 flags)
{
	const struct replay *r = ctx;
	struct event_stack s = { 0 };

	if (r->current)
		s = r->current->stack[(flags & BPF_F_USER_STACK) != 0];
	s.n = MIN(s.n, max);
	memcpy(ips, s.ips, s.n * sizeof *ips);
	return (int)s.n;
}

static void recorded_stacks(void *self, struct trace_event *e)
{
	const struct trace_event *of = replay_of(self)->current;

	if (!of)
		return;
	e->has_stacks = of->has_stacks;
	memcpy(e->stack, of->stack, sizeof e->stack);
}

static bool ksym(void *self, u64 addr, struct symbol *out)
{
	return store_names_kernel(replay_of(self)->names, addr, out);
}

/* Stacks are resolved with the processes known when they are printed, as in a live run. */
static bool usym(void *self, const struct engine_code *at, struct symbol *out)
{
	struct replay *r = replay_of(self);

	store_names_at(r->names, r->now);
	return at->depth < 0 ? store_names_user(r->names, at->pid, at->address, out) :
			       store_names_source(r->names, at->pid, at->address, at->is_return,
						  (u32)at->depth, out);
}

static void clock_now(void *self, struct engine_clock *now)
{
	const struct replay *r = replay_of(self);

	*now = (struct engine_clock){ .boot_ns = r->now, .boot_to_real = to_real(r) };
}

/* ---- opening and closing */

static void set_range(struct replay *r, u64 from, u64 to)
{
	r->from = from;
	r->to = to;
	store_range(r->store, from, to);
	set_now(r, MAX(r->now, from));
	r->end = MAX(MIN(r->end, to), r->now);
}

static void *open_replay(struct program *prog, const struct engine_options *o, struct err *err)
{
	struct replay *r = xcalloc(1, sizeof *r);
	struct vm_world world = { .comm = "sonde",
				  .ring_size = o->ring_size,
				  .now_ns = now_ns,
				  .stack = stack,
				  .ignores_signals = true,
				  .ctx = r };

	arena_init(&r->arena);
	r->store = replay_store();
	r->tables = store_tables(r->store);
	r->names = store_names_new(r->tables);
	store_rewind(r->store);
	world.n_cpus = replay_formats()->n_cpus;
	r->vm = vm_new(prog, &world);
	r->world = vm_world(r->vm);
	r->events = xcalloc(r->tables->formats.n + 1ul, sizeof *r->events);
	r->cpus = xcalloc(world.n_cpus, sizeof *r->cpus);
	r->timers.next = ~0ull;
	r->switch_format = NO_INDEX;
	r->failed = xcalloc(prog->funcs.n + 1ul, sizeof *r->failed);
	r->end = replay_end_ns(r->tables);
	set_now(r, replay_begin_ns(r->tables));
	set_range(r, o->from_ns, o->to_ns ? o->to_ns : ~0ull);
	if (o->duration_ns && o->duration_ns < r->end - r->now)
		r->end = r->now + o->duration_ns;
	return r->vm;
}

static struct leaving close_replay(void *self)
{
	struct replay *r = replay_of(self);

	for (u32 i = 0; i < r->tables->formats.n; i++)
		handlers_release(&r->events[i]);
	free(r->events);
	free(r->cpus);
	free(r->timers.v);
	free(r->failed);
	free(r->threads.v);
	store_names_free(r->names);
	arena_release(&r->arena);
	vm_free(r->vm);
	free(r);
	return (struct leaving){ 0 };
}

static void read_threads(struct replay *r)
{
	if (r->threads.v)
		return;
	store_range(r->store, 0, ~0ull);
	threads_read(&r->threads, r->store);
	store_range(r->store, r->from, r->to);
}

/* Tasks in its fields are threads; their processes are known from other events. */
static void attach_raw(struct replay *r, struct handler *h, u32 format)
{
	h->is_raw = true;
	h->raw = raw_event(&r->arena, replay_formats()->v[format]);
	read_threads(r);
}

static void attach_site(struct replay *r, u32 func, const struct site *s)
{
	struct handler h = { .func = func, .cookie = s->index };
	const struct recorded_kernel *k = replay_formats();

	if (s->kind == SITE_PERF_TIMER)
		timers_add(&r->timers, s, func);
	if (s->kind == SITE_PERF_TRACEPOINT)
		handlers_add(r->events, s->event.config, h);
	for (u32 i = 0; s->kind == SITE_RAW_TRACEPOINT && i < k->n; i++)
		if (streq(k->v[i]->name, s->tracepoint)) {
			attach_raw(r, &h, i);
			handlers_add(r->events, i, h);
		}
}

static int attach(void *self, const struct attach_request *a, struct err *err)
{
	for (u32 i = 0; i < a->n; i++)
		attach_site(replay_of(self), a->func, a->sites[i]);
	return (int)a->n;
}

/* Timers need the running task. */
static void find_switches(struct replay *r)
{
	const struct recorded_kernel *k = replay_formats();

	for (u32 i = 0; i < k->n; i++)
		if (streq(k->v[i]->name, "sched_switch") && streq(k->v[i]->category, "sched")) {
			r->switches = raw_event(&r->arena, k->v[i]);
			r->switch_format = r->switches ? i : NO_INDEX;
		}
	read_threads(r);
	for (u32 cpu = 0; cpu < r->world->n_cpus; cpu++)
		snprintf(r->cpus[cpu].comm, sizeof r->cpus[cpu].comm, "swapper/%u",
			 cpu % REPLAY_MOST_CPUS);
}

static void start(void *self)
{
	struct replay *r = replay_of(self);

	timers_start(&r->timers, r->now);
	if (r->timers.n)
		find_switches(r);
	r->is_started = true;
}

static void detach_all(void *self)
{
	replay_of(self)->is_stopped = true;
}

/* ---- running */

static void run_handler(struct replay *r, const struct handler *h, const void *record, u32 len,
			struct in_vm_receiver *to)
{
	r->n_done++;
	if (!in_vm_handle(r->vm, h->func, h->cookie, record, len, to))
		r->failed[h->func]++;
}

static void set_task(struct replay *r, u32 cpu, u64 pid_tgid, const char *comm)
{
	r->world->cpu = cpu;
	r->world->pid_tgid = pid_tgid;
	memcpy(r->world->comm, comm, sizeof r->world->comm);
}

static void run_timer(struct replay *r, struct in_vm_receiver *to)
{
	const struct timer *t;
	u32 n;

	set_now(r, r->timers.next);
	t = timers_take(&r->timers);
	n = t->one_cpu ? 1 : r->world->n_cpus;
	for (u32 cpu = 0; cpu < n && !to->has_enough; cpu++) {
		set_task(r, cpu, r->cpus[cpu].pid_tgid, r->cpus[cpu].comm);
		run_handler(r, &(struct handler){ .func = t->func, .cookie = t->cookie }, NULL, 0,
			    to);
	}
}

static u32 process_of(void *ctx, u32 tid)
{
	const struct replay *r = ctx;

	return tid == r->event.tid ? r->event.pid : threads_process(&r->threads, tid, r->now);
}

/* Between two events of a processor the task of the first one runs; after a switch, the next
 * task. */
static void note_task(struct replay *r, const struct trace_event *e)
{
	struct on_cpu *c = &r->cpus[e->cpu % r->world->n_cpus];
	const struct raw_task *next = &r->raw.task[NEXT];

	if (e->format->stored != r->switch_format) {
		*c = (struct on_cpu){ .pid_tgid = (u64)e->pid << 32 | e->tid };
		memcpy(c->comm, e->comm, sizeof c->comm);
		return;
	}
	raw_context_fill(&r->raw, r->switches, e->record, e->len, process_of, r);
	c->pid_tgid = (u64)(u32)next->tgid << 32 | (u32)next->pid;
	memcpy(c->comm, next->comm, sizeof c->comm);
}

static void run_raw(struct replay *r, const struct handler *h, struct in_vm_receiver *to)
{
	if (h->raw)
		raw_context_fill(&r->raw, h->raw, r->event.record, r->event.len, process_of, r);
	run_handler(r, h, &r->raw, sizeof r->raw, to);
}

static void run_event(struct replay *r, struct in_vm_receiver *to)
{
	const struct trace_event *e = &r->event;
	const struct handlers *h = handlers_of(&r->events[e->format->stored], e);

	r->current = e;
	if (h->n) {
		set_now(r, e->time);
		set_task(r, e->cpu, (u64)e->pid << 32 | e->tid, e->comm);
		memcpy(r->ctx, e->record, e->len); /* at most 65535 */
	}
	for (u32 i = 0; i < h->n && !to->has_enough; i++)
		if (h->v[i].is_raw)
			run_raw(r, &h->v[i], to);
		else
			run_handler(r, &h->v[i], r->ctx, CTX_SIZE, to);
	r->current = NULL;
	if (r->timers.n)
		note_task(r, e);
}

static bool take_event(struct replay *r)
{
	if (!r->has_event)
		r->has_event = store_next(r->store, &r->event) && r->event.time <= r->end;
	return r->has_event;
}

/* One event or one timer. */
static void step(struct replay *r, struct in_vm_receiver *to)
{
	u64 at = take_event(r) ? r->event.time : r->end;

	r->n_done++;
	if (r->timers.next <= at && r->timers.next != ~0ull) {
		run_timer(r, to);
	} else if (r->has_event) {
		run_event(r, to);
		r->has_event = false;
	} else {
		set_now(r, r->end);
		r->is_over = true;
	}
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	struct replay *r = replay_of(self);
	struct in_vm_receiver to = { .f = f, .ctx = ctx };
	int n = in_vm_drain(self, &to);

	if (!r->is_started || r->is_stopped)
		return n;
	for (r->n_done = 0; r->n_done < BATCH && !to.has_enough && !r->is_over; n++)
		step(r, &to);
	return n;
}

static bool drained_much(const void *self)
{
	return !replay_of(self)->is_over;
}

static bool is_over(const void *self)
{
	return replay_of(self)->is_over;
}

static u64 skipped(void *self, u32 func)
{
	return replay_of(self)->failed[func];
}

static void tell_gaps(const void *self, void (*tell)(void *ctx, const char *line), void *ctx)
{
	if (replay_damage())
		tell(ctx, replay_damage());
	store_tell_gaps(replay_of(self)->store, replay_formats()->file, tell, ctx);
}

const struct engine engine_replay = {
	.name = "replay",
	.brief = "the events of a recording",
	.by_name_only = true,
	.by_perf_record = true,
	.has_events = true,
	.features = features,
	.select = replay_select,
	.formats = replay_formats,
	.lacks = lacks,
	.source = "the recording",
	.source_has =
		"the fields of the event (args), comm, pid, tid, cpu, nsecs, elapsed and probe, "
		"and stacks if it was made with -g; run the script live for the rest",
	.serves = serves,
	.open = open_replay,
	.detach_all = detach_all,
	.close = close_replay,
	.attach = attach,
	.start = start,
	.run = in_vm_run,
	.drain = drain,
	.recorded_stacks = recorded_stacks,
	.drained_much = drained_much,
	.is_over = is_over,
	.skipped = skipped,
	.tell_gaps = tell_gaps,
	.clock = clock_now,
	.ksym = ksym,
	.usym = usym,
	IN_VM_OPERATIONS,
};
