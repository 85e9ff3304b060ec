/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name and the process of each thread: from /proc when a run starts, then from records
 * (PERF_RECORD_FORK, PERF_RECORD_COMM). Threads that have ended are kept, because their last switch
 * is an event, too.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "engine/perf/internal.h"

struct task {
	u32 tid, pid;
	char comm[16];
};

void tasks_init(struct tasks *t)
{
	*t = (struct tasks){ 0 };
	arena_init(&t->arena);
}

void tasks_release(struct tasks *t)
{
	hash_release(&t->by_tid);
	arena_release(&t->arena);
}

static struct task *find(const struct tasks *t, u32 tid)
{
	return hash_get(&t->by_tid, &tid, sizeof tid);
}

static struct task *at(struct tasks *t, u32 tid)
{
	struct task *found = find(t, tid);

	if (found)
		return found;
	found = arena_new(&t->arena, struct task);
	*found = (struct task){ .tid = tid };
	hash_put(&t->by_tid, &found->tid, sizeof found->tid, found);
	return found;
}

static void set_comm(struct task *t, const char *comm)
{
	snprintf(t->comm, sizeof t->comm, "%.15s", comm);
}

/* The kernel appends the work of a worker, "kworker/1:2-events", to its name in /proc only
 * (fs/proc/array.c, proc_task_name); a rescuer's own name begins with "kworker/R-". */
static void cut_work(char *comm)
{
	if (starts_with(comm, "kworker/") && comm[strlen("kworker/")] != 'R')
		comm[strcspn(comm, "-+")] = '\0';
}

static void read_thread(struct tasks *t, u32 pid, const char *tid)
{
	struct buf b = { 0 };
	char path[64];

	snprintf(path, sizeof path, "/proc/%u/task/%.16s/comm", pid, tid);
	if (buf_read_file(&b, path) == 0 && b.len) {
		struct task *task = at(t, (u32)strtoul(tid, NULL, 10));

		b.s[b.len - 1] = '\0';
		cut_work(b.s);
		task->pid = pid;
		set_comm(task, b.s);
	}
	buf_release(&b);
}

static void read_process(struct tasks *t, u32 pid)
{
	char path[32];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)*e->d_name))
			read_thread(t, pid, e->d_name);
	if (dir)
		closedir(dir);
}

void tasks_read(struct tasks *t)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)*e->d_name))
			read_process(t, (u32)strtoul(e->d_name, NULL, 10));
	if (dir)
		closedir(dir);
}

void tasks_record(struct tasks *t, const struct task_record *r)
{
	const struct task *parent = find(t, r->parent_tid);
	struct task *task = at(t, r->tid);

	task->pid = r->pid;
	if (r->comm)
		set_comm(task, r->comm);
	else if (parent)
		memcpy(task->comm, parent->comm, sizeof task->comm);
}

void tasks_comm(struct tasks *t, u32 tid, u32 cpu, char comm[16])
{
	const struct task *task = find(t, tid);

	memset(comm, 0, 16);
	if (!tid)
		snprintf(comm, 16, "swapper/%u", cpu);
	else if (task)
		memcpy(comm, task->comm, 16);
}

u32 tasks_process(const struct tasks *t, u32 tid)
{
	const struct task *task = find(t, tid);

	return task ? task->pid : 0;
}
