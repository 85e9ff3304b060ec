/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: a descriptor for each event and target. Those of a command begin at its execution
 * (enable_on_exec) and are inherited by its children, whose counts the kernel adds when they are
 * read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "base/fd.h"
#include "cli/job.h"
#include "cli/stat/stat.h"
#include "sym/cgroup.h"
#include "sym/procs.h"

/* ---- targets: processes x processors */

struct adding {
	struct counting *st;
	struct arena *a;
	VEC(s32) pids;
	VEC(s32) cpus;
	u32 pid; /* whose threads are added */
};

static u32 row_of(struct adding *g, u32 id, const char *name)
{
	struct counting *st = g->st;

	for (u32 i = 0; i < st->rows.n; i++)
		if (st->rows.v[i].id == id)
			return i;
	vec_push(g->a, &st->rows, ((struct stat_row){ name, id }));
	return st->rows.n - 1;
}

static u32 row_for(struct adding *g, s32 pid, s32 cpu)
{
	struct buf comm = { 0 };
	const char *name;
	u32 row;

	if (g->st->c->own.stat.per_cpu)
		return row_of(g, (u32)cpu, arena_printf(g->a, "CPU%d", cpu));
	if (!g->st->c->own.stat.per_thread)
		return row_of(g, 0, NULL);
	if (buf_read_file(&comm, arena_printf(g->a, "/proc/%d/comm", pid)) < 0)
		buf_puts(&comm, "");
	name = arena_printf(g->a, "%.*s-%d", (int)strcspn(comm.s, "\n"), comm.s, pid);
	row = row_of(g, (u32)pid, name);
	buf_release(&comm);
	return row;
}

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
	else if (c->own.stat.per_thread && c->select.all)
		proc_each(add_process, g);
	else if (child && !c->select.all)
		vec_push(g->a, &g->pids, child);
	for (u32 i = 0; i < t->n_pids; i++)
		add_process(g, t->pids[i]);
	if (!g->pids.n && t->n_pids)
		ret = err_usage(err, -ESRCH, "process %u has no threads: it has ended", t->pids[0]);
	else if (!g->pids.n && !ret)
		vec_push(g->a, &g->pids, -1);
	return ret;
}

int stat_add_targets(struct counting *st, s32 child, struct err *err)
{
	struct adding g = { .st = st, .a = &st->c->line.arena };
	int ret = add_pids(&g, child, err);

	if (!ret && st->c->select.cpus)
		ret = add_cpus(&g, st->c->select.cpus, err);
	else if (!ret && (st->c->own.stat.per_cpu || g.pids.v[0] < 0 || st->cgroup >= 0))
		ret = add_online(&g, err);
	else
		vec_push(g.a, &g.cpus, -1);
	st->targets.n = 0;
	for (u32 i = 0; i < g.pids.n && !ret; i++)
		for (u32 k = 0; k < g.cpus.n; k++)
			vec_push(g.a, &st->targets,
				 ((struct stat_target){ g.pids.v[i], g.cpus.v[k],
							row_for(&g, g.pids.v[i], g.cpus.v[k]) }));
	return ret;
}

/* ---- perf events */

static struct perf_event_attr attr_of(const struct counting *st, const struct stat_event *e,
				      bool at_exec)
{
	const struct stat_options *o = &st->c->own.stat;

	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = e->type,
		.config = e->config[0],
		.config1 = e->config[1],
		.config2 = e->config[2],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = !st->c->select.no_follow,
		.enable_on_exec = at_exec,
		.exclude_user = o->all_kernel || (e->no_user && !o->all_user),
		.exclude_kernel = o->all_user || (e->no_kernel && !o->all_kernel),
		.exclude_hv = e->no_hypervisor,
		.exclude_host = e->no_host,
		.exclude_guest = e->no_guest,
		.precise_ip = e->precise & 3,
	};
}

