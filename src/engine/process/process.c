/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process engine: tracepoints of include/sonde/sonde.h and entries of functions write records
 * into memory that the process and sonde share (rings.c), without a system call; their programs run
 * here, in the interpreter (vm/), in the order of the records. The context of a program is, for a
 * tracepoint, struct sonde_record, in which words of strings are addresses of text in this process;
 * for a function struct pt_regs, of which the record has the registers that programs read
 * (reads.c):
 *
 *	SONDE_TP(shop, order, id, name)  ->  { size, tid, time, site, word[] = { id, "name" } }
 *	order(id, name)                  ->  { size, tid, time, site, word[] = { si, di } }
 *
 * functions.c prepares entries, patch.c puts jumps into the code, tsc.c converts times.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/hash.h"
#include "arch/arch.h"
#include "engine/process/detach.h"
#include "engine/process/process.h"

enum {
	BATCH = 16384,      /* records of a drain() */
	LOOK_NS = 10000000, /* polling interval of empty rings */
};

/* ---- before a run */

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	switch (id) {
	case FEAT_UPROBE:
	case FEAT_PERF_EVENTS: return FEATURE_YES;
	/* The kernel engine serves these probes. */
	case FEAT_BTF:
	case FEAT_TRACEFS:
	case FEAT_KPROBE:
	case FEAT_KPROBE_MULTI:
	case FEAT_FENTRY:
	case FEAT_FENTRY_RECURSION:
	case FEAT_FENTRY_STEADY:
	case FEAT_LSM:
	case FEAT_LSM_PATH:
	case FEAT_ITER:
	case FEAT_ITER_PATH:
	case FEAT_RAW_TP_BTF:
	case FEAT_WATCHPOINT:
	case FEAT_HARDWARE:
	case FEAT_UPROBE_SLEEP: return feature_answer(kernel_features(), id);
	default: return in_vm_feature(id);
	}
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature };

	return &f;
}

static const char *why_not_function(const struct site *s)
{
	if (arch_native != &arch_x86_64)
		return "the process engine patches functions on x86-64 only";
	if (s->is_return)
		return s->user.no_jump ? s->user.no_jump :
					 "returns of functions are probed by the kernel";
	if (!s->user.takes_jump)
		return s->user.no_jump ? s->user.no_jump :
					 "the process engine patches entries of functions only";
	return NULL;
}

static const char *why_not(const struct site *s)
{
	if (s->kind == SITE_ONCE || s->kind == SITE_SIGNAL || s->kind == SITE_PERF_TIMER)
		return NULL;
	if (s->kind != SITE_RECORD && s->kind != SITE_UPROBE)
		return "the process engine supports only functions of programs and tracepoints of sonde/sonde.h";
	if (s->pid < 0)
		return "the process engine needs -p PID or -c: it changes the code of that process";
	if (!tsc_is_usable())
		return "the time stamp counter of this machine cannot serve as a clock";
	return s->kind == SITE_UPROBE ? why_not_function(s) : NULL;
}

static bool serves(const struct site *s, struct engine_answer *a)
{
	a->price_ns = 20;
	a->why_not = why_not(s);
	return !a->why_not;
}

static const char *lacks(u32 helper, bool memory)
{
	switch (helper) {
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str: return memory ? "memory of the kernel" : NULL;
	default: return in_vm_lacks(helper);
	}
}

static const char *cannot_run(const struct bpf_func *f, const struct site *s)
{
	return s->kind == SITE_UPROBE ? reads_why_not(f) : NULL;
}

/* ---- what programs can access */

static u64 now_ns(void *ctx, u32 clock)
{
	const struct process *p = ctx;

	return clock == TS_TAI || clock == TS_REAL ? p->now + (u64)clock_boot_to_real_ns() : p->now;
}

static void clock_now(void *self, struct engine_clock *now)
{
	*now = (struct engine_clock){ .boot_ns = clock_boot_ns(),
				      .boot_to_real = clock_boot_to_real_ns() };
}

/* Strings of the record are in this process; other addresses are in the traced process's current
 * memory. */
static int read_memory(void *ctx, void *to, u32 len, u64 address, bool user)
{
	const struct process *p = ctx;
	const u64 text = (u64)(uintptr_t)p->context.text, end = text + sizeof p->context.text;
	struct iovec here = { to, len }, there = { (void *)(uintptr_t)address, len };

	if (address >= text && address < end) {
		u32 n = (u32)MIN((u64)len, end - address);

		memcpy(to, (const void *)(uintptr_t)address, n);
		memset((u8 *)to + n, 0, len - n);
		return 0;
	}
	return process_vm_readv((pid_t)p->pid, &here, 1, &there, 1, 0) == (ssize_t)len ? 0 :
											 -EFAULT;
}

