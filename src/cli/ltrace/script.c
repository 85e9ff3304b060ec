/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script of a run. In: the functions. Out: text of the language, a print() for each record.
 * Functions whose records are alike share a clause: what a clause does is put together first, and
 * is the key.
 */
#include "arch/arch.h"
#include "cli/job.h"
#include "cli/ltrace/ltrace.h"
#include "provider/uret.h"

/*
 * Where a function was called from. A return probe that is pending has put the address of the
 * kernel's trampoline in place of the return address: then the function was not called but jumped
 * to, by the one that is pending.
 */
#ifdef __aarch64__
#define RETURN_ADDRESS "reg(\"lr\")"
#define SP_AT_RETURN "reg(\"sp\")"
#define SECOND_RESULT "x1"
#define STACK_WORDS 0 /* bytes from the stack pointer to the words of the stack */
#else
#define RETURN_ADDRESS "*(uint64 *)reg(\"sp\")"
#define SP_AT_RETURN "(reg(\"sp\") - 8)"
#define SECOND_RESULT "dx"
#define STACK_WORDS 8
#endif
static const char caller[] =
	"	let $from = (uint64)" RETURN_ADDRESS ";\n"
	"	let $area = (uint64)curtask.mm.uprobes_state.xol_area;\n"
	"	if ($area != 0 && $from == (uint64)curtask.mm.uprobes_state.xol_area.vaddr) {\n"
	"		$from = (uint64)curtask.utask.return_instances.func;\n"
	"	}\n";

static const char life[] =
	"rawtracepoint:sched_process_exit {\n"
	"	print((%d, tid, pid, nsecs, curtask.exit_code, curtask.signal.live.counter));\n"
	"}\n"
	"rawtracepoint:sched_process_exec { print((%d, tid, pid, nsecs)); }\n";

/* The register of results as it is: retval has the type that debug information gives it. */
static const char *result_register(void)
{
	for (u32 i = 0; i < arch_native->n_regs; i++)
		if (arch_native->regs[i].offset == arch_native->retval)
			return arch_native->regs[i].name;
	BUG("no register has the result");
}

/* Calls from the file itself count, too. */
static bool counts_all(const struct ltrace_func *f)
{
	return f->is_entry || f->is_stub;
}

/* ---- memory */

/* The number of bytes to copy: one more than is shown, to know whether there are more. */
static void put_length(struct buf *b, const struct ltrace_capture *c, bool at_return)
{
	const struct proto_type *t = c->type->kind == PROTO_POINTER ? c->type->elem : c->type;
	char count[64];

	if (t->len_kind == COUNT_ARG && t->len < arch_native->n_args)
		snprintf(count, sizeof count, at_return ? "$v.%u" : "arg%u", t->len);
	else if (t->len_kind == COUNT_RETURN && at_return)
		snprintf(count, sizeof count, "reg(\"%s\")", result_register());
	else
		snprintf(count, sizeof count, "%u", c->bytes);
	if (t->len_kind == COUNT_RETURN || t->len_kind == COUNT_ARG)
		buf_printf(b, "((uint64)%s < %u ? (uint64)%s * %u : (int64)%s < 0 ? 0 : %u)", count,
			   (c->bytes + c->unit) / c->unit, count, c->unit, count, c->bytes + 1);
	else
		buf_puts(b, count);
}

