/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations from debug information (type/loc.h). A location is a program for a stack of words; the
 * stack exists at compile time only, so only the operations are emitted. A value whose pieces are
 * in several locations is assembled in our memory.
 */
#include "ir/state.h"

struct machine {
	struct lower *l;
	struct opnd stack[LOC_MAX_DEPTH];
	u32 n;
};

static void push(struct machine *m, struct opnd o)
{
	if (m->n == LOC_MAX_DEPTH)
		BUG("location needs more than %d words", LOC_MAX_DEPTH);
	m->stack[m->n++] = o;
}

static struct opnd pop(struct machine *m)
{
	if (!m->n)
		BUG("location takes more words than it has");
	return m->stack[--m->n];
}

/* Foreign memory of the traced code. */
static enum space code_space(const struct lower *l)
{
	return l->profile->regs.are_users ? SPACE_USER : SPACE_KERNEL;
}

static enum ir_opcode opcode_of(enum loc_op op)
{
	static const u8 map[N_LOC_OPS] = {
		[LOP_ADD] = IR_ADD,  [LOP_SUB] = IR_SUB, [LOP_MUL] = IR_MUL, [LOP_DIV] = IR_SDIV,
		[LOP_MOD] = IR_UMOD, [LOP_AND] = IR_AND, [LOP_OR] = IR_OR,   [LOP_XOR] = IR_XOR,
		[LOP_SHL] = IR_SHL,  [LOP_SHR] = IR_SHR, [LOP_SAR] = IR_SAR,
	};

	return map[op];
}

static enum ir_cond condition_of(enum loc_op op)
{
	static const u8 map[N_LOC_OPS] = {
		[LOP_EQ] = CC_EQ,  [LOP_NE] = CC_NE,  [LOP_LT] = CC_SLT,
		[LOP_LE] = CC_SLE, [LOP_GT] = CC_SGT, [LOP_GE] = CC_SGE,
	};

	return map[op];
}

static void rotate(struct machine *m)
{
	struct opnd c = pop(m), b = pop(m), a = pop(m);

	push(m, c);
	push(m, a);
	push(m, b);
}

/* |x| = (x ^ s) - s with s = x >> 63 */
static struct opnd absolute(struct lower *l, struct opnd x)
{
	struct opnd s = ir_op2(l, IR_SAR, x, o_imm(63));

	return ir_op2(l, IR_SUB, ir_op2(l, IR_XOR, x, s), s);
}

static struct opnd unary(struct lower *l, const struct loc_step *s, struct opnd a)
{
	switch (s->op) {
	case LOP_DEREF:
		return lower_read_scalar(l, type_int(s->size, s->is_signed), a, code_space(l));
	case LOP_EXT: return s->size < 8 ? ir_ext(l, a, s->size, s->is_signed) : a;
	case LOP_NEG: return ir_op2(l, IR_SUB, o_imm(0), a);
	case LOP_NOT: return ir_op2(l, IR_XOR, a, o_imm(-1));
	case LOP_ABS: return absolute(l, a);
	default: BUG("location step %d", s->op);
	}
}

static void step(struct machine *m, const struct loc_step *s)
{
	struct lower *l = m->l;
	struct opnd b;

	switch (s->op) {
	case LOP_CONST: push(m, o_imm(s->value)); break;
	case LOP_REG: push(m, lower_ctx_load(l, (u32)s->value, 8, false)); break;
	/* the kernel's value is right except for programs that set theirs without it (wrfsbase) */
	case LOP_THREAD: push(m, lower_of_task(l, &ty_u64, s->value)); break;
	case LOP_PICK:
		if ((u64)s->value >= m->n)
			BUG("location picks below its stack");
		push(m, m->stack[m->n - 1 - (u32)s->value]);
		break;
	case LOP_SWAP:
		b = pop(m);
		struct opnd a = pop(m);

		push(m, b);
		push(m, a);
		break;
	case LOP_ROT: rotate(m); break;
	case LOP_DROP: pop(m); break;
	case LOP_DEREF:
	case LOP_EXT:
	case LOP_NEG:
	case LOP_NOT:
	case LOP_ABS: push(m, unary(l, s, pop(m))); break;
	case LOP_ADD:
	case LOP_SUB:
	case LOP_MUL:
	case LOP_DIV:
	case LOP_MOD:
	case LOP_AND:
	case LOP_OR:
	case LOP_XOR:
	case LOP_SHL:
	case LOP_SHR:
	case LOP_SAR:
		b = pop(m);
		push(m, ir_op2(l, opcode_of(s->op), pop(m), b));
		break;
	case LOP_EQ:
	case LOP_NE:
	case LOP_LT:
	case LOP_LE:
	case LOP_GT:
	case LOP_GE:
		b = pop(m);
		push(m, ir_set(l, condition_of(s->op), pop(m), b));
		break;
	case N_LOC_OPS: break;
	}
}

