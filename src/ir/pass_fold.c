/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constant folding and copy propagation in one forward sweep over temporaries that are defined
 * once. Operations on constants are computed, identities vanish (extensions of narrow values, masks
 * wider than the value), an extension or mask before a narrower store is skipped, a branch on a
 * comparison's result becomes a branch on the comparison. Values of variables never move: they may
 * change in between. What loses its last use is left to the dce pass.
 */
#include "ir/pass.h"

struct fold {
	struct ir_unit *u;
	struct ir_func *f;
	struct opnd *copy; /* by temporary: the O_IMM or O_TEMP that it equals, or O_NONE */
	u8 *width;         /* by temporary: number of low bits that may be set; 0: all */
	struct ir_insn **defs;
	u32 *uses;
	bool changed;
};

static bool is_imm(struct opnd o, s64 v)
{
	return o.kind == O_IMM && o.imm == v;
}

static bool same_temp(struct opnd a, struct opnd b)
{
	return a.kind == O_TEMP && b.kind == O_TEMP && a.id == b.id && a.imm == b.imm;
}

static bool is_fixed(const struct fold *p, struct opnd o)
{
	return o.kind == O_IMM || (o.kind == O_TEMP && !o.imm && !p->f->temps.v[o.id].is_var);
}

/* The definition of an operand that is a plain temporary defined once. */
static const struct ir_insn *def_of(const struct fold *p, struct opnd o)
{
	return o.kind == O_TEMP && !o.imm ? p->defs[o.id] : NULL;
}

static u32 width_of(const struct fold *p, struct opnd o)
{
	u32 w = 0;

	if (o.kind == O_IMM)
		return o.imm ? 64 - (u32)__builtin_clzll((u64)o.imm) : 1;
	if (o.kind == O_TEMP && !o.imm)
		w = p->width[o.id];
	return w ? w : 64;
}

/*
 * Counts of uses may only err upward: a temporary with a count of one has one reader. A copy that
 * lost its last reader no longer counts as a reader.
 */
static void add_use(struct fold *p, struct opnd o)
{
	if (o.kind == O_TEMP)
		p->uses[o.id]++;
}

static void drop_use(struct fold *p, u32 temp)
{
	const struct ir_insn *def = p->defs[temp];

	if (!--p->uses[temp] && def && def->op == IR_MOVE && def->arg[0].kind == O_TEMP)
		p->uses[def->arg[0].id]--;
}

static void substitute(struct fold *p, struct ir_insn *in)
{
	for (u32 a = 0; a < ir_n_args(in); a++) {
		struct opnd *o = &in->arg[a];

		if (o->kind != O_TEMP || p->copy[o->id].kind == O_NONE)
			continue;
		/* an address made of a constant is not folded */
		if (o->imm && p->copy[o->id].kind == O_IMM)
			continue;

		struct opnd to = opnd_plus(p->copy[o->id], o->imm);

		add_use(p, to);
		drop_use(p, o->id);
		*o = to;
		p->changed = true;
	}
}

static void become_move(struct fold *p, struct ir_insn *in, struct opnd o)
{
	in->op = IR_MOVE;
	in->size = in->cc = 0;
	in->arg[0] = o;
	in->arg[1] = (struct opnd){ 0 };
	p->changed = true;
}

static void become(struct fold *p, struct ir_insn *in, enum ir_opcode op, struct opnd b)
{
	in->op = (u8)op;
	in->arg[1] = b;
	p->changed = true;
}

static void swap_args(struct ir_insn *in)
{
	struct opnd t = in->arg[0];

	in->arg[0] = in->arg[1];
	in->arg[1] = t;
}

static int log2_exact(s64 v)
{
	return v > 0 && !(v & (v - 1)) ? __builtin_ctzll((u64)v) : -1;
}

static void to_zext(struct fold *p, struct ir_insn *in, u8 size)
{
	become(p, in, IR_ZEXT, (struct opnd){ 0 });
	in->size = size;
}

