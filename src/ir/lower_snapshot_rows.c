/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of argstr in a program for many calls (snapshot.is_rows): what to copy is data, a row
 * for each call (type/call.h). The data map has an index by the number of the call, and each row
 * once:
 *
 *	row = rows + index[number]
 *	for each op of the row:
 *		if op == 0 goto end
 *		if !(op & wanted) || op & unwanted goto next	at the return
 *		ptr = sources[op.arg]
 *		if ptr == 0 goto next
 *		if op.is_string: read_str(piece, op.cap, ptr)
 *		else: read(piece, min(units(sources[op.source]), op.most) * op.scale, ptr)
 */
#include "ir/lower_piece.h"

enum {
	ROW_SIZE = 8 * ROW_WORDS,
	NO_ROW = 0 /* of calls that copy nothing and have no arguments */
};

/* ---- the data */

static u64 source_of(const struct snapshot_op *o)
{
	return o->len.kind == LEN_CONST  ? ROW_SOURCE_ONE :
	       o->len.kind == LEN_RESULT ? ROW_SOURCE_RESULT :
					   o->len.value;
}

static u64 unit_shift(const struct snapshot_op *o)
{
	return o->len.kind == LEN_BITS || o->len.kind == LEN_NODES ? 6 :
	       o->len.kind == LEN_PAGES                            ? 12 :
								     0;
}

static u64 op_word(const struct snapshot_op *o)
{
	u64 scale = MAX(o->scale, 1u);
	u64 flags = ROW_IS_OP | (o->is_string ? ROW_STRING : 0) |
		    (o->is_partial ? ROW_PARTIAL : 0) | (o->on_success ? ROW_ON_SUCCESS : 0) |
		    (o->on_failure ? ROW_ON_FAILURE : 0) | (o->stored ? ROW_STORED : 0);

	if (o->is_string)
		return flags | (u64)o->cap << ROW_CAP_SHIFT | (u64)o->arg << ROW_ARG_SHIFT;
	if (o->len.kind == LEN_CONST)
		scale = MIN(scale * o->len.value, (u64)o->cap);
	return flags | scale | (u64)o->cap << ROW_CAP_SHIFT |
	       (u64)(o->cap / MAX(scale, 1u)) << ROW_MOST_SHIFT | (u64)o->arg << ROW_ARG_SHIFT |
	       source_of(o) << ROW_SOURCE_SHIFT | unit_shift(o) << ROW_UNIT_SHIFT;
}

static void make_row(const struct snapshot *s, u64 row[ROW_WORDS])
{
	memset(row, 0, ROW_SIZE);
	row[0] = s->n_args;
	for (u32 i = 0; i < s->n; i++)
		row[1 + i] = op_word(&s->v[i]);
}

/* The number of the row, added if it is new. */
static u16 row_number(u64 (*rows)[ROW_WORDS], u32 *n, const u64 row[ROW_WORDS])
{
	u32 i = 0;

	while (i < *n && memcmp(rows[i], row, ROW_SIZE) != 0)
		i++;
	if (i == *n)
		memcpy(rows[(*n)++], row, ROW_SIZE);
	return (u16)i;
}

static u32 power_of_two(u32 n)
{
	u32 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* ---- the code */

static struct opnd data_at(struct lower *l, u32 offset)
{
	return ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), offset));
}

void snapshot_find_row(struct snapping *g)
{
	struct lower *l = g->l;
	const struct snapshot **of = l->profile->snapshot.rows;
	u64(*rows)[ROW_WORDS] = arena_alloc(l->arena, SYSCALL_SET_BITS * ROW_SIZE);
	u16 index[SYSCALL_SET_BITS] = { NO_ROW };
	u32 n = 0, room, at_index;
	struct opnd nr;

	make_row(&(struct snapshot){ 0 }, rows[n++]);
	for (u32 i = 0; i < SYSCALL_SET_BITS; i++) {
		u64 row[ROW_WORDS];

		if (!of[i])
			continue;
		make_row(of[i], row);
		index[i] = row_number(rows, &n, row);
	}
	room = power_of_two(n);
	at_index = lower_data(l, sizeof index, index);
	memset(rows[n], 0, (room - n) * ROW_SIZE);
	g->rows = lower_data(l, room * ROW_SIZE, rows);
	nr = ir_op2(l, IR_AND, lower_syscall_number(l), o_imm(SYSCALL_SET_BITS - 1));
	nr = ir_op2(l, IR_ADD, data_at(l, at_index), ir_op2(l, IR_SHL, nr, o_imm(1)));
	g->row = ir_var(l);
	ir_var_set(l, g->row, ir_load(l, nr, 2, false));
	g->row_mask = room - 1;
}

