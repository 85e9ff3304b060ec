/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "start" forks. The child calls setsid(2), so that it survives its terminal, and records as sonde
 * record does; the parent waits until the probes are attached, or prints the error. "stop" and
 * "snapshot" send the child the signals that end a recording and that copy it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "cli/record_session.h"
#include "cli/session_state.h"

struct background { /* of the process that records */
	int place, lock, ready;
	const char *name;
	struct session_status status;
};

/* Their common beginning. */
struct asked {
	struct cli *c;
	const char *name; /* NULL: none */
	int place;
	const char *path; /* of the place */
};

/* ---- in the recorder */

static void write_status(const struct background *b)
{
	session_write(b->place, b->name, &b->status);
}

static u64 bytes_of(const struct cli *c, const struct recording *r)
{
	struct stat st;

	/* most of a flight recorder's file are holes */
	return c->own.record.overwrite && !stat(c->output.file, &st) ? (u64)st.st_blocks * 512 :
								       recording_bytes(r);
}

/* That are still there. */
static u64 files_of(const struct record_options *o, const struct recording *r)
{
	u64 kept = o->switch_max_files ? strtoull(o->switch_max_files, NULL, 10) : ~0ull;

	return MIN(r->n_files + 1ull, kept);
}

/* The first time, probes are attached. */
static void progress(void *ctx, const struct recording *r)
{
	struct cli *c = ctx;
	struct background *b = c->own.record.background;

	b->status.events = r->n_events;
	b->status.lost = r->n_lost;
	b->status.files = files_of(&c->own.record, r);
	b->status.bytes = bytes_of(c, r);
	write_status(b);
	if (b->ready >= 0 && write(b->ready, "", 1) != 1)
		say(c, "the command that started this recording is gone");
	fd_close(&b->ready);
}

void record_session_plan(struct cli *c, struct recording_plan *plan)
{
	if (!c->own.record.background)
		return;
	plan->progress = progress;
	plan->progress_ctx = c;
}

void record_session_copied(struct background *b, const char *path)
{
	if (!b)
		return;
	b->status.copies++;
	b->status.copy = path;
	write_status(b);
}

