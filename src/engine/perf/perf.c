/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf engine: sites are perf events (perf_event_open(2)), without bpf(2). The kernel writes a
 * sample of each event into the ring of its processor; sonde reads the rings in the order of time
 * (rings.c) and runs the programs in the interpreter (vm/), each with the sample's time, task and
 * processor. The context of a tracepoint's program is the event's record, as for a program that the
 * kernel runs:
 *
 *	sample { id, pid, tid, time, raw }  ->  source by id  ->  its functions, with raw as context
 *
 * Helpers that query the machine at the moment of the event are not available (lacks).
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "arch/arch.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "engine/in_vm.h"
#include "engine/machine.h"
#include "engine/perf/internal.h"
#include "engine/timers.h"
#include "type/bpf_isa.h"
#include "vm/vm.h"

enum {
	BATCH = 16384,      /* records of a drain(), except the last, which takes all */
	LOOK_NS = 10000000, /* polling interval while rings are less than half full */
	/* Bytes of the context: a program may read past the end of the record, as in the kernel's
	 * buffer. */
	CTX_SIZE = 128 << 10,
	COMMON_PID =
		4, /* offset in every trace record: s32, the thread in the first pid namespace */
	/* Bytes of the user stack of a uprobe: the frame of a function, arguments on the stack. */
	STACK_TOP = 512,
};

struct perf {
	struct program *prog;
	struct vm *vm;
	struct vm_world *world;
	struct events events;
	struct tasks tasks;
	struct timers timers; /* interval probes, if only processes of this user may be traced */
	bool is_started, is_stopped, did_much;
	int timer_fd;
	u64 mono_to_boot; /* offset from CLOCK_MONOTONIC */
	u64 now;          /* CLOCK_MONOTONIC: of the current record */
	u64 *failed;      /* by function: runs that a fault ended */
	struct map_watch *map_watch;
	const struct fetch_table *fetches;
	struct sample sample;              /* of the current record */
	const struct event_source *source; /* likewise */
	unwind_fn unwind;
	void *unwind_ctx;
	struct unwind_raw *hit; /* unwind_sample_room() */
	u8 ctx[CTX_SIZE];
};

static struct perf *perf_of(const void *self)
{
	return vm_world((struct vm *)(uintptr_t)self)->ctx;
}

/* ---- before a run */

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	switch (id) {
	case FEAT_BTF:
	case FEAT_TRACEFS:
	case FEAT_PERF_EVENTS:
	case FEAT_HARDWARE:
	case FEAT_KPROBE:
	case FEAT_UPROBE:
	case FEAT_UPROBE_NOPS:
	case FEAT_UPROBE_NOP5:
	case FEAT_UPROBE_CALLER:
	case FEAT_UPROBE_CALLER_ENDBR:
	case FEAT_WATCHPOINT:
	case FEAT_INHERIT_THREAD: return feature_answer(kernel_features(), id);
	default: return in_vm_feature(id);
	}
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature, .engine = "perf" };

	return &f;
}

static int check_rights(struct err *err)
{
	int error = perf_right();

	if (!error || !perf_own_right())
		return 0;
	err_set(err, -error, "this process may not open perf events: %s", strerror(error));
	help_perf(err);
	return err->code;
}

/* Samples of all processes and records of tracepoints need different permissions; records of system
 * calls are always permitted for the user's own processes. */
static bool is_own(const struct traced *t)
{
	bool all = !perf_right() && (has_capability(CAP_PERFMON) || has_capability(CAP_SYS_ADMIN) ||
				     perf_paranoid() < 0);

	return !all && (t->n_pids || t->command);
}

static bool has_rights(void)
{
	return !perf_right();
}

static bool serves(const struct site *s, struct engine_answer *a)
{
	a->price_ns = 1000;
	if (s->kind == SITE_ONCE || s->kind == SITE_SIGNAL || events_serve(s->kind))
		return true;
	a->why_not = "the perf engine supports tracepoints, kprobes, uprobes, usdt, watchpoints, "
		     "software and hardware events, profile and interval";
	return false;
}

