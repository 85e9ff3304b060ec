/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: a descriptor for each event and target. Those of a command begin at its execution
 * (enable_on_exec) and are inherited by its children, whose counts the kernel adds when they are
 * read.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "base/fd.h"
#include "cli/stat/stat.h"

static struct perf_event_attr attr_of(const struct counting *st, const struct stat_event *e,
				      bool at_exec)
{
	const struct selection *o = &st->c->select;

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

/* 0 or -errno. */
static int set_filter(int fd, const struct stat_event *e)
{
	return e->filter && fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->filter) ? -errno : 0;
}

static int refused_filter(const struct stat_event *e, int code, struct err *err)
{
	err_set(err, code, "--filter=%s: the kernel does not take it for %s: %s", e->filter,
		e->name, strerror(-code));
	err_help(
		err,
		"names are fields of the event (sonde list -v 'tracepoint:%s'); numbers are compared by == != < > <= >= &, strings by "
		"== != ~; && || ! and parentheses join them",
		e->name);
	return code;
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
		int ret, fd = e->is_supported && st->events.v[e->leader].is_supported ?
				      open_one(st, e, &st->targets.v[i], at_exec) :
				      -ENOENT;

		if (fd < 0 && without_kernel(st, e, fd))
			fd = open_one(st, e, &st->targets.v[i], at_exec);
		if (is_unsupported(fd))
			e->is_supported = false;
		else if (fd < 0 && fd != -ESRCH) /* a thread that has ended */
			return refused(e, fd, err);
		vec_push(&st->c->line.arena, &e->fds, fd);
		ret = set_filter(fd, e);
		if (ret)
			return refused_filter(e, ret, err);
	}
	return 0;
}

int stat_open(struct counting *st, s32 child, struct err *err)
{
	bool at_exec = child && !st->c->select.all && st->cgroup < 0 && !st->c->own.stat.delay_ms;
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
