/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions: scalars become operands held in 64 bits, extended by their own type's size and sign;
 * all other values have an address, ours or foreign, and are read only where their bytes are
 * needed.
 */
#include "ir/state.h"
#include "type/agg.h"

/* ---- scalars */

static bool is_signed(const struct type *t)
{
	return t->kind == TY_BOOL ? false : t->is_signed;
}

struct opnd lower_convert(struct lower *l, struct opnd v, const struct type *from,
			  const struct type *to)
{
	if (to->kind == TY_BOOL)
		return from->kind == TY_BOOL ? v : ir_set(l, CC_NE, v, o_imm(0));
	if (to->kind == TY_KSYM && from->kind == TY_PROBE)
		return ir_op2(l, IR_OR, v, o_imm((s64)SYM_OF_SITE));
	if (!to->size || to->size >= 8)
		return v;
	if (from->size && from->size < to->size && (!is_signed(from) || is_signed(to)))
		return v;
	if (from->size == to->size && is_signed(from) == is_signed(to))
		return v;
	return ir_ext(l, v, to->size, is_signed(to));
}

/* The largest aligned load there, of at most n bytes. */
static u32 aligned_part(struct opnd at, u32 n)
{
	u32 part = n >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;

	while (at.imm & (part - 1))
		part /= 2;
	return part;
}

struct opnd lower_load_own(struct lower *l, struct opnd at, u32 size, bool is_signed)
{
	u32 part = aligned_part(at, size);
	struct opnd v = ir_load(l, at, part, is_signed && part == size);

	for (u32 i = part; i < size; i += part) {
		part = aligned_part(opnd_plus(at, i), size - i);
		v = ir_op2(l, IR_OR, v,
			   ir_op2(l, IR_SHL, ir_load(l, opnd_plus(at, i), part, false),
				  o_imm(8 * i)));
	}
	return is_signed && size < 8 && aligned_part(at, size) < size ? ir_ext(l, v, size, true) :
									v;
}

/* Bitfields: loads the bytes that hold it, shifts and truncates. */
static struct opnd load_bitfield(struct lower *l, const struct ir_val *lvalue,
				 const struct field *f)
{
	u32 bytes = (f->bit_offset + f->bit_size + 7) / 8, size = bytes > 4 ? 8 :
								  bytes > 2 ? 4 :
									      bytes;
	const struct type *word = type_int(size == 3 ? 4 : size, false);
	struct opnd v;

	if (lvalue->is_foreign)
		v = lower_read_scalar(l, word, lvalue->o, lvalue->space);
	else
		v = lower_load_own(l, lvalue->o, bytes, false);
	v = ir_op2(l, IR_SHL, v, o_imm(64 - f->bit_offset - f->bit_size));
	return ir_op2(l, f->type->is_signed ? IR_SAR : IR_SHR, v, o_imm(64 - f->bit_size));
}

/*
 * Values outside the list become the last one: without a branch, which would double the paths of
 * verifiers.
 */
static struct opnd settle_rest(struct lower *l, const struct type *t, struct opnd v)
{
	struct opnd known = o_imm(0), rest = o_imm(t->enums[t->n_enums - 1].value);

	for (u32 i = 0; i + 1 < t->n_enums; i++)
		known = ir_op2(l, IR_OR, known, ir_set(l, CC_EQ, v, o_imm(t->enums[i].value)));
	return ir_op2(l, IR_XOR, rest,
		      ir_op2(l, IR_AND, ir_op2(l, IR_XOR, rest, v),
			     ir_op2(l, IR_SUB, o_imm(0), known)));
}

static struct opnd load_scalar(struct lower *l, const struct ir_val *lvalue)
{
	const struct type *t = lvalue->type;

	if (lvalue->is_foreign)
		return lower_read_scalar(l, t, lvalue->o, lvalue->space);
	return lower_load_own(l, lvalue->o, t->size, is_signed(t));
}

