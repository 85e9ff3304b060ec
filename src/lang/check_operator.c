/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operators. In: a node with its operands. Out: the type of the result, and the type in which
 * integers are computed.
 */
#include "lang/check_internal.h"

static bool is_comparison(enum op op)
{
	return op >= OP_EQ && op <= OP_GE;
}

/* Whether an operand is converted to unsigned beside an unsigned one. */
static bool goes_unsigned(const struct type *t)
{
	return !t->is_signed || type_is_flexible(t);
}

static bool is_unsigned(const struct type *t)
{
	return !t->is_signed && t->kind != TY_BOOL;
}

static const struct type *common_int(const struct type *a, const struct type *b)
{
	bool u = goes_unsigned(a) && goes_unsigned(b) && (is_unsigned(a) || is_unsigned(b));

	return u ? &ty_u64 : &ty_s64;
}

static const struct type *int_result(enum op op, const struct type *a, const struct type *b)
{
	if (op == OP_SUB)
		return &ty_s64;
	if (op == OP_SHL || op == OP_SHR)
		return is_unsigned(a) ? &ty_u64 : &ty_s64;
	return common_int(a, b);
}

static struct diag *report_operands(struct check *c, struct node *n, const struct type *a,
				    const struct type *b)
{
	bool differ = a->kind != b->kind && a->kind != TY_POINTER && b->kind != TY_POINTER;

	return check_report(c, n->span, differ ? D_OPERANDS_DIFFER : D_BAD_OPERANDS, op_text(n->op),
			    type_text(c, a), type_text(c, b));
}

static bool is_number_text(const struct node *n)
{
	return n->kind == N_STR && n->str_len && strspn(n->str, "0123456789") == n->str_len;
}

/* One operand of n is a string, the other one is no string. */
static void help_text_and_number(struct check *c, const struct node *n, struct diag *d)
{
	const struct node *text = n->a->type->kind == TY_STRING ? n->a : n->b;
	const struct node *other = text == n->a ? n->b : n->a;

	if (!type_is_integer(other->type) || other->type->kind == TY_BOOL)
		return;
	if (!is_comparison(n->op))
		diag_help(c->diags, d,
			  "to print text and numbers: printf(\"%%s %%d\", TEXT, NUMBER)");
	else if (is_number_text(text))
		diag_help(c->diags, d, "write the number without quotes: %s", text->str);
	else if (node_is_const_int(other))
		diag_help(c->diags, d, "write the text in quotes: \"%lld\"",
			  (long long)other->value);
}

static const struct type *bad_operands(struct check *c, struct node *n, const struct type *a,
				       const struct type *b)
{
	const struct node *agg = type_is_agg(a) ? n->a : type_is_agg(b) ? n->b : NULL;

	if (agg)
		return diag_type(c, agg->span, D_AGG_USE,
				 agg->map ? agg->map->name : type_text(c, agg->type));
	struct diag *d = report_operands(c, n, a, b);

	if ((a->kind == TY_POINTER && b->kind == TY_STRING) ||
	    (a->kind == TY_STRING && b->kind == TY_POINTER))
		diag_help(c->diags, d, "read the text that the pointer points to: str(POINTER)");
	else if (a->kind == TY_POINTER || b->kind == TY_POINTER)
		diag_help(c->diags, d, "cast the pointer to uint64 to compute with its address");
	else if (a->kind == TY_STRING && b->kind == TY_STRING && n->op == OP_ADD)
		diag_help(c->diags, d, "str_concat(A, B) joins strings");
	else if (a->kind == TY_STRING && b->kind == TY_STRING)
		diag_help(c->diags, d, "strings can only be compared with == and !=");
	else if (a->kind == TY_STRING || b->kind == TY_STRING)
		help_text_and_number(c, n, d);
	return &ty_error;
}

static const struct type *pointer_pair(struct check *c, struct node *n, const struct type *a,
				       const struct type *b)
{
	if (!is_comparison(n->op))
		return bad_operands(c, n, a, b);
	n->promoted = &ty_u64;
	if (!type_equal(a->elem, b->elem) && a->elem->kind != TY_VOID && b->elem->kind != TY_VOID)
		check_report(c, n->span, D_POINTER_COMPARE, type_text(c, a), type_text(c, b));
	return &ty_bool;
}

