/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of a walk that the 16 bits of a simple rule do not describe: other rules, code without
 * rules, and return addresses that return probes have replaced.
 */
#include "builtin/unwind_walk.h"

enum { MAX_RETURNS = 64 }; /* the kernel's MAX_URETPROBE_DEPTH */

/* ---- frames that a simple rule does not describe */

/* Kinds of object/cfi.h, of which this room knows only the numbers. */
enum { KIND_SP = 1, KIND_FP, KIND_SP_DEREF, KIND_FP_DEREF, KIND_PLT };
enum {
	SAVED_SAME,
	SAVED_AT_CFA,
	SAVED_AT_SP,
	SAVED_AT_FP,
	SAVED_NOWHERE,
	SAVED_OTHER,
	SAVED_IN_RDI,
	/* the return address is in the register `link` of struct walk_offsets */
	IN_LINK = UNWIND_HAS_LINK ? (int)SAVED_SAME : (int)SAVED_IN_RDI,
};

static struct opnd odd_cfa(const struct walk *w, struct opnd rule)
{
	struct lower *l = w->l;
	struct opnd kind = RULE_FIELD(l, rule, cfa_kind), n = RULE_FIELD(l, rule, cfa),
		    add = RULE_FIELD(l, rule, add);
	struct ir_block *out = ir_block_new(l), *no;
	u32 cfa = ir_var(l);

	no = walk_if(l, kind, KIND_SP);
	ir_var_set(l, cfa, ir_op2(l, IR_ADD, walk_get(w, ST_SP), n));
	walk_else(l, no, out);
	no = walk_if(l, kind, KIND_FP);
	ir_var_set(l, cfa, ir_op2(l, IR_ADD, walk_get(w, ST_FP), n));
	walk_else(l, no, out);
	no = walk_if(l, kind, KIND_PLT);
	ir_var_set(l, cfa,
		   ir_op2(l, IR_ADD, walk_past(w, walk_get(w, ST_SP), 1),
			  ir_op2(l, IR_MUL,
				 ir_set(l, CC_UGE, ir_op2(l, IR_AND, walk_get(w, ST_PC), o_imm(15)),
					add),
				 walk_get(w, ST_WORD))));
	walk_else(l, no, out);
	no = walk_if(l, kind, KIND_SP_DEREF);
	ir_var_set(l, cfa,
		   ir_op2(l, IR_ADD, walk_read_pointer(w, ir_op2(l, IR_ADD, walk_get(w, ST_SP), n)),
			  add));
	walk_else(l, no, out);
	no = walk_if(l, kind, KIND_FP_DEREF);
	ir_var_set(l, cfa,
		   ir_op2(l, IR_ADD, walk_read_pointer(w, ir_op2(l, IR_ADD, walk_get(w, ST_FP), n)),
			  add));
	walk_else(l, no, out);
	walk_put(w, ST_WHY, o_imm(UNWIND_WHY_NO_RULE));
	ir_jump(l, w->stop);
	walk_place(l, out);
	return o_temp(cfa);
}

/* The caller's value of a register. `lost` if no rule defines it. */
static struct opnd odd_saved(const struct walk *w, struct opnd kind, struct opnd n, struct opnd cfa,
			     struct opnd same)
{
	struct lower *l = w->l;
	struct ir_block *out = ir_block_new(l), *read = ir_block_new(l), *no;
	u32 v = ir_var(l), at = ir_var(l);