static const char *lacks(u32 helper, bool memory)
{
	if (memory)
		return "the memory that a pointer refers to";
	switch (helper) {
	case BPF_FUNC_send_signal:
	case BPF_FUNC_send_signal_thread:
	case BPF_FUNC_override_return:
	case BPF_FUNC_probe_write_user: return "the process as it was at the event, to act on it";
	case BPF_FUNC_get_numa_node_id: return "NUMA nodes";
	case BPF_FUNC_jiffies64: return "the jiffies";
	case BPF_FUNC_get_stack: return NULL;
	default: return in_vm_lacks(helper);
	}
}

/* True for the stack pointer, and for the frame pointer, which is near unless the frame is
 * large. */
static bool has_memory_near(u32 offset)
{
	const struct arch *a = arch_native;

	return offset == a->sp || offset == (u32)arch_reg_offset(a, a->link ? "fp" : "bp", NULL);
}

/* ---- what programs can access */

static u64 now_ns(void *ctx, u32 clock)
{
	const struct perf *p = ctx;
	u64 boot = p->now + p->mono_to_boot;

	switch ((enum timestamp_mode)clock) {
	case TS_MONOTONIC: return p->now;
	case TS_BOOT: return boot;
	case TS_TAI:
	case TS_REAL: break;
	}
	return boot + (u64)clock_boot_to_real_ns();
}

/* The frames of the kernel or of user space; the markers between them in a callchain are errnos, as
 * addresses. */
static int chain_of_sample(const struct sample *s, u64 side, u64 *ips, u32 max)
{
	bool is_inside = false;
	u32 n = 0;

	for (u64 i = 0; i < s->n_frames && n < max; i++) {
		u64 ip;

		memcpy(&ip, s->frames + i * 8, sizeof ip);
		if (ip >= (u64)PERF_CONTEXT_MAX)
			is_inside = ip == side;
		else if (is_inside)
			ips[n++] = ip;
	}
	return (int)n;
}

/* A default limit includes the frame that gives the reason for the end, others do not. */
static int unwind_hit(struct perf *p, u64 *ips, u32 max)
{
	u64 frames[STACK_MAX_FRAMES + 1];
	u32 room = max == STACK_DEFAULT_FRAMES ? max : MIN(max, (u32)STACK_MAX_FRAMES) + 1, n;

	p->hit->time = p->now;
	p->hit->pid = (u32)(p->world->pid_tgid >> 32);
	n = p->unwind(p->unwind_ctx, p->hit, frames, room);
	n = MIN(n, max);
	memcpy(ips, frames, n * sizeof *ips);
	return (int)n;
}

/* The kernel walks the stacks of processes of another ABI. */
static int stack_of_sample(void *ctx, u64 *ips, u32 max, u64 flags)
{
	struct perf *p = ctx;
	bool user = flags & BPF_F_USER_STACK;

	if (user && flags & STACK_UNWOUND && unwind_sample_take(&p->sample.user, p->hit))
		return unwind_hit(p, ips, max);
	return chain_of_sample(&p->sample, user ? (u64)PERF_CONTEXT_USER : (u64)PERF_CONTEXT_KERNEL,
			       ips, max);
}

/* The top of the stack is in the sample. */
static int read_memory(void *ctx, void *to, u32 len, u64 address, bool user)
{
	const struct perf *p = ctx;
	const struct unwind_sample *process = &p->sample.user;
	u64 at;

	if (p->source && p->source->fetched.fetches &&
	    fetch_read(&p->source->fetched, &p->sample, p->ctx, to, len, address) >= 0)
		return 0;
	at = address - unwind_sample_sp(process);
	if (!process->stack_len || at > process->stack_len || len > process->stack_len - at)
		return -EFAULT;
	memcpy(to, process->stack + at, len);
	return 0;
}

/* The clocks differ by the time that the machine was suspended; reading both takes some
 * nanoseconds. */
static void look_at_clocks(struct perf *p)
{
	enum { NOISE_NS = 1000000 };
	u64 apart = clock_boot_ns() - clock_mono_ns();

	if (apart - p->mono_to_boot + NOISE_NS > 2 * NOISE_NS)
		p->mono_to_boot = apart;
}