/* d = (x op c1) op c2 where the inner result has no other use. */
static void combine(struct fold *p, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(p, in->arg[0]);
	s64 c = in->arg[1].imm;

	if (!def || def->op != in->op || def->arg[1].kind != O_IMM || !is_fixed(p, def->arg[0]) ||
	    p->uses[in->arg[0].id] != 1)
		return;
	if (in->op == IR_ADD)
		c = (s64)((u64)c + (u64)def->arg[1].imm);
	else if (in->op == IR_AND)
		c &= def->arg[1].imm;
	else
		return;
	add_use(p, def->arg[0]);
	drop_use(p, in->arg[0].id);
	in->arg[0] = def->arg[0];
	in->arg[1] = o_imm(c);
	p->changed = true;
}

/* d = a & constant: removed if a is narrow enough, an extension if that is one instruction. */
static void fold_mask(struct fold *p, struct ir_insn *in)
{
	u64 mask = (u64)in->arg[1].imm;
	u32 w = width_of(p, in->arg[0]);
	u64 may = w == 64 ? ~0ull : (1ull << w) - 1;

	if (!(mask & may))
		become_move(p, in, o_imm(0));
	else if ((mask & may) == may)
		become_move(p, in, in->arg[0]);
	else if (mask == 0xffffffff)
		to_zext(p, in, 4);
}

static bool zero_is_identity(u32 op)
{
	return op == IR_ADD || op == IR_SUB || op == IR_OR || op == IR_XOR || op == IR_SHL ||
	       op == IR_SHR || op == IR_SAR || op == IR_UMOD || op == IR_SMOD;
}

static bool zero_is_zero(u32 op)
{
	return op == IR_MUL || op == IR_AND || op == IR_UDIV || op == IR_SDIV;
}

static bool one_is_identity(u32 op)
{
	return op == IR_MUL || op == IR_UDIV || op == IR_SDIV;
}

/* d = a op constant */
static void fold_right_constant(struct fold *p, struct ir_insn *in)
{
	s64 c = in->arg[1].imm;
	int log = log2_exact(c);

	if (in->op == IR_SHL || in->op == IR_SHR || in->op == IR_SAR)
		c = in->arg[1].imm = c & 63;
	if ((c == 0 && zero_is_identity(in->op)) || (c == 1 && one_is_identity(in->op)) ||
	    (c == -1 && in->op == IR_AND))
		become_move(p, in, in->arg[0]);
	else if ((c == 0 && zero_is_zero(in->op)) ||
		 (c == 1 && (in->op == IR_UMOD || in->op == IR_SMOD)))
		become_move(p, in, o_imm(0));
	else if (log > 0 && in->op == IR_MUL)
		become(p, in, IR_SHL, o_imm(log));
	else if (log > 0 && in->op == IR_UDIV)
		become(p, in, IR_SHR, o_imm(log));
	else if (log > 0 && in->op == IR_UMOD)
		become(p, in, IR_AND, o_imm(c - 1));
	else if (in->op == IR_SUB)
		become(p, in, IR_ADD, o_imm((s64) - (u64)c));
	if (in->op == IR_ADD || in->op == IR_AND)
		combine(p, in);
	if (in->op == IR_AND && in->arg[1].kind == O_IMM)
		fold_mask(p, in);
}

static void fold_same(struct fold *p, struct ir_insn *in)
{
	if (in->op == IR_SUB || in->op == IR_XOR)
		become_move(p, in, o_imm(0));
	else if (in->op == IR_AND || in->op == IR_OR)
		become_move(p, in, in->arg[0]);
}

/*
 * d = zext a: removed if a is narrow. A signed load whose only use is this one becomes unsigned,
 * and vice versa.
 */
static void fold_ext(struct fold *p, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(p, in->arg[0]);
	u32 bits = in->size * 8u, w = width_of(p, in->arg[0]);
	bool is_signed = in->op == IR_SEXT;

	if (in->size == 8 || w <= bits - is_signed) {
		become_move(p, in, in->arg[0]);
	} else if (def && def->op == IR_LOAD && def->size == in->size &&
		   p->uses[in->arg[0].id] == 1) {
		p->defs[in->arg[0].id]->is_signed = is_signed;
		p->width[in->arg[0].id] = is_signed ? 0 : (u8)bits;
		become_move(p, in, in->arg[0]);
	}
}

