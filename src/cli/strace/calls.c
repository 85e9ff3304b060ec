/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls. In: records of entries and returns. Out: lines, one for a call, or two if another thread's
 * event came between them; with -c, counts.
 */
#include <stdlib.h>
#include "base/json.h"
#include "base/visible.h"
#include "cli/strace/event.h"
#include "trace/call_quote.h"
#include "trace/call_text.h"

enum {
	AT_PROBE = 4,
	AT_CLOCK,
	AT_RESULT,
	AT_STACK /* -k */,
	AT_EXTRA = AT_STACK /* of an entry */
};

/* -i and -Y: from a member on, the first frame of the user stack and the command name. */
void strace_read_extras(struct strace *st, struct strace_thread *th, const struct strace_event *r,
			u32 at)
{
	u64 ips[STACK_MAX_FRAMES];

	if (st->o.pointer && at < r->t->n_fields) {
		const struct field *f = &r->t->fields[at++];
		struct process_at of;
		u32 n;

		n = stack_frames(st->s->names, f->type, r->p + f->offset, true, ips, &of);
		th->ip = n ? ips[0] : 0;
	}
	if (st->o.pids)
		strace_set_comm(th, event_text(r, at));
}

/* Whether the call of the thread, with this value of argstr, names none of the files of -P. */
static bool is_elsewhere(struct strace *st, struct strace_thread *th, const struct type *t,
			 const char *value)
{
	struct names names = st->names;

	if (!st->o.n_paths)
		return false;
	names.file = strace_file;
	names.file_ctx = st;
	names.style = NULL;
	st->shown = th;
	buf_clear(&st->args);
	value_text(&st->args, &names, t, value);
	return !strace_names_path(&st->o, th->call, st->args.s ? st->args.s : "");
}

/* The call of "syscall:NAME:return". */
static struct strace_call *new_call(struct strace *st, u64 site)
{
	const char *text = site_text(st->s->names->prog, false, site);
	const char *name = text ? strchr(text, ':') : NULL;
	struct strace_call *call;

	if (!name)
		return NULL;
	call = arena_new(&st->c->line.arena, struct strace_call);
	call->name = arena_strndup(&st->c->line.arena, name + 1, strcspn(name + 1, ":"));
	strace_describe(call);
	return call;
}

/* NULL: not one that is shown. */
const struct strace_call *strace_call_of(struct strace *st, const struct strace_event *r)
{
	u64 i = (u64)event_number(r, AT_PROBE);
	u32 n = st->s->names->prog->sites.n;

	if (i >= n)
		return NULL;
	if (st->n_sites < n) {
		st->sites = xrealloc(st->sites, n * sizeof *st->sites);
		memset(st->sites + st->n_sites, 0, (n - st->n_sites) * sizeof *st->sites);
		st->n_sites = n;
	}
	if (!st->sites[i])
		st->sites[i] = new_call(st, i);
	return st->sites[i] && strace_has_call(&st->o, st->sites[i]->nr) ? st->sites[i] : NULL;
}

/* Begins and returns are shown together, and only some. */
bool strace_shows_whole(const struct strace *st)
{
	return st->o.status != STATUS_ALL || st->o.json;
}

static bool has_status(const struct strace *st, bool is_error)
{
	return st->o.status & (is_error ? STATUS_FAILED : STATUS_SUCCESSFUL);
}

/* Ends a call whose return was lost. */
static void drop_call(struct strace *st, struct strace_thread *th)
{
	if (th->call && st->o.lines && !strace_shows_whole(st) && !th->was_in_call &&
	    !th->is_hidden) {
		if (st->o.separate)
			st->current = th;
		if (st->current == th)
			strace_close_current(st, "<unfinished ...>");
	}
	if (st->current == th)
		st->current = NULL;
	th->call = NULL;
	th->is_open = th->is_shown = false;
}

/* The bytes in use: a record ends with them. */
static u32 args_size(const struct type *t, const char *p)
{
	u64 head;

	if (t->kind != TY_CALL)
		return t->size;
	memcpy(&head, p, sizeof head);
	return MIN((u32)(head & CALL_USED), t->size);
}

/* The ABI of 32-bit programs differs: strace's line about the change. */
void strace_put_mode(struct strace *st, struct strace_thread *th, bool is_i386, u64 ns)
{
	if (th->is_i386 == is_i386)
		return;
	th->is_i386 = is_i386;
	th->changes = false;
	if (!st->o.lines || st->o.json || st->o.silent & MESSAGE_PERSONALITY)
		return;
	strace_begin_line(st, th, ns);
	buf_printf(&st->line, "[ Process PID=%u runs in %d bit mode. ]\n", th->pid,
		   is_i386 ? 32 : 64);
	strace_put_line(st, th);
}

