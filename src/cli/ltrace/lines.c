/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of sonde ltrace. In: the records of the script. Out: lines in the layout of
 * ltrace(1). */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "arch/arch.h"
#include "base/json.h"
#include "cli/job.h"
#include "cli/ltrace/values.h"
#include "cli/strace/strace.h"
#include "object/demangle.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/output.h"
#include "provider/uret.h"
#include "trace/value.h"

/* Members of the records. */
enum { AT_PROBE = 4, AT_FROM, AT_SP, AT_DEPTH, AT_ARGS };
enum { RETURN_SP = 5, RETURN_VALUE, RETURN_SECOND };
enum { AT_END_CODE = 4, AT_LEFT };
enum { AT_SIGNAL = 4, AT_HANDLER };
enum { AT_RETVAL = 5, AT_CALL_ARGS, AT_CALL_NS = AT_CALL_ARGS /* -c */ };
enum { MOST_PENDING = 64 }; /* MAX_URETPROBE_DEPTH of kernel/events/uprobes.c */
#ifdef __aarch64__
enum { SP_RISES = 0 };
#else
enum { SP_RISES = 8 }; /* by the return: the return address is popped */
#endif

struct record {
	const struct type *t;
	const char *p;
	u32 tid, pid;
	u64 ns;
};

struct caller_key {
	u64 from;
	u32 pid, pad;
};

struct ltrace_caller { /* what is known about a return address */
	struct caller_key key;
	struct ltrace_object *object; /* NULL: none that was there at the start */
	const char *module;           /* the file's name, if there is one */
	const char *name;             /* by which it calls, or NULL */
};

static struct ltrace *ltrace_of(struct sink *s)
{
	return ((struct cli *)((char *)s - offsetof(struct cli, sink)))->own.ltrace;
}

static s64 number(const struct record *r, u32 i)
{
	return tuple_int(r->t, r->p, i);
}

static struct ltrace_thread *thread(struct ltrace *lt, u32 tid, u32 pid)
{
	struct ltrace_thread *th = hash_get(&lt->threads, &tid, sizeof tid);

	if (!th) {
		th = xcalloc(1, sizeof *th);
		th->tid = tid;
		hash_put(&lt->threads, &th->tid, sizeof th->tid, th);
	}
	th->pid = pid;
	return th;
}

/* ---- functions and callers */

/* "uretprobe:PATH:0xADDRESS" */
static void find_site(struct ltrace *lt, u32 i)
{
	const char *text = site_text(lt->s->names->prog, false, i);
	struct ltrace_func *f = NULL;

	if (text && strchr(text, ':'))
		f = hash_gets(&lt->by_place, strchr(text, ':') + 1);
	if (f)
		f->has_return |= starts_with(text, "uretprobe:");
	lt->sites[i] = f;
}

static const struct ltrace_func *func_at(struct ltrace *lt, u64 i)
{
	u32 n = lt->s->names->prog->sites.n;

	if (i >= n)
		return NULL;
	if (lt->n_sites < n)
		lt->sites = xrealloc(lt->sites, n * sizeof *lt->sites);
	for (; lt->n_sites < n; lt->n_sites++)
		find_site(lt, lt->n_sites);
	return lt->sites[i];
}

static void find_caller(struct ltrace *lt, struct ltrace_caller *caller)
{
	const struct names *names = lt->s->names;
	const struct caller_key *k = &caller->key;
	struct process_at at = { k->pid, 0 };
	struct symbol sym = { 0 };
	u64 offset, address;
	const char *id;

	if (names->usym)
		names->usym(names->ctx, at, k->from, &sym);
	if (!sym.module)
		return;
	caller->object = hash_gets(&lt->by_path, sym.module);
	caller->module = strrchr(sym.module, '/') ? strrchr(sym.module, '/') + 1 : sym.module;
	caller->module = arena_strdup(&lt->c->line.arena, caller->module);
	if (caller->object && names->build_id &&
	    names->build_id(names->ctx, at, k->from, &id, &offset) &&
	    elf_offset_to_address(caller->object->elf, offset, &address))
		caller->name = ltrace_called_name(caller->object, address);
}

static const struct ltrace_caller *caller_of(struct ltrace *lt, u32 pid, u64 from)
{
	struct caller_key key = { from, pid, 0 };
	struct ltrace_caller *caller = hash_get(&lt->callers, &key, sizeof key);

	if (caller)
		return caller;
	caller = arena_new(&lt->c->line.arena, struct ltrace_caller);
	caller->key = key;
	find_caller(lt, caller);
	hash_put(&lt->callers, &caller->key, sizeof key, caller);
	return caller;
}

