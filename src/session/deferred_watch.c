/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports files that are about to run. A helper process (deferred_hold.c) holds a process that
 * executes or loads one, so that probes are attached before the first instruction. In: patterns.
 * Out: one file at a time, for the main loop.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "base/fd.h"
#include "session/deferred_openings.h"
#include "session/deferred_watch.h"

void file_watch_add(struct file_watch *w, const char *pattern, bool holds, bool libraries)
{
	patterns_add(&w->patterns, pattern, holds, libraries);
}

struct file_watch *file_watch_new(s32 pid)
{
	struct file_watch *w = xcalloc(1, sizeof *w);

	w->pid = pid > 0 ? pid : -1;
	for (u32 i = 0; i < HOLDS; i++)
		w->hold[i].sock = -1;
	w->patterns.notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	w->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&w->lock, NULL);
	if (w->patterns.notify_fd >= 0 && w->ready_fd >= 0 && w->done_fd >= 0 && w->stop_fd >= 0)
		return w;
	file_watch_free(w);
	return NULL;
}

static bool has_marks(const struct file_watch *w, bool served)
{
	bool any = w->patterns.everywhere;

	for (u32 i = 0; i < w->patterns.n_marks && !any; i++)
		any = w->patterns.mark[i].served == served;
	return any;
}

static int start_hold(struct file_watch *w, u32 at, const struct hold_class *was)
{
	struct hold *h = &w->hold[at];
	struct hold_plan plan = { .marks = w->patterns.mark,
				  .n_marks = w->patterns.n_marks,
				  .everywhere = w->patterns.everywhere,
				  .all_opens = w->patterns.all_opens,
				  .served = at == 1,
				  .pid = w->pid,
				  .known = &w->known,
				  .wants = patterns_want,
				  .ctx = &w->patterns };
	int ret = has_marks(w, plan.served) ? hold_start(h, &plan, was) : 0;

	if (ret == 0 && h->mark_error)
		patterns_miss(&w->patterns, w->patterns.mark[h->mark].path, h->mark_error);
	return ret;
}

static void end_holds(struct file_watch *w)
{
	for (u32 i = 0; i < HOLDS; i++)
		hold_end(&w->hold[i]);
}

static int start_holds(struct file_watch *w)
{
	struct hold_class was = hold_own_class();
	int ret = 0;

	hold_find_served(w->patterns.mark, w->patterns.n_marks);
	for (u32 i = 0; i < HOLDS && ret == 0; i++)
		ret = start_hold(w, i, &was);
	if (ret == -ETIMEDOUT && w->hold[0].pid) { /* the server does not respond */
		patterns_miss(&w->patterns, "file systems of servers", ret);
		return 0;
	}
	if (ret < 0)
		end_holds(w);
	return ret;
}

int file_watch_missed(const struct file_watch *w, const char **folder)
{
	*folder = w->patterns.missed;
	return w->patterns.missed ? w->patterns.missed_why : 0;
}

/* Only the main loop handles signals. */
int file_watch_start(struct file_watch *w)
{
	int ret = start_holds(w), err;
	sigset_t all, was;

	if (ret < 0)
		return ret;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	err = pthread_create(&w->thread, NULL, openings_thread, w);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	w->running = !err;
	if (err)
		end_holds(w);
	return -err;
}

int file_watch_fd(const struct file_watch *w)
{
	return w->ready_fd;
}

/* The event's own descriptor, whose reads make no event. The thread keeps it until
 * file_watch_done(). */
const char *file_watch_next(struct file_watch *w, const char **open_path)
{
	u64 count;
	bool waits;

	if (read(w->ready_fd, &count, sizeof count) < 0 && errno != EAGAIN)
		return NULL;
	pthread_mutex_lock(&w->lock);
	waits = w->at && !w->handled;
	if (waits) {
		snprintf(w->path, sizeof w->path, "%s", w->at->path);
		snprintf(w->open_path, sizeof w->open_path, "/proc/self/fd/%d", w->at->fd);
	}
	pthread_mutex_unlock(&w->lock);
	*open_path = w->open_path;
	return waits ? w->path : NULL;
}

bool file_watch_done(struct file_watch *w, bool for_good, u64 *ms)
{
	u64 one = 1;
	bool in_time = true;

	pthread_mutex_lock(&w->lock);
	if (w->at && for_good)
		file_ids_remember(&w->known, &w->at->id);
	if (w->at && w->at->asks) {
		in_time = w->at->is_new && hold_now_ms() - w->at->since_ms < HOLD_MS;
		*ms = w->at->is_new ? HOLD_MS : 0;
	}
	w->handled = true;
	pthread_mutex_unlock(&w->lock);
	if (write(w->done_fd, &one, sizeof one) < 0) {
		/* it is full: the thread has more than enough to wake up */
	}
	return in_time;
}

u64 file_watch_longest(struct file_watch *w, const char **path, u64 *n_dropped)
{
	u64 ms;

	pthread_mutex_lock(&w->lock);
	ms = w->longest_ms;
	*path = w->longest;
	*n_dropped = w->n_dropped + w->n_dropped_there[0] + w->n_dropped_there[1];
	pthread_mutex_unlock(&w->lock);
	return ms;
}

void file_watch_known(struct file_watch *w, const char *path)
{
	struct hold_answer a = { .known = true };
	struct stat st;

	if (stat(path, &st) < 0 &&
	    stat(path, &st) < 0) /* again: a file that is not recorded here would be probed twice */
		return;
	if (!opening_id(&st, &a.id))
		return;
	pthread_mutex_lock(&w->lock);
	file_ids_remember(&w->known, &a.id);
	pthread_mutex_unlock(&w->lock);
	for (u32 i = 0; i < HOLDS; i++)
		hold_reply(&w->hold[i], &a);
}

bool file_watch_is_known(struct file_watch *w, const char *path)
{
	struct file_id id;
	struct stat st;

	/* a file that was deleted needs no probes */
	return stat(path, &st) < 0 || !opening_id(&st, &id) || opening_is_known(w, &id);
}

bool file_watch_is_lost(struct file_watch *w)
{
	bool lost;

	pthread_mutex_lock(&w->lock);
	lost = w->lost;
	pthread_mutex_unlock(&w->lock);
	return lost;
}

/* Releases all openers. */
static void stop(struct file_watch *w)
{
	u64 one = 1;

	end_holds(w);
	if (w->running && write(w->stop_fd, &one, sizeof one) == sizeof one &&
	    pthread_join(w->thread, NULL) == 0 && read(w->stop_fd, &one, sizeof one) == sizeof one)
		w->running = false;
	for (struct opening *o = w->first, *next; o; o = next) {
		next = o->next;
		close(o->fd);
		free(o);
	}
	w->first = w->last = w->at = NULL;
	w->n_queued = 0;
	for (u32 i = 0; i < HOLDS; i++) {
		w->n_dropped += w->n_dropped_there[i];
		w->n_dropped_there[i] = 0;
	}
}

int file_watch_restart(struct file_watch *w)
{
	stop(w);
	w->lost = false;
	return file_watch_start(w);
}

void file_watch_free(struct file_watch *w)
{
	if (!w)
		return;
	stop(w);
	fd_close(&w->ready_fd);
	fd_close(&w->done_fd);
	fd_close(&w->stop_fd);
	for (u32 i = 0; i < w->known.cap; i++)
		if (w->known.slot[i].key)
			free((void *)(uintptr_t)w->known.slot[i].key);
	hash_release(&w->known);
	patterns_release(&w->patterns);
	free(w->longest);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