struct opnd lower_load_lvalue(struct lower *l, const struct ir_val *lvalue,
			      const struct field *bits)
{
	const struct type *t = lvalue->type;
	struct opnd v;

	if (bits && bits->bit_size)
		return load_bitfield(l, lvalue, bits);
	if (!lvalue->in_memory)
		return lvalue->o;
	v = load_scalar(l, lvalue);
	return t->kind == TY_ENUM && t->has_rest ? settle_rest(l, t, v) : v;
}

/* An aggregation used as a number. */
static bool is_number_agg(const struct type *t)
{
	return t->kind >= TY_COUNT && t->kind <= TY_AVG;
}

struct opnd lower_scalar(struct lower *l, struct node *n)
{
	struct ir_val v = lower_expr(l, n);

	if (v.in_memory && type_is_scalar(v.type))
		return lower_load_lvalue(l, &v, NULL);
	return v.o;
}

/* ---- operators */

static enum ir_cond cond_of(enum op op, bool is_signed_cmp)
{
	switch (op) {
	case OP_EQ: return CC_EQ;
	case OP_NE: return CC_NE;
	case OP_LT: return is_signed_cmp ? CC_SLT : CC_ULT;
	case OP_LE: return is_signed_cmp ? CC_SLE : CC_ULE;
	case OP_GT: return is_signed_cmp ? CC_SGT : CC_UGT;
	case OP_GE: return is_signed_cmp ? CC_SGE : CC_UGE;
	default: BUG("operator %d is no comparison", op);
	}
}

static bool is_comparison(enum op op)
{
	return op >= OP_EQ && op <= OP_GE;
}

/* True where the operands are compared as signed 64-bit numbers. */
static bool compares_signed(const struct node *n)
{
	const struct type *a = n->a->type, *b = n->b->type;

	if (n->promoted && n->promoted->kind == TY_INT)
		return n->promoted->is_signed;
	if (a->kind == TY_POINTER || b->kind == TY_POINTER)
		return false;
	return is_signed(a) || is_signed(b);
}

static bool is_float(const struct node *n)
{
	return n->type->kind == TY_FLOAT;
}

static bool compares_floats(const struct node *n)
{
	return is_float(n->a) || is_float(n->b);
}

static bool compares_memory(const struct node *n)
{
	if (n->a->kind == N_STR || n->b->kind == N_STR)
		return true;
	return !type_is_scalar(n->a->type) && !is_number_agg(n->a->type);
}

static struct opnd divide(struct lower *l, struct node *n, enum ir_opcode op, struct opnd a,
			  struct opnd b)
{
	if (b.kind == O_IMM && b.imm != 0)
		return ir_op2(l, op, a, b);
	l->span = n->span;
	b = ir_opaque(l, b);
	lower_loss_if_zero(l, b, LOSS_DIV_ZERO, NULL);
	return ir_op2(l, op, a, b);
}

static bool is_u64(const struct type *t)
{
	return t->kind == TY_INT && t->size == 8 && !t->is_signed;
}

/* -v where mask is all ones, else v. */
static struct opnd negate_by(struct lower *l, struct opnd v, struct opnd mask)
{
	return ir_op2(l, IR_SUB, ir_op2(l, IR_XOR, v, mask), mask);
}

/*
 * Division of an unsigned 64-bit number and a signed one: by magnitudes, since no common type holds
 * both.
 */
static struct opnd divide_mixed(struct lower *l, struct node *n, enum op op, struct opnd a,
				struct opnd b)
{
	enum ir_opcode by = op == OP_DIV ? IR_UDIV : IR_UMOD;
	bool left_signed = !is_u64(n->a->type);
	struct opnd sign = ir_op2(l, IR_SAR, left_signed ? a : b, o_imm(63)), q;

	if (left_signed)
		a = negate_by(l, a, sign);
	else
		b = negate_by(l, b, sign);
	q = divide(l, n, by, a, b);
	return left_signed || op == OP_DIV ? negate_by(l, q, sign) : q;
}

