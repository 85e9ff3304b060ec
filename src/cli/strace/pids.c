/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -Y: the command names of processes. In: the number of one. A traced thread's name is that of its
 * last record; others are looked up in /proc (proc(5)).
 */
#include "cli/strace/strace.h"

void strace_set_comm(struct strace_thread *th, const char *comm)
{
	snprintf(th->comm, sizeof th->comm, "%s", comm);
}

/* A child that has ended before its creator's call is shown had its name. */
static const char *inherited(const struct strace_thread *creator)
{
	static const char creating[] = "clone clone3 fork vfork";
	const char *name = creator && creator->call ? creator->call->name : NULL;

	return name && *creator->comm && lists_word(creating, name, strlen(name)) ? creator->comm :
										    NULL;
}

const char *strace_comm(void *ctx, u32 pid)
{
	struct strace *st = ctx;
	struct strace_thread *th = hash_get(&st->threads, &pid, sizeof pid);
	char path[32];

	if (th && *th->comm)
		return th->comm;
	snprintf(path, sizeof path, "/proc/%u/comm", pid);
	buf_clear(&st->comm);
	if (buf_read_file(&st->comm, path) < 0 || !st->comm.len)
		return inherited(st->shown);
	st->comm.s[strcspn(st->comm.s, "\n")] = '\0';
	if (th)
		strace_set_comm(th, st->comm.s);
	return st->comm.s;
}
