/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --format=json: an object in a line for each call that has returned, each signal, each end.
 *
 *	{"type": "syscall", "tid": 7, "pid": 7, "time": 1700000000.000001, "name": "openat", "args": ["AT_FDCWD", "\"/etc\"", ...],
 *	 "result": -2, "error": "ENOENT", "seconds": 0.000004}
 *	{"type": "signal", ..., "name": "SIGCHLD", "siginfo": "{si_signo=SIGCHLD, ...}"}
 *	{"type": "exit", ..., "status": 0}	or "signal": "SIGTERM", "core": false
 *
 * A call that has not returned has no result. Arguments are texts, as in lines.
 */
#include <sys/wait.h>
#include "base/json.h"
#include "base/os_names.h"
#include "cli/strace/strace.h"

static void put_seconds(struct buf *b, const char *name, u64 ns)
{
	buf_printf(b, ", \"%s\": %llu.%06llu", name, (unsigned long long)(ns / 1000000000),
		   (unsigned long long)(ns % 1000000000 / 1000));
}

void strace_json_begin(struct buf *b, const struct strace_thread *th, const char *type, u64 wall_ns)
{
	buf_printf(b, "{\"type\": \"%s\", \"tid\": %u, \"pid\": %u", type, th->tid, th->pid);
	put_seconds(b, "time", wall_ns);
}

static void put_args(struct buf *b, const char *args)
{
	buf_puts(b, ", \"args\": [");
	while (*args) {
		size_t n = strace_args_length(args, 1), len = n;

		while (len && args[n] && (args[len - 1] == ' ' || args[len - 1] == ','))
			len--;
		json_str(b, args, (u32)len);
		args += n;
		buf_puts(b, *args ? ", " : "");
	}
	buf_putc(b, ']');
}

void strace_json_call(struct buf *b, const char *name, const char *args)
{
	buf_puts(b, ", \"name\": ");
	json_strz(b, name);
	put_args(b, args);
}

void strace_json_result(struct buf *b, const struct strace_call *call, s64 ret, u64 ns)
{
	buf_puts(b, ", \"result\": ");
	if (call->result == RESULT_HEX && !strace_is_error(call, ret))
		buf_printf(b, "\"%#llx\"", (unsigned long long)ret);
	else
		buf_s64(b, ret);
	if (strace_is_error(call, ret) && os_error_name((u32)-ret))
		buf_printf(b, ", \"error\": \"%s\"", os_error_name((u32)-ret));
	put_seconds(b, "seconds", ns);
}

void strace_json_end(struct buf *b, s32 wait_status)
{
	if (WIFEXITED(wait_status)) {
		buf_printf(b, ", \"status\": %d", WEXITSTATUS(wait_status));
		return;
	}
	buf_puts(b, ", \"signal\": \"");
	strace_put_signal_name(b, (u32)WTERMSIG(wait_status));
	buf_printf(b, "\", \"core\": %s", WCOREDUMP(wait_status) ? "true" : "false");
}