void strace_on_enter(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);
	const struct field *args = event_args(r);
	const struct strace_call *call = strace_call_of(st, r);

	if (!call)
		return;
	drop_call(st, th);
	strace_put_mode(st, th, call->nr >= SYSCALL_I386 && call->nr < SYSCALL_MAX, r->ns);
	strace_take_files(th);
	th->is_new = th->was_in_call = false;
	strace_read_extras(st, th, r, AT_EXTRA);
	th->call = call;
	th->nr = call->nr;
	th->begun_ns = r->ns;
	th->begun_clock = (u64)event_number(r, AT_CLOCK);
	th->args_type = args->type;
	buf_clear(&th->args);
	buf_add(&th->args, r->p + args->offset, args_size(args->type, r->p + args->offset));
	if (!st->o.lines)
		return;
	th->is_hidden = is_elsewhere(st, th, th->args_type, th->args.s);
	if (strace_shows_whole(st) || th->is_hidden)
		return;
	if (!st->o.separate) {
		strace_close_current(st, "<unfinished ...>");
		st->current = th;
	}
}

static void put_json_return(struct strace *st, struct strace_thread *th,
			    const struct strace_event *r, const char *args)
{
	s64 ret = event_number(r, AT_RESULT);

	strace_json_begin(&st->line, th, "syscall", line_wall_ns(st->s->names, th->begun_ns));
	strace_json_call(&st->line, th->call->name, args);
	strace_json_result(&st->line, th->call, ret, r->ns - th->begun_ns);
	buf_puts(&st->line, "}\n");
	strace_put_line(st, th);
}

/* The names of traced files and functions are escaped where a terminal shows them. */
static bool is_visible(const struct strace *st)
{
	return !st->o.separate && escape_wanted(st->c, st->s->fd);
}

static void put_stack(struct strace *st, struct strace_thread *th, const struct strace_event *r)
{
	const struct field *f = &r->t->fields[AT_STACK];

	line_put_stack(&st->line, st->s->names, f->type, r->p + f->offset, is_visible(st));
	strace_put_line(st, th);
}

/*
 * The value of argstr at the return has the memory that the call stored (argstr_rest). Appends it
 * to the copy of the entry, whose arguments are valid: execve replaces registers. Returns the size.
 */
static u32 join_args(struct strace *st, const struct strace_thread *th,
		     const struct strace_event *r)
{
	const struct field *f = event_args(r);
	const char *rest = r->p + f->offset;
	u32 n = args_size(f->type, rest), pieces;
	u64 head, entry;

	buf_clear(&st->joined);
	if (f->type->kind != TY_CALL || th->args.len < CALL_AT_ARGS) {
		buf_add(&st->joined, rest, n);
		return n;
	}
	memcpy(&head, rest, sizeof head);
	memcpy(&entry, th->args.s, sizeof entry);
	pieces = CALL_AT_ARGS + 8 * (u32)(head >> CALL_ARGS_SHIFT & 0xff);
	buf_add(&st->joined, rest, CALL_AT_ARGS);
	buf_add(&st->joined, th->args.s + CALL_AT_ARGS, th->args.len - CALL_AT_ARGS);
	buf_add(&st->joined, rest + pieces, n - MIN(pieces, n));
	/* execve of a program of another kind returns as that one's */
	head = (head & (1ull << CALL_RESULT_SHIFT | (u64)CALL_PROTOCOL << CALL_PROTOCOL_SHIFT)) |
	       (entry & ~((u64)CALL_USED | 1ull << CALL_RESULT_SHIFT)) |
	       MIN(st->joined.len, (size_t)CALL_USED);
	memcpy(st->joined.s, &head, sizeof head);
	return (u32)MIN(st->joined.len, (size_t)CALL_USED);
}

static void put_return(struct strace *st, struct strace_thread *th, const struct strace_event *r)
{
	const struct type whole = { .kind = event_args(r)->type->kind,
				    .size = join_args(st, th, r) };
	s64 ret = event_number(r, AT_RESULT);
	const char *args;
	size_t n;
	u32 width;

	if (th->is_hidden && is_elsewhere(st, th, &whole, st->joined.s))
		return;
	args = strace_format_args(st, &st->args, th, &whole, st->joined.s);
	n = strace_entry_length(th->call, args);
	if (st->o.json) {
		put_json_return(st, th, r, args);
		return;
	}
	width = strace_put_call(st, th, args, r->ns);
	buf_puts(&st->line, args + n);
	strace_put_equals(st, width);
	st->shown = th; /* the line of another thread may have been closed */
	if (strace_is_raw(&st->o, th->call->nr) && !strace_is_error(th->call, ret))
		buf_printf(&st->line, "%#llx", (unsigned long long)ret);
	else
		strace_put_result(&st->line, th->call, &st->names, st->joined.s, whole.size, ret);
	strace_put_spent(st, r->ns - th->begun_ns);
	buf_putc(&st->line, '\n');
	strace_put_dump(st, th->call, st->joined.s, whole.size);
	strace_put_line(st, th);
	if (st->o.stacks)
		put_stack(st, th, r);
}

