/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits that programs have kept -> frames. Programs have room for few of them, and the main thread
 * reads files for tens of milliseconds: while mappings change or hits come, a thread copies them each
 * millisecond. They are unwound in the order of their times, between the changes of mappings: exec()
 * replaces all of them. Equal stacks are stored once.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/hash.h"
#include "session/raw_stacks.h"
#include "type/agg.h"

enum {
	MAX_IDS = 1 << 17,      /* later ones have no frames */
	MAX_WAITING = 64 << 20, /* bytes of hits that wait for their mappings */
	QUIET_MS = 50,          /* without hits the thread waits for changes of mappings again */
};

struct frames {
	u32 n;
	u64 ips[];
};

struct raw_stacks {
	u8 *memory;
	struct unwinds *unwinds;
	pthread_mutex_t lock; /* of what follows up to ... */
	struct unwind_raw **taken;
	u32 n_taken, taken_room;
	size_t waiting;    /* bytes; here */
	struct hash ids;   /* u64 id -> struct frames */
	struct hash known; /* u64 ips[n] -> struct frames */
	struct arena arena;
	pthread_t thread;
	bool has_thread, ends;
	int maps_fd, wake_fd;
};

struct raw_stacks *raw_stacks_new(void *memory, struct unwinds *unwinds)
{
	struct raw_stacks *s = xcalloc(1, sizeof(*s));

