/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports files that are about to run. A helper process (deferred_hold.c) holds a process that
 * executes or loads one, so that probes are attached before the first instruction. In: patterns.
 * Out: one file at a time, for the main loop.
 *
 * A thread receives the files, responds at once if nothing is to be done, and queues the others. An
 * opener is held for HOLD_MS at most; a file whose opener has continued is processed anyway, with a
 * warning.
 *
 * A folder that is named is watched for its own files only: for executions and, if libraries are
 * wanted, for reads (FAN_ACCESS_PERM: the dynamic linker reads a file before it maps it, so
 * creating or writing a file never waits). For a pattern with wildcards in its folders the file
 * systems are watched, for "*" all of them, including those that are mounted later; if libraries
 * are wanted, for all openings. There the kernel is told to ignore a file until it is written
 * (FAN_MARK_IGNORED_MASK), so that each file costs once. A file that replaces a probed one is
 * reported by inotify on its folder (file_watch_add without holds), and its opener does not wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/glob.h"
#include "base/hash.h"
#include "session/deferred_hold.h"
#include "session/deferred_watch.h"

#ifndef FAN_OPEN_EXEC_PERM
#define FAN_OPEN_EXEC_PERM 0x00040000
#endif

enum { MAX_QUEUE = 1024, HOLDS = 2 /* one for files of servers */ };

struct place { /* a pattern in one folder */
	char *folder, *name;
	bool holds; /* the opener of a file of it */
};

struct file_watch {
	struct hold hold[HOLDS];
	int notify_fd, ready_fd, done_fd, stop_fd;
	s32 pid;                    /* or -1: all */
	bool everywhere, all_opens; /* all file systems; about openings as well as executions */
	pthread_t thread;
	bool running;
	struct place *place;
	char **pattern;
	struct hold_mark *mark;
	u32 n_places, n_patterns, n_marks;
	struct hash known;            /* struct file_id */
	struct opening *first, *last; /* those that wait; the thread's */
	u32 n_queued;
	/* shared, under the lock */
	pthread_mutex_t lock;
	struct opening *at; /* the one that is handed over */
	bool handled, lost;
	u64 longest_ms, n_dropped, n_dropped_there[HOLDS];
	char *longest;
	/* the main loop's */
	char *missed; /* a folder that cannot be watched, and why */
	int missed_why;
	char path[PATH_MAX], open_path[64];
};

struct opening {
	struct opening *next;
	int fd;
	bool asks;   /* its opener waits for an answer, or did */
	bool is_new; /* it was held from the beginning */
	struct file_id id;
	u32 hold; /* that asks */
	u64 seq, since_ms;
	char path[PATH_MAX];
};

static bool id_of(const struct stat *st, struct file_id *id)
{
	*id = (struct file_id){ st->st_dev, st->st_ino };
	return S_ISREG(st->st_mode);
}

/* ---- what is looked for */

static void add_mark(struct file_watch *w, const char *path, u32 flags, u64 mask)
{
	w->mark = xrealloc(w->mark, (w->n_marks + 1) * sizeof(*w->mark));
	w->mark[w->n_marks++] =
		(struct hold_mark){ .path = xstrdup(path), .flags = flags, .mask = mask };
}

/* Reports the first one. */
static void miss(struct file_watch *w, const char *folder, int why)
{
	if (w->missed)
		return;
	w->missed = xstrdup(folder);
	w->missed_why = why;
}

