/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are about to run, through fanotify's permission events (FAN_OPEN_EXEC_PERM of Linux 5.0,
 * FAN_OPEN_PERM on single folders): the kernel holds the opening until we answer, so that a probe is in
 * place before the first instruction. In: patterns; out: one file at a time, for the main loop.
 *
 * A thread of its own reads the events and answers at once what nobody looks for, which is nearly
 * everything, and what we open ourselves. The others wait for the main loop: as long as it works, which takes long on a
 * loaded machine, but five seconds at most; half a second when it sleeps, because a reader of its output that stopped (a
 * pager) must not stop the system. A file whose opener went on is handled all the same, and told.
 *
 * Named folders are asked about their own files only. A pattern with wildcards in its folders asks its
 * file systems about all programs, "*" all file systems, also those that are mounted later, and where libraries
 * are looked for about every opening. There the kernel is told to forget a file until somebody writes to it
 * (FAN_MARK_IGNORED_MASK), so that each costs once. A file that replaces one is told by inotify on its folder
 * (watch_add of a plain path): nobody waits then.
 */
#include <elf.h>
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
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/glob.h"
#include "base/hash.h"
#include "session/watch.h"
#include "sym/procs.h"

#ifndef FAN_OPEN_EXEC_PERM
#define FAN_OPEN_EXEC_PERM 0x00040000
#endif
#ifndef FAN_MARK_EVICTABLE /* Linux 5.19: the mark does not keep the inode in memory */
#define FAN_MARK_EVICTABLE 0x00000200
#endif

enum { PATIENCE_MS = 500, MAX_WAIT_MS = 5000, TICK_MS = 100, MAX_QUEUE = 1024 };

struct file_id {
	u64 dev, ino;
};

struct place { /* a pattern in one folder */
	char *folder, *name;
};

struct pattern {
	char *text;
	bool libraries;
};

struct watch {
	int fan_fd, notify_fd, ready_fd, done_fd, stop_fd;
	int mounts_fd; /* mountinfo: readable in the sense of POLLPRI when something was mounted; -1 */
	s32 pid;       /* or -1: all */
	u64 own_mounts, last_mounts; /* mount namespaces: ours, and the one of the process before */
	bool everywhere, all_opens; /* all file systems; about openings as well as executions */
	bool not_evictable;
	pthread_t thread;
	bool running;
	struct place *place;
	struct pattern *pattern;
	u32 n_places, n_patterns;
	struct hash known; /* struct file_id */
	struct opening *first, *last; /* those that wait; the thread's */
	u32 n_queued;
	s32 main_loop; /* its thread */
	/* shared, under the lock */
	pthread_mutex_t lock;
	struct opening *at; /* the one that is handed over */
	bool taken, handled;
	u64 longest_ms, n_dropped;
	char *longest;
	/* the main loop's */
	int at_fd;
	char path[PATH_MAX], open_path[64];
};

struct opening {
	struct opening *next;
	int fd;
	bool asks; /* its opener waits for an answer */
	struct file_id id;
	u64 since_ms;
	u64 in_vain_ms; /* its opener went on after so long; under the lock */
	char path[PATH_MAX];
};

static bool id_of(const struct stat *st, struct file_id *id)
{
	*id = (struct file_id){ st->st_dev, st->st_ino };
	return S_ISREG(st->st_mode);
}

static void remember(struct watch *w, const struct file_id *id)
{
	struct file_id *copy;

	if (hash_get(&w->known, id, sizeof(*id)))
		return;
	copy = xmalloc(sizeof(*copy));
	*copy = *id;
	hash_put(&w->known, copy, sizeof(*copy), w);
}

/* ---- what is looked for */

static void add_place(struct watch *w, const char *folder, const char *name, bool libraries)
{
	u64 mask = FAN_OPEN_EXEC_PERM | FAN_EVENT_ON_CHILD | (libraries ? FAN_OPEN_PERM : 0);
	char *real = realpath(folder, NULL);

	if (!real)
		return;
	w->place = xrealloc(w->place, (w->n_places + 1) * sizeof(*w->place));
	w->place[w->n_places++] = (struct place){ real, xstrdup(name) };
	if (glob_has_wildcard(name))
		fanotify_mark(w->fan_fd, FAN_MARK_ADD, mask, AT_FDCWD, real);
	else
		inotify_add_watch(w->notify_fd, real, IN_MOVED_TO | IN_CLOSE_WRITE);
}