/* ---- opening and closing */

static bool calls_helper(const struct bpf_func *f, s32 helper)
{
	for (u32 i = 0; i < f->n_insns; i++) {
		const struct bpf_insn *in = &f->insns[i];

		if (in->code == (BPF_JMP | BPF_CALL) && !in->src_reg && in->imm == helper)
			return true;
	}
	return false;
}

static bool reads_memory(const struct bpf_func *f)
{
	return calls_helper(f, BPF_FUNC_probe_read_user) || calls_helper(f, BPF_FUNC_probe_read);
}

/* Whether it has the flag of a call that unwinds stacks: a constant, loaded as the argument. */
static bool unwinds_stacks(const struct bpf_func *f)
{
	enum { FLAGS = BPF_REG_4 };

	for (u32 i = 0; i < f->n_insns; i++)
		if (f->insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
		    f->insns[i].dst_reg == FLAGS &&
		    f->insns[i].imm == (BPF_F_USER_STACK | STACK_UNWOUND))
			return calls_helper(f, BPF_FUNC_get_stack);
	return false;
}

static bool reads_names(const struct bpf_func *f)
{
	return calls_helper(f, BPF_FUNC_get_current_comm) ||
	       calls_helper(f, BPF_FUNC_get_leader_comm);
}

static bool any_function(const struct program *prog, bool (*has)(const struct bpf_func *f))
{
	for (u32 i = 0; i < prog->funcs.n; i++)
		if (has(prog->funcs.v[i]))
			return true;
	return false;
}

static int choose_tasks(struct perf *p, const struct engine_options *o, struct err *err)
{
	if (is_own(o->traced)) {
		p->events.pids = o->pids;
		p->events.n_pids = o->n_pids;
	}
	if (p->events.pids || !perf_right())
		return 0;
	err_set(err, -perf_right(), "this process may not open perf events of all processes: %s",
		strerror(perf_right()));
	help_perf(err);
	return err->code;
}

static bool fetches_memory(const struct fetch_table *t)
{
	for (u32 i = 0; i < t->by_func.n; i++)
		if (t->by_func.v[i].list.n)
			return true;
	return false;
}

/* One descriptor for the polling timer and the wake-ups of the kernel. */
static int open_timer(struct perf *p, struct err *err)
{
	struct epoll_event ready = { .events = EPOLLIN };

	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (p->timer_fd < 0 ||
	    epoll_ctl(p->events.epoll_fd, EPOLL_CTL_ADD, p->timer_fd, &ready) < 0)
		return err_sys(err, "create a timer");
	return 0;
}

static struct leaving close_perf(void *self);

static void *open_perf(struct program *prog, const struct engine_options *o, struct err *err)
{
	struct perf *p = xcalloc(1, sizeof *p);
	struct vm_world world = { .pid_tgid = (u64)getpid() << 32 | (u64)getpid(),
				  .n_cpus = cpus_possible(),
				  .comm = "sonde",
				  .ring_size = o->ring_size,
				  .now_ns = now_ns,
				  .read = read_memory,
				  .stack = stack_of_sample,
				  .ctx = p };

	p->timer_fd = -1;
	p->prog = prog;
	p->vm = vm_new(prog, &world);
	p->world = vm_world(p->vm);
	p->failed = xcalloc(prog->funcs.n + 1ul, sizeof *p->failed);
	p->hit = unwind_sample_room();
	p->now = clock_mono_ns();
	look_at_clocks(p);
	tasks_init(&p->tasks);
	p->fetches = o->fetches;
	p->unwind = o->unwind;
	p->unwind_ctx = o->unwind_ctx;
	if (fetches_memory(o->fetches))
		fetch_remove_left();
	p->events.rings_size = o->ring_size;
	p->events.wants_maps = prog->has_user_symbols;
	p->events.wants_stacks = any_function(prog, unwinds_stacks);
	if (choose_tasks(p, o, err) < 0 || events_open(&p->events, err) < 0 ||
	    open_timer(p, err) < 0) {
		close_perf(p->vm);
		return NULL;
	}
	if (any_function(prog, reads_names))
		tasks_read(&p->tasks);
	return p->vm;
}

