/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the code of an x86-64 function; out: what its registers hold at its returns. The caller of a
 * function with a large result passes an address, which by convention is returned in rax; LLVM
 * drops that, and results or parts of them, if it knows all callers (local functions, so most of an
 * optimized Rust program). Every path is followed from the entry with the set of registers and
 * stack slots that hold the address; where paths meet, the intersection remains.
 */
#include <elf.h>
#include "base/arena.h"
#include "arch/insn.h"
#include "provider/upoint.h"
#include "provider/uresult.h"

enum { MAX_SLOTS = 6, MAX_CODE = 1 << 18, MAX_TAIL = 4, NO_FRAME = INT32_MAX };
enum {
	CALLER_SAVED = 1 << X86_AX | 1 << X86_CX | 1 << X86_DX | 1 << X86_SI | 1 << X86_DI | 0xf00,
	ALL = 0xffff
};
enum { LEAVE = 0xc9, RET_POP = 0xc2, RET = 0xc3, STORE = 0x89, LOAD = 0x8b, LEA = 0x8d };

struct state {
	u32 address, set;
	bool has_call; /* rax holds the result of a call */
	s32 sp, bp;    /* from rsp at the entry; NO_FRAME: not known */
	s32 slot[MAX_SLOTS];
	u32 n_slots;
	bool is_target; /* of a branch */
};

struct flow {
	struct elf *e;
	struct arena arena;
	const u8 *code;
	u64 start, size;
	struct state **at; /* by distance from the start */
	VEC(u32) todo;
	struct state end; /* state common to all returns */
	bool ends, lost;
	struct state jumps; /* state common to all indirect jumps */
	bool has_jumps;
	u32 depth;
};

static bool end_of(struct elf *e, u64 pc, u32 depth, struct state *out);

/* ---- slots */

static bool has_slot(const struct state *s, s32 at)
{
	for (u32 i = 0; i < s->n_slots; i++)
		if (s->slot[i] == at)
			return true;
	return false;
}

/* Drops slots that overlap [at, at + size). */
static void drop_slots(struct state *s, s64 at, s64 size)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n_slots; i++)
		if (s->slot[i] + 8 <= at || s->slot[i] >= at + size)
			s->slot[n++] = s->slot[i];
	s->n_slots = n;
}

static void add_slot(struct state *s, s32 at)
{
	drop_slots(s, at, 8);
	if (s->n_slots < MAX_SLOTS)
		s->slot[s->n_slots++] = at;
}

/* The position of a memory operand in the frame. */
static bool frame_slot(const struct state *s, const struct x86_insn *in, s32 *at)
{
	s32 base = in->base == X86_SP ? s->sp : in->base == X86_BP ? s->bp : NO_FRAME;

	if (!in->has_modrm || in->modrm >= 0xc0 || in->index != X86_NO_REG || in->segment ||
	    base == NO_FRAME)
		return false;
	*at = base + in->disp;
	return true;
}

static bool only_loads(const struct x86_insn *in)
{
	static const u8 one[] = {
		0x03, 0x0a, 0x0b, 0x13, 0x1b, 0x22, 0x23, 0x2b, 0x33, 0x38, 0x39,
		0x3a, 0x3b, 0x63, 0x69, 0x6b, 0x84, 0x85, 0x8a, LOAD, LEA,  0xff
	};
	static const u8 two[] = {
		0x10, 0x12, 0x16, 0x28, 0x6e, 0x6f, 0xaf, 0xb6, 0xb7, 0xbe, 0xbf
	};

	if (in->map == 0)
		return memchr(one, in->op, sizeof one) != NULL;
	return in->map > 1 || memchr(two, in->op, sizeof two) || (in->op & 0xf0) == 0x40 ||
	       (in->op & 0xf0) == 0x50;
}

static s64 store_size(const struct x86_insn *in)
{
	if (in->vector)
		return 64;
	if (in->map)
		return 16;
	return !(in->op & 1) ? 1 : in->rex & 8 ? 8 : in->short_operand ? 2 : 4;
}