static void mark_file_system(struct watch *w, const char *path)
{
	u64 mask = FAN_OPEN_EXEC_PERM | (w->all_opens ? FAN_OPEN_PERM : 0);

	if (fanotify_mark(w->fan_fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, mask, AT_FDCWD, path) < 0)
		fanotify_mark(w->fan_fd, FAN_MARK_ADD | FAN_MARK_MOUNT, mask, AT_FDCWD, path);
}

/* Field 5 of /proc/PID/mountinfo is the mount point; those that hold no programs refuse, or do no harm. */
static void mark_mounts_of(struct watch *w, const char *process)
{
	struct buf text = {};
	char *at, *line, *save = NULL, path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
	if (buf_read_file(&text, path) == 0 && text.s)
		for (line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			at = line;
			for (u32 i = 0; i < 4 && at; i++)
				at = strchr(at + (i != 0), ' ');
			if (!at)
				continue;
			at++;
			at[strcspn(at, " ")] = '\0';
			if (starts_with(at, "/proc") || starts_with(at, "/sys"))
				continue;
			snprintf(path, sizeof(path), "/proc/%s/root%s", process, at);
			mark_file_system(w, path);
		}
	buf_release(&text);
}

static u64 mount_namespace(const char *process)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* A process that sees other mounts than we do: what is mounted there is found by whoever lives there. */
static void mark_elsewhere(struct watch *w, u32 pid)
{
	char process[16];
	u64 ns;

	snprintf(process, sizeof(process), "%u", pid);
	ns = mount_namespace(process);
	if (ns && ns != w->own_mounts && ns != w->last_mounts)
		mark_mounts_of(w, process);
	w->last_mounts = ns;
}

static int mark_of_process(void *ctx, u32 pid)
{
	mark_elsewhere(ctx, pid);
	return 0;
}

static void mark_everything(struct watch *w)
{
	char process[16] = "self";

	if (w->pid > 0)
		snprintf(process, sizeof(process), "%d", w->pid);
	w->own_mounts = mount_namespace(process);
	mark_mounts_of(w, process);
	if (w->pid <= 0)
		proc_each(mark_of_process, w);
	w->last_mounts = 0;
}

/* The folder above the first wildcard: "/opt" of "/opt/x*\/bin/y". */
static void mark_base(struct watch *w, const char *pattern)
{
	char *base = xstrdup(pattern), *slash;

	base[strcspn(base, "*?[{")] = '\0';
	slash = strrchr(base, '/');
	if (slash)
		slash[slash == base] = '\0';
	mark_file_system(w, base);
	free(base);
}

static bool looks_like_library(const char *pattern, const char *slash)
{
	return strstr(pattern, ".so") || (slash && starts_with(slash + 1, "lib"));
}

static void mark_pattern(struct watch *w, const char *pattern, bool libraries)
{
	const char *slash = strrchr(pattern, '/');
	char *folder;
	glob_t g;

	if (!slash) {
		w->everywhere = true;
		w->all_opens |= libraries;
		mark_everything(w);
		return;
	}
	libraries |= looks_like_library(pattern, slash);
	folder = slash == pattern ? xstrdup("/") : xasprintf("%.*s", (int)(slash - pattern), pattern);
	if (!glob_has_wildcard(folder)) {
		add_place(w, folder, slash + 1, libraries);
	} else {
		mark_base(w, pattern);
		if (libraries && glob(folder, GLOB_ONLYDIR, NULL, &g) == 0) {
			for (size_t i = 0; i < g.gl_pathc; i++)
				add_place(w, g.gl_pathv[i], slash + 1, true);
			globfree(&g);
		}
	}
	free(folder);
}

void watch_add(struct watch *w, const char *pattern, bool libraries)
{
	w->pattern = xrealloc(w->pattern, (w->n_patterns + 1) * sizeof(*w->pattern));
	w->pattern[w->n_patterns++] = (struct pattern){ xstrdup(pattern), libraries };
	mark_pattern(w, pattern, libraries);
}

static void forget_places(struct watch *w)
{
	for (u32 i = 0; i < w->n_places; i++) {
		free(w->place[i].folder);
		free(w->place[i].name);
	}
	w->n_places = 0;
}

