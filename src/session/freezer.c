/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The freezer of --lossless. A command that makes events faster than they are printed loses some
 * once the ring is full. Here it is in a cgroup of its own (cgroup v2: cgroup.freeze; v1:
 * freezer.state), and a process beside sonde, the keeper, looks at the ring each LOOK_NS: from HIGH
 * on it freezes the cgroup, at LOW it thaws it. A task that is to freeze still runs to its next
 * return to user space; what all of them send until then has the rest of the ring, which is large
 * for that.
 *
 * The keeper sees the positions of the ring in memory that it shares with sonde, so a reader that
 * formats does not delay it. The end of sonde, also by SIGKILL, ends the pipe that it polls: then
 * it thaws the cgroup and removes it. So nothing stays frozen.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "session/run.h"
#include "sym/cgroup.h"

enum {
	LOOK_NS = 100000,
	HIGH = 32, /* of 256, as engines_fill() */
	LOW = 4,
	MOVE_TRIES = 200, /* with MOVE_NS between them */
	MOVE_NS = 5000000,
};

struct freezer_shared {
	u64 n, ns; /* how often the command was frozen, and how long in all */
};

static int write_file(const char *path, const char *text)
{
	_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -errno;
}

static int write_in(struct arena *a, const char *dir, const char *name, const char *text)
{
	return write_file(arena_printf(a, "%s/%s", dir, name), text);
}

/* "0::/user.slice" or "6:freezer:/": the path after the last ':' of the line that has `what` in
 * it. */
static const char *own_path(struct arena *a, const char *what)
{
	const char *found = NULL;
	char line[4200];
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && !found && fgets(line, sizeof line, f)) {
		const char *at = strstr(line, what);

		line[strcspn(line, "\n")] = '\0';
		if (at && (at = strchr(at + strlen(what) - 1, ':')))
			found = streq(at + 1, "/") ? "" : arena_strdup(a, at + 1);
	}
	if (f)
		fclose(f);
	return found;
}

static const char *freezer_mount(struct arena *a)
{
	char line[1024], mount[512], type[32], options[256];
	const char *found = NULL;
	FILE *f = fopen("/proc/self/mounts", "re");

	while (f && !found && fgets(line, sizeof line, f))
		if (sscanf(line, "%*s %511s %31s %255s", mount, type, options) == 3 &&
		    streq(type, "cgroup") && strstr(options, "freezer"))
			found = arena_strdup(a, mount);
	if (f)
		fclose(f);
	return found;
}

/* A new cgroup below sonde's own that can be frozen. */
static bool make_cgroup(struct run *r, bool is_v1)
{
	struct freezer *z = &r->freezer;
	const char *mount = is_v1 ? freezer_mount(&r->c.arena) : cgroup_mount(),
		   *path = own_path(&r->c.arena, is_v1 ? "freezer:" : "0::");

	if (!mount || !path)
		return false;
	z->is_v1 = is_v1;
	z->above = arena_printf(&r->c.arena, "%s%s", mount, path);
	z->dir = arena_printf(&r->c.arena, "%s/sonde-%d", z->above, getpid());
	if (mkdir(z->dir, 0755) < 0)
		return false;
	if (access(arena_printf(&r->c.arena, "%s/%s", z->dir,
				is_v1 ? "freezer.state" : "cgroup.freeze"),
		   W_OK) == 0 &&
	    write_in(&r->c.arena, z->dir, "cgroup.procs",
		     arena_printf(&r->c.arena, "%d", r->child.pid)) == 0)
		return true;
	rmdir(z->dir);
	return false;
}

/* ---- the keeper */

struct keeper {
	int pipe, state;
	const struct freezer *z;
	u64 since; /* when it froze the cgroup; 0: it is thawed */
};

static void set_frozen(struct keeper *k, bool frozen)
{
	const char *text = k->z->is_v1 ? (frozen ? "FROZEN" : "THAWED") : (frozen ? "1" : "0");
	u64 now = clock_mono_ns();

	if (pwrite(k->state, text, strlen(text), 0) < 0)
		return;
	k->z->shared->n += frozen;
	k->z->shared->ns += frozen || !k->since ? 0 : now - k->since;
	k->since = frozen ? now : 0;
}

/* Processes that outlive the run go where the command came from. */
static void remove_cgroup(const struct freezer *z)
{
	const struct timespec turn = { 0, MOVE_NS };
	char from[4400], to[4400], pid[32];

	snprintf(from, sizeof from, "%s/cgroup.procs", z->dir);
	snprintf(to, sizeof to, "%s/cgroup.procs", z->above);
	for (u32 i = 0; i < MOVE_TRIES && rmdir(z->dir) < 0 && errno == EBUSY; i++) {
		FILE *f = fopen(from, "re");

		while (f && fgets(pid, sizeof pid, f))
			if (write_file(to, pid) < 0)
				break;
		if (f)
			fclose(f);
		nanosleep(&turn, NULL);
	}
}

NORETURN static void keep(struct run *r, int pipe)
{
	const struct freezer *z = &r->freezer;
	const struct timespec look = { 0, LOOK_NS };
	struct pollfd p = { .fd = pipe, .events = POLLIN };
	struct keeper k = { .pipe = pipe, .z = z };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "sonde-freeze");
	setsid();
	close(z->pipe);
	for (int fd = 0; fd < 3; fd++)
		close(fd); /* a reader of sonde's output must see its end */
	k.state = open(arena_printf(&r->c.arena, "%s/%s", z->dir,
				    z->is_v1 ? "freezer.state" : "cgroup.freeze"),
		       O_WRONLY | O_CLOEXEC);
	while (k.state >= 0 && ppoll(&p, 1, &look, NULL) == 0) {
		u32 fill = engines_fill(&r->engines);

		if (k.since ? fill <= LOW : fill >= HIGH)
			set_frozen(&k, !k.since);
	}
	set_frozen(&k, false);
	remove_cgroup(z);
	_exit(0);
}

/* ---- sonde's end */

static int refuse(struct run *r, struct err *err)
{
	err_set(err, -EOPNOTSUPP,
		"--lossless cannot stop the command: its cgroup cannot be created");
	err_help(
		err,
		"mount cgroup v2 (mount -t cgroup2 none /sys/fs/cgroup), run sonde as root, or leave --lossless out: losses are counted");
	return err->code;
}

int freezer_start(struct run *r, struct err *err)
{
	struct freezer *z = &r->freezer;
	int ends[2];

	if (!r->request->traced.lossless || !r->child.pid)
		return 0;
	if (!make_cgroup(r, false) && !make_cgroup(r, true))
		return refuse(r, err);
	z->shared = mmap(NULL, sizeof *z->shared, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (z->shared == MAP_FAILED || pipe2(ends, O_CLOEXEC) < 0) {
		z->shared = NULL;
		remove_cgroup(z);
		return err_sys(err, "start the process that watches the buffers");
	}
	z->pipe = ends[1];
	z->keeper = fork();
	if (z->keeper == 0)
		keep(r, ends[0]);
	close(ends[0]);
	return z->keeper < 0 ? err_sys(err, "start the process that watches the buffers") : 0;
}

void freezer_end(struct freezer *z)
{
	if (z->keeper <= 0)
		return;
	fd_close(&z->pipe);
	while (waitpid(z->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	z->keeper = 0;
}

void freezer_report(struct run *r)
{
	const struct freezer *z = &r->freezer;

	if (z->shared && z->shared->n)
		buf_printf(
			&r->sink->err,
			"--lossless: the command was stopped %llu times, %.2f s in all, while its events were read\n",
			(unsigned long long)z->shared->n, (double)z->shared->ns / 1e9);
}