static const struct type *pointer_step(struct check *c, struct node *n, const struct type *p)
{
	const struct type *to = type_complete(p->elem);

	n->promoted = p;
	if (!to->size && to->kind != TY_VOID && to->kind != TY_FUNC)
		return diag_type(c, n->span, D_NO_STEP, type_text(c, to));
	return p;
}

static const struct type *pointer_and_int(struct check *c, struct node *n, const struct type *a,
					  const struct type *b)
{
	bool left = a->kind == TY_POINTER;

	if (!type_is_integer(left ? b : a))
		return bad_operands(c, n, a, b);
	if (n->op == OP_ADD || (n->op == OP_SUB && left))
		return pointer_step(c, n, left ? a : b);
	if (!is_comparison(n->op))
		return bad_operands(c, n, a, b);
	n->promoted = &ty_u64;
	return &ty_bool;
}

static bool is_symbol(const struct type *t)
{
	return t->kind == TY_KSYM || t->kind == TY_USERNAME || t->kind == TY_CGROUP_PATH ||
	       (t->kind == TY_PROBE && t->is_func);
}

/* Floating-point operands: only comparisons with each other and with constants. */
static const struct type *float_pair(struct check *c, struct node *n, const struct type *a,
				     const struct type *b)
{
	bool fits_a = a->kind == TY_FLOAT || node_is_const_int(n->a);
	bool fits_b = b->kind == TY_FLOAT || node_is_const_int(n->b);

	if (is_comparison(n->op) && fits_a && fits_b) {
		n->promoted = &ty_f64;
		return &ty_bool;
	}
	struct diag *d = report_operands(c, n, a, b);

	diag_help(c->diags, d,
		  "fractions can be compared with each other and with constants; to "
		  "compute, truncate them to integers: (int64)");
	return &ty_error;
}

/* Equality of values that are compared as a whole. */
static const struct type *whole_pair(struct check *c, struct node *n, const struct type *a,
				     const struct type *b)
{
	bool mixed = false;

	if (n->op != OP_EQ && n->op != OP_NE)
		return bad_operands(c, n, a, b);
	if (is_symbol(a) && type_is_integer(b))
		n->promoted = a;
	else if (is_symbol(b) && type_is_integer(a))
		n->promoted = b;
	else if (a->kind == TY_PROBE && b->kind == TY_STRING && n->b->is_const)
		n->promoted = a;
	else if (b->kind == TY_PROBE && a->kind == TY_STRING && n->a->is_const)
		n->promoted = b;
	else if (a->kind == TY_PROBE && b->kind == TY_STRING && !a->is_func)
		n->promoted = type_join(c, check_name_as_text(c, n->a), b, &mixed);
	else if (b->kind == TY_PROBE && a->kind == TY_STRING && !b->is_func)
		n->promoted = type_join(c, a, check_name_as_text(c, n->b), &mixed);
	else if (a->kind != b->kind || !type_is_storable(a))
		return bad_operands(c, n, a, b);
	else
		n->promoted = type_join(c, a, b, &mixed);
	c->env->compares_stacks |= type_has_stack(a);
	return n->promoted ? &ty_bool : bad_operands(c, n, a, b);
}

/* A string literal, or a parameter that is text, plus a number: what is left without that many
 * characters. */
static bool skip_of_text(struct check *c, struct node *n)
{
	bool swapped = node_is_const_int(n->a);
	const struct node *text = swapped ? n->b : n->a, *skip = swapped ? n->a : n->b;

	if (n->op != OP_ADD || !node_is_const_int(skip) || skip->value < 0)
		return false;
	if ((text->kind != N_PARAM && text->kind != N_STR) || !node_is_const_str(text))
		return false;
	u32 at = (u32)MIN(skip->value, (s64)text->str_len);

	if (text->kind == N_STR && at == text->str_len && at)
		return false; /* likely meant to be a concatenation */
	if (text->kind == N_STR && at)
		check_report(c, n->span, D_TEXT_SKIPPED, at);
	n->is_const = true;
	n->str = text->str + at;
	n->str_len = text->str_len - at;
	n->type = type_known_text(c->arena, n->str_len);
	return true;
}

