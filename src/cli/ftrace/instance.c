/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instance: instances/sonde_PID, a whole tracer with buffers, switches and filters of its
 * own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/ftrace/ftrace.h"

int instance_make(struct ftrace *f, struct err *err)
{
	char path[320];

	f->root = tracefs_path(err);
	if (!f->root)
		return err->code;
	snprintf(path, sizeof path, "%s/instances/sonde_%d", f->root, getpid());
	if (mkdir(path, 0750) < 0) {
		err_sys(err, "make a tracing instance, %s", path);
		if (err->code == -EACCES || err->code == -EPERM)
			err_help(err, "tracing needs root: try it with sudo");
		return err->code;
	}
	snprintf(f->dir, sizeof f->dir, "instances/sonde_%d", getpid());
	return 0;
}

/* Removing it removes its events, triggers and filters, too; the kernel refuses while a file in it
 * is open. */
static void remove_at(const char *root, const char *dir)
{
	enum { TRIES = 100, TURN_US = 10000 };
	struct err err = { 0 };
	char path[400], file[300];

	snprintf(file, sizeof file, "%s/current_tracer", dir);
	tracefs_put(file, "nop", O_TRUNC, &err);
	err_release(&err);
	snprintf(path, sizeof path, "%s/%s", root, dir);
	for (u32 i = 0; i < TRIES && rmdir(path) < 0 && errno == EBUSY; i++)
		usleep(TURN_US);
}

void instance_remove(struct ftrace *f)
{
	if (*f->dir)
		remove_at(f->root, f->dir);
	*f->dir = '\0';
}

void instance_remove_left(void)
{
	struct err err = { 0 };
	const char *root = tracefs_path(&err);
	char path[320];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "%s/instances", root ? root : "");
	d = root ? opendir(path) : NULL;
	while (d && (e = readdir(d))) {
		int pid, n = 0;

		if (sscanf(e->d_name, "sonde_%d%n", &pid, &n) != 1 || e->d_name[n] ||
		    kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof path, "instances/%.200s", e->d_name);
		remove_at(root, path);
	}
	if (d)
		closedir(d);
	err_release(&err);
}

int instance_put(struct ftrace *f, const char *file, const char *text, int flags, struct err *err)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", f->dir, file);
	return tracefs_put(path, text, flags, err);
}

int instance_read(const struct ftrace *f, const char *file, struct buf *to)
{
	char path[600];

	snprintf(path, sizeof path, "%s/%s/%s", f->root, f->dir, file);
	return buf_read_file(to, path);
}
