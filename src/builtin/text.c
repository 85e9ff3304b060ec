/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builtin/text.h"

u32 power_of_two(u32 n)
{
	u32 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

struct opnd is_zero(struct lower *l, struct opnd x)
{
	struct opnd minus = ir_op2(l, IR_SUB, o_imm(0), x);
	struct opnd some = ir_op2(l, IR_SHR, ir_op2(l, IR_OR, x, minus), o_imm(63));

	return ir_op2(l, IR_XOR, some, o_imm(1));
}

void choose(struct lower *l, u32 x, struct opnd c, struct opnd y)
{
	struct opnd step = ir_op2(l, IR_MUL, ir_op2(l, IR_SUB, y, o_temp(x)), c);

	ir_var_set(l, x, ir_op2(l, IR_ADD, o_temp(x), step));
}

u32 data_table(struct lower *l, const void *bytes, u32 len)
{
	const struct program *p = l->prog;

	for (u32 off = ALIGN_UP((u32)DATA_HEAD, 8u); p->data && off + len <= p->data_init_len;
	     off += 8)
		if (!memcmp(p->data + off, bytes, len))
			return off;
	return lower_data(l, len, bytes);
}

struct opnd text_move(struct lower *l, struct opnd dst, u32 cap, struct opnd src)
{
	struct opnd ret = lower_read_str(l, dst, cap, src, SPACE_KERNEL);

	return ir_op2(l, IR_SUB, ret, o_imm(1));
}

struct text text_copy(struct lower *l, struct node *n)
{
	struct ir_val v = lower_lvalue(l, n);
	struct text t = { .cap = v.type->count };
	struct opnd len;

	t.room = power_of_two(MAX(t.cap, (u32)SCRATCH_ROOM));
	t.scratch = lower_temp(l, t.room + TEXT_SLACK, 8, "text");
	t.at = ir_addr(l, t.scratch);
	if (v.is_foreign)
		len = ir_op2(l, IR_SUB, lower_read_str(l, t.at, t.cap, v.o, v.space), o_imm(1));
	else
		len = text_move(l, t.at, t.cap, ir_addr(l, v.o));
	t.len = ir_op2(l, IR_AND, len, o_imm(t.room - 1)); /* a bound for verifiers */
	return t;
}

/* Strings on the stack are copied to scratch: not all verifiers allow variable offsets into the
 * stack. */
struct text text_view(struct lower *l, struct node *n)
{
	struct ir_val v;
	struct text t = { .cap = n->type->count };

	t.room = power_of_two(MAX(t.cap, (u32)SCRATCH_ROOM));
	if (n->kind == N_CALL || node_is_const_str(n)) {
		t.at = lower_temp(l, t.room, 8, "text");
		lower_into_record(l, n, n->type, t.at);
		t.at = ir_addr(l, t.at);
		return t;
	}
	v = lower_memory(l, n);
	t.cap = v.type->count;
	t.at = v.o;
	if (v.o.kind == O_SLOT || t.cap < t.room) {
		t.at = lower_temp(l, t.room, 8, "text");
		ir_copy(l, t.at, v.o, t.cap);
	}
	t.at = ir_addr(l, t.at);
	return t;
}

struct text text_in_scratch(struct lower *l, struct node *n)
{
	struct text t = { .cap = n->type->count };

	if (n->kind != N_CALL && n->kind != N_STR)
		return text_copy(l, n);
	t.room = power_of_two(MAX(t.cap, (u32)SCRATCH_ROOM));
	t.scratch = lower_temp(l, t.room + TEXT_SLACK, 8, "text");
	lower_into_record(l, n, n->type, t.scratch);
	t.at = ir_addr(l, t.scratch);
	return t;
}

struct text text_shared(struct lower *l, struct opnd offset, u32 room)
{
	return (struct text){ .cap = room,
			      .room = room,
			      .at = lower_shared_scratch(l, offset, room + TEXT_SLACK) };
}

struct opnd text_append(struct lower *l, struct opnd to, u32 cap, struct opnd string,
			enum space space)
{
	struct ir_block *empty = ir_block_new(l), *more = ir_block_new(l);
	u32 n = ir_var(l), mark;
	struct opnd ret = lower_read_str(l, to, cap, string, space);

	ir_var_set(l, n, ir_op2(l, IR_AND, ret, o_imm(2 * cap - 1)));
	ir_branch(l, CC_SGT, ret, o_imm(0), more, empty);
	mark = lower_values_mark(l);
	ir_place(l, empty);
	ir_store(l, to, 1, o_imm(0));
	ir_var_set(l, n, o_imm(1));
	ir_jump(l, more);
	lower_values_drop(l, mark);
	ir_place(l, more);
	return o_temp(n);
}

struct ir_val text_result(struct lower *l, struct node *call, struct opnd dst, bool canonical,
			  struct opnd src)
{
	struct ir_val v = val_memory(call->type, dst);

	if (canonical)
		ir_zero(l, dst, call->type->count);
	lower_read_str(l, dst, call->type->count, src, SPACE_KERNEL);
	v.clean = canonical;
	return v;
}

struct opnd text_byte(struct lower *l, const struct text *t, struct opnd index)
{
	return ir_load(l, ir_op2(l, IR_ADD, t->at, index), 1, false);
}

struct opnd loop_byte(struct lower *l, const struct text *t, const struct byte_loop *b, u32 k)
{
	struct opnd at = ir_op2(l, IR_ADD, t->at, o_temp(b->i));

	return ir_load(l, opnd_plus(at, k), 1, false);
}

void byte_loop_begin(struct lower *l, struct byte_loop *b, u32 bound)
{
	struct ir_block *body = ir_block_new(l);

	*b = (struct byte_loop){ .head = ir_block_new(l),
				 .out = ir_block_new(l),
				 .i = ir_var(l),
				 .step = bound <= 16  ? 4 :
					 bound <= 128 ? 8 :
							16 };
	ir_var_set(l, b->i, o_imm(0));
	ir_jump(l, b->head);
	b->mark = lower_values_mark(l);
	ir_place(l, b->head);
	ir_branch(l, CC_UGE, o_temp(b->i), o_imm(bound), b->out, body);
	ir_place(l, body);
}

void byte_loop_while(struct lower *l, struct byte_loop *b, enum ir_cond cc, struct opnd x,
		     struct opnd y)
{
	ir_var_set(l, b->i, ir_op2(l, IR_ADD, o_temp(b->i), o_imm(b->step)));
	ir_branch(l, cc, x, y, b->head, b->out);
	ir_place(l, b->out);
	lower_values_drop(l, b->mark);
}