static int open_one(struct counting *st, const struct stat_event *e, const struct stat_target *t,
		    bool at_exec)
{
	const struct stat_event *leader = &st->events.v[e->leader];
	struct perf_event_attr attr = attr_of(st, e, at_exec);
	int group = leader == e || leader->fds.n < e->fds.n + 1 ? -1 : leader->fds.v[e->fds.n];
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (st->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
	int fd = (int)syscall(SYS_perf_event_open, &attr, t->pid, t->cpu, group, flags);

	return fd < 0 ? -errno : fd;
}

static bool is_unsupported(int code)
{
	return code == -ENOENT || code == -ENOSYS || code == -EOPNOTSUPP || code == -ENXIO ||
	       code == -ENODEV || code == -EINVAL;
}

static int refused(const struct stat_event *e, int code, struct err *err)
{
	struct buf b = { 0 };

	err_set(err, code, "count %s: %s", e->name, strerror(-code));
	if (code == -EMFILE) {
		err_help(err, "fewer events, processes or CPUs, or a larger limit (ulimit -n)");
	} else if (buf_read_file(&b, "/proc/sys/kernel/perf_event_paranoid") >= 0) {
		err_help(
			err,
			"kernel.perf_event_paranoid is %.*s: users may count their own processes from 2 down (user space only, "
			"as %.*s:u), the kernel from 1 down, all CPUs from 0 down, trace events at -1; CAP_PERFMON may "
			"count everything",
			(int)strcspn(b.s, "\n"), b.s, (int)strcspn(e->name, ":"), e->name);
	}
	buf_release(&b);
	return code;
}

/* Without the right to count the kernel, counts user space, and the name shows it (:u). */
static bool without_kernel(struct counting *st, struct stat_event *e, int code)
{
	if ((code != -EACCES && code != -EPERM) || e->no_kernel || e->no_user ||
	    e->type == PERF_TYPE_TRACEPOINT)
		return false;
	e->no_kernel = e->no_hypervisor = true;
	e->name = arena_printf(&st->c->line.arena, "%s%s", e->name,
			       strrchr(e->name, ':') ? "u" : ":u");
	return true;
}

static int open_event(struct counting *st, struct stat_event *e, bool at_exec, struct err *err)
{
	e->fds.n = 0;
	for (u32 i = 0; i < st->targets.n; i++) {
		int fd = e->is_supported ? open_one(st, e, &st->targets.v[i], at_exec) : -ENOENT;

		if (fd < 0 && without_kernel(st, e, fd))
			fd = open_one(st, e, &st->targets.v[i], at_exec);
		if (is_unsupported(fd))
			e->is_supported = false;
		else if (fd < 0 && fd != -ESRCH) /* a thread that has ended */
			return refused(e, fd, err);
		vec_push(&st->c->line.arena, &e->fds, fd);
	}
	return 0;
}

int stat_open(struct counting *st, s32 child, struct err *err)
{
	bool at_exec = child && !st->c->select.all && st->cgroup < 0;
	int ret = 0;

	for (u32 i = 0; i < st->events.n && !ret; i++)
		if (!st->events.v[i].probe)
			ret = open_event(st, &st->events.v[i], at_exec, err);
	return ret;
}

void stat_enable(struct counting *st, bool on)
{
	for (u32 i = 0; i < st->events.n; i++)
		for (u32 k = 0; k < st->events.v[i].fds.n; k++)
			if (st->events.v[i].fds.v[k] >= 0)
				ioctl(st->events.v[i].fds.v[k],
				      on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* A thread on one CPU: while it runs on another one, the event is enabled, too. */
static bool on_its_cpu(const struct counting *st, u32 target)
{
	return st->targets.v[target].pid >= 0 && st->targets.v[target].cpu >= 0 && st->cgroup < 0;
}

static void read_event(struct counting *st, struct stat_event *e)
{
	struct stat_value got;

	memset(e->now.v, 0, e->now.n * sizeof *e->now.v);
	for (u32 i = 0; i < e->fds.n; i++) {
		struct stat_value *to = &e->now.v[st->targets.v[i].row];

		if (e->fds.v[i] < 0 || read(e->fds.v[i], &got, sizeof got) != sizeof got)
			continue;
		to->n += got.n;
		to->enabled += on_its_cpu(st, i) ? got.running : got.enabled;
		to->running += got.running;
	}
}

void stat_read(struct counting *st)
{
	for (u32 i = 0; i < st->events.n; i++)
		if (!st->events.v[i].probe)
			read_event(st, &st->events.v[i]);
}

void stat_close(struct counting *st)
{
	for (u32 i = 0; i < st->events.n; i++) {
		for (u32 k = 0; k < st->events.v[i].fds.n; k++)
			fd_close(&st->events.v[i].fds.v[k]);
		st->events.v[i].fds.n = 0;
	}
	fd_close(&st->cgroup);
}