/* Of several the one that the caller imports. */
static const char *name_for(const struct ltrace_func *f, const struct ltrace_caller *caller)
{
	for (u32 i = 0; i < f->names.n && caller->name; i++)
		if (streq(f->names.v[i], caller->name))
			return f->names.v[i];
	for (u32 i = 0; i < f->names.n && caller->object; i++)
		if (hash_gets(&caller->object->imports, f->names.v[i]))
			return f->names.v[i];
	return f->names.v[0];
}

static bool is_shown(const struct ltrace *lt, const struct ltrace_func *f, const char *name,
		     const struct ltrace_caller *caller)
{
	if (f->is_entry || !lt->o.calls)
		return true;
	return caller->object && ltrace_filter_has(lt->o.calls, name, caller->object);
}

/* ---- lines */

static void put_line(struct ltrace *lt)
{
	buf_add(&lt->s->out, lt->line.s, lt->line.len);
	buf_clear(&lt->line);
	sink_item(lt->s);
}

static void close_current(struct ltrace *lt, const char *how)
{
	struct ltrace_thread *th = lt->current;

	lt->current = NULL;
	if (!th || !th->is_open)
		return;
	th->is_open = false;
	buf_printf(&lt->line, " %s\n", how);
	put_line(lt);
}

static void begin_line(struct ltrace *lt, const struct ltrace_thread *th, u64 ns)
{
	close_current(lt, "<unfinished ...>");
	if (lt->threads.n > 1)
		buf_printf(&lt->line, "[pid %u] ", th->tid);
	line_put_time(&lt->line, lt->s->names, &lt->o.clock, ns);
}

static void put_indent(struct ltrace *lt, u32 level)
{
	buf_pad(&lt->line, ' ', (size_t)lt->o.indent * level);
}

static void put_equals(struct ltrace *lt, u32 width)
{
	width += (u32)lt->line.len;
	buf_pad(&lt->line, ' ', width + 1 < lt->o.column ? lt->o.column - width : 1);
	buf_puts(&lt->line, "= ");
}

static bool is_visible(const struct ltrace *lt)
{
	return escape_wanted(lt->c, lt->s->fd);
}

/* ---- calls */

static void take_stack(const struct ltrace_memory *m, struct ltrace_values *v)
{
	u32 n = MIN(m->len / 8, LTRACE_WORDS - arch_native->n_args);

	if (n)
		memcpy(&v->word[arch_native->n_args], m->bytes, n * sizeof(u64));
	v->n_words = arch_native->n_args + n;
}

static void take_memory(const struct record *r, const struct ltrace_captures *all, u32 first,
			struct ltrace_values *v)
{
	for (u32 i = 0; i < all->n && first + i < r->t->n_fields; i++) {
		const struct field *f = &r->t->fields[first + i];
		u32 word = all->v[i].param;
		struct ltrace_memory stack = { 0 };
		struct ltrace_memory *m = word == LTRACE_RESULT ? &v->memory[LTRACE_WORDS] :
					  word == LTRACE_STACK  ? &stack :
								  &v->memory[word];

		if (f->type->kind == TY_BUFFER) {
			m->len = value_bytes(f->type, r->p + f->offset, &m->bytes);
		} else {
			m->bytes = (const u8 *)r->p + f->offset;
			m->len = value_strlen(f->type, m->bytes);
		}
		if (m == &stack)
			take_stack(m, v);
	}
}

static void take_entry(const struct record *r, const struct ltrace_func *f, struct ltrace_values *v)
{
	u32 n = arch_native->n_args;

	for (u32 i = 0; i < n; i++)
		v->word[i] = (u64)number(r, AT_ARGS + i);
	v->n_words = n;
	take_memory(r, &f->at_entry, AT_ARGS + n, v);
}

static void frame_release(struct ltrace_frame *frame)
{
	free(frame->record);
	free(frame->args);
}

static void push_frame(struct ltrace *lt, struct ltrace_thread *th, const struct record *r,
		       struct ltrace_frame frame)
{
	while (th->frames.n && vec_last(&th->frames)->sp < frame.sp) /* left by longjmp() */
		frame_release(&th->frames.v[--th->frames.n]);
	if (ltrace_first_out(frame.func->proto) < frame.func->proto->n) {
		frame.record = xmalloc(r->t->size);
		memcpy(frame.record, r->p, r->t->size);
		frame.type = r->t;
	}
	vec_push(&lt->c->line.arena, &th->frames, frame);
}

