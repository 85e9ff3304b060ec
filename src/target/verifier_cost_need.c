/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Liveness and precision (kernel/bpf/verifier.c): for each instruction, which parts of a state are
 * read later, and which numbers' values a verifier needs. A backward data flow over the
 * instructions of each function, to a fixpoint. Values are needed where verifier_cost.c meets an
 * instruction that needs one (verifier_cost_want()), and from there back through moves, arithmetic
 * and stack slots.
 */
#include "target/verifier_cost.h"

enum { CALLER_SAVED = 0x3f, ARGUMENTS = 0x3e, ALL_SAVED = 0x3c0 };

static u16 bit(u32 reg)
{
	return reg < 10 ? (u16)(1u << reg) : 0;
}

/* The stack slot of an access through r10; false: not such an access. */
static bool slot_of(u32 base, s16 off, u64 *slot)
{
	u32 n = (u32)(-(s32)off - 1) / 8;

	if (base != 10 || off >= 0 || n >= VERIFY_SLOTS)
		return false;
	*slot = 1ull << n;
	return true;
}

static bool by_reg(const struct bpf_insn *i)
{
	return BPF_SRC(i->code) == BPF_X;
}

static void move_back(struct need *n, const struct bpf_insn *i)
{
	u16 dst = bit(i->dst_reg), src = by_reg(i) ? bit(i->src_reg) : 0;

	n->regs = (u16)((n->regs & ~dst) | src);
	n->exact = (u16)(n->exact & dst ? (n->exact & ~dst) | src : n->exact);
}

static void alu_back(struct need *n, const struct bpf_insn *i)
{
	u8 op = BPF_OP(i->code);
	u16 dst = bit(i->dst_reg),
	    src = by_reg(i) && op != BPF_END && op != BPF_NEG ? bit(i->src_reg) : 0;

	if (op == BPF_MOV) {
		move_back(n, i);
		return;
	}
	n->regs |= dst | src;
	if (n->exact & dst)
		n->exact |= src;
}

static void load_back(struct need *n, const struct bpf_insn *i)
{
	u16 dst = bit(i->dst_reg);
	bool exact = n->exact & dst;
	u64 slot;

	n->regs = (u16)((n->regs & ~dst) | bit(i->src_reg));
	n->exact &= (u16)~dst;
	if (!slot_of(i->src_reg, i->off, &slot))
		return;
	n->slots |= slot;
	n->exact_slots |= exact ? slot : 0;
}

static void store_back(struct need *n, const struct bpf_insn *i)
{
	u16 src = BPF_CLASS(i->code) == BPF_STX ? bit(i->src_reg) : 0;
	u64 slot;

	n->regs |= src | bit(i->dst_reg);
	if (BPF_CLASS(i->code) == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC) {
		n->regs |= 1;
		if (i->imm & BPF_FETCH)
			n->exact &= (u16)~src;
		return;
	}
	if (!slot_of(i->dst_reg, i->off, &slot) || BPF_SIZE(i->code) != BPF_DW)
		return;
	if (n->exact_slots & slot)
		n->exact |= src;
	n->slots &= ~slot;
	n->exact_slots &= ~slot;
}

static bool is_shared_at(const struct verifier *c, u32 pc)
{
	return c->subs.v[verify_sub_at(c, pc)].shared;
}

static void call_back(const struct needs *ns, u32 pc, struct need *n)
{
	const struct bpf_insn *i = &ns->c->f->insns[pc];

	n->regs = (u16)((n->regs & ~CALLER_SAVED) | ARGUMENTS);
	n->exact &= (u16)~CALLER_SAVED;
	if (i->src_reg ==
	    BPF_PSEUDO_CALL) /* a shared function treats its arguments as unknown numbers */
		n->exact |= is_shared_at(ns->c, pc + 1 + (u32)i->imm) ?
				    0 :
				    ns->at[pc + 1 + (u32)i->imm].exact & ARGUMENTS;
	else if (!i->src_reg)
		n->regs &= (u16) ~(0x3e << strlen(verify_helper_args((u32)i->imm)) & ARGUMENTS);
}

static void jump_back(const struct needs *ns, u32 pc, struct need *n)
{
	const struct bpf_insn *i = &ns->c->f->insns[pc];

	switch (BPF_OP(i->code)) {
	case BPF_CALL: call_back(ns, pc, n); return;
	case BPF_EXIT: *n = (struct need){ .regs = 1 }; return;
	case BPF_JA: return;
	}
	n->regs |= bit(i->dst_reg) | (by_reg(i) ? bit(i->src_reg) : 0);
}

static void add_need(struct need *to, const struct need *n)
{
	to->regs |= n->regs;
	to->exact |= n->exact;
	to->slots |= n->slots;
	to->exact_slots |= n->exact_slots;
}

