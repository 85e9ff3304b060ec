/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of --follow at the start: the process itself and its descendants alive now. Forks from
 * here on are added by the clauses of follow_add_clauses(), which are attached before this runs, so
 * that none is missed: adding twice does no harm.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "session/run.h"
#include "sym/procs.h"

static void add_tree(struct run *r, u32 pid);

static int add_children_of_thread(void *ctx, u32 tid)
{
	struct run *r = ctx;
	struct buf b = { 0 };
	char path[64];
	u32 child;

	snprintf(path, sizeof path, "/proc/%u/task/%u/children", r->follow_at, tid);
	if (buf_read_file(&b, path) == 0 && b.s)
		for (char *at = b.s, *end; (child = (u32)strtoul(at, &end, 10)) != 0 && end != at;
		     at = end)
			add_tree(r, child);
	buf_release(&b);
	return 0;
}

static void add_tree(struct run *r, u32 pid)
{
	u64 one = 1;
	u32 was = r->follow_at;

	if (!r->follow_error)
		r->follow_error = engines_map_set(r, r->c.follow_map, &pid, &one);
	r->follow_at = pid;
	proc_each_thread(pid, add_children_of_thread, r);
	r->follow_at = was;
}

int follow_start(struct run *r, s32 pid, struct err *err)
{
	if (pid > 0 && r->c.follow_map != NO_INDEX)
		add_tree(r, (u32)pid);
	if (r->follow_error)
		return err_set(err, r->follow_error,
			       "--follow: note the processes that are there: %s",
			       strerror(-r->follow_error));
	return 0;
}
