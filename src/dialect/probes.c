/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe names of DTrace and SystemTap with their equivalents, for hints. */
#include "dialect/hints.h"

#include "base/base.h"

enum { MAX_HOLES = 3 };

struct spelling {
	const char *foreign; /* each * matches some text, at the end the rest */
	const char *ours;    /* %1 is the text of the first * */
};

/* The first matching row wins. */
static const struct spelling spellings[] = {
	{ "profile-*hz", "profile:hz:%1" },
	{ "profile-*msec", "profile:ms:%1" },
	{ "profile-*ms", "profile:ms:%1" },
	{ "profile-*usec", "profile:us:%1" },
	{ "profile-*us", "profile:us:%1" },
	{ "profile-*sec", "profile:s:%1" },
	{ "profile-*s", "profile:s:%1" },
	{ "profile-*", "profile:hz:%1" },
	{ "tick-*msec", "interval:ms:%1" },
	{ "tick-*ms", "interval:ms:%1" },
	{ "tick-*usec", "interval:us:%1" },
	{ "tick-*us", "interval:us:%1" },
	{ "tick-*sec", "interval:s:%1" },
	{ "tick-*s", "interval:s:%1" },
	{ "tick-*min", "interval:%1m" },
	{ "tick-*m", "interval:%1m" },
	{ "tick-*hz", "interval:hz:%1" },
	{ "tick-*", "interval:hz:%1" },
	{ "dtrace:::BEGIN", "begin" },
	{ "dtrace:::END", "end" },
	{ "syscall:::entry", "syscall:*" },
	{ "syscall:::return", "syscall:*:return" },
	{ "syscall::*:entry", "syscall:%1" },
	{ "syscall::*:return", "syscall:%1:return" },
	{ "fbt:*:*:entry", "kprobe:%2" },
	{ "fbt:*:*:return", "kretprobe:%2" },
	{ "pid*::*:entry", "uprobe:PROGRAM:%2" },
	{ "pid*::*:return", "uretprobe:PROGRAM:%2" },
	{ "pid*:a.out:*:entry", "uprobe:PROGRAM:%2" },
	{ "pid*:a.out:*:return", "uretprobe:PROGRAM:%2" },
	{ "pid*:*:*:entry", "uprobe:%2:%3" },
	{ "pid*:*:*:return", "uretprobe:%2:%3" },
	{ "proc:::exec-success", "tracepoint:sched:sched_process_exec" },
	{ "proc:::exec", "tracepoint:syscalls:sys_enter_execve" },
	{ "proc:::exec-failure", "tracepoint:syscalls:sys_exit_execve" },
	{ "proc:::create", "tracepoint:sched:sched_process_fork" },
	{ "proc:::start", "tracepoint:sched:sched_process_fork" },
	{ "proc:::signal-send", "tracepoint:signal:signal_generate" },
	{ "proc:::signal-handle", "tracepoint:signal:signal_deliver" },
	{ "proc:::exit", "tracepoint:sched:sched_process_exit" },
	{ "io:::start", "tracepoint:block:block_rq_issue" },
	{ "io:::done", "tracepoint:block:block_rq_complete" },
	{ "sched:::on-cpu", "tracepoint:sched:sched_switch" },
	{ "sched:::off-cpu", "tracepoint:sched:sched_switch" },
	{ "sched:::wakeup", "tracepoint:sched:sched_waking" },
	{ "sched:::enqueue", "tracepoint:sched:sched_wakeup" },
	{ "vminfo:::maj_fault", "software:major-faults" },
	{ "vminfo:::as_fault", "software:page-faults" },
	{ "tcp:::state-change", "tracepoint:sock:inet_sock_set_state" },
	{ "tcp:::connect-request", "tracepoint:sock:inet_sock_set_state" },
	{ "tcp:::send", "kprobe:tcp_sendmsg" },
	{ "tcp:::receive", "kprobe:tcp_cleanup_rbuf" },
	{ "kernel.function(*).return", "kretprobe:%1" },
	{ "kernel.function(*)", "kprobe:%1" },
	{ "module(*).function(*).return", "kretprobe:%1:%2" },
	{ "module(*).function(*)", "kprobe:%1:%2" },
	{ "process(*).function(*).return", "uretprobe:%1:%2" },
	{ "process(*).function(*)", "uprobe:%1:%2" },
	{ "process(*).mark(*)", "usdt:%1:%2" },
	{ "process.function(*).return", "uretprobe:PROGRAM:%1" },
	{ "process.function(*)", "uprobe:PROGRAM:%1" },
	{ "process.mark(*)", "usdt:PROGRAM:%1" },
	{ "process.begin", "tracepoint:sched:sched_process_exec" },
	{ "process.end", "tracepoint:sched:sched_process_exit" },
	{ "kernel.trace(*:*)", "tracepoint:%1:%2" },
	{ "kernel.trace(*)", "tracepoint:*:%1" },
	{ "nd_syscall.*.return", "syscall:%1:return" },
	{ "nd_syscall.*", "syscall:%1" },
	{ "scheduler.ctxswitch", "tracepoint:sched:sched_switch" },
	{ "scheduler.cpu_o*", "tracepoint:sched:sched_switch" },
	{ "kprocess.exec", "tracepoint:sched:sched_process_exec" },
	{ "kprocess.create", "tracepoint:sched:sched_process_fork" },
	{ "kprocess.exit", "tracepoint:sched:sched_process_exit" },
	{ "signal.send", "tracepoint:signal:signal_generate" },
	{ "ioblock.request", "tracepoint:block:block_rq_issue" },
	{ "ioblock.end", "tracepoint:block:block_rq_complete" },
	{ "vm.pagefault", "software:page-faults" },
	{ "vfs.*.return", "kretprobe:vfs_%1" },
	{ "vfs.*", "kprobe:vfs_%1" },
	{ "tcp.*.return", "kretprobe:tcp_%1" },
	{ "tcp.*", "kprobe:tcp_%1" },
	{ "syscall.*.return", "syscall:%1:return" },
	{ "syscall.*", "syscall:%1" },
	{ "timer.profile", "profile:hz:99" },
	{ "timer.s(*)", "interval:s:%1" },
	{ "timer.sec(*)", "interval:s:%1" },
	{ "timer.ms(*)", "interval:ms:%1" },
	{ "timer.us(*)", "interval:us:%1" },
	{ "timer.hz(*)", "interval:hz:%1" },
};

