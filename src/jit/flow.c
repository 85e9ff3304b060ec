/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include "jit/flow.h"
#include "type/bpf_isa.h"

struct flow {
	const struct flow_input *in;
	struct flow_state *at;
	bool *is_due;
	bool changed;
	struct err *err;
};

static const struct held any = { HELD_ANY, 0 };

static bool same(struct held a, struct held b)
{
	return a.kind == b.kind && a.v == b.v;
}

static bool is_context(struct held h)
{
	return h.kind == HELD_CONTEXT || h.kind == HELD_MIXED;
}

static struct held joined(struct held a, struct held b)
{
	if (same(a, b) || b.kind == HELD_NEVER)
		return a;
	if (a.kind == HELD_NEVER)
		return b;
	return is_context(a) || is_context(b) ? (struct held){ HELD_MIXED, 0 } : any;
}

static bool join_one(struct held *to, struct held from)
{
	struct held was = *to;

	*to = joined(was, from);
	return !same(was, *to);
}

static void join(struct flow *fl, u32 pc, const struct flow_state *s)
{
	struct flow_state *to = &fl->at[pc];
	bool changed = false;

	if (!flow_is_reached(to)) { /* the first way to it: most have no other */
		*to = *s;
		fl->is_due[pc] = fl->changed = true;
		return;
	}
	if (!memcmp(to, s, sizeof *to))
		return;
	for (u32 i = 0; i < 11; i++)
		changed |= join_one(&to->r[i], s->r[i]);
	for (u32 i = 0; i < FLOW_SLOTS; i++)
		changed |= join_one(&to->slot[i], s->slot[i]);
	changed |= join_one(&to->tick, s->tick);
	if (changed)
		fl->is_due[pc] = fl->changed = true;
}

static int misuse(struct flow *fl, u32 pc)
{
	return err_set(fl->err, -ENOTSUP,
		       "it does more with its context than read it (instruction %u)", pc);
}

/* The index of the slot at an offset from r10, or -1. */
static int slot_of(s16 off)
{
	return off < 0 && off >= -8 * FLOW_SLOTS ? (-off - 1) / 8 : -1;
}

static void forget_slots(struct flow_state *s, s16 off, u32 size)
{
	for (u32 i = 0; i < size; i++) {
		int slot = slot_of((s16)(off + (s16)i));

		if (slot >= 0)
			s->slot[slot] = any;
	}
}

static int step_alu(struct flow *fl, u32 pc, const struct bpf_insn *i, struct flow_state *s)
{
	struct held *d = &s->r[i->dst_reg];
	const struct held from = BPF_SRC(i->code) == BPF_X ? s->r[i->src_reg] :
							     (struct held){ HELD_CONSTANT, i->imm };
	u8 op = BPF_OP(i->code);
	bool wide = BPF_CLASS(i->code) == BPF_ALU64;

	if (op == BPF_MOV && wide && !i->off) {
		*d = from;
		return 0;
	}
	if (op == BPF_MOV && BPF_SRC(i->code) == BPF_K) {
		*d = (struct held){ HELD_CONSTANT, (u32)i->imm };
		return 0;
	}
	if (op == BPF_ADD && wide && from.kind == HELD_CONSTANT &&
	    (d->kind == HELD_CONTEXT || d->kind == HELD_STACK)) {
		d->v += from.v;
		return 0;
	}
	if ((is_context(*d) && op != BPF_MOV) || (BPF_SRC(i->code) == BPF_X && is_context(from)))
		return misuse(fl, pc);
	*d = any;
	return 0;
}

/* The slot that a load reads, or -1. */
int flow_slot(const struct bpf_insn *i)
{
	bool is_whole = bpf_access_size(i->code) == 8 && !(i->off & 7);

	return i->src_reg == 10 && is_whole ? slot_of(i->off) : -1;
}

static int step_load(struct flow *fl, u32 pc, const struct bpf_insn *i, struct flow_state *s)
{
	int slot = flow_slot(i);

	struct held from = s->r[i->src_reg];
	bool is_stack = fl->in->has_registers && from.kind == HELD_CONTEXT &&
			from.v + i->off == FLOW_STACK_AT && bpf_access_size(i->code) == 8;

	if (from.kind == HELD_MIXED)
		return misuse(fl, pc);
	s->r[i->dst_reg] = slot >= 0 ? s->slot[slot] :
			   is_stack  ? (struct held){ HELD_STACK, 0 } :
				       any;
	return 0;
}