static void add_place(struct file_watch *w, const char *folder, const char *name, bool holds,
		      bool libraries)
{
	char *real = realpath(folder, NULL);

	if (!real) {
		miss(w, folder, -errno);
		return;
	}
	w->place = xrealloc(w->place, (w->n_places + 1) * sizeof(*w->place));
	w->place[w->n_places++] = (struct place){ real, xstrdup(name), holds };
	if (holds)
		add_mark(w, real, 0,
			 FAN_OPEN_EXEC_PERM | FAN_EVENT_ON_CHILD |
				 (libraries ? FAN_ACCESS_PERM : 0));
	else if (inotify_add_watch(w->notify_fd, real, IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
		miss(w, real, -errno);
}

/* The folder above the first wildcard: "/opt" of "/opt/x*\/bin/y". */
static void mark_base(struct file_watch *w, const char *pattern)
{
	char *base = xstrdup(pattern), *slash;

	base[strcspn(base, "*?[{")] = '\0';
	slash = strrchr(base, '/');
	if (slash)
		slash[slash == base] = '\0';
	add_mark(w, base, FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC_PERM);
	free(base);
}

static bool looks_like_library(const char *pattern, const char *slash)
{
	return strstr(pattern, ".so") || (slash && starts_with(slash + 1, "lib"));
}

static void mark_pattern(struct file_watch *w, const char *pattern, bool holds, bool libraries)
{
	const char *slash = strrchr(pattern, '/');
	char *folder;
	glob_t g;

	if (!slash) {
		w->everywhere = true;
		w->all_opens |= libraries;
		return;
	}
	libraries |= looks_like_library(pattern, slash);
	folder = slash == pattern ? xstrdup("/") :
				    xasprintf("%.*s", (int)(slash - pattern), pattern);
	if (!glob_has_wildcard(folder)) {
		add_place(w, folder, slash + 1, holds, libraries);
	} else {
		char *folders = xasprintf("%s/", folder); /* with the slash, only folders match */

		mark_base(w, pattern);
		if (libraries && glob(folders, 0, NULL, &g) == 0) {
			for (size_t i = 0; i < g.gl_pathc; i++)
				add_place(w, g.gl_pathv[i], slash + 1, true, true);
			globfree(&g);
		}
		free(folders);
	}
	free(folder);
}

void file_watch_add(struct file_watch *w, const char *pattern, bool holds, bool libraries)
{
	w->pattern = xrealloc(w->pattern, (w->n_patterns + 1) * sizeof(*w->pattern));
	w->pattern[w->n_patterns++] = xstrdup(pattern);
	mark_pattern(w, pattern, holds, libraries);
}

/* In the process that holds. */
static bool is_wanted(const void *ctx, const char *path)
{
	const struct file_watch *w = ctx;
	const char *slash = strrchr(path, '/');

	for (u32 i = 0; slash && i < w->n_places; i++) {
		const struct place *p = &w->place[i];

		if (strlen(p->folder) == (size_t)(slash - path) &&
		    !memcmp(p->folder, path, (size_t)(slash - path)) &&
		    fnmatch(p->name, slash + 1, 0) == 0)
			return true;
	}
	for (u32 i = 0; i < w->n_patterns; i++)
		if (streq(w->pattern[i], "*") || fnmatch(w->pattern[i], path, FNM_PATHNAME) == 0)
			return true;
	return false;
}

/* ---- the thread */

static bool is_known(struct file_watch *w, const struct file_id *id)
{
	bool known;

	pthread_mutex_lock(&w->lock);
	known = hash_get(&w->known, id, sizeof(*id));
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
	struct hold_answer a = {
		.seq = o->seq, .id = o->id, .known = is_known(w, &o->id), .forget = o->is_new
	};

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

	if (write(w->ready_fd, &one, sizeof(one)) < 0) {
		/* it is full: there is more than enough to wake up */
	}
}

/* Hands the next one over; those that became known meanwhile go on. */
static void next_opening(struct file_watch *w)
{
	while (w->first) {
		struct opening *o = w->first;

		if (!is_known(w, &o->id)) {
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
	struct opening *o = xcalloc(1, sizeof(*o));
	struct stat st;

	o->fd = fd;
	o->hold = hold;
	o->since_ms = e ? e->since_ms : hold_now_ms();
	o->seq = e ? e->seq : 0;
	o->asks = e;
	o->is_new = e && e->held;
	if (!fd_path(fd, o->path, sizeof(o->path)) || fstat(fd, &st) < 0)
		drop(w, o);
	else if (!id_of(&st, &o->id) || is_known(w, &o->id) || (e && !hold_is_elf(fd)))
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

/* A file came to a folder: each plain path there is looked at again. */
static void read_arrivals(struct file_watch *w)
{
	_Alignas(struct inotify_event) char buf[4096];

	if (read(w->notify_fd, buf, sizeof(buf)) <= 0)
		return;
	for (u32 i = 0; i < w->n_places; i++) {
		char *path;
		int fd;

		if (w->place[i].holds)
			continue;
		path = xasprintf("%s/%s", w->place[i].folder, w->place[i].name);
		/* no fanotify event, which we would have to answer ourselves */
		fd = open(path, O_PATH | O_CLOEXEC);
		if (fd >= 0)
			consider(w, fd, 0, NULL);
		free(path);
	}
}

static void *run_thread(void *arg)
{
	struct file_watch *w = arg;
	struct pollfd p[] = { { .fd = w->stop_fd, .events = POLLIN },
			      { .fd = w->notify_fd, .events = POLLIN },
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
		if (p[2].revents && read(w->done_fd, &count, sizeof(count)) < 0)
			break;
		finish_opening(w);
	}
	return NULL;
}

/* ---- the main loop's side */

struct file_watch *file_watch_new(s32 pid)
{
	struct file_watch *w = xcalloc(1, sizeof(*w));

	w->pid = pid > 0 ? pid : -1;
	for (u32 i = 0; i < HOLDS; i++)
		w->hold[i].sock = -1;
	w->notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	w->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&w->lock, NULL);
	if (w->notify_fd >= 0 && w->ready_fd >= 0 && w->done_fd >= 0 && w->stop_fd >= 0)
		return w;
	file_watch_free(w);
	return NULL;
}

static bool has_marks(const struct file_watch *w, bool served)
{
	bool any = w->everywhere;

	for (u32 i = 0; i < w->n_marks && !any; i++)
		any = w->mark[i].served == served;
	return any;
}

static int start_hold(struct file_watch *w, u32 at, const struct hold_class *was)
{
	struct hold *h = &w->hold[at];
	struct hold_plan plan = { .marks = w->mark,
				  .n_marks = w->n_marks,
				  .everywhere = w->everywhere,
				  .all_opens = w->all_opens,
				  .served = at == 1,
				  .pid = w->pid,
				  .known = &w->known,
				  .wants = is_wanted,
				  .ctx = w };
	int rc = has_marks(w, plan.served) ? hold_start(h, &plan, was) : 0;

	if (rc == 0 && h->mark_error)
		miss(w, w->mark[h->mark].path, h->mark_error);
	return rc;
}

static void end_holds(struct file_watch *w)
{
	for (u32 i = 0; i < HOLDS; i++)
		hold_end(&w->hold[i]);
}

static int start_holds(struct file_watch *w)
{
	struct hold_class was = hold_own_class();
	int rc = 0;

	hold_find_served(w->mark, w->n_marks);
	for (u32 i = 0; i < HOLDS && rc == 0; i++)
		rc = start_hold(w, i, &was);
	if (rc == -ETIMEDOUT && w->hold[0].pid) { /* a server that is out of reach */
		miss(w, "file systems of servers", rc);
		return 0;
	}
	if (rc < 0)
		end_holds(w);
	return rc;
}

int file_watch_missed(const struct file_watch *w, const char **folder)
{
	*folder = w->missed;
	return w->missed ? w->missed_why : 0;
}

/* Signals are the main loop's. */
int file_watch_start(struct file_watch *w)
{
	int rc = start_holds(w), err;
	sigset_t all, was;

	if (rc < 0)
		return rc;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	err = pthread_create(&w->thread, NULL, run_thread, w);
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

	if (read(w->ready_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return NULL;
	pthread_mutex_lock(&w->lock);
	waits = w->at && !w->handled;
	if (waits) {
		snprintf(w->path, sizeof(w->path), "%s", w->at->path);
		snprintf(w->open_path, sizeof(w->open_path), "/proc/self/fd/%d", w->at->fd);
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
	if (write(w->done_fd, &one, sizeof(one)) < 0) {
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
	    stat(path, &st) < 0) /* again: what is not noted here would be probed twice */
		return;
	if (!id_of(&st, &a.id))
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

	/* what is gone needs nothing done about it */
	return stat(path, &st) < 0 || !id_of(&st, &id) || is_known(w, &id);
}

bool file_watch_is_lost(struct file_watch *w)
{
	bool lost;

	pthread_mutex_lock(&w->lock);
	lost = w->lost;
	pthread_mutex_unlock(&w->lock);
	return lost;
}

/* Whoever waits goes on. */
static void stop(struct file_watch *w)
{
	u64 one = 1;

	end_holds(w);
	if (w->running && write(w->stop_fd, &one, sizeof(one)) == sizeof(one) &&
	    pthread_join(w->thread, NULL) == 0 &&
	    read(w->stop_fd, &one, sizeof(one)) == sizeof(one))
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
	fd_close(&w->notify_fd);
	fd_close(&w->ready_fd);
	fd_close(&w->done_fd);
	fd_close(&w->stop_fd);
	for (u32 i = 0; i < w->n_places; i++) {
		free(w->place[i].folder);
		free(w->place[i].name);
	}
	for (u32 i = 0; i < w->n_patterns; i++)
		free(w->pattern[i]);
	for (u32 i = 0; i < w->n_marks; i++)
		free(w->mark[i].path);
	for (u32 i = 0; i < w->known.cap; i++)
		if (w->known.slot[i].key)
			free((void *)(uintptr_t)w->known.slot[i].key);
	hash_release(&w->known);
	free(w->place);
	free(w->pattern);
	free(w->mark);
	free(w->longest);
	free(w->missed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
