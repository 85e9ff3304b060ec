/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -c: the table of functions, those that took the longest first. */
#include <elf.h>
#include <stdlib.h>
#include "arch/insn.h"
#include "arch/insn_arm64.h"
#include "cli/ltrace/ltrace.h"

static const u8 *code_at(const struct elf *e, u64 address, u32 *room)
{
	struct elf_section s;

	for (u32 i = 0; elf_code_segment(e, i, &s); i++)
		if (s.bytes && address - s.address < s.size) {
			*room = (u32)MIN(s.size - (address - s.address), 16);
			return (const u8 *)s.bytes + (address - s.address);
		}
	return NULL;
}

/* The return probe is at the first instruction: what the kernel cannot emulate it executes as a
 * copy, with two more exceptions. */
static bool is_stepped(const struct ltrace_func *f)
{
	u32 room = 0, word;
	const u8 *code = code_at(f->object->elf, f->address, &room);
	struct x86_insn in;

	if (!code || room < 4)
		return false;
	if (elf_machine(f->object->elf) == EM_AARCH64)
		return memcpy(&word, code, 4), !arm64_uprobe_simulates(word, false);
	return x86_decode(code, room, X86_64, &in) && !x86_uprobe_emulates(&in, code, false);
}

void ltrace_count_call(struct ltrace *lt, const struct ltrace_func *f, const char *name, u64 ns)
{
	struct ltrace_count *n = hash_gets(&lt->counts, name);

	if (!n) {
		n = arena_new(&lt->c->line.arena, struct ltrace_count);
		n->name = name;
		n->is_stepped = f && is_stepped(f);
		hash_puts(&lt->counts, name, n);
	}
	n->calls++;
	n->ns += ns;
}

static int longest_first(const void *a, const void *b)
{
	const struct ltrace_count *x = *(struct ltrace_count *const *)a,
				  *y = *(struct ltrace_count *const *)b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_row(struct buf *b, const struct ltrace_count *n, u64 all_ns)
{
	double seconds = (double)n->ns / 1e9,
	       percent = all_ns ? 100.0 * (double)n->ns / (double)all_ns : 0;

	if (n->ns)
		buf_printf(b, "%6.2f %11.6f %11llu ", percent, seconds,
			   (unsigned long long)(n->ns / n->calls / 1000));
	else /* no return of it was seen */
		buf_printf(b, "%6s %11s %11s ", "?", "?", "?");
	buf_printf(b, "%9llu %s\n", (unsigned long long)n->calls, n->name);
}

static void put_stepped(struct buf *b, struct ltrace_count *const *v, u32 n)
{
	u32 told = 0;

	for (u32 i = 0; i < n; i++)
		if (v[i]->is_stepped)
			buf_printf(b, "%s%s",
				   told++ ?
					   ", " :
					   "single-stepped, which costs some microseconds a call: ",
				   v[i]->name);
	buf_puts(b, told ? "\n" : "");
}

void ltrace_put_summary(struct ltrace *lt, struct buf *b)
{
	static const char line[] =
		"------ ----------- ----------- --------- --------------------\n";
	struct ltrace_count **v = xcalloc(lt->counts.n + 1, sizeof *v), all = { .name = "total" };
	u32 n = 0;

	for (u32 i = 0; i < lt->counts.cap; i++)
		if (lt->counts.slot[i].key)
			v[n++] = lt->counts.slot[i].value;
	qsort(v, n, sizeof(struct ltrace_count *), longest_first);
	for (u32 i = 0; i < n; i++) {
		all.ns += v[i]->ns;
		all.calls += v[i]->calls;
	}
	buf_printf(b, "%% time     seconds  usecs/call     calls      function\n%s", line);
	for (u32 i = 0; i < n; i++)
		put_row(b, v[i], all.ns);
	buf_printf(b, "%s%6.2f %11.6f %11s %9llu %s\n", line, n ? 100.0 : 0.0, (double)all.ns / 1e9,
		   "", (unsigned long long)all.calls, all.name);
	put_stepped(b, v, n);
	free(v);
}
