/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events of sites: one on each processor, whose samples go to the ring of that processor. The
 * ring belongs to a dummy event, which also reports new threads and new names. Sites that are the
 * same event share it, so that their functions run in the order of the script.
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
#include "engine/engine.h"
#include "engine/machine.h"
#include "engine/perf/internal.h"

enum {
	MOST_CPUS = 4096,
	/* Bytes of data of all rings together, of one. */
	RINGS = 64 << 20,
	MOST_RING = 4 << 20,
	LEAST_RING = 64 << 10,
};
#define FORMAT_LOST (1ull << 4) /* PERF_FORMAT_LOST, Linux 6.0 */

/* ---- rings */

static void want_files(u32 more)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= more)
		return;
	r.rlim_cur = MIN((rlim_t)more, r.rlim_max);
	setrlimit(RLIMIT_NOFILE, &r); /* too little shows as EMFILE later */
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

static int open_dummy(u32 cpu, u32 wakeup)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attr.comm = attr.task = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = wakeup;
	return perf_event_open(&attr, -1, (s32)cpu, -1, 0);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The kernel limits the rings of a user (kernel.perf_event_mlock_kb): less is tried, too. */
static void *map_ring(int fd, u64 *size)
{
	void *at = MAP_FAILED;

	for (u64 try = *size; at == MAP_FAILED && try >= LEAST_RING; try /= 2) {
		*size = try;
		at = mmap(NULL, page_size() + try, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	return at;
}

/* *size becomes that of its ring, which is the most for the next ones. */
static int add_ring(struct events *e, u32 cpu, u64 *size)
{
	struct epoll_event ready = { .events = EPOLLIN };
	int fd = open_dummy(cpu, (u32)(*size / 2)), error;
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

static u64 ring_size(u32 n_cpus)
{
	u64 size = MOST_RING;

	while (size > LEAST_RING && size * n_cpus > RINGS)
		size /= 2;
	return size;
}

int events_open(struct events *e, struct err *err)
{
	u32 *cpu = xcalloc(MOST_CPUS, sizeof *cpu), n = MIN(cpus_online(cpu, MOST_CPUS), MOST_CPUS);
	u64 size = ring_size(n);
	int ret = 0;

	arena_init(&e->arena);
	e->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	want_files(n + 64);
	for (u32 i = 0; i < n && ret >= 0; i++)
		ret = add_ring(e, cpu[i], &size);
	free(cpu);
	if (ret >= 0)
		return 0;
	errno = -ret;
	return err_sys(err, "open a perf event with a ring on each processor");
}

static void close_source(struct event_source *s)
{
	for (u32 i = 0; i < s->fds.n; i++)
		close(s->fds.v[i]);
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

static bool is_same_event(const struct site *a, const struct site *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->event.type == b->event.type &&
	       a->event.config == b->event.config && a->event.period == b->event.period &&
	       a->event.is_freq == b->event.is_freq && a->event.one_cpu == b->event.one_cpu;
}

static void set_period(struct perf_event_attr *attr, const struct site *s)
{
	attr->freq = s->event.is_freq;
	if (s->event.is_freq)
		attr->sample_freq = s->event.period;
	else
		attr->sample_period = s->event.period ? s->event.period : 1;
}

static struct perf_event_attr attr_of_site(const struct site *s)
{
	struct perf_event_attr attr = attr_of(s->event.type, s->event.config);

	if (s->kind == SITE_PERF_TRACEPOINT) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.sample_period = 1;
		attr.sample_type |= PERF_SAMPLE_RAW;
		return attr;
	}
	if (s->kind == SITE_PERF_TIMER) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	set_period(&attr, s);
	return attr;
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
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

/* tid -1: of all tasks. Before Linux 6.0 an event does not count what it lost. */
static int open_event(struct events *e, struct perf_event_attr *attr, s32 tid, u32 cpu)
{
	int fd;

	attr->disabled = 1; /* until its records go to the ring */
	attr->read_format = FORMAT_LOST;
	fd = perf_event_open(attr, tid, (s32)cpu, -1, 0);
	e->counts_lost = fd >= 0;
	attr->read_format = 0;
	return fd >= 0 || errno != EINVAL ? fd : perf_event_open(attr, tid, (s32)cpu, -1, 0);
}

/* One event for each of the first n processors. 0 or -errno. */
static int open_on_cpus(struct events *e, struct event_source *s, struct perf_event_attr *attr,
			s32 tid, u32 n)
{
	int ret = 0;

	want_files(s->fds.n + (e->sources.n + 2) * e->rings.n + 64);
	for (u32 i = 0; i < n && ret >= 0; i++) {
		int fd = open_event(e, attr, tid, e->rings.v[i].cpu);

		if (fd >= 0)
			ret = keep(e, s, fd, i);
		else if (errno != ENODEV) /* went offline */
			ret = -errno;
	}
	return ret;
}

/* The threads of a process, on each processor: such an event is inherited by the threads that they
 * start. Threads that have ended meanwhile are skipped. */
static int open_on_threads(struct events *e, struct event_source *s, struct perf_event_attr *attr)
{
	char path[32];
	struct dirent *entry;
	int ret = -ESRCH;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", s->site.pid);
	dir = opendir(path);
	attr->inherit = 1;
	attr->inherit_thread = feature_has(kernel_features(), FEAT_INHERIT_THREAD);
	while (dir && (ret >= 0 || ret == -ESRCH) && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			ret = open_on_cpus(e, s, attr, atoi(entry->d_name), e->rings.n);
	if (dir)
		closedir(dir);
	return ret == -ESRCH && s->fds.n ? 0 : ret;
}

static int open_source(struct events *e, struct event_source *s, struct perf_event_attr *attr)
{
	const bool counts = s->site.kind == SITE_PERF_SOFTWARE || s->site.kind == SITE_PERF_TIMER;

	if (counts && s->site.pid > 0 && !s->site.event.one_cpu)
		return open_on_threads(e, s, attr);
	return open_on_cpus(e, s, attr, -1, s->site.event.one_cpu ? 1 : e->rings.n);
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

static struct event_source *find_source(const struct events *e, const struct site *s)
{
	for (u32 i = 0; i < e->sources.n; i++)
		if (is_same_event(&e->sources.v[i]->site, s))
			return e->sources.v[i];
	return NULL;
}

int events_attach(struct events *e, u32 func, const struct site *site, struct err *err)
{
	struct perf_event_attr attr = attr_of_site(site);
	struct event_source *s = find_source(e, site);
	int ret;

	if (s) {
		add_handler(e, s, (struct handler){ func, site->index });
		return 0;
	}
	s = arena_new(&e->arena, struct event_source);
	*s = (struct event_source){ .site = *site, .sample_type = attr.sample_type };
	add_handler(e, s, (struct handler){ func, site->index });
	ret = open_source(e, s, &attr);
	if (ret < 0) {
		close_source(s);
		errno = -ret;
		return err_sys(err, "attach to %s", site->probe);
	}
	vec_push(&e->arena, &e->sources, s);
	return 0;
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
