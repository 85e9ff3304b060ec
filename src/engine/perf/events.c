/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events of sites: one on each processor, whose samples go to the ring of that processor. The
 * ring belongs to a dummy event, which also reports new threads and new names. Sites of the same
 * event share it, so that their functions run in the order of the script.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "arch/arch.h"
#include "base/buf.h"
#include "engine/engine.h"
#include "engine/machine.h"
#include "engine/perf/internal.h"
#include "sym/tracefs.h"

enum {
	MOST_CPUS = 4096,
	/* Data bytes of all rings together, and of one. */
	RINGS = 64 << 20,
	MOST_RING = 4 << 20,
	MOST_RING_OF_STACKS = 16 << 20, /* where samples may have bytes of stacks */
	LEAST_RING = 64 << 10,
	/* A ring has room for this many samples with stacks. */
	STACKS_IN_RING = 32,
	/* The most bytes of the user stack in a sample of a timer. In a sample of another event:
	 * half of that, because thousands may come at once. */
	MOST_STACK = 32 << 10,
};
#define FORMAT_LOST (1ull << 4) /* PERF_FORMAT_LOST, Linux 6.0 */

/* ---- rings */

static void want_files(u32 more)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= more)
		return;
	r.rlim_cur = MIN((rlim_t)more, r.rlim_max);
	setrlimit(RLIMIT_NOFILE, &r); /* if the limit is too low, EMFILE follows */
}

static struct perf_event_attr attr_of(u32 type, u64 config)
{
	return (struct perf_event_attr){ .type = type,
					 .size = sizeof(struct perf_event_attr),
					 .config = config,
					 .sample_type = PERF_SAMPLE_ALWAYS,
					 .sample_id_all = 1,
					 .use_clockid = 1,
					 .clockid = CLOCK_MONOTONIC };
}

static struct perf_event_attr attr_dummy(bool own, bool maps)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.comm = attr.task = 1;
	attr.mmap = attr.mmap2 = attr.comm_exec = maps;
	attr.exclude_kernel = own;
	return attr;
}

/* Rings of processors take events of any task; this process's own events have no records that
 * matter. */