	no = walk_if(l, kind, SAVED_SAME);
	ir_var_set(l, v, same);
	walk_else(l, no, out);
	no = walk_if(l, kind, SAVED_AT_CFA);
	ir_var_set(l, at, ir_op2(l, IR_ADD, cfa, n));
	walk_else(l, no, read);
	no = walk_if(l, kind, SAVED_AT_SP);
	ir_var_set(l, at, ir_op2(l, IR_ADD, walk_get(w, ST_SP), n));
	walk_else(l, no, read);
	no = walk_if(l, kind, SAVED_AT_FP);
	ir_var_set(l, at, ir_op2(l, IR_ADD, walk_get(w, ST_FP), n));
	walk_else(l, no, read);
	ir_var_set(l, v, o_imm(0)); /* not an address: a rule that needs it stops */
	ir_jump(l, out);
	walk_place(l, read);
	ir_var_set(l, v, walk_read_pointer(w, o_temp(at)));
	ir_jump(l, out);
	walk_place(l, out);
	return o_temp(v);
}

void walk_push_this(const struct walk *w)
{
	struct opnd n = walk_get(w, ST_N);

	walk_push(w, n, walk_get(w, ST_PC));
	walk_put(w, ST_N, ir_op2(w->l, IR_ADD, n, o_imm(1)));
}

/* Signals may have switched stacks; all other frames are above their callees, or have no stack. */
static void demand_above(const struct walk *w, struct opnd cfa, struct opnd is_signal,
			 struct opnd ra_kind)
{
	struct lower *l = w->l;
	struct ir_block *ordinary = ir_block_new(l), *out = ir_block_new(l);
	struct opnd low;

	ir_branch(l, CC_NE, is_signal, o_imm(0), out, ordinary);
	walk_place(l, ordinary);
	low = ir_op2(l, IR_SUB, walk_get(w, ST_SP), ir_set(l, CC_EQ, ra_kind, o_imm(IN_LINK)));
	walk_demand(w, CC_UGT, cfa, low, UNWIND_WHY_BACKWARDS);
	ir_jump(l, out);
	walk_place(l, out);
}

/* Checks that the rule's registers are valid: sp, and the one that may still hold the return
 * address. */
static void demand_registers(const struct walk *w, struct opnd ra_kind)
{
	struct lower *l = w->l;
	struct ir_block *in_link = ir_block_new(l), *out = ir_block_new(l);

	if (UNWIND_HAS_LINK)
		walk_demand(w, CC_EQ, walk_get(w, ST_LOST), o_imm(0), UNWIND_WHY_NO_RULE);
	ir_branch(l, CC_EQ, ra_kind, o_imm(IN_LINK), in_link, out);
	walk_place(l, in_link);
	if (UNWIND_HAS_LINK)
		walk_demand(w, CC_NE, walk_get(w, ST_EXACT), o_imm(0), UNWIND_WHY_NO_RULE);
	else /* a signal's frame would have the one of the code that it interrupted */
		walk_demand(w, CC_EQ, walk_get(w, ST_N), o_imm(1), UNWIND_WHY_NO_RULE);
	ir_jump(l, out);
	walk_place(l, out);
}

/* Restores the link register of the code that a signal interrupted. */
static void restore_link(const struct walk *w, struct opnd is_signal, struct opnd ra)
{
	enum { BELOW_PC = 16 }; /* in the kernel's signal frame: x30, sp, pc */
	struct lower *l = w->l;
	struct ir_block *signal = ir_block_new(l), *out = ir_block_new(l);

	if (!UNWIND_HAS_LINK)
		return;
	ir_branch(l, CC_NE, is_signal, o_imm(0), signal, out);
	walk_place(l, signal);
	walk_put(w, ST_LINK,
		 walk_read_word(w, ir_op2(l, IR_SUB, ir_op2(l, IR_ADD, walk_get(w, ST_SP), ra),
					  o_imm(BELOW_PC))));
	ir_jump(l, out);
	walk_place(l, out);
}

static struct opnd odd_return(const struct walk *w, struct opnd kind, struct opnd n,
			      struct opnd cfa)
{
	struct lower *l = w->l;
	struct ir_block *out = ir_block_new(l), *no;
	u32 v = ir_var(l);