/* exec in a thread that is not the first: it takes the number of the process. */
static void superseded(struct strace *st, struct strace_thread *first, const struct strace_event *r)
{
	struct strace_thread *th;
	u32 i = 0;

	if (!(first->tid == first->pid) || first->call)
		return;
	while ((th = strace_next_thread(st, &i)))
		if (th->pid == first->pid && th != first && th->call &&
		    starts_with(th->call->name, "execve"))
			break;
	if (!th)
		return;
	if (!st->o.json && !(st->o.silent & (MESSAGE_SUPERSEDED | MESSAGE_THREAD_EXECVE))) {
		strace_begin_line(st, first, r->ns);
		buf_printf(&st->line, "+++ superseded by execve in pid %u +++\n", th->tid);
		strace_put_line(st, first);
	}
	first->call = th->call;
	first->begun_ns = th->begun_ns;
	first->is_shown = th->is_shown;
	buf_clear(&first->args);
	buf_add(&first->args, th->args.s, th->args.len);
	strace_thread_ends(st, th);
}

/* An execve of a program of another kind returns as that one's, and the kernel may report only that
 * some handler has ended. */
static bool is_same(const struct strace_call *begun, const struct strace_call *ended)
{
	size_t n = strlen(ended->name);

	return begun->nr == ended->nr ||
	       (starts_with(begun->name, "execve") && starts_with(ended->name, "execve")) ||
	       (n >= 9 && streq(ended->name + n - 9, "sigreturn") &&
		streq(begun->name, "sigreturn"));
}

/* The clock of a processor and that of the scheduler may differ by what the latter leaves out. */
static u64 spent_clock(const struct strace_thread *th, const struct strace_event *r)
{
	u64 now = (u64)event_number(r, AT_CLOCK);

	return now > th->begun_clock ? now - th->begun_clock : 0;
}

/* The first argument. */
static s32 call_arg(const struct strace_event *r)
{
	const struct field *args = event_args(r);
	s32 arg = -1;

	if (args->type->kind == TY_CALL && args->type->size >= CALL_AT_ARGS + sizeof(u64))
		memcpy(&arg, r->p + args->offset + CALL_AT_ARGS, sizeof arg);
	return arg;
}

static void on_return(struct strace *st, struct strace_thread *th, const struct strace_event *r)
{
	const struct strace_call *call = strace_call_of(st, r);
	s64 ret = event_number(r, AT_RESULT);
	bool is_error;

	if (!call || ret == STRACE_NO_RESULT)
		return;
	if (starts_with(call->name, "execve") && !th->call)
		superseded(st, th, r);
	if (!th->call && th->is_new) { /* the fork of its parent */
		th->is_new = false;
		return;
	}
	if (!th->call ||
	    !is_same(th->call, call)) { /* it began before we did, or was refused by seccomp */
		drop_call(st, th);
		th->begun_ns = r->ns;
		th->begun_clock = (u64)event_number(r, AT_CLOCK);
		buf_clear(&th->args);
		th->is_hidden = st->o.n_paths > 0;
	}
	if (!th->call)
		th->call = call;
	call = th->call;
	th->was_in_call = false;
	is_error = strace_is_error(call, ret);
	if (st->o.summary)
		strace_count_call(st, call->nr, spent_clock(th, r), is_error);
	if (st->o.lines && has_status(st, is_error))
		put_return(st, th, r);
	if (streq(call->name, "close") && !ret)
		strace_close_file(st, th, call_arg(r));
	strace_forget_files(&th->next_files);
	th->call = NULL;
	th->is_shown = false;
	if (th->changes)
		strace_put_mode(st, th, !th->is_i386, r->ns);
	strace_flush_held(st, th, r->ns);
}

void strace_on_return(struct strace *st, const struct strace_event *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);

	on_return(st, th, r);
	strace_forget_memory(th);
}

/* Ends a call whose return will not come. */
void strace_end_call(struct strace *st, struct strace_thread *th, u64 ns, const char *result)
{
	const char *args;
	u32 width;

	if (!th->call || th->is_hidden)
		return;
	args = strace_format_args(st, &st->args, th, th->args_type, th->args.s);
	if (st->o.json) {
		strace_json_begin(&st->line, th, "syscall",
				  line_wall_ns(st->s->names, th->begun_ns));
		strace_json_call(&st->line, th->call->name, args);
		buf_puts(&st->line, "}\n");
		strace_put_line(st, th);
		th->call = NULL;
		return;
	}
	width = strace_put_call(st, th, args, ns);
	if (strace_entry_length(th->call, args) < strlen(args))
		buf_puts(&st->line, " <unfinished ...>");
	strace_put_equals(st, width);
	buf_puts(&st->line, result);
	buf_putc(&st->line, '\n');
	strace_put_line(st, th);
	th->call = NULL;
	th->is_shown = false;
}