static bool may_be_negative(const struct type *t, struct opnd o)
{
	return (t->kind != TY_INT || t->is_signed) && !(o.kind == O_IMM && o.imm >= 0);
}

/* Exact for all operands. */
static struct opnd lower_division(struct lower *l, struct node *n, enum op op, struct opnd a,
				  struct opnd b)
{
	const struct type *left = n->a->type, *right = n->b->type;
	bool s = may_be_negative(left, a) || may_be_negative(right, b);

	if (s && is_u64(left) != is_u64(right))
		return divide_mixed(l, n, op, a, b);
	if (op == OP_DIV)
		return divide(l, n, s ? IR_SDIV : IR_UDIV, a, b);
	return divide(l, n, s ? IR_SMOD : IR_UMOD, a, b);
}

static u32 pointee_size(const struct type *ptr)
{
	const struct type *to = ptr->elem ? type_complete(ptr->elem) : NULL;

	return to && to->size && !ptr->is_word ? to->size : 1;
}

struct opnd lower_arithmetic(struct lower *l, struct node *n, enum op op, struct opnd a,
			     struct opnd b)
{
	const struct type *left = n->a->type, *right = n->b->type;

	if (op == OP_ADD || op == OP_SUB) {
		if (left->kind == TY_POINTER && right->kind != TY_POINTER)
			b = ir_op2(l, IR_MUL, b, o_imm(pointee_size(left)));
		else if (right->kind == TY_POINTER && left->kind != TY_POINTER)
			a = ir_op2(l, IR_MUL, a, o_imm(pointee_size(right)));
	}
	switch (op) {
	case OP_ADD: return ir_op2(l, IR_ADD, a, b);
	case OP_SUB: return ir_op2(l, IR_SUB, a, b);
	case OP_MUL: return ir_op2(l, IR_MUL, a, b);
	case OP_DIV:
	case OP_MOD: return lower_division(l, n, op, a, b);
	case OP_AND: return ir_op2(l, IR_AND, a, b);
	case OP_OR: return ir_op2(l, IR_OR, a, b);
	case OP_XOR: return ir_op2(l, IR_XOR, a, b);
	case OP_SHL: return ir_op2(l, IR_SHL, a, ir_op2(l, IR_AND, b, o_imm(63)));
	case OP_SHR:
		return ir_op2(l, is_signed(left) ? IR_SAR : IR_SHR, a,
			      ir_op2(l, IR_AND, b, o_imm(63)));
	default: BUG("operator %d is not arithmetic", op);
	}
}

/* 0 or 1 from a condition that needs control flow. */
static struct opnd truth_value(struct lower *l, struct node *n)
{
	struct ir_block *yes = ir_block_new(l), *no = ir_block_new(l), *out = ir_block_new(l);
	u32 v = ir_var(l), mark = vn_mark(l);
	struct cond_marks m = lower_cond_marks(l, n, yes, no);

	ir_place(l, yes);
	ir_var_set(l, v, o_imm(1));
	ir_jump(l, out);
	ir_place(l, no);
	ir_var_set(l, v, o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
	vn_truncate(l, MAX(mark, MIN(m.yes, m.no)));
	return ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
}

enum { WAITING_DEPTH = 6 };

static bool is_deep(const struct node *n, u32 depth)
{
	if (n->kind != N_BINARY)
		return false;
	return !depth || is_deep(n->a, depth - 1) || is_deep(n->b, depth - 1);
}

/* The left operand; it waits in scratch for a deeply nested right one if the stack is short. */
static struct opnd lower_left(struct lower *l, struct node *n, struct opnd *waits)
{
	struct opnd a = lower_scalar(l, n->a);

	*waits = (struct opnd){ .kind = O_NONE };
	if (!lower_is_short_of_stack(l) || !is_deep(n->b, WAITING_DEPTH))
		return a;
	*waits = lower_scratch_kept(l, 8);
	ir_store(l, *waits, 8, a);
	return a;
}

static struct ir_val lower_binary(struct lower *l, struct node *n)
{
	struct opnd a, b, waits;

