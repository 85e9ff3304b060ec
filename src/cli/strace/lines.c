/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of sonde strace. In: the records of the script. Out: lines in the layout of strace(1). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"
#include "base/visible.h"
#include "cli/strace/strace.h"
#include "output/notice.h"
#include "output/output.h"
#include "trace/call_text.h"
#include "trace/value.h"
#include "type/call.h"

/* Members of the records of calls. */
enum { AT_PROBE = 4, AT_CLOCK, AT_RESULT, AT_STACK /* -k */ };
/* Of those of signals and ends. */
enum { AT_SIGNAL = 4, AT_END_CODE = 11, AT_LEFT };
enum { AT_IS_32_BIT = 4 };
enum { AT_FD = 4, AT_PATH };
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

/* ---- threads */

static struct strace_thread *thread(struct strace *st, u32 tid, u32 pid)
{
	struct strace_thread *th = hash_get(&st->threads, &tid, sizeof(tid));

	if (!th) {
		th = xcalloc(1, sizeof(*th));
		th->tid = tid;
		th->fd = -1;
		hash_put(&st->threads, &th->tid, sizeof(th->tid), th);
	}
	if (!th->lives) {
		th->pid = pid;
		th->lives = true;
		st->n_live++;
	}
	return th;
}

static void forget_files(struct strace_thread *th)
{
	strace_forget_files(&th->call_files);
	strace_forget_files(&th->next_files);
	strace_forget_files(&th->files);
}

/* The entry remains: the number may be given to another thread. */
static void thread_ends(struct strace *st, struct strace_thread *th)
{
	if (st->current == th)
		st->current = NULL;
	th->call = NULL;
	th->lives = th->is_open = th->is_ending = th->is_missing = false;
	th->last_signal = 0;
	forget_files(th);
	st->n_live--;
}

void strace_add_process(struct strace *st, u32 pid)
{
	char path[64];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			thread(st, (u32)strtoul(e->d_name, NULL, 10), pid);
	if (dir)
		closedir(dir);
}

static struct strace_thread *next_thread(const struct strace *st, u32 *i)
{
	while (*i < st->threads.cap) {
		const struct hash_slot *slot = &st->threads.slot[(*i)++];
		struct strace_thread *th = slot->key ? slot->value : NULL;

		if (th && th->lives)
			return th;
	}
	return NULL;
}

/* ---- where lines go */

static void open_file(struct strace *st, struct strace_thread *th)
{
	const char *path = arena_printf(&st->c->words_arena, "%s.%u", st->c->output, th->tid);
	int how = O_WRONLY | O_CREAT | O_CLOEXEC | (st->o.append ? O_APPEND : O_TRUNC);

	th->fd = open(path, how, 0666);
	if (th->fd < 0)
		st->s->error = -errno;
}

static void write_file(struct strace *st, struct strace_thread *th)
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

/* Moves what has been put together to the output of the thread. */
static void put_line(struct strace *st, struct strace_thread *th)
{
	struct buf *to = st->o.separate ? &th->out : &st->s->out;

	if (st->o.separate && th->fd < 0)
		open_file(st, th);
	buf_add(to, st->line.s, st->line.len);
	if (st->o.separate && (th->is_open || to->len > 65536))
		write_file(st, th);
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

	if (!st->o.separate && in_file && (follows || st->c->request.traced.n_pids > 1))
		buf_printf(&st->line, "%-5u ", th->tid);
	else if (!st->o.separate && several(st))
		buf_printf(&st->line, "[pid %5u] ", th->tid);
	line_put_time(&st->line, st->s->names, &st->o.clock, ns);
}