/* Why the kernel does not report the return of a call; NULL: it does. */
static const char *no_return(const struct record *r, const struct ltrace_func *f)
{
	if (number(r, AT_DEPTH) >= MOST_PENDING)
		return "? <64 returns are pending, the kernel reports no more>";
	if (uret_returns_twice(f->names.v[0]))
		return "? <returns twice>";
	return f->has_return || uret_throws(f->names.v[0]) ? NULL : "?";
}

static void end_at_once(struct ltrace *lt, const char *why)
{
	buf_putc(&lt->line, ')');
	put_equals(lt, 0);
	buf_printf(&lt->line, "%s\n", why);
}

static void put_function(struct ltrace *lt, const char *name)
{
	char *plain = lt->o.demangle ? demangle(name) : NULL;

	line_put_name(&lt->line, plain ? plain : name, is_visible(lt));
	free(plain);
}

/* LIBRARY->NAME( */
static void begin_call(struct ltrace *lt, struct ltrace_thread *th, const struct record *r,
		       const char *name, const struct ltrace_caller *caller)
{
	u32 level = th->frames.n ? th->frames.n - 1 : 0;

	begin_line(lt, th, r->ns);
	if (lt->o.addresses)
		buf_printf(&lt->line, "[%#llx] ", (unsigned long long)caller->key.from);
	put_indent(lt, level);
	if (caller->module && !(caller->object && caller->object->is_main)) {
		line_put_name(&lt->line, caller->module, is_visible(lt));
		buf_puts(&lt->line, "->");
	}
	put_function(lt, name);
	buf_putc(&lt->line, '(');
}

/* ---- JSON */

/* The rest of the arguments: from the first one that the function writes. */
static void put_rest(struct ltrace *lt, struct buf *b, const struct ltrace_frame *frame,
		     struct ltrace_values *v)
{
	const struct ltrace_func *f = frame->func;
	struct record entry = { .t = frame->type, .p = frame->record };

	if (!frame->record)
		return;
	take_entry(&entry, f, v);
	ltrace_put_args(b, lt, f, v, ltrace_first_out(f->proto), f->proto->n);
}

struct entered { /* a call */
	const struct ltrace_func *f;
	const struct ltrace_caller *caller;
	const char *name;
	const struct ltrace_values *v;
};

static void begin_json(struct ltrace *lt, const struct ltrace_thread *th, const char *type, u64 ns)
{
	ltrace_json_begin(&lt->line, th, type, line_wall_ns(lt->s->names, ns));
}

static void end_json(struct ltrace *lt)
{
	buf_puts(&lt->line, "}\n");
	put_line(lt);
}

/* The arguments that are known at the entry; a call without a return is shown at once. */
static void enter_json(struct ltrace *lt, struct ltrace_thread *th, const struct record *r,
		       const struct entered *e, const char *why)
{
	buf_clear(&lt->text);
	ltrace_put_args(&lt->text, lt, e->f, e->v, 0,
			why ? e->f->proto->n : ltrace_first_out(e->f->proto));
	buf_puts(&lt->text, "");
	if (!why) {
		vec_last(&th->frames)->args = xstrdup(lt->text.s);
		return;
	}
	begin_json(lt, th, "call", r->ns);
	ltrace_json_call(&lt->line, e->caller->module, e->name, lt->text.s);
	end_json(lt);
}

static void return_json(struct ltrace *lt, struct ltrace_thread *th, const struct record *r,
			const struct ltrace_frame *frame, struct ltrace_values *v)
{
	struct buf args = { 0 };

	buf_puts(&args, frame->args ? frame->args : "");
	put_rest(lt, &args, frame, v);
	buf_clear(&lt->text);
	ltrace_put_result(&lt->text, lt, frame->func, v);
	buf_puts(&lt->text, "");
	begin_json(lt, th, "call", frame->ns);
	ltrace_json_call(&lt->line, frame->caller, frame->name, args.s ? args.s : "");
	ltrace_json_result(&lt->line, lt->text.s, r->ns - frame->ns);
	end_json(lt);
	buf_release(&args);
}

