/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes as DTrace and SystemTap write them, for the help behind an error: what they are called here. */
#include "provider/internal.h"

enum { MAX_HOLES = 3 };

struct spelling {
	const char *foreign; /* each * stands for some text, at the end for the rest */
	const char *ours;    /* %1 is the first of them */
};

/* The first row that fits counts. */
static const struct spelling spellings[] = {
	{ "profile-*hz", "profile:hz:%1" },
	{ "profile-*", "profile:hz:%1" },
	{ "tick-*ms", "interval:ms:%1" },
	{ "tick-*msec", "interval:ms:%1" },
	{ "tick-*us", "interval:us:%1" },
	{ "tick-*sec", "interval:s:%1" },
	{ "tick-*s", "interval:s:%1" },
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
	{ "pid*:*:*:entry", "uprobe:%2:%3" },
	{ "pid*:*:*:return", "uretprobe:%2:%3" },
	{ "proc:::exec-success", "tracepoint:sched:sched_process_exec" },
	{ "proc:::create", "tracepoint:sched:sched_process_fork" },
	{ "proc:::exit", "tracepoint:sched:sched_process_exit" },
	{ "io:::start", "tracepoint:block:block_rq_issue" },
	{ "io:::done", "tracepoint:block:block_rq_complete" },
	{ "sched:::on-cpu", "tracepoint:sched:sched_switch" },
	{ "kernel.function(*).return", "kretprobe:%1" },
	{ "kernel.function(*)", "kprobe:%1" },
	{ "module(*).function(*).return", "kretprobe:%1:%2" },
	{ "module(*).function(*)", "kprobe:%1:%2" },
	{ "process(*).function(*).return", "uretprobe:%1:%2" },
	{ "process(*).function(*)", "uprobe:%1:%2" },
	{ "process(*).mark(*)", "usdt:%1:%2" },
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

/* The text of a hole ends where what follows it begins; at the end of a pattern it is the rest. */
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
		end = !len ? text + strlen(text) : pattern[1 + len] ? memmem(text, strlen(text), pattern + 1, len)
						 : strlen(text) >= len ? text + strlen(text) - len : NULL;
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

			out = arena_printf(a, "%s%.*s", out, (int)h->len, h->at);
		} else {
			out = arena_printf(a, "%s%c", out, *ours);
		}
	return out;
}

const char *foreign_probe(struct arena *a, const char *text)
{
	struct hole hole[MAX_HOLES] = {};

	for (u32 i = 0; i < ARRAY_SIZE(spellings); i++)
		if (fits(spellings[i].foreign, text, hole))
			return fill(a, spellings[i].ours, hole);
	return NULL;
}
