/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the instruction of a uprobe. Input: a function and what its probe reads; output: an
 * offset. From the entry on, instructions of known effect are skipped, up to the first one that the
 * kernel emulates (push, nop, call, jmp, jcc: a trap without a single step, 0.8 us instead of 11 to
 * 16). It is chosen if
 *
 *	- every call reaches it: no branch, no end, nothing that may fault is before it
 *	- nothing else reaches it: no branch of the file and no symbol enters after the entry, up to it
 *	- what the probe reads is still known: each register that is used has its value, there or in
 *	  another register; rsp has moved by a known amount
 *	- for a return probe: rsp has not moved, because the kernel takes the return address from there
 *
 * A first instruction that the kernel would misinterpret or refuse to probe (x86_uprobe_misreads,
 * x86_uprobe_refuses) is always skipped, if necessary to one that is single-stepped; if that is
 * impossible, the function cannot be probed.
 *
 * Branches are searched for in three ways. The function itself and its neighbors are decoded
 * completely. Branches with 32-bit distances (from parts of the function that compilers move away,
 * and from anywhere else) are searched for at every byte of the file's code; the function around an
 * apparent branch is decoded, and if that fails it counts as one. Jump tables are not read: in a
 * function with indirect jumps only a push is taken, because a loop that executed a push again
 * would overflow its stack.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include "provider/branch_targets.h"
#include "arch/insn.h"
#include "arch/insn_move.h"
#include "provider/internal.h"
#include "provider/upoint.h"
#include "provider/upoint_arm64.h"

enum {
	MAX_PASSED = 40, /* instructions */
	BITMAP_FROM = 2, /* building it costs as much as 1.5 searches: the second search does so */
	NEIGHBOUR = 128, /* how far short jumps reach */
};

static const char harmful[] =
	"the kernel would overwrite variables of the function that lie below its stack pointer";

struct far { /* 32-bit branches of a file */
	u32 n_searches;
	struct branch_targets to; /* built on need */
};

struct upoint_finder {
	struct provider_env *env;
	struct elf *elf;
	struct far *far; /* the file's */
	bool known;
	struct arm64_code arm;
};

static void *make_far(void)
{
	return xcalloc(1, sizeof(struct far));
}

static void release_far(void *extra)
{
	struct far *far = extra;

	branch_targets_release(&far->to);
	free(far);
}

struct upoint_finder *upoint_finder_new(struct provider_env *env, struct elf *e)
{
	struct upoint_finder *u = xcalloc(1, sizeof *u);

	u->env = env;
	u->elf = e;
	u->far = elf_extra(e, make_far, release_far);
	u->known = elf_machine(e) == arch_x86_64.elf_machine && arch_native == &arch_x86_64;
	u->arm = (struct arm64_code){ .env = env, .elf = e };
	return u;
}

void upoint_finder_free(struct upoint_finder *u)
{
	if (!u)
		return;
	arm64_code_release(&u->arm);
	free(u);
}

const u8 *upoint_code(const struct elf *e, u64 address, u64 *room)
{
	struct elf_section s;

	for (u32 i = 0; elf_code_segment(e, i, &s); i++) {
		if (!s.bytes || address < s.address || address - s.address >= s.size)
			continue;
		*room = s.size - (address - s.address);
		return (const u8 *)s.bytes + (address - s.address);
	}
	return NULL;
}

/* ---- branches to an address */

static u32 load32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* Whether a branch opcode precedes a 32-bit distance. */
static bool is_far_branch(const u8 *distance, u64 before)
{
	return before && ((distance[-1] & 0xfe) == 0xe8 ||
			  (before > 1 && distance[-2] == 0x0f && (distance[-1] & 0xf0) == 0x80));
}

static void mark_segment(struct branch_targets *b, const struct elf_section *s)
{
	const u8 *p = s->bytes;
	u64 start = s->address - b->base;

	for (u64 i = 1; s->size >= 4 && i <= s->size - 4; i++)
		if (is_far_branch(p + i, i))
			branch_targets_add(b, start + i + 4 + (u64)(s64)(s32)load32(p + i));
}