static int step_store(struct flow *fl, u32 pc, const struct bpf_insn *i, struct flow_state *s)
{
	u32 size = bpf_access_size(i->code);
	bool is_reg = BPF_CLASS(i->code) == BPF_STX, is_plain = BPF_MODE(i->code) == BPF_MEM;
	int slot = i->dst_reg == 10 ? slot_of(i->off) : -1;

	if (is_context(s->r[i->dst_reg]))
		return misuse(fl, pc);
	if (i->dst_reg == 10)
		forget_slots(s, i->off, size);
	if (is_reg && is_plain && slot >= 0 && size == 8 && !(i->off & 7) &&
	    !fl->in->has_subprograms)
		s->slot[slot] = s->r[i->src_reg];
	else if (is_reg && is_context(s->r[i->src_reg]))
		return misuse(fl, pc);
	if (!is_plain && (i->imm & BPF_FETCH || i->imm == BPF_LOAD_ACQ))
		s->r[i->imm == BPF_CMPXCHG  ? 0 :
		     i->imm == BPF_LOAD_ACQ ? i->dst_reg :
					      i->src_reg] = any;
	return 0;
}

bool flow_asks_for_record(const struct bpf_insn *i, const struct flow_state *s)
{
	bool is_null_check = i->code == (BPF_JMP | BPF_JEQ | BPF_K) ||
			     i->code == (BPF_JMP | BPF_JNE | BPF_K);

	return is_null_check && !i->imm && s->r[i->dst_reg].kind == HELD_RECORD;
}

bool flow_reads_time(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && !i->src_reg &&
	       (i->imm == BPF_FUNC_ktime_get_ns || i->imm == BPF_FUNC_ktime_get_boot_ns);
}

bool flow_reads_memory(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && !i->src_reg &&
	       (i->imm == BPF_FUNC_probe_read_user || i->imm == BPF_FUNC_probe_read_user_str ||
		i->imm == BPF_FUNC_copy_from_user);
}

bool flow_reads_stack(const struct bpf_insn *i, const struct flow_state *s)
{
	struct held size = s->r[2], from = s->r[3];

	return flow_reads_memory(i) && i->imm == BPF_FUNC_probe_read_user &&
	       size.kind == HELD_CONSTANT && from.kind == HELD_STACK && from.v >= 0 &&
	       (size.v == 1 || size.v == 2 || size.v == 4 || size.v == 8) && from.v + size.v <= 8;
}

static void forget_records(struct flow_state *s)
{
	for (u32 n = 0; n < ARRAY_SIZE(s->r); n++)
		if (s->r[n].kind == HELD_RECORD)
			s->r[n] = any;
	for (u32 n = 0; n < FLOW_SLOTS; n++)
		if (s->slot[n].kind == HELD_RECORD)
			s->slot[n] = any;
}

/* After the call: what it has done to the time and to records. */
static void step_helper(const struct bpf_insn *i, struct held size, struct flow_state *s)
{
	if (i->src_reg)
		return;
	if (flow_reads_time(i))
		s->tick = (struct held){ HELD_CONSTANT, 1 };
	if (i->imm == BPF_FUNC_ringbuf_reserve && size.kind == HELD_CONSTANT)
		s->r[0] = (struct held){ HELD_RECORD, size.v };
	if (i->imm == BPF_FUNC_ringbuf_submit || i->imm == BPF_FUNC_ringbuf_discard)
		forget_records(s);
}

/* Helpers may write to memory of the frame that they get an address of; nothing says how much. A
 * value that was spilled there is not where they write. */
static int step_call(struct flow *fl, u32 pc, const struct bpf_insn *i, struct flow_state *s)
{
	const struct held size = s->r[2];
	const bool reads_stack = flow_reads_stack(i, s);

	for (u32 n = 1; n <= 5 && i->src_reg == BPF_PSEUDO_CALL; n++)
		if (is_context(s->r[n]))
			return misuse(fl, pc);
	for (u32 n = 0; n <= 5; n++)
		s->r[n] = any;
	step_helper(i, size, s);
	if (reads_stack) /* which never fails */
		s->r[0] = (struct held){ HELD_CONSTANT, 0 };
	return 0;
}

