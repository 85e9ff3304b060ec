/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lvalues: variables, fields, elements, casts and comparisons of bytes. An lvalue records whose
 * memory it is in; foreign memory is read only when a scalar is loaded or bytes are stored
 * elsewhere.
 */
#include "ir/state.h"

/* ---- variables */

enum { REG_VARS = 10 }; /* scalars in mutable temporaries; further ones are in memory */

void var_set_home(struct lower *l, struct var *v, struct opnd home)
{
	vec_push(l->arena, &l->s->var_home, home);
	vec_push(l->arena, &l->s->var_epoch, 0u);
	v->ir = l->s->var_home.n;
}

static struct opnd *var_home(struct lower *l, struct var *v)
{
	struct opnd home;

	if (v->ir)
		return &l->s->var_home.v[v->ir - 1];
	if (type_is_scalar(v->type) && !v->address_taken && !v->captured &&
	    l->s->n_reg_vars < REG_VARS && !l->s->level) {
		l->s->n_reg_vars++;
		home = o_temp(ir_var(l));
	} else {
		home = lower_temp_kept(l, MAX(v->type->size, 8u), 8, v->name);
	}
	var_set_home(l, v, home);
	return &l->s->var_home.v[v->ir - 1];
}

static bool in_register(struct lower *l, struct opnd home)
{
	return home.kind == O_TEMP && home.id != l->s->scratch && home.imm == 0 &&
	       l->f->temps.v[home.id].is_var;
}

static struct ir_insn var_key(struct lower *l, struct var *v)
{
	u32 epoch = l->s->var_epoch.v[v->ir - 1] + (l->s->epoch << 8);

	return (struct ir_insn){ .op = IR_MOVE,
				 .imm = epoch,
				 .arg = { l->s->var_home.v[v->ir - 1] } };
}

struct ir_val lower_var(struct lower *l, struct node *n)
{
	struct var *v = n->var;
	struct opnd home = *var_home(l, v), r;
	struct ir_insn key;

	if (!in_register(l, home)) {
		struct ir_val lvalue = val_memory(v->type, home);

		if (!type_is_scalar(v->type)) {
			lvalue.clean = true;
			return lvalue;
		}
		return val_scalar(v->type, ir_load(l, home, 8, false));
	}
	key = var_key(l, v);
	if (!vn_find(l, &key, false, &r)) {
		r = ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { home } });
		vn_add(l, &key, false, r);
	}
	return val_scalar(v->type, r);
}

/* The value is already converted to the variable's type and extended to 64 bits. */
void lower_var_store(struct lower *l, struct var *v, struct opnd value)
{
	struct opnd home = *var_home(l, v);
	struct ir_insn key;

	if (!in_register(l, home)) {
		ir_store(l, home, 8, value);
		return;
	}
	ir_var_set(l, home.id, value);
	l->s->var_epoch.v[v->ir - 1]++;
	key = var_key(l, v);
	vn_add(l, &key, false, value);
}

struct mention {
	const struct var *var;
	bool found;
};

static bool find_mention(struct node *n, void *ctx)
{
	struct mention *m = ctx;

	m->found |= n->kind == N_VAR && n->var == m->var;
	return !m->found;
}

void lower_var_assign(struct lower *l, struct var *v, struct node *value)
{
	struct mention m = { .var = v };
	struct opnd home;

	if (type_is_scalar(v->type)) {
		struct opnd o = value ? lower_scalar(l, value) : o_imm(0);

		if (value)
			o = lower_convert(l, o, value->type, v->type);
		lower_var_store(l, v, o);
		return;
	}
	home = *var_home(l, v);
	if (!value) {
		ir_zero(l, home, v->type->size);
		return;
	}
	ast_walk(value, find_mention, &m);
	if (m.found) { /* $s = f($s): not in place */
		struct opnd temp = lower_temp(l, v->type->size, 8, "assigned");

		lower_into(l, value, v->type, temp);
		ir_copy(l, home, temp, v->type->size);
		return;
	}
	lower_into(l, value, v->type, home);
}