static void put_captures(struct buf *b, const struct ltrace_captures *all, bool at_return)
{
	for (u32 i = 0; i < all->n; i++) {
		const struct ltrace_capture *c = &all->v[i];
		char at[64];

		if (c->param == LTRACE_RESULT)
			snprintf(at, sizeof at, "(uint64)reg(\"%s\")", result_register());
		else if (c->param == LTRACE_STACK)
			snprintf(at, sizeof at, "((uint64)reg(\"sp\") + %u)", STACK_WORDS);
		else if (c->param >= arch_native->n_args)
			snprintf(at, sizeof at, "*(uint64 *)((uint64)reg(\"sp\") + %u)",
				 STACK_WORDS + (c->param - arch_native->n_args) * 8);
		else
			snprintf(at, sizeof at, at_return ? "(uint64)$v.%u" : "(uint64)arg%u",
				 c->param);
		if (c->is_pointer_to_string)
			buf_printf(b, ", str(*(uint64 *)(%s), %u)", at, c->bytes + 2);
		else if (c->is_string)
			buf_printf(b, ", str(%s, %u)", at, c->bytes + 2);
		else {
			buf_printf(b, ", buf((uint8 *)%s, ", at);
			put_length(b, c, at_return);
			buf_putc(b, ')');
		}
	}
}

/* ---- clauses */

/* ltrace, a ptracer, gets those that are ignored, too: result 1 is TRACE_SIGNAL_IGNORED, the
 * special values of info are SEND_SIG_NOINFO and SEND_SIG_PRIV. */
static const char signals[] =
	"rawtracepoint:signal_deliver { print((%d, tid, pid, nsecs, args.sig, (uint64)args.ka.sa.sa_handler)); }\n"
	"rawtracepoint:signal_generate /args.result == 1 && (uint64)args.info > 1/ {\n"
	"	print((%d, args.task.pid, args.task.tgid, nsecs, args.sig, 0));\n"
	"}\n";
/* Calls that do not return are shown when they begin. */
static const char system_calls[] =
	"syscall:*:return { print((%d, tid, pid, nsecs, probe, retval, argstr)); }\n"
	"syscall:=exit_group, syscall:=exit { print((%d, tid, pid, nsecs, probe, 0, argstr)); }\n";

/* -c: the time of a call instead of its arguments. */
static const char timed_system_calls[] =
	"syscall:* { @since[tid] = nsecs; }\n"
	"syscall:*:return /@since[tid]/ { print((%d, tid, pid, nsecs, probe, retval, nsecs - @since[tid])); delete(@since, tid); }\n";

static void put_system_calls(struct buf *b, const struct ltrace *lt)
{
	if (lt->o.summary)
		buf_printf(b, timed_system_calls, LTRACE_SYSCALL);
	else
		buf_printf(b, system_calls, LTRACE_SYSCALL, LTRACE_EXIT);
}

static void put_args(struct buf *b)
{
	for (u32 i = 0; i < arch_native->n_args; i++)
		buf_printf(b, "%sarg%u", i ? ", " : "", i);
}

static const char *entry_body(struct ltrace *lt, const struct ltrace_func *f)
{
	struct buf b = { 0 };
	const char *text;

	buf_printf(&b, " {\n%s	if (%s) {\n", caller, counts_all(f) ? "true" : "outside($from)");
	if (f->saves_args) {
		buf_puts(&b, "		@args[tid, (uint64)reg(\"sp\")] = (");
		put_args(&b);
		buf_puts(&b, ");\n");
	}
	buf_printf(
		&b,
		"		print((%d, tid, pid, nsecs, probe, usym($from), reg(\"sp\"), curtask.utask.depth, ",
		LTRACE_ENTER);
	put_args(&b);
	put_captures(&b, &f->at_entry, false);
	buf_puts(&b, "));\n	}\n}\n");
	text = arena_strdup(&lt->c->line.arena, b.s);
	buf_release(&b);
	return text;
}

static const char *return_body(struct ltrace *lt, const struct ltrace_func *f)
{
	struct buf b = { 0 };
	const char *text;

	buf_printf(&b, " {\n	if (%s) {\n", counts_all(f) ? "true" : "outside(reg(\"ip\"))");
	if (f->saves_args)
		buf_puts(&b, "		let $v = @args[tid, (uint64)" SP_AT_RETURN "];\n");
	buf_printf(&b, "\t\tprint((%d, tid, pid, nsecs, probe, reg(\"sp\"), reg(\"%s\"), ",
		   LTRACE_RETURN, result_register());
	buf_puts(&b, f->has_second ? "reg(\"" SECOND_RESULT "\")" : "0");
	if (lt->o.frames)
		buf_printf(&b, ", ustack(%u)", lt->o.frames);
	put_captures(&b, &f->at_return, true);
	buf_puts(&b, "));\n");
	if (f->saves_args)
		buf_puts(&b, "		_ = delete(@args, (tid, (uint64)" SP_AT_RETURN "));\n");
	buf_puts(&b, "	}\n}\n");
	text = arena_strdup(&lt->c->line.arena, b.s);
	buf_release(&b);
	return text;
}