/* ---- one instruction */

static bool is_full_move(const struct x86_insn *in, u8 op)
{
	return !in->map && !in->vector && in->op == op && in->rex & 8;
}

static u32 reg_of(const struct x86_insn *in)
{
	return (u32)(in->modrm >> 3 & 7) | (in->rex & 4u) << 1;
}

static void write_regs(struct state *s, u32 regs)
{
	s->address &= ~regs;
	s->set |= regs & ALL;
	if (regs >> X86_AX & 1)
		s->has_call = false;
	if (regs >> X86_BP & 1)
		s->bp = NO_FRAME;
}

/* Common instructions for which x86_effect() does not know the effect. */
static u32 unknown_writes(const struct x86_insn *in)
{
	if (!in->map &&
	    (in->op == 0xa4 || in->op == 0xa5 || in->op == 0xaa || in->op == 0xab)) /* movs, stos */
		return 1 << X86_CX | 1 << X86_SI | 1 << X86_DI;
	if (in->map == 1 && (in->op == 0xb0 || in->op == 0xb1)) /* cmpxchg */
		return 1 << X86_AX;
	return ALL & ~(1u << X86_SP);
}

static void push(struct state *s, const struct x86_insn *in, enum x86_kind kind)
{
	u32 reg = (u32)(in->op & 7) | (in->rex & 1u) << 3;

	s->sp -= 8;
	if (kind == X86_PUSH && s->address >> reg & 1)
		add_slot(s, s->sp);
	else
		drop_slots(s, s->sp, 8);
}

/* Updates the stack pointer and the slots of the frame. */
static void step_frame(struct state *s, const struct x86_insn *in, const struct x86_effect *fx)
{
	bool is_pop = !in->map && in->op >= 0x58 && in->op <= 0x5f,
	     is_push = fx->moves_sp && fx->sp == -8 && !in->has_modrm;
	u32 reg = (u32)(in->op & 7) | (in->rex & 1u) << 3;
	s32 at;

	if (is_push && s->sp != NO_FRAME) {
		push(s, in, fx->kind);
	} else if (is_pop && s->sp != NO_FRAME) {
		if (has_slot(s, s->sp))
			s->address |= 1u << reg;
		s->sp += 8;
	} else if (is_full_move(in, LEA) && reg_of(in) == X86_SP && in->base == X86_BP &&
		   in->index == X86_NO_REG) {
		s->sp = s->bp == NO_FRAME ? NO_FRAME : s->bp + in->disp;
	} else if (fx->moves_sp && s->sp != NO_FRAME) {
		s->sp += fx->sp;
	} else if (fx->writes >> X86_SP & 1 && fx->copy_to != X86_SP) {
		s->sp = NO_FRAME;
	} else if (frame_slot(s, in, &at) && !only_loads(in)) {
		if (is_full_move(in, STORE) && s->address >> reg_of(in) & 1)
			add_slot(s, at);
		else
			drop_slots(s, at, store_size(in));
	}
}

/* mov from rax to the register of a result's second word. */
static bool moves_result(const struct x86_insn *in)
{
	u32 rm = (u32)(in->modrm & 7) | (in->rex & 1u) << 3;

	return !in->map && !in->vector && in->op == STORE && in->modrm >= 0xc0 &&
	       reg_of(in) == X86_AX && rm == X86_DX;
}

static void step(struct state *s, const struct x86_insn *in, const struct x86_effect *fx)
{
	u32 before = s->address, unknown = fx->kind == X86_UNKNOWN ? unknown_writes(in) : 0;
	s32 sp = s->sp, bp = s->bp, at = 0;
	bool loads = is_full_move(in, LOAD) && frame_slot(s, in, &at) && has_slot(s, at);

	write_regs(s, fx->writes | unknown);
	if (!in->map && in->op == LEAVE) {
		s->sp = bp == NO_FRAME ? NO_FRAME : bp + 8;
		s->address = before & ~(1u << X86_BP);
		return;
	}
	step_frame(s, in, fx);
	if (s->has_call && moves_result(in)) /* a value that is moved and not replaced remains */
		s->set &= ~(1u << X86_AX);
	if (loads)
		s->address |= 1u << reg_of(in);
	if (fx->copy_to == X86_NO_REG)
		return;
	if (before >> fx->copy_from & 1)
		s->address |= 1u << fx->copy_to;
	if (fx->copy_to == X86_BP && fx->copy_from == X86_SP)
		s->bp = sp;
	if (fx->copy_to == X86_SP)
		s->sp = fx->copy_from == X86_BP ? bp : NO_FRAME;
}