/* The arguments as text, in b. */
static const char *format_args(struct strace *st, struct buf *b, struct strace_thread *th,
			       const struct type *t, const char *p)
{
	buf_clear(b);
	st->shown = th;
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
static void begin_call(struct strace *st, struct strace_thread *th)
{
	const char *args = format_args(st, &st->entry_args, th, th->args_type, th->args.s);

	put_prefix(st, th, th->begun_ns);
	if (st->o.numbers)
		buf_printf(&st->line, "[%4u] ", th->call->nr);
	buf_printf(&st->line, "%s(", th->call->name);
	put_args_at_entry(st, th->call, args);
	th->width = (u32)st->line.len;
	th->is_shown = th->is_open = true;
	put_line(st, th);
}

/* Another line follows: the call that began last gets a line of its own. */
static void close_current(struct strace *st, const char *how)
{
	struct strace_thread *th = st->current;

	st->current = NULL;
	if (!th)
		return;
	if (!th->is_open)
		begin_call(st, th);
	th->is_open = false;
	buf_printf(&st->line, " %s\n", how);
	put_line(st, th);
}

static void begin_line(struct strace *st, struct strace_thread *th, u64 ns)
{
	if (!st->o.separate)
		close_current(st, "<unfinished ...>");
	put_prefix(st, th, ns);
}

static void put_equals(struct strace *st, u32 width)
{
	buf_putc(&st->line, ')');
	width += (u32)st->line.len;
	buf_pad(&st->line, ' ', width < st->o.column ? st->o.column - width : 1);
	buf_puts(&st->line, "= ");
}

static void flush_held(struct strace *st, struct strace_thread *th, u64 ns)
{
	if (!th->held.len)
		return;
	begin_line(st, th, ns);
	buf_add(&st->line, th->held.s, th->held.len);
	buf_putc(&st->line, '\n');
	buf_clear(&th->held);
	put_line(st, th);
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
		st->sites = xrealloc(st->sites, n * sizeof(*st->sites));
		memset(st->sites + st->n_sites, 0, (n - st->n_sites) * sizeof(*st->sites));
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
			close_current(st, "<unfinished ...>");
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
	memcpy(&head, p, sizeof(head));
	return MIN((u32)(head & CALL_USED), t->size);
}

static void on_enter(struct strace *st, const struct record *r)
{
	struct strace_thread *th = thread(st, r->tid, r->pid);
	const struct field *args = args_of(r);
	const struct strace_call *call = call_of(st, r);

	if (!call)
		return;
	drop_call(st, th);
	strace_take_files(th);
	th->is_new = th->was_in_call = false;
	th->call = call;
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
		close_current(st, "<unfinished ...>");
		st->current = th;
	}
}

static void put_spent(struct strace *st, u64 ns)
{
	if (!st->o.spent)
		return;
	buf_puts(&st->line, " <");
	line_put_seconds(&st->line, ns, false);
	buf_putc(&st->line, '>');
}

/* The call and its arguments up to the closing parenthesis, which may have begun on a line before. */
static u32 put_call(struct strace *st, struct strace_thread *th, const char *args, u64 ns)
{
	u32 width = 0;

	if (th->is_open) {
		width = th->width;
		st->current = NULL;
		th->is_open = false;
	} else if (th->is_shown) {
		begin_line(st, th, ns);
		buf_printf(&st->line, "<... %s resumed>", th->call->name);
	} else {
		if (st->current == th)
			st->current = NULL;
		begin_line(st, th, th->begun_ns);
		if (st->o.numbers)
			buf_printf(&st->line, "[%4u] ", th->call->nr);
		buf_printf(&st->line, "%s(", th->call->name);
		put_args_at_entry(st, th->call, args);
	}
	return width;
}

static void put_json_return(struct strace *st, struct strace_thread *th, const struct record *r,
			    const char *args)
{
	s64 ret = number(r, AT_RESULT);

	strace_json_begin(&st->line, th, "syscall", line_wall_ns(st->s->names, th->begun_ns));
	strace_json_call(&st->line, th->call->name, args);
	strace_json_result(&st->line, th->call, ret, r->ns - th->begun_ns);
	buf_puts(&st->line, "}\n");
	put_line(st, th);
}

/* The names of traced files and functions are escaped where a terminal shows them. */
static bool is_visible(const struct strace *st)
{
	return !st->o.separate && escape_wanted(st->c, st->s->fd);
}

static void put_stack(struct strace *st, struct strace_thread *th, const struct record *r)
{
	const struct field *f = &r->t->fields[AT_STACK];

	line_put_stack(&st->line, st->s->names, th->pid, f->type, r->p + f->offset, is_visible(st));
	put_line(st, th);
}

/*
 * The value of argstr at the return has what the call has stored (argstr_rest). Here it follows what
 * the entry has copied, whose arguments hold: execve replaces registers. Returns its bytes.
 */