static struct opnd run(struct lower *l, const struct loc *loc)
{
	struct machine m = { .l = l };

	for (u32 i = 0; i < loc->n; i++)
		step(&m, &loc->step[i]);
	return pop(&m);
}

/* The low bytes of a word, as bytes in our memory: a double, or a structure that fits. */
static struct ir_val word_as_memory(struct lower *l, const struct type *t, struct opnd word)
{
	struct opnd temp = lower_temp(l, 8, 8, "value");

	ir_store(l, temp, 8, word);
	return val_memory(t, temp);
}

struct ir_val lower_loc_steps(struct lower *l, const struct loc *loc, const struct type *t)
{
	struct opnd o = run(l, loc);

	if (!loc->is_value && !type_is_scalar(t))
		return val_foreign(t, o, code_space(l));
	if (!loc->is_value)
		return val_scalar(t, lower_read_scalar(l, t, o, code_space(l)));
	if (!type_is_scalar(t))
		return word_as_memory(l, t, o);
	return val_scalar(t, lower_convert(l, o, &ty_s64, t));
}

bool lower_loc_in_memory(const struct arg_desc *arg)
{
	return arg->loc.kind == LOC_EXPR && !arg->loc.is_value;
}

struct ir_val lower_loc_lvalue(struct lower *l, const struct arg_desc *arg)
{
	return val_foreign(arg->type, run(l, &arg->loc), code_space(l));
}

/* ---- pieces */

static struct opnd piece_word(struct lower *l, const struct loc *loc)
{
	return loc->kind == LOC_REG   ? lower_ctx_load(l, loc->offset, 8, false) :
	       loc->kind == LOC_CONST ? o_imm(loc->value) :
					run(l, loc);
}

/*
 * Stores the low size bytes (1 to 8) of a word in temp; each store is aligned, as verifiers demand.
 */
static void store_bytes(struct lower *l, struct opnd temp, u32 offset, struct opnd word, u32 size)
{
	for (u32 at = 0, n; at < size; at += n) {
		n = 8;
		while (n > size - at || (offset + at) % n)
			n /= 2;
		ir_store(l, opnd_plus(temp, offset + at), n,
			 at ? ir_op2(l, IR_SHR, word, o_imm(8 * at)) : word);
	}
}

static bool in_registers(const struct loc *loc)
{
	return loc->kind == LOC_REG || loc->kind == LOC_CONST || loc->is_value;
}

struct ir_val lower_loc_pieces(struct lower *l, const struct loc *loc, const struct type *t)
{
	u32 room = ALIGN_UP(MAX(t->size, 8u), 8u), at = 0;
	struct opnd temp = lower_temp(l, room, 8, "pieces");
	struct ir_val v = val_memory(t, temp);

	ir_zero(l, temp, room);
	for (u32 i = 0; i < loc->n && at < t->size; i++) {
		const struct loc_piece *p = &loc->piece[i];
		u32 size = MIN(p->size, t->size - at);

		if (p->loc.kind == LOC_NONE)
			; /* never read */
		else if (in_registers(&p->loc))
			store_bytes(l, temp, at, piece_word(l, &p->loc), MIN(size, 8u));
		else
			lower_probe_read(l, opnd_plus(temp, at), size, run(l, &p->loc),
					 code_space(l));
		at += size;
	}
	if (type_is_scalar(t))
		return val_scalar(t, ir_load(l, temp, t->size, t->is_signed));
	return v;
}
