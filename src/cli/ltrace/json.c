/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --format=json: an object in a line for each call that has returned, each signal, each end, as of
 * sonde strace.
 *
 *	{"type": "call", "tid": 7, "pid": 7, "time": 1700000000.000001, "caller": "libz.so.1", "name": "malloc", "args": ["32"],
 *	 "result": "0x55d0cbd7a982", "seconds": 0.000004}
 *	{"type": "syscall", ..., "name": "read", "args": [...], "result": "3"}	-S
 *	{"type": "signal", ..., "name": "SIGCHLD"}
 *	{"type": "exit", ..., "status": 0}	or "signal": "SIGTERM"
 *
 * Arguments and results are texts, as in lines. A call without a result has not returned.
 */
#include <sys/wait.h>
#include "base/json.h"
#include "cli/ltrace/ltrace.h"
#include "cli/strace/strace.h"

void ltrace_json_begin(struct buf *b, const struct ltrace_thread *th, const char *type, u64 wall_ns)
{
	buf_printf(b, "{\"type\": \"%s\", \"tid\": %u, \"pid\": %u, \"time\": ", type, th->tid,
		   th->pid);
	line_put_seconds(b, wall_ns);
}

void ltrace_json_call(struct buf *b, const char *caller, const char *name, const char *args)
{
	if (caller) {
		buf_puts(b, ", \"caller\": ");
		json_strz(b, caller);
	}
	strace_json_call(b, name, args);
}

void ltrace_json_result(struct buf *b, const char *result, u64 ns)
{
	buf_puts(b, ", \"result\": ");
	json_strz(b, result);
	buf_puts(b, ", \"seconds\": ");
	line_put_seconds(b, ns);
}

void ltrace_json_status(struct buf *b, s32 wait_status)
{
	if (WIFEXITED(wait_status)) {
		buf_printf(b, ", \"status\": %d", WEXITSTATUS(wait_status));
		return;
	}
	buf_puts(b, ", \"signal\": \"");
	strace_put_signal_name(b, (u32)WTERMSIG(wait_status));
	buf_putc(b, '"');
}