static bool open_code(struct flow *f, u64 pc)
{
	struct elf_symbol s;
	u64 room;

	if (!elf_symbol_at(f->e, pc, &s) || s.value != pc || !s.size || s.size > MAX_CODE)
		return false;
	f->code = upoint_code(f->e, pc, &room);
	f->start = pc;
	f->size = s.size;
	return f->code && s.size <= room;
}

/* The called function if it is in the file: directly or through the loader's table. */
static bool callee(struct flow *f, u64 at, const struct x86_insn *in, const struct x86_effect *fx,
		   u64 *out)
{
	u64 next = f->start + at + in->len;

	if (fx->kind == X86_CALL) {
		*out = f->start + at + (u64)fx->target;
		return true;
	}
	return in->base == X86_RIP && in->modrm < 0xc0 &&
	       elf_stored_address(f->e, next + (u64)in->disp, out);
}

/* Whether the address is passed to the callee, which may return it. */
static bool comes_back(struct flow *f, u64 at, const struct x86_insn *in,
		       const struct x86_effect *fx, const struct state *s)
{
	struct state end;
	u64 to;

	return s->address >> X86_DI & 1 && f->depth < MAX_TAIL && callee(f, at, in, fx, &to) &&
	       end_of(f->e, to, f->depth + 1, &end) && end.address >> X86_AX & 1;
}

/* Registers that a function may leave changed: those that it writes, any if it
 * calls others. */
static u32 left_by(struct flow *f, u64 at, const struct x86_insn *in, const struct x86_effect *fx)
{
	struct flow of = { .e = f->e };
	u32 all = 0;
	u64 to;

	if (!callee(f, at, in, fx, &to) || !open_code(&of, to))
		return ALL;
	for (u64 i = 0; i < of.size;) {
		struct x86_effect does;
		struct x86_insn one;

		if (!x86_decode(of.code + i, (u32)MIN(of.size - i, 16u), X86_64, &one))
			return ALL;
		one.lock = false;
		x86_effect(&one, &does);
		if (does.kind == X86_CALL || does.kind == X86_CALL_INDIRECT ||
		    does.kind == X86_JUMP_INDIRECT ||
		    (does.kind == X86_JUMP && i + (u64)does.target >= of.size))
			return ALL;
		all |= does.writes | (does.kind == X86_UNKNOWN ? unknown_writes(&one) : 0);
		i += one.len;
	}
	return all;
}

static void call(struct state *s, bool returns_address, u32 left)
{
	u32 set = s->set;

	write_regs(s, CALLER_SAVED);
	s->set = set | (s->set & left);
	s->has_call = true;
	if (returns_address)
		s->address |= 1u << X86_AX;
	if (s->sp != NO_FRAME) /* the stack below belongs to the callee */
		drop_slots(s, (s64)s->sp - INT32_MAX, INT32_MAX);
}

/* ---- paths */

/* True: `into` has changed. */
static bool meet(struct state *into, const struct state *s)
{
	struct state old = *into;
	u32 n = 0;

	into->address &= s->address;
	into->set |= s->set;
	into->has_call &= s->has_call;
	if (into->sp != s->sp)
		into->sp = NO_FRAME;
	if (into->bp != s->bp)
		into->bp = NO_FRAME;
	for (u32 i = 0; i < into->n_slots; i++)
		if (has_slot(s, into->slot[i]))
			into->slot[n++] = into->slot[i];
	into->n_slots = n;
	return old.address != into->address || old.set != into->set || old.sp != into->sp ||
	       old.bp != into->bp || n != old.n_slots;
}

