/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a process in another pid namespace have thread ids of that namespace; this maps them
 * to ours, those of /proc/PID/task/TID. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "engine/process/internal.h"
#include "engine/process/threads.h"

struct thread_id {
	u32 inner, ours;
};

struct thread_name {
	u32 tid;
	char comm[16];
};

static bool read_comm(const char *path, char comm[16])
{
	struct buf b = { 0 };
	bool ok = buf_read_file(&b, path) >= 0 && b.len;

	if (ok)
		memcpy(comm, b.s, MIN(b.len - 1, 15ul));
	buf_release(&b);
	return ok;
}

void tids_init(struct tids *t, struct arena *a, u32 pid)
{
	char path[32];

	*t = (struct tids){ .arena = a, .pid = pid };
	snprintf(path, sizeof path, "/proc/%u/comm", pid);
	read_comm(path, t->comm);
}

void tids_release(struct tids *t)
{
	hash_release(&t->known);
	hash_release(&t->names);
}

const char *tids_comm(struct tids *t, u32 tid)
{
	struct thread_name *name = hash_get(&t->names, &tid, sizeof tid);
	char path[48];

	if (name)
		return name->comm;
	name = arena_new(t->arena, struct thread_name);
	*name = (struct thread_name){ .tid = tid };
	snprintf(path, sizeof path, "/proc/%u/task/%u/comm", t->pid, tid);
	if (!read_comm(path, name->comm))
		memcpy(name->comm, t->comm, sizeof name->comm);
	hash_put(&t->names, &name->tid, sizeof name->tid, name);
	return name->comm;
}

static void add(struct tids *t, u32 inner, u32 ours)
{
	struct thread_id *id = hash_get(&t->known, &inner, sizeof inner);

	if (id) {
		id->ours = ours;
		return;
	}
	id = arena_new(t->arena, struct thread_id);
	*id = (struct thread_id){ inner, ours };
	hash_put(&t->known, &id->inner, sizeof id->inner, id);
}

void tids_look(struct tids *t)
{
	char path[40];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%u/task", t->pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		u32 tid = (u32)strtoul(e->d_name, NULL, 10), inner = tid ? thread_inner_id(tid) : 0;

		if (inner)
			add(t, inner, tid);
	}
	if (d)
		closedir(d);
}

/* A thread that ends before it is read stays unknown. */
u32 tids_ours(struct tids *t, u32 inner)
{
	const struct thread_id *id = hash_get(&t->known, &inner, sizeof inner);

	if (id)
		return id->ours;
	tids_look(t);
	id = hash_get(&t->known, &inner, sizeof inner);
	if (id)
		return id->ours;
	add(t, inner, 0);
	return 0;
}