static void on_enter(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	const struct ltrace_func *f = func_at(lt, (u64)number(r, AT_PROBE));
	const struct ltrace_caller *caller;
	struct ltrace_values v = { 0 };
	struct usym_value from;
	const char *name, *why;

	if (!f)
		return;
	memcpy(&from, r->p + r->t->fields[AT_FROM].offset, sizeof from);
	caller = caller_of(lt, r->pid, from.addr);
	name = name_for(f, caller);
	if (!is_shown(lt, f, name, caller))
		return;
	why = no_return(r, f);
	if (!why && lt->o.summary && uret_throws(f->names.v[0]))
		ltrace_count_call(lt, f, name, 0);
	if (!why)
		push_frame(lt, th, r,
			   (struct ltrace_frame){ .func = f,
						  .name = name,
						  .caller = caller->module,
						  .sp = (u64)number(r, AT_SP),
						  .ns = r->ns });
	else if (lt->o.summary)
		ltrace_count_call(lt, f, name, 0);
	if (lt->o.summary)
		return;
	take_entry(r, f, &v);
	if (lt->o.json) {
		enter_json(lt, th, r, &(struct entered){ f, caller, name, &v }, why);
		return;
	}
	begin_call(lt, th, r, name, caller);
	ltrace_put_args(&lt->line, lt, f, &v, 0, why ? f->proto->n : ltrace_first_out(f->proto));
	if (why)
		end_at_once(lt, why);
	th->width = (u32)lt->line.len;
	th->is_open = !why;
	lt->current = why ? NULL : th;
	put_line(lt);
}

/* At a ret, where functions through which exceptions pass are probed, the return address is still
 * there. */
static struct ltrace_frame *frame_of(struct ltrace_thread *th, const struct ltrace_func *f, u64 sp)
{
	for (u32 i = th->frames.n; i-- > 0;)
		if (th->frames.v[i].func == f && sp - th->frames.v[i].sp <= SP_RISES)
			return &th->frames.v[i];
	return NULL;
}

/* That frame and those within it, which did not return. */
static void pop_frames(struct ltrace_thread *th, const struct ltrace_frame *upto)
{
	while (th->frames.n && &th->frames.v[th->frames.n - 1] >= upto)
		frame_release(&th->frames.v[--th->frames.n]);
}

static void put_stack(struct ltrace *lt, const struct record *r)
{
	const struct field *f = &r->t->fields[RETURN_SECOND + 1];

	if (lt->o.frames)
		line_put_stack(&lt->line, lt->s->names, f->type, r->p + f->offset, is_visible(lt));
}

static void on_return(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	const struct ltrace_func *f = func_at(lt, (u64)number(r, AT_PROBE));
	struct ltrace_frame *frame = f ? frame_of(th, f, (u64)number(r, RETURN_SP)) : NULL;
	struct ltrace_values v = { .result = { (u64)number(r, RETURN_VALUE),
					       (u64)number(r, RETURN_SECOND) } };
	u32 width = 0;

	if (!frame)
		return;
	if (lt->o.summary) {
		ltrace_count_call(lt, f, frame->name, r->ns - frame->ns);
		pop_frames(th, frame);
		return;
	}
	take_memory(r, &f->at_return, RETURN_SECOND + 1 + !!lt->o.frames, &v);
	if (lt->o.json) {
		return_json(lt, th, r, frame, &v);
		pop_frames(th, frame);
		return;
	}
	if (th->is_open && lt->current == th && frame == vec_last(&th->frames)) {
		width = th->width;
		th->is_open = false;
		lt->current = NULL;
	} else {
		begin_line(lt, th, r->ns);
		put_indent(lt, (u32)(frame - th->frames.v));
		buf_puts(&lt->line, "<... ");
		put_function(lt, frame->name);
		buf_puts(&lt->line, " resumed> ");
	}
	put_rest(lt, &lt->line, frame, &v);
	buf_putc(&lt->line, ')');
	put_equals(lt, width);
	ltrace_put_result(&lt->line, lt, f, &v);
	if (lt->o.spent) {
		buf_puts(&lt->line, " <");
		line_put_seconds(&lt->line, r->ns - frame->ns);
		buf_putc(&lt->line, '>');
	}
	buf_putc(&lt->line, '\n');
	pop_frames(th, frame);
	put_stack(lt, r);
	put_line(lt);
}

static const char *call_name(struct ltrace *lt, const struct record *r)
{
	const char *text = site_text(lt->s->names->prog, false, (u64)number(r, AT_PROBE));
	const char *name = text && strchr(text, ':') ? strchr(text, ':') + 1 : "";

	return arena_strndup(&lt->c->line.arena, name, strcspn(name, ":"));
}

