/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls as names. The sets are of sym/callsets.def. */
#include <signal.h>
#include <sys/wait.h>
#include "trace/call_words.h"

static void complete(struct call_set *set)
{
	if (set->complete)
		set->complete(set);
}

/* What the names have in common, up to an underscore: "O_", "EPOLL_CTL_". */
static void put_prefix(struct buf *b, const struct call_set *set)
{
	const char *a = set->n ? set->v[0].name : "", *other = set->n > 1 ? set->v[1].name : a;
	u32 len = 0;

	for (u32 i = 0; a[i] && a[i] == other[i]; i++)
		if (a[i] == '_')
			len = i + 1;
	buf_printf(b, " /* %.*s??? */", (int)len, a);
}

void put_flag_words(struct buf *b, struct call_set *set, u64 v)
{
	size_t start = b->len;
	u64 rest = v;

	complete(set);
	for (u32 i = 0; i < set->n; i++) {
		const struct call_name *n = &set->v[i];
		u64 value = (u32)n->value;

		if (!n->mask || (v & n->mask) != value || (value && (rest & value) != value))
			continue;
		buf_puts(b, b->len > start ? "|" : "");
		buf_puts(b, n->name);
		rest &= ~(u64)n->mask;
	}
	if (rest && b->len > start) {
		buf_printf(b, "|%#llx", (unsigned long long)rest);
	} else if (rest) {
		buf_printf(b, "%#llx", (unsigned long long)rest);
		put_prefix(b, set);
	} else if (b->len == start) {
		buf_putc(b, '0');
	}
}

void put_name_word(struct buf *b, struct call_set *set, s64 v)
{
	complete(set);
	if (starts_with(set->n ? set->v[0].name : "", "SIGHUP")) {
		put_signal(b, (int)v);
		return;
	}
	for (u32 i = 0; i < set->n; i++)
		if (set->v[i].value == v || (u32)set->v[i].value == (u64)v) {
			buf_puts(b, set->v[i].name);
			return;
		}
	buf_printf(b, "%#llx", (unsigned long long)(v < 0 ? (u64)(u32)v : (u64)v));
	put_prefix(b, set);
}

/* ---- signals */

enum { FIRST_RT = 32, N_SIGNALS = 64 };

static void put_short_signal(struct buf *b, int sig)
{
	static const char names[FIRST_RT][7] = { "",     "HUP",  "INT",    "QUIT", "ILL",    "TRAP",
						 "ABRT", "BUS",  "FPE",    "KILL", "USR1",   "SEGV",
						 "USR2", "PIPE", "ALRM",   "TERM", "STKFLT", "CHLD",
						 "CONT", "STOP", "TSTP",   "TTIN", "TTOU",   "URG",
						 "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH",  "IO",
						 "PWR",  "SYS" };

	if (sig < FIRST_RT)
		buf_printf(b, "%.7s", names[sig]);
	else if (sig == FIRST_RT)
		buf_puts(b, "RTMIN");
	else
		buf_printf(b, "RT_%d", sig - FIRST_RT);
}

void put_signal(struct buf *b, int sig)
{
	if (sig <= 0 || sig > N_SIGNALS) {
		buf_s64(b, sig);
		return;
	}
	buf_puts(b, "SIG");
	put_short_signal(b, sig);
}

void put_signal_set(struct buf *b, u64 set)
{
	const char *between = "";

	if (__builtin_popcountll(set) > N_SIGNALS * 2 / 3) {
		buf_putc(b, '~');
		set = ~set;
	}
	buf_putc(b, '[');
	for (int sig = 1; sig <= N_SIGNALS; sig++)
		if (set >> (sig - 1) & 1) {
			buf_puts(b, between);
			put_short_signal(b, sig);
			between = " ";
		}
	buf_putc(b, ']');
}

void put_wait_status(struct buf *b, int status)
{
	if (WIFEXITED(status)) {
		buf_printf(b, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(status));
	} else if (WIFSTOPPED(status)) {
		buf_puts(b, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		put_signal(b, WSTOPSIG(status));
		buf_puts(b, "}]");
	} else if (WIFCONTINUED(status)) {
		buf_puts(b, "[{WIFCONTINUED(s)}]");
	} else {
		buf_puts(b, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		put_signal(b, WTERMSIG(status));
		buf_puts(b, WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]");
	}
}
