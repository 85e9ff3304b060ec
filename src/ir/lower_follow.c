/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the process in the set of followed ones? In: its number. The set is a hash; a process that was
 * found in it once is also in a slot of the data map, which takes a load instead of a call:
 *
 *	slot = followed[tgid % FOLLOWED_SLOTS]
 *	if slot == tgid + 1 goto yes
 *	if the hash does not have tgid goto no
 *	followed[tgid % FOLLOWED_SLOTS] = tgid + 1
 * yes:
 *
 * Only threads of a process store its number, and it leaves the hash when it has none
 * (sched_process_free): taking it from its slot then leaves no old one behind.
 */
#include "ir/state.h"

enum { FOLLOWED_SLOTS = 1024, SLOT_SIZE = 4 };

/* What its slot has: not 0, which idle threads and processes outside of our pid namespace have. */
static struct opnd id_of(struct lower *l, struct opnd tgid)
{
	return ir_op2(l, IR_ADD, tgid, o_imm(1));
}

static struct opnd slot_of(struct lower *l, struct opnd tgid)
{
	struct opnd at = ir_op2(l, IR_AND, tgid, o_imm(FOLLOWED_SLOTS - 1));

	if (!l->prog->followed)
		l->prog->followed = lower_data(l, FOLLOWED_SLOTS * SLOT_SIZE, NULL);
	return ir_op2(l, IR_ADD,
		      ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), l->prog->followed)),
		      ir_op2(l, IR_MUL, at, o_imm(SLOT_SIZE)));
}

void lower_return_unless_followed(struct lower *l, struct opnd tgid)
{
	struct ir_block *yes = ir_block_new(l), *ask = ir_block_new(l);
	struct opnd slot = slot_of(l, tgid), id = id_of(l, tgid), key;
	u32 values;

	ir_branch(l, CC_EQ, ir_load(l, slot, SLOT_SIZE, false), id, yes, ask);
	values = lower_values_mark(l);
	ir_place(l, ask);
	key = lower_temp(l, 4, 4, "follow");
	ir_store(l, key, 4, tgid);
	lower_return_unless(l, CC_NE,
			    ir_call(l, BPF_FUNC_map_lookup_elem, false, 2,
				    o_map(l->inst->follow_map), key),
			    o_imm(0));
	ir_store(l, slot, SLOT_SIZE, id);
	lower_values_drop(l, values);
	ir_jump(l, yes);
	ir_place(l, yes);
}

void lower_forget_followed(struct lower *l, struct opnd tgid)
{
	struct ir_block *ours = ir_block_new(l), *out = ir_block_new(l);
	struct opnd slot = slot_of(l, tgid);

	ir_branch(l, CC_EQ, ir_load(l, slot, SLOT_SIZE, false), id_of(l, tgid), ours, out);
	ir_place(l, ours);
	ir_store(l, slot, SLOT_SIZE, o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
}