struct ltrace_clause {
	const char *body;
	VEC(const struct ltrace_func *) funcs;
};

struct ltrace_clauses {
	struct hash by_body;
	VEC(struct ltrace_clause *) list;
};

static void add_to(struct ltrace *lt, struct ltrace_clauses *all, const char *body,
		   const struct ltrace_func *f)
{
	struct ltrace_clause *c = hash_gets(&all->by_body, body);

	if (!c) {
		c = arena_new(&lt->c->line.arena, struct ltrace_clause);
		c->body = body;
		hash_puts(&all->by_body, body, c);
		vec_push(&lt->c->line.arena, &all->list, c);
	}
	vec_push(&lt->c->line.arena, &c->funcs, f);
}

/* The places of one file are one probe: KIND:"PATH":"0x1000|0x1100" */
static void put_probes(struct buf *b, const struct ltrace *lt, const char *kind,
		       const struct ltrace_clause *c)
{
	u32 n_probes = 0;

	for (u32 i = 0; i < lt->objects.n; i++) {
		u32 n = 0;

		for (u32 j = 0; j < c->funcs.n; j++) {
			const struct ltrace_func *f = c->funcs.v[j];

			if (f->object != lt->objects.v[i])
				continue;
			if (!n++)
				buf_printf(b, "%s%s:\"%s\":\"", n_probes++ ? "," : "", kind,
					   f->object->path);
			buf_printf(b, "%s%#llx", n > 1 ? "|" : "", (unsigned long long)f->address);
		}
		buf_puts(b, n == 1 ? "|\"" : n ? "\"" : "");
	}
}

static void put_clauses(struct buf *b, const struct ltrace *lt, const char *kind,
			struct ltrace_clauses *all)
{
	for (u32 i = 0; i < all->list.n; i++) {
		put_probes(b, lt, kind, all->list.v[i]);
		buf_puts(b, all->list.v[i]->body);
	}
	hash_release(&all->by_body);
}

const char *ltrace_script(struct ltrace *lt)
{
	struct ltrace_clauses entries = { 0 }, returns = { 0 };
	struct buf b = { 0 };
	const char *text;

	for (u32 i = 0; i < lt->funcs.n; i++) {
		const struct ltrace_func *f = lt->funcs.v[i];

		add_to(lt, &entries, entry_body(lt, f), f);
		if (!uret_returns_twice(f->names.v[0]) && !uret_throws(f->names.v[0]))
			add_to(lt, &returns, return_body(lt, f), f);
	}
	buf_printf(
		&b,
		"config = { max_probes = 1000000; print_maps_on_exit = false; perf_rb_pages = %llu; max_strlen = %u%s }\n",
		(unsigned long long)job_ring_pages(),
		MAX(lt->o.strings + 2, LTRACE_BYTES + (u32)sizeof(u64)),
		lt->has_exceptions ? "; missing_probes = ignore" : "");
	buf_printf(&b, life, LTRACE_END, LTRACE_EXEC);
	if (!lt->o.no_signals)
		buf_printf(&b, signals, LTRACE_SIGNAL, LTRACE_IGNORED);
	if (lt->o.system_calls)
		put_system_calls(&b, lt);
	put_clauses(&b, lt, "uprobe", &entries);
	put_clauses(&b, lt, "uretprobe", &returns);
	text = arena_strdup(&lt->c->line.arena, b.s);
	buf_release(&b);
	return text;
}
