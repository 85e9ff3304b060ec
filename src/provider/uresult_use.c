/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: a local function of x86-64 whose convention the compiler has changed, or may have; out:
 * whether it still returns something in a register. Compilers drop a result that no caller reads or
 * that is constant, and the register then has an arbitrary value. An existing result is read by
 * some caller.
 */
#include <elf.h>
#include "base/arena.h"
#include "arch/insn.h"
#include "provider/upoint.h"
#include "provider/uresult.h"

enum {
	MAX_CODE = 1 << 18,
	MAX_LOOK = 4096,
	MAX_SEARCHES = 16,
	CALL = 0xe8,
	JUMP = 0xe9,
	DISTANCE = 4
};

/* What happens to a register's value from an instruction of a function on. */
struct look {
	struct arena arena;
	const u8 *code;
	u64 start, size;
	u32 reg;
	u8 *seen;
	bool has_frame;
	VEC(u32) todo;
	bool read, returned, lost;
};

static bool open_function(struct look *l, const struct elf *e, u64 pc)
{
	struct elf_symbol s;
	u64 room;

	*l = (struct look){ 0 };
	if (!elf_symbol_at((struct elf *)(uintptr_t)e, pc, &s) || !s.size || s.size > MAX_CODE)
		return false;
	l->code = upoint_code(e, s.value, &room);
	l->start = s.value;
	l->size = s.size;
	return l->code && s.size <= room;
}

static void reach(struct look *l, u64 at)
{
	if (at >= l->size) {
		l->lost = true;
	} else if (!l->seen[at]) {
		l->seen[at] = 1;
		vec_push(&l->arena, &l->todo, (u32)at);
	}
}

static bool is_return(const struct x86_insn *in)
{
	return !in->map && !in->vector && (in->op == 0xc3 || in->op == 0xc2);
}

/* Examines one instruction; its successors are queued. */
static void look_at(struct look *l, u64 at)
{
	u32 bit = 1u << l->reg;
	struct x86_effect fx;
	struct x86_insn in;

	if (!x86_decode(l->code + at, (u32)MIN(l->size - at, 16u), X86_64, &in)) {
		l->lost = true;
		return;
	}
	in.lock = false; /* changes nothing here */
	x86_effect(&in, &fx);
	if (x86_reads(&in) & bit) {
		l->read = true;
		return;
	}
	switch (fx.kind) {
	case X86_CALL: /* overwrites it; a value that is not the result may be an argument */
	case X86_CALL_INDIRECT: l->lost |= l->reg == X86_DX || l->reg == X86_CX; return;
	case X86_JUMP:
		if ((u64)(at + (u64)fx.target) < l->size)
			reach(l, at + (u64)fx.target);
		else
			l->lost = true;
		return;
	case X86_BRANCH: reach(l, at + (u64)fx.target); break;
	case X86_JUMP_INDIRECT:
	case X86_UNKNOWN: l->lost = true; return;
	case X86_END: l->returned |= is_return(&in); return;
	case X86_PLAIN:
	case X86_NOP:
	case X86_ENDBR:
	case X86_PUSH: break;
	}
	if (!(fx.writes & bit))
		reach(l, at + in.len);
}

/* From pc on, in the function that pc is in. */
static bool look_from(struct look *l, const struct elf *e, u64 pc, u32 reg)
{
	if (!open_function(l, e, pc))
		return false;
	arena_init(&l->arena);
	l->reg = reg;
	l->seen = arena_array(&l->arena, u8, l->size);
	reach(l, pc - l->start);
	for (u32 i = 0; l->todo.n && !l->read && i < MAX_LOOK; i++)
		look_at(l, l->todo.v[--l->todo.n]);
	l->lost |= l->todo.n > 0;
	arena_release(&l->arena);
	return true;
}

/* ---- callers */

struct query {
	struct elf *e;
	const struct uresult_asker *asker;
	u32 reg, searches;
};

static bool callers_look(struct query *q, u64 entry);

/* Whether the function at pc has a result, and its callers read it. */
static bool result_is_seen(struct query *q, u64 pc)
{
	struct elf_symbol s;

	if (!elf_symbol_at(q->e, pc, &s) || !q->asker->has_result(q->asker->ctx, s.value))
		return false;
	return s.bind != STB_LOCAL || callers_look(q, s.value);
}

static bool caller_looks(struct query *q, u64 after, bool is_jump)
{
	struct look l;

	if (is_jump)
		return result_is_seen(q, after);
	return look_from(&l, q->e, after, q->reg) &&
	       (l.read || (l.returned && result_is_seen(q, after)));
}

