/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process engine: tracepoints of include/sonde/sonde.h write records into memory that the process
 * and sonde share (rings.c), without a system call; their programs run here, in the interpreter (vm/),
 * in the order of the records. The context of a program is struct sonde_record, in which words of
 * strings are addresses of text in this process:
 *
 *	SONDE_TP(shop, order, id, name)  ->  { size, tid, time, site, word[] = { id, "name" } }
 *
 * patch.c enables the tracepoints, tsc.c converts their times.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/hash.h"
#include "engine/process/internal.h"
#include "engine/timers.h"
#include "sym/procmaps.h"
#include "vm/vm.h"

enum {
	BATCH = 16384, /* records of a drain() */
	/* Bytes of records: of all processors together, of one. */
	RINGS_SIZE = 64 << 20,
	MOST_RING_SIZE = 4 << 20,
	LEAST_RING_SIZE = 256 << 10,
	LOOK_NS = 10000000, /* between two looks at rings that were empty */
};

/* A function of the program, and the index of its site. */
struct handler {
	u32 func;
	u64 cookie;
};

/* What runs for the records that name a site. */
struct handlers {
	u64 site;    /* address in the process */
	u64 strings; /* bit i: argument i is one */
	VEC(struct handler) list;
};

struct comm {
	u32 tid;
	char name[16];
};

struct process {
	struct vm *vm;
	struct vm_world *world;
	struct arena arena;
	u32 pid; /* 0: no tracepoint is attached */
	char comm[16];
	VEC(struct tracepoint) points;
	struct hash handlers, comms; /* struct handlers by site, struct comm by tid; in the arena */
	struct rings *rings;
	struct timers timers;
	struct tsc tsc;
	bool is_started, is_stopped;
	u64 now, record_time;
	u64 *failed; /* by function: runs that a fault ended */
	u32 first_func;
	int timer_fd, lock_fd;
	s32 watcher;
	struct record_context context;
};

static struct process *process_of(const void *self)
{
	return vm_world((struct vm *)(uintptr_t)self)->ctx;
}

/* ---- before a run */

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	return id == FEAT_UPROBE || id == FEAT_PERF_EVENTS ? FEATURE_YES : in_vm_feature(id);
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature };

	return &f;
}

static int check_rights(struct err *err)
{
	if (!geteuid())
		return 0;
	err_set(err, -EPERM, "--engine=process needs root");
	err_help(err, "it maps the memory that the process shares (/proc/PID/map_files)");
	return err->code;
}

static const char *why_not(const struct site *s)
{
	if (s->kind != SITE_ONCE && s->kind != SITE_SIGNAL && s->kind != SITE_PERF_TIMER &&
	    s->kind != SITE_RECORD)
		return "the process engine has tracepoints of sonde/sonde.h only";
	if (s->kind != SITE_RECORD)
		return NULL;
	if (s->pid <= 0)
		return "the process engine needs -p PID: it changes the code of that process";
	return tsc_is_usable() ? NULL : "the time stamp counter of this machine is no clock";
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

/* ---- the world of programs */

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

/* Strings of the record are here; all else is memory of the process, as it is now. */
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

static bool read_comm(const char *path, char comm[16])
{
	struct buf b = { 0 };
	bool ok = buf_read_file(&b, path) >= 0 && b.len;

	if (ok)
		memcpy(comm, b.s, MIN(b.len - 1, 15ul));
	buf_release(&b);
	return ok;
}

/* As at the first record of the thread that is read; of one that has ended by then the process's. */
static const char *comm_of(struct process *p, u32 tid)
{
	struct comm *c = hash_get(&p->comms, &tid, sizeof tid);
	char path[48];

	if (c)
		return c->name;
	c = arena_new(&p->arena, struct comm);
	*c = (struct comm){ .tid = tid };
	snprintf(path, sizeof path, "/proc/%u/task/%u/comm", p->pid, tid);
	if (!read_comm(path, c->name))
		memcpy(c->name, p->comm, sizeof c->name);
	hash_put(&p->comms, &c->tid, sizeof c->tid, c);
	return c->name;
}

/* ---- opening and closing */

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
	p->vm = vm_new(prog, &world);
	p->world = vm_world(p->vm);
	p->failed = xcalloc(prog->funcs.n + 1ul, sizeof *p->failed);
	p->first_func = NO_INDEX;
	p->now = clock_boot_ns();
	p->timers.next = ~0ull;
	tsc_look(&p->tsc);
	return p->vm;
}

