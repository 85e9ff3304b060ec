/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constant folding in the checker. In: an operator node whose operands are checked. Out: is_const
 * and the value if both are constants. Values are computed in 128 bits, so that an overflow of 64
 * is detected and reported; division by zero has the language's meaning (0, and x for x % 0) and a
 * warning.
 *
 * Literals, and results of literals alone, have the smallest type that holds them. A constant that
 * was cast has the type of the cast: operators on it compute as at run time, in 64 bits that wrap.
 */
#include "lang/check_internal.h"

typedef __int128 wide;

wide fold_value(const struct node *n)
{
	return n->type->is_signed || n->type->size < 8 ? (wide)n->value : (wide)(u64)n->value;
}

void fold_set_bool(struct node *n, bool value)
{
	n->is_const = true;
	n->value = value;
	n->str = NULL;
	n->type = &ty_bool;
}

void fold_set_int(struct node *n, s64 value)
{
	n->is_const = true;
	n->value = value;
	n->str = NULL;
}

static bool fits(wide v)
{
	return v >= INT64_MIN && v <= (wide)UINT64_MAX;
}

static bool asks_unsigned(const struct type *t)
{
	return !t->is_signed && t->kind != TY_BOOL;
}

static bool asks_signed(const struct type *t)
{
	return t->is_signed && !type_is_flexible(t);
}

/* A literal, or computed from literals alone; truth values too. */
static bool is_literal(const struct node *n)
{
	const struct type *t = n->type;

	if (!t || t->kind == TY_BOOL)
		return true;
	/* also constants of headers; not what a builtin made of a typed value */
	if (n->kind == N_INT)
		return t->kind == TY_INT && (type_is_flexible(t) || n->value < 0);
	if (n->kind == N_UNARY && n->a->type && n->a->type->kind == TY_BOOL)
		return false;
	if (n->kind == N_UNARY || n->kind == N_COMPTIME)
		return is_literal(n->a);
	if (n->kind == N_BINARY)
		return is_literal(n->a) && is_literal(n->b);
	if (n->kind == N_COND)
		return is_literal(n->a->value ? (n->b ? n->b : n->a) : n->c);
	return n->kind == N_PARAM;
}

/* Rounds toward zero, as C does. */
static wide divide(struct check *c, struct node *n, wide a, wide b)
{
	bool is_mod = n->op == OP_MOD;

	if (!b) {
		check_report(c, n->span, D_DIV_ZERO, op_text(n->op),
			     is_mod ? "the left operand" : "0");
		return is_mod ? a : 0;
	}
	return is_mod ? a % b : a / b;
}

/* Bits shifted out are dropped: ~0 << 12 is a mask. All of them is a result that does not fit,
 * which is reported. */
static wide shift_left(wide a, wide by)
{
	if (by < 0 || !a)
		return 0;
	if (by > 63)
		return (wide)UINT64_MAX + 1;
	u64 bits = (u64)a << by;

	return a < 0 ? (wide)(s64)bits : (wide)bits;
}

static wide shift_right(wide a, wide by)
{
	if (by < 0 || by > 63)
		return a < 0 ? -1 : 0;
	return a >> by;
}

static wide compute(struct check *c, struct node *n, wide a, wide b)
{
	switch (n->op) {
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV:
	case OP_MOD: return divide(c, n, a, b);
	case OP_AND: return a & b;
	case OP_OR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_SHL: return shift_left(a, b);
	case OP_SHR: return shift_right(a, b);
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_LT: return a < b;
	case OP_GT: return a > b;
	case OP_LE: return a <= b;
	case OP_GE: return a >= b;
	case OP_LAND: return a && b;
	case OP_LOR: return a || b;
	case OP_NONE:
	case OP_NEG:
	case OP_NOT:
	case OP_LNOT:
	case OP_DEREF:
	case OP_ADDR:
	case OP_INC:
	case OP_DEC: break;
	}
	BUG("%s is not a binary operator", op_text(n->op));
}

static void overflow(struct check *c, struct node *n)
{
	struct diag *d = check_report(c, n->span, D_CONST_OVERFLOW, op_text(n->op));

	diag_help(c->diags, d, "integers have 64 bits: from %lld to %llu", (long long)INT64_MIN,
		  (unsigned long long)UINT64_MAX);
	n->type = &ty_error;
	n->is_const = false;
}

/* The 128-bit product of two 64-bit values never overflows. */
static void set_wide(struct check *c, struct node *n, wide v, bool is_unsigned)
{
	if (!fits(v) || (is_unsigned && v < 0)) {
		overflow(c, n);
		return;
	}
	fold_set_int(n, (s64)(u64)v);
	if (v > INT64_MAX || is_unsigned)
		n->type = &ty_u64;
	else
		n->type = type_literal((s64)v);
}

enum sameness { DIFFERENT, SAME, NOT_KNOWN };

