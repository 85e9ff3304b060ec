/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * float and double, decomposed, as BPF has no instructions for them. In: values in memory. Out: the
 * bits of a double in a register (IEEE 754, binary64):
 *
 *	63   62      52 51                    0
 *	sign exponent+1023 fraction              (1 + fraction / 2^52) * 2^exponent
 *
 * A float has 1 + 8 (bias 127) + 23 bits; each is exactly a double, except those below 2^-126,
 * which become zero. There is no arithmetic: doubles are compared and truncated to integers.
 */
#include "ir/state.h"

enum {
	FRACTION = 52,
	EXPONENT_MASK = 0x7ff,
	FLOAT_FRACTION = 23,
	FLOAT_EXPONENT_MASK = 0xff,
	REBIAS = 1023 - 127
};

static const s64 ONE = (s64)1 << FRACTION;
static const s64 INFINITE = (s64)EXPONENT_MASK << FRACTION;

static s64 bits_of(s64 value)
{
	double d = (double)value;
	s64 bits;

	memcpy(&bits, &d, sizeof bits);
	return bits;
}

static struct opnd masked(struct lower *l, struct opnd v, u32 shift, s64 mask)
{
	return ir_op2(l, IR_AND, ir_op2(l, IR_SHR, v, o_imm(shift)), o_imm(mask));
}

static struct opnd widen(struct lower *l, struct opnd f)
{
	struct opnd sign = ir_op2(l, IR_SHL, ir_op2(l, IR_SHR, f, o_imm(31)), o_imm(63));
	struct opnd e = masked(l, f, FLOAT_FRACTION, FLOAT_EXPONENT_MASK);
	struct opnd rest = ir_op2(l, IR_AND, f, o_imm(((s64)1 << 31) - 1));
	struct opnd low = ir_op2(l, IR_SHL, rest, o_imm(FRACTION - FLOAT_FRACTION)), d;

	d = ir_op2(l, IR_ADD, low, o_imm((s64)REBIAS << FRACTION));
	d = ir_choose(l, CC_EQ, e, o_imm(FLOAT_EXPONENT_MASK),
		      ir_op2(l, IR_OR, low, o_imm(INFINITE)), d);
	d = ir_choose(l, CC_EQ, e, o_imm(0), o_imm(0), d);
	return ir_op2(l, IR_OR, d, sign);
}

struct opnd lower_float_load(struct lower *l, const struct ir_val *v)
{
	const struct type *word = type_int(v->type->size, false);
	struct opnd bits = v->is_foreign ? lower_read_scalar(l, word, v->o, v->space) :
					   lower_load_own(l, v->o, word->size, false);

	return word->size == 4 ? widen(l, bits) : bits;
}

/* An integer here is a constant: the type checker ensures it. */
static struct opnd double_bits(struct lower *l, struct node *n)
{
	struct ir_val v;

	if (type_is_integer(n->type))
		return o_imm(bits_of(n->value));
	v = lower_memory(l, n);
	return lower_float_load(l, &v);
}

/* Rounds toward zero; what does not fit 64 bits is the lowest number, as on x86. */
static struct opnd cut(struct lower *l, struct opnd d)
{
	struct opnd shift =
		ir_op2(l, IR_SUB, masked(l, d, FRACTION, EXPONENT_MASK), o_imm(1023 + FRACTION));
	struct opnd whole = ir_op2(l, IR_OR, ir_op2(l, IR_AND, d, o_imm(ONE - 1)), o_imm(ONE));
	struct opnd back = ir_op2(l, IR_AND, ir_op2(l, IR_SUB, o_imm(0), shift), o_imm(63));
	struct opnd down = ir_op2(l, IR_SHR, whole, back), v;
	struct opnd up = ir_op2(l, IR_SHL, whole, ir_op2(l, IR_AND, shift, o_imm(63)));

	v = ir_choose(l, CC_SGE, shift, o_imm(0), up, down);
	v = ir_choose(l, CC_SLT, shift, o_imm(-FRACTION), o_imm(0), v);
	v = ir_choose(l, CC_SLT, d, o_imm(0), ir_op2(l, IR_SUB, o_imm(0), v), v);
	return ir_choose(l, CC_SGT, shift, o_imm(63 - FRACTION), o_imm(INT64_MIN), v);
}

struct opnd lower_float_to_int(struct lower *l, struct node *n)
{
	return cut(l, double_bits(l, n));
}

/* An integer that is ordered as the double is; both zeroes are 0. */
static struct opnd ordered(struct lower *l, struct opnd magnitude, struct opnd d)
{
	struct opnd sign = ir_op2(l, IR_SAR, d, o_imm(63));

	return ir_op2(l, IR_SUB, ir_op2(l, IR_XOR, magnitude, sign), sign);
}

static struct opnd magnitude_of(struct lower *l, struct opnd d)
{
	return ir_op2(l, IR_AND, d, o_imm(INT64_MAX));
}

/* NaN is not equal to anything, and neither below nor above it. */
static struct opnd comparable(struct lower *l, struct node *n, struct ir_block *unordered)
{
	struct opnd d = double_bits(l, n), magnitude = magnitude_of(l, d);
	struct ir_block *good;

	if (d.kind != O_IMM) {
		good = ir_block_new(l);
		ir_branch(l, CC_UGT, magnitude, o_imm(INFINITE), unordered, good);
		ir_place(l, good);
	}
	return ordered(l, magnitude, d);
}

void lower_compare_floats(struct lower *l, struct node *n, enum ir_cond cc, struct ir_block *yes,
			  struct ir_block *no)
{
	struct ir_block *unordered = cc == CC_NE ? yes : no;
	u32 mark = vn_mark(l);
	struct opnd a = comparable(l, n->a, unordered), b = comparable(l, n->b, unordered);

	ir_branch(l, cc, a, b, yes, no);
	vn_truncate(l, mark);
}

void lower_float_is_set(struct lower *l, struct node *n, struct ir_block *yes, struct ir_block *no)
{
	ir_branch(l, CC_NE, magnitude_of(l, double_bits(l, n)), o_imm(0), yes, no);
}