static u32 join_args(struct strace *st, const struct strace_thread *th, const struct record *r)
{
	const struct field *f = args_of(r);
	const char *rest = r->p + f->offset;
	u32 n = args_size(f->type, rest), pieces;
	u64 head;

	buf_clear(&st->joined);
	if (f->type->kind != TY_CALL || th->args.len < CALL_AT_ARGS) {
		buf_add(&st->joined, rest, n);
		return n;
	}
	memcpy(&head, rest, sizeof(head));
	pieces = CALL_AT_ARGS + 8 * (u32)(head >> CALL_ARGS_SHIFT & 0xff);
	buf_add(&st->joined, rest, CALL_AT_ARGS);
	buf_add(&st->joined, th->args.s + CALL_AT_ARGS, th->args.len - CALL_AT_ARGS);
	buf_add(&st->joined, rest + pieces, n - MIN(pieces, n));
	head = (head & ~(u64)CALL_USED) | MIN(st->joined.len, (size_t)CALL_USED);
	memcpy(st->joined.s, &head, sizeof(head));
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
	args = format_args(st, &st->args, th, &whole, st->joined.s);
	n = strace_entry_length(th->call, args);
	if (st->o.json) {
		put_json_return(st, th, r, args);
		return;
	}
	width = put_call(st, th, args, r->ns);
	buf_puts(&st->line, args + n);
	put_equals(st, width);
	st->shown = th; /* the line of another thread may have been closed */
	if (strace_is_raw(&st->o, th->call->nr) && !strace_is_error(th->call, ret))
		buf_printf(&st->line, "%#llx", (unsigned long long)ret);
	else
		strace_put_result(&st->line, th->call, &st->names, st->joined.s, whole.size, ret);
	put_spent(st, r->ns - th->begun_ns);
	buf_putc(&st->line, '\n');
	put_line(st, th);
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
	while ((th = next_thread(st, &i)))
		if (th->pid == first->pid && th != first && th->call &&
		    starts_with(th->call->name, "execve"))
			break;
	if (!th)
		return;
	if (!st->o.json) {
		begin_line(st, first, r->ns);
		buf_printf(&st->line, "+++ superseded by execve in pid %u +++\n", th->tid);
		put_line(st, first);
	}
	first->call = th->call;
	first->begun_ns = th->begun_ns;
	first->is_shown = th->is_shown;
	buf_clear(&first->args);
	buf_add(&first->args, th->args.s, th->args.len);
	thread_ends(st, th);
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
		memcpy(&arg, r->p + args->offset + CALL_AT_ARGS, sizeof(arg));
	return arg;
}

static void on_return(struct strace *st, const struct record *r)
{
	struct strace_thread *th = thread(st, r->tid, r->pid);
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
	    th->call->nr != call->nr) { /* it began before we did, or was refused by seccomp */
		drop_call(st, th);
		th->begun_ns = r->ns;
		th->begun_clock = (u64)number(r, AT_CLOCK);
		buf_clear(&th->args);
		th->is_hidden = st->o.n_paths > 0;
	}
	th->call = call;
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
	flush_held(st, th, r->ns);
}

/* ---- threads and signals */

static void on_born(struct strace *st, const struct record *r)
{
	thread(st, r->tid, r->pid)->is_new = true;
	st->n_expected--;
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
	args = format_args(st, &st->args, th, th->args_type, th->args.s);
	if (st->o.json) {
		strace_json_begin(&st->line, th, "syscall",
				  line_wall_ns(st->s->names, th->begun_ns));
		strace_json_call(&st->line, th->call->name, args);
		buf_puts(&st->line, "}\n");
		put_line(st, th);
		th->call = NULL;
		return;
	}
	width = put_call(st, th, args, ns);
	if (strace_entry_length(th->call, args) < strlen(args))
		buf_puts(&st->line, " <unfinished ...>");
	put_equals(st, width);
	buf_puts(&st->line, result);
	buf_putc(&st->line, '\n');
	put_line(st, th);
	th->call = NULL;
	th->is_shown = false;
}

static void put_end(struct strace *st, struct strace_thread *th, s32 code, u64 ns)
{
	if (st->o.json) {
		strace_json_begin(&st->line, th, "exit", line_wall_ns(st->s->names, ns));
		strace_json_end(&st->line, code);
		buf_puts(&st->line, "}\n");
	} else {
		begin_line(st, th, ns);
		strace_put_end(&st->line, code);
		buf_putc(&st->line, '\n');
	}
	put_line(st, th);
}