/* A word of the row. */
static struct opnd word(struct snapping *g, u32 i)
{
	struct lower *l = g->l;
	struct opnd at = ir_op2(l, IR_AND, o_temp(g->row), o_imm(g->row_mask));

	at = ir_op2(l, IR_MUL, at, o_imm(ROW_SIZE));
	return ir_load(l, opnd_plus(ir_op2(l, IR_ADD, data_at(l, g->rows), at), 8 * (s64)i), 8,
		       false);
}

struct opnd snapshot_row_args(struct snapping *g)
{
	return word(g, 0);
}

static struct opnd bits(struct lower *l, struct opnd op, u32 shift, u32 mask)
{
	return ir_op2(l, IR_AND, ir_op2(l, IR_SHR, op, o_imm(shift)), o_imm(mask));
}

static struct opnd source(struct lower *l, struct opnd sources, struct opnd op, u32 shift)
{
	struct opnd at = ir_op2(l, IR_SHL, bits(l, op, shift, ROW_INDEX_MASK), o_imm(3));

	return ir_load(l, ir_op2(l, IR_ADD, ir_addr(l, sources), at), 8, false);
}

static struct opnd put_sources(struct snapping *g)
{
	struct lower *l = g->l;
	struct opnd sources = lower_scratch_temp(l, 8 * ROW_SOURCES);

	for (u32 i = 0; i < CALL_MAX_ARGS; i++)
		ir_store(l, opnd_plus(sources, 8 * (s64)i), 8, g->arg[i]);
	ir_store(l, opnd_plus(sources, 8 * ROW_SOURCE_RESULT), 8,
		 g->result.kind == O_NONE ? o_imm(0) : g->result);
	ir_store(l, opnd_plus(sources, 8 * ROW_SOURCE_ONE), 8, o_imm(1));
	return sources;
}

/* At the return: which flags an op must have one of, and must not have. */
struct chosen {
	struct opnd wanted, unwanted;
};

static void leave_unless_chosen(struct snapping *g, const struct chosen *c, u32 to, struct opnd op)
{
	struct lower *l = g->l;

	if (g->result.kind == O_NONE)
		return;
	piece_leave_unless(g, to, CC_EQ, ir_op2(l, IR_AND, op, c->unwanted), o_imm(0));
	if (g->s->is_half)
		piece_leave_unless(g, to, CC_NE, ir_op2(l, IR_AND, op, c->wanted), o_imm(0));
}

/* Bytes of an op that is no string: not 0. */
static struct opnd length(struct snapping *g, u32 to, struct opnd sources, struct opnd op)
{
	struct lower *l = g->l;
	struct opnd shift = bits(l, op, ROW_UNIT_SHIFT, ROW_UNIT_MASK),
		    n = source(l, sources, op, ROW_SOURCE_SHIFT), most;

	n = ir_op2(l, IR_ADD, n, ir_op2(l, IR_SUB, ir_op2(l, IR_SHL, o_imm(1), shift), o_imm(1)));
	n = ir_op2(l, IR_SHR, n, shift);
	piece_leave_unless(g, to, CC_SGT, n, o_imm(0));
	most = bits(l, op, ROW_MOST_SHIFT, ROW_WORD_MASK);
	n = ir_choose(l, CC_UGT, n, most, most, n);
	n = ir_op2(l, IR_MUL, n, bits(l, op, 0, ROW_WORD_MASK));
	return ir_at_most(l, n, g->s->row_cap);
}