static void reach(struct flow *f, u64 to, const struct state *s)
{
	if (to >= f->size) {
		f->lost = true;
		return;
	}
	if (f->at[to]) {
		if (meet(f->at[to], s))
			vec_push(&f->arena, &f->todo, (u32)to);
		return;
	}
	f->at[to] = arena_dup(&f->arena, s, sizeof *s);
	vec_push(&f->arena, &f->todo, (u32)to);
}

static void gather(struct state *into, bool *has, const struct state *s)
{
	if (*has)
		meet(into, s);
	else
		*into = *s;
	*has = true;
}

/* Another function returns for this one: by the convention, if others may call it. */
static void tail_call(struct flow *f, u64 to, struct state s)
{
	bool passes = s.address >> X86_DI & 1;
	struct state end;

	if (f->depth < MAX_TAIL && end_of(f->e, to, f->depth + 1, &end)) {
		s.address = passes ? end.address : 0;
		s.set = end.set;
	} else {
		s.address = 0;
		s.set = ALL;
	}
	s.n_slots = 0;
	gather(&f->end, &f->ends, &s);
}

static void leave(struct flow *f, u64 from, s64 by, const struct state *s)
{
	u64 to = from + (u64)by;
	struct elf_symbol there;

	if (to < f->size) {
		reach(f, to, s);
		f->at[to]->is_target = true;
	} else if (!elf_symbol_at(f->e, f->start + to, &there) || !strstr(there.name, ".cold")) {
		tail_call(f, f->start + to, *s);
	}
}

/* A jump through a register is a table of cases; otherwise it is a tail call. */
static void jump_indirect(struct flow *f, u64 at, const struct x86_insn *in, const struct state *s)
{
	u64 to = 0;

	if (callee(f, at, in, &(struct x86_effect){ .kind = X86_JUMP_INDIRECT }, &to))
		tail_call(f, to, *s);
	else if (in->modrm >= 0xc0 || in->index != X86_NO_REG)
		gather(&f->jumps, &f->has_jumps, s);
	else
		tail_call(f, 0, *s);
}

/* The cases of jump tables: code that nothing else reaches, after an instruction that does not
 * continue. */
static bool reach_cases(struct flow *f)
{
	struct x86_insn in;
	struct x86_effect fx;
	bool ended = false, found = false;

	for (u64 at = 0; at < f->size; at += in.len) {
		if (!x86_decode(f->code + at, (u32)MIN(f->size - at, 16u), X86_64, &in))
			return found;
		x86_effect(&in, &fx);
		if (ended && !f->at[at] && fx.kind != X86_NOP) {
			reach(f, at, &f->jumps);
			found = true;
		}
		if (fx.kind != X86_NOP)
			ended = fx.kind == X86_END || fx.kind == X86_JUMP ||
				fx.kind == X86_JUMP_INDIRECT;
	}
	return found;
}

static void follow(struct flow *f, u64 at);

static void follow_all(struct flow *f)
{
	bool found = false;

	do {
		while (f->todo.n && !f->lost)
			follow(f, f->todo.v[--f->todo.n]);
	} while (!f->lost && f->has_jumps && reach_cases(f) && (found = true));
	if (f->has_jumps && !found)
		tail_call(f, 0, f->jumps);
}

