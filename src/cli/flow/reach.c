/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What functions of the kernel reach by direct calls, where it has no multi links and each probe is
 * attached by itself. In: FUNC... Out: names, the nearest first, at most MOST of them. Code is read
 * from /proc/kcore and decoded from the start of a function to the next symbol: calls, and jumps
 * that leave it. Calls by pointers cannot be followed: the user names the function that they lead
 * to.
 */
#include <stdlib.h>
#include "arch/arch.h"
#include "arch/insn.h"
#include "base/glob.h"
#include "cli/flow/flow.h"
#include "provider/kcode.h"
#include "session/system.h"
#include "sym/kallsyms.h"

enum { MOST = 100, MOST_CODE = 32 << 10 };

struct reach {
	struct flow *f;
	struct arena *arena;
	struct kallsyms *ksyms;
	VEC(u64) starts; /* of functions, in the order of addresses */
	VEC(u64) queue;  /* addresses of functions whose code is to be read, the nearest first */
	struct hash seen;
	u8 code[MOST_CODE];
	bool is_unreadable;
};

static int add_start(void *ctx, const struct ksym *s)
{
	struct reach *r = ctx;

	if (ksym_is_text(s) && (!r->starts.n || vec_last(&r->starts)[0] != s->address))
		vec_push(r->arena, &r->starts, s->address);
	return 0;
}

/* Bytes from a function's start to the next one. */
static u32 length_of(const struct reach *r, u64 start)
{
	u32 lo = 0, hi = r->starts.n;

	while (lo < hi) { /* the first above it */
		u32 mid = lo + (hi - lo) / 2;

		if (r->starts.v[mid] <= start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->starts.n ? (u32)MIN(r->starts.v[lo] - start, (u64)MOST_CODE) : 0;
}

/* The unlikely part of a function is read, too, and is none of its own: patterns leave it out. */
static void add_function(struct reach *r, u64 address)
{
	struct hash *names = &r->f->reached;
	struct ksym s;

	if (names->n >= MOST || hash_get(&r->seen, &address, sizeof address))
		return;
	if (!kallsyms_lookup(r->ksyms, address, &s) || s.offset || !ksym_is_text(&s))
		return;
	hash_put(&r->seen, arena_dup(r->arena, &address, sizeof address), sizeof address, r);
	vec_push(r->arena, &r->queue, address);
	if (!strstr(s.name, ".cold") && !starts_with(s.name, "__SCT__"))
		hash_puts(names, arena_strdup(r->arena, s.name), r);
}

static s64 signed_bits(u32 word, u32 bits)
{
	return (s64)((u64)word << (64 - bits)) >> (64 - bits);
}

/* Where a call or jump leads; 0: it is none. */
static u64 target_x86(const u8 *code, u32 n, u64 at)
{
	bool is_near = n == 5 && (code[0] == 0xe8 || code[0] == 0xe9);
	bool is_jcc = n == 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
	s32 offset;

	if (!is_near && !is_jcc)
		return 0;
	memcpy(&offset, code + n - 4, sizeof offset);
	return at + n + (u64)(s64)offset;
}

/* b, bl: imm26 */
static u64 target_arm64(const u8 *code, u64 at)
{
	u32 word;

	memcpy(&word, code, sizeof word);
	return (word & 0x7c000000) == 0x14000000 ? at + 4 * (u64)signed_bits(word, 26) : 0;
}

static void read_function(struct reach *r, u64 start)
{
	u32 len = kernel_code_read(start, r->code, length_of(r, start)), n;
	bool is_arm64 = arch_native == &arch_arm64;

	r->is_unreadable |= !len;
	for (u32 at = 0; at < len; at += n) {
		u64 target;

		n = is_arm64 ? 4 : x86_insn_len(r->code + at, len - at);
		if (!n || at + n > len)
			return;
		target = is_arm64 ? target_arm64(r->code + at, start + at) :
				    target_x86(r->code + at, n, start + at);
		if (target && (target < start || target >= start + len))
			add_function(r, target);
	}
}

static int add_first(void *ctx, const struct ksym *s)
{
	struct reach *r = ctx;
	const struct flow *f = r->f;

	for (u32 i = 0; i < f->kernel_functions.n; i++)
		if (ksym_is_text(s) && glob_match(f->kernel_functions.v[i], s->name))
			add_function(r, s->address);
	return 0;
}

int flow_find_reached(struct flow *f)
{
	struct reach *r = xcalloc(1, sizeof *r);
	bool is_unreadable;

	r->f = f;
	r->arena = &f->t.c->line.arena;
	r->ksyms = system_kallsyms(&f->system);
	kallsyms_each(r->ksyms, add_start, r);
	kallsyms_each(r->ksyms, add_first, r);
	for (u32 i = 0; i < r->queue.n && f->reached.n < MOST; i++)
		read_function(r, r->queue.v[i]);
	is_unreadable = r->is_unreadable && f->reached.n <= f->kernel_functions.n;
	hash_release(&r->seen);
	free(r);
	if (is_unreadable) {
		say(f->t.c,
		    "this kernel has no kprobe multi links, and its code cannot be read (/proc/kcore), which shows what %s calls",
		    f->kernel_functions.v[0]);
		return STATUS_REFUSED;
	}
	if (!f->t.c->output.quiet)
		say_note(
			f->t.c,
			"this kernel has no kprobe multi links: sonde probes %u functions that %s reaches by direct calls, the nearest "
			"first; name functions that are called through pointers",
			f->reached.n, f->kernel_functions.v[0]);
	return 0;
}
