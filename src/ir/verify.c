/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The invariants of IR: every block ends in exactly one terminator, targets and operands exist,
 * sizes are 1 2 4 8, a temporary that is no variable is defined once, and each is defined before
 * its uses on every path (dataflow over sets of temporaries: quadratic, so only for small functions
 * except in debug builds).
 */
#include <stdarg.h>

#include "ir/pass.h"

#if defined(__SANITIZE_ADDRESS__) || (defined(SONDE_HOSTILE) && SONDE_HOSTILE)
enum { MOST_WORDS = INT32_MAX };
#else
enum { MOST_WORDS = 1 << 13 }; /* of all sets */
#endif
enum { LONGEST_ZERO = 1 << 24 };

struct verify {
	const struct ir_unit *u;
	const struct ir_func *f;
	const char *error;
	u32 words; /* of one set of temporaries */
	u64 *now;
	u32 *n_defs;
};

FORMAT(4, 5)
static bool wrong(struct verify *v, const struct ir_block *b, u32 insn, const char *fmt, ...)
{
	va_list ap;

	if (v->error)
		return false;
	va_start(ap, fmt);
	v->error = arena_printf(v->u->arena, "%s, b%u, instruction %u: %s",
				v->f->name ? v->f->name : "?", b->id, insn,
				arena_vprintf(v->u->arena, fmt, ap));
	va_end(ap);
	return false;
}

static const char *check_opnd(const struct verify *v, struct opnd o)
{
	switch (o.kind) {
	case O_NONE: return "missing operand";
	case O_IMM:
	case O_CTX: return NULL;
	case O_TEMP: return o.id && o.id < v->f->temps.n ? NULL : "no such temporary";
	case O_SLOT: return o.id < v->f->slots.n ? NULL : "no such slot";
	case O_MAP:
	case O_DATA: return !v->u->prog || o.id < v->u->prog->maps.n ? NULL : "no such map";
	case O_FUNC: return o.id < v->u->funcs.n ? NULL : "no such function";
	}
	return "bad kind of operand";
}

static bool size_ok(const struct ir_insn *in)
{
	u32 s = in->size;

	if (!ir_has_size(in->op))
		return true;
	if (in->op == IR_BSWAP)
		return s == 2 || s == 4 || s == 8;
	if (in->op >= IR_ATOMIC_ADD && in->op <= IR_ATOMIC_CMPXCHG)
		return s == 4 || s == 8;
	return s == 1 || s == 2 || s == 4 || s == 8;
}

static bool check_dst(struct verify *v, const struct ir_block *b, u32 at, const struct ir_insn *in)
{
	u32 flags = ir_ops[in->op].flags;

	if (in->dst && !(flags & IRF_DEF))
		return wrong(v, b, at, "%s has no result", ir_ops[in->op].text);
	if (in->dst >= v->f->temps.n)
		return wrong(v, b, at, "no such temporary t%u", in->dst);
	if (!in->dst && (flags & IRF_DEF) && !(flags & IRF_STORES))
		return wrong(v, b, at, "%s without a result", ir_ops[in->op].text);
	if (in->dst && v->n_defs[in->dst]++ && !v->f->temps.v[in->dst].is_var)
		return wrong(v, b, at, "t%u is defined twice", in->dst);
	return true;
}

static bool check_imm(struct verify *v, const struct ir_block *b, u32 at, const struct ir_insn *in)
{
	if ((in->op == IR_ZERO || in->op == IR_COPY) && (in->imm < 0 || in->imm > LONGEST_ZERO))
		return wrong(v, b, at, "bad length");
	if (in->op == IR_CALLSUB && (in->imm <= 0 || (u64)in->imm >= v->u->funcs.n))
		return wrong(v, b, at, "no such function");
	if (in->op == IR_CALLSUB && v->u->funcs.v[in->imm]->n_params != in->n_args)
		return wrong(v, b, at, "wrong number of arguments");
	if (in->op == IR_CALL && (in->imm < 0 || in->imm > INT32_MAX))
		return wrong(v, b, at, "no such helper");
	if (in->op == IR_KCALL && v->u->prog && (u64)in->imm >= v->u->prog->kfuncs.n)
		return wrong(v, b, at, "no such kernel function");
	return true;
}

