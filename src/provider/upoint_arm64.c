/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the instruction of a uprobe on arm64. Input: a function and what its probe reads; output:
 * an offset. The kernel simulates branches, adr and adrp (and nop since 6.13) in one exception and
 * steps over a copy of anything else in two, so a site moves from the entry to the first such
 * instruction, by the rules of upoint.c. What is different here:
 *
 *	- words are four bytes, so every branch of the file can be found without guessing;
 *	  only jumps through registers may go anywhere: probes are not moved in functions with such jumps
 *	- the return address is in x30: a return probe needs it as it was, before paciasp and bl
 *	- memory at sp plus a constant is there; the function's own frame is filled by passing stores
 *	- user stacks: with x29 and x30 as at the entry, or with the frame that both are saved in
 *
 * An entry on which the kernel forbids probes (svc, ldr of a literal) is also skipped, to any
 * instruction.
 */
#include <stdlib.h>
#include "arch/insn_arm64.h"
#include "provider/internal.h"
#include "provider/upoint_arm64.h"

enum {
	MAX_PASSED = 40,
	EXCLUSIVE_REACH = 16, /* words between an exclusive load and its store */
};

static u32 word_at(const u8 *code, u64 at)
{
	u32 w;

	memcpy(&w, code + at, sizeof w);
	return w;
}

/* ---- branches to an address */

static bool branches(const struct arm64_effect *e)
{
	return e->kind == ARM64_JUMP || e->kind == ARM64_BRANCH || e->kind == ARM64_CALL;
}

static void mark_segment(struct branch_targets *b, const struct elf_section *s)
{
	for (u64 at = 0; s->size >= 4 && at <= s->size - 4; at += 4) {
		struct arm64_effect e;

		arm64_effect(word_at(s->bytes, at), &e);
		if (branches(&e))
			branch_targets_add(b, s->address + at + (u64)e.target - b->base);
	}
}

void arm64_code_release(struct arm64_code *c)
{
	branch_targets_release(&c->targets);
}

/* Whether the function jumps through registers, other than to return. */
static bool jumps_indirect(const u8 *code, u64 size)
{
	struct arm64_effect e;

	for (u64 at = 0; at + 4 <= size; at += 4) {
		arm64_effect(word_at(code, at), &e);
		if (e.kind == ARM64_JUMP_INDIRECT)
			return true;
	}
	return false;
}

/* NULL: nothing enters above the entry and not above the site. */
static const char *who_enters(struct arm64_code *c, const struct elf_symbol *s, const u8 *code,
			      u64 site)
{
	if (elf_symbol_within(c->elf, s->value, s->value + site))
		return "another symbol precedes it";
	if (jumps_indirect(code, s->size))
		return "the function has a jump table";
	if (!c->searched)
		branch_targets_build(&c->targets, c->elf, 2, mark_segment);
	c->searched = true;
	if (!c->targets.bit)
		return "the file is too large to look for branches into the function";
	return branch_targets_any(&c->targets, s->value + 4, s->value + site) ?
		       "a branch enters before it" :
		       NULL;
}

/* ---- from the entry on */

struct walk {
	const struct upoint_need *need;
	u8 holds[32]; /* whose value at entry the register holds now, or ARM64_NO_REG */
	s32 sp;
	u32 passed; /* instructions that do something */
	bool flags_gone, sp_gone, saved_frame, framed;
};

static u8 holder_of(const struct walk *w, u8 reg)
{
	if (w->holds[reg] == reg)
		return reg;
	for (u8 i = 0; i < ARM64_SP; i++)
		if (w->holds[i] == reg)
			return i;
	return ARM64_NO_REG;
}

/* NULL: everything that is needed is known here. */
static const char *lost(const struct arm64_code *c, const struct walk *w)
{
	for (u8 i = 0; i < ARM64_SP; i++)
		if (w->need->regs & 1u << i && holder_of(w, i) == ARM64_NO_REG)
			return arena_printf(
				c->env->arena,
				"the function overwrites x%u first, which the script reads", i);
	if (w->need->flags && w->flags_gone)
		return "the function changes the flags first, which the script reads";
	if ((w->need->is_return || w->need->caller) && (w->sp || w->holds[ARM64_LR] != ARM64_LR))
		return w->need->caller ?
			       "a return probe is here and replaces the return address, which the script reads" :
			       "the function changes sp or x30 first, and a return probe needs them as they were";
	if (w->need->plain && w->passed)
		return "the script reads args or ctx, which are described at the entry";
	return NULL;
}

/* Whether the kernel's walk, and x30 before it if need be, give the stack of the entry. */
static bool walks_alike(const struct walk *w)
{
	return w->framed || (w->holds[ARM64_FP] == ARM64_FP && w->holds[ARM64_LR] == ARM64_LR);
}

/* mov x29, sp and add x29, sp, n after the store at sp + n: x29 points to where x29 and x30 were
 * saved. */
static bool makes_frame(u32 word, const struct walk *w, s32 saved_at)
{
	return w->saved_frame && (word & 0xffc003ff) == 0x910003fd &&
	       (s32)(word >> 10 & 0xfff) + w->sp == saved_at;
}

/* Applies the effect of the instruction to the known state. NULL, or why the probe may not move
 * past it. */
