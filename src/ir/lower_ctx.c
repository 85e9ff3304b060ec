/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe's context: an argument's location (type/loc.h) becomes loads. Loads of the context must
 * be "*(size *)(ctx + constant)", aligned to their size; verifiers refuse all others, so those use
 * a helper.
 */
#include "ir/state.h"

struct ir_val val_scalar(const struct type *t, struct opnd o)
{
	return (struct ir_val){ .type = t, .o = o };
}

struct ir_val val_memory(const struct type *t, struct opnd addr)
{
	return (struct ir_val){ .type = t, .in_memory = true, .o = addr };
}

struct ir_val val_foreign(const struct type *t, struct opnd addr, enum space space)
{
	return (struct ir_val){
		.type = t, .in_memory = true, .is_foreign = true, .space = space, .o = addr
	};
}

struct opnd lower_ctx_load(struct lower *l, u32 offset, u32 size, bool is_signed)
{
	struct ir_insn in = { .op = IR_LOAD,
			      .size = (u8)size,
			      .is_signed = is_signed,
			      .imm = -1,
			      .arg = { lower_ctx(l, offset) } };
	struct opnd r;

	if (offset % size)
		return lower_read_scalar(l, type_int(size, is_signed),
					 ir_addr(l, lower_ctx(l, offset)), SPACE_KERNEL);
	if (vn_find(l, &in, false, &r))
		return r;
	r = ir_load(l, lower_ctx(l, offset), size, is_signed);
	vn_add(l, &in, false, r);
	return r;
}

struct opnd lower_saved_registers(struct lower *l)
{
	return lower_ctx_load(l, 0, 8, false);
}

/*
 * A word of the registers to which a context word points: loaded directly if verifiers know the
 * pointer.
 */
static struct opnd saved_register(struct lower *l, const struct loc *loc)
{
	struct opnd regs = lower_ctx_load(l, loc->offset, 8, false), r;
	u32 size = loc->kind == LOC_REGS_PTR && loc->value ? (u32)loc->value : 8;
	struct ir_insn key = {
		.op = IR_LOAD, .size = (u8)size, .imm = -2, .arg = { opnd_plus(regs, loc->inner) }
	};

	if (l->profile->kind == PROFILE_TRACEPOINT) /* the record holds the words directly */
		return regs;
	if (l->profile->kind != PROFILE_BTF)
		return lower_read_scalar(l, type_int(size, false),
					 ir_op2(l, IR_ADD, regs, o_imm(loc->inner)), SPACE_KERNEL);
	if (vn_find(l, &key, false, &r))
		return r;
	r = ir_load(l, opnd_plus(regs, loc->inner), size, false);
	vn_add(l, &key, false, r);
	return r;
}

static struct opnd reg_value(struct lower *l, const struct loc *loc, struct opnd word)
{
	return loc->size && loc->size < 8 ? ir_ext(l, word, loc->size, loc->is_signed) : word;
}

static struct ir_val data_loc(struct lower *l, const struct arg_desc *arg)
{
	struct opnd word = lower_ctx_load(l, arg->loc.offset, 4, false);
	struct opnd off = ir_op2(l, IR_AND, word, o_imm(0xffff));
	s64 base = arg->loc.kind == LOC_REL_LOC ? (s64)arg->loc.offset + 4 : 0;
	struct ir_val v = val_foreign(
		arg->type, ir_op2(l, IR_ADD, ir_addr(l, lower_ctx(l, base)), off), SPACE_KERNEL);

	if (arg->type->is_counted)
		v.bytes = ir_op2(l, IR_SHR, word, o_imm(16));
	return v;
}

/*
 * A pointer of the context that may be null: to verifiers it is PTR_TO_BTF_ID_OR_NULL, with which
 * they refuse arithmetic until a branch excludes null. After this it is a pointer or the number 0.
 */
static struct opnd settle_null(struct lower *l, struct opnd ptr)
{
	struct ir_block *null = ir_block_new(l), *out = ir_block_new(l);
	u32 v = ir_var(l);