/* ---- fields and elements */

/* The lvalue to which a pointer value points. */
static struct ir_val element_at(const struct type *ptr, const struct type *elem, struct opnd addr)
{
	return val_foreign(elem, addr, ptr->space);
}

/* Its offset is a word of the object's virtual table. */
static struct opnd virtual_base(struct lower *l, const struct ir_val *object, s32 at)
{
	struct opnd table = lower_read_scalar(l, &ty_u64, object->o, object->space), distance;

	distance =
		lower_read_scalar(l, &ty_s64, ir_op2(l, IR_ADD, table, o_imm(at)), object->space);
	return ir_op2(l, IR_ADD, object->o, distance);
}

static struct ir_val field_lvalue(struct lower *l, struct node *n, const struct field **bits)
{
	const struct type *t = n->a->type;
	struct ir_val base;

	if (n->data && !bits && lower_loc_in_memory(n->data)) /* its address may be taken */
		return lower_loc_lvalue(l, n->data);
	if (n->data) /* args.NAME */
		return lower_loc(l, n->data);
	if (t->kind == TY_POINTER)
		base = element_at(t, t->elem, lower_scalar(l, n->a));
	else
		base = lower_lvalue(l, n->a);
	if (!base.in_memory) { /* a struct that fits a register has no address */
		struct opnd temp = lower_temp(l, 8, 8, "struct");

		ir_store(l, temp, 8, base.o);
		base = val_memory(t, temp);
	}
	base.o = base.is_foreign ? ir_op2(l, IR_ADD, base.o, o_imm(n->field_offset)) :
				   opnd_plus(base.o, n->field_offset);
	if (n->field && n->field->virtual_at)
		base.o = virtual_base(l, &base, n->field->virtual_at);
	base.type = n->field ? n->field->type : n->type;
	if (bits && n->field && n->field->bit_size)
		*bits = n->field;
	return base;
}

/*
 * Continues if index < count; otherwise the event is counted and continues at *bad, which the
 * caller places.
 */
static void branch_on_bounds(struct lower *l, struct opnd index, struct opnd count,
			     struct ir_block **bad)
{
	struct ir_block *ok = ir_block_new(l), *over = ir_block_new(l);

	*bad = ir_block_new(l);
	ir_branch(l, CC_UGE, index, count, over, ok);
	ir_place(l, over);
	lower_loss(l, LOSS_BOUNDS, NULL);
	ir_jump(l, *bad);
	ir_place(l, ok);
}

/*
 * Memory to which any index below a power of two may be added: not the stack, and at least that
 * long.
 */
static struct opnd indexable(struct lower *l, const struct ir_val *base, u32 room)
{
	struct opnd copy;

	if (base->o.kind == O_TEMP && room == base->type->size)
		return base->o;
	copy = lower_scratch_temp(l, room);
	ir_copy(l, copy, base->o, base->type->size);
	lower_zero_from(l, copy, base->type->size, room);
	return copy;
}

/*
 * An element of our own memory: read, or zeroes if the index is out of bounds (limit). After the
 * comparison the index is masked too, because 5.10 forgets the range of a number that is spilled.
 */
static struct ir_val own_element(struct lower *l, const struct ir_val *base, struct opnd index,
				 struct opnd limit, const struct type *elem)
{
	u32 size = MAX(elem->size, 1u), count = base->type->count, pow2 = 1, mark, v = 0;
	struct ir_block *bad, *out = ir_block_new(l);
	struct opnd at, copy = { 0 };