static const char *call_args(struct ltrace *lt, const struct record *r)
{
	const struct field *f = &r->t->fields[AT_CALL_ARGS];

	buf_clear(&lt->text);
	value_text(&lt->text, lt->s->names, f->type, r->p + f->offset);
	return lt->text.s ? lt->text.s : "";
}

/*
 * Return probes end in a system call of their own (uretprobe, 335), which the table of calls does
 * not have: it is reported by another name.
 */
static bool is_of_probe(struct ltrace_thread *th, const struct strace_call *call)
{
	if (!streq(call->name, "rt_sigreturn"))
		return false;
	if (!th->n_handlers)
		return true;
	th->n_handlers--;
	return false;
}

static void put_call_result(struct ltrace *lt, struct buf *b, const struct record *r,
			    const struct strace_call *call)
{
	const struct field *args = &r->t->fields[AT_CALL_ARGS];

	if (number(r, 0) == LTRACE_EXIT)
		buf_putc(b, '?');
	else
		strace_put_result(b, call, lt->s->names, r->p + args->offset, args->type->size,
				  number(r, AT_RETVAL));
}

static void syscall_json(struct ltrace *lt, struct ltrace_thread *th, const struct record *r,
			 const struct strace_call *call, const char *args)
{
	struct buf result = { 0 };

	put_call_result(lt, &result, r, call);
	begin_json(lt, th, "syscall", r->ns);
	strace_json_call(&lt->line, call->name, args);
	buf_puts(&lt->line, ", \"result\": ");
	json_strz(&lt->line, result.s ? result.s : "");
	end_json(lt);
	buf_release(&result);
}

static void count_syscall(struct ltrace *lt, const struct record *r, const char *name)
{
	const char *shown = arena_printf(&lt->c->line.arena, "SYS_%s", name);

	ltrace_count_call(lt, NULL, shown, (u64)number(r, AT_CALL_NS));
}

/* SYS_read(...) = 3, with the arguments and results of sonde strace. */
static void on_syscall(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	struct strace_call call = { .name = call_name(lt, r) };
	const char *args;

	if (is_of_probe(th, &call))
		return;
	if (lt->o.summary) {
		count_syscall(lt, r, call.name);
		return;
	}
	args = call_args(lt, r);
	strace_describe(&call);
	if (lt->o.json) {
		syscall_json(lt, th, r, &call, args);
		return;
	}
	begin_line(lt, th, r->ns);
	put_indent(lt, th->frames.n);
	buf_printf(&lt->line, "SYS_%s(%s)", call.name, args);
	put_equals(lt, 0);
	put_call_result(lt, &lt->line, r, &call);
	buf_putc(&lt->line, '\n');
	put_line(lt);
}

static void put_signal(struct ltrace *lt, const struct ltrace_thread *th, u32 signo, u64 ns)
{
	if (lt->o.summary)
		return;
	if (lt->o.json) {
		begin_json(lt, th, "signal", ns);
		buf_puts(&lt->line, ", \"name\": \"");
		strace_put_signal_name(&lt->line, signo);
		buf_putc(&lt->line, '"');
		end_json(lt);
		return;
	}
	begin_line(lt, th, ns);
	buf_puts(&lt->line, "--- ");
	strace_put_signal_name(&lt->line, signo);
	buf_printf(&lt->line, " (%s) ---\n", strsignal((int)signo));
	put_line(lt);
}

/* SIGKILL is how the kernel ends the threads of a process, whatever the reason: the line of the end
 * gives that. */
static void on_signal(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	u32 signo = (u32)number(r, AT_SIGNAL);

	th->n_handlers += number(r, AT_HANDLER) > 1; /* not SIG_DFL, SIG_IGN */
	if (signo == SIGKILL)
		return;
	thread(lt, r->pid, r->pid)->signal = signo;
	put_signal(lt, th, signo, r->ns);
}

static void on_ignored(struct ltrace *lt, const struct record *r)
{
	const struct ltrace_thread *th = hash_get(&lt->threads, &r->tid, sizeof r->tid);

	if (th)
		put_signal(lt, th, (u32)number(r, AT_SIGNAL), r->ns);
}

/* The signal that ended the process, if its delivery was not an event: all but those that dump
 * core. */
static void show_last_signal(struct ltrace *lt, const struct record *r)
{
	s32 code = (s32)number(r, AT_END_CODE);
	struct ltrace_thread *first;

	if (!WIFSIGNALED(code) || WTERMSIG(code) == SIGKILL || lt->o.no_signals)
		return;
	first = thread(lt, r->pid, r->pid);
	if (first->signal != (u32)WTERMSIG(code))
		put_signal(lt, thread(lt, r->tid, r->pid), (u32)WTERMSIG(code), r->ns);
	first->signal = (u32)WTERMSIG(code);
}