static void end_thread(struct strace *st, struct strace_thread *th, s32 code, u64 ns)
{
	if (st->o.lines && st->o.status & STATUS_UNFINISHED)
		end_call(st, th, ns, "?");
	if (st->o.lines && !st->o.no_exit)
		put_end(st, th, code, ns);
	if (st->o.separate)
		write_file(st, th);
	if (th->fd >= 0)
		close(th->fd);
	th->fd = -1;
	thread_ends(st, th);
}

static void put_siginfo(struct buf *b, const struct record *r)
{
	u64 words[4];

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = (u64)number(r, 7 + i);
	strace_put_siginfo(b, (u32)number(r, AT_SIGNAL), (s32)number(r, 5), (s32)number(r, 6),
			   words);
}

static void put_signal(struct buf *b, const struct record *r)
{
	buf_puts(b, "--- ");
	strace_put_signal_name(b, (u32)number(r, AT_SIGNAL));
	buf_putc(b, ' ');
	put_siginfo(b, r);
	buf_puts(b, " ---");
}

static void put_json_signal(struct strace *st, struct strace_thread *th, const struct record *r)
{
	struct buf info = {};

	strace_json_begin(&st->line, th, "signal", line_wall_ns(st->s->names, r->ns));
	buf_puts(&st->line, ", \"name\": \"");
	strace_put_signal_name(&st->line, (u32)number(r, AT_SIGNAL));
	buf_puts(&st->line, "\", \"siginfo\": ");
	put_siginfo(&info, r);
	json_strz(&st->line, info.s);
	buf_release(&info);
	buf_puts(&st->line, "}\n");
	put_line(st, th);
}

/* SIGKILL is not delivered: its line is that of the end. */
static bool shows_signal(const struct strace *st, const struct record *r)
{
	u64 signo = (u64)number(r, AT_SIGNAL);

	return st->o.lines && signo && signo != SIGKILL && st->o.signals >> (signo - 1) & 1;
}

static void on_signal(struct strace *st, const struct record *r)
{
	struct strace_thread *th = thread(st, r->tid, r->pid);

	thread(st, r->pid, r->pid)->last_signal = (u32)number(r, AT_SIGNAL);
	if (!shows_signal(st, r))
		return;
	if (st->o.json) {
		put_json_signal(st, th, r);
		return;
	}
	begin_line(st, th, r->ns);
	put_signal(&st->line, r);
	buf_putc(&st->line, '\n');
	put_line(st, th);
}

/* The signal that ended the process, if its delivery was not an event. */
static void show_last_signal(struct strace *st, const struct record *r)
{
	struct strace_thread *first = thread(st, r->pid, r->pid);
	s32 code = (s32)number(r, AT_END_CODE);

	if (WIFSIGNALED(code) && (u32)WTERMSIG(code) == (u32)number(r, AT_SIGNAL) &&
	    first->last_signal != (u32)WTERMSIG(code))
		on_signal(st, r);
}

/* The first thread of a process is reported when the others have ended: as by wait(2). */
static void on_end(struct strace *st, const struct record *r)
{
	struct strace_thread *th = thread(st, r->tid, r->pid), *first;
	s32 code = (s32)number(r, AT_END_CODE);
	bool is_last = number(r, AT_LEFT) == 0;

	show_last_signal(st, r);
	th->end_code = code;
	if (th->tid == th->pid && !is_last) {
		th->is_ending = true;
		return;
	}
	end_thread(st, th, code, r->ns);
	first = th->tid == th->pid ? NULL : thread(st, th->pid, th->pid);
	if (is_last && first && first->is_ending)
		end_thread(st, first, first->end_code, r->ns);
}