static const char *pass(struct walk *w, u32 word, const struct arm64_effect *e, s32 *saved_at)
{
	if (e->kind != ARM64_PLAIN && e->kind != ARM64_NOP)
		return e->kind == ARM64_UNKNOWN ?
			       "an instruction before any better one has an unknown effect" :
			       "no better instruction before the function branches or ends";
	if (e->may_fault)
		return "the function reads memory first, which may fault";
	if (e->writes & 1u << ARM64_SP && !e->moves_sp)
		return "the function sets sp first";
	w->passed += e->kind != ARM64_NOP;
	w->sp += e->moves_sp ? e->sp : 0;
	w->flags_gone |= e->flags;
	if (e->saves_frame) {
		w->saved_frame = w->holds[ARM64_FP] == ARM64_FP;
		*saved_at = w->sp + e->frame_at;
	}
	if (makes_frame(word, w, *saved_at))
		w->framed = true;
	else if (e->writes & 1u << ARM64_FP)
		w->framed = false;
	for (u8 i = 0; i < ARM64_SP; i++)
		if (e->writes & 1u << i)
			w->holds[i] = e->copy_to == i ? w->holds[e->copy_from] : ARM64_NO_REG;
	return NULL;
}

static bool simulates(const struct arm64_code *c, u32 word)
{
	return arm64_uprobe_simulates(word, false) ||
	       (arm64_uprobe_simulates(word, true) && env_has(c->env, FEAT_UPROBE_NOPS, false));
}

static const char *name_of(const struct arm64_effect *e)
{
	switch (e->kind) {
	case ARM64_JUMP: return "b";
	case ARM64_BRANCH: return "conditional branch";
	case ARM64_CALL: return "bl";
	case ARM64_CALL_INDIRECT: return "blr";
	case ARM64_JUMP_INDIRECT: return "br";
	case ARM64_RETURN: return "ret";
	case ARM64_NOP: return "nop";
	case ARM64_UNKNOWN:
	case ARM64_PLAIN:
	case ARM64_END: break;
	}
	return "adrp";
}

static void at_entry(struct arm64_code *c, struct upoint *out, const char *why)
{
	out->why = arena_printf(c->env->arena, "at the entry: %s", why);
}

/* The state of a walk at an instruction. */
struct spot {
	struct walk w;
	u64 at;
};

/* insn NULL: no gain, but the entry cannot be probed. */
static bool take(struct arm64_code *c, const struct elf_symbol *s, const u8 *code,
		 const struct spot *spot, const char *insn, struct upoint *out)
{
	const struct walk *w = &spot->w;
	u64 at = spot->at;
	const char *why;

	if (!at) {
		at_entry(c, out,
			 arena_printf(c->env->arena, "the kernel simulates the %s there", insn));
		return true;
	}
	why = who_enters(c, s, code, at);
	if (why) {
		at_entry(c, out, why);
		return false;
	}
	out->offset = (u32)at;
	out->sp = w->sp;
	out->framed = w->framed;
	for (u8 i = 0; i < ARM64_SP; i++)
		out->reg[i] = holder_of(w, i);
	out->why =
		insn ? arena_printf(c->env->arena,
				    "%u bytes after the entry: the kernel simulates the %s there",
				    (u32)at, insn) :
		       arena_printf(
			       c->env->arena,
			       "%u bytes after the entry: the kernel does not allow a probe on "
			       "the instructions before it",
			       (u32)at);
	return true;
}

void arm64_find(struct arm64_code *c, const struct elf_symbol *s, const u8 *code,
		const struct upoint_need *need, struct upoint *out)
{
	struct spot here = { .w.need = need }, spare = { 0 };
	struct walk *w = &here.w;
	struct arm64_effect e;
	const char *why = NULL, *refused = NULL; /* why not at the entry */
	s32 saved_at = 0;

	for (u8 i = 0; i < 32; i++)
		w->holds[i] = i;
	for (; here.at / 4 < MAX_PASSED && here.at + 4 <= s->size && !why; here.at += 4) {
		u64 at = here.at;
		u32 word = word_at(code, at);
		bool fits = simulates(c, word) && (!at || !need->stack || walks_alike(w));

		arm64_effect(word, &e);
		if (!at)
			refused = arm64_uprobe_refuses(word);
		if (fits && take(c, s, code, &here, name_of(&e), out))
			return;
		if (fits && !refused)
			return; /* another entry: already reported */
		if (at && refused && !spare.at && !arm64_uprobe_refuses(word) &&
		    (!need->stack || walks_alike(w)))
			spare = here;
		why = pass(w, word, &e, &saved_at);
		if (!why)
			why = lost(c, w);
	}
	/* no instruction is cheaper: the entry, or the first one that is not refused */
	if (spare.at && take(c, s, code, &spare, NULL, out))
		return;
	if (!spare.at)
		at_entry(c, out, why ? why : "no better instruction near it");
	out->refused = refused;
}

/* ---- positions for -v */

const char *arm64_refuses(const u8 *code, u64 function, u64 address)
{
	const char *why = arm64_uprobe_refuses(word_at(code, address - function));

	for (u64 at = address - function, n = 0; !why && at >= 4 && n < EXCLUSIVE_REACH; n++) {
		u32 word = word_at(code, at -= 4);

		if (arm64_is_exclusive_store(word))
			return NULL;
		if (arm64_is_exclusive_load(word))
			why = "it lies between an exclusive load and its store, which would never succeed";
	}
	return why;
}
