/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One piece of the value of argstr (lower_snapshot.c): its bounds, its head, reads that fail. */
#include "ir/lower_piece.h"

enum { PAGE_SIZE = 4096 };

static struct ir_block *skip_to(struct snapping *g, u32 op)
{
	if (!g->skip[op])
		g->skip[op] = ir_block_new(g->l);
	return g->skip[op];
}

void piece_leave_unless(struct snapping *g, u32 to, enum ir_cond cc, struct opnd a, struct opnd b)
{
	struct ir_block *go = ir_block_new(g->l);

	ir_branch(g->l, cc, a, b, go, skip_to(g, to));
	ir_place(g->l, go);
}

struct opnd piece_bounded(struct snapping *g, u32 to, struct opnd offset, u32 room)
{
	struct opnd at = ir_op2(g->l, IR_AND, offset, o_imm(CALL_USED & ~7));

	piece_leave_unless(g, to, CC_ULE, at, o_imm((s64)g->s->size - room));
	return at;
}

/* At the return what the call itself could not read, either, is not counted. */
void piece_count_failed(struct snapping *g, struct opnd ret, struct opnd ptr)
{
	struct lower *l = g->l;
	struct ir_block *worked = ir_block_new(l), *out = ir_block_new(l);
	u32 mark;

	if (g->result.kind == O_NONE && g->s->is_half) {
		ir_branch(l, CC_SLT, ret, o_imm(0), worked, out);
		ir_place(l, worked);
		ir_var_set(l, g->copied, o_imm(0));
		ir_jump(l, out);
		ir_place(l, out);
		return;
	}
	if (g->result.kind == O_NONE) {
		lower_count_unread(l, ret, ptr);
		return;
	}
	ir_branch(l, CC_SGE, g->result, o_imm(0), worked, out);
	ir_place(l, worked);
	mark = lower_values_mark(l);
	lower_count_unread(l, ret, ptr);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
}

/* The word before the bytes of a piece. */
void piece_put_head(struct snapping *g, struct opnd piece, struct opnd ptr, struct opnd len)
{
	struct lower *l = g->l;
	struct opnd address = ir_op2(l, IR_SHR,
				     ir_op2(l, IR_SHL, ptr, o_imm(64 - CALL_PIECE_SHIFT)),
				     o_imm(64 - CALL_PIECE_SHIFT));

	ir_store(l, piece, 8,
		 ir_op2(l, IR_OR, address, ir_op2(l, IR_SHL, len, o_imm(CALL_PIECE_SHIFT))));
}

struct opnd piece_take(struct snapping *g, struct opnd piece)
{
	struct lower *l = g->l;
	struct opnd at = ir_load(l, g->value, 8, false), len;

	len = ir_op2(l, IR_SHR, ir_load(l, piece, 8, false), o_imm(CALL_PIECE_SHIFT));
	len = ir_op2(l, IR_AND, ir_op2(l, IR_ADD, len, o_imm(CALL_PIECE_HEAD + 7)), o_imm(~7));
	ir_store(l, g->value, 8, ir_op2(l, IR_ADD, at, len));
	return at;
}

/*
 * If a piece could not be read, what is in front of its next page:
 *
 *	if ret >= 0 goto worked
 *	len = 4096 - ptr % 4096
 *	if len >= length in the piece's head goto skip
 *	if probe_read_user(piece + 8, min(len, cap), ptr) < 0 goto skip
 *	*(u64 *)piece = ptr | len << 48
 *	worked:
 */
void piece_take_part(struct snapping *g, u32 to, u32 cap, struct opnd piece, struct opnd ptr,
		     struct opnd ret)
{
	struct lower *l = g->l;
	struct ir_block *failed = ir_block_new(l), *worked = ir_block_new(l);
	struct opnd len, rest;
	u32 mark;

	ir_branch(l, CC_SGE, ret, o_imm(0), worked, failed);
	ir_place(l, failed);
	mark = lower_values_mark(l);
	rest = ir_op2(l, IR_SUB, o_imm(PAGE_SIZE), ir_op2(l, IR_AND, ptr, o_imm(PAGE_SIZE - 1)));
	len = ir_op2(l, IR_SHR, ir_load(l, piece, 8, false), o_imm(CALL_PIECE_SHIFT));
	piece_leave_unless(g, to, CC_ULT, rest, len);
	piece_leave_unless(g, to, CC_ULE, rest, o_imm(cap));
	ret = ir_call(l, BPF_FUNC_probe_read_user, false, 3, opnd_plus(piece, CALL_PIECE_HEAD),
		      rest, ptr);
	piece_leave_unless(g, to, CC_SGE, ret, o_imm(0));
	piece_put_head(g, piece, ptr, rest);
	lower_values_drop(l, mark);
	ir_jump(l, worked);
	ir_place(l, worked);
}
