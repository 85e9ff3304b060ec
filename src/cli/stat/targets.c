/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: -p, -t, -a, -C, -G and how counts are summed. Out: what each event is opened for, threads x
 * processors, and the row of the table that each of these counts in.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/job.h"
#include "cli/stat/stat.h"
#include "sym/cgroup.h"
#include "sym/procs.h"

struct adding {
	struct counting *st;
	struct arena *a;
	VEC(s32) pids;
	VEC(s32) cpus;
};

/* ---- rows */

#define TOPOLOGY "/sys/devices/system/cpu/cpu%d/topology/%s"

/* A number that sysfs has of a processor; 0: none. */
static u32 topology_of(struct adding *g, s32 cpu, const char *name)
{
	struct buf b = { 0 };
	u32 n = 0;

	if (buf_read_file(&b, arena_printf(g->a, TOPOLOGY, cpu, name)) >= 0)
		n = (u32)strtoul(b.s, NULL, 10);
	buf_release(&b);
	return n;
}

/* The node of memory that a processor belongs to: its folder has nodeN. */
static u32 node_of(struct adding *g, s32 cpu)
{
	for (u32 node = 0; node < 1024; node++)
		if (!access(arena_printf(g->a, "/sys/devices/system/cpu/cpu%d/node%u", cpu, node),
			    F_OK))
			return node;
	return 0;
}

static struct stat_row row_of_thread(struct adding *g, s32 pid)
{
	struct buf comm = { 0 };
	struct stat_row row = { 0 };
	u32 len;

	if (buf_read_file(&comm, arena_printf(g->a, "/proc/%d/comm", pid)) < 0)
		buf_puts(&comm, "");
	len = comm.s ? (u32)strcspn(comm.s, "\n") : 0;
	row.name = arena_printf(g->a, "%.*s-%d", (int)len, comm.s ? comm.s : "", pid);
	row.indent = len < STAT_COMM ? STAT_COMM - len : 0;
	row.width = len + strlen("-") + STAT_PID;
	buf_release(&comm);
	return row;
}

/* A row of processors: "S0-D0-C1"; the last number is padded to `digits`. */
static struct stat_row row_of_cpus(struct adding *g, const char *before, u32 number, u32 digits)
{
	return (struct stat_row){ .name = arena_printf(g->a, "%s%u", before, number),
				  .width = (u32)strlen(before) + digits };
}

/* What a target counts in: a number that only its row has. */
static u64 row_id(struct adding *g, s32 pid, s32 cpu)
{
	u64 socket, die;

	switch (g->st->by) {
	case STAT_BY_NONE: return 0;
	case STAT_BY_THREAD: return (u64)pid;
	case STAT_BY_CPU: return (u64)cpu;
	case STAT_BY_NODE: return node_of(g, cpu);
	case STAT_BY_SOCKET:
	case STAT_BY_DIE:
	case STAT_BY_CORE: break;
	}
	socket = topology_of(g, cpu, "physical_package_id");
	if (g->st->by == STAT_BY_SOCKET)
		return socket;
	die = topology_of(g, cpu, "die_id");
	if (g->st->by == STAT_BY_DIE)
		return socket << 16 | die;
	return socket << 32 | die << 16 | topology_of(g, cpu, "core_id");
}

static struct stat_row new_row(struct adding *g, u64 id)
{
	u32 last = (u32)(id & 0xffff);

	switch (g->st->by) {
	case STAT_BY_NONE: break;
	case STAT_BY_THREAD: return row_of_thread(g, (s32)id);
	case STAT_BY_CPU: return row_of_cpus(g, "CPU", (u32)id, 7);
	case STAT_BY_NODE: return row_of_cpus(g, "N", (u32)id, 5);
	case STAT_BY_SOCKET: return row_of_cpus(g, "S", (u32)id, 5);
	case STAT_BY_DIE:
		return row_of_cpus(g, arena_printf(g->a, "S%u-D", (u32)(id >> 16)), last, 8);
	case STAT_BY_CORE:
		return row_of_cpus(g,
				   arena_printf(g->a, "S%u-D%u-C", (u32)(id >> 32),
						(u32)(id >> 16) & 0xffff),
				   last, 8);
	}
	return (struct stat_row){ 0 };
}