/* Standard output and error are the log from here on. */
static int leave_terminal(const struct background *b)
{
	_fd int log = session_log(b->place, b->name);
	_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (log < 0)
		return log;
	if (setsid() < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

static int be_recorder(struct cli *c, int (*run)(struct cli *c))
{
	struct background *b = c->own.record.background;
	int ret = leave_terminal(b);

	if (!ret)
		ret = session_own(b->lock);
	if (ret) {
		say(c, "begin a recording in the background: %s", strerror(-ret));
		return STATUS_REFUSED;
	}
	write_status(b);
	c->output.quiet = true; /* the stopping process prints the sum */
	ret = run(c);
	b->status.ended = 1;
	b->status.result = (u64)ret;
	write_status(b);
	fd_close(&b->ready);
	return ret;
}

/* ---- the recorder, as other processes see it */

static void say_log(const struct asked *a)
{
	struct buf b = { 0 };

	session_put_log(a->place, a->name, &b);
	if (b.len)
		say_lines(a->c, &b);
	buf_release(&b);
}

static const char *time_text(const struct asked *a, u64 since)
{
	time_t seconds = (time_t)since;
	char text[64];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
	return arena_strdup(&a->c->line.arena, text);
}

static int say_unknown(const struct asked *a)
{
	const char **names = session_names(a->place, &a->c->line.arena);
	struct buf b = { 0 };

	for (u32 i = 0; names[i]; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
	say(a->c, "there is no recording \"%s\"; there %s", a->name,
	    b.len ? arena_printf(&a->c->line.arena, "are: %s", b.s) : "is none");
	buf_release(&b);
	return STATUS_WRONG;
}

static void say_sum(const struct asked *a, const struct session_status *s, const char *how)
{
	struct cli *c = a->c;
	const char *others = s->files > 1 ? arena_printf(&c->line.arena, " and %llu older files",
							 (unsigned long long)s->files - 1) :
					    "";

	if (!c->output.quiet)
		say(c, "recording \"%s\" %s: %llu events, %llu lost, %llu KB in %s%s", a->name, how,
		    (unsigned long long)s->events, (unsigned long long)s->lost,
		    (unsigned long long)(s->bytes + 1023) / 1024, s->file, others);
}

/* ---- start */

static int say_exists(const struct asked *a)
{
	struct session_status s;

	session_read(a->place, a->name, &a->c->line.arena, &s);
	say(a->c,
	    "recording \"%s\" exists: it records to %s since %s; \"%s record stop %s\" ends it",
	    a->name, s.file, time_text(a, s.since), a->c->line.program, a->name);
	return STATUS_WRONG;
}

/* The absolute path of the recording: the process changes its directory later. */
static int choose_file(const struct asked *a)
{
	struct cli *c = a->c;
	char *here = NULL;

	if (!c->output.file)
		c->output.file = arena_printf(&c->line.arena, "sonde-%s.data", a->name);
	if (streq(c->output.file, "-"))
		return say_usage(c, "-o -: a recording in the background needs a file");
	if (c->output.file[0] == '/')
		return 0;
	here = getcwd(NULL, 0);
	if (!here) {
		say(c, "name the working directory: %s", strerror(errno));
		return STATUS_REFUSED;
	}
	c->output.file = arena_printf(&c->line.arena, "%s/%s", here, c->output.file);
	free(here);
	return 0;
}

/* Two recordings in one file would destroy each other. */
static int check_file(const struct asked *a)
{
	const char **names = session_names(a->place, &a->c->line.arena);

	for (u32 i = 0; names[i]; i++) {
		struct session_status s;

		if (session_life(a->place, names[i]) != SESSION_RECORDS ||
		    !session_read(a->place, names[i], &a->c->line.arena, &s) ||
		    !streq(s.file, a->c->output.file) || streq(names[i], a->name))
			continue;
		say(a->c, "recording \"%s\" writes to %s: choose another file with -o", names[i],
		    s.file);
		return STATUS_WRONG;
	}
	return 0;
}

/* False: it ended before its probes were attached. */
static bool wait_ready(int fd)
{
	char byte;
	ssize_t n;

	while ((n = read(fd, &byte, 1)) < 0 && errno == EINTR)
		;
	return n == 1;
}

static int follow_start(const struct asked *a, pid_t child, int ready)
{
	struct cli *c = a->c;
	int status = 0;

	if (wait_ready(ready)) {
		if (!c->output.quiet)
			say(c, "recording \"%s\" to %s (process %d)", a->name, c->output.file,
			    (int)child);
		return 0;
	}
	waitpid(child, &status, 0);
	say_log(a);
	session_remove(a->place, a->name);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	say(c, "the recorder was killed by signal %d", WTERMSIG(status));
	return STATUS_REFUSED;
}

static int fork_recorder(const struct asked *a, struct background *b, int (*run)(struct cli *c))
{
	int ready[2], ret;
	pid_t child;

	if (pipe2(ready, O_CLOEXEC) < 0 || (child = fork()) < 0) {
		say(a->c, "begin a process: %s", strerror(errno));
		return STATUS_REFUSED;
	}
	if (!child) {
		close(ready[0]);
		b->ready = ready[1];
		a->c->own.record.background = b;
		return be_recorder(a->c, run);
	}
	close(ready[1]);
	fd_close(&b->lock);
	ret = follow_start(a, child, ready[0]);
	close(ready[0]);
	return ret;
}

static int start(struct asked *a, int (*run)(struct cli *c))
{
	struct background b = { .place = a->place, .name = a->name, .status.copy = "" };
	struct cli *c = a->c;
	int ret = choose_file(a);

	if (!ret)
		ret = check_file(a);
	if (ret)
		return ret;
	b.lock = session_lock(a->place, a->name);
	if (b.lock == -EBUSY)
		return say_exists(a);
	if (b.lock < 0) {
		say(c, "lock %s/%s.lock: %s", a->path, a->name, strerror(-b.lock));
		return STATUS_REFUSED;
	}
	c->select.all = !c->line.n_after && !c->request.traced.n_pids && !c->request.traced.command;
	b.status.file = c->output.file;
	b.status.since = clock_real_ns() / 1000000000;
	return fork_recorder(a, &b, run);
}

/* ---- stop */

static int take_leave(struct asked *a, const char *how)
{
	struct session_status s;

	session_read(a->place, a->name, &a->c->line.arena, &s);
	say_log(a);
	say_sum(a, &s, how);
	session_remove(a->place, a->name);
	return (int)s.result;
}

static int say_signal(const struct asked *a, int error)
{
	if (error == -EXDEV)
		say(a->c,
		    "recording \"%s\" was started in another pid namespace: stop it from there",
		    a->name);
	else
		say(a->c, "reach recording \"%s\": %s", a->name, strerror(-error));
	return STATUS_REFUSED;
}

static int stop(struct asked *a)
{
	enum session_life life = session_life(a->place, a->name);
	int error;

	if (life == SESSION_RECORDS) {
		error = session_signal(a->place, a->name, SIGTERM);
		if (error && error != -ESRCH)
			return say_signal(a, error);
		session_wait(a->place, a->name);
		life = session_life(a->place, a->name);
	}
	switch (life) {
	case SESSION_NONE: return say_unknown(a);
	case SESSION_RECORDS: return say_exists(a); /* started again meanwhile */
	case SESSION_ENDED: return take_leave(a, "has ended");
	case SESSION_DEAD: break;
	}
	take_leave(a, "was killed; its last status");
	return STATUS_WRONG;
}

/* ---- snapshot */

enum { LOOK_MS = 20 };

static int snapshot(struct asked *a)
{
	struct arena *arena = &a->c->line.arena;
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
	struct session_status s, now;
	struct arena look = { 0 };
	int error;

	if (session_life(a->place, a->name) != SESSION_RECORDS)
		return session_life(a->place, a->name) == SESSION_NONE ?
			       say_unknown(a) :
			       (say(a->c, "recording \"%s\" has ended: its file is complete",
				    a->name),
				STATUS_WRONG);
	session_read(a->place, a->name, arena, &s);
	error = session_signal(a->place, a->name, SIGUSR2);
	if (error)
		return say_signal(a, error);
	do {
		nanosleep(&pause, NULL);
		arena_release(&look);
		session_read(a->place, a->name, &look, &now);
	} while (now.copies == s.copies && session_life(a->place, a->name) == SESSION_RECORDS);
	now.copy = arena_strdup(arena, now.copy);
	arena_release(&look);
	if (now.copies == s.copies || !*now.copy) {
		say_log(a);
		say(a->c, "there is no copy of recording \"%s\"", a->name);
		return STATUS_REFUSED;
	}
	if (!a->c->output.quiet)
		say(a->c, "copied to %s", now.copy);
	return 0;
}

/* ---- status */

static const char *life_text(enum session_life life)
{
	switch (life) {
	case SESSION_NONE: return "none";
	case SESSION_RECORDS: return "recording";
	case SESSION_ENDED: return "ended";
	case SESSION_DEAD: return "dead";
	}
	return "";
}

static void print_status(const struct asked *a, const char *name)
{
	enum session_life life = session_life(a->place, name);
	struct session_status s;

	if (life == SESSION_NONE)
		return;
	session_read(a->place, name, &a->c->line.arena, &s);
	printf("%-16s %-9s %s %12llu %10llu %10llu  %s\n", name, life_text(life),
	       time_text(a, s.since), (unsigned long long)s.events, (unsigned long long)s.lost,
	       (unsigned long long)(s.bytes + 1023) / 1024, s.file);
}

static int status(struct asked *a)
{
	const char *one[] = { a->name, NULL };
	const char **names = a->name ? one : session_names(a->place, &a->c->line.arena);

	if (a->name && session_life(a->place, a->name) == SESSION_NONE)
		return say_unknown(a);
	if (names[0])
		printf("%-16s %-9s %-19s %12s %10s %10s  %s\n", "NAME", "STATE", "SINCE", "EVENTS",
		       "LOST", "KB", "FILE");
	for (u32 i = 0; names[i]; i++)
		print_status(a, names[i]);
	return 0;
}

/* ---- the command */

const char *const record_verbs[] = { "start", "stop", "status", "snapshot", NULL };

static int (*const verbs[])(struct asked *a) = { NULL, stop, status, snapshot };

static u32 verb_of(const char *word)
{
	u32 i = 0;

	while (!streq(record_verbs[i], word))
		i++;
	return i;
}

static int check_words(const struct asked *a, u32 verb)
{
	struct cli *c = a->c;

	if (!a->name && verbs[verb] != status)
		return say_usage(c, "record %s: the name of a recording is missing",
				 c->line.words[0]);
	if (a->name && !session_name_is_good(a->name))
		return say_usage(
			c,
			"record %s: a name has at most 64 letters, digits, \"-\", \"_\" and \".\"",
			c->line.words[0]);
	if (verbs[verb] && (c->line.n_given > c->output.quiet || c->line.n_after))
		return say_usage(c, "record %s takes only a name", c->line.words[0]);
	return 0;
}

int record_session(struct cli *c, int (*run)(struct cli *c))
{
	struct asked a = { .c = c, .name = c->line.n_words > 1 ? c->line.words[1] : NULL };
	u32 verb = verb_of(c->line.words[0]);
	struct err err = { 0 };
	int ret = check_words(&a, verb);

	if (ret)
		return ret;
	a.place = session_place(&c->line.arena, &a.path, &err);
	if (a.place < 0) {
		say_err(c, &err);
		err_release(&err);
		return STATUS_REFUSED;
	}
	ret = verbs[verb] ? verbs[verb](&a) : start(&a, run);
	close(a.place);
	return ret;
}