static u64 text_size(const struct upoint_finder *u)
{
	struct elf_section s;
	u64 sum = 0;

	for (u32 i = 0; elf_code_segment(u->elf, i, &s); i++)
		sum += s.size;
	return sum;
}

struct body { /* a completely decoded function */
	bool whole, enters, jumps_indirect;
};

/* Decodes [from, to) and searches for branches into (lo, hi]. */
static struct body decode_body(const struct upoint_finder *u, u64 from, u64 to, u64 lo, u64 hi)
{
	struct body b = { 0 };
	u64 room = 0;
	const u8 *code = upoint_code(u->elf, from, &room);
	struct x86_insn in;
	struct x86_effect e;

	if (!code || to < from || room < to - from)
		return b;
	for (u64 at = 0; at < to - from; at += in.len) {
		u64 target;

		if (!x86_decode(code + at, (u32)MIN(room - at, 15u), X86_64, &in))
			return b;
		x86_effect(&in, &e);
		target = from + at + (u64)e.target;
		if ((e.kind == X86_JUMP || e.kind == X86_BRANCH || e.kind == X86_CALL) &&
		    target > lo && target <= hi)
			b.enters = true;
		/* a jump through a word of the file (the GOT) leaves the function */
		if (e.kind == X86_JUMP_INDIRECT && in.base != X86_RIP)
			b.jumps_indirect = true;
	}
	b.whole = true;
	return b;
}