/* It is delivered to no one: strace, for which it is queued, shows it after the call. */
static void on_ignored(struct strace *st, const struct record *r)
{
	struct strace_thread *th = hash_get(&st->threads, &r->tid, sizeof(r->tid));

	if (!th || !th->lives || !shows_signal(st, r))
		return;
	if (st->o.json) {
		put_json_signal(st, th, r);
		return;
	}
	buf_clear(&th->held);
	put_signal(&th->held, r);
	if (!th->call)
		flush_held(st, th, r->ns);
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

	while (!st->no_more_in_call && (th = next_thread(st, &i))) {
		if (th->was_in_call && is_late(th, ns)) {
			close_current(st, "<unfinished ...>");
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
			begin_call(st, st->current);
		return;
	}
	while ((th = next_thread(st, &i))) {
		if (is_late(th, r->ns))
			begin_call(st, th);
		write_file(st, th);
	}
}

static void on_exec(struct strace *st, const struct record *r)
{
	struct strace_thread *th = thread(st, r->pid, r->pid);

	st->awaits_exec = false;
	strace_forget_files(&th->files);
	if (!number(r, AT_IS_32_BIT))
		return;
	if (th->call)
		end_call(st, th, r->ns, "0");
	if (st->o.json)
		return;
	begin_line(st, th, r->ns);
	buf_printf(&st->line, "[ Process PID=%u runs in 32 bit mode: its calls are not traced. ]\n",
		   th->pid);
	put_line(st, th);
}

static void on_file(struct strace *st, const struct record *r)
{
	const struct field *f = &r->t->fields[AT_PATH];
	const char *text = r->p + f->offset;

	if (f->type->kind == TY_STRING)
		strace_set_file(st, thread(st, r->tid, r->pid), (s32)number(r, AT_FD), text,
				strnlen(text, f->type->size));
}

/* ---- the output */

static void (*const handlers[N_STRACE_RECORDS])(struct strace *st, const struct record *r) = {
	[RECORD_ENTER] = on_enter,     [RECORD_RETURN] = on_return, [RECORD_BORN] = on_born,
	[RECORD_FORKED] = on_forked,   [RECORD_END] = on_end,       [RECORD_SIGNAL] = on_signal,
	[RECORD_IGNORED] = on_ignored, [RECORD_TICK] = on_tick,     [RECORD_EXEC] = on_exec,
	[RECORD_FILE] = on_file,
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
	if (kind > 0 && kind < N_STRACE_RECORDS && !is_ours(st, &r, kind))
		handlers[kind](st, &r);
}

/* The call in which a thread is already. Its return, if it is in the ring, comes first. */
static void look_in_call(struct strace *st, struct strace_thread *th)
{
	static const struct type args = { .kind = TY_CALL, .size = CALL_USED };
	struct strace_call *call;
	u32 nr;

	if (!strace_in_call(th->pid, th->tid, st->s->names->prog, &nr, &th->args) ||
	    !strace_has_call(&st->o, nr))
		return;
	call = arena_new(&st->c->words_arena, struct strace_call);
	call->name = syscall_name(nr);
	strace_describe(call);
	th->call = call;
	th->args_type = &args;
	th->begun_ns = clock_boot_ns();
	th->was_in_call = true;
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
	st->looked_ns = clock_mono_ns();
	while (st->o.lines && !shows_whole(st) && (th = next_thread(st, &i)))
		look_in_call(st, th);
}

/* An end may have been lost. */
static void look_for_ends(struct strace *st)
{
	struct strace_thread *th;
	char path[32];
	u32 i = 0;

	if (!st->n_live && st->none_lived)
		st->n_expected = 0;
	st->none_lived = !st->n_live;
	while ((th = next_thread(st, &i))) {
		snprintf(path, sizeof(path), "/proc/%u", th->tid);
		if (access(path, F_OK) < 0)
			th->is_missing ? thread_ends(st, th) : (void)(th->is_missing = true);
	}
}

static void tick(struct sink *s)
{
	struct strace *st = strace_of(s);
	u64 now = clock_mono_ns();
	bool follows = st->c->request.traced.scope == SCOPE_TREE;

	if (now - st->looked_ns > LOOK_AFTER_NS) {
		st->looked_ns = now;
		look_for_ends(st);
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

	while (st->o.separate && (th = next_thread(st, &i))) {
		st->current = th->call ? th : NULL;
		close_current(st, "<detached ...>");
		write_file(st, th);
	}
	close_current(st, "<detached ...>");
	if (st->o.summary)
		strace_put_summary(st, &s->out);
	sink_flush(s);
}

void strace_release(struct strace *st)
{
	for (u32 i = 0; i < st->threads.cap; i++) {
		struct strace_thread *th = st->threads.slot[i].key ? st->threads.slot[i].value :
								     NULL;

		if (!th)
			continue;
		if (th->fd >= 0)
			close(th->fd);
		buf_release(&th->args);
		buf_release(&th->held);
		buf_release(&th->out);
		forget_files(th);
		free(th);
	}
	hash_release(&st->threads);
	buf_release(&st->line);
	buf_release(&st->entry_args);
	buf_release(&st->args);
	buf_release(&st->joined);
	free(st->o.paths);
	free(st->sites);
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
