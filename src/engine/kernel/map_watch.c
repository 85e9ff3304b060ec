/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of mappings, reported by the kernel: fork, exec, and each mapping of code
 * (include/uapi/linux/perf_event.h: PERF_RECORD_FORK, _COMM, _MMAP2). A process that lives for a
 * millisecond cannot be asked for its maps; these records are written while it still runs. A dummy
 * event on each processor carries them, in a ring of its own:
 *
 *	page 0	struct perf_event_mmap_page: data_head (the kernel's), data_tail (ours)
 *	page 1..	records: u32 type, u16 misc, u16 size, the fields, at the end u64 time
 *
 * A record may wrap. The rings are read in turn and their records sorted by time, because processes
 * move between processors.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "engine/kernel/internal.h"

/* On a busy machine other processes map a thousand files in the time until our next turn. Without
 * CAP_IPC_LOCK there are 128 pages on each processor for all rings together
 * (perf_event_mlock_kb). */
enum { MAX_CPUS = 1024, DATA_PAGES = 16, MANY_PAGES = 128 };

struct map_ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct map_watch {
	int epoll_fd;
	size_t page_size, data_size; /* of a ring: a power of two */
	struct map_ring *ring;
	u32 n;
	struct arena arena; /* of one reading */
	VEC(struct map_event) events;
};

static int open_event(u32 cpu, bool prompt)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof attr,
					.config = PERF_COUNT_SW_DUMMY,
					.sample_type = PERF_SAMPLE_TIME,
					.mmap = 1,
					.mmap2 = 1,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC, /* as bpf_ktime_get_ns() */
					.comm = 1,
					.comm_exec = 1,
					.task = 1,
					.sample_id_all = 1,
					.watermark = 1,
					.wakeup_watermark = prompt ? 1 : DATA_PAGES * 1024 };

	return perf_event_open(&attr, -1, (s32)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool add_ring(struct map_watch *w, u32 cpu, bool prompt)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = open_event(cpu, prompt);
	void *at;

	if (fd < 0)
		return false;
	at = mmap(NULL, w->page_size + w->data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		int why = errno;

		close(fd);
		errno = why;
		return false;
	}
	w->ring[w->n++] = (struct map_ring){ fd, at };
	epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &e);
	return true;
}

struct map_watch *map_watch_new(void)
{
	struct map_watch *w = xcalloc(1, sizeof *w);

	w->page_size = (size_t)sysconf(_SC_PAGESIZE);
	w->data_size = (has_capability(CAP_IPC_LOCK) ? MANY_PAGES : DATA_PAGES) * w->page_size;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	arena_init(&w->arena);
	return w;
}

struct map_watch *map_watch_open(bool prompt)
{
	struct map_watch *w = map_watch_new();
	u32 cpu[MAX_CPUS], n = MIN(cpus_online(cpu, MAX_CPUS), (u32)MAX_CPUS);

	w->ring = xcalloc(n, sizeof *w->ring);
	for (u32 i = 0; i < n; i++)
		if (!add_ring(w, cpu[i], prompt)) {
			int why = errno;

			map_watch_close(w);
			errno = why;
			return NULL;
		}
	return w;
}

void map_watch_close(struct map_watch *w)
{
	if (!w)
		return;
	for (u32 i = 0; i < w->n; i++) {
		munmap(w->ring[i].page, w->page_size + w->data_size);
		close(w->ring[i].fd);
	}
	close(w->epoll_fd);
	arena_release(&w->arena);
	free(w->ring);
	free(w);
}

int map_watch_fd(const struct map_watch *w)
{
	return w->epoll_fd;
}

/* ---- records */

struct mmap2 { /* after the header of PERF_RECORD_MMAP2 */
	u32 pid, tid;
	u64 addr, len, pgoff;
	u32 major, minor;
	u64 inode, generation;
	u32 prot, flags;
	char path[];
};

static void take_mapping(struct map_watch *w, const u8 *at, u32 len, u64 time)
{
	const struct mmap2 *m = (const void *)at;

	if (len <= sizeof *m)
		return;
	vec_push(&w->arena, &w->events,
		 (struct map_event){ .kind = PROC_MAPPED,
				     .pid = m->pid,
				     .time = time,
				     .start = m->addr,
				     .end = m->addr + m->len,
				     .offset = m->pgoff,
				     .inode = m->inode,
				     .dev_major = m->major,
				     .dev_minor = m->minor,
				     .path = arena_strndup(&w->arena, m->path,
							   strnlen(m->path, len - sizeof *m)) });
}

void map_watch_record(struct map_watch *w, const struct perf_event_header *h, u32 trailer, u64 time)
{
	const u8 *at = (const u8 *)(h + 1);
	u32 len = h->size - (u32)sizeof *h, id[2];

	if (len < sizeof id + trailer)
		return;
	len -= trailer;
	memcpy(id, at, sizeof id); /* pid, tid; of a fork: pid, parent */
	if (h->type == PERF_RECORD_MMAP2)
		take_mapping(w, at, len, time);
	else if (h->type == PERF_RECORD_COMM && (h->misc & PERF_RECORD_MISC_COMM_EXEC))
		vec_push(&w->arena, &w->events,
			 (struct map_event){ .kind = PROC_EXEC, .pid = id[0], .time = time });
	else if (h->type == PERF_RECORD_FORK && id[0] != id[1]) /* not a thread */
		vec_push(&w->arena, &w->events,
			 (struct map_event){
				 .kind = PROC_FORK, .pid = id[0], .parent = id[1], .time = time });
}

/* The time is the last field. */
static void take_record(struct map_watch *w, const struct perf_event_header *h)
{
	u64 time;

	if (h->size < sizeof *h + sizeof time)
		return;
	memcpy(&time, (const u8 *)h + h->size - sizeof time, sizeof time);
	map_watch_record(w, h, sizeof time, time);
}

static void copy_out(const struct map_watch *w, const u8 *data, u64 from, void *to, u32 len)
{
	size_t at = from & (w->data_size - 1), first = MIN((size_t)len, w->data_size - at);

	memcpy(to, data + at, first);
	memcpy((u8 *)to + first, data, len - first);
}

static void read_ring(struct map_watch *w, struct map_ring *r)
{
	const u8 *data = (const u8 *)r->page + w->page_size;
	u64 head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE),
	    tail = r->page->data_tail;

	while (tail < head) {
		struct perf_event_header h;
		void *record;

		copy_out(w, data, tail, &h, sizeof h);
		if (h.size < sizeof h || h.size > head - tail)
			break;
		record = arena_alloc(&w->arena, h.size);
		copy_out(w, data, tail, record, h.size);
		take_record(w, record);
		tail += h.size;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct map_event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* A record of one ring may depend on a record that was written to another ring after that was read:
 * a fork, and the child's exec. So rings are read until nothing is new. */
static void read_rings(struct map_watch *w)
{
	enum { ENOUGH = 16 };

	for (u32 pass = 0, before = ~0u; pass < ENOUGH && before != w->events.n; pass++) {
		before = w->events.n;
		for (u32 i = 0; i < w->n; i++)
			read_ring(w, &w->ring[i]);
	}
}

void map_watch_read(struct map_watch *w, map_event_fn f, void *ctx)
{
	read_rings(w);
	if (!w->events.n)
		return;
	qsort(w->events.v, w->events.n, sizeof *w->events.v, by_time);
	for (u32 i = 0; i < w->events.n; i++)
		f(ctx, &w->events.v[i]);
	memset(&w->events, 0, sizeof w->events);
	arena_release(&w->arena);
	arena_init(&w->arena);
}
