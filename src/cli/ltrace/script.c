/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script of a run. In: the functions. Out: text of the language, a print() for each record. */
#include <unistd.h>
#include "arch/arch.h"
#include "cli/ltrace/ltrace.h"
#include "provider/uret.h"

/*
 * Where a function was called from. A return probe that is pending has put the address of the kernel's
 * trampoline in place of the return address: then the function was not called but jumped to, by the
 * one that is pending.
 */
#ifdef __aarch64__
#define RETURN_ADDRESS "reg(\"lr\")"
#else
#define RETURN_ADDRESS "*(uint64 *)reg(\"sp\")"
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

/* The places of one file are one probe: KIND:"PATH":"0x1000|0x1100" */
static void put_probes(struct buf *b, const struct ltrace *lt, const char *kind,
		       bool (*has)(const struct ltrace_func *f))
{
	for (u32 i = 0; i < lt->objects.n; i++) {
		u32 n = 0;

		for (u32 j = 0; j < lt->funcs.n; j++) {
			const struct ltrace_func *f = lt->funcs.v[j];

			if (f->object != lt->objects.v[i] || !has(f))
				continue;
			if (!n++)
				buf_printf(b, "%s%s:\"%s\":\"", b->s[b->len - 1] == '"' ? "," : "",
					   kind, f->object->path);
			buf_printf(b, "%s%#llx", n > 1 ? "|" : "", (unsigned long long)f->address);
		}
		buf_puts(b, n ? "\"" : "");
	}
}

/* The register of results as it is: retval has the type that debug information gives it. */
static const char *result_register(void)
{
	for (u32 i = 0; i < arch_native->n_regs; i++)
		if (arch_native->regs[i].offset == arch_native->retval)
			return arch_native->regs[i].name;
	BUG("no register has the result");
}

/* ---- the clauses: functions whose calls all count, and others */

static bool counts_all(const struct ltrace_func *f)
{
	return f->is_entry || f->is_stub;
}

static bool counts_some(const struct ltrace_func *f)
{
	return !counts_all(f);
}

static bool returns_once(const struct ltrace_func *f)
{
	return !uret_returns_twice(f->names.v[0]);
}

static bool counts_all_returns(const struct ltrace_func *f)
{
	return counts_all(f) && returns_once(f);
}

static bool counts_some_returns(const struct ltrace_func *f)
{
	return counts_some(f) && returns_once(f);
}

static const struct {
	bool (*has)(const struct ltrace_func *f), (*has_return)(const struct ltrace_func *f);
	const char *entry_if, *return_if;
} clauses[] = {
	{ counts_some, counts_some_returns, "outside($from)", "outside(reg(\"ip\"))" },
	{ counts_all, counts_all_returns, "true", "true" },
};

static void put_clauses(struct buf *b, const struct ltrace *lt, u32 i)
{
	size_t before = b->len;

	put_probes(b, lt, "uprobe", clauses[i].has);
	if (b->len > before)
		buf_printf(
			b,
			" {\n%s	if (%s) {\n"
			"		print((%d, tid, pid, nsecs, probe, usym($from), reg(\"sp\"), curtask.utask.depth,\n"
			"		       arg0, arg1, arg2, arg3, arg4, arg5));\n"
			"	}\n}\n",
			caller, clauses[i].entry_if, LTRACE_ENTER);
	before = b->len;
	put_probes(b, lt, "uretprobe", clauses[i].has_return);
	if (b->len > before)
		buf_printf(
			b,
			" {\n	if (%s) {\n"
			"		print((%d, tid, pid, nsecs, probe, reg(\"sp\"), reg(\"%s\")));\n"
			"	}\n}\n",
			clauses[i].return_if, LTRACE_RETURN, result_register());
}

/* As for sonde strace: a hundredth of memory, at most 32 MB. */
static u64 ring_pages(void)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), pages = (u64)sysconf(_SC_PHYS_PAGES) / 100;

	return MIN(pages, (32ull << 20) / page);
}

const char *ltrace_script(const struct ltrace *lt)
{
	struct buf b = { 0 };
	const char *text;

	buf_printf(&b, "config = { perf_rb_pages = %llu }\n", (unsigned long long)ring_pages());
	buf_printf(&b, life, LTRACE_END, LTRACE_EXEC);
	for (u32 i = 0; i < ARRAY_SIZE(clauses); i++)
		put_clauses(&b, lt, i);
	text = arena_strdup(&lt->c->words_arena, b.s);
	buf_release(&b);
	return text;
}