static bool is_wanted(const struct watch *w, const char *path, s32 pid)
{
	const char *slash = strrchr(path, '/');

	if (pid == getpid() || (w->pid > 0 && pid != w->pid))
		return false;

	for (u32 i = 0; slash && i < w->n_places; i++) {
		const struct place *p = &w->place[i];

		if (strlen(p->folder) == (size_t)(slash - path) && !memcmp(p->folder, path, (size_t)(slash - path)) &&
		    fnmatch(p->name, slash + 1, 0) == 0)
			return true;
	}
	for (u32 i = 0; i < w->n_patterns; i++)
		if (streq(w->pattern[i].text, "*") || fnmatch(w->pattern[i].text, path, FNM_PATHNAME) == 0)
			return true;
	return false;
}

/* ---- the thread */

static u64 now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

static bool is_known(struct watch *w, const struct file_id *id)
{
	bool known;

	pthread_mutex_lock(&w->lock);
	known = hash_get(&w->known, id, sizeof(*id));
	pthread_mutex_unlock(&w->lock);
	return known;
}

static void answer(struct watch *w, int fd)
{
	struct fanotify_response r = { .fd = fd, .response = FAN_ALLOW };

	if (write(w->fan_fd, &r, sizeof(r)) < 0) {
		/* the opener is gone */
	}
}

static void let_go(struct watch *w, int fd, bool asks)
{
	if (asks)
		answer(w, fd);
	close(fd);
}

static void note_longest(struct watch *w, const struct opening *o, u64 held_ms)
{
	pthread_mutex_lock(&w->lock);
	if (held_ms > w->longest_ms) {
		w->longest_ms = held_ms;
		free(w->longest);
		w->longest = xstrdup(o->path);
	}
	pthread_mutex_unlock(&w->lock);
}

/* The first one leaves the queue. */
static void end_opening(struct watch *w)
{
	struct opening *o = w->first;

	if (o->asks)
		note_longest(w, o, now_ms() - o->since_ms);
	w->first = o->next;
	if (!w->first)
		w->last = NULL;
	w->n_queued--;
	let_go(w, o->fd, o->asks);
	free(o);
}

/* Asleep it waits for whoever reads its output: when it waits for events, ours wakes it. */
static bool main_loop_works(const struct watch *w)
{
	struct buf text = {};
	char path[64];
	const char *after;
	bool works;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", w->main_loop);
	after = buf_read_file(&text, path) == 0 && text.s ? strrchr(text.s, ')') : NULL;
	works = after && !starts_with(after, ") S");
	buf_release(&text);
	return works;
}

/* Whether it makes sense to wait for it longer. */
static bool makes_progress(struct watch *w)
{
	bool taken;

	pthread_mutex_lock(&w->lock);
	taken = w->taken;
	pthread_mutex_unlock(&w->lock);
	return taken || main_loop_works(w);
}

/* Openers that waited too long go on; the next ones wait no more while nothing changes. */
static void release_openers(struct watch *w)
{
	u64 now = now_ms(), longest = w->first ? now - w->first->since_ms : 0;
	bool works = longest < PATIENCE_MS || makes_progress(w);

	for (struct opening *o = w->first; o; o = o->next) {
		u64 held = now - o->since_ms;

		if (!o->asks || held < (works ? MAX_WAIT_MS : w->first->in_vain_ms ? 0 : PATIENCE_MS))
			continue;
		pthread_mutex_lock(&w->lock);
		o->in_vain_ms = MAX(held, 1u);
		pthread_mutex_unlock(&w->lock);
		note_longest(w, o, held);
		answer(w, o->fd);
		o->asks = false;
	}
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG);
}

/* Nobody wants to hear of openings of this file before it changes. The first word of the kernel on evictable marks
 * counts; without them only programs and libraries are kept in memory by it. */
static void forget(struct watch *w, int fd)
{
	u32 flags = FAN_MARK_ADD | FAN_MARK_IGNORED_MASK;
	u64 mask = FAN_OPEN_PERM; /* executions are few, and tell of mount namespaces */

	if (!w->all_opens || w->pid > 0)
		return;
	if (!w->not_evictable) {
		if (fanotify_mark(w->fan_fd, flags | FAN_MARK_EVICTABLE, mask, fd, NULL) == 0)
			return;
		w->not_evictable = errno == EINVAL;
	}
	if (w->not_evictable && is_elf(fd))
		fanotify_mark(w->fan_fd, flags, mask, fd, NULL);
}

/* Hands the next one over; those that became known meanwhile go on. */
static void next_opening(struct watch *w)
{
	u64 one = 1;

	while (w->first) {
		struct opening *o = w->first;

		if (!is_known(w, &o->id)) {
			pthread_mutex_lock(&w->lock);
			w->at = o;
			w->handled = w->taken = false;
			pthread_mutex_unlock(&w->lock);
			if (write(w->ready_fd, &one, sizeof(one)) == sizeof(one))
				return;
		}
		end_opening(w);
	}
}