static int open_dummy(const struct events *e, u32 cpu, u32 wakeup)
{
	struct perf_event_attr attr = attr_dummy(e->pids != NULL, e->wants_maps && !e->pids);

	attr.watermark = 1;
	attr.wakeup_watermark = wakeup;
	return perf_event_open(&attr, e->pids ? 0 : -1, (s32)cpu, -1, 0);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The kernel limits the rings of a user (kernel.perf_event_mlock_kb): smaller rings are tried,
 * too. */
static void *map_ring(int fd, u64 *size)
{
	void *at = MAP_FAILED;

	for (u64 try = *size; at == MAP_FAILED && try >= LEAST_RING; try /= 2) {
		*size = try;
		at = mmap(NULL, page_size() + try, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	return at;
}

/* *size becomes the size of its ring, the maximum for the next ones. */
static int add_ring(struct events *e, u32 cpu, u64 *size)
{
	struct epoll_event ready = { .events = EPOLLIN };
	int fd = open_dummy(e, cpu, (u32)(*size / 2)), error;
	void *at;

	if (fd < 0)
		return errno == ENODEV ? 0 : -errno; /* went offline */
	at = map_ring(fd, size);
	if (at == MAP_FAILED) {
		error = errno;
		close(fd);
		return -error;
	}
	perf_rings_add(&e->rings, cpu, at, (const u8 *)at + page_size(), *size);
	vec_push(&e->arena, &e->ring_fds, fd);
	return epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, fd, &ready) < 0 ? -errno : 0;
}

static u64 ring_size(const struct events *e, u32 n_cpus)
{
	u64 all = MAX((u64)RINGS, e->rings_size), size = all > RINGS ? all :
							 e->wants_stacks ?
								       (u64)MOST_RING_OF_STACKS :
								       (u64)MOST_RING;

	while (size > LEAST_RING && size * n_cpus > all)
		size /= 2;
	return size;
}

static int watch_tasks(struct events *e, struct err *err);

int events_open(struct events *e, struct err *err)
{
	u32 *cpu = xcalloc(MOST_CPUS, sizeof *cpu), n = MIN(cpus_online(cpu, MOST_CPUS), MOST_CPUS);
	u64 size = ring_size(e, n);
	int ret = 0;

	arena_init(&e->arena);
	e->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	want_files(n + 64);
	for (u32 i = 0; i < n && ret >= 0; i++)
		ret = add_ring(e, cpu[i], &size);
	free(cpu);
	errno = -ret;
	return ret < 0 ? err_sys(err, "open a perf event with a ring on each processor") :
	       e->pids ? watch_tasks(e, err) :
			 0;
}

u32 events_stack_bytes(const struct events *e, bool timer)
{
	u64 least = ~0ull;

	for (u32 i = 0; i < e->rings.n; i++)
		least = MIN(least, e->rings.v[i].size);
	return (u32)MIN(least / STACKS_IN_RING, (u64)MOST_STACK) / (timer ? 1 : 2);
}

static void close_source(struct event_source *s)
{
	for (u32 i = 0; i < s->fds.n; i++)
		close(s->fds.v[i]);
	fetch_remove(&s->fetched);
}

void events_release(struct events *e)
{
	for (u32 i = 0; i < e->sources.n; i++)
		close_source(e->sources.v[i]);
	for (u32 i = 0; i < e->rings.n; i++)
		munmap(e->rings.v[i].page, page_size() + e->rings.v[i].size);
	for (u32 i = 0; i < e->ring_fds.n; i++)
		close(e->ring_fds.v[i]);
	close(e->epoll_fd);
	perf_rings_release(&e->rings);
	hash_release(&e->by_id);
	arena_release(&e->arena);
}

void events_disable(struct events *e)
{
	for (u32 i = 0; i < e->sources.n; i++)
		for (u32 k = 0; k < e->sources.v[i]->fds.n; k++)
			ioctl(e->sources.v[i]->fds.v[k], PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- sites */

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && streq(a, b));
}

static bool is_same_place(const struct site *a, const struct site *b)
{
	if (a->kind == SITE_UPROBE)
		return a->user.offset == b->user.offset &&
		       a->user.ref_ctr_offset == b->user.ref_ctr_offset &&
		       is_same_text(a->user.path, b->user.path);
	if (a->kind == SITE_KPROBE)
		return a->kernel.offset == b->kernel.offset &&
		       a->kernel.address == b->kernel.address &&
		       is_same_text(a->kernel.module, b->kernel.module) &&
		       is_same_text(a->kernel.symbol, b->kernel.symbol);
	if (a->kind == SITE_WATCHPOINT)
		return a->watch.address == b->watch.address && a->watch.len == b->watch.len &&
		       a->watch.type == b->watch.type;
	return a->event.type == b->event.type && a->event.config == b->event.config &&
	       a->event.period == b->event.period && a->event.is_freq == b->event.is_freq &&
	       a->event.one_cpu == b->event.one_cpu;
}

static bool is_same_event(const struct site *a, const struct site *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->is_return == b->is_return &&
	       is_same_place(a, b);
}

/* The id of raw_syscalls' event; call: as in struct site. */
static s64 calls_id(struct events *e, s32 call)
{
	s64 *id = call > 0 ? &e->calls_enter : &e->calls_exit;
	struct err err = { 0 };

	if (!*id)
		*id = tracefs_event_id("raw_syscalls", call > 0 ? "sys_enter" : "sys_exit", &err);
	err_release(&err);
	return *id;
}

static int set_tracepoint(struct events *e, struct perf_event_attr *attr, const struct site *s)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = s->event.config;
	attr->sample_period = 1;
	attr->sample_type |= PERF_SAMPLE_RAW;
	return 0;
}

static int set_software(struct events *e, struct perf_event_attr *attr, const struct site *s)
{
	perf_attr_software(attr, s);
	return 0;
}

static int set_timer(struct events *e, struct perf_event_attr *attr, const struct site *s)
{
	perf_attr_timer(attr, s);
	return 0;
}

static int set_uprobe(struct events *e, struct perf_event_attr *attr, const struct site *s)
{
	attr->uprobe_path = (u64)(uintptr_t)s->user.path;
	attr->probe_offset = s->user.offset;
	return pmu_probe(attr, "uprobe", s);
}

static int set_kprobe(struct events *e, struct perf_event_attr *attr, const struct site *s)
{
	const char *symbol = s->kernel.symbol;

	if (symbol && s->kernel.module)
		symbol = arena_printf(&e->arena, "%s:%s", s->kernel.module, symbol);
	attr->kprobe_func = (u64)(uintptr_t)symbol;
	attr->probe_offset = symbol ? s->kernel.offset : s->kernel.address;
	return pmu_probe(attr, "kprobe", s);
}

static int set_watchpoint(struct events *e, struct perf_event_attr *attr, const struct site *s)
{
	perf_attr_watchpoint(attr, s);
	return 0;
}

static int set_fetched(struct perf_event_attr *attr, const struct fetched *t)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = t->id;
	attr->sample_period = 1;
	attr->sample_type |= PERF_SAMPLE_RAW;
	return 0;
}