static void detach_all(void *self)
{
	struct perf *p = perf_of(self);

	events_disable(&p->events);
	p->is_stopped = true;
}

static struct leaving close_perf(void *self)
{
	struct perf *p = perf_of(self);

	map_watch_close(p->map_watch);
	fd_close(&p->timer_fd);
	events_release(&p->events);
	tasks_release(&p->tasks);
	free(p->timers.v);
	free(p->failed);
	free(p->hit);
	vm_free(p->vm);
	free(p);
	return (struct leaving){ 0 };
}

/* ---- attaching */

/* The parts of a sample that the function reads; its context may be made from registers. */
static struct sample_parts parts_of(const struct perf *p, const struct bpf_func *f,
				    const struct site *s)
{
	struct sample_parts parts = { 0 };

	if (calls_helper(f, BPF_FUNC_get_stack))
		parts.type |= PERF_SAMPLE_CALLCHAIN;
	if (s->kind != SITE_PERF_TRACEPOINT)
		parts.type |= s->kind == SITE_UPROBE ? PERF_SAMPLE_REGS_USER :
						       PERF_SAMPLE_REGS_INTR;
	if (s->kind == SITE_UPROBE && reads_memory(f))
		parts.stack = STACK_TOP;
	if (unwinds_stacks(f)) {
		parts.type |= PERF_SAMPLE_REGS_USER;
		parts.stack = events_stack_bytes(&p->events, s->kind == SITE_PERF_TIMER);
	}
	if (parts.stack)
		parts.type |= PERF_SAMPLE_STACK_USER;
	return parts;
}

static const struct fetches *fetches_of(const struct perf *p, u32 func)
{
	static const struct fetches none;

	return func < p->fetches->by_func.n ? &p->fetches->by_func.v[func] : &none;
}

/* Attaches one of the function's n sites. */
static int attach_site(struct perf *p, u32 func, const struct site *s, u32 n, struct err *err)
{
	struct handler h = { .func = func, .fetches = fetches_of(p, func), .cookie = s->index };
	struct sample_parts parts = parts_of(p, p->prog->funcs.v[func], s);

	if (p->events.pids && s->kind == SITE_PERF_TIMER && s->event.one_cpu) {
		timers_add(&p->timers, s,
			   func); /* the timer of a task stops while the task sleeps */
		return 0;
	}
	return !h.fetches->list.n && events_share_calls(&p->events, s, n, &parts) ?
		       events_attach_call(&p->events, h, s, &parts, err) :
		       events_attach(&p->events, h, s, &parts, err);
}

static int attach(void *self, const struct attach_request *a, struct err *err)
{
	struct perf *p = perf_of(self);
	int n_attached = 0;

	for (u32 i = 0; i < a->n; i++) {
		if (attach_site(p, a->func, a->sites[i], a->n, err) >= 0) {
			n_attached++;
			continue;
		}
		if (!a->refused)
			return err->code;
		a->refused(a->ctx, a->sites[i], err);
		err_release(err);
		*err = (struct err){ 0 };
	}
	return n_attached;
}

static const char *how(const void *self, u32 i)
{
	const struct events *e = &perf_of(self)->events;

	return i < e->how.n ? e->how.v[i] : NULL;
}

static void start(void *self)
{
	struct perf *p = perf_of(self);
	struct itimerspec look = { .it_interval.tv_nsec = LOOK_NS, .it_value.tv_nsec = LOOK_NS };

	events_filter_calls(&p->events);
	timers_start(&p->timers, clock_mono_ns());
	timerfd_settime(p->timer_fd, 0, &look, NULL);
	p->is_started = true;
}

/* ---- running */