static void finish_opening(struct watch *w)
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
	if (w->first->asks)
		forget(w, w->first->fd);
	end_opening(w);
	next_opening(w);
}

/* Takes an opening over that is to be handled. */
static void enqueue(struct watch *w, struct opening *o)
{
	if (w->n_queued == MAX_QUEUE) { /* nobody reads what we say: descriptors and memory are bounded */
		pthread_mutex_lock(&w->lock);
		w->n_dropped++;
		pthread_mutex_unlock(&w->lock);
		let_go(w, o->fd, o->asks);
		free(o);
		return;
	}
	w->n_queued++;
	o->since_ms = now_ms();
	if (w->first) {
		w->last = w->last->next = o;
		return;
	}
	w->first = w->last = o;
	next_opening(w);
}

/* Takes fd over. */
static void consider(struct watch *w, int fd, s32 pid, bool asks)
{
	struct opening *o = xcalloc(1, sizeof(*o));
	char link[64];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, o->path, sizeof(o->path) - 1);
	if (n <= 0 || fstat(fd, &st) < 0 || !id_of(&st, &o->id) || is_known(w, &o->id) ||
	    (asks && (!is_wanted(w, o->path, pid) || !is_elf(fd)))) {
		if (asks && pid != getpid())
			forget(w, fd);
		let_go(w, fd, asks);
		free(o);
		return;
	}
	o->fd = fd;
	o->asks = asks;
	enqueue(w, o);
}

static void read_openings(struct watch *w)
{
	struct fanotify_event_metadata events[16], *e = events;
	ssize_t len = read(w->fan_fd, events, sizeof(events));

	for (; FAN_EVENT_OK(e, len); e = FAN_EVENT_NEXT(e, len))
		if (e->vers == FANOTIFY_METADATA_VERSION && e->fd >= 0) {
			if (w->everywhere && w->pid <= 0 && (e->mask & FAN_OPEN_EXEC_PERM)) {
				w->last_mounts = 0; /* it may have more than when it executed something before */
				mark_elsewhere(w, (u32)e->pid);
			}
			consider(w, e->fd, e->pid, true);
		}
}

/* A file came to a folder: each plain path there is looked at again. */
static void read_arrivals(struct watch *w)
{
	_Alignas(struct inotify_event) char buf[4096];

	if (read(w->notify_fd, buf, sizeof(buf)) <= 0)
		return;
	for (u32 i = 0; i < w->n_places; i++) {
		char *path;
		int fd;

		if (glob_has_wildcard(w->place[i].name))
			continue;
		path = xasprintf("%s/%s", w->place[i].folder, w->place[i].name);
		fd = open(path, O_PATH | O_CLOEXEC); /* which asks nobody: it would be us */
		if (fd >= 0)
			consider(w, fd, 0, false);
		free(path);
	}
}

static void *run_thread(void *arg)
{
	struct watch *w = arg;
	struct pollfd p[] = { { .fd = w->stop_fd, .events = POLLIN },
			      { .fd = w->fan_fd, .events = POLLIN },
			      { .fd = w->notify_fd, .events = POLLIN },
			      { .fd = w->done_fd, .events = POLLIN },
			      { .fd = w->mounts_fd, .events = POLLPRI } };
	u64 count;

	while (poll(p, ARRAY_SIZE(p), w->first ? TICK_MS : -1) >= 0 || errno == EINTR) {
		if (p[0].revents)
			break;
		if (p[1].revents)
			read_openings(w);
		if (p[2].revents)
			read_arrivals(w);
		if (p[4].revents)
			mark_everything(w);
		if (p[3].revents && read(w->done_fd, &count, sizeof(count)) < 0)
			break;
		finish_opening(w);
		release_openers(w);
	}
	return NULL;
}

/* ---- the main loop's side */

static int open_fanotify(void)
{
	return fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_MARKS, O_RDONLY | O_CLOEXEC);
}

struct watch *watch_new(s32 pid)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	w->pid = pid > 0 ? pid : -1;
	w->mounts_fd = -1;

	w->fan_fd = open_fanotify();
	w->notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	w->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->stop_fd = eventfd(0, EFD_CLOEXEC);
	w->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->at_fd = -1;
	pthread_mutex_init(&w->lock, NULL);
	if (w->fan_fd >= 0 && w->notify_fd >= 0 && w->ready_fd >= 0 && w->done_fd >= 0 && w->stop_fd >= 0)
		return w;
	watch_free(w);
	return NULL;
}