/* The start of the next code symbol above an address, at most far away. */
static u64 next_symbol(const struct upoint_finder *u, u64 address)
{
	enum { FAR = 4096 };
	u64 lo = address, hi = address + FAR;

	if (!elf_symbol_within(u->elf, lo, hi))
		return hi;
	while (hi - lo > 1) {
		u64 mid = lo + (hi - lo) / 2;

		if (elf_symbol_within(u->elf, address, mid))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

/* The function around an address, whose start is known to be an instruction. One without a size
 * (start files, assembly) ends at the next symbol. */
static bool function_around(const struct upoint_finder *u, u64 address, u64 *from, u64 *to)
{
	struct elf_symbol s;

	if ((elf_symbol_at(u->elf, address, &s) && s.size) || elf_frame_at(u->elf, address, &s)) {
		*from = s.value;
		*to = s.value + s.size;
		return true;
	}
	if (!elf_symbol_at(u->elf, address, &s) || s.type != STT_FUNC)
		return false;
	*from = s.value;
	*to = next_symbol(u, address);
	return true;
}

/* For bytes that no symbol covers: anything that looks like a short jump counts. */
static bool bytes_enter(const struct upoint_finder *u, u64 from, u64 to, u64 lo, u64 hi)
{
	u64 room = 0;
	const u8 *code = upoint_code(u->elf, from, &room);

	for (u64 i = 0; code && i + 1 < room && from + i < to; i++) {
		u64 target = from + i + 2 + (u64)(s64)(s8)code[i + 1];
		bool is_short = code[i] == 0xeb || (code[i] & 0xf0) == 0x70 ||
				(code[i] & 0xfc) == 0xe0;

		if (is_short && target > lo && target <= hi)
			return true;
	}
	return false;
}

/* The same, for bytes in any segment. */
static bool any_bytes_enter(const struct upoint_finder *u, u64 from, u64 to, u64 lo, u64 hi)
{
	while (from < to) {
		u64 room = 1;

		if (upoint_code(u->elf, from, &room) && bytes_enter(u, from, to, lo, hi))
			return true;
		from += room;
	}
	return false;
}

/* Short jumps of the functions before and after, which are only decoded if bytes look like one. */
static bool neighbour_enters(const struct upoint_finder *u, u64 from, u64 to, u64 lo, u64 hi)
{
	if (!any_bytes_enter(u, from, to, lo, hi))
		return false;
	while (from < to) {
		struct body b = { 0 };
		u64 start, end, any;
		bool known = function_around(u, from, &start, &end);

		if (known)
			b = decode_body(u, start, end, lo, hi);
		else /* byte by byte up to the next known function */
			for (end = from + 1; end < to && !function_around(u, end, &start, &any);)
				end++;
		if (b.enters || (!b.whole && bytes_enter(u, from, MIN(to, end), lo, hi)))
			return true;
		from = end;
	}
	return false;
}

/* Bytes that look like a branch may be part of other instructions: decoding the function around
 * them decides, if possible. */
static bool is_branch(const struct upoint_finder *u, u64 address, u64 lo, u64 hi)
{
	u64 from, to;
	struct body b;

	if (!function_around(u, address, &from, &to))
		return true;
	b = decode_body(u, from, to, lo, hi);
	return !b.whole || b.enters;
}

/* Whether a 32-bit branch in a segment goes into (lo, hi]. */
static bool search_segment(const struct upoint_finder *u, const struct elf_section *s, u64 lo,
			   u64 hi)
{
	const u8 *p = s->bytes;
	u32 from = (u32)(lo + 1 - s->address - 4), n = (u32)(hi - lo);

	for (u64 i = 0; s->size >= 4 && i <= s->size - 4; i++)
		if (load32(p + i) + (u32)i - from < n && is_far_branch(p + i, i) &&
		    is_branch(u, s->address + i - 1, lo, hi))
			return true;
	return false;
}

static bool is_far_target(struct upoint_finder *u, u64 lo, u64 hi)
{
	struct elf_section s;

	if (++u->far->n_searches == BITMAP_FROM)
		branch_targets_build(&u->far->to, u->elf, 0, mark_segment);
	if (u->far->to.bit && !branch_targets_any(&u->far->to, lo + 1, hi))
		return false;
	for (u32 i = 0; elf_code_segment(u->elf, i, &s); i++)
		if (s.bytes && search_segment(u, &s, lo, hi))
			return true;
	return false;
}

/* NULL: no branch enters (lo, hi], a range of function s; is_safe: nor does a jump table. */
static const char *who_enters_between(struct upoint_finder *u, const struct elf_symbol *s, u64 lo,
				      u64 hi, bool is_safe)
{
	u64 start = s->value, end = start + s->size;
	struct body b;

	if (elf_symbol_within(u->elf, lo, hi))
		return "another symbol precedes it";
	b = decode_body(u, start, end, lo, hi);
	if (!b.whole)
		return "not all of the function can be decoded";
	if (b.enters)
		return "a branch of the function goes back to before it";
	if (b.jumps_indirect && !is_safe)
		return "the function has a jump table";
	if (text_size(u) > MAX_BRANCH_TEXT)
		return "the file is too large to look for branches into the function";
	if (neighbour_enters(u, start > NEIGHBOUR ? start - NEIGHBOUR : 0, start, lo, hi) ||
	    neighbour_enters(u, end, MAX(end, hi) + NEIGHBOUR, lo, hi) || is_far_target(u, lo, hi))
		return "a branch from outside enters before it";
	return NULL;
}

/* NULL: nothing enters after the entry, up to and including the site, which may be a push. */
static const char *who_enters(struct upoint_finder *u, const struct elf_symbol *s, u64 site,
			      bool is_push)
{
	return who_enters_between(u, s, s->value, site, is_push);
}

/* ---- from the entry on */

struct walk {
	const struct upoint_need *need;
	u8 holds[16]; /* whose value at entry the register holds now, or X86_NO_REG */
	s32 sp;
	u32 passed; /* instructions that do something */
	bool flags_gone, pushed_bp, framed;
};

static u8 holder_of(const struct walk *w, u32 reg)
{
	if (w->holds[reg] == reg)
		return (u8)reg;
	for (u8 i = 0; i < 16; i++)
		if (w->holds[i] == reg && i != X86_SP)
			return i;
	return X86_NO_REG;
}

/* NULL: everything that is needed is known here. */
static const char *lost(const struct walk *w)
{
	static const char *const texts[] = {
#define TEXT(r) "the function overwrites " r " first, which the script reads"
		TEXT("rax"), TEXT("rcx"), TEXT("rdx"), TEXT("rbx"), TEXT("rsp"), TEXT("rbp"),
		TEXT("rsi"), TEXT("rdi"), TEXT("r8"),  TEXT("r9"),  TEXT("r10"), TEXT("r11"),
		TEXT("r12"), TEXT("r13"), TEXT("r14"), TEXT("r15"),
#undef TEXT
	};

	for (u32 i = 0; i < 16; i++)
		if (w->need->regs & 1u << i && i != X86_SP && holder_of(w, i) == X86_NO_REG)
			return texts[i];
	if (w->need->regs & 1u << X86_FLAGS && w->flags_gone)
		return "the function changes the flags first, which the script reads";
	if (w->need->is_return && w->sp)
		return "the function moves rsp first, and a return probe needs it where it was";
	if (w->need->caller && w->sp)
		return "a return probe is here and replaces the return address, which the script reads";
	if (w->need->plain && w->passed)
		return "the script reads args or ctx, which are described at the entry";
	return NULL;
}

/* On these instructions newer kernels use the word at rsp as the caller (arch/x86/events/core.c:
 * is_uprobe_at_func_entry()). */
static bool shows_caller(struct provider_env *env, const u8 *code, u64 room)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (room && *code == 0x55)
		return env_has(env, FEAT_UPROBE_CALLER, false);
	return room >= sizeof endbr64 && !memcmp(code, endbr64, sizeof endbr64) &&
	       env_has(env, FEAT_UPROBE_CALLER_ENDBR, false);
}

bool upoint_shows_caller(struct provider_env *env, const struct elf *e, u64 address)
{
	u64 room = 0;
	const u8 *code = elf_machine(e) == EM_X86_64 ? upoint_code(e, address, &room) : NULL;

	return code && shows_caller(env, code, room);
}

/* The kernel walks the stack by rbp: the caller's or, with the frame made, the function's own. */
static bool walks_alike(struct provider_env *env, const struct walk *w, const u8 *code, u64 room)
{
	return (w->framed || holder_of(w, X86_BP) == X86_BP) &&
	       (!w->sp || !shows_caller(env, code, room));
}

/* Applies the effect of the instruction to the known state. NULL, or why the probe may not move
 * past it. */
static const char *pass(struct walk *w, const struct x86_effect *e)
{
	bool pushed_bp = w->pushed_bp;

	if (e->kind != X86_PLAIN && e->kind != X86_NOP && e->kind != X86_ENDBR &&
	    e->kind != X86_PUSH)
		return e->kind == X86_UNKNOWN ?
			       "an instruction before any better one has an unknown effect" :
			       "no better instruction before the function branches or ends";
	if (e->may_fault)
		return "the function reads memory first, which may fault";
	if (e->writes & 1u << X86_SP && !e->moves_sp)
		return "the function sets rsp first";
	w->passed += e->writes != 0 || e->kind == X86_PLAIN || e->kind == X86_PUSH;
	w->sp += e->moves_sp ? e->sp : 0;
	w->flags_gone |= (e->writes >> X86_FLAGS & 1) != 0;
	w->framed = w->framed ||
		    (pushed_bp && w->sp == -8 && e->copy_to == X86_BP && e->copy_from == X86_SP);
	for (u32 i = 0; i < 16; i++)
		if (e->writes & 1u << i && i != X86_SP)
			w->holds[i] = e->copy_to == i && e->copy_from != X86_SP ?
					      w->holds[e->copy_from] :
					      X86_NO_REG;
	return NULL;
}

static const char *insn_name(const struct x86_insn *in, const struct x86_effect *e)
{
	switch (e->kind) {
	case X86_PUSH: return "push";
	case X86_JUMP: return "jmp";
	case X86_BRANCH: return "jcc";
	case X86_CALL: return "call";
	case X86_NOP: return "nop";
	case X86_UNKNOWN:
	case X86_PLAIN:
	case X86_ENDBR:
	case X86_CALL_INDIRECT:
	case X86_JUMP_INDIRECT:
	case X86_END: break;
	}
	return in->op == 0x90 ? "nop" : "it";
}

static void at_entry(struct upoint_finder *u, struct upoint *out, const char *why)
{
	out->why = arena_printf(u->env->arena, "at the entry: %s", why);
}

/* The state of a walk at an instruction. */
struct spot {
	struct walk w;
	u64 at;
	bool is_push, found;
};

/* Whether the entry is emulated: then nothing is cheaper, unless a loop returns to a nop5 (see
 * x86_is_nop5). */
static bool take(struct upoint_finder *u, const struct elf_symbol *s, const struct spot *spot,
		 const char *insn, struct upoint *out)
{
	const struct walk *w = &spot->w;
	u64 at = spot->at;
	const char *why;

	if (!at) {
		at_entry(u, out,
			 arena_printf(u->env->arena, "the kernel emulates the %s there", insn));
		return true;
	}
	why = who_enters(u, s, s->value + at, spot->is_push);
	if (why) {
		at_entry(u, out, why);
		return false;
	}
	out->offset = (u32)at;
	out->sp = w->sp;
	out->framed = w->framed;
	for (u32 i = 0; i < 16; i++)
		out->reg[i] = holder_of(w, i);
	out->why =
		insn ? arena_printf(u->env->arena,
				    "%u bytes after the entry: the kernel emulates the %s there",
				    (u32)at, insn) :
		       arena_printf(
			       u->env->arena,
			       "%u bytes after the entry: the kernel cannot probe the instructions before it",
			       (u32)at);
	return true;
}

static const char *refuses(const struct x86_insn *in, enum x86_mode mode)
{
	return x86_uprobe_misreads(in) ?
		       "the kernel mistakes the vector instruction there for a branch" :
		       x86_uprobe_refuses(in, mode);
}

/* A nop5 at the entry to which the function jumps back, with variables below rsp. */
static bool is_harmful_loop(const struct upoint_finder *u, const struct elf_symbol *s,
			    const u8 *code)
{
	return x86_is_nop5(code, 5) &&
	       decode_body(u, s->value, s->value + s->size, s->value - 1, s->value).enters &&
	       !env_has(u->env, FEAT_UPROBE_NOP5, true);
}

/* Which nops the kernel emulates is determined at the first one that older kernels do not. */
static bool is_emulated(const struct upoint_finder *u, const struct x86_insn *in, const u8 *code)
{
	return x86_uprobe_emulates(in, code, false) ||
	       (x86_uprobe_emulates(in, code, true) && env_has(u->env, FEAT_UPROBE_NOPS, false));
}

/* No instruction is cheaper: uses the entry, or the first one that is not refused. */
static void settle(struct upoint_finder *u, const struct elf_symbol *s, const struct spot *spare,
		   const char *refused, const char *why, struct upoint *out)
{
	if (spare->found && take(u, s, spare, NULL, out))
		return;
	if (!spare->found)
		at_entry(u, out, why);
	out->refused = refused;
}

static void find(struct upoint_finder *u, const struct elf_symbol *s, const u8 *code, u64 room,
		 const struct upoint_need *need, struct upoint *out)
{
	struct walk w = { .need = need };
	struct spot spare = { 0 };
	struct x86_insn in;
	struct x86_effect e;
	const char *why = NULL, *refused = NULL; /* why not at the entry */
	u64 at = 0;

	for (u8 i = 0; i < 16; i++)
		w.holds[i] = i;
	for (u32 n = 0; n < MAX_PASSED && at < s->size && !why; n++, at += in.len) {
		struct spot here;
		bool fits;

		if (!x86_decode(code + at, (u32)MIN(room - at, 15u), X86_64, &in)) {
			why = "its instructions are not all known";
			break;
		}
		x86_effect(&in, &e);
		if (!at)
			refused = is_harmful_loop(u, s, code) ? harmful : refuses(&in, X86_64);
		fits = is_emulated(u, &in, code + at) && (at || !refused) &&
		       (!at || !need->stack || walks_alike(u->env, &w, code + at, room - at));
		here = (struct spot){ w, at, e.kind == X86_PUSH, true };
		if (fits && take(u, s, &here, insn_name(&in, &e), out))
			return;
		if (fits && !refused)
			return; /* another entry: already reported */
		if (at && refused && !spare.found && !refuses(&in, X86_64))
			spare = here;
		why = pass(&w, &e);
		w.pushed_bp = e.kind == X86_PUSH && code[at] == 0x55 && w.sp == -8;
		if (!why)
			why = lost(&w);
	}
	settle(u, s, &spare, refused, why ? why : "no better instruction near it", out);
}

/* Decodes from the start of the function, if known. */
static const char *arm64_refuses_at(struct elf *e, u64 address)
{
	struct elf_symbol s = { .value = address };
	u64 room = 0;
	const u8 *code;

	if (!elf_symbol_at(e, address, &s) && !elf_frame_at(e, address, &s))
		s.value = address;
	code = upoint_code(e, s.value, &room);
	if (address % 4 || s.value % 4)
		return "instructions of arm64 begin at multiples of four";
	return code && room >= 4 && address - s.value <= room - 4 ?
		       arm64_refuses(code, s.value, address) :
		       NULL;
}

const char *upoint_refuses(const struct elf *e, u64 address)
{
	bool is_x86 = elf_machine(e) == EM_X86_64 || elf_machine(e) == EM_386;
	enum x86_mode mode = elf_machine(e) == EM_386 ? X86_32 : X86_64;
	u64 room = 0;
	const u8 *code = is_x86 ? upoint_code(e, address, &room) : NULL;
	struct x86_insn in;

	if (elf_machine(e) == EM_AARCH64)
		return arm64_refuses_at((struct elf *)(uintptr_t)e, address);
	return code && x86_decode(code, (u32)MIN(room, 15u), mode, &in) ? refuses(&in, mode) : NULL;
}

u64 upoint_past_nops(const struct elf *e, u64 address)
{
	u64 room = 0;
	const u8 *code =
		elf_machine(e) == arch_x86_64.elf_machine ? upoint_code(e, address, &room) : NULL;
	struct x86_insn in;
	struct x86_effect effect;
	u64 at;

	for (at = 0; code && at < room; at += in.len) {
		if (!x86_decode(code + at, (u32)MIN(room - at, 15u), X86_64, &in))
			break;
		x86_effect(&in, &effect);
		if (effect.kind != X86_NOP)
			break;
	}
	return address + at;
}

static void find_any(struct upoint_finder *u, const struct elf_symbol *s,
		     const struct upoint_need *need, struct upoint *out)
{
	bool is_arm = elf_machine(u->elf) == EM_AARCH64;
	u64 room = 0;
	const u8 *code = u->known || is_arm ? upoint_code(u->elf, s->value, &room) : NULL;

	*out = (struct upoint){ 0 };
	for (u32 i = 0; i < ARRAY_SIZE(out->reg); i++)
		out->reg[i] = (u8)i;
	if (u->env->config.exact_uprobes)
		at_entry(u, out, "exact_uprobes is set");
	else if (!u->known && !is_arm)
		at_entry(u, out, "only x86-64 and arm64 code is looked at");
	else if (!s->size)
		at_entry(u, out, "the size of the function is not known");
	else if (!code || room < s->size)
		at_entry(u, out, "the file does not have its code");
	else if (is_arm)
		return arm64_find(&u->arm, s, code, need, out);
	else
		return find(u, s, code, room, need, out);
	out->refused = upoint_refuses(u->elf, s->value);
}

void upoint_find(struct upoint_finder *u, const struct elf_symbol *function,
		 const struct upoint_need *need, struct upoint *out)
{
	find_any(u, function, need, out);
	out->shows_caller = need->stack &&
			    upoint_shows_caller(u->env, u->elf, function->value + out->offset);
}

/* ---- jumps */

/*
 * Whether code that begins at the entry moves rsp down at or after `from`, before it branches. Then
 * nothing jumps back to an instruction up to there: the stack would grow.
 */
static bool pushes_behind(const u8 *code, u32 room, u32 from)
{
	struct x86_insn in;
	struct x86_effect e;
	u32 at = 0;

	for (u32 n = 0; n < MAX_PASSED && x86_decode(code + at, MIN(room - at, 15u), X86_64, &in);
	     n++) {
		x86_effect(&in, &e);
		if (e.kind != X86_PLAIN && e.kind != X86_NOP && e.kind != X86_PUSH &&
		    e.kind != X86_ENDBR)
			return false;
		if (at >= from && e.moves_sp && e.sp < 0)
			return true;
		at += in.len;
	}
	return false;
}

const char *upoint_no_jump(struct upoint_finder *u, const struct elf_symbol *s, u32 *offset)
{
	u64 room = 0;
	const u8 *code = u->known ? upoint_code(u->elf, s->value, &room) : NULL;
	struct x86_moved moved;
	const char *why;
	u32 last;

	*offset = 0;
	if (!code || !s->size || room < s->size)
		return "its code or size is not known";
	room = MIN(s->size, 512ul);
	if (x86_is_endbr64(code, (u32)room))
		*offset = 4;
	why = x86_move(code + *offset, (u32)room - *offset, s->value + *offset, s->value + *offset,
		       &moved);
	if (why || !moved.n_inner)
		return why;
	last = *offset + moved.inner[moved.n_inner - 1];
	return who_enters(u, s, s->value + *offset + X86_JUMP_LEN - 1,
			  pushes_behind(code, (u32)room, last));
}

const char *upoint_no_jump_over(struct upoint_finder *u, const struct elf_symbol *s, u32 len)
{
	enum { MOST = 32 }; /* that the process engine reads */
	u64 room = 0;
	const u8 *code = u->known ? upoint_code(u->elf, s->value, &room) : NULL;
	struct x86_moved moved;

	if (!code || room < len || len < X86_JUMP_LEN || len > MOST)
		return "its code is not known";
	if (x86_move_exit(code, len, 0, s->value, s->value, &moved) || moved.n_inner > 1)
		return "what is at its entry must stay there";
	return who_enters(u, s, s->value + X86_JUMP_LEN - 1, true);
}

/* ---- jumps at returns */

/* At most 4 bytes after a return that never execute: nops and traps that belong to no function. */
static u32 padding(const struct upoint_finder *u, const struct elf_symbol *s, u64 address)
{
	struct elf_symbol other;
	struct x86_insn in;
	struct x86_effect e;
	u64 room = 0;
	const u8 *code = upoint_code(u->elf, address, &room);
	u32 n = 0;

	while (code && n < X86_JUMP_LEN - 1 && n < room) {
		if (elf_frame_at(u->elf, address + n, &other) && other.value != s->value)
			break;
		if (!x86_decode(code + n, (u32)MIN(room - n, 15u), X86_64, &in))
			break;
		x86_effect(&in, &e);
		if (code[n] != 0xcc && e.kind != X86_NOP)
			break;
		n += in.len;
	}
	return n;
}

/* The nearest instruction of the part at or before `ret` from which five bytes end at `end` or
 * before; 0: none. */
static u64 window_start(const struct upoint_finder *u, const struct elf_symbol *part, u64 ret,
			u64 end)
{
	u64 room = 0, start = 0;
	const u8 *code = upoint_code(u->elf, part->value, &room);
	struct x86_insn in;

	for (u64 at = 0; code && at < room && part->value + at <= ret; at += in.len) {
		if (part->value + at + X86_JUMP_LEN <= end)
			start = part->value + at;
		if (!x86_decode(code + at, (u32)MIN(room - at, 15u), X86_64, &in))
			return 0;
	}
	return start;
}

/* The address after the jump at the entry. */
static u64 entry_end(const struct upoint_finder *u, const struct elf_symbol *s)
{
	u64 room = 0;
	const u8 *code = upoint_code(u->elf, s->value, &room);

	return s->value + (x86_is_endbr64(code, (u32)MIN(room, 15u)) ? 4 : 0) + X86_JUMP_LEN;
}

const char *upoint_no_exit_jump(struct upoint_finder *u, const struct elf_symbol *s, u64 ret,
				u8 *back)
{
	u64 room = 0, start, end;
	const u8 *code = u->known ? upoint_code(u->elf, ret, &room) : NULL;
	struct elf_symbol part = *s;
	struct x86_moved moved;
	u32 len = code ? x86_insn_len(code, (u32)MIN(room, 15u)) : 0;

	if (!len)
		return "its code is not known";
	if (ret - s->value >= s->size && !elf_symbol_at(u->elf, ret, &part))
		return "a part of it is not known";
	end = ret + len + padding(u, &part, ret + len);
	start = window_start(u, &part, ret, end);
	if (!start || (part.value == s->value && start < entry_end(u, s)))
		return "a return of it is too short for a jump of 5 bytes";
	*back = (u8)(ret - start);
	code = upoint_code(u->elf, start, &room);
	if (x86_move_exit(code, *back + len, len, start, start, &moved))
		return "what is before a return of it must stay there";
	return who_enters_between(u, &part, start, MAX(start + X86_JUMP_LEN - 1, ret),
				  start == ret);
}

/* ---- positions for -v */

/* Calls keep compilers from using the words below rsp. */
static bool has_red_zone(const struct upoint_finder *u, const struct elf_symbol *s)
{
	u64 room = 0;
	const u8 *code = upoint_code(u->elf, s->value, &room);
	struct x86_insn in;
	struct x86_effect e;

	for (u64 at = 0; code && at < MIN(s->size, room); at += in.len) {
		if (!x86_decode(code + at, (u32)MIN(room - at, 15u), X86_64, &in))
			return true;
		x86_effect(&in, &e);
		if (e.kind == X86_CALL || e.kind == X86_CALL_INDIRECT)
			return false;
	}
	return true;
}

u64 upoint_exact(struct provider_env *env, struct elf *e, u64 address, const char **why)
{
	struct upoint_finder u = { .env = env, .elf = e };
	struct elf_symbol s = { 0 };
	u64 room = 0;
	const u8 *code =
		elf_machine(e) == arch_x86_64.elf_machine ? upoint_code(e, address, &room) : NULL;
	struct body b;
	bool known;

	*why = NULL;
	if (!code || !x86_is_nop5(code, (u32)MIN(room, 15u)))
		return address;
	known = elf_symbol_at(e, address, &s) || elf_frame_at(e, address, &s);
	if ((known && (address == s.value || !has_red_zone(&u, &s))) ||
	    env_has(env, FEAT_UPROBE_NOP5, true))
		return address;
	b = decode_body(&u, s.value, s.value + s.size, address, address + 5);
	if (known && b.whole && !b.enters && !b.jumps_indirect && address + 5 < s.value + s.size &&
	    !upoint_refuses(e, address + 5))
		return address + 5;
	*why = harmful;
	return address;
}