static void copy_string(struct snapping *g, u32 to, struct opnd piece, struct opnd op,
			struct opnd ptr)
{
	struct lower *l = g->l;
	struct opnd cap = ir_at_most(l, bits(l, op, ROW_CAP_SHIFT, ROW_WORD_MASK), g->s->row_cap),
		    ret;

	ret = ir_call(l, BPF_FUNC_probe_read_user_str, false, 3, opnd_plus(piece, CALL_PIECE_HEAD),
		      cap, ptr);
	piece_count_failed(g, ret, ptr);
	piece_leave_unless(g, to, CC_SGE, ret, o_imm(0));
	/* of an empty string older kernels return 0: without the NUL */
	piece_put_head(g, piece, ptr, ir_op2(l, IR_ADD, ret, ir_set(l, CC_EQ, ret, o_imm(0))));
}

static void copy_bytes(struct snapping *g, u32 to, struct opnd piece, struct opnd op,
		       struct opnd ptr, struct opnd sources)
{
	struct lower *l = g->l;
	struct opnd len = length(g, to, sources, op), ret;
	struct ir_block *part = ir_block_new(l), *whole = ir_block_new(l), *out = ir_block_new(l);
	u32 mark;

	piece_put_head(g, piece, ptr, len);
	ret = ir_call(l, BPF_FUNC_probe_read_user, false, 3, opnd_plus(piece, CALL_PIECE_HEAD), len,
		      ptr);
	piece_count_failed(g, ret, ptr);
	ir_branch(l, CC_NE, ir_op2(l, IR_AND, op, o_imm((s64)ROW_PARTIAL)), o_imm(0), part, whole);
	mark = lower_values_mark(l);
	ir_place(l, part);
	piece_take_part(g, to, g->s->row_cap, piece, ptr, ret);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, whole);
	piece_leave_unless(g, to, CC_SGE, ret, o_imm(0));
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
}

static void copy_op(struct snapping *g, u32 i, struct opnd sources, const struct chosen *c)
{
	struct lower *l = g->l;
	struct ir_block *string = ir_block_new(l), *bytes = ir_block_new(l), *out = ir_block_new(l);
	struct opnd op = word(g, 1 + i), ptr, piece;
	u32 to = i + 1, mark;

	piece_leave_unless(g, ROW_OPS, CC_NE, op, o_imm(0));
	leave_unless_chosen(g, c, to, op);
	ptr = source(l, sources, op, ROW_ARG_SHIFT);
	piece_leave_unless(g, to, CC_NE, ptr, o_imm(0));
	piece = ir_op2(l, IR_ADD, ir_addr(l, g->value),
		       piece_bounded(g, to, ir_load(l, g->value, 8, false),
				     CALL_PIECE_HEAD + ALIGN_UP(g->s->row_cap, 8u)));
	ir_branch(l, CC_NE, ir_op2(l, IR_AND, op, o_imm((s64)ROW_STRING)), o_imm(0), string, bytes);
	mark = lower_values_mark(l);
	ir_place(l, string);
	copy_string(g, to, piece, op, ptr);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, bytes);
	copy_bytes(g, to, piece, op, ptr, sources);
	lower_values_drop(l, mark);
	ir_jump(l, out);
	ir_place(l, out);
	piece_take(g, piece);
}

void snapshot_copy_row(struct snapping *g)
{
	struct lower *l = g->l;
	struct opnd sources = put_sources(g);
	struct chosen c = { 0 };
	u32 mark;

	if (g->result.kind != O_NONE) {
		c.unwanted = ir_choose(l, CC_SLT, g->result, o_imm(0), o_imm(ROW_ON_SUCCESS),
				       o_imm(ROW_ON_FAILURE));
		if (g->s->is_half)
			c.wanted = ir_choose(l, CC_NE, o_temp(g->copied), o_imm(0),
					     o_imm(ROW_STORED), o_imm(ROW_IS_OP));
	}
	mark = lower_values_mark(l);
	for (u32 i = 0; i < ROW_OPS; i++) {
		copy_op(g, i, sources, &c);
		ir_jump(l, g->skip[i + 1]);
		ir_place(l, g->skip[i + 1]);
		lower_values_drop(l, mark);
	}
}