	if (UNWIND_HAS_LINK)
		return odd_saved(w, kind, n, cfa, walk_get(w, ST_LINK));
	no = walk_if(l, kind, SAVED_IN_RDI);
	ir_var_set(l, v, walk_link(l));
	walk_else(l, no, out);
	ir_var_set(l, v, odd_saved(w, kind, n, cfa, o_imm(0)));
	ir_jump(l, out);
	walk_place(l, out);
	return o_temp(v);
}

void walk_step_odd(const struct walk *w, struct opnd rule)
{
	struct lower *l = w->l;
	struct opnd is_signal = RULE_FIELD(l, rule, is_signal),
		    ra_kind = RULE_FIELD(l, rule, ra_kind), cfa, pc, fp;
	struct ir_block *goes_on = ir_block_new(l);

	walk_push_this(w);
	ir_branch(l, CC_EQ, ra_kind, o_imm(SAVED_NOWHERE), w->stop, goes_on);
	walk_place(l, goes_on);
	walk_demand(w, CC_NE, ra_kind, o_imm(SAVED_OTHER), UNWIND_WHY_SWITCH);
	demand_registers(w, ra_kind);
	cfa = odd_cfa(w, rule);
	demand_above(w, cfa, is_signal, ra_kind);
	fp = odd_saved(w, RULE_FIELD(l, rule, fp_kind), RULE_FIELD(l, rule, fp), cfa,
		       walk_get(w, ST_FP));
	pc = odd_return(w, ra_kind, RULE_FIELD(l, rule, ra), cfa);
	restore_link(w, is_signal, RULE_FIELD(l, rule, ra));
	walk_put(w, ST_SP, cfa);
	walk_put(w, ST_FP, fp);
	walk_put(w, ST_PC, walk_address(l, pc));
	walk_put(w, ST_EXACT, is_signal);
	walk_put(w, ST_BY_FP, o_imm(0));
}

/* ---- code without rules */

/* In a function that has just been entered, fp is its caller's. */
static void step_from_entry(const struct walk *w, struct ir_block *again)
{
	struct lower *l = w->l;
	struct ir_block *first = ir_block_new(l), *entered = ir_block_new(l), *no = ir_block_new(l);
	struct opnd slot = walk_get(w, ST_ENTERED);

	ir_branch(l, CC_EQ, walk_get(w, ST_N), o_imm(1), first, no);
	walk_place(l, first);
	ir_branch(l, CC_NE, slot, o_imm(0), entered, no);
	walk_place(l, entered);
	walk_put(w, ST_ENTERED, o_imm(0));
	if (UNWIND_HAS_LINK) {
		walk_put(w, ST_PC, walk_address(l, walk_get(w, ST_LINK)));
	} else {
		walk_put(w, ST_PC, walk_read_pointer(w, slot));
		walk_put(w, ST_SP, walk_past(w, slot, 1));
	}
	walk_put(w, ST_EXACT, o_imm(0));
	ir_jump(l, again);
	walk_place(l, no);
}

/* The word at fp is the caller's fp, the next one the return address. With a link register these
 * are the lowest words of a frame whose size is not known. */
void walk_step_by_fp(const struct walk *w, struct opnd why, struct ir_block *again)
{
	struct lower *l = w->l;
	struct opnd fp = walk_get(w, ST_FP), far, up, pc;

	walk_push_this(w);
	walk_put(w, ST_BY_FP, why);
	step_from_entry(w, again);
	far = ir_op2(l, IR_SUB, fp, walk_get(w, ST_SP));
	walk_demand_or(w, CC_ULT, far, o_imm(UNWIND_MAX_FRAME), why);
	walk_demand_or(w, CC_EQ,
		       ir_op2(l, IR_AND, fp, ir_op2(l, IR_SUB, walk_get(w, ST_WORD), o_imm(1))),
		       o_imm(0), why);
	up = walk_read_pointer(w, fp);
	pc = walk_read_pointer(w, walk_past(w, fp, 1));
	walk_put(w, ST_SP, walk_past(w, fp, 2));
	walk_put(w, ST_FP, up);
	walk_put(w, ST_PC, walk_address(l, pc));
	walk_put(w, ST_EXACT, o_imm(0));
	walk_put(w, ST_LOST, o_imm(UNWIND_HAS_LINK));
	ir_jump(l, again);
}

