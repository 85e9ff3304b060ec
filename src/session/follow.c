/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of followed processes at the start: the processes themselves and, for --follow, their
 * descendants alive now. Forks from
 * here on are added by the clauses of follow_add_clauses(), which are attached before this runs, so
 * that none is missed: adding twice does no harm.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "session/run.h"
#include "sym/procs.h"

static void add_tree(struct run *r, u32 pid);

static void add_number(struct run *r, u32 pid)
{
	u64 one = 1;

	if (r->follow.lists) {
		vec_push(&r->c.arena, &r->follow.list, pid);
		return;
	}
	if (!r->follow.error && r->c.follow_map != NO_INDEX)
		r->follow.error = engines_map_set(&r->engines, r->c.follow_map, &pid, &one);
	alone_add(r, pid);
}

static int add_thread(void *ctx, u32 tid)
{
	struct run *r = ctx;

	add_number(r, tid);
	r->follow.n_threads++;
	return 0;
}

/*
 * A set of threads: those that threads of the set create are added by the clauses. So the threads
 * are read until there are no more than the time before: all that were there are in the set.
 */
static void add_threads(struct run *r, u32 pid)
{
	u32 before;

	r->follow.n_threads = 0;
	do {
		before = r->follow.n_threads;
		r->follow.n_threads = 0;
		proc_each_thread(pid, add_thread, r);
	} while (r->follow.n_threads > before && !r->follow.error);
}

static void add_process(struct run *r, u32 pid)
{
	if (r->c.reads.followed)
		add_threads(r, pid);
	else
		add_number(r, pid);
}

static int add_children_of_thread(void *ctx, u32 tid)
{
	struct run *r = ctx;
	struct buf b = { 0 };
	char path[64];
	u32 child;

	snprintf(path, sizeof path, "/proc/%u/task/%u/children", r->follow.at, tid);
	if (buf_read_file(&b, path) == 0 && b.s)
		for (char *at = b.s, *end; (child = (u32)strtoul(at, &end, 10)) != 0 && end != at;
		     at = end)
			add_tree(r, child);
	buf_release(&b);
	return 0;
}

static void add_tree(struct run *r, u32 pid)
{
	u32 was = r->follow.at;

	add_process(r, pid);
	r->follow.at = pid;
	proc_each_thread(pid, add_children_of_thread, r);
	r->follow.at = was;
}

static void add(struct run *r, u32 pid)
{
	if (r->request->traced.scope >= SCOPE_TREE)
		add_tree(r, pid);
	else
		add_process(r, pid);
}

/* Calls f for the command and each process that was named. */
static void each_named(struct run *r, void (*f)(struct run *r, u32 pid))
{
	const struct traced *t = &r->request->traced;

	if (t->command)
		f(r, (u32)r->child.pid);
	for (u32 i = 0; i < t->n_pids; i++)
		f(r, t->pids[i]);
}

void follow_list(struct run *r)
{
	r->follow.lists = true;
	each_named(r, add);
	r->follow.lists = false;
}

int follow_start(struct run *r, struct err *err)
{
	if (r->c.follow_map == NO_INDEX) {
		each_named(r, r->request->traced.in_children ? add : alone_add);
		return 0;
	}
	each_named(r, add);
	if (r->follow.error)
		return err_set(err, r->follow.error,
			       "--follow: note the processes that are there: %s",
			       strerror(-r->follow.error));
	return 0;
}
