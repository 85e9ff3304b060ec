/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of -p: the run ends when none of them is left, and no command. A process is watched
 * by a pidfd; without one (Linux 5.3, or a filter of system calls) /proc is read periodically.
 */
#include "base/fd.h"
#include "session/run.h"
#include "sym/procs.h"

struct watched_process {
	u32 pid;
	int fd;    /* -1: has none, or has ended */
	u64 start; /* without a pidfd: when it began, because its number may be used again */
	bool gone;
};

static void look(struct watched_process *p)
{
	if (p->fd < 0 && !p->gone)
		p->gone = !proc_exists(p->pid) || proc_start_time(p->pid) != p->start ||
			  proc_state(p->pid) == 'Z';
}

bool processes_live(const struct run *r)
{
	for (u32 i = 0; i < r->request->traced.n_pids && r->processes; i++)
		if (!r->processes[i].gone)
			return true;
	return false;
}

void processes_look(struct run *r)
{
	u32 n = r->processes ? r->request->traced.n_pids : 0;

	for (u32 i = 0; i < n; i++)
		look(&r->processes[i]);
	r->end.has_ended |= n && !processes_live(r) && !r->child.pid;
}

void processes_open(struct run *r)
{
	const struct traced *t = &r->request->traced;

	if (r->c.recorded) /* they may have ended long ago */
		return;
	r->processes = arena_array(&r->c.arena, struct watched_process, t->n_pids);
	for (u32 i = 0; i < t->n_pids; i++) {
		struct watched_process *p = &r->processes[i];

		*p = (struct watched_process){ .pid = t->pids[i], .fd = proc_pidfd(t->pids[i]) };
		if (p->fd < 0)
			p->start = proc_start_time(p->pid);
	}
	processes_look(r);
}

int processes_fd(const struct run *r, u32 i)
{
	return r->processes ? r->processes[i].fd : -1;
}

void processes_event(struct run *r, int fd)
{
	for (u32 i = 0; i < r->request->traced.n_pids && r->processes; i++)
		if (r->processes[i].fd == fd) {
			fd_close(&r->processes[i].fd);
			r->processes[i].gone = true;
			processes_look(r);
		}
}

void processes_release(struct run *r)
{
	for (u32 i = 0; i < r->request->traced.n_pids && r->processes; i++)
		fd_close(&r->processes[i].fd);
}
