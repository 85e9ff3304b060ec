/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits that programs have kept -> frames. Programs have room for few of them, and the main thread
 * reads files for tens of milliseconds: while hits come, a thread copies them each millisecond.
 * They ring a bell for it when it sleeps. They are unwound in the order of their times, between the
 * changes of mappings: exec() replaces all of them. Equal stacks are stored once.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/fd.h"
#include "base/hash.h"
#include "session/raw_stacks.h"
#include "type/agg.h"

enum {
	MAX_IDS = 1 << 16,      /* in a generation */
	MAX_WAITING = 64 << 20, /* bytes of hits that wait for their mappings */
	N_KINDS = 2,            /* of entries: small and large */
	SOME = 32,              /* hits that are worth a wake-up of their own */
	MANY = 8,               /* hits at a time: more will come within a millisecond */
};

struct frames {
	u32 n;
	u64 ips[];
};

struct hit {
	u64 id, time; /* CLOCK_MONOTONIC */
	const struct frames *frames;
};

/* Hits of the current generation and of the one before it are known: memory is bounded. */
struct generation {
	struct hash ids;   /* u64 id -> struct hit */
	struct hash known; /* u64 ips[n] -> struct frames */
	struct arena arena;
};

struct raw_stacks {
	u8 *memory;
	struct unwinds *unwinds;
	bool numbered; /* entries are taken in the order of their numbers; else by processors */
	pthread_mutex_t lock; /* of what follows up to ... */
	u64 seen[N_KINDS];    /* entries below that number are done with; */
	u64 given[N_KINDS];   /* numbers below that were given when they were looked at last */
	struct unwind_raw **taken;
	u32 n_taken, taken_room;
	size_t waiting; /* bytes; here */
	struct generation now, old;
	VEC(u64) times; /* of hits that are unwound, in their order, and may be keys of maps */
	struct arena times_arena;
	pthread_t thread;
	bool has_thread, ends;
	bool rests; /* under the lock: few hits need not ring */
	struct bell bell;
	int wake_fd; /* ends the thread */
	int told_fd; /* hits wait */
};

struct raw_stacks *raw_stacks_new(void *memory, bool numbered, const struct bell *bell,
				  struct unwinds *unwinds)
{
	struct raw_stacks *s = xcalloc(1, sizeof *s);