/* At its last switch a task has ended and no longer has an ID; the record has it. */
static void set_task(struct perf *p, const struct perf_ring *r, const struct sample *s)
{
	u32 tid = r->id.tid, pid = r->id.pid;

	if (tid == ~0u && s->raw_len >= COMMON_PID + sizeof tid) {
		memcpy(&tid, (const u8 *)s->raw + COMMON_PID, sizeof tid);
		pid = tasks_process(&p->tasks, tid);
	}
	p->world->cpu = r->cpu;
	p->world->pid_tgid = (u64)pid << 32 | tid;
	tasks_comm(&p->tasks, tid, r->cpu, p->world->comm);
	if (pid == tid)
		memcpy(p->world->leader_comm, p->world->comm, sizeof p->world->comm);
	else
		tasks_comm(&p->tasks, pid, r->cpu, p->world->leader_comm);
}

/* The record itself, or struct pt_regs, which is also the start of a perf event program's
 * context. */
static void set_context(struct perf *p, const struct sample *s)
{
	const struct arch *a = arch_native;
	bool is_record = p->source->layout.type & PERF_SAMPLE_RAW && !p->source->fetched.fetches;
	u32 at = 0;

	if (p->source->fetched.call)
		fetch_record(&p->source->fetched, s, p->ctx);
	if (is_record)
		memcpy(p->ctx, s->raw, s->raw_len); /* at most 65535 */
	for (u32 i = 0; s->regs && !is_record && i < ARCH_SAMPLE_REGS; i++)
		if (a->sample_regs >> i & 1)
			memcpy(p->ctx + a->sample_reg[i], s->regs + (size_t)8 * at++, 8);
}

/* Whether the handler takes this record: a handler of raw_syscalls may take only one call, of
 * 64-bit programs. */
static bool is_for(const struct perf *p, const struct handler *h)
{
	enum { NUMBER_AT = 8 };
	s32 nr;

	if (!h->call)
		return true;
	memcpy(&nr, p->ctx + NUMBER_AT, sizeof nr);
	return nr == h->call - 1 && p->sample.user.abi != PERF_SAMPLE_REGS_ABI_32;
}

static void run_sample(struct perf *p, const struct perf_ring *r, struct in_vm_receiver *to)
{
	const struct event_source *src =
		hash_get(&p->events.by_id, &r->id.event, sizeof r->id.event);
	struct sample *s = &p->sample;

	if (!src)
		return;
	if (!record_sample(r->next, &src->layout, s)) {
		if (src->handlers.n)
			p->failed[src->handlers.v[0].func]++;
		return;
	}
	p->now = r->id.time;
	set_task(p, r, s);
	p->source = src;
	set_context(p, s);
	for (u32 i = 0; i < src->handlers.n; i++) {
		const struct handler *h = &src->handlers.v[i];

		if (is_for(p, h) && !in_vm_handle(p->vm, h->func, h->cookie, p->ctx, CTX_SIZE, to))
			p->failed[h->func]++;
	}
}

static void run_record(struct perf *p, const struct perf_ring *r, struct in_vm_receiver *to)
{
	struct event_source *src;
	struct task_record task;
	u64 lost;

	if (r->next->type == PERF_RECORD_SAMPLE)
		run_sample(p, r, to);
	else if (record_task(r->next, &task))
		tasks_record(&p->tasks, &task);
	if (p->map_watch && r->next->type != PERF_RECORD_SAMPLE)
		map_watch_record(p->map_watch, r->next, RECORD_TRAILER, r->id.time);
	if (record_lost(r->next, &lost) &&
	    (src = hash_get(&p->events.by_id, &r->id.event, sizeof r->id.event)))
		src->lost += lost;
}