/* Executes the instruction at an offset. */
static void follow(struct flow *f, u64 at)
{
	struct state s = *f->at[at];
	struct x86_effect fx;
	struct x86_insn in;

	if (!x86_decode(f->code + at, (u32)MIN(f->size - at, 16u), X86_64, &in)) {
		f->lost = true;
		return;
	}
	s.is_target = false;
	in.lock = false; /* changes nothing here */
	x86_effect(&in, &fx);
	step(&s, &in, &fx);
	switch (fx.kind) {
	case X86_CALL:
	case X86_CALL_INDIRECT:
		call(&s, comes_back(f, at, &in, &fx, &s), left_by(f, at, &in, &fx));
		break;
	case X86_JUMP: leave(f, at, fx.target, &s); return;
	case X86_BRANCH: leave(f, at, fx.target, &s); break;
	case X86_JUMP_INDIRECT: jump_indirect(f, at, &in, &s); return;
	case X86_END:
		if (!in.map && !in.vector && (in.op == RET || in.op == RET_POP))
			gather(&f->end, &f->ends, &s);
		return;
	case X86_UNKNOWN:
	case X86_PLAIN:
	case X86_NOP:
	case X86_ENDBR:
	case X86_PUSH: break;
	}
	if (at + in.len < f->size) /* else after a call that does not return */
		reach(f, at + in.len, &s);
}

/* The caller releases f in any case. */
static bool follow_function(struct flow *f, struct elf *e, u64 pc, u32 depth)
{
	struct state entry = { .address = 1 << X86_DI, .bp = NO_FRAME };

	*f = (struct flow){ .e = e, .depth = depth };
	arena_init(&f->arena);
	if (!open_code(f, pc))
		return false;
	f->at = arena_array(&f->arena, struct state *, f->size);
	reach(f, 0, &entry);
	follow_all(f);
	return f->ends && !f->lost;
}

static bool end_of(struct elf *e, u64 pc, u32 depth, struct state *out)
{
	struct flow f;
	bool ok = follow_function(&f, e, pc, depth);

	*out = f.end;
	arena_release(&f.arena);
	return ok;
}

static void describe(const struct state *s, s32 sp, struct uresult *out)
{
	out->address = s->address & ~(1u << X86_SP);
	out->has_slot = s->n_slots > 0 && sp != NO_FRAME;
	out->slot = out->has_slot ? s->slot[0] - sp : 0;
	out->set = s->set;
	out->sp = s->sp;
}

/* Instructions that free the frame and are no branch target. */
static bool is_epilogue(const struct flow *f, u64 at)
{
	const struct state *s = f->at[at];
	struct x86_effect fx;
	struct x86_insn in;

	if (!s || s->sp == NO_FRAME ||
	    !x86_decode(f->code + at, (u32)MIN(f->size - at, 16u), X86_64, &in))
		return false;
	x86_effect(&in, &fx);
	return fx.kind == X86_PLAIN && fx.moves_sp && fx.sp > 0;
}

/* Steps back from the return to where the address is still available. */
static void step_back(const struct flow *f, u64 ret, struct uresult *out)
{
	enum { MAX_LEN = 15 };

	for (u64 at = ret; !f->at[at]->is_target;) {
		struct x86_insn in;
		u64 before = at;

		while (before-- > 0 && at - before <= MAX_LEN)
			if (f->at[before] && x86_decode(f->code + before, MAX_LEN, X86_64, &in) &&
			    before + in.len == at)
				break;
		if (before >= at || at - before > MAX_LEN || !is_epilogue(f, before))
			return;
		at = before;
		if (f->at[at]->address) {
			describe(f->at[at], f->at[at]->sp, out);
			out->at = f->start + at;
			return;
		}
	}
}

static bool at_return(const struct flow *f, u64 ret, struct uresult *out)
{
	const struct state *s = ret - f->start < f->size ? f->at[ret - f->start] : NULL;

	if (!s)
		return false;
	describe(s, s->sp, out);
	out->at = ret;
	if (!out->address && !out->has_slot)
		step_back(f, ret - f->start, out);
	return true;
}

bool uresult_find(struct elf *e, u64 entry, u64 ret, struct uresult *out)
{
	enum { RETURN_ADDRESS = 8 };
	struct flow f;
	bool ok;

	*out = (struct uresult){ .at = ret };
	if (elf_machine(e) != EM_X86_64)
		return false;
	ok = follow_function(&f, e, entry, 0);
	if (ok && ret)
		ok = at_return(&f, ret, out);
	else if (ok)
		describe(&f.end, RETURN_ADDRESS, out);
	arena_release(&f.arena);
	return ok;
}