	s->memory = memory;
	s->unwinds = unwinds;
	s->wake_fd = -1;
	arena_init(&s->arena);
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void wake_thread(const struct raw_stacks *s)
{
	u64 one = 1;

	if (s->has_thread && write(s->wake_fd, &one, sizeof(one)) < 0) {
		/* it is full: it wakes up */
	}
}

static void end_thread(struct raw_stacks *s)
{
	__atomic_store_n(&s->ends, true, __ATOMIC_RELEASE);
	wake_thread(s);
	if (s->has_thread)
		pthread_join(s->thread, NULL);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
}

void raw_stacks_free(struct raw_stacks *s)
{
	if (!s)
		return;
	end_thread(s);
	for (u32 i = 0; i < s->n_taken; i++)
		free(s->taken[i]);
	free(s->taken);
	hash_release(&s->ids);
	hash_release(&s->known);
	arena_release(&s->arena);
	free(s);
}

static struct unwind_raw *entry(const struct raw_stacks *s, u32 i)
{
	return (struct unwind_raw *)(void *)(s->memory + UNWIND_RAW + (size_t)i * UNWIND_RAW_SIZE);
}

static size_t size_of(const struct unwind_raw *raw)
{
	return sizeof(*raw) + raw->len;
}

static void push(struct raw_stacks *s, struct unwind_raw *raw)
{
	if (s->n_taken == s->taken_room) {
		s->taken_room = s->taken_room * 2 + UNWIND_N_RAW;
		s->taken = xrealloc(s->taken, s->taken_room * sizeof(struct unwind_raw *));
	}
	s->taken[s->n_taken++] = raw;
}

static void take(struct raw_stacks *s, const struct unwind_raw *from)
{
	struct unwind_raw *raw;

	if (from->len > UNWIND_RAW_SIZE - sizeof(*from) || s->waiting > MAX_WAITING)
		return;
	raw = xmalloc(size_of(from));
	memcpy(raw, from, size_of(from));
	s->waiting += size_of(raw);
	push(s, raw);
}

/* Returns the number of hits. */
static u32 collect(struct raw_stacks *s)
{
	u32 n = 0;

	pthread_mutex_lock(&s->lock);
	for (u32 i = 0; i < UNWIND_N_RAW; i++) {
		struct unwind_raw *raw = entry(s, i);

		if (__atomic_load_n(&raw->state, __ATOMIC_ACQUIRE) != UNWIND_RAW_FULL)
			continue;
		take(s, raw);
		n++;
		__atomic_store_n(&raw->state, UNWIND_RAW_FREE, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&s->lock);
	return n;
}

static void *run_thread(void *arg)
{
	struct raw_stacks *s = arg;
	struct pollfd fds[] = { { .fd = s->wake_fd, .events = POLLIN },
				{ .fd = s->maps_fd, .events = POLLIN } };
	u64 woken;

	while (!__atomic_load_n(&s->ends, __ATOMIC_ACQUIRE)) {
		poll(fds, ARRAY_SIZE(fds), -1);
		if (fds[0].revents && read(s->wake_fd, &woken, sizeof(woken)) < 0)
			continue;
		for (u32 quiet = 0;
		     quiet < QUIET_MS && !__atomic_load_n(&s->ends, __ATOMIC_ACQUIRE); quiet++) {
			if (collect(s))
				quiet = 0;
			usleep(1000);
		}
	}
	return NULL;
}

void raw_stacks_watch(struct raw_stacks *s, int maps_fd)
{
	sigset_t all, before;

	if (s->wake_fd >= 0)
		return;
	s->maps_fd = maps_fd;
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->wake_fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->has_thread = pthread_create(&s->thread, NULL, run_thread, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void raw_stacks_collect(struct raw_stacks *s)
{
	if (collect(s))
		wake_thread(s);
}

static const struct frames *stored(struct raw_stacks *s, const u64 *ips, u32 n)
{
	size_t size = n * sizeof(*ips);
	struct frames *f = hash_get(&s->known, ips, size);

	if (f)
		return f;
	f = arena_alloc(&s->arena, sizeof(*f) + size);
	f->n = n;
	memcpy(f->ips, ips, size);
	hash_put(&s->known, f->ips, size, f);
	return f;
}

static void unwind_one(struct raw_stacks *s, const struct unwind_raw *raw)
{
	u64 ips[STACK_MAX_FRAMES], *id;
	u32 n = unwinds_frames(s->unwinds, raw, ips, STACK_MAX_FRAMES);

	if (s->ids.n >= MAX_IDS)
		return;
	id = arena_dup(&s->arena, &raw->id, sizeof(raw->id));
	hash_put(&s->ids, id, sizeof(*id), (void *)(uintptr_t)stored(s, ips, n));
}

static int by_time(const void *a, const void *b)
{
	const struct unwind_raw *x = *(struct unwind_raw *const *)a,
				*y = *(struct unwind_raw *const *)b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Takes the list away: the thread begins another. */
static struct unwind_raw **take_list(struct raw_stacks *s, u32 *n)
{
	struct unwind_raw **list;

	pthread_mutex_lock(&s->lock);
	list = s->taken;
	*n = s->n_taken;
	s->taken = NULL;
	s->n_taken = s->taken_room = 0;
	pthread_mutex_unlock(&s->lock);
	if (*n > 1)
		qsort(list, *n, sizeof(struct unwind_raw *), by_time);
	return list;
}

/* Whether the hit is kept for later. */
static bool unwind_if(struct raw_stacks *s, const struct unwind_raw *raw, u32 pid, u64 before)
{
	if ((pid && raw->pid != pid) || raw->time >= before)
		return true;
	unwind_one(s, raw);
	return false;
}

void raw_stacks_unwind(struct raw_stacks *s, u32 pid, u64 before)
{
	u32 n;
	struct unwind_raw **list = take_list(s, &n);

	for (u32 i = 0; i < n; i++) {
		bool later = unwind_if(s, list[i], pid, before);

		pthread_mutex_lock(&s->lock);
		if (later)
			push(s, list[i]);
		else
			s->waiting -= size_of(list[i]);
		pthread_mutex_unlock(&s->lock);
		if (!later)
			free(list[i]);
	}
	free(list);
}

u32 raw_stacks_frames(const struct raw_stacks *s, u64 id, u32 limit, u64 *ips)
{
	const struct frames *f = hash_get(&s->ids, &id, sizeof(id));
	u32 n = f ? MIN(f->n, limit) : 0;

	if (n)
		memcpy(ips, f->ips, n * sizeof(*ips));
	return n;
}