static bool check_insn(struct verify *v, const struct ir_block *b, u32 at)
{
	const struct ir_insn *in = &b->insns.v[at];
	bool last = at + 1 == b->insns.n;

	if (in->op >= N_IR_OPS || in->cc > CC_SET || in->n_args > ARRAY_SIZE(in->arg))
		return wrong(v, b, at, "bad operation, condition or count");
	if (last != !!(ir_ops[in->op].flags & IRF_TERM))
		return wrong(v, b, at,
			     last ? "block without a terminator" : "code after a terminator");
	if (!size_ok(in))
		return wrong(v, b, at, "%s of %u bytes", ir_ops[in->op].text, in->size);
	for (u32 i = 0; i < ir_n_args(in); i++) {
		const char *error = check_opnd(v, in->arg[i]);

		if (error)
			return wrong(v, b, at, "%s", error);
		if (in->arg[i].kind == O_CTX && v->f != v->u->funcs.v[0])
			return wrong(v, b, at, "context used in a subfunction");
	}
	for (u32 i = 0; i < ir_n_targets(in); i++)
		if (in->target[i] >= v->f->blocks.n)
			return wrong(v, b, at, "no such block b%u", in->target[i]);
	return check_imm(v, b, at, in) && check_dst(v, b, at, in);
}

static bool check_shape(struct verify *v)
{
	const struct ir_func *f = v->f;

	if (!f->blocks.n)
		return (v->error = "function without blocks"), false;
	if (f->temps.n <= f->n_params)
		return (v->error = "parameters without temporaries"), false;
	for (u32 i = 1; i <= f->n_params; i++)
		v->n_defs[i] = 1;
	for (u32 i = 0; i < f->blocks.n; i++) {
		const struct ir_block *b = f->blocks.v[i];

		if (b->id != i)
			return wrong(v, b, 0, "block %u has another id", i);
		if (!b->insns.n)
			return wrong(v, b, 0, "empty block");
		for (u32 k = 0; k < b->insns.n; k++)
			if (!check_insn(v, b, k))
				return false;
	}
	return true;
}

static bool has(const u64 *set, u32 t)
{
	return set[t / 64] >> t % 64 & 1;
}

/* Walks a block from v->now; if report, reports reads of undefined temporaries. */
static void walk_block(struct verify *v, const struct ir_block *b, bool report)
{
	for (u32 k = 0; k < b->insns.n; k++) {
		const struct ir_insn *in = &b->insns.v[k];

		for (u32 i = 0; report && i < ir_n_args(in); i++)
			if (in->arg[i].kind == O_TEMP && !has(v->now, in->arg[i].id))
				wrong(v, b, k, "t%u is read where it is not defined",
				      in->arg[i].id);
		if (in->dst)
			v->now[in->dst / 64] |= 1ull << in->dst % 64;
	}
}

/*
 * in[b] = the intersection of out[p] over the predecessors p. Forward over the blocks to a
 * fixpoint: blocks are in emission order, so it takes one more iteration than the depth of loops.
 */
static void check_defined(struct verify *v)
{
	const struct ir_func *f = v->f;
	u32 n = f->blocks.n, w = v->words;
	u64 *in = arena_array(v->u->arena, u64, (size_t)n * w);
	bool changed = true;

	memset(in, 0xff, sizeof(u64) * n * w);
	memset(in, 0, sizeof(u64) * w);
	for (u32 i = 1; i <= f->n_params; i++)
		in[i / 64] |= 1ull << i % 64;
	while (changed) {
		changed = false;
		for (u32 i = 0; i < n; i++) {
			const struct ir_insn *end = vec_last(&f->blocks.v[i]->insns);

			memcpy(v->now, in + (size_t)i * w, w * sizeof(u64));
			walk_block(v, f->blocks.v[i], false);
			for (u32 t = 0; t < ir_n_targets(end); t++) {
				u64 *to = in + (size_t)end->target[t] * w;

				for (u32 k = 0; k < w; k++) {
					changed |= (to[k] & v->now[k]) != to[k];
					to[k] &= v->now[k];
				}
			}
		}
	}
	for (u32 i = 0; i < n; i++) {
		memcpy(v->now, in + (size_t)i * w, w * sizeof(u64));
		walk_block(v, f->blocks.v[i], true);
	}
}

const char *ir_check(const struct ir_unit *u)
{
	if (!u->funcs.n)
		return "unit without functions";
	if (u->funcs.v[0]->n_params)
		return "entry function with parameters";
	for (u32 i = 0; i < u->funcs.n; i++) {
		struct verify v = { .u = u, .f = u->funcs.v[i] };

		if (ir_is_compiled(v.f))
			continue;
		v.words = v.f->temps.n / 64 + 1;
		v.now = arena_array(u->arena, u64, v.words);
		v.n_defs = arena_array(u->arena, u32, MAX(v.f->temps.n, v.f->n_params + 1));
		if (check_shape(&v) && (u64)v.words * v.f->blocks.n <= MOST_WORDS)
			check_defined(&v);
		if (v.error)
			return v.error;
	}
	return NULL;
}

void ir_verify(const struct ir_unit *u)
{
	const char *error = ir_check(u);
	struct buf b = { 0 };

	if (!error)
		return;
	ir_print(&b, u);
	BUG("bad IR: %s\n%s", error, b.s);
}