	if (n->op == OP_LAND || n->op == OP_LOR ||
	    (is_comparison(n->op) && (compares_floats(n) || compares_memory(n))))
		return val_scalar(&ty_bool, truth_value(l, n));
	a = lower_left(l, n, &waits);
	b = lower_scalar(l, n->b);
	if (waits.kind != O_NONE)
		a = ir_load(l, waits, 8, false);
	if (is_comparison(n->op))
		return val_scalar(&ty_bool, ir_set(l, cond_of(n->op, compares_signed(n)), a, b));
	return val_scalar(n->type, lower_arithmetic(l, n, n->op, a, b));
}

/* The address of our own memory as a number, on which a script may do any arithmetic. */
static struct opnd address_of(struct lower *l, struct node *n)
{
	struct opnd addr;
	struct ir_val v;

	if (n->kind == N_MAP) {
		addr = lower_map_address(l, n);
	} else {
		v = lower_lvalue(l, n);
		if (v.is_foreign)
			return v.o;
		addr = v.in_memory ? ir_addr(l, v.o) : v.o;
	}
	return lower_address_as_number(l, addr);
}

/* - and ~ of an unsigned number keep its width. */
static struct ir_val within_width(struct lower *l, struct ir_val v, const struct type *t)
{
	if (!t->is_signed && t->kind != TY_BOOL && t->size < 8)
		v.o = ir_ext(l, v.o, (u8)t->size, false);
	return v;
}

static struct ir_val lower_unary(struct lower *l, struct node *n)
{
	struct ir_val v;

	switch (n->op) {
	case OP_NEG:
		v = val_scalar(n->type, ir_op2(l, IR_SUB, o_imm(0), lower_scalar(l, n->a)));
		return within_width(l, v, n->a->type);
	case OP_NOT:
		v = val_scalar(n->type, ir_op2(l, IR_XOR, lower_scalar(l, n->a), o_imm(-1)));
		return within_width(l, v, n->a->type);
	case OP_LNOT:
		if (type_is_scalar(n->a->type))
			return val_scalar(&ty_bool,
					  ir_set(l, CC_EQ, lower_scalar(l, n->a), o_imm(0)));
		return val_scalar(&ty_bool, truth_value(l, n));
	case OP_DEREF: return lower_read_lvalue(l, n);
	case OP_ADDR: return val_scalar(n->type, address_of(l, n->a));
	default: BUG("unary operator %d", n->op);
	}
}

/* ---- conditions */

static struct cond_marks cond_logic(struct lower *l, struct node *n, struct ir_block *yes,
				    struct ir_block *no)
{
	struct ir_block *mid = ir_block_new(l);
	bool is_and = n->op == OP_LAND;
	struct cond_marks a = is_and ? lower_cond_marks(l, n->a, mid, no) :
				       lower_cond_marks(l, n->a, yes, mid);
	struct cond_marks b, r;

	vn_truncate(l, is_and ? a.yes : a.no);
	ir_place(l, mid);
	b = lower_cond_marks(l, n->b, yes, no);
	if (is_and) {
		r.yes = b.yes;
		r.no = MIN(MIN(a.no, a.yes), b.no);
	} else {
		r.no = b.no;
		r.yes = MIN(MIN(a.no, a.yes), b.yes);
	}
	return r;
}

static struct cond_marks both(struct lower *l)
{
	return (struct cond_marks){ vn_mark(l), vn_mark(l) };
}

static bool counts_as_condition(const struct node *n)
{
	return n->kind == N_IF || n->kind == N_COND || n->kind == N_WHILE ||
	       (n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR));
}

static bool count_condition(struct node *n, void *ctx)
{
	u32 *count = ctx;

	*count += counts_as_condition(n);
	return true;
}

static bool is_string_call(const struct node *n)
{
	const struct node *first = n->kind == N_CALL ? call_arg(n, 0) : NULL;

	return n->kind == N_CALL && n->type &&
	       (n->type->kind == TY_STRING ||
		(first && first->type && first->type->kind == TY_STRING));
}