/* The call or jump to entry that ends at an offset of the code. */
static bool leads_to(const struct elf_section *s, u64 end, u64 entry)
{
	const u8 *p = (const u8 *)s->bytes + end - DISTANCE;
	s32 distance;

	memcpy(&distance, p, sizeof distance);
	return s->address + end + (u64)(s64)distance == entry && (p[-1] == CALL || p[-1] == JUMP);
}

/* In one segment. */
static bool segment_looks(struct query *q, const struct elf_section *s, u64 entry)
{
	const u8 *bytes = s->bytes;

	for (u64 end = DISTANCE + 1; bytes && end <= s->size; end++) {
		bool is_jump = bytes[end - DISTANCE - 1] == JUMP;

		if (leads_to(s, end, entry) && caller_looks(q, s->address + end - is_jump, is_jump))
			return true;
	}
	return false;
}

static bool callers_look(struct query *q, u64 entry)
{
	struct elf_section s;

	if (++q->searches > MAX_SEARCHES)
		return false;
	for (u32 i = 0; elf_code_segment(q->e, i, &s); i++)
		if (segment_looks(q, &s, entry))
			return true;
	return false;
}

/* ---- the function itself */

static bool reads_memory(const struct x86_insn *in)
{
	return in->has_modrm && in->modrm < 0xc0 && (in->map || in->op != 0x8d);
}

/* A plain computation of the register; in optimized code it has a use. */
static bool computes(const struct x86_insn *in, const struct x86_effect *fx, u32 reg)
{
	bool is_pop = !in->map && in->op >= 0x58 && in->op <= 0x5f,
	     is_exchange = !in->map && (in->op & 0xfe) == 0x86;
	bool is_frame = fx->copy_from == X86_SP || (!in->map && in->op == 0x8d && in->rex & 8 &&
						    (in->base == X86_SP || in->base == X86_BP));
	bool is_atomic = in->map == 1 && ((in->op & 0xfe) == 0xb0 || (in->op & 0xfe) == 0xc0);

	return fx->kind == X86_PLAIN && (fx->writes & ~(1u << X86_FLAGS)) == 1u << reg && !is_pop &&
	       !is_exchange && !is_frame && !is_atomic;
}

/* Whether the value computed at pc reaches a return without being read before. */
static bool is_for_caller(const struct query *q, u64 pc, bool sets_flags)
{
	struct look l;

	if (!look_from(&l, q->e, pc, q->reg) || l.read || l.lost || !l.returned)
		return false;
	return !sets_flags || (look_from(&l, q->e, pc, X86_FLAGS) && !l.read && !l.lost);
}

/* Code that is not optimized begins with push rbp; mov rbp, rsp. */
static bool has_frame(const struct look *f)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa }, frame[] = { 0x55, 0x48, 0x89, 0xe5 };
	u64 at = f->size > sizeof endbr && !memcmp(f->code, endbr, sizeof endbr) ? sizeof endbr : 0;

	return f->size >= at + sizeof frame && !memcmp(f->code + at, frame, sizeof frame);
}

static bool makes_at(const struct query *q, const struct look *f, u64 at, u64 *next)
{
	struct x86_effect fx;
	struct x86_insn in;
	bool is_call;

	*next = f->size;
	if (!x86_decode(f->code + at, (u32)MIN(f->size - at, 16u), X86_64, &in))
		return false;
	x86_effect(&in, &fx);
	*next = at + in.len;
	is_call = fx.kind == X86_CALL || fx.kind == X86_CALL_INDIRECT;
	if (!f->has_frame &&
	    (is_call ||
	     reads_memory(
		     &in))) /* volatile data is read for no use, functions are called for none */
		return false;
	return (is_call || computes(&in, &fx, q->reg)) &&
	       is_for_caller(q, f->start + *next, !is_call && fx.writes >> X86_FLAGS & 1);
}

static bool function_makes(const struct query *q, u64 entry)
{
	struct look f;

	if (!open_function(&f, q->e, entry))
		return false;
	f.has_frame = has_frame(&f);
	for (u64 at = 0; at < f.size;)
		if (makes_at(q, &f, at, &at))
			return true;
	return false;
}

bool uresult_is_used(struct elf *e, u64 entry, u32 reg, bool is_changed,
		     const struct uresult_asker *asker)
{
	struct query q = { .e = e, .asker = asker, .reg = reg };

	return callers_look(&q, entry) || (!is_changed && function_makes(&q, entry));
}
