/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attachments through perf events: tracepoints, software and hardware events, timers, watchpoints
 * (kernel/events/core.c: perf_event_set_bpf_prog).
 *
 * A tracepoint's program belongs to the tracepoint, not to the event's processor: one event on one
 * processor serves all (kernel/trace/bpf_trace.c: perf_event_attach_bpf_prog). Sampling events run
 * their program on the processor and for the task that they count: one event for each processor, or
 * for each thread of a process, inherited by the threads that it starts (before 5.13 also by its
 * children).
 */
#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "engine/kernel/internal.h"

enum { MAX_CPUS = 4096 };

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

int attach_perf_event(struct kernel *k, int prog_fd, int event, u64 cookie, bool slow)
{
	int link = -1, ret;

	if (!cookie)
		ret = ioctl(event, PERF_EVENT_IOC_SET_BPF, prog_fd);
	else
		ret = link = bpf_link_perf(prog_fd, event, cookie);
	if (ret < 0 || link >= 0) { /* a link holds the event */
		int saved = errno;

		close(event);
		errno = saved;
	}
	if (ret < 0)
		return -1;
	kernel_keep(k, link >= 0 ? link : event, slow);
	return 0;
}

/* If this process has the permissions, the event itself is restricted:
 * kernel/trace/trace_event_perf.c, perf_trace_event_perm(). */
static int refused_tracepoint(const struct site *s, struct err *err)
{
	const char *event = strrchr(s->probe, ':');
	int error = errno;

	if ((error != EPERM && error != EACCES) || bpf_right() || perf_right() || !event)
		return refused(err, TRIED_TRACEPOINT, "attach to %s", s->probe);
	err_set(err, -error,
		"attach to %s: the kernel does not permit perf events on this tracepoint",
		s->probe);
	err_help(err, "rawtracepoint%s is not restricted", event);
	return -error;
}

/*
 * No sample_period: a program needs no samples, and some events allow none (TRACE_EVENT_PERF_PERM;
 * irq_work_exit since sampling it would raise the next one).
 */
int attach_perf_tracepoint(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof attr,
					.config = s->event.config,
					.disabled = 1 /* the program runs anyway */ };
	u32 cpu = 0;
	int event;

	cpus_online(&cpu, 1);
	event = perf_event_open(&attr, -1, (s32)cpu, -1, 0);
	if (event < 0 ||
	    attach_perf_event(k, k->loaded[func].fd, event, site_cookie(k, func, s), true) < 0)
		return refused_tracepoint(s, err);
	return kernel_note(k, func, 1, "%s: perf tracepoint %llu", s->probe,
			   (unsigned long long)s->event.config);
}

/* One event for a task or a processor, with the program on it. -1 with errno. */
static int attach_counter(struct kernel *k, u32 func, const struct site *s,
			  struct perf_event_attr *attr, s32 pid, s32 cpu)
{
	int event = perf_event_open(attr, pid, cpu, -1, 0);

	if (event < 0)
		return -1;
	return attach_perf_event(k, k->loaded[func].fd, event, site_cookie(k, func, s), false);
}

/* Threads that have ended in the meantime are skipped. Returns how many events were made or -1 with
 * errno. */
static int attach_threads(struct kernel *k, u32 func, const struct site *s,
			  struct perf_event_attr *attr)
{
	char path[64];
	struct dirent *e;
	int n = 0, error = ESRCH;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", s->pid);
	dir = opendir(path);
	attr->inherit = 1;
	attr->inherit_thread = feature_has(k->features, FEAT_INHERIT_THREAD);
	if (!dir &&
	    access("/proc/self", F_OK) < 0) { /* no procfs: the first thread, and new ones */
		n = attach_counter(k, func, s, attr, s->pid, -1) == 0;
		error = n ? 0 : errno;
	}
	while (dir && (e = readdir(dir))) {
		s32 tid = atoi(e->d_name);

		if (tid <= 0)
			continue;
		if (attach_counter(k, func, s, attr, tid, -1) == 0) {
			n++;
			continue;
		}
		error = errno;
		if (error != ESRCH)
			break;
	}
	if (dir)
		closedir(dir);
	errno = error;
	return n ? n : -1;
}

static int attach_cpus(struct kernel *k, u32 func, const struct site *s,
		       struct perf_event_attr *attr)
{
	u32 *cpu = xcalloc(MAX_CPUS, sizeof *cpu);
	u32 n = s->event.one_cpu ? MIN(cpus_online(cpu, MAX_CPUS), 1u) : cpus_online(cpu, MAX_CPUS);
	int made = 0;

	kernel_want_files(k, n);
	for (u32 i = 0; i < n && made >= 0; i++) {
		if (attach_counter(k, func, s, attr, -1, (s32)cpu[i]) == 0)
			made++;
		else if (errno != ENODEV) /* went offline */
			made = -1;
	}
	free(cpu);
	return made;
}

static int attach_events(struct kernel *k, u32 func, const struct site *s,
			 struct perf_event_attr *attr)
{
	attr->size = sizeof *attr;
	if (s->pid > 0 && !s->event.one_cpu)
		return attach_threads(k, func, s, attr);
	return attach_cpus(k, func, s, attr);
}

int attach_perf_software(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	int n;

	perf_attr_software(&attr, s);
	n = attach_events(k, func, s, &attr);
	if (n < 0)
		return refused(err, TRIED_PERF, "attach to %s", s->probe);
	return kernel_note(k, func, 1, "%s: perf event on %d %s%s, each %llu", s->probe, n,
			   s->pid > 0 ? "thread" : "processor", plural(n),
			   (unsigned long long)s->event.period);
}

int attach_perf_timer(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	int n;

	perf_attr_timer(&attr, s);
	n = attach_events(k, func, s, &attr);
	if (n < 0)
		return refused(err, TRIED_TIMER, "attach to %s", s->probe);
	return kernel_note(k, func, 1, "%s: cpu-clock on %d %s%s, %llu %s", s->probe, n,
			   s->pid > 0 && !s->event.one_cpu ? "thread" : "processor", plural(n),
			   (unsigned long long)s->event.period, s->event.is_freq ? "Hz" : "ns");
}

int attach_watchpoint(struct kernel *k, u32 func, const struct site *s, struct err *err)
{
	struct perf_event_attr attr = { 0 };
	int n;

	perf_attr_watchpoint(&attr, s);
	n = attach_events(k, func, s, &attr);
	if (n < 0)
		return refused(err, TRIED_WATCHPOINT, "watch %u bytes at 0x%llx", s->watch.len,
			       (unsigned long long)s->watch.address);
	return kernel_note(k, func, 1, "%s: hardware breakpoint on %d %s%s", s->probe, n,
			   s->pid > 0 ? "thread" : "processor", plural(n));
}