static bool count_branch(struct node *n, void *ctx)
{
	u32 *count = ctx;

	*count += counts_as_condition(n) || (n->kind == N_MAP && n->a) || is_string_call(n);
	return true;
}

void lower_count_branches(struct lower *l)
{
	const struct instance *in = l->inst;

	if (in->predicate)
		ast_walk(in->predicate, count_branch, &l->unit->n_branches);
	if (in->body)
		ast_walk(in->body, count_branch, &l->unit->n_branches);
}

/* Only programs with many conditions need their compared values hidden from verifiers. */
static struct opnd compared(struct lower *l, struct opnd v)
{
	return l->s->opaque.kind == O_NONE ? v : ir_opaque(l, v);
}

void lower_place_opaque(struct lower *l, struct node *code)
{
	u32 n = 0;

	ast_walk(code, count_condition, &n);
	if ((n > MANY_CONDITIONS || l->inst->compact) && l->s->opaque.kind == O_NONE)
		l->s->opaque = lower_scratch_kept(l, 8);
}

struct cond_marks lower_cond_marks(struct lower *l, struct node *n, struct ir_block *yes,
				   struct ir_block *no)
{
	if (!n->is_const && n->kind == N_BINARY) {
		if (n->op == OP_LAND || n->op == OP_LOR)
			return cond_logic(l, n, yes, no);
		if (is_comparison(n->op) && compares_floats(n)) {
			lower_compare_floats(l, n, cond_of(n->op, true), yes, no);
			return both(l);
		}
		if (is_comparison(n->op) && compares_memory(n)) {
			u32 mark = vn_mark(l);

			if (n->op == OP_NE)
				lower_compare_memory(l, n, no, yes);
			else
				lower_compare_memory(l, n, yes, no);
			vn_truncate(l, mark);
			return both(l);
		}
		if (is_comparison(n->op)) {
			struct opnd a = lower_scalar(l, n->a), b = lower_scalar(l, n->b);

			ir_branch(l, cond_of(n->op, compares_signed(n)), compared(l, a),
				  compared(l, b), yes, no);
			return both(l);
		}
	}
	if (!n->is_const && n->kind == N_UNARY && n->op == OP_LNOT) {
		struct cond_marks m = lower_cond_marks(l, n->a, no, yes);

		return (struct cond_marks){ m.no, m.yes };
	}
	if (n->type && is_float(n)) {
		lower_float_is_set(l, n, yes, no);
		return both(l);
	}
	if (n->kind == N_STR || (n->type && n->type->kind == TY_STRING)) {
		/* a string is true when it is not empty */
		struct ir_val v = lower_memory(l, n);

		ir_branch(l, CC_NE, ir_load(l, v.o, 1, false), o_imm(0), yes, no);
		return both(l);
	}
	ir_branch(l, CC_NE, compared(l, lower_scalar(l, n)), o_imm(0), yes, no);
	return both(l);
}

void lower_cond(struct lower *l, struct node *n, struct ir_block *yes, struct ir_block *no)
{
	struct cond_marks m = lower_cond_marks(l, n, yes, no);

	vn_truncate(l, MIN(m.yes, m.no));
}

/* a ? b : c, where both sides are scalars or are written to the same destination. */
static struct ir_val lower_choice(struct lower *l, struct node *n, struct opnd *into)
{
	struct ir_block *yes = ir_block_new(l), *no = ir_block_new(l), *out = ir_block_new(l);
	bool scalar = type_is_scalar(n->type), is_void = n->type->kind == TY_VOID;
	u32 v = scalar ? ir_var(l) : 0, base;
	struct opnd temp = { 0 };
	struct cond_marks m;