static void step_imm64(struct flow *fl, u32 pc, const struct bpf_insn *i, struct flow_state *s)
{
	const struct reloc *r = fl->in->reloc_of[pc];
	struct held *d = &s->r[i->dst_reg];

	if (r && r->kind == RELOC_MAP)
		*d = (struct held){ HELD_MAP, r->index };
	else if (r && r->kind == RELOC_MAP_VALUE)
		*d = any;
	else if (i->src_reg == BPF_PSEUDO_FUNC)
		*d = (struct held){ HELD_FUNC, (s64)pc + 1 + i->imm };
	else
		*d = (struct held){ HELD_CONSTANT,
				    (s64)((u32)i[0].imm | (u64)(u32)i[1].imm << 32) };
}

static int step_null_check(struct flow *fl, u32 pc, const struct bpf_insn *i,
			   const struct flow_state *s)
{
	join(fl, BPF_OP(i->code) == BPF_JNE ? bpf_jump_target(i, pc) : pc + 1, s);
	return 0;
}

/* Whether a jump that compares a constant with a constant is decided, and if it is taken: what
 * comes after a read that cannot fail. */
static bool is_decided(const struct bpf_insn *i, const struct flow_state *s, bool *taken)
{
	struct held a = s->r[i->dst_reg];

	if (BPF_CLASS(i->code) != BPF_JMP || BPF_SRC(i->code) != BPF_K || a.kind != HELD_CONSTANT)
		return false;
	switch (BPF_OP(i->code)) {
	case BPF_JEQ: *taken = a.v == i->imm; return true;
	case BPF_JNE: *taken = a.v != i->imm; return true;
	case BPF_JSGE: *taken = a.v >= i->imm; return true;
	case BPF_JSLT: *taken = a.v < i->imm; return true;
	}
	return false;
}

static int step(struct flow *fl, u32 pc)
{
	bool taken;

	const struct bpf_insn *i = &fl->in->f->insns[pc];
	struct flow_state s = fl->at[pc];
	u32 next = pc + 1;
	int ret = 0;

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: ret = step_alu(fl, pc, i, &s); break;
	case BPF_LDX: ret = step_load(fl, pc, i, &s); break;
	case BPF_ST:
	case BPF_STX: ret = step_store(fl, pc, i, &s); break;
	case BPF_LD:
		step_imm64(fl, pc, i, &s);
		next++;
		break;
	case BPF_JMP:
	case BPF_JMP32:
		if (BPF_OP(i->code) == BPF_EXIT)
			return 0;
		if (BPF_OP(i->code) == BPF_CALL) {
			ret = step_call(fl, pc, i, &s);
			break;
		}
		if (!bpf_is_goto(i) && (is_context(s.r[i->dst_reg]) ||
					(BPF_SRC(i->code) == BPF_X && is_context(s.r[i->src_reg]))))
			return misuse(fl, pc);
		if (flow_asks_for_record(i, &s))
			return step_null_check(fl, pc, i, &s);
		if (is_decided(i, &s, &taken)) {
			join(fl, taken ? bpf_jump_target(i, pc) : next, &s);
			return 0;
		}
		join(fl, bpf_jump_target(i, pc), &s);
		if (bpf_is_goto(i))
			return 0;
		break;
	}
	if (ret >= 0)
		join(fl, next, &s);
	return ret;
}

static void enter(struct flow *fl, u32 pc, bool is_main)
{
	struct flow_state s;

	for (u32 i = 0; i < 11; i++)
		s.r[i] = any;
	for (u32 i = 0; i < FLOW_SLOTS; i++)
		s.slot[i] = any;
	s.tick = any;
	if (is_main && !fl->in->context_in_memory)
		s.r[1] = (struct held){ HELD_CONTEXT, 0 };
	join(fl, pc, &s);
}

struct flow_state *flow_of(const struct flow_input *in, struct err *err)
{
	const struct bpf_func *f = in->f;
	struct flow fl = { .in = in, .err = err };
	int ret = 0;

	fl.at = xcalloc(f->n_insns + 2ul, sizeof *fl.at);
	fl.is_due = xcalloc(f->n_insns + 2ul, sizeof *fl.is_due);
	enter(&fl, 0, true);
	for (u32 i = 0; i < f->n_insns; i++)
		if (in->begins[i])
			enter(&fl, i, false);
	do {
		fl.changed = false;
		for (u32 pc = 0; pc < f->n_insns && ret >= 0; pc++)
			if (fl.is_due[pc]) {
				fl.is_due[pc] = false;
				ret = step(&fl, pc);
			}
	} while (fl.changed && ret >= 0);
	free(fl.is_due);
	if (ret >= 0)
		return fl.at;
	free(fl.at);
	return NULL;
}