typedef int (*set_fn)(struct events *e, struct perf_event_attr *attr, const struct site *s);

/* The attribute that names the event; NULL: no perf event serves such sites. */
static set_fn setter(enum site_kind kind)
{
	static const set_fn by_kind[] = {
		[SITE_PERF_TRACEPOINT] = set_tracepoint,
		[SITE_PERF_SOFTWARE] = set_software,
		[SITE_PERF_TIMER] = set_timer,
		[SITE_UPROBE] = set_uprobe,
		[SITE_KPROBE] = set_kprobe,
		[SITE_WATCHPOINT] = set_watchpoint,
	};

	return kind < ARRAY_SIZE(by_kind) ? by_kind[kind] : NULL;
}

bool events_serve(enum site_kind kind)
{
	return setter(kind) != NULL;
}

static int keep(struct events *e, struct event_source *s, int fd, u32 ring)
{
	u64 *id;

	vec_push(&e->arena, &s->fds, fd);
	id = arena_new(&e->arena, u64);
	if (ioctl(fd, PERF_EVENT_IOC_ID, id) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e->ring_fds.v[ring]) < 0)
		return -errno;
	hash_put(&e->by_id, id, sizeof *id, s);
	if (s->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, s->filter) < 0)
		s->filter = NULL; /* then only the program decides */
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

/* tid -1: of all tasks. Before Linux 6.0 an event does not count what it lost. */
static int open_event(struct events *e, struct perf_event_attr *attr, s32 tid, u32 cpu)
{
	int fd;

	attr->disabled = 1; /* until its records are redirected to the ring */
	attr->read_format = FORMAT_LOST;
	fd = perf_event_open(attr, tid, (s32)cpu, -1, 0);
	e->counts_lost = fd >= 0;
	attr->read_format = 0;
	return fd >= 0 || errno != EINVAL ? fd : perf_event_open(attr, tid, (s32)cpu, -1, 0);
}