	if (!scalar && !is_void)
		temp = into ? *into : lower_temp(l, n->type->size, 8, "choice");
	m = lower_cond_marks(l, n->a, yes, no);
	base = MIN(m.yes, m.no);
	vn_truncate(l, base);
	for (u32 side = 0; side < 2; side++) {
		struct node *e = side ? n->c : n->is_elvis ? n->a : n->b;

		ir_place(l, side ? no : yes);
		if (!e)
			;
		else if (scalar)
			ir_var_set(l, v, lower_convert(l, lower_scalar(l, e), e->type, n->type));
		else if (is_void)
			lower_expr(l, e);
		else
			lower_into(l, e, n->type, temp);
		ir_jump(l, out);
		vn_truncate(l, base);
	}
	ir_place(l, out);
	if (scalar)
		return val_scalar(n->type, ir_emit(l, (struct ir_insn){ .op = IR_MOVE,
									.arg = { o_temp(v) } }));
	return is_void ? val_scalar(&ty_void, o_imm(0)) : val_memory(n->type, temp);
}

static struct ir_val lower_block_expr(struct lower *l, struct node *n)
{
	lower_stmts(l, n->a);
	return n->b ? lower_expr(l, n->b) : val_scalar(&ty_void, o_imm(0));
}

static struct ir_val lower_incdec(struct lower *l, struct node *n)
{
	s64 step = n->op == OP_INC ? 1 : -1;
	struct opnd old, now;

	if (n->a->kind == N_MAP)
		return lower_map_incdec(l, n, step);
	if (n->a->type->kind == TY_POINTER)
		step *= pointee_size(n->a->type);
	old = lower_scalar(l, n->a);
	now = lower_convert(l, ir_op2(l, IR_ADD, old, o_imm(step)), &ty_s64,
			    n->a->var->has_fixed_type ? n->a->type : &ty_s64);
	lower_var_store(l, n->a->var, now);
	return val_scalar(n->type, n->is_prefix ? now : old);
}

/* ---- aggregates */

static bool is_literal_string(const struct node *n)
{
	return n->kind == N_STR;
}

static void tuple_into(struct lower *l, struct node *n, const struct type *t, struct opnd dst,
		       bool canonical)
{
	u32 at = 0, i = 0;

	for (struct node *e = n->a; e; e = e->next, i++) {
		const struct field *f = &t->fields[i];
		struct node *value = e;

		if (n->kind == N_RECORD) {
			value = e->a;
			for (u32 j = 0; j < t->n_fields; j++)
				if (streq(t->fields[j].name, e->name))
					f = &t->fields[j];
		} else {
			lower_zero_from(l, dst, at, f->offset);
			at = f->offset + f->type->size;
		}
		if (canonical)
			lower_into(l, value, f->type, opnd_plus(dst, f->offset));
		else
			lower_into_record(l, value, f->type, opnd_plus(dst, f->offset));
	}
	if (n->kind != N_RECORD)
		lower_zero_from(l, dst, at, t->size);
}

static void into(struct lower *l, struct node *n, const struct type *t, struct opnd dst,
		 bool canonical)
{
	struct ir_val v;

	if (n->kind == N_INT || n->kind == N_BOOL || (n->is_const && type_is_scalar(n->type))) {
		ir_store(l, dst, t->size, o_imm(n->value));
		return;
	}
	if (is_literal_string(n) && t->kind == TY_STRING) {
		lower_put_string(l, n->str, n->str_len, t->count, dst, canonical);
		return;
	}
	if (n->kind == N_TUPLE && !n->a)
		return; /* () has no bytes */
	if ((n->kind == N_TUPLE || n->kind == N_RECORD) && n->a) {
		if (n->kind == N_RECORD)
			ir_zero(l, dst, t->size);
		tuple_into(l, n, t, dst, canonical);
		return;
	}
	if (n->kind == N_COND && !type_is_scalar(t) && type_equal(n->type, t)) {
		lower_choice(l, n, &dst);
		return;
	}
	if (n->kind == N_CALL && n->builtin && n->builtin->lower && !type_is_scalar(t) &&
	    type_equal(n->type, t)) {
		struct opnd was = l->s->want;
		bool was_canonical = l->s->want_canonical;

		l->s->want = dst;
		l->s->want_canonical = canonical;
		v = n->builtin->lower(l, n);
		l->s->want = was;
		l->s->want_canonical = was_canonical;
		if (v.o.kind == dst.kind && v.o.id == dst.id && v.o.imm == dst.imm)
			return;
	} else {
		v = lower_expr(l, n);
	}
	lower_put(l, &v, t, dst, canonical && !(v.clean && v.type->count == t->count));
}

