/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that receives the files that are opened: it responds at once if nothing is to be done,
 * and queues the others for the main loop. An opener is held for HOLD_MS at most; a file whose
 * opener has continued is processed anyway, with a warning.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "base/fd.h"
#include "session/deferred_openings.h"

enum { MAX_QUEUE = 1024 };

bool opening_id(const struct stat *st, struct file_id *id)
{
	*id = (struct file_id){ st->st_dev, st->st_ino };
	return S_ISREG(st->st_mode);
}

bool opening_is_known(struct file_watch *w, const struct file_id *id)
{
	bool known;

	pthread_mutex_lock(&w->lock);
	known = hash_get(&w->known, id, sizeof *id);
	pthread_mutex_unlock(&w->lock);
	return known;
}

/* How long its opener waited, or waits. */
static u64 held_ms(const struct opening *o)
{
	u64 ms = hold_now_ms() - o->since_ms;

	return o->asks ? MIN(ms, (u64)HOLD_MS) : 0;
}

/* Takes o over. */
static void reply(struct file_watch *w, struct opening *o)
{
	struct hold_answer a = { .seq = o->seq,
				 .id = o->id,
				 .known = opening_is_known(w, &o->id),
				 .forget = o->is_new };

	if (o->seq)
		hold_reply(&w->hold[o->hold], &a);
	close(o->fd);
	free(o);
}

static void note_longest(struct file_watch *w, const struct opening *o)
{
	u64 ms = held_ms(o);

	pthread_mutex_lock(&w->lock);
	if (ms > w->longest_ms) {
		w->longest_ms = ms;
		free(w->longest);
		w->longest = xstrdup(o->path);
	}
	pthread_mutex_unlock(&w->lock);
}

/* The first one leaves the queue. */
static void end_opening(struct file_watch *w)
{
	struct opening *o = w->first;

	note_longest(w, o);
	w->first = o->next;
	if (!w->first)
		w->last = NULL;
	w->n_queued--;
	reply(w, o);
}

static void wake_main(struct file_watch *w)
{
	u64 one = 1;

	if (write(w->ready_fd, &one, sizeof one) < 0) {
		/* it is full: there is more than enough to wake up */
	}
}

/* Passes on the next one; openers of files that became known meanwhile continue. */
static void next_opening(struct file_watch *w)
{
	while (w->first) {
		struct opening *o = w->first;

		if (!opening_is_known(w, &o->id)) {
			pthread_mutex_lock(&w->lock);
			w->at = o;
			w->handled = false;
			pthread_mutex_unlock(&w->lock);
			wake_main(w);
			return;
		}
		end_opening(w);
	}
}

static void finish_opening(struct file_watch *w)
{
	bool handled;

	if (!w->first)
		return;
	pthread_mutex_lock(&w->lock);
	handled = w->handled;
	if (handled)
		w->at = NULL;
	pthread_mutex_unlock(&w->lock);
	if (!handled)
		return;
	end_opening(w);
	next_opening(w);
}

static void drop(struct file_watch *w, struct opening *o)
{
	pthread_mutex_lock(&w->lock);
	w->n_dropped++;
	pthread_mutex_unlock(&w->lock);
	reply(w, o);
}

/* Takes over an opening that is to be handled. */
static void enqueue(struct file_watch *w, struct opening *o)
{
	if (w->n_queued ==
	    MAX_QUEUE) { /* the reader does not keep up: limits descriptors and memory */
		drop(w, o);
		return;
	}
	w->n_queued++;
	if (w->first) {
		w->last = w->last->next = o;
		return;
	}
	w->first = w->last = o;
	next_opening(w);
}

/* Takes fd over; e: the hold; NULL if the file appeared in a folder and was not opened. */
static void consider(struct file_watch *w, int fd, u32 hold, const struct hold_event *e)
{
	struct opening *o = xcalloc(1, sizeof *o);
	struct stat st;

	o->fd = fd;
	o->hold = hold;
	o->since_ms = e ? e->since_ms : hold_now_ms();
	o->seq = e ? e->seq : 0;
	o->asks = e;
	o->is_new = e && e->held;
	if (!fd_path(fd, o->path, sizeof o->path) || fstat(fd, &st) < 0)
		drop(w, o);
	else if (!opening_id(&st, &o->id) || opening_is_known(w, &o->id) || (e && !hold_is_elf(fd)))
		reply(w, o);
	else
		enqueue(w, o);
}

/* false: the helper is gone, and no opener waits. */
static bool read_openings(struct file_watch *w, u32 hold)
{
	struct hold_event e;
	int fd, got;

	while ((got = hold_next(&w->hold[hold], &e, &fd)) > 0) {
		pthread_mutex_lock(&w->lock);
		w->n_dropped_there[hold] = e.n_dropped;
		pthread_mutex_unlock(&w->lock);
		if (fd >= 0)
			consider(w, fd, hold, &e);
	}
	if (got == 0)
		return true;
	pthread_mutex_lock(&w->lock);
	w->lost = true;
	pthread_mutex_unlock(&w->lock);
	wake_main(w);
	return false;
}

/* A file appeared in a folder: examines each path without wildcards there again. */
static void read_arrivals(struct file_watch *w)
{
	_Alignas(struct inotify_event) char buf[4096];

	if (read(w->patterns.notify_fd, buf, sizeof buf) <= 0)
		return;
	for (u32 i = 0; i < w->patterns.n_watched; i++) {
		char *path;
		int fd;

		if (w->patterns.watched[i].holds)
			continue;
		path = xasprintf("%s/%s", w->patterns.watched[i].folder,
				 w->patterns.watched[i].name);
		/* no fanotify event, which we would have to answer ourselves */
		fd = open(path, O_PATH | O_CLOEXEC);
		if (fd >= 0)
			consider(w, fd, 0, NULL);
		free(path);
	}
}

void *openings_thread(void *arg)
{
	struct file_watch *w = arg;
	struct pollfd p[] = { { .fd = w->stop_fd, .events = POLLIN },
			      { .fd = w->patterns.notify_fd, .events = POLLIN },
			      { .fd = w->done_fd, .events = POLLIN },
			      { .fd = w->hold[0].sock, .events = POLLIN },
			      { .fd = w->hold[1].sock, .events = POLLIN } };
	const u32 first = ARRAY_SIZE(p) - HOLDS;
	u64 count;

	hold_be_first(0, 1);
	while (poll(p, ARRAY_SIZE(p), -1) >= 0 || errno == EINTR) {
		if (p[0].revents)
			break;
		for (u32 i = 0; i < HOLDS; i++)
			if (p[first + i].revents && !read_openings(w, i))
				p[first + i].fd = -1;
		if (p[1].revents)
			read_arrivals(w);
		if (p[2].revents && read(w->done_fd, &count, sizeof count) < 0)
			break;
		finish_opening(w);
	}
	return NULL;
}