struct hole {
	const char *at;
	size_t len;
};

/* The text of a * ends where the following text begins; at the end of a pattern it is the rest. */
static bool fits(const char *pattern, const char *text, struct hole *hole)
{
	for (; *pattern; pattern++) {
		size_t len = strcspn(pattern + 1, "*");
		const char *end;

		if (*pattern != '*') {
			if (*pattern != *text++)
				return false;
			continue;
		}
		end = !len                ? text + strlen(text) :
		      pattern[1 + len]    ? memmem(text, strlen(text), pattern + 1, len) :
		      strlen(text) >= len ? text + strlen(text) - len :
					    NULL;
		if (!end || end < text || strncmp(end, pattern + 1, len) != 0)
			return false;
		*hole++ = (struct hole){ text, (size_t)(end - text) };
		text = end;
	}
	return !*text;
}

static const char *fill(struct arena *a, const char *ours, const struct hole *hole)
{
	const char *out = "";

	for (; *ours; ours++)
		if (*ours == '%') {
			const struct hole *h = &hole[*++ours - '1'];

			out = h->len ? arena_printf(a, "%s%.*s", out, (int)h->len, h->at) :
				       arena_printf(a, "%s*", out);
		} else {
			out = arena_printf(a, "%s%c", out, *ours);
		}
	return out;
}

const char *foreign_probe(struct arena *a, const char *text)
{
	struct hole hole[MAX_HOLES] = { 0 };

	if (starts_with(text, "profile:::"))
		text += strlen("profile:::");
	for (u32 i = 0; i < ARRAY_SIZE(spellings); i++)
		if (fits(spellings[i].foreign, text, hole))
			return fill(a, spellings[i].ours, hole);
	return NULL;
}
