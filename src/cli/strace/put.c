/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a line, and the file that it goes to. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cli/strace/strace.h"
#include "trace/call_quote.h"
#include "trace/call_text.h"
#include "trace/value.h"
#include "type/call.h"

/* ---- where lines go */

static void open_file(struct strace *st, struct strace_thread *th)
{
	const char *path = arena_printf(&st->c->line.arena, "%s.%u", st->c->output.file, th->tid);
	int how = O_WRONLY | O_CREAT | O_CLOEXEC | (st->o.append ? O_APPEND : O_TRUNC);

	th->fd = open(path, how, 0666);
	if (th->fd < 0)
		st->s->error = -errno;
}

void strace_write_file(struct strace *st, struct strace_thread *th)
{
	size_t at = 0;

	while (th->fd >= 0 && at < th->out.len) {
		ssize_t n = write(th->fd, th->out.s + at, th->out.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			st->s->error = -errno;
			break;
		}
		at += (size_t)n;
	}
	buf_clear(&th->out);
}

/* Moves st->line to the output of the thread. */
void strace_put_line(struct strace *st, struct strace_thread *th)
{
	struct buf *to = st->o.separate ? &th->out : &st->s->out;

	if (st->o.separate && th->fd < 0)
		open_file(st, th);
	buf_add(to, st->line.s, st->line.len);
	if (st->o.separate && (th->is_open || to->len > 65536))
		strace_write_file(st, th);
	buf_clear(&st->line);
	if (!st->o.separate)
		sink_item(st->s);
}

/* ---- the parts of a line */

static bool several(const struct strace *st)
{
	return st->n_live > 1;
}

static void put_prefix(struct strace *st, const struct strace_thread *th, u64 ns)
{
	bool in_file = st->s->is_file, follows = st->c->request.traced.scope == SCOPE_TREE;

	if (!st->o.separate && in_file && (follows || st->c->request.traced.n_pids > 1)) {
		buf_printf(&st->line, st->o.pids ? "%u" : "%-5u", th->tid);
		put_comm(&st->line, &st->style, th->tid);
		buf_putc(&st->line, ' ');
	} else if (!st->o.separate && several(st)) {
		buf_printf(&st->line, "[pid %5u", th->tid);
		put_comm(&st->line, &st->style, th->tid);
		buf_puts(&st->line, "] ");
	}
	line_put_time(&st->line, st->s->names, &st->o.clock, ns);
	if (st->o.numbers)
		buf_printf(&st->line, "[%4u] ", th->nr % SYSCALL_I386);
	if (st->o.pointer && th->ip)
		buf_printf(&st->line, "[%0*llx] ", th->is_i386 ? 8 : 16,
			   (unsigned long long)th->ip);
	else if (st->o.pointer)
		buf_puts(&st->line, th->is_i386 ? "[????????] " : "[????????????????] ");
}

/* The arguments as text, in b. */
const char *strace_format_args(struct strace *st, struct buf *b, struct strace_thread *th,
			       const struct type *t, const char *p)
{
	u32 nr = th->call->nr;

	buf_clear(b);
	st->shown = th;
	st->style.more = &th->more;
	th->more.is_all = nr < SYSCALL_I386;
	st->style.whole = nr < SYSCALL_MAX && !strace_in_set(st->o.abbrev, SYSCALL_MAX, nr);
	st->style.addresses = nr < SYSCALL_MAX && !strace_in_set(st->o.verbose, SYSCALL_MAX, nr);
	if (t && t->kind == TY_CALL && strace_is_raw(&st->o, th->call->nr))
		call_raw_text(b, &st->names, p, t->size);
	else if (t)
		value_text(b, &st->names, t, p);
	return b->s ? b->s : "";
}

static size_t put_args_at_entry(struct strace *st, const struct strace_call *call, const char *args)
{
	size_t n = strace_entry_length(call, args);

	buf_add(&st->line, args, n);
	return n;
}

/* NAME(what is known at the entry; the line stays open */
void strace_begin_call(struct strace *st, struct strace_thread *th)
{
	const char *args = strace_format_args(st, &st->entry_args, th, th->args_type, th->args.s);

	put_prefix(st, th, th->begun_ns);
	buf_printf(&st->line, "%s(", th->call->name);
	put_args_at_entry(st, th->call, args);
	th->width = (u32)st->line.len;
	th->is_shown = th->is_open = true;
	strace_put_line(st, th);
}

/* Another line follows: the call that began last gets a line of its own. */
void strace_close_current(struct strace *st, const char *how)
{
	struct strace_thread *th = st->current;

	st->current = NULL;
	if (!th)
		return;
	if (!th->is_open)
		strace_begin_call(st, th);
	th->is_open = false;
	buf_printf(&st->line, " %s\n", how);
	strace_put_line(st, th);
}

void strace_begin_line(struct strace *st, struct strace_thread *th, u64 ns)
{
	if (!st->o.separate)
		strace_close_current(st, "<unfinished ...>");
	put_prefix(st, th, ns);
}

void strace_put_equals(struct strace *st, u32 width)
{
	buf_putc(&st->line, ')');
	width += (u32)st->line.len;
	buf_pad(&st->line, ' ', width < st->o.column ? st->o.column - width : 1);
	buf_puts(&st->line, "= ");
}

void strace_flush_held(struct strace *st, struct strace_thread *th, u64 ns)
{
	if (!th->held.len)
		return;
	strace_begin_line(st, th, ns);
	buf_add(&st->line, th->held.s, th->held.len);
	buf_putc(&st->line, '\n');
	buf_clear(&th->held);
	strace_put_line(st, th);
}

void strace_put_spent(struct strace *st, u64 ns)
{
	if (!st->o.spent)
		return;
	buf_puts(&st->line, " <");
	line_put_time_digits(&st->line, ns, 1, st->o.spent_digits);
	buf_putc(&st->line, '>');
}

/* The call and its arguments up to the closing parenthesis, which may have begun on a line
 * before. */
u32 strace_put_call(struct strace *st, struct strace_thread *th, const char *args, u64 ns)
{
	u32 width = 0;

	if (th->is_open) {
		width = th->width;
		st->current = NULL;
		th->is_open = false;
	} else if (th->is_shown) {
		strace_begin_line(st, th, ns);
		buf_printf(&st->line, "<... %s resumed>", th->call->name);
	} else {
		if (st->current == th)
			st->current = NULL;
		strace_begin_line(st, th, th->begun_ns);
		buf_printf(&st->line, "%s(", th->call->name);
		put_args_at_entry(st, th->call, args);
	}
	return width;
}