static void disable(struct process *p)
{
	struct err err = { 0 };

	if (p->points.n && !p->is_stopped)
		patch_disable(p->pid, p->points.v, p->points.n, &err);
	watcher_stop(&p->watcher);
	p->is_stopped = true;
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
	rings_free(p->rings);
	hash_release(&p->handlers);
	hash_release(&p->comms);
	arena_release(&p->arena);
	free(p->timers.v);
	free(p->failed);
	fd_close(&p->timer_fd);
	fd_close(&p->lock_fd);
	vm_free(p->vm);
	free(p);
	return (struct leaving){};
}

/* ---- attaching */

/* What must be added to the file's addresses. */
static bool find_bias(u32 pid, const struct site *s, u64 *bias)
{
	struct procmaps maps = {};
	struct err err = {};
	struct stat st;
	bool found = false;

	if (stat(s->record.path, &st) < 0 || procmaps_read(&maps, pid, &err) < 0)
		return false;
	for (u32 i = 0; i < maps.list.n && !found; i++) {
		const struct mapping *m = &maps.list.v[i];

		if (!m->exec || m->inode != st.st_ino || m->dev_major != major(st.st_dev) ||
		    m->dev_minor != minor(st.st_dev) || s->record.offset < m->offset ||
		    s->record.offset - m->offset >= m->end - m->start)
			continue;
		*bias = m->start + (s->record.offset - m->offset) - s->record.address;
		found = true;
	}
	procmaps_release(&maps);
	return found;
}

/* The tracepoints of one name write records of the same sites: a function runs once for each. */
static void add_handler(struct process *p, u64 site, u64 strings, struct handler h)
{
	struct handlers *of = hash_get(&p->handlers, &site, sizeof site);

	if (!of) {
		of = arena_new(&p->arena, struct handlers);
		*of = (struct handlers){ .site = site };
		hash_put(&p->handlers, &of->site, sizeof of->site, of);
	}
	of->strings |= strings;
	for (u32 i = 0; i < of->list.n; i++)
		if (of->list.v[i].func == h.func)
			return;
	vec_push(&p->arena, &of->list, h);
}

static int add_point(struct process *p, u32 func, const struct site *s, struct err *err)
{
	struct handler h = { .func = func, .cookie = s->index };
	u64 bias;

	if (p->pid && p->pid != (u32)s->pid)
		return err_set(err, -ENOTSUP, "the process engine reads records of one process");
	if (!p->pid) {
		char path[32];

		p->pid = (u32)s->pid;
		snprintf(path, sizeof path, "/proc/%u/comm", p->pid);
		read_comm(path, p->comm);
	}
	if (!find_bias(p->pid, s, &bias))
		return err_set(err, -ENOENT, "process %u does not have %s", p->pid, s->record.path);
	vec_push(&p->arena, &p->points,
		 (struct tracepoint){ .nop5 = s->record.address + bias + 1,
				      .cold_path = s->record.cold_path + bias,
				      .module = s->record.module + bias });
	for (u32 i = 0; i < s->record.n_sites; i++)
		add_handler(p, s->record.sites[i] + bias, s->record.strings, h);
	return 0;
}

/* A name that the kernel frees when this process ends, however it ends. */
static int lock_process(struct process *p, struct err *err)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int len = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "sonde-records-%u", p->pid);

	if (p->lock_fd >= 0)
		return 0;
	p->lock_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (p->lock_fd < 0)
		return err_sys(err, "create a socket");
	if (!bind(p->lock_fd, (struct sockaddr *)&name,
		  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)))
		return 0;
	if (errno == EADDRINUSE)
		err_set(err, -EBUSY, "another sonde reads the records of process %u", p->pid);
	else
		err_sys(err, "bind a socket");
	fd_close(&p->lock_fd);
	return err->code;
}

static u32 ring_size(u32 n_cpus)
{
	u32 size = MOST_RING_SIZE;

	while (size > LEAST_RING_SIZE && (u64)size * n_cpus > RINGS_SIZE)
		size /= 2;
	return size;
}

static int enable(struct process *p, u32 from, struct err *err)
{
	if (lock_process(p, err) < 0)
		return err->code;
	if (!p->rings)
		p->rings = rings_new(p->pid);
	for (u32 i = from; i < p->points.n; i++)
		rings_add(p->rings, p->points.v[i].module);
	watcher_stop(&p->watcher);
	p->watcher = watcher_start(p->pid, p->points.v, p->points.n, err);
	if (p->watcher < 0)
		return err->code;
	return patch_enable(p->pid, p->points.v + from, p->points.n - from, p->world->n_cpus,
			    ring_size(p->world->n_cpus), err);
}

