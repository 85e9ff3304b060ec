/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of sonde strace. In: the records of the script. Out: lines in the layout of
 * strace(1). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"
#include "base/visible.h"
#include "cli/strace/sockets.h"
#include "cli/strace/strace.h"
#include "output/notice.h"
#include "output/output.h"
#include "trace/call_quote.h"
#include "trace/call_text.h"
#include "trace/value.h"
#include "type/call.h"

/* Members of the records of calls. */
enum {
	AT_PROBE = 4,
	AT_CLOCK,
	AT_RESULT,
	AT_STACK /* -k */,
	AT_EXTRA = AT_STACK /* of an entry */
};
/* Of those of signals and ends. */
enum { AT_SIGNAL = 4, AT_END_CODE = 11, AT_LEFT, AT_SIGNAL_EXTRA = AT_END_CODE };
enum { AT_IS_32_BIT = 4 };
enum { AT_PARENT = 4 };
enum { AT_FD = 4, AT_PATH, AT_MODE, AT_DEVICE };
enum {
	AT_INO = 5,
	AT_FAMILY,
	AT_TYPE,
	AT_PROTOCOL,
	AT_PORT,
	AT_PEER_PORT,
	AT_ADDRESS,
	AT_ADDRESS6,
	AT_UNIX = AT_ADDRESS6 + 4
};
#define SHOWN_AFTER_NS 50000000ull  /* a call that takes longer is shown as begun */
#define LOOK_AFTER_NS 1000000000ull /* threads that are gone without a word */

struct record {
	const struct type *t;
	const char *p;
	u32 tid, pid;
	u64 ns;
};

static struct strace *strace_of(struct sink *s)
{
	return ((struct cli *)((char *)s - offsetof(struct cli, sink)))->strace;
}

static s64 number(const struct record *r, u32 i)
{
	const struct field *f = &r->t->fields[i];

	return i < r->t->n_fields ? value_int(f->type, r->p + f->offset) : 0;
}

/* The arguments of a call come last. */
static const struct field *args_of(const struct record *r)
{
	return &r->t->fields[r->t->n_fields - 1];
}

static const char *text_of(const struct record *r, u32 i)
{
	const struct field *f = &r->t->fields[i];

	return i < r->t->n_fields && f->type->kind == TY_STRING ? r->p + f->offset : "";
}

/* -i and -Y: from a member on, the first frame of the user stack and the command name. */
static void read_extras(struct strace *st, struct strace_thread *th, const struct record *r, u32 at)
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
		strace_set_comm(th, text_of(r, at));
}

/* ---- -P */

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

/* ---- calls */

/* The call of "syscall:NAME:return". */
static struct strace_call *new_call(struct strace *st, u64 site)
{
	const char *text = site_text(st->s->names->prog, false, site);
	const char *name = text ? strchr(text, ':') : NULL;
	struct strace_call *call;

	if (!name)
		return NULL;
	call = arena_new(&st->c->words_arena, struct strace_call);
	call->name = arena_strndup(&st->c->words_arena, name + 1, strcspn(name + 1, ":"));
	strace_describe(call);
	return call;
}