static enum sameness compare(const struct node *a, const struct node *b);

/* The member at the same index as e, or with its name. */
static const struct node *partner(const struct node *list, const struct node *b,
				  const struct node *e)
{
	const struct node *other = b->a;

	if (b->kind == N_RECORD) {
		while (other && !streq(other->name, e->name))
			other = other->next;
		return other;
	}
	for (; other && list != e; list = list->next)
		other = other->next;
	return other;
}

/* Tuple and record literals of the same shape. */
static enum sameness compare_members(const struct node *a, const struct node *b)
{
	enum sameness result = SAME;

	for (const struct node *e = a->a; e; e = e->next) {
		const struct node *other = partner(a->a, b, e);
		bool is_record = a->kind == N_RECORD;
		enum sameness s =
			other ? compare(is_record ? e->a : e, is_record ? other->a : other) :
				NOT_KNOWN;

		if (s == NOT_KNOWN)
			return NOT_KNOWN;
		if (s == DIFFERENT)
			result = DIFFERENT;
	}
	return result;
}

static enum sameness compare(const struct node *a, const struct node *b)
{
	if (node_is_const_str(a) && node_is_const_str(b))
		return a->str_len == b->str_len && !memcmp(a->str, b->str, a->str_len);
	if (node_is_const_int(a) && node_is_const_int(b))
		return fold_value(a) == fold_value(b);
	if ((a->kind == N_TUPLE || a->kind == N_RECORD) && a->kind == b->kind)
		return compare_members(a, b);
	return NOT_KNOWN;
}

/* Equality of values that are no numbers. */
static bool fold_equality(struct node *n)
{
	enum sameness s = compare(n->a, n->b);

	if ((n->op != OP_EQ && n->op != OP_NE) || s == NOT_KNOWN)
		return false;
	fold_set_bool(n, (s == SAME) == (n->op == OP_EQ));
	return true;
}

/* 0 && x and 1 || x are constant for any x. */
static bool fold_logical(struct node *n)
{
	const struct node *a = n->a, *b = n->b;
	bool ends = n->op == OP_LOR;

	for (u32 i = 0; i < 2; i++) {
		const struct node *side = i ? b : a;

		if (node_is_const_int(side) && !!side->value == ends) {
			fold_set_bool(n, ends);
			return true;
		}
		/* a is evaluated first and may have side effects */
		if (!i && !node_is_const_int(a))
			return false;
	}
	if (!node_is_const_int(b))
		return false;
	fold_set_bool(n, !ends);
	return true;
}

void fold_warn_shift(struct check *c, const struct node *n, const struct node *by)
{
	if ((n->op == OP_SHL || n->op == OP_SHR) && node_is_const_int(by) &&
	    (by->value < 0 || by->value > 63))
		check_report(c, n->span, D_SHIFT_RANGE, (long long)by->value);
}

/* The 64 bits of a constant as a number of type t. */
static wide as_type(const struct node *n, const struct type *t)
{
	return t->is_signed ? (wide)n->value : (wide)(u64)n->value;
}

static void fold_typed_shift(struct check *c, struct node *n)
{
	u64 by = (u64)n->b->value & 63;

	fold_warn_shift(c, n, n->b);
	fold_set_int(n, n->op == OP_SHL ? (s64)((u64)n->a->value << by) :
					  (s64)(u64)shift_right(as_type(n->a, n->type), (wide)by));
}

/* n has the type of its result; operands of a comparison are compared in their common type. */
static void fold_typed(struct check *c, struct node *n)
{
	bool compares = n->op >= OP_EQ;
	const struct type *t = compares ? n->promoted : n->type;
	u64 product = (u64)n->a->value * (u64)n->b->value;
	wide v;

	if (n->op == OP_SHL || n->op == OP_SHR) {
		fold_typed_shift(c, n);
		return;
	}
	if (n->op == OP_MUL)
		v = product;
	else if (n->op == OP_DIV || n->op == OP_MOD)
		v = compute(c, n, fold_value(n->a), fold_value(n->b));
	else
		v = compute(c, n, as_type(n->a, t), as_type(n->b, t));
	if (compares)
		fold_set_bool(n, v != 0);
	else
		fold_set_int(n, (s64)(u64)v);
}