const struct type *check_operator(struct check *c, struct node *n, const struct type *a,
				  const struct type *b)
{
	if (type_is_moot(a) || type_is_moot(b))
		return is_comparison(n->op) || n->op == OP_LAND || n->op == OP_LOR ? &ty_bool :
										     moot(a, b);
	if (n->op == OP_LAND || n->op == OP_LOR) {
		n->promoted = &ty_bool;
		a = check_as_condition(n->a, a);
		b = check_as_condition(n->b, b);
		if (!type_is_condition(a) || !type_is_condition(b))
			return bad_operands(c, n, a, b);
		return &ty_bool;
	}
	a = type_as_number(a);
	b = type_as_number(b);
	if (type_is_integer(a) && type_is_integer(b)) {
		n->promoted = is_comparison(n->op) ? common_int(a, b) : int_result(n->op, a, b);
		return is_comparison(n->op) ? &ty_bool : n->promoted;
	}
	if (a->kind == TY_POINTER && b->kind == TY_POINTER)
		return pointer_pair(c, n, a, b);
	if (a->kind == TY_POINTER || b->kind == TY_POINTER)
		return pointer_and_int(c, n, a, b);
	if (a->kind == TY_FLOAT || b->kind == TY_FLOAT)
		return float_pair(c, n, a, b);
	return whole_pair(c, n, a, b);
}

static bool typeinfo_pair(struct node *n)
{
	if (n->a->kind != N_TYPEINFO || n->b->kind != N_TYPEINFO ||
	    (n->op != OP_EQ && n->op != OP_NE))
		return false;
	if (type_is_moot(n->a->type) || type_is_moot(n->b->type))
		return false;
	fold_set_bool(n, streq(n->a->str, n->b->str) == (n->op == OP_EQ));
	return true;
}

static bool is_plain_name(struct check *c, const struct node *n)
{
	return n->kind == N_IDENT && !env_builtin(c->env, n->name) && !macro_exists(c, n->name);
}

/* args.color == Red: a name beside an enumeration is first looked up among its enumerators. */
static bool try_enumerator(struct check *c, struct node *n, const struct type *t)
{
	if (!t || t->kind != TY_ENUM || t->is_flags || !is_plain_name(c, n))
		return false;
	for (u32 i = 0; i < t->n_enums; i++)
		if (streq(t->enums[i].name, n->name)) {
			node_make_int(n, t->enums[i].value, t);
			return true;
		}
	return false;
}

/* $1 == "7" compares strings, even if $1 is a number. */
static const struct type *check_beside(struct check *c, struct node *n, const struct node *other)
{
	/* the next pass knows its enumeration */
	if (n->kind == N_IDENT && !try_enumerator(c, n, other->type) && !c->final && other->type &&
	    other->type->kind == TY_UNKNOWN && is_plain_name(c, n))
		return n->type = &ty_unknown;

	bool wanted = c->s->wants_string, as_text = n->kind == N_PARAM && other->kind == N_STR;

	c->s->wants_string |= as_text;
	const struct type *t = check_value(c, n);

	c->s->wants_string = wanted;
	return as_text && n->aux ? check_param_text(c, n) : t;
}

const struct type *check_binary(struct check *c, struct node *n)
{
	if (is_comparison(n->op) && is_plain_name(c, n->a))
		check_value(c, n->b);

	const struct type *a = check_beside(c, n->a, n->b);
	bool ends = n->op == OP_LAND ? false : true;

	n->is_const = false;
	n->type = &ty_bool;
	/* 0 && x: x is not checked, as in a dead branch */
	if ((n->op == OP_LAND || n->op == OP_LOR) && node_is_const_int(n->a) &&
	    !!n->a->value == ends) {
		fold_set_bool(n, ends);
		n->promoted = &ty_bool;
		return &ty_bool;
	}
	const struct type *b = check_beside(c, n->b, n->a);

	if (typeinfo_pair(n) ||
	    (!type_is_moot(a) && !type_is_moot(b) && (skip_of_text(c, n) || fold_constants(c, n))))
		return n->type;
	if ((check_is_awaited(n->a) && !type_is_integer(b)) ||
	    (check_is_awaited(n->b) && !type_is_integer(a)))
		return check_awaited(c, n);
	n->type = check_operator(c, n, a, b);
	if (!type_is_moot(a) && !type_is_moot(b) && !type_is_moot(n->type))
		fold_binary(c, n);
	return n->type;
}

/* args.x, vars.x: the pointer to its memory in the traced program; NULL if it is in registers. */
static const struct type *memory_of_arg(const struct arg_desc *arg)
{
	static const struct type user = {
		.kind = TY_POINTER, .size = 8, .align = 8, .space = SPACE_USER, .elem = &ty_void
	};

	return arg->loc.kind == LOC_EXPR && !arg->loc.is_value ? &user : NULL;
}