/* Events that occur only in the kernel: they would never fire if the kernel were excluded. */
static bool is_in_kernel(struct events *e, const struct site *s)
{
	if (s->kind == SITE_PERF_TRACEPOINT)
		return (s64)s->event.config == calls_id(e, 1) ||
		       (s64)s->event.config == calls_id(e, -1);
	return s->kind == SITE_PERF_SOFTWARE && s->event.type == PERF_TYPE_SOFTWARE &&
	       (s->event.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		s->event.config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* Includes the kernel or, if kernel.perf_event_paranoid forbids that, only user space. */
static int open_allowed(struct events *e, struct event_source *s, struct perf_event_attr *attr,
			s32 tid, u32 cpu)
{
	int fd = open_event(e, attr, tid, cpu);

	if (fd >= 0 || errno != EACCES || !e->pids || attr->exclude_kernel ||
	    is_in_kernel(e, &s->site))
		return fd;
	attr->exclude_kernel = s->is_user_only = 1;
	return open_event(e, attr, tid, cpu);
}

/* One event for each of the first n processors. 0 or -errno. */
static int open_on_cpus(struct events *e, struct event_source *s, struct perf_event_attr *attr,
			s32 tid, u32 n)
{
	int ret = 0;

	want_files(s->fds.n + (e->sources.n + 2) * e->rings.n + 64);
	for (u32 i = 0; i < n && ret >= 0; i++) {
		int fd = open_allowed(e, s, attr, tid, e->rings.v[i].cpu);

		if (fd >= 0)
			ret = keep(e, s, fd, i);
		else if (errno != ENODEV) /* went offline */
			ret = -errno;
	}
	return ret;
}

/* The threads of a process, on each processor: such an event is inherited by the threads that they
 * start. Threads that have ended meanwhile are skipped. */
static int open_on_threads(struct events *e, struct event_source *s, struct perf_event_attr *attr,
			   u32 pid)
{
	char path[32];
	struct dirent *entry;
	int ret = -ESRCH;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	dir = opendir(path);
	attr->inherit = 1;
	attr->inherit_thread = !e->pids && feature_has(kernel_features(), FEAT_INHERIT_THREAD);
	while (dir && (ret >= 0 || ret == -ESRCH) && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			ret = open_on_cpus(e, s, attr, atoi(entry->d_name), e->rings.n);
	if (dir)
		closedir(dir);
	return ret == -ESRCH && s->fds.n ? 0 : ret;
}

static int open_on_tasks(struct events *e, struct event_source *s, struct perf_event_attr *attr)
{
	int ret = 0;

	for (u32 i = 0; i < e->n_pids && ret >= 0; i++)
		ret = open_on_threads(e, s, attr, e->pids[i]);
	return ret;
}

/* Watches for new threads, names and mappings. */
static int watch_tasks(struct events *e, struct err *err)
{
	struct event_source *s = arena_new(&e->arena, struct event_source);
	struct perf_event_attr attr = attr_dummy(true, true);

	vec_push(&e->arena, &e->sources, s);
	errno = -open_on_tasks(e, s, &attr);
	if (errno <= 0)
		return 0;
	err_sys(err, "open perf events of the traced processes");
	if (err->code == -EACCES || err->code == -EPERM)
		err_help(err, "they belong to another user, or their program is setuid or not "
			      "readable: CAP_PERFMON traces them, too");
	return err->code;
}

static int open_source(struct events *e, struct event_source *s, struct perf_event_attr *attr)
{
	const bool one_cpu = s->site.kind == SITE_PERF_TIMER && s->site.event.one_cpu;

	if (e->pids)
		return open_on_tasks(e, s, attr);
	if (s->site.kind != SITE_PERF_TRACEPOINT && s->site.pid > 0 && !one_cpu)
		return open_on_threads(e, s, attr, (u32)s->site.pid);
	return open_on_cpus(e, s, attr, -1, one_cpu ? 1 : e->rings.n);
}

/* Functions are numbered in the order of the script. */
static void add_handler(struct events *e, struct event_source *s, struct handler h)
{
	u32 at = s->handlers.n;

	vec_push(&e->arena, &s->handlers, h);
	for (; at && s->handlers.v[at - 1].func > h.func; at--)
		s->handlers.v[at] = s->handlers.v[at - 1];
	s->handlers.v[at] = h;
}

static struct event_source *find_source(const struct events *e, const struct site *s,
					const struct sample_parts *parts)
{
	for (u32 i = 0; i < e->sources.n; i++)
		if (!e->sources.v[i]->fetched.fetches && is_same_event(&e->sources.v[i]->site, s) &&
		    (e->sources.v[i]->layout.type & parts->type) == parts->type &&
		    e->sources.v[i]->parts.stack >= parts->stack)
			return e->sources.v[i];
	return NULL;
}

/* For -v. */
static void note(struct events *e, const struct event_source *s)
{
	const char *how = arena_printf(&e->arena, "%s: %u perf event%s", s->site.probe, s->fds.n,
				       s->fds.n == 1 ? "" : "s");

	if (s->fetched.fetches)
		how = arena_printf(&e->arena, "%s, with %u fetched values", how,
				   s->fetched.fetches->list.n);
	if (s->is_user_only)
		how = arena_printf(&e->arena, "%s, user space only", how);
	if (s->filter)
		how = arena_printf(&e->arena, "%s, filtered in the kernel: %s", how, s->filter);
	else if (s->site.kind == SITE_PERF_TRACEPOINT && s->site.event.filter)
		how = arena_printf(&e->arena, "%s, its predicate is evaluated by sonde", how);
	vec_push(&e->arena, &e->how, how);
}

/* One register of a system call, for its ABI; all where its stack is unwound. */
static void set_parts(struct perf_event_attr *attr, const struct site *site,
		      const struct sample_parts *parts)
{
	const u64 regs = arch_native->sample_regs;
	bool all = site->kind != SITE_PERF_TRACEPOINT || parts->stack;

	attr->sample_type |= parts->type;
	attr->sample_regs_intr = parts->type & PERF_SAMPLE_REGS_INTR ? regs : 0;
	attr->sample_stack_user = parts->type & PERF_SAMPLE_STACK_USER ? parts->stack : 0;
	if (parts->type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = all ? regs : 1;
}

/* The event of a site, opened if it is not open yet. NULL with err. */
static struct event_source *source_at(struct events *e, const struct site *site,
				      const struct fetches *fetches,
				      const struct sample_parts *parts, struct err *err)
{
	struct event_source *s = fetches->list.n ? NULL : find_source(e, site, parts);
	struct perf_event_attr attr = attr_of(0, 0);
	struct fetched fetched = { 0 };
	int ret;

	if (s)
		return s;
	set_parts(&attr, site, parts);
	if (fetches->list.n && (ret = fetch_define(&fetched, &e->arena, fetches, site, err)) < 0) {
		fetch_remove(&fetched);
		return NULL;
	}
	ret = fetches->list.n ? set_fetched(&attr, &fetched) : setter(site->kind)(e, &attr, site);
	s = arena_new(&e->arena, struct event_source);
	*s = (struct event_source){ .site = *site,
				    .fetched = fetched,
				    .parts = *parts,
				    .layout = { attr.sample_type, attr.sample_regs_user,
						attr.sample_regs_intr } };
	if (site->kind == SITE_PERF_TRACEPOINT && !fetched.fetches && site->event.filter &&
	    *site->event.filter)
		s->filter = site->event.filter;
	if (ret >= 0)
		ret = open_source(e, s, &attr);
	if (ret < 0) {
		close_source(s);
		errno = -ret;
		err_sys(err, "attach to %s", site->probe);
		if (e->pids && (ret == -EACCES || ret == -EPERM))
			help_perf(err);
		return NULL;
	}
	vec_push(&e->arena, &e->sources, s);
	note(e, s);
	return s;
}

int events_attach(struct events *e, struct handler h, const struct site *site,
		  const struct sample_parts *parts, struct err *err)
{
	struct event_source *s = source_at(e, site, h.fetches, parts, err);

	if (!s)
		return err->code;
	add_handler(e, s, h);
	return 0;
}

/* ---- many system calls */

/*
 * An event for each of many calls takes the kernel 20 ms to remove. Records of raw_syscalls are
 * alike:
 *
 *	sys_enter	{ u64 common; s64 id; u64 args[6] }	sys_enter_X	{ u64 common; int nr; u64 args[] }
 *	sys_exit	{ u64 common; s64 id, ret }		sys_exit_X	{ u64 common; int nr; s64 ret }
 *
 * Calls of 32-bit processes, which the events of single calls omit, are recognized by the ABI of
 * the process's registers.
 */

bool events_share_calls(struct events *e, const struct site *s, u32 n,
			const struct sample_parts *parts)
{
	enum { FEW = 2 };

	return s->kind == SITE_PERF_TRACEPOINT && s->event.call && !e->pids &&
	       (n > FEW || parts->type & PERF_SAMPLE_CALLCHAIN) && calls_id(e, s->event.call) > 0;
}

int events_attach_call(struct events *e, struct handler h, const struct site *site,
		       const struct sample_parts *parts, struct err *err)
{
	struct sample_parts with_abi = *parts;
	struct site calls = *site;
	struct event_source *s;

	calls.event.config = (u64)calls_id(e, site->event.call);
	calls.event.call = site->event.call > 0 ? 1 : -1;
	calls.event.filter = NULL; /* events_filter_calls() decides */
	with_abi.type |= PERF_SAMPLE_REGS_USER;
	s = source_at(e, &calls, h.fetches, &with_abi, err);
	if (!s)
		return err->code;
	s->is_calls = true;
	h.call = abs(site->event.call);
	add_handler(e, s, h);
	return 0;
}

static void filter_source(struct events *e, const struct event_source *s)
{
	enum { MOST_TERMS = 64 };
	struct buf filter = { 0 };

	for (u32 i = 0; i < s->handlers.n && s->handlers.n <= MOST_TERMS; i++)
		buf_printf(&filter, "%sid == %d", i ? " || " : "", s->handlers.v[i].call - 1);
	for (u32 i = 0; filter.len && i < s->fds.n; i++)
		if (ioctl(s->fds.v[i], PERF_EVENT_IOC_SET_FILTER, filter.s) < 0)
			break; /* then the handlers decide */
	buf_release(&filter);
}

void events_filter_calls(struct events *e)
{
	for (u32 i = 0; i < e->sources.n; i++)
		if (e->sources.v[i]->is_calls)
			filter_source(e, e->sources.v[i]);
}

u64 events_lost(struct events *e, const struct event_source *s)
{
	struct {
		u64 count, lost;
	} now;
	u64 sum = 0;

	if (!e->counts_lost)
		return s->lost;
	for (u32 i = 0; i < s->fds.n; i++)
		if (read(s->fds.v[i], &now, sizeof now) == sizeof now)
			sum += now.lost;
	return sum;
}