static void fold_pure(struct fold *p, struct ir_insn *in)
{
	u32 n = ir_n_args(in);
	u64 r;

	if (in->arg[0].kind == O_IMM && (n == 1 || in->arg[1].kind == O_IMM) &&
	    ir_eval(in, (u64)in->arg[0].imm, (u64)in->arg[1].imm, &r)) {
		if (in->op != IR_MOVE)
			become_move(p, in, o_imm((s64)r));
		return;
	}
	if (in->arg[0].kind == O_IMM && (ir_ops[in->op].flags & IRF_COMMUTES))
		swap_args(in);
	if (in->op == IR_SEXT || in->op == IR_ZEXT)
		fold_ext(p, in);
	else if (n == 2 && in->op != IR_SET && in->arg[1].kind == O_IMM &&
		 in->arg[0].kind == O_TEMP)
		fold_right_constant(p, in);
	else if (n == 2 && in->op != IR_SET && same_temp(in->arg[0], in->arg[1]))
		fold_same(p, in);
}

/* The low bytes of x equal those of its extension or mask: store x itself. */
static void fold_store(struct fold *p, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(p, in->arg[1]);

	if (!def || !is_fixed(p, def->arg[0]) || p->uses[in->arg[1].id] != 1)
		return;
	if (def->op == IR_AND) {
		u64 low = in->size == 8 ? ~0ull : (1ull << in->size * 8) - 1;

		if (def->arg[1].kind != O_IMM || ((u64)def->arg[1].imm & low) != low)
			return;
	} else if ((def->op != IR_ZEXT && def->op != IR_SEXT) || def->size < in->size) {
		return;
	}
	add_use(p, def->arg[0]);
	drop_use(p, in->arg[1].id);
	in->arg[1] = def->arg[0];
	p->changed = true;
}

static void swap_targets(struct ir_insn *in)
{
	u32 t = in->target[0];

	in->target[0] = in->target[1];
	in->target[1] = t;
}

/* branch ne (a cc b), 0  ->  branch cc a, b;   branch ne (a & m), 0  ->  branch set a, m */
static void fold_test(struct fold *p, struct ir_insn *in)
{
	const struct ir_insn *def = def_of(p, in->arg[0]);
	bool if_zero = in->cc == CC_EQ;

	if (!is_imm(in->arg[1], 0) || (in->cc != CC_NE && in->cc != CC_EQ) || !def ||
	    (def->op != IR_SET && (def->op != IR_AND || p->uses[in->arg[0].id] != 1)) ||
	    !is_fixed(p, def->arg[0]) || !is_fixed(p, def->arg[1]))
		return;
	add_use(p, def->arg[0]);
	add_use(p, def->arg[1]);
	drop_use(p, in->arg[0].id);
	in->cc = def->op == IR_SET ? def->cc : CC_SET;
	in->arg[1] = def->arg[1];
	in->arg[0] = def->arg[0];
	if (if_zero)
		swap_targets(in);
	p->changed = true;
}

static void fold_branch(struct fold *p, struct ir_insn *in)
{
	fold_test(p, in);
	if (in->arg[0].kind == O_IMM && in->arg[1].kind != O_IMM) {
		swap_args(in);
		in->cc = (u8)ir_cond_swap(in->cc);
	}
	/* for any value */
	if (same_temp(in->arg[0], in->arg[1]) && in->cc != CC_SET)
		in->arg[0] = in->arg[1] = o_imm(0);
	if (in->arg[0].kind != O_IMM || in->arg[1].kind != O_IMM)
		return;
	if (!ir_eval_cond(in->cc, (u64)in->arg[0].imm, (u64)in->arg[1].imm))
		swap_targets(in);
	*in = (struct ir_insn){ .op = IR_JUMP, .target = { in->target[0] }, .span = in->span };
	p->changed = true;
}

/*
 * Only what the verifier of 5.10 also knows: a mask that is dropped because the value is narrow may
 * be what bounds an index. That verifier knows nothing of quotients, remainders and swapped bytes.
 */