	s->memory = memory;
	s->unwinds = unwinds;
	s->numbered = numbered;
	s->bell = *bell;
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	arena_init(&s->now.arena);
	arena_init(&s->old.arena);
	arena_init(&s->times_arena);
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void signal_fd(int fd)
{
	u64 one = 1;

	if (fd >= 0 && write(fd, &one, sizeof one) < 0) {
		/* it is full: it is readable */
	}
}

static void end_thread(struct raw_stacks *s)
{
	__atomic_store_n(&s->ends, true, __ATOMIC_RELEASE);
	signal_fd(s->wake_fd);
	if (s->has_thread)
		pthread_join(s->thread, NULL);
	fd_close(&s->wake_fd);
	fd_close(&s->told_fd);
}

static void generation_release(struct generation *g)
{
	hash_release(&g->ids);
	hash_release(&g->known);
	arena_release(&g->arena);
}

void raw_stacks_free(struct raw_stacks *s)
{
	if (!s)
		return;
	end_thread(s);
	for (u32 i = 0; i < s->n_taken; i++)
		free(s->taken[i]);
	free(s->taken);
	generation_release(&s->now);
	generation_release(&s->old);
	arena_release(&s->times_arena);
	free(s);
}

/* The entries of one size. */
struct kind {
	size_t at, size, counter;
	u32 n;
};
static const struct kind kinds[N_KINDS] = {
	{ UNWIND_SMALL, UNWIND_SMALL_SIZE, UNWIND_NEXT_SMALL, UNWIND_N_SMALL },
	{ UNWIND_LARGE, UNWIND_LARGE_SIZE, UNWIND_NEXT_LARGE, UNWIND_N_LARGE },
};

static struct unwind_raw *entry(const struct raw_stacks *s, const struct kind *k, u64 number)
{
	return (struct unwind_raw *)(void *)(s->memory + k->at + number % k->n * k->size);
}

static u64 next_number(const struct raw_stacks *s, const struct kind *k)
{
	return __atomic_load_n((const u64 *)(const void *)(s->memory + k->counter),
			       __ATOMIC_ACQUIRE);
}

static size_t size_of(const struct unwind_raw *raw)
{
	return sizeof *raw + raw->len;
}

static void push(struct raw_stacks *s, struct unwind_raw *raw)
{
	if (s->n_taken == s->taken_room) {
		s->taken_room = s->taken_room * 2 + UNWIND_N_SMALL;
		s->taken = xrealloc(s->taken, s->taken_room * sizeof(struct unwind_raw *));
	}
	s->taken[s->n_taken++] = raw;
}

/* Programs may keep as many again. */
static void let_go(struct raw_stacks *s, u64 n)
{
	__atomic_fetch_sub((u64 *)(void *)(s->memory + UNWIND_KEPT), n, __ATOMIC_RELAXED);
}

static void take(struct raw_stacks *s, const struct kind *k, const struct unwind_raw *from)
{
	struct unwind_raw *raw;

	if (from->len > k->size - sizeof *from || s->waiting > MAX_WAITING) {
		let_go(s, 1);
		return;
	}
	raw = xmalloc(size_of(from));
	memcpy(raw, from, size_of(from));
	s->waiting += size_of(raw);
	push(s, raw);
}

/*
 * From the first that a program had not finished. What has a number since the last time may be
 * about to be begun: it is looked at once more.
 */
static u32 collect_kind(struct raw_stacks *s, u32 kind)
{
	const struct kind *k = &kinds[kind];
	u64 end = next_number(s, k), i = s->seen[kind], begun = s->given[kind];
	bool all_before = true;
	u32 n = 0;

	if (end - i > k->n || (i != end && !s->numbered))
		i = end - k->n; /* below 0: numbers go round */
	for (; i != end; i++) {
		struct unwind_raw *raw = entry(s, k, i);
		u64 state = __atomic_load_n(&raw->state, __ATOMIC_ACQUIRE);

		if (state == UNWIND_RAW_FULL) {
			take(s, k, raw);
			n++;
			__atomic_store_n(&raw->state, UNWIND_RAW_FREE, __ATOMIC_RELEASE);
		}
		all_before &= state != UNWIND_RAW_BEGUN;
		if (all_before && (s64)(begun - i) > 0)
			s->seen[kind] = i + 1;
	}
	s->given[kind] = end;
	return n;
}

/* Returns the number of hits. */
static u32 collect(struct raw_stacks *s)
{
	u32 n = 0;

	pthread_mutex_lock(&s->lock);
	for (u32 i = 0; i < N_KINDS; i++)
		n += collect_kind(s, i);
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* Takes up hits while many come. */
static void collect_while_busy(struct raw_stacks *s)
{
	u32 n;

	while ((n = collect(s))) {
		signal_fd(s->told_fd);
		if (n < MANY || __atomic_load_n(&s->ends, __ATOMIC_ACQUIRE))
			return;
		usleep(1000);
	}
}

static void ask_for_bell(struct raw_stacks *s)
{
	u64 n = next_number(s, &kinds[0]) + next_number(s, &kinds[1]);

	__atomic_store_n((u64 *)(void *)(s->memory + UNWIND_RING_AT), n + (s->rests ? SOME : 1),
			 __ATOMIC_SEQ_CST);
}

void raw_stacks_rest(struct raw_stacks *s, bool rests)
{
	pthread_mutex_lock(&s->lock);
	s->rests = rests;
	ask_for_bell(s);
	pthread_mutex_unlock(&s->lock);
}

/* Returns the number of hits that came before the bell was asked for. */
static u32 collect_last(struct raw_stacks *s)
{
	u32 n;

	pthread_mutex_lock(&s->lock);
	ask_for_bell(s);
	pthread_mutex_unlock(&s->lock);
	n = collect(s);
	if (n)
		signal_fd(s->told_fd);
	return n;
}

/* Room for hits lasts for milliseconds, less than a turn of other processes may. */
static void go_first(void)
{
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
}

static void *run_thread(void *arg)
{
	struct raw_stacks *s = arg;
	struct pollfd fds[] = { { .fd = s->wake_fd, .events = POLLIN },
				{ .fd = s->bell.fd, .events = POLLIN } };

	go_first();
	while (!__atomic_load_n(&s->ends, __ATOMIC_ACQUIRE)) {
		if (!collect_last(s))
			poll(fds, ARRAY_SIZE(fds), -1);
		bell_silence(&s->bell);
		collect_while_busy(s);
	}
	return NULL;
}

void raw_stacks_watch(struct raw_stacks *s)
{
	sigset_t all, before;

	if (s->has_thread || s->wake_fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->has_thread = pthread_create(&s->thread, NULL, run_thread, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void raw_stacks_collect(struct raw_stacks *s)
{
	collect(s);
}

void raw_stacks_collect_all(struct raw_stacks *s)
{
	pthread_mutex_lock(&s->lock);
	for (u32 i = 0; i < N_KINDS; i++)
		s->seen[i] = next_number(s, &kinds[i]) - kinds[i].n;
	pthread_mutex_unlock(&s->lock);
	collect(s);
}

int raw_stacks_fd(const struct raw_stacks *s)
{
	return s->told_fd;
}

static const struct frames *stored(struct generation *g, const u64 *ips, u32 n)
{
	size_t size = n * sizeof *ips;
	struct frames *f = hash_get(&g->known, ips, size);

	if (f)
		return f;
	f = arena_alloc(&g->arena, sizeof *f + size);
	f->n = n;
	memcpy(f->ips, ips, size);
	hash_put(&g->known, f->ips, size, f);
	return f;
}

static void begin_generation(struct raw_stacks *s)
{
	generation_release(&s->old);
	s->old = s->now;
	s->now = (struct generation){ 0 };
	arena_init(&s->now.arena);
}

static void unwind_one(struct raw_stacks *s, const struct unwind_raw *raw)
{
	u64 ips[STACK_MAX_FRAMES];
	u32 n = unwinds_frames(s->unwinds, raw, ips, STACK_MAX_FRAMES);
	struct hit *hit;

	if (s->now.ids.n >= MAX_IDS)
		begin_generation(s);
	hit = arena_new(&s->now.arena, struct hit);
	*hit = (struct hit){ raw->id, raw->time, stored(&s->now, ips, n) };
	hash_put(&s->now.ids, &hit->id, sizeof hit->id, hit);
	vec_push(&s->times_arena, &s->times, raw->time);
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
	u64 told;

	pthread_mutex_lock(&s->lock);
	if (s->n_taken && read(s->told_fd, &told, sizeof told) < 0) {
		/* the caller has collected them itself */
	}
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

u32 raw_stacks_unmerged(const struct raw_stacks *s)
{
	return s->times.n;
}

void raw_stacks_merged(struct raw_stacks *s, u64 before)
{
	u32 n = 0;

	for (u32 i = 0; i < s->times.n; i++)
		if (s->times.v[i] >= before)
			s->times.v[n++] = s->times.v[i];
	let_go(s, s->times.n - n);
	s->times.n = n;
}

u32 raw_stacks_hit(const struct raw_stacks *s, u64 id, u64 *time, u64 *ips, u32 limit)
{
	const struct hit *hit = hash_get(&s->now.ids, &id, sizeof id);
	u32 n;

	if (!hit)
		hit = hash_get(&s->old.ids, &id, sizeof id);
	if (!hit)
		return 0;
	*time = hit->time;
	n = MIN(hit->frames->n, limit);
	memcpy(ips, hit->frames->ips, n * sizeof *ips);
	return n;
}