/*
 * The return address that a return probe replaced. The kernel keeps it in the list
 * task->utask->return_instances, innermost first, with the address of its slot on the stack. If a
 * function has several probes, only the last entry holds the address; the others are "chained"
 * (kernel/events/uprobes.c: prepare_uretprobe).
 */
static struct opnd returns_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct ir_block *head = ir_block_new(l), *body = ir_block_new(l), *found = ir_block_new(l),
			*slot = ir_block_new(l), *next = ir_block_new(l), *got = ir_block_new(l),
			*other = ir_block_new(l);
	u32 i = ir_var(l), ri = ir_var(l);
	struct opnd ret, ours;
	struct walk_offsets p;

	walk_find_offsets(l, &p);
	ir_var_set(l, i, o_imm(0));
	ir_var_set(l, ri,
		   walk_kernel_word(l, walk_kernel_word(l, walk_task(l), p.utask), p.returns));
	ours = ir_op2(l, IR_SUB, walk_get(&w, ST_SP),
		      UNWIND_HAS_LINK ? o_imm(0) : walk_get(&w, ST_WORD));
	ir_jump(l, head);
	walk_place(l, head);
	ir_branch(l, CC_UGE, o_temp(i), o_imm(MAX_RETURNS), w.stop, body);
	walk_place(l, body);
	ret = ir_call(l, BPF_FUNC_probe_read_kernel, false, 3, opnd_plus(w.at, ST_RETURN),
		      o_imm(p.ri_size), o_temp(ri));
	ir_branch(l, CC_EQ, ret, o_imm(0), got, w.stop);
	walk_place(l, got);
	ir_branch(l, CC_EQ, walk_get(&w, ST_RETURN + p.ri_stack), ours, slot, next);
	walk_place(l, slot);
	/* it may be pc itself, in a library that is not in the tables yet */
	ir_branch(l, CC_EQ, walk_get(&w, ST_RETURN + p.ri_addr), walk_get(&w, ST_PC), next, other);
	walk_place(l, other);
	if (p.has_chained)
		ir_branch(l, CC_EQ, ir_load(l, opnd_plus(w.at, ST_RETURN + p.ri_chained), 1, false),
			  o_imm(0), found, next);
	else
		ir_jump(l, found);
	walk_place(l, next);
	ir_var_set(l, ri, walk_get(&w, ST_RETURN + p.ri_next));
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), o_imm(1)));
	ir_jump(l, head);
	walk_place(l, found);
	return walk_end(&w, walk_get(&w, ST_RETURN + p.ri_addr));
}

static const struct shared_func returns_func = { .name = "unwind_return",
						 .n_args = 1,
						 .body = returns_body };

void walk_step_return_probe(const struct walk *w)
{
	struct lower *l = w->l;
	const u32 most[2] = { ST_FRAMES + w->room, 0 };
	struct ir_block *probed = ir_block_new(l), *no = ir_block_new(l);
	struct walk_offsets p;
	struct opnd pc = o_imm(0);

	if (walk_find_offsets(l, &p) && p.has_returns)
		pc = lower_call_shared(l, &returns_func, most,
				       (struct opnd[]){ walk_get(w, ST_SELF) });
	ir_branch(l, CC_NE, pc, o_imm(0), probed, no);
	walk_place(l, no);
	walk_put(w, ST_WHY, o_imm(UNWIND_WHY_NOT_CODE));
	ir_jump(l, w->stop);
	walk_place(l, probed);
	walk_put(w, ST_PC, pc);
}
