/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call that a thread is in when tracing begins. In: /proc/PID/task/TID/syscall (fs/proc/base.c:
 * proc_pid_syscall), "NR ARG0 ... ARG5 SP PC" in hex but for the number, and the memory to which
 * the arguments point. Out: a value of argstr (type/call.h).
 */
#include <stdio.h>
#include <sys/uio.h>
#include "cli/strace/strace.h"
#include "type/call.h"

enum { PIECE = 256, PAGE = 4096 };

static bool read_line(u32 pid, u32 tid, u64 *nr, u64 args[CALL_MAX_ARGS])
{
	struct buf line = { 0 };
	char path[64];
	long long number = -1;
	int n = 0;

	snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", pid, tid);
	if (!buf_read_file(&line, path) && line.s) {
		unsigned long long v[CALL_MAX_ARGS];

		n = sscanf(line.s, "%lld %llx %llx %llx %llx %llx %llx", &number, &v[0], &v[1],
			   &v[2], &v[3], &v[4], &v[5]);
		for (u32 i = 0; n == 1 + CALL_MAX_ARGS && i < CALL_MAX_ARGS; i++)
			args[i] = v[i];
	}
	buf_release(&line);
	*nr = (u64)number;
	return n == 1 + CALL_MAX_ARGS && number >= 0 && number < SYSCALL_I386;
}

/* What an argument points to, if it is a pointer: up to the end of its page. */
static void add_piece(struct buf *value, u32 pid, u64 at)
{
	u8 bytes[PIECE];
	u64 want = MIN((u64)PIECE, PAGE - at % PAGE), head;
	struct iovec to = { bytes, want }, from = { (void *)(uintptr_t)at, want };
	ssize_t n = at >= PAGE ? process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) : 0;

	if (n <= 0)
		return;
	head = (at & ((1ull << CALL_PIECE_SHIFT) - 1)) | (u64)n << CALL_PIECE_SHIFT;
	buf_add(value, &head, sizeof head);
	buf_add(value, bytes, (size_t)n);
	buf_pad(value, '\0', ALIGN_UP((u32)n, 8u) - (u32)n);
}

bool strace_in_call(u32 pid, u32 tid, const struct program *prog, u32 *nr, struct buf *value)
{
	u64 args[CALL_MAX_ARGS], number, head[2] = { 0 };
	const struct call_format *f;

	if (!prog->calls || !read_line(pid, tid, &number, args))
		return false;
	if (strace_is_i386(pid))
		number += SYSCALL_I386;
	f = prog->calls[number];
	if (!f)
		return false;
	buf_clear(value);
	buf_add(value, head, sizeof head);
	buf_add(value, args, f->n * sizeof args[0]);
	for (u32 i = 0; i < f->n; i++)
		add_piece(value, pid, args[i]);
	head[0] = value->len | number << CALL_NUMBER_SHIFT | (u64)f->n << CALL_ARGS_SHIFT;
	memcpy(value->s, head, sizeof head[0]);
	*nr = (u32)number;
	return true;
}