/* NULL: not one that is shown. */
static const struct strace_call *call_of(struct strace *st, const struct record *r)
{
	u64 i = (u64)number(r, AT_PROBE);
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
static bool shows_whole(const struct strace *st)
{
	return st->o.status != STATUS_ALL || st->o.json;
}

static bool has_status(const struct strace *st, bool is_error)
{
	return st->o.status & (is_error ? STATUS_FAILED : STATUS_SUCCESSFUL);
}

/* What has no return, because it was lost. */
static void drop_call(struct strace *st, struct strace_thread *th)
{
	if (th->call && st->o.lines && !shows_whole(st) && !th->was_in_call && !th->is_hidden) {
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

/* What programs of 32 bits see of the kernel differs: the line by which strace says so. */
static void put_mode(struct strace *st, struct strace_thread *th, bool is_i386, u64 ns)
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

static void on_enter(struct strace *st, const struct record *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);
	const struct field *args = args_of(r);
	const struct strace_call *call = call_of(st, r);

	if (!call)
		return;
	drop_call(st, th);
	put_mode(st, th, call->nr >= SYSCALL_I386 && call->nr < SYSCALL_MAX, r->ns);
	strace_take_files(th);
	th->is_new = th->was_in_call = false;
	read_extras(st, th, r, AT_EXTRA);
	th->call = call;
	th->nr = call->nr;
	th->begun_ns = r->ns;
	th->begun_clock = (u64)number(r, AT_CLOCK);
	th->args_type = args->type;
	buf_clear(&th->args);
	buf_add(&th->args, r->p + args->offset, args_size(args->type, r->p + args->offset));
	if (!st->o.lines)
		return;
	th->is_hidden = is_elsewhere(st, th, th->args_type, th->args.s);
	if (shows_whole(st) || th->is_hidden)
		return;
	if (!st->o.separate) {
		strace_close_current(st, "<unfinished ...>");
		st->current = th;
	}
}

static void put_json_return(struct strace *st, struct strace_thread *th, const struct record *r,
			    const char *args)
{
	s64 ret = number(r, AT_RESULT);

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

static void put_stack(struct strace *st, struct strace_thread *th, const struct record *r)
{
	const struct field *f = &r->t->fields[AT_STACK];

	line_put_stack(&st->line, st->s->names, f->type, r->p + f->offset, is_visible(st));
	strace_put_line(st, th);
}

/*
 * The value of argstr at the return has what the call has stored (argstr_rest). Here it follows
 * what the entry has copied, whose arguments hold: execve replaces registers. Returns its bytes.
 */
static u32 join_args(struct strace *st, const struct strace_thread *th, const struct record *r)
{
	const struct field *f = args_of(r);
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
	head = (head & (1ull << CALL_RESULT_SHIFT)) |
	       (entry & ~((u64)CALL_USED | 1ull << CALL_RESULT_SHIFT)) |
	       MIN(st->joined.len, (size_t)CALL_USED);
	memcpy(st->joined.s, &head, sizeof head);
	return (u32)MIN(st->joined.len, (size_t)CALL_USED);
}

static void put_return(struct strace *st, struct strace_thread *th, const struct record *r)
{
	const struct type whole = { .kind = args_of(r)->type->kind, .size = join_args(st, th, r) };
	s64 ret = number(r, AT_RESULT);
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
static void superseded(struct strace *st, struct strace_thread *first, const struct record *r)
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

/* An execve of a program of another kind returns as that one's, and the kernel may tell only that
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
static u64 spent_clock(const struct strace_thread *th, const struct record *r)
{
	u64 now = (u64)number(r, AT_CLOCK);

	return now > th->begun_clock ? now - th->begun_clock : 0;
}

/* The first argument. */
static s32 call_arg(const struct record *r)
{
	const struct field *args = args_of(r);
	s32 arg = -1;

	if (args->type->kind == TY_CALL && args->type->size >= CALL_AT_ARGS + sizeof(u64))
		memcpy(&arg, r->p + args->offset + CALL_AT_ARGS, sizeof arg);
	return arg;
}

static void on_return(struct strace *st, const struct record *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);
	const struct strace_call *call = call_of(st, r);
	s64 ret = number(r, AT_RESULT);
	bool is_error;

	if (!call)
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
		th->begun_clock = (u64)number(r, AT_CLOCK);
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
		put_mode(st, th, !th->is_i386, r->ns);
	strace_flush_held(st, th, r->ns);
}

/* ---- threads and signals */

static bool is_detached(const struct strace *st, u32 pid)
{
	const struct strace_thread *th = hash_get(&st->threads, &pid, sizeof pid);

	return th && th->is_detached;
}

static void on_born(struct strace *st, const struct record *r)
{
	struct strace_thread *th, *creator;
	u32 parent;

	st->n_expected--;
	th = strace_thread_of(st, r->tid, r->pid);
	th->is_new = true;
	parent = (u32)number(r, AT_PARENT);
	creator = hash_get(&st->threads, r->tid == r->pid ? &parent : &r->pid, sizeof parent);
	th->is_i386 = creator && creator->is_i386;
	if (!is_detached(st, (u32)number(r, AT_PARENT)))
		return;
	strace_thread_ends(st, th);
	th->is_detached = true;
}

static void on_forked(struct strace *st, const struct record *r)
{
	st->n_expected++;
}

/* A call whose return is not seen. */
static void end_call(struct strace *st, struct strace_thread *th, u64 ns, const char *result)
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

static void end_thread(struct strace *st, struct strace_thread *th, s32 code, u64 ns)
{
	if (st->o.lines && st->o.status & STATUS_UNFINISHED)
		end_call(st, th, ns, "?");
	if (st->o.lines && !(st->o.silent & MESSAGE_EXIT))
		put_end(st, th, code, ns);
	if (st->o.separate)
		strace_write_file(st, th);
	if (th->fd >= 0)
		close(th->fd);
	th->fd = -1;
	strace_thread_ends(st, th);
}

static void put_siginfo(struct buf *b, const struct record *r, const struct call_style *style)
{
	u64 words[4];

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = (u64)number(r, 7 + i);
	strace_put_siginfo(b, (u32)number(r, AT_SIGNAL), (s32)number(r, 5), (s32)number(r, 6),
			   words, style);
}

static void put_signal(struct buf *b, const struct record *r, const struct call_style *style)
{
	buf_puts(b, "--- ");
	strace_put_signal_name(b, (u32)number(r, AT_SIGNAL));
	buf_putc(b, ' ');
	put_siginfo(b, r, style);
	buf_puts(b, " ---");
}

static void put_json_signal(struct strace *st, struct strace_thread *th, const struct record *r)
{
	struct buf info = { 0 };

	strace_json_begin(&st->line, th, "signal", line_wall_ns(st->s->names, r->ns));
	buf_puts(&st->line, ", \"name\": \"");
	strace_put_signal_name(&st->line, (u32)number(r, AT_SIGNAL));
	buf_puts(&st->line, "\", \"siginfo\": ");
	put_siginfo(&info, r, &st->style);
	json_strz(&st->line, info.s);
	buf_release(&info);
	buf_puts(&st->line, "}\n");
	strace_put_line(st, th);
}

/* SIGKILL is not delivered: its line is that of the end. */
static bool shows_signal(const struct strace *st, const struct record *r)
{
	u64 signo = (u64)number(r, AT_SIGNAL);

	return st->o.lines && signo && signo != SIGKILL && st->o.signals >> (signo - 1) & 1;
}

static void on_signal(struct strace *st, const struct record *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);

	strace_thread_of(st, r->pid, r->pid)->last_signal = (u32)number(r, AT_SIGNAL);
	if (!shows_signal(st, r))
		return;
	if (st->o.json) {
		put_json_signal(st, th, r);
		return;
	}
	if (number(r, 0) == RECORD_SIGNAL)
		read_extras(st, th, r, AT_SIGNAL_EXTRA);
	strace_begin_line(st, th, r->ns);
	put_signal(&st->line, r, &st->style);
	buf_putc(&st->line, '\n');
	strace_put_line(st, th);
}

/* The signal that ended the process, if its delivery was not an event. */
static void show_last_signal(struct strace *st, const struct record *r)
{
	struct strace_thread *first = strace_thread_of(st, r->pid, r->pid);
	s32 code = (s32)number(r, AT_END_CODE);

	if (WIFSIGNALED(code) && (u32)WTERMSIG(code) == (u32)number(r, AT_SIGNAL) &&
	    first->last_signal != (u32)WTERMSIG(code))
		on_signal(st, r);
}

/* The first thread of a process is reported when the others have ended: as by wait(2). */
static void on_end(struct strace *st, const struct record *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid), *first;
	s32 code = (s32)number(r, AT_END_CODE);
	bool is_last = number(r, AT_LEFT) == 0;

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

/* It is delivered to no one: strace, for which it is queued, shows it after the call. */
static void on_ignored(struct strace *st, const struct record *r)
{
	struct strace_thread *th = hash_get(&st->threads, &r->tid, sizeof r->tid);

	if (!th || !th->lives || !shows_signal(st, r))
		return;
	if (st->o.json) {
		put_json_signal(st, th, r);
		return;
	}
	buf_clear(&th->held);
	put_signal(&th->held, r, &st->style);
	if (!th->call)
		strace_flush_held(st, th, r->ns);
}

/* ---- time */

static bool is_late(const struct strace_thread *th, u64 ns)
{
	return th->call && !th->is_shown && !th->is_hidden && ns > th->begun_ns + SHOWN_AFTER_NS;
}

/* Calls that began before tracing did, and last. */
static void show_in_calls(struct strace *st, u64 ns)
{
	struct strace_thread *th;
	bool more = false;
	u32 i = 0;

	while (!st->no_more_in_call && (th = strace_next_thread(st, &i))) {
		if (th->was_in_call && is_late(th, ns)) {
			strace_close_current(st, "<unfinished ...>");
			th->was_in_call = false;
			st->current = th;
		}
		more |= th->was_in_call;
	}
	st->no_more_in_call = !more;
}

static void on_tick(struct strace *st, const struct record *r)
{
	struct strace_thread *th;
	u32 i = 0;

	if (!st->o.lines || shows_whole(st))
		return;
	if (!st->o.separate) {
		show_in_calls(st, r->ns);
		if (st->current && is_late(st->current, r->ns))
			strace_begin_call(st, st->current);
		return;
	}
	while ((th = strace_next_thread(st, &i))) {
		if (is_late(th, r->ns))
			strace_begin_call(st, th);
		strace_write_file(st, th);
	}
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

static void on_exec(struct strace *st, const struct record *r)
{
	struct strace_thread *th = strace_thread_of(st, r->pid, r->pid);
	bool is_first = st->c->request.traced.command && !st->has_executed;

	st->awaits_exec = false;
	st->has_executed = true;
	strace_forget_files(&th->files);
	if (st->o.detach_on_execve && !is_first) {
		detach(st, th);
		return;
	}
	th->changes = st->o.i386 && th->is_i386 != (number(r, AT_IS_32_BIT) != 0);
	if (th->changes && !th->call)
		put_mode(st, th, !th->is_i386, r->ns);
	if (st->o.i386 || !number(r, AT_IS_32_BIT))
		return;
	if (th->call)
		end_call(st, th, r->ns, "0");
	if (st->o.json || st->o.silent & MESSAGE_PERSONALITY)
		return;
	strace_begin_line(st, th, r->ns);
	buf_printf(&st->line, "[ Process PID=%u runs in 32 bit mode: its calls are not traced. ]\n",
		   th->pid);
	strace_put_line(st, th);
}

/* -yy: "<char 1:3>" after the path of a device. */
static void put_device(struct buf *b, const struct record *r)
{
	u32 mode = (u32)number(r, AT_MODE), dev = (u32)number(r, AT_DEVICE);

	if (S_ISCHR(mode) || S_ISBLK(mode))
		buf_printf(b, NAMES_REST "<%s %u:%u>", S_ISCHR(mode) ? "char" : "block", dev >> 20,
			   dev & 0xfffff);
}

/* The process of a pidfd is in /proc/PID/fdinfo/FD (proc(5)); false: not known. */
static bool put_pidfd(struct strace *st, struct buf *b, const struct record *r)
{
	struct buf info = { 0 };
	const char *line;
	char path[64];
	bool found;

	snprintf(path, sizeof path, "/proc/%u/fdinfo/%d", r->pid, (s32)number(r, AT_FD));
	found = !buf_read_file(&info, path) && info.s && (line = strstr(info.s, "\nPid:"));
	if (found) {
		u32 pid = (u32)strtoul(line + strlen("\nPid:"), NULL, 10);

		buf_printf(b, NAMES_REST "pid:%u", pid);
		put_comm(b, &st->style, pid);
	}
	buf_release(&info);
	return found;
}

static void on_file(struct strace *st, const struct record *r)
{
	struct strace_thread *th = strace_thread_of(st, r->tid, r->pid);
	const char *text = text_of(r, AT_PATH);

	buf_clear(&st->line);
	if (!(st->o.files & DECODE_PIDFD && strstr(text, "pidfd") && put_pidfd(st, &st->line, r)))
		buf_puts(&st->line, text);
	if (st->o.files & DECODE_DEVICE)
		put_device(&st->line, r);
	strace_set_file(st, th, (s32)number(r, AT_FD), st->line.s, st->line.len);
	buf_clear(&st->line);
}

/* A socket that is closed at one end has no address any more: as in strace, that of before is
 * shown. */
struct strace_known {
	u64 ino;
	struct buf text;
};

static void remember(struct strace *st, const struct strace_socket *s, struct buf *text)
{
	struct strace_known *known = hash_get(&st->sockets, &s->ino, sizeof s->ino);

	if (strace_socket_is_bare(s)) {
		if (known) {
			buf_clear(text);
			buf_add(text, known->text.s, known->text.len);
		}
		return;
	}
	if (!known) {
		known = arena_new(&st->c->words_arena, struct strace_known);
		known->ino = s->ino;
		hash_put(&st->sockets, &known->ino, sizeof known->ino, known);
	}
	buf_clear(&known->text);
	buf_add(&known->text, text->s, text->len);
}

static void on_socket(struct strace *st, const struct record *r)
{
	struct strace_socket s = { .ino = (u64)number(r, AT_INO),
				   .family = (u16)number(r, AT_FAMILY),
				   .type = (u16)number(r, AT_TYPE),
				   .protocol = (u16)number(r, AT_PROTOCOL),
				   .port = (u16)number(r, AT_PORT),
				   .peer_port = (u16)number(r, AT_PEER_PORT) };
	const struct field *path = &r->t->fields[r->t->n_fields - 1];
	u32 n_path;

	for (u32 i = 0; i < 2; i++) {
		u64 words[2] = { (u64)number(r, AT_ADDRESS6 + 2 * i),
				 (u64)number(r, AT_ADDRESS6 + 2 * i + 1) };

		if (s.family != AF_INET6)
			words[0] = (u64)number(r, AT_ADDRESS) >> 32 * i;
		memcpy(i ? s.address : s.peer, words, sizeof words); /* the peer is first */
	}
	s.peer_ino = (u64)number(r, AT_UNIX);
	s.netlink_port = (u32)number(r, AT_UNIX + 1);
	n_path = value_bytes(path->type, r->p + path->offset, &s.path);
	s.n_path = MIN((u32)number(r, AT_UNIX + 2), n_path);
	buf_puts(&st->line, NAMES_REST);
	if (strace_put_socket(&st->line, &s)) {
		remember(st, &s, &st->line);
		strace_set_file(st, strace_thread_of(st, r->tid, r->pid), (s32)number(r, AT_FD),
				st->line.s, st->line.len);
	}
	buf_clear(&st->line);
}

/* ---- the output */

static void (*const handlers[N_STRACE_RECORDS])(struct strace *st, const struct record *r) = {
	[RECORD_ENTER] = on_enter,     [RECORD_RETURN] = on_return, [RECORD_BORN] = on_born,
	[RECORD_FORKED] = on_forked,   [RECORD_END] = on_end,       [RECORD_SIGNAL] = on_signal,
	[RECORD_IGNORED] = on_ignored, [RECORD_TICK] = on_tick,     [RECORD_EXEC] = on_exec,
	[RECORD_FILE] = on_file,       [RECORD_SOCKET] = on_socket,
};

/* Until CMD is executed, its process is ours. */
static bool is_ours(struct strace *st, const struct record *r, s64 kind)
{
	const struct strace_call *call;

	if (!st->awaits_exec || kind == RECORD_EXEC)
		return false;
	call = kind == RECORD_ENTER ? call_of(st, r) : NULL;
	st->awaits_exec = !call || !starts_with(call->name, "execve");
	return st->awaits_exec;
}

static void value(struct sink *s, const struct type *t, const void *p)
{
	struct strace *st = strace_of(s);
	struct record r = { .t = t, .p = p };
	s64 kind;

	if (t->kind != TY_TUPLE || t->n_fields < 4)
		return;
	kind = number(&r, 0);
	r.tid = (u32)number(&r, 1);
	r.pid = (u32)number(&r, 2);
	r.ns = (u64)number(&r, 3);
	if (r.ns)
		st->last_ns = r.ns;
	else
		r.ns = st->last_ns;
	if (kind > 0 && kind < N_STRACE_RECORDS && !is_ours(st, &r, kind) &&
	    !(st->o.detach_on_execve && is_detached(st, r.tid)) &&
	    !(st->o.detach_on_execve && is_detached(st, r.pid)))
		handlers[kind](st, &r);
}

static void attached(struct sink *s, u32 n_probes)
{
	struct strace *st = strace_of(s);
	struct strace_thread *th;
	u32 i = 0;

	put_notify(s);
	s->awaits_more = true;
	st->names = *s->names;
	st->names.file = st->o.files ? strace_file : NULL;
	st->names.file_ctx = st;
	st->names.argstr_bytes = st->o.strings;
	st->names.style = &st->style;
	st->style.constants = st->o.constants;
	st->style.arg_names = st->o.arg_names;
	st->style.comm = st->o.pids ? strace_comm : NULL;
	st->style.comm_ctx = st;
	st->looked_ns = clock_mono_ns();
	while (st->o.lines && !shows_whole(st) && (th = strace_next_thread(st, &i)))
		strace_look_in_call(st, th);
}

static void tick(struct sink *s)
{
	struct strace *st = strace_of(s);
	u64 now = clock_mono_ns();
	bool follows = st->c->request.traced.scope == SCOPE_TREE;

	if (now - st->looked_ns > LOOK_AFTER_NS) {
		st->looked_ns = now;
		strace_look_for_ends(st);
	}
	s->awaits_more = st->n_live > 0 || (st->n_expected > 0 && follows);
}

static void table(struct sink *s, const struct table *t)
{
}

/* Memory that cannot be read is shown as its address: that is no loss. */
static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	if (loss_row(loss)->reason)
		output_text.lost(s, loss, count);
}

/* Detached: the call that was begun last is shown. */
static void end(struct sink *s)
{
	struct strace *st = strace_of(s);
	struct strace_thread *th;
	u32 i = 0;

	while (st->o.separate && (th = strace_next_thread(st, &i))) {
		st->current = th->call ? th : NULL;
		strace_close_current(st, "<detached ...>");
		strace_write_file(st, th);
	}
	strace_close_current(st, "<detached ...>");
	if (st->o.summary)
		strace_put_summary(st, &s->out);
	sink_flush(s);
}

const struct output output_strace = {
	.name = "strace",
	.brief = "lines as strace(1) prints them",
	.attached = attached,
	.tick = tick,
	TEXT_MESSAGES,
	.value = value,
	.table = table,
	.event = text_event,
	.lost = lost,
	.end = end,
};