static void on_end(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);
	s32 code = (s32)number(r, AT_END_CODE);

	if (lt->current == th)
		close_current(lt, "<no return ...>");
	pop_frames(th, th->frames.v);
	show_last_signal(lt, r);
	if (number(r, AT_LEFT) || lt->o.summary)
		return;
	if (lt->o.json) {
		begin_json(lt, th, "exit", r->ns);
		ltrace_json_status(&lt->line, code);
		end_json(lt);
		return;
	}
	begin_line(lt, th, r->ns);
	if (WIFSIGNALED(code)) {
		buf_puts(&lt->line, "+++ killed by ");
		strace_put_signal_name(&lt->line, (u32)WTERMSIG(code));
		buf_puts(&lt->line, " +++\n");
	} else {
		buf_printf(&lt->line, "+++ exited (status %d) +++\n", WEXITSTATUS(code));
	}
	put_line(lt);
}

/* Functions are found before CMD is executed, in its files. */
static void tell_other_program(struct ltrace *lt)
{
	if (!lt->n_programs++ && lt->c->request.traced.command)
		return;
	if (!lt->told_program && !lt->o.other_programs)
		sink_warn(
			lt->s,
			"another program was executed: its calls are shown for functions that files of the first "
			"program call, too (-f shows those to all functions of its libraries, --no-follow leaves children out)");
	lt->told_program = true;
}

static void on_exec(struct ltrace *lt, const struct record *r)
{
	struct ltrace_thread *th = thread(lt, r->tid, r->pid);

	tell_other_program(lt);
	pop_frames(th, th->frames.v);
	hash_release(&lt->callers);
	lt->callers = (struct hash){ 0 };
}

static void (*const handlers[N_LTRACE_RECORDS])(struct ltrace *lt, const struct record *r) = {
	[LTRACE_ENTER] = on_enter,  [LTRACE_RETURN] = on_return,   [LTRACE_END] = on_end,
	[LTRACE_EXEC] = on_exec,    [LTRACE_SIGNAL] = on_signal,   [LTRACE_SYSCALL] = on_syscall,
	[LTRACE_EXIT] = on_syscall, [LTRACE_IGNORED] = on_ignored,
};

static void value(struct sink *s, const struct type *t, const void *p)
{
	struct ltrace *lt = ltrace_of(s);
	struct record r = { .t = t, .p = p };
	s64 kind;

	if (t->kind != TY_TUPLE || t->n_fields < 4)
		return;
	kind = number(&r, 0);
	r.tid = (u32)number(&r, 1);
	r.pid = (u32)number(&r, 2);
	r.ns = (u64)number(&r, 3);
	if (lt->awaits_exec && job_is_launcher(lt->c, r.pid)) {
		if (kind != LTRACE_EXEC) /* until then its process is ours */
			return;
		lt->awaits_exec = false;
	}
	if (kind > 0 && kind < N_LTRACE_RECORDS)
		handlers[kind](lt, &r);
}

static void attached(struct sink *s, u32 n_probes)
{
	put_notify(s);
}

/* Memory that cannot be read is shown as its address: that is no loss. */
static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	if (loss_row(loss)->reason)
		output_text.lost(s, loss, count);
}

static void end(struct sink *s)
{
	struct ltrace *lt = ltrace_of(s);

	close_current(lt, "<unfinished ...>");
	if (lt->o.summary)
		ltrace_put_summary(lt, &s->out);
	sink_flush(s);
}

void ltrace_release_lines(struct ltrace *lt)
{
	for (u32 i = 0; i < lt->threads.cap; i++) {
		struct ltrace_thread *th = lt->threads.slot[i].key ? lt->threads.slot[i].value :
								     NULL;

		if (th)
			pop_frames(th, th->frames.v);
		free(th);
	}
	hash_release(&lt->threads);
	hash_release(&lt->callers);
	hash_release(&lt->counts);
	buf_release(&lt->line);
	buf_release(&lt->text);
	free(lt->sites);
}

const struct output output_ltrace = {
	.name = "ltrace",
	.brief = "lines as ltrace(1) prints them",
	.attached = attached,
	TEXT_MESSAGES,
	.value = value,
	.table = none_table,
	.event = text_event,
	.lost = lost,
	.end = end,
};