/* ---- opening and closing */

/* NULL: a map of the script cannot be in the memory of a process. */
static struct compiled *new_compiled(const struct program *prog, u32 n_cpus, bool waits)
{
	struct compiled *c = NULL;
	struct err err = { 0 };

	if (arch_native == &arch_x86_64)
		c = compiled_new(prog, n_cpus, waits, &err);
	err_release(&err);
	return c;
}

static void *open_process(struct program *prog, const struct engine_options *o, struct err *err)
{
	struct process *p = xcalloc(1, sizeof *p);
	struct vm_world world = { .pid_tgid = (u64)getpid() << 32 | (u64)getpid(),
				  .n_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF),
				  .comm = "sonde",
				  .ring_size = o->ring_size,
				  .now_ns = now_ns,
				  .read = read_memory,
				  .ctx = p };

	arena_init(&p->arena);
	p->lock_fd = -1;
	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (p->timer_fd < 0) {
		err_sys(err, "create a timer");
		free(p);
		return NULL;
	}
	p->run.in_children = o->traced && o->traced->in_children;
	p->compiled = new_compiled(prog, world.n_cpus, o->traced && o->traced->waits);
	if (p->compiled) {
		world.shared = compiled_maps(p->compiled);
		world.block = compiled_block(p->compiled);
	}
	p->vm = vm_new(prog, &world);
	p->world = vm_world(p->vm);
	p->prog = prog;
	p->failed = xcalloc(prog->funcs.n + 1ul, sizeof *p->failed);
	p->sends = xcalloc(prog->funcs.n + 1ul, sizeof *p->sends);
	p->first_func = NO_INDEX;
	p->now = clock_boot_ns();
	p->timers.next = ~0ull;
	tsc_look(&p->tsc);
	return p->vm;
}

/* If threads do not stop or do not leave the areas, the watcher retries after this process has
 * ended. */
static void disable(struct process *p)
{
	struct patched all = process_patched(p, 0);
	struct err err = { 0 };
	int ret = 0;

	if (!p->run.is_stopped && (all.n || all.n_areas))
		ret = patch_disable(&all, LEAVE_MS, &err);
	if (!p->run.is_stopped && !process_remove_copies(&all, LEAVE_MS))
		ret = PATCH_LEFT;
	if (!ret)
		watcher_stop(&p->watcher);
	p->run.is_stopped = true;
	err_release(&err);
}

static void detach_all(void *self)
{
	disable(process_of(self));
}

static struct leaving close_process(void *self)
{
	struct process *p = process_of(self);

	disable(p);
	functions_free(p->functions);
	rings_free(p->rings);
	hash_release(&p->handlers);
	tids_release(&p->tids);
	arena_release(&p->arena);
	free(p->timers.v);
	free(p->failed);
	free(p->sends);
	fd_close(&p->timer_fd);
	fd_close(&p->lock_fd);
	vm_free(p->vm);
	compiled_free(p->compiled);
	free(p);
	return (struct leaving){ 0 };
}

/* ---- running */

static void start(void *self)
{
	struct process *p = process_of(self);
	struct itimerspec look = { .it_interval.tv_nsec = LOOK_NS, .it_value.tv_nsec = LOOK_NS };
	struct patched all = process_patched(p, 0);

	process_remove_parts(&all, LEAVE_MS);
	timers_start(&p->timers, clock_boot_ns());
	timerfd_settime(p->timer_fd, 0, &look, NULL);
	p->run.is_started = true;
}

static void run_handler(struct process *p, const struct handler *h, void *ctx, u32 len,
			struct in_vm_receiver *to)
{
	if (!in_vm_handle(p->vm, h->func, h->cookie, ctx, len, to))
		p->failed[h->func]++;
}

/* Times of records never decrease, regardless of what the process writes. */
static void set_now(struct process *p, u64 now)
{
	p->now = MAX(p->now, now);
}

/* Passes on a record that a program in the process sent. The process may have changed it. */
static void pass_on(struct process *p, const struct sonde_record *r, struct in_vm_receiver *to)
{
	u32 len;
	const struct record_head *h = rings_sent(r, &len);
	const struct event_desc *e = h && len >= sizeof *h && h->event < p->prog->events.n ?
					     p->prog->events.v[h->event] :
					     NULL;

	if (e && p->sends[e->func] && len == e->size)
		to->has_enough |= to->f(to->ctx, h, len) != 0;
	else
		p->failed[p->first_func]++;
}