/* What the successors of an instruction need. */
static struct need after(const struct needs *ns, u32 pc)
{
	const struct bpf_insn *i = &ns->c->f->insns[pc];
	struct need n = { 0 };

	if (i->code == (BPF_JMP | BPF_EXIT))
		return n;
	if (bpf_is_jump(i))
		n = ns->at[bpf_jump_target(i, pc)];
	if (!bpf_is_goto(i))
		add_need(&n, &ns->at[pc + (BPF_CLASS(i->code) == BPF_LD ? 2 : 1)]);
	return n;
}

static bool update(struct needs *ns, u32 pc)
{
	const struct bpf_insn *i = &ns->c->f->insns[pc];
	struct need n = after(ns, pc), was = ns->at[pc];

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: alu_back(&n, i); break;
	case BPF_LDX: load_back(&n, i); break;
	case BPF_ST:
	case BPF_STX: store_back(&n, i); break;
	case BPF_LD:
		n.regs &= (u16)~bit(i->dst_reg);
		n.exact &= (u16)~bit(i->dst_reg);
		break;
	default: jump_back(ns, pc, &n); /* BPF_JMP, BPF_JMP32 */
	}
	n.exact |= ns->wanted[pc];
	add_need(&ns->at[pc], &n);
	return memcmp(&was, &ns->at[pc], sizeof was);
}

static void push(struct needs *ns, u32 pc)
{
	if (ns->c->mark[pc] & MARK_SECOND)
		pc--;
	if (ns->waits[pc])
		return;
	ns->waits[pc] = 1;
	ns->todo[ns->n_todo++] = pc;
}

/* Queues the predecessors of pc. */
static void push_before(struct needs *ns, u32 pc)
{
	if (pc && !bpf_is_goto(&ns->c->f->insns[pc - 1]) &&
	    ns->c->f->insns[pc - 1].code != (BPF_JMP | BPF_EXIT))
		push(ns, pc - 1);
	for (u32 from = ns->first[pc]; from; from = ns->next[from - 1])
		push(ns, from - 1);
}

static void settle(struct needs *ns)
{
	while (ns->n_todo) {
		u32 pc = ns->todo[--ns->n_todo];

		ns->waits[pc] = 0;
		if (update(ns, pc))
			push_before(ns, pc);
	}
}

void verifier_cost_want(struct needs *ns, u32 pc, u32 reg)
{
	if (reg >= 10 || ns->wanted[pc] & bit(reg))
		return;
	ns->wanted[pc] |= bit(reg);
	push(ns, pc);
	settle(ns);
}

u16 verifier_cost_sizes(u32 helper)
{
	const char *args = verify_helper_args(helper);
	u16 sizes = 0;

	for (u32 n = 0; args[n]; n++)
		if (args[n] == 's' || args[n] == 'z' || args[n] == 'l')
			sizes |= bit(n + 1);
	return sizes;
}

static void link_to(struct needs *ns, u32 pc, u32 target)
{
	ns->next[pc] = ns->first[target];
	ns->first[target] = pc + 1;
}

u32 verifier_cost_end(const struct verifier *c)
{
	u32 i = c->subs.n - 1;

	while (i && c->subs.v[i].known)
		i--;
	return c->subs.v[i].end;
}

static void queue_sub(struct needs *ns, const struct sub *s, const u16 *wanted)
{
	const struct verifier *c = ns->c;

	for (u32 pc = s->start; pc < s->end; pc++) {
		const struct bpf_insn *i = &c->f->insns[pc];

		if (c->mark[pc] & MARK_SECOND)
			continue;
		if (bpf_is_jump(i))
			link_to(ns, pc, bpf_jump_target(i, pc));
		else if (i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL &&
			 !is_shared_at(c, pc + 1 + (u32)i->imm))
			link_to(ns, pc, pc + 1 + (u32)i->imm);
		if (wanted)
			ns->wanted[pc] = wanted[pc];
		push(ns, pc);
	}
}

void verifier_cost_needs(struct needs *ns, struct verifier *c, u32 from, const u16 *wanted)
{
	u32 n = verifier_cost_end(c);

	*ns = (struct needs){ .c = c,
			      .at = arena_array(&c->arena, struct need, n + 1),
			      .wanted = arena_array(&c->arena, u16, n),
			      .first = arena_array(&c->arena, u32, n),
			      .next = arena_array(&c->arena, u32, n),
			      .todo = arena_array(&c->arena, u32, n),
			      .waits = arena_array(&c->arena, u8, n) };
	for (u32 i = 0; i < c->subs.n; i++)
		if (c->subs.v[i].start >= from && !c->subs.v[i].known)
			queue_sub(ns, &c->subs.v[i], wanted);
	settle(ns); /* the last instruction first */
}