static int attach(void *self, u32 func, const struct site *const *sites, u32 n, refused_fn refused,
		  void *ctx, struct err *err)
{
	struct process *p = process_of(self);
	u32 from = p->points.n;
	int ret = 0;

	for (u32 i = 0; i < n && ret >= 0; i++)
		if (sites[i]->kind == SITE_PERF_TIMER)
			timers_add(&p->timers, sites[i], func);
		else
			ret = add_point(p, func, sites[i], err);
	if (ret >= 0 && p->points.n > from)
		ret = enable(p, from, err);
	if (ret < 0)
		return ret;
	p->first_func = MIN(p->first_func, func);
	return (int)n;
}

static void start(void *self)
{
	struct process *p = process_of(self);
	struct itimerspec look = { .it_interval.tv_nsec = LOOK_NS, .it_value.tv_nsec = LOOK_NS };

	timers_start(&p->timers, clock_boot_ns());
	timerfd_settime(p->timer_fd, 0, &look, NULL);
	p->is_started = true;
}

/* ---- running */

static void run_handler(struct process *p, const struct handler *h, void *ctx, u32 len,
			struct in_vm_receiver *to)
{
	if (!in_vm_handle(p->vm, h->func, h->cookie, ctx, len, to))
		p->failed[h->func]++;
}

/* Times of records never decrease, whatever the process writes. */
static void set_now(struct process *p, u64 now)
{
	p->now = MAX(p->now, now);
}

static void run_record(struct process *p, const struct sonde_record *r, u32 cpu,
		       struct in_vm_receiver *to)
{
	const struct handlers *h = hash_get(&p->handlers, &r->site, sizeof r->site);

	if (!h)
		return;
	if (r->time > p->tsc.tick_2)
		tsc_look(&p->tsc);
	set_now(p, MIN(tsc_to_ns(&p->tsc, r->time), p->tsc.ns_2));
	record_context(&p->context, r, h->strings);
	p->world->cpu = cpu;
	p->world->pid_tgid = (u64)p->pid << 32 | r->tid;
	memcpy(p->world->comm, comm_of(p, r->tid), sizeof p->world->comm);
	for (u32 i = 0; i < h->list.n && !to->has_enough; i++)
		run_handler(p, &h->list.v[i], &p->context, sizeof p->context, to);
}

static void run_timer(struct process *p, struct in_vm_receiver *to)
{
	const struct timer *t;

	set_now(p, p->timers.next);
	t = timers_take(&p->timers);
	p->world->pid_tgid = 0;
	memset(p->world->comm, 0, sizeof p->world->comm);
	run_handler(p, &(struct handler){ t->func, t->cookie }, NULL, 0, to);
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	struct process *p = process_of(self);
	struct in_vm_receiver to = { .f = f, .ctx = ctx };
	const struct sonde_record *r;
	u64 expirations;
	u32 cpu = 0;
	int n = in_vm_drain(self, &to);

	if (!p->is_started)
		return n;
	(void)!read(p->timer_fd, &expirations, sizeof expirations);
	tsc_look(&p->tsc);
	if (p->rings)
		rings_look(p->rings);
	for (u32 i = 0; i < BATCH && !to.has_enough && p->rings && (r = rings_next(p->rings, &cpu));
	     i++, n++)
		run_record(p, r, cpu, &to);
	while (!to.has_enough && !p->is_stopped && p->timers.next <= p->tsc.ns_2)
		run_timer(p, &to);
	return n;
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
	.brief = "tracepoints of sonde/sonde.h, by memory shared with the process",
	.by_name_only = true,
	.reads_records = true,
	.has_events = true,
	.features = features,
	.check_rights = check_rights,
	.lacks = lacks,
	.source = "a record",
	.source_has =
		"the arguments, comm, pid, tid, cpu, nsecs, elapsed and probe; --engine=kernel for the rest",
	.serves = serves,
	.open = open_process,
	.detach_all = detach_all,
	.close = close_process,
	.attach = attach,
	.start = start,
	.run = in_vm_run,
	.event_fd = event_fd,
	.drain = drain,
	.skipped = skipped,
	.misses = LOSS_RECORDS,
	.clock = clock_now,
	IN_VM_OPERATIONS,
};