/* Runs timers that are due by that time, with sonde as the task. */
static void run_timers(struct perf *p, u64 until, struct in_vm_receiver *to)
{
	while (p->timers.next <= until && !to->has_enough && !p->is_stopped) {
		u64 due = p->timers.next;
		const struct timer *t = timers_take(&p->timers);

		p->now = due;
		p->world->pid_tgid = (u64)getpid() << 32 | (u64)getpid();
		snprintf(p->world->comm, sizeof p->world->comm, "sonde");
		if (!in_vm_handle(p->vm, t->func, t->cookie, p->ctx, CTX_SIZE, to))
			p->failed[t->func]++;
	}
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	struct perf *p = perf_of(self);
	struct in_vm_receiver to = { .f = f, .ctx = ctx };
	u64 expirations;
	struct perf_ring *r;
	int n = in_vm_drain(self, &to);
	u32 i;

	if (!p->is_started)
		return n;
	(void)!read(p->timer_fd, &expirations, sizeof expirations);
	look_at_clocks(p);
	perf_rings_look(&p->events.rings, clock_mono_ns(), p->is_stopped);
	for (i = 0; (i < BATCH || p->is_stopped) && !to.has_enough &&
		    (r = perf_rings_next(&p->events.rings));
	     i++) {
		run_timers(p, r->key, &to);
		if (to.has_enough)
			break;
		run_record(p, r, &to);
		perf_ring_done(r);
	}
	p->did_much = i == BATCH;
	if (!p->did_much)
		run_timers(p, p->events.rings.limit, &to);
	return n + (int)i;
}

static bool drained_much(const void *self)
{
	return perf_of(self)->did_much;
}

static int event_fd(const void *self)
{
	return perf_of(self)->events.epoll_fd;
}

static bool is_of(const struct event_source *s, u32 func)
{
	return s->handlers.n && s->handlers.v[0].func == func;
}

/* Events lost because a ring was full count for the first function of the event; rings with
 * malformed records, whose events are not known, for that of the first event. */
static u64 skipped(void *self, u32 func)
{
	struct perf *p = perf_of(self);
	u64 sum = p->failed[func];

	if (p->events.sources.n && is_of(p->events.sources.v[0], func))
		sum += perf_rings_malformed(&p->events.rings);
	for (u32 i = 0; i < p->events.sources.n; i++)
		if (is_of(p->events.sources.v[i], func))
			sum += events_lost(&p->events, p->events.sources.v[i]);
	return sum;
}

static void tell_gaps(const void *self, void (*tell)(void *ctx, const char *line), void *ctx)
{
	const struct events *e = &perf_of(self)->events;
	struct buf line = { 0 };

	for (u32 i = 0; i < e->sources.n; i++)
		if (e->sources.v[i]->is_user_only && !e->sources.v[i]->site.event.call)
			buf_printf(&line, "%s%s", line.len ? ", " : "",
				   e->sources.v[i]->site.probe);
	if (line.len) {
		buf_printf(
			&line,
			": user space only; kernel.perf_event_paranoid=1 or CAP_PERFMON includes the kernel");
		tell(ctx, line.s);
	}
	buf_release(&line);
}

static int maps_open(void *self, bool prompt)
{
	struct perf *p = perf_of(self);

	p->map_watch = map_watch_new(); /* of the rings' records */
	return 0;
}

static int maps_fd(const void *self)
{
	return map_watch_fd(perf_of(self)->map_watch);
}

static void maps_read(void *self, map_event_fn f, void *ctx)
{
	map_watch_read(perf_of(self)->map_watch, f, ctx);
}

const struct engine engine_perf = {
	.name = "perf",
	.brief = "perf_event_open(2) without bpf(2)",
	.by_name_only = true,
	.by_perf_record = true,
	.takes_filters = true,
	.has_events = true,
	.on_this_kernel = true,
	.features = features,
	.check_rights = check_rights,
	.has_rights = has_rights,
	.is_own = is_own,
	.tell_gaps = tell_gaps,
	.lacks = lacks,
	.has_memory_near = has_memory_near,
	.has_past = true,
	.source = "a perf sample",
	.source_has = "the fields of the event (args), registers, stacks, comm, leader_comm, pid, "
		      "tid, cpu, nsecs, elapsed and probe; --engine=kernel has the rest",
	.serves = serves,
	.open = open_perf,
	.detach_all = detach_all,
	.close = close_perf,
	.attach = attach,
	.start = start,
	.how = how,
	.run = in_vm_run,
	.event_fd = event_fd,
	.drain = drain,
	.drained_much = drained_much,
	.skipped = skipped,
	.misses = LOSS_SAMPLES,
	.maps_open = maps_open,
	.maps_fd = maps_fd,
	.maps_read = maps_read,
	IN_VM_OPERATIONS,
};
