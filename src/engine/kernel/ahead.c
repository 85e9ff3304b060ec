/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads programs ahead, in threads. A run with many programs (sonde strace has a thousand) starts
 * as fast as the kernel verifies them, and it verifies for several threads at once. The engine
 * loads in ascending order, the threads in descending order; who reaches a function first loads it.
 * What a thread could not load, the engine loads again, with its messages.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#include "engine/kernel/internal.h"

enum { THREADS_MAX = 7, FUNCS_MIN = 32 };

enum turn { FREE, TAKEN, LOADED };

struct ahead_func {
	enum turn turn;
	int fd; /* LOADED: by a thread, not used yet; else -1 */
};

struct ahead {
	struct kernel *k;
	const struct ahead_loads *loads;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t loaded;
	struct ahead_func *funcs;
	/* n: 0 without threads; the threads take function n_left - 1 next */
	u32 n, n_left;
	pthread_t threads[THREADS_MAX];
	u32 n_threads;
};

/* The function that a thread loads next, or NO_INDEX. */
static u32 next_for_thread(struct ahead *a)
{
	u32 func = NO_INDEX;

	pthread_mutex_lock(&a->lock);
	while (a->n_left && func == NO_INDEX) {
		struct ahead_func *f = &a->funcs[--a->n_left];

		if (f->turn != FREE) { /* the engine has loaded this one and all before */
			a->n_left = 0;
		} else if (a->loads->suits(a->k->prog->funcs.v[a->n_left])) {
			f->turn = TAKEN;
			func = a->n_left;
		}
	}
	pthread_mutex_unlock(&a->lock);
	return func;
}

static void *run_thread(void *ctx)
{
	struct ahead *a = ctx;

	for (u32 func; (func = next_for_thread(a)) != NO_INDEX;) {
		int fd = a->loads->load(a->k, a->k->prog->funcs.v[func]);

		pthread_mutex_lock(&a->lock);
		a->funcs[func] = (struct ahead_func){ LOADED, fd };
		pthread_cond_broadcast(&a->loaded);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

static u32 n_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? (u32)CPU_COUNT(&set) : 1;
}

/* Only the main loop handles signals. */
static void start_threads(struct ahead *a, u32 n)
{
	sigset_t all, was;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	while (a->n_threads < n &&
	       pthread_create(&a->threads[a->n_threads], NULL, run_thread, a) == 0)
		a->n_threads++;
	pthread_sigmask(SIG_SETMASK, &was, NULL);
}

static u32 n_suitable(const struct kernel *k, const struct ahead_loads *loads)
{
	u32 n = 0;

	for (u32 i = 0; i < k->prog->funcs.n; i++)
		n += k->loaded[i].fd < 0 && loads->suits(k->prog->funcs.v[i]);
	return n;
}

void ahead_start(struct kernel *k, const struct ahead_loads *loads)
{
	u32 n = k->prog->funcs.n, others;
	struct ahead *a;

	if (k->ahead)
		return;
	a = k->ahead = arena_new(&k->arena, struct ahead);
	if (n < FUNCS_MIN || n_suitable(k, loads) < FUNCS_MIN)
		return;
	others = n_processors() - 1;
	if (!others)
		return;
	a->k = k;
	a->loads = loads;
	a->n = a->n_left = n;
	a->funcs = arena_array(&k->arena, struct ahead_func, n);
	for (u32 i = 0; i < n; i++)
		a->funcs[i].fd = -1;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->loaded, NULL);
	start_threads(a, MIN(others, (u32)THREADS_MAX));
}

int ahead_take(struct kernel *k, u32 func)
{
	struct ahead *a = k->ahead;
	int fd;

	if (!a || func >= a->n)
		return -1;
	struct ahead_func *f = &a->funcs[func];

	pthread_mutex_lock(&a->lock);
	while (f->turn == TAKEN)
		pthread_cond_wait(&a->loaded, &a->lock);
	fd = f->fd;
	*f = (struct ahead_func){ LOADED, -1 };
	pthread_mutex_unlock(&a->lock);
	return fd;
}

void ahead_end(struct kernel *k)
{
	struct ahead *a = k->ahead;

	if (!a || !a->n)
		return;
	pthread_mutex_lock(&a->lock);
	a->n_left = 0;
	pthread_mutex_unlock(&a->lock);
	for (u32 i = 0; i < a->n_threads; i++)
		pthread_join(a->threads[i], NULL);
	for (u32 i = 0; i < a->n; i++)
		if (a->funcs[i].fd >= 0)
			close(a->funcs[i].fd);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->loaded);
	a->n = 0;
}