static void run_record(struct process *p, const struct sonde_record *r, u32 cpu,
		       struct in_vm_receiver *to)
{
	const struct handlers *h;
	u64 site;
	u32 tid;

	if (r->time > p->tsc.tick_2)
		tsc_look(&p->tsc);
	set_now(p, MIN(tsc_to_ns(&p->tsc, r->time), p->tsc.ns_2));
	if (r->size & JIT_RECORD_SENT) {
		pass_on(p, r, to);
		return;
	}
	site = p->functions ? functions_split_site(p->functions, r->site, &cpu) : r->site;
	h = hash_get(&p->handlers, &site, sizeof site);
	if (!h)
		return;
	tid = p->is_elsewhere ? tids_ours(&p->tids, r->tid) : r->tid;
	if (!tid) {
		p->failed[p->first_func]++;
		return;
	}
	if (h->is_function)
		functions_registers(p->functions, r, site, h->back, p->registers);
	else
		record_context(&p->context, r, h->strings);
	p->world->cpu = cpu;
	p->world->pid_tgid = (u64)p->pid << 32 | tid;
	memcpy(p->world->comm, tids_comm(&p->tids, tid), sizeof p->world->comm);
	for (u32 i = 0; i < h->list.n && !to->has_enough; i++)
		if (h->list.v[i].is_compiled)
			continue;
		else if (h->is_function)
			run_handler(p, &h->list.v[i], p->registers, sizeof p->registers, to);
		else
			run_handler(p, &h->list.v[i], &p->context, sizeof p->context, to);
}

static void run_timer(struct process *p, struct in_vm_receiver *to)
{
	const struct timer *t;

	set_now(p, p->timers.next);
	t = timers_take(&p->timers);
	p->world->pid_tgid = 0;
	memset(p->world->comm, 0, sizeof p->world->comm);
	run_handler(p, &(struct handler){ .func = t->func, .cookie = t->cookie }, NULL, 0, to);
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	struct process *p = process_of(self);
	struct in_vm_receiver to = { .f = f, .ctx = ctx };
	const struct sonde_record *r = NULL;
	u64 expirations, last;
	u32 cpu = 0;
	int n = in_vm_drain(self, &to);

	p->run.has_more = false;
	if (!p->run.is_started)
		return n;
	(void)!read(p->timer_fd, &expirations, sizeof expirations);
	process_look_at_clock(p);
	if (p->rings)
		rings_look(p->rings);
	last = until == ~0ull ? until : tsc_from_ns(&p->tsc, until);
	for (u32 i = 0;
	     i < BATCH && !to.has_enough && p->rings && (r = rings_next(p->rings, last, &cpu));
	     i++, n++)
		run_record(p, r, cpu, &to);
	p->run.has_more = r != NULL;
	while (!to.has_enough && !p->run.is_stopped && p->timers.next <= p->tsc.ns_2)
		run_timer(p, &to);
	return n;
}

static bool has_all(const void *self)
{
	return !process_of(self)->run.has_more;
}

static bool drained_much(const void *self)
{
	return process_of(self)->run.has_more;
}

static int event_fd(const void *self)
{
	return process_of(self)->timer_fd;
}

static u64 skipped(void *self, u32 func)
{
	struct process *p = process_of(self);
	u64 lost = func == p->first_func && p->rings ? rings_lost(p->rings) : 0;

	return p->failed[func] + lost;
}

const struct engine engine_process = {
	.name = "process",
	.brief = "functions and tracepoints of sonde/sonde.h, by memory shared with the process",
	.by_name_only = true,
	.has_substitute = true,
	.reads_records = true,
	.has_events = true,
	.features = features,
	.lacks = lacks,
	.source = "a record",
	.source_has =
		"the arguments, comm, pid, tid, cpu, nsecs, elapsed and probe; --engine=kernel for the rest",
	.serves = serves,
	.cannot_run = cannot_run,
	.find_changed = find_changed,
	.open = open_process,
	.detach_all = detach_all,
	.close = close_process,
	.attach = process_attach,
	.launch = process_launch_command,
	.start = start,
	.how = process_how,
	.run = in_vm_run,
	.event_fd = event_fd,
	.drain = drain,
	.has_all = has_all,
	.drained_much = drained_much,
	.skipped = skipped,
	.misses = LOSS_RECORDS,
	.clock = clock_now,
	IN_VM_OPERATIONS,
};
