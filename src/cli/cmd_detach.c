/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde detach: takes out of processes what a sonde left that was killed together with its
 * watcher. */
#include <unistd.h>
#include "cli/cli.h"
#include "engine/process/detach.h"
#include "session/session.h"

static int detach_one(u32 pid, struct buf *out, struct err *err)
{
	enum { WAIT_MS = 2000 };
	int fd = process_lock(pid, err), ret;
	u32 n = 0;

	if (fd < 0)
		return fd;
	ret = process_remove_old(pid, WAIT_MS, &n, err);
	close(fd);
	if (ret >= 0)
		buf_printf(out, "process %u: %u function%s restored%s\n", pid, n, n == 1 ? "" : "s",
			   ret ? "; a thread still executes sonde's code: run it again" : "");
	return MIN(ret, 0);
}

static int run(struct cli *c)
{
	const struct traced *t = &c->request.traced;
	struct buf out = { 0 };
	struct err err = { 0 };
	int ret = 0;

	if (!t->n_pids)
		return say_usage(c, "detach needs -p PID");
	for (u32 i = 0; i < t->n_pids && ret >= 0; i++)
		ret = detach_one(t->pids[i], &out, &err);
	if (ret < 0)
		say_err(c, &err);
	ret = ret < 0 ? STATUS_REFUSED : put_out(c, &out);
	buf_release(&out);
	return ret;
}

const struct command command_detach = {
	.name = "detach",
	.args = "-p PID",
	.brief = "restore functions that a killed sonde --engine=process left patched",
	.doc = "sonde restores the functions of a process when it ends; if it is killed, a process that it left behind does. If both are "
	       "killed at once, this command restores them, as the next run with --engine=process does. A child that the process made in the "
	       "meantime has them, too, and is restored likewise.",
	.example = "sonde detach -p 4711",
	.takes = SET_PID,
	.run = run,
};