/* Signals are the main loop's. */
bool watch_start(struct watch *w)
{
	sigset_t all, was;

	if (w->everywhere && w->pid <= 0)
		w->mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	w->main_loop = gettid();
	w->running = pthread_create(&w->thread, NULL, run_thread, w) == 0;
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return w->running;
}

int watch_fd(const struct watch *w)
{
	return w->ready_fd;
}

/* The event's own descriptor, which asks nobody when it is read, a second time: the answer that the thread may give
 * meanwhile closes nothing of ours. */
const char *watch_next(struct watch *w, const char **open_path)
{
	u64 count;
	bool waits;

	if (read(w->ready_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return NULL;
	pthread_mutex_lock(&w->lock);
	waits = w->at && !w->handled;
	if (waits) {
		w->taken = true;
		snprintf(w->path, sizeof(w->path), "%s", w->at->path);
		w->at_fd = fcntl(w->at->fd, F_DUPFD_CLOEXEC, 0);
		snprintf(w->open_path, sizeof(w->open_path), "/proc/self/fd/%d", w->at_fd);
	}
	pthread_mutex_unlock(&w->lock);
	*open_path = w->open_path;
	return waits ? w->path : NULL;
}

u64 watch_done(struct watch *w, bool for_good)
{
	u64 one = 1, in_vain;

	pthread_mutex_lock(&w->lock);
	in_vain = w->at ? w->at->in_vain_ms : 0;
	if (w->at && for_good)
		remember(w, &w->at->id);
	w->handled = true;
	pthread_mutex_unlock(&w->lock);
	fd_close(&w->at_fd);
	if (write(w->done_fd, &one, sizeof(one)) < 0) {
		/* it is full: the thread has more than enough to wake up */
	}
	return in_vain;
}

u64 watch_longest(struct watch *w, const char **path, u64 *n_dropped)
{
	u64 ms;

	pthread_mutex_lock(&w->lock);
	ms = w->longest_ms;
	*path = w->longest;
	*n_dropped = w->n_dropped;
	pthread_mutex_unlock(&w->lock);
	return ms;
}

void watch_known(struct watch *w, const char *path)
{
	struct file_id id;
	struct stat st;

	if (stat(path, &st) < 0 || !id_of(&st, &id))
		return;
	pthread_mutex_lock(&w->lock);
	remember(w, &id);
	pthread_mutex_unlock(&w->lock);
}

bool watch_is_known(struct watch *w, const char *path)
{
	struct file_id id;
	struct stat st;

	/* what is gone needs nothing done about it */
	return stat(path, &st) < 0 || !id_of(&st, &id) || is_known(w, &id);
}

/* Whoever waits goes on. */
static void stop(struct watch *w)
{
	u64 one = 1;

	if (w->running && write(w->stop_fd, &one, sizeof(one)) == sizeof(one) && pthread_join(w->thread, NULL) == 0 &&
	    read(w->stop_fd, &one, sizeof(one)) == sizeof(one))
		w->running = false;
	fd_close(&w->fan_fd);
	fd_close(&w->mounts_fd);
	for (struct opening *o = w->first, *next; o; o = next) {
		next = o->next;
		close(o->fd);
		free(o);
	}
	w->first = w->last = w->at = NULL;
	w->n_queued = 0;
}

void watch_pause(struct watch *w)
{
	stop(w);
	forget_places(w);
}

bool watch_resume(struct watch *w)
{
	w->fan_fd = open_fanotify();
	for (u32 i = 0; i < w->n_patterns && w->fan_fd >= 0; i++)
		mark_pattern(w, w->pattern[i].text, w->pattern[i].libraries);
	return w->fan_fd >= 0 && watch_start(w);
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	stop(w);
	forget_places(w);
	fd_close(&w->notify_fd);
	fd_close(&w->ready_fd);
	fd_close(&w->done_fd);
	fd_close(&w->at_fd);
	fd_close(&w->stop_fd);
	for (u32 i = 0; i < w->n_patterns; i++)
		free(w->pattern[i].text);
	for (u32 i = 0; i < w->known.cap; i++)
		if (w->known.slot[i].key)
			free((void *)(uintptr_t)w->known.slot[i].key);
	hash_release(&w->known);
	free(w->place);
	free(w->pattern);
	free(w->longest);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