static u32 result_width(const struct fold *p, const struct ir_insn *in)
{
	u32 a = width_of(p, in->arg[0]), b = width_of(p, in->arg[1]);

	switch ((enum ir_opcode)in->op) {
	case IR_MOVE: return a;
	case IR_LOAD: return in->is_signed ? 64 : in->size * 8u;
	case IR_ZEXT: return MIN(a, in->size * 8u);
	case IR_SET: return 1;
	case IR_AND: return MIN(a, b);
	case IR_OR: return MAX(a, b);
	case IR_SHR: return in->arg[1].kind == O_IMM ? MAX((s64)a - (in->arg[1].imm & 63), 1) : a;
	case IR_SHL:
		return in->arg[1].kind == O_IMM ? MIN(a + (u32)(in->arg[1].imm & 63), 64u) : 64;
	case IR_UDIV:
	case IR_UMOD:
	case IR_BSWAP:
	case IR_XOR:
	case IR_ADD:
	case IR_SUB:
	case IR_MUL:
	case IR_SDIV:
	case IR_SMOD:
	case IR_SAR:
	case IR_NEG:
	case IR_NUMBER:
	case IR_SEXT:
	case IR_STORE:
	case IR_ADDR:
	case IR_ATOMIC_ADD:
	case IR_ATOMIC_FETCH_ADD:
	case IR_ATOMIC_OR:
	case IR_ATOMIC_AND:
	case IR_ATOMIC_XOR:
	case IR_ATOMIC_XCHG:
	case IR_ATOMIC_CMPXCHG:
	case IR_ZERO:
	case IR_COPY:
	case IR_CALL:
	case IR_KCALL:
	case IR_CALLSUB:
	case IR_JUMP:
	case IR_BRANCH:
	case IR_RETURN:
	case N_IR_OPS: break;
	}
	return 64;
}

static void learn(struct fold *p, struct ir_insn *in)
{
	if (!in->dst || p->f->temps.v[in->dst].is_var)
		return;

	u32 w = result_width(p, in);

	p->width[in->dst] = w < 64 ? (u8)w : 0;
	if (in->op == IR_MOVE && is_fixed(p, in->arg[0]))
		p->copy[in->dst] = in->arg[0];
}

/* A variable that is set once is a temporary: no use is reached before its definition. */
static void demote_variables(struct fold *p)
{
	struct ir_func *f = p->f;
	u32 *n_defs = arena_array(p->u->arena, u32, f->temps.n);

	for (u32 i = 0; i < f->blocks.n; i++)
		for (u32 k = 0; k < f->blocks.v[i]->insns.n; k++)
			n_defs[f->blocks.v[i]->insns.v[k].dst]++;
	for (u32 i = 1; i < f->temps.n; i++)
		if (n_defs[i] == 1)
			f->temps.v[i].is_var = false;
}

static void fold_func(struct fold *p)
{
	struct ir_func *f = p->f;

	demote_variables(p);
	p->uses = ir_count_uses(p->u, f);
	p->defs = ir_find_defs(p->u, f);
	p->copy = arena_array(p->u->arena, struct opnd, f->temps.n);
	p->width = arena_array(p->u->arena, u8, f->temps.n);
	for (u32 i = 0; i < f->blocks.n; i++) {
		struct ir_block *b = f->blocks.v[i];

		for (u32 k = 0; k < b->insns.n; k++) {
			struct ir_insn *in = &b->insns.v[k];

			substitute(p, in);
			if (ir_ops[in->op].flags & IRF_PURE)
				fold_pure(p, in);
			else if (in->op == IR_STORE)
				fold_store(p, in);
			else if (in->op == IR_BRANCH)
				fold_branch(p, in);
			learn(p, in);
		}
	}
}

bool pass_fold(struct ir_unit *u)
{
	bool changed = false;

	for (u32 i = 0; i < u->funcs.n; i++) {
		struct fold p = { .u = u, .f = u->funcs.v[i] };

		if (ir_is_compiled(p.f))
			continue;
		fold_func(&p);
		changed |= p.changed;
	}
	return changed;
}