void lower_into(struct lower *l, struct node *n, const struct type *t, struct opnd dst)
{
	into(l, n, t, dst, true);
}

void lower_into_record(struct lower *l, struct node *n, const struct type *t, struct opnd dst)
{
	into(l, n, t, dst, false);
}

struct opnd lower_dest(struct lower *l, const struct type *t, bool *canonical)
{
	struct opnd want = l->s->want;

	l->s->want = (struct opnd){ 0 };
	*canonical = want.kind == O_NONE || l->s->want_canonical;
	return want.kind == O_NONE ? lower_temp(l, t->size, 8, "value") : want;
}

struct ir_val lower_memory(struct lower *l, struct node *n)
{
	struct ir_val v;
	struct opnd dst;

	if (n->kind == N_STR || n->kind == N_TUPLE || n->kind == N_RECORD) {
		dst = lower_temp(l, n->type->size, 8, "literal");
		lower_into(l, n, n->type, dst);
		v = val_memory(n->type, dst);
		v.clean = true;
		return v;
	}
	v = lower_expr(l, n);
	if (v.in_memory && !v.is_foreign)
		return v;
	dst = lower_temp(l, v.type->size, 8, "memory");
	lower_put(l, &v, v.type, dst, true);
	v = val_memory(v.type, dst);
	v.clean = true;
	return v;
}

/* ---- everything */

struct ir_val lower_expr(struct lower *l, struct node *n)
{
	struct span was = l->span;
	struct ir_val v;

	l->span = n->span;
	if (n->is_const && n->kind != N_STR && type_is_scalar(n->type)) {
		l->span = was;
		return val_scalar(n->type, o_imm(n->value));
	}
	switch (n->kind) {
	case N_INT:
	case N_BOOL:
	case N_SIZEOF:
	case N_FIELD_EXISTS:
	case N_OFFSETOF: v = val_scalar(n->type, o_imm(n->value)); break;
	case N_STR:
	case N_TUPLE:
	case N_RECORD: v = lower_memory(l, n); break;
	case N_VAR: v = lower_var(l, n); break;
	case N_MAP: v = lower_map_read(l, n); break;
	case N_UNARY: v = lower_unary(l, n); break;
	case N_BINARY: v = lower_binary(l, n); break;
	case N_INCDEC: v = lower_incdec(l, n); break;
	case N_COND: v = lower_choice(l, n, NULL); break;
	case N_FIELD:
	case N_INDEX: v = lower_read_lvalue(l, n); break;
	case N_CALL: {
		struct opnd want = l->s->want;
		struct temp_mark mark = temps_mark(l);

		l->s->want = (struct opnd){ 0 };
		if (!n->builtin || !n->builtin->lower)
			BUG("call of %s has no lowering", n->name);
		v = n->builtin->lower(l, n);
		l->s->want = want;
		if (!v.type)
			v.type = n->type;
		if (!v.in_memory && (v.type->kind == TY_INT || v.type->kind == TY_BOOL))
			temps_release(l, mark);
		break;
	}
	case N_CAST: v = lower_cast(l, n); break;
	case N_COMPTIME: v = lower_expr(l, n->a); break;
	case N_BLOCK_EXPR: v = lower_block_expr(l, n); break;
	case N_PARAM: v = val_scalar(n->type, o_imm(n->value)); break;
	default: BUG("node kind %d is no expression", n->kind);
	}
	l->span = was;
	return v;
}