bool fold_binary(struct check *c, struct node *n)
{
	const struct node *a = n->a, *b = n->b;

	if (n->op == OP_LAND || n->op == OP_LOR)
		return fold_logical(n);
	if (!node_is_const_int(a) || !node_is_const_int(b))
		if (fold_equality(n))
			return true;
	if ((n->op == OP_DIV || n->op == OP_MOD) && node_is_const_int(b) && !b->value &&
	    !node_is_const_int(a))
		divide(c, n, 0, 0); /* only for the warning */
	if (!node_is_const_int(a))
		fold_warn_shift(c, n, b);
	if (!node_is_const_int(a) || !node_is_const_int(b))
		return false;
	if (n->promoted && n->promoted->kind == TY_INT && !(is_literal(a) && is_literal(b))) {
		fold_typed(c, n);
		return true;
	}
	wide v = compute(c, n, fold_value(a), fold_value(b));

	if (n->op >= OP_EQ) {
		fold_set_bool(n, v != 0);
		return true;
	}
	bool is_unsigned = asks_unsigned(a->type) || asks_unsigned(b->type);

	if (n->op == OP_SHL || n->op == OP_SHR)
		is_unsigned = asks_unsigned(a->type);
	else if (n->op == OP_SUB || asks_signed(a->type) || asks_signed(b->type))
		is_unsigned = false;
	set_wide(c, n, v, is_unsigned);
	return true;
}

/* ---- values that are no numbers */

bool fold_is_literal(const struct node *n)
{
	if (n->kind == N_NAMED)
		return fold_is_literal(n->a);
	if (n->kind != N_TUPLE && n->kind != N_RECORD)
		return node_is_const_int(n) || node_is_const_str(n);
	for (const struct node *e = n->a; e; e = e->next)
		if (!fold_is_literal(e))
			return false;
	return true;
}

static u32 n_members(const struct node *n)
{
	u32 count = 0;

	for (const struct node *e = n->a; e; e = e->next)
		count++;
	return count;
}

/* Tuples of constants: different shapes differ. */
static bool fold_tuples(struct node *n)
{
	const struct node *a = n->a, *b = n->b;

	if ((n->op != OP_EQ && n->op != OP_NE) || a->kind != N_TUPLE || b->kind != N_TUPLE ||
	    !fold_is_literal(a) || !fold_is_literal(b))
		return false;
	fold_set_bool(n,
		      (n_members(a) == n_members(b) && compare(a, b) == SAME) == (n->op == OP_EQ));
	return true;
}

static void join(struct check *c, struct node *n)
{
	u32 len = n->a->str_len + n->b->str_len;
	char *s = arena_alloc(c->arena, len + 1);

	memcpy(s, n->a->str, n->a->str_len);
	memcpy(s + n->a->str_len, n->b->str, n->b->str_len);
	n->is_const = true;
	n->str = s;
	n->str_len = len;
	n->type = type_known_text(c->arena, len);
}

/* Order by unsigned bytes; a prefix is less. */
static int order(const struct node *a, const struct node *b)
{
	int by = memcmp(a->str, b->str, MIN(a->str_len, b->str_len));

	return by ? by : (a->str_len > b->str_len) - (a->str_len < b->str_len);
}

bool fold_constants(struct check *c, struct node *n)
{
	if (!node_is_const_str(n->a) || !node_is_const_str(n->b))
		return fold_tuples(n);
	switch (n->op) {
	case OP_ADD: join(c, n); return true;
	case OP_EQ: fold_set_bool(n, order(n->a, n->b) == 0); return true;
	case OP_NE: fold_set_bool(n, order(n->a, n->b) != 0); return true;
	case OP_LT: fold_set_bool(n, order(n->a, n->b) < 0); return true;
	case OP_GT: fold_set_bool(n, order(n->a, n->b) > 0); return true;
	case OP_LE: fold_set_bool(n, order(n->a, n->b) <= 0); return true;
	case OP_GE: fold_set_bool(n, order(n->a, n->b) >= 0); return true;
	default: return false;
	}
}

/* ---- one operand */

/* ~5 has 64 bits and is unsigned. */
static void fold_literal_unary(struct check *c, struct node *n, wide v)
{
	if (n->op == OP_NEG)
		set_wide(c, n, -v, false);
	else if (v >= 0 && v <= INT64_MAX)
		set_wide(c, n, (wide)(u64)~v, true);
	else
		set_wide(c, n, (wide)(s64) ~(u64)v, false);
}

/* - and ~ of an unsigned number keep its width. */
static s64 cut_unary(u64 v, const struct type *t)
{
	return t->is_signed || t->kind == TY_BOOL || t->size >= 8 ?
		       (s64)v :
		       (s64)(v & ((1ULL << 8 * t->size) - 1));
}

bool fold_unary(struct check *c, struct node *n)
{
	const struct node *a = n->a;

	if (!node_is_const_int(a))
		return false;
	if (n->op == OP_LNOT) {
		fold_set_bool(n, !a->value);
		return true;
	}
	if (n->op != OP_NEG && n->op != OP_NOT)
		return false;
	if (is_literal(a) && a->type->kind != TY_BOOL)
		fold_literal_unary(c, n, fold_value(a));
	else
		fold_set_int(n,
			     cut_unary(n->op == OP_NEG ? -(u64)a->value : ~(u64)a->value, a->type));
	return true;
}