	while (pow2 < count)
		pow2 *= 2;
	at = indexable(l, base, pow2 * size);
	if (type_is_scalar(elem))
		v = ir_var(l);
	else
		copy = lower_temp(l, size, 8, "element");
	branch_on_bounds(l, index, limit, &bad);
	mark = vn_mark(l);
	index = ir_op2(l, IR_MUL, ir_op2(l, IR_AND, index, o_imm(pow2 - 1)), o_imm(size));
	at = ir_op2(l, IR_ADD, ir_addr(l, at), index);
	if (v)
		ir_var_set(l, v, ir_load(l, at, size, elem->is_signed));
	else
		ir_copy(l, copy, at, size);
	ir_jump(l, out);
	vn_truncate(l, mark);
	ir_place(l, bad);
	if (v)
		ir_var_set(l, v, o_imm(0));
	else
		ir_zero(l, copy, size);
	ir_jump(l, out);
	ir_place(l, out);
	return v ? val_scalar(elem, o_temp(v)) : val_memory(elem, copy);
}

struct opnd lower_address_as_number(struct lower *l, struct opnd addr)
{
	struct opnd temp = lower_scratch_temp(l, 8);

	ir_store(l, temp, 8, addr);
	return ir_load(l, temp, 8, false);
}

static bool has_bounds(const struct type *t)
{
	return (t->kind == TY_ARRAY || t->kind == TY_STRING) && t->count > 1;
}

static bool is_within(struct opnd index, u32 count)
{
	return index.kind == O_IMM && index.imm >= 0 && index.imm < count;
}

