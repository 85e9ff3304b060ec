/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of a process in another pid namespace: their records have the ids that they know, which are ours of /proc/PID/task/TID. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "engine/process/internal.h"
#include "engine/process/threads.h"

struct thread_id {
	u32 inner, ours;
};

void tids_init(struct tids *t, struct arena *a, u32 pid)
{
	*t = (struct tids){ .arena = a, .pid = pid };
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

/* One that ends before it is looked at stays unknown. */
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