	ir_var_set(l, v, ptr);
	ir_branch(l, CC_NE, o_temp(v), o_imm(0), out, null);
	ir_place(l, null);
	ir_var_set(l, v, o_imm(0));
	ir_jump(l, out);
	ir_place(l, out);
	return o_temp(v);
}

static struct opnd context_word(struct lower *l, const struct loc *loc)
{
	struct opnd o = lower_ctx_load(l, loc->offset, 8, loc->is_signed);

	return loc->known ? ir_known(l, o) : o;
}

static struct opnd nullable(struct lower *l, const struct loc *loc)
{
	struct ir_insn key = { .op = IR_LOAD, .size = 8, .imm = -3, .arg = { o_ctx(loc->offset) } };
	struct opnd r;

	if (vn_find(l, &key, false, &r))
		return r;
	r = settle_null(l, context_word(l, loc));
	vn_add(l, &key, false, r);
	return r;
}

static struct opnd opaque_word(struct lower *l, const struct loc *loc)
{
	return lower_read_scalar(l, &ty_u64, ir_addr(l, lower_ctx(l, loc->offset)), SPACE_KERNEL);
}

struct ir_val lower_loc(struct lower *l, const struct arg_desc *arg)
{
	const struct loc *loc = &arg->loc;
	const struct type *t = arg->type;
	struct opnd o;

	switch (loc->kind) {
	case LOC_NONE: return val_scalar(t, o_imm(0));
	case LOC_CONST:
		return type_is_scalar(t) ?
			       val_scalar(t, o_imm(loc->value)) :
			       val_foreign(t, o_imm(loc->value), l->profile->default_space);
	case LOC_CTX_ADDR:
		if (t->kind == TY_POINTER) /* a number, which a script may compare */
			return val_scalar(
				t, ir_as_number(
					   l, ir_known(l, ir_addr(l, lower_ctx(l, loc->offset)))));
		return val_foreign(t, ir_addr(l, lower_ctx(l, loc->offset)), SPACE_KERNEL);
	case LOC_DATA_LOC:
	case LOC_REL_LOC: return data_loc(l, arg);
	case LOC_CTX:
		if (loc->nullable)
			return val_scalar(t, nullable(l, loc));
		if (loc->opaque)
			return val_scalar(t, opaque_word(l, loc));
		o = l->profile->kind == PROFILE_TRACEPOINT ?
			    lower_ctx_load(l, loc->offset, loc->size, loc->is_signed) :
			    context_word(l, loc);
		o = reg_value(l, loc, o);
		break;
	case LOC_REG:
		o = lower_ctx_load(l, loc->offset, 8, false);
		if (loc->inner)
			o = ir_op2(l, IR_ADD, o, o_imm(loc->inner));
		o = reg_value(l, loc, o);
		break;
	case LOC_REGS_PTR: o = reg_value(l, loc, saved_register(l, loc)); break;
	case LOC_REGS_USER:
		o = ir_op2(l, IR_ADD, saved_register(l, loc), o_imm(loc->value));
		o = lower_read_scalar(l, type_int(loc->size, loc->is_signed), o, SPACE_USER);
		break;
	case LOC_STACK:
		o = ir_op2(l, IR_ADD, lower_ctx_load(l, loc->offset, 8, false), o_imm(loc->inner));
		l->s->reads_stack = true;
		o = lower_read_scalar(l, type_int(loc->size ? loc->size : 8, loc->is_signed), o,
				      l->profile->regs.are_users ? SPACE_USER : SPACE_KERNEL);
		l->s->reads_stack = false;
		break;
	case LOC_EXPR: return lower_loc_steps(l, loc, t);
	case LOC_PIECES: return lower_loc_pieces(l, loc, t);
	default: BUG("location kind %d", loc->kind);
	}
	if (!type_is_scalar(t)) /* a struct or array passed by address */
		return val_foreign(t, o, l->profile->default_space);
	return val_scalar(t, lower_convert(l, o,
					   type_int(loc->size ? loc->size : 8, loc->is_signed), t));
}