/* Address of an element of a foreign array; 0, which cannot be read, if it is out of bounds. */
static struct opnd foreign_element(struct lower *l, const struct ir_val *base, struct opnd index,
				   u32 size)
{
	bool counted = base->bytes.kind != O_NONE;
	struct opnd at, from = base->o, count = o_imm(base->type->count);
	struct ir_block *bad, *out;
	u32 v, mark;

	/* [0] and [1] at the end of a struct mean any number */
	if (!counted && (!has_bounds(base->type) || is_within(index, base->type->count)))
		return ir_op2(l, IR_ADD, base->o, ir_op2(l, IR_MUL, index, o_imm(size)));
	v = ir_var(l);
	out = ir_block_new(l);
	if (counted) {
		from = lower_address_as_number(l, from);
		count = ir_op2(l, IR_UDIV, base->bytes, o_imm(size));
	}
	branch_on_bounds(l, index, count, &bad);
	mark = vn_mark(l);
	at = ir_op2(l, IR_ADD, from, ir_op2(l, IR_MUL, index, o_imm(size)));
	ir_var_set(l, v, at);
	ir_jump(l, out);
	vn_truncate(l, mark);
	ir_place(l, bad);
	ir_var_set(l, v, o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
	return ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
}

static struct ir_val lvalue_of(struct lower *l, struct node *n, const struct field **bits);

/* A byte of those that a buffer holds, which is behind their number. */
static struct ir_val byte_of_buffer(struct lower *l, struct ir_val buffer, struct opnd index)
{
	struct opnd n = ir_load(l, buffer.o, 4, false);

	buffer.o = opnd_plus(buffer.o, 4);
	buffer.type = type_array(l->arena, &ty_u8, buffer.type->count);
	return own_element(l, &buffer, index, n, &ty_u8);
}

static struct ir_val index_lvalue(struct lower *l, struct node *n)
{
	const struct type *t = n->a->type;
	/* in its stored layout: without room for an added NUL */
	bool of_texts = n->type->kind == TY_STRING && t->elem;
	const struct type *elem = type_complete(of_texts ? t->elem : n->type);
	struct ir_val base = t->kind == TY_POINTER ? element_at(t, elem, lower_scalar(l, n->a)) :
						     lvalue_of(l, n->a, NULL);
	struct opnd index = ir_opaque(l, lower_scalar(l, n->b));
	u32 size = MAX(elem->size, 1u);

	if (!base.in_memory) {
		struct opnd temp = lower_temp(l, 8, 8, "array");

		ir_store(l, temp, 8, base.o);
		base = val_memory(t, temp);
	}
	if (t->kind == TY_BUFFER)
		return byte_of_buffer(l, base, index);
	if (base.is_foreign)
		base.o = foreign_element(l, &base, index, size);
	else if (is_within(index, base.type->count))
		base.o = opnd_plus(base.o, index.imm * size);
	else
		return own_element(l, &base, index, o_imm(base.type->count), elem);
	base.type = elem;
	base.bytes = (struct opnd){ 0 };
	return base;
}

static struct ir_val lvalue_of(struct lower *l, struct node *n, const struct field **bits)
{
	switch (n->kind) {
	case N_FIELD: return field_lvalue(l, n, bits);
	case N_INDEX: return index_lvalue(l, n);
	case N_UNARY:
		if (n->op == OP_DEREF)
			return element_at(n->a->type, n->type, lower_scalar(l, n->a));
		break;
	case N_VAR:
		if (n->var->address_taken || !type_is_scalar(n->var->type))
			return val_memory(n->var->type, *var_home(l, n->var));
		break;
	case N_CAST: return lower_cast(l, n);
	default: break;
	}
	return lower_expr(l, n);
}

/*
 * A char array that may lack a NUL, as a string, which has room for one. Readers of foreign memory
 * append it; of our own memory a copy is made.
 */
static struct ir_val with_nul(struct lower *l, struct node *n, struct ir_val v)
{
	struct opnd copy;

	if (!v.in_memory || !n->type || n->type->kind != TY_STRING || v.type->kind != TY_STRING ||
	    v.type->count >= n->type->count)
		return v;
	if (v.is_foreign) {
		v.type = n->type;
		return v;
	}
	copy = lower_temp(l, ALIGN_UP(n->type->count, 8u), 8, "text");
	ir_zero(l, copy, ALIGN_UP(n->type->count, 8u));
	lower_read_str(l, copy, n->type->count, ir_addr(l, v.o), SPACE_KERNEL);
	v = val_memory(n->type, copy);
	v.clean = true;
	return v;
}

struct ir_val lower_lvalue(struct lower *l, struct node *n)
{
	return with_nul(l, n, lvalue_of(l, n, NULL));
}

struct ir_val lower_read_lvalue(struct lower *l, struct node *n)
{
	const struct field *bits = NULL;
	struct ir_val v;

	if (lower_direct(l, n, &v.o))
		return val_scalar(n->type, v.o);
	v = lvalue_of(l, n, &bits);
	if (v.in_memory && type_is_scalar(v.type))
		return val_scalar(n->type, lower_load_lvalue(l, &v, bits));
	v = with_nul(l, n, v);
	v.type = n->type;
	return v;
}

/* ---- casts */

/*
 * The names of all sites as text: both their number and size are powers of two, so masking stays
 * inside.
 */
static void place_site_texts(struct lower *l, struct program *p, u32 len)
{
	u32 rows = 1, stride = 16;
	u8 *texts;

	while (rows < p->sites.n + p->spare_sites)
		rows *= 2;
	while (stride < len)
		stride *= 2;
	texts = arena_array(p->arena, u8, (size_t)rows * stride);
	for (u32 i = 0; i < p->sites.n; i++)
		strcpy((char *)texts + (size_t)i * stride, p->sites.v[i].probe);
	p->site_text_off = lower_data(l, rows * stride, texts);
	p->site_text_len = stride;
	p->site_text_rows = rows;
}

struct ir_val lower_probe_text(struct lower *l, struct opnd id)
{
	struct program *p = l->prog;
	const struct type *to = type_string(l->arena, l->env->probe_name_max + 1);
	struct opnd at;

	if (!p->site_text_len)
		place_site_texts(l, p, to->count);
	id = ir_op2(l, IR_AND, id, o_imm(p->site_text_rows - 1));
	at = ir_op2(l, IR_ADD,
		    ir_addr(l, o_data(lower_internal_map(l, MAP_DATA), p->site_text_off)),
		    ir_op2(l, IR_MUL, id, o_imm(p->site_text_len)));
	return val_memory(to, at);
}

/* All bytes, those after the NUL are zero. */
static struct ir_val bytes_of_text(struct lower *l, struct node *text, const struct type *to)
{
	struct opnd temp = lower_temp(l, MAX(text->type->size, to->size), 8, "bytes");

	lower_into(l, text, text->type, temp);
	return val_memory(to, temp);
}

struct ir_val lower_cast(struct lower *l, struct node *n)
{
	const struct type *to = n->type, *from = n->a->type;
	struct ir_val v;

	if (type_is_scalar(to) && type_is_scalar(from))
		return val_scalar(to, lower_convert(l, lower_scalar(l, n->a), from, to));
	if (from->kind == TY_FLOAT && type_is_scalar(to))
		return val_scalar(to, lower_convert(l, lower_float_to_int(l, n->a), &ty_s64, to));
	if (from->kind == TY_PROBE && to->kind == TY_STRING)
		return lower_probe_text(l, lower_scalar(l, n->a));
	if (from->kind == TY_STRING && to->kind == TY_ARRAY)
		return bytes_of_text(l, n->a, to);
	v = lower_lvalue(l, n->a);
	if (type_is_scalar(to)) {
		if (!v.in_memory) /* an aggregation, already merged to a number */
			return val_scalar(to, lower_convert(l, v.o, &ty_s64, to));
		v.type = to;
		return val_scalar(to, lower_load_lvalue(l, &v, NULL));
	}
	if (!v.in_memory) {
		struct opnd temp = lower_temp(l, MAX(to->size, 8u), 8, "cast");

		ir_store(l, temp, 8, v.o);
		return val_memory(to, temp);
	}
	if ((to->kind == TY_STRING && from->kind == TY_STRING) || to->kind == TY_FLOAT) {
		struct opnd temp = lower_temp(l, to->size, 8, "cast");

		lower_put(l, &v, to, temp, true);
		return val_memory(to, temp);
	}
	v.type = to;
	return v;
}

/* ---- comparing bytes */

/*
 * Many bytes are compared in groups, with one branch for each: verifiers hold 8192 branches.
 *
 *	if ((a[0] ^ b[0]) | (a[1] ^ b[1]) | ... goto differ
 */
enum { COMPARE_GROUP = 64 };

static u32 compare_groups(struct lower *l, struct opnd a, struct opnd b, u32 len,
			  struct ir_block *differ)
{
	u32 at = 0, mark = vn_mark(l);

	for (; len - at > COMPARE_GROUP; at += COMPARE_GROUP) {
		struct opnd any = o_imm(0);
		struct ir_block *next = ir_block_new(l);

		for (u32 i = 0; i < COMPARE_GROUP; i += 8) {
			struct opnd x = ir_load(l, opnd_plus(a, at + i), 8, false);
			struct opnd y = ir_load(l, opnd_plus(b, at + i), 8, false);

			any = ir_op2(l, IR_OR, ir_op2(l, IR_XOR, x, y), any);
		}
		ir_branch(l, CC_EQ, any, o_imm(0), next, differ);
		ir_place(l, next);
	}
	vn_truncate(l, mark);
	return at;
}

/* Two pieces of memory, or one and a literal. */
struct compared {
	struct opnd a, b;
	const char *literal; /* in place of b; zeros follow it */
	u32 literal_len, len;
};

static struct opnd load_second(struct lower *l, const struct compared *c, u32 at, u32 size)
{
	u64 w = 0;

	if (!c->literal)
		return ir_load(l, opnd_plus(c->b, at), size, false);
	if (at < c->literal_len)
		memcpy(&w, c->literal + at, MIN(size, c->literal_len - at));
	return o_imm((s64)w);
}

static void compare_chunks(struct lower *l, const struct compared *c, struct ir_block *equal,
			   struct ir_block *differ)
{
	u32 len = c->len;

	for (u32 at = c->literal ? 0 : compare_groups(l, c->a, c->b, len, differ); at < len;) {
		u32 left = len - at, size = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
		struct opnd x = ir_load(l, opnd_plus(c->a, at), size, false), y;
		struct ir_block *next = at + size < len ? ir_block_new(l) : equal;

		y = load_second(l, c, at, size);
		ir_branch(l, CC_EQ, x, y, next, differ);
		if (next != equal)
			ir_place(l, next);
		at += size;
	}
}

struct ir_val lower_string_prefix(struct lower *l, struct node *n, u32 len)
{
	struct ir_val v;

	l->s->str_limit = n->kind == N_CALL ? len + 1 :
					      0; /* not for a nested str(), such as a key */
	v = lower_lvalue(l, n);
	l->s->str_limit = 0;
	if (v.is_foreign) {
		u32 cap = MIN(v.type->count, len + 1), room = ALIGN_UP(cap, 8u);
		struct opnd temp = lower_temp(l, room, 8, "compared");

		ir_zero(l, temp, room);
		lower_read_str(l, temp, cap, v.o, v.space);
		v = val_memory(type_string(l->prog->arena, room), temp);
		v.clean = true;
	}
	return v;
}

static void compare_literal(struct lower *l, struct node *dynamic, const struct node *literal,
			    struct ir_block *equal, struct ir_block *differ)
{
	u32 len = literal->str_len + 1;
	struct ir_val v = lower_string_prefix(l, dynamic, len);
	struct compared c;

	if (len > v.type->count) {
		ir_jump(l, differ);
		return;
	}
	if (v.clean && ALIGN_UP(len, 8u) <= v.type->count)
		len = ALIGN_UP(len, 8u);
	c = (struct compared){
		.a = v.o, .literal = literal->str, .literal_len = literal->str_len, .len = len
	};
	compare_chunks(l, &c, equal, differ);
}

/* probe == "name": the names are constants, so their numbers are compared. */
static void compare_probe(struct lower *l, struct node *probe, const struct node *name,
			  struct ir_block *equal, struct ir_block *differ)
{
	struct opnd id = lower_scalar(l, probe);

	for (u32 i = 0; i < l->prog->sites.n; i++) {
		struct ir_block *next = ir_block_new(l);

		const char *func = l->prog->sites.v[i].func;

		if (!streq(probe->type->is_func && func ? func : l->prog->sites.v[i].probe,
			   name->str))
			continue;
		ir_branch(l, CC_EQ, id, o_imm(i), equal, next);
		ir_place(l, next);
	}
	ir_jump(l, differ);
}

/* The same value, field by field in the type that holds both sides. */
static struct ir_val as_type(struct lower *l, const struct ir_val *v, const struct type *t)
{
	struct opnd temp;

	if (type_equal(v->type, t))
		return *v;
	temp = lower_temp(l, t->size, 8, "compared");
	lower_put(l, v, t, temp, true);
	return val_memory(t, temp);
}

void lower_compare_memory(struct lower *l, struct node *n, struct ir_block *equal,
			  struct ir_block *differ)
{
	const struct type *t = n->a->type;
	struct ir_val a, b;
	u32 len;

	if (t->kind == TY_PROBE) {
		compare_probe(l, n->a, n->b, equal, differ);
		return;
	}
	if (n->b->type->kind == TY_PROBE) {
		compare_probe(l, n->b, n->a, equal, differ);
		return;
	}
	if (n->b->kind == N_STR && t->kind == TY_STRING) {
		compare_literal(l, n->a, n->b, equal, differ);
		return;
	}
	if (n->a->kind == N_STR && n->b->type->kind == TY_STRING) {
		compare_literal(l, n->b, n->a, equal, differ);
		return;
	}
	a = lower_memory(l, n->a);
	b = lower_memory(l, n->b);
	if (t->kind == TY_STRING) {
		len = MIN(a.type->count, b.type->count);
	} else {
		if (n->promoted && n->promoted->kind == t->kind)
			t = n->promoted;
		a = as_type(l, &a, t);
		b = as_type(l, &b, t);
		len = t->size;
	}
	compare_chunks(l, &(struct compared){ .a = a.o, .b = b.o, .len = len }, equal, differ);
}
