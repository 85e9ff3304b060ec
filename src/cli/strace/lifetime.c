/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lifetime of threads. In: records of forks, executions and ends. Out: lines about them; -b
 * ends tracing. */
#include <sys/wait.h>
#include <unistd.h>
#include "cli/job.h"
#include "cli/strace/event.h"

enum { AT_END_CODE = AT_SIGNAL_LAST + 1, AT_LEFT }; /* RECORD_END */
enum { AT_IS_32_BIT = 4 };                          /* RECORD_EXEC */
enum { AT_PARENT = 4 };                             /* RECORD_BORN */

bool strace_is_detached(const struct strace *st, u32 pid)
{
	const struct strace_thread *th = hash_get(&st->threads, &pid, sizeof pid);

	return th && th->is_detached;
}

void strace_on_born(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th, *creator;
	u32 parent;

	st->n_expected--;
	th = strace_thread_of(st, r->tid, r->pid);
	th->is_new = true;
	parent = (u32)event_number(r, AT_PARENT);
	creator = hash_get(&st->threads, r->tid == r->pid ? &parent : &r->pid, sizeof parent);
	th->is_i386 = creator && creator->is_i386;
	if (creator && !*th->comm)
		strace_set_comm(th, creator->comm);
	if (!strace_is_detached(st, (u32)event_number(r, AT_PARENT)))
		return;
	strace_thread_ends(st, th);
	th->is_detached = true;
}

void strace_on_forked(struct strace *st, const struct strace_event *r)
{
	st->n_expected++;
}

/* -b execve */
static void detach(struct strace *st, struct strace_thread *th)
{
	if (st->o.lines && th->call) {
		if (!th->is_shown)
			st->current = th;
		if (st->current == th)
			strace_close_current(st, "<detached ...>");
	}
	if (!(st->o.silent & MESSAGE_ATTACH))
		say(st->c, "process %u detached", th->pid);
	strace_thread_ends(st, th);
	th->is_detached = true;
}

void strace_on_exec(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->pid, r->pid);
	bool is_first = st->c->request.traced.command && !st->has_executed &&
			job_is_launcher(st->c, r->pid);

	st->has_executed |= is_first;
	strace_forget_files(&th->files);
	if (st->o.detach_on_execve && !is_first) {
		detach(st, th);
		return;
	}
	th->changes = st->o.i386 && th->is_i386 != (event_number(r, AT_IS_32_BIT) != 0);
	if (th->changes && !th->call)
		strace_put_mode(st, th, !th->is_i386, r->ns);
	if (st->o.i386 || !event_number(r, AT_IS_32_BIT))
		return;
	if (th->call)
		strace_end_call(st, th, r->ns, "0");
	if (st->o.json || st->o.silent & MESSAGE_PERSONALITY)
		return;
	strace_begin_line(st, th, r->ns);
	buf_printf(&st->line, "[ Process PID=%u runs in 32 bit mode: its calls are not traced. ]\n",
		   th->pid);
	strace_put_line(st, th);
}

static void put_end(struct strace *st, struct strace_thread *th, s32 code, u64 ns)
{
	th->ip = 0;
	if (st->o.json) {
		strace_json_begin(&st->line, th, "exit", line_wall_ns(st->s->names, ns));
		strace_json_end(&st->line, code);
		buf_puts(&st->line, "}\n");
	} else {
		strace_begin_line(st, th, ns);
		strace_put_end(&st->line, code);
		buf_putc(&st->line, '\n');
	}
	strace_put_line(st, th);
}

/* As in strace, -q leaves out only processes that exit, -e signal= those that a signal ends. */
static bool shows_end(const struct strace *st, s32 code)
{
	if (!st->o.lines)
		return false;
	return WIFSIGNALED(code) ? st->o.signals >> (WTERMSIG(code) - 1) & 1 :
				   !(st->o.silent & MESSAGE_EXIT);
}

static void end_thread(struct strace *st, struct strace_thread *th, s32 code, u64 ns)
{
	if (st->o.lines && st->o.status & STATUS_UNFINISHED)
		strace_end_call(st, th, ns, "?");
	if (shows_end(st, code))
		put_end(st, th, code, ns);
	if (st->o.separate)
		strace_write_file(st, th);
	if (th->fd >= 0)
		close(th->fd);
	th->fd = -1;
	strace_thread_ends(st, th);
}

/* The signal that ended the process, if its delivery was not an event. */
static void show_last_signal(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *first = strace_thread_of(st, r->pid, r->pid);
	s32 code = (s32)event_number(r, AT_END_CODE);

	if (WIFSIGNALED(code) && (u32)WTERMSIG(code) == (u32)event_number(r, AT_SIGNAL) &&
	    first->last_signal != (u32)WTERMSIG(code))
		strace_on_signal(st, r);
}

/* The first thread of a process is reported when the others have ended: as by wait(2). */
void strace_on_end(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid), *first;
	s32 code = (s32)event_number(r, AT_END_CODE);
	bool is_last = event_number(r, AT_LEFT) == 0;

	show_last_signal(st, r);
	th->end_code = code;
	if (th->tid == th->pid && !is_last) {
		th->is_ending = true;
		return;
	}
	end_thread(st, th, code, r->ns);
	first = th->tid == th->pid ? NULL : strace_thread_of(st, th->pid, th->pid);
	if (is_last && first && first->is_ending)
		end_thread(st, first, first->end_code, r->ns);
}