/* The type of the pointer through which n is reached, or NULL: it is a copy. */
const struct type *check_pointer_before(const struct node *n)
{
	for (; n; n = n->a) {
		if (n->kind != N_FIELD && n->kind != N_INDEX && n->kind != N_UNARY)
			return NULL;
		if (n->kind == N_FIELD && n->data)
			return memory_of_arg(n->data);
		if (n->field && n->field->bit_size)
			return NULL;
		if (n->a->type->kind == TY_POINTER)
			return n->a->type;
	}
	return NULL;
}

/* &$p->x: no more trusted than any sum of a pointer and a number. */
static const struct type *address_of_part(struct check *c, struct node *n, const struct type *t)
{
	const struct type *p = check_pointer_before(n->a);

	if (!p)
		return diag_type(c, n->span, D_NO_ADDRESS);
	return type_pointer(c->arena, t, p->space == SPACE_BTF ? SPACE_KERNEL : p->space);
}

static const struct type *check_address(struct check *c, struct node *n)
{
	const struct type *t = check_expr(c, n->a);
	struct node *a = n->a;

	if (type_is_moot(t))
		return t;
	if (check_is_awaited(a))
		return check_awaited(c, n);
	if (a->kind == N_FIELD || a->kind == N_INDEX || a->kind == N_UNARY)
		return address_of_part(c, n, t);
	if (a->kind == N_MAP && type_is_agg(t))
		return diag_type(c, n->span, D_NO_ADDRESS);
	if (a->kind != N_VAR && a->kind != N_MAP)
		return diag_type(c, n->span, D_ADDRESS_OF);
	if (a->var) {
		a->var->address_taken = true;
		a->var->assigned = true;
	}
	return type_pointer(c->arena, t, SPACE_BPF);
}

static const struct type *bad_operand(struct check *c, struct node *n, const struct type *t)
{
	return diag_type(c, n->span, D_BAD_OPERAND, op_text(n->op), type_text(c, t));
}

const struct type *check_unary(struct check *c, struct node *n)
{
	n->is_const = false;
	n->str = NULL;
	if (n->op == OP_ADDR)
		return check_address(c, n);
	const struct type *t = check_value(c, n->a);

	if (type_is_moot(t))
		return n->op == OP_LNOT ? &ty_bool : t;
	if (n->op == OP_DEREF)
		return check_is_awaited(n->a) ? check_awaited(c, n) : check_deref(c, n, t);
	t = type_as_number(t);
	if (n->op == OP_LNOT ? !type_is_condition(t) : !type_is_integer(t))
		return bad_operand(c, n, t);
	n->type = n->op == OP_LNOT ? &ty_bool : is_unsigned(t) ? &ty_u64 : &ty_s64;
	fold_unary(c, n);
	return n->type;
}

const struct type *check_incdec(struct check *c, struct node *n)
{
	struct node *a = n->a;

	if (a->kind != N_VAR && a->kind != N_MAP)
		return diag_type(c, n->span, D_NEEDS_LVALUE);
	if (a->kind == N_MAP) {
		a->map = check_map(c, a);
		if (!a->map)
			return &ty_error;
		a->map->read = a->map->written = true;
		a->type = a->map->value;
		if (a->type->kind == TY_UNKNOWN)
			check_unify_map_value(c, a->map, &ty_s64, n->span);
	} else {
		struct var *v = check_find_var(c, a->name);

		if (v) /* an increment from zero is no error */
			v->has_value = true;
		if (type_is_moot(a->type = check_var(c, a)) && a->var)
			check_unify_var(c, a->var, &ty_s64, n->span);
	}
	const struct type *t = type_as_number(a->map ? a->map->value :
					      a->var ? a->var->type :
						       &ty_error);

	if (a->var)
		a->var->assigned = true;
	if (type_is_moot(t))
		return t;
	if (t->kind == TY_POINTER)
		return pointer_step(c, n, t);
	if (t->kind != TY_INT)
		return bad_operand(c, n, t);
	t = type_int(8, t->is_signed || n->op == OP_DEC); /* like a difference */
	if (a->map)
		check_unify_map_value(c, a->map, t, n->span);
	else if (!a->var->has_fixed_type)
		check_unify_var(c, a->var, t, n->span);
	a->type = type_rigid(a->map ? a->map->value : a->var->type);
	return a->type;
}