/* The row of a target; processors are counted once, at the first thread. */
static u32 row_at(struct adding *g, s32 pid, s32 cpu, bool is_first)
{
	struct counting *st = g->st;
	u64 id = row_id(g, pid, cpu);
	u32 i = 0;

	while (i < st->rows.n && st->rows.v[i].id != id)
		i++;
	if (i == st->rows.n) {
		struct stat_row row = new_row(g, id);

		row.id = id;
		vec_push(g->a, &st->rows, row);
	}
	st->rows.v[i].n_cpus += is_first;
	return i;
}

/* ---- threads */

static int add_thread(void *ctx, u32 tid)
{
	struct adding *g = ctx;

	vec_push(g->a, &g->pids, (s32)tid);
	return 0;
}

static int add_process(void *ctx, u32 pid)
{
	proc_each_thread(pid, add_thread, ctx);
	return 0;
}

/* perf events have a hierarchy of their own where version 1 is mounted. */
static int add_cgroup(struct adding *g, const char *path, struct err *err)
{
	const char *mount = access("/sys/fs/cgroup/perf_event", F_OK) ? cgroup_mount() :
									"/sys/fs/cgroup/perf_event";

	if (!starts_with(path, "/sys/"))
		path = arena_printf(g->a, "%s/%s", mount ? mount : "/sys/fs/cgroup", path);
	g->st->cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->st->cgroup < 0)
		return err_sys(err, "open the control group %s", path);
	vec_push(g->a, &g->pids, g->st->cgroup);
	return 0;
}

static int add_pids(struct adding *g, s32 child, struct err *err)
{
	struct cli *c = g->st->c;
	const struct traced *t = &c->request.traced;
	int ret = 0;

	if (c->select.cgroup)
		ret = add_cgroup(g, c->select.cgroup, err);
	else if (g->st->by == STAT_BY_THREAD && c->select.all)
		proc_each(add_process, g);
	else if (child && !c->select.all)
		vec_push(g->a, &g->pids, child);
	for (u32 i = 0; i < c->select.tids.n; i++)
		vec_push(g->a, &g->pids, (s32)c->select.tids.v[i]);
	for (u32 i = 0; i < t->n_pids && !c->select.tids.n; i++)
		add_process(g, t->pids[i]);
	if (!g->pids.n && t->n_pids)
		ret = err_usage(err, -ESRCH, "process %u has no threads: it has ended", t->pids[0]);
	else if (!g->pids.n && !ret)
		vec_push(g->a, &g->pids, -1);
	return ret;
}

/* ---- processors */

/* "0,2-3" */
static int add_cpus(struct adding *g, const char *list, struct err *err)
{
	u32 first, last;

	for (const char *s = list; s; s = *s == ',' ? s + 1 : NULL) {
		if (!(s = job_read_range(s, &first, &last)))
			break;
		for (; first <= last; first++)
			vec_push(g->a, &g->cpus, (s32)first);
		if (!*s || *s == '\n')
			return 0;
	}
	return err_usage(err, -EINVAL, "--cpus=%s: a list of CPUs, as 0,2-3", list);
}

static int add_online(struct adding *g, struct err *err)
{
	struct buf b = { 0 };
	int ret = buf_read_file(&b, "/sys/devices/system/cpu/online");

	ret = ret < 0 ?
		      err_set(err, ret, "read /sys/devices/system/cpu/online: %s", strerror(-ret)) :
		      add_cpus(g, b.s, err);
	buf_release(&b);
	return ret;
}

static bool is_of_cpus(const struct adding *g)
{
	return (g->st->by != STAT_BY_NONE && g->st->by != STAT_BY_THREAD) || g->pids.v[0] < 0 ||
	       g->st->cgroup >= 0;
}

int stat_add_targets(struct counting *st, s32 child, struct err *err)
{
	struct adding g = { .st = st, .a = &st->c->line.arena };
	int ret = add_pids(&g, child, err);

	if (!ret && st->c->select.cpus)
		ret = add_cpus(&g, st->c->select.cpus, err);
	else if (!ret && is_of_cpus(&g))
		ret = add_online(&g, err);
	else
		vec_push(g.a, &g.cpus, -1);
	st->targets.n = 0;
	for (u32 i = 0; i < st->rows.n; i++)
		st->rows.v[i].n_cpus = 0;
	for (u32 i = 0; i < g.pids.n && !ret; i++)
		for (u32 k = 0; k < g.cpus.n; k++)
			vec_push(
				g.a, &st->targets,
				((struct stat_target){ g.pids.v[i], g.cpus.v[k],
						       row_at(&g, g.pids.v[i], g.cpus.v[k], !i) }));
	return ret;
}
