/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The IR builder: every function appends to l->block. It folds constants, drops identities, and
 * does not recompute a pure operation (or a stable helper call) of a dominating block: see struct
 * vn_entry in state.h.
 */
#include <stdarg.h>
#include "ir/pass.h"
#include "ir/state.h"

/* ---- value numbers */

static u32 opnd_hash(struct opnd o)
{
	return (u32)o.kind * 31 + o.id * 0x9e3779b1u + (u32)o.imm * 0x85ebca6bu +
	       (u32)((u64)o.imm >> 32);
}

static u32 key_hash(const struct ir_insn *k)
{
	u32 h = k->op * 131u + k->size * 7u + k->cc * 13u + k->is_signed + (u32)k->imm * 17u;

	for (u32 i = 0; i < ARRAY_SIZE(k->arg); i++)
		h = h * 33 + opnd_hash(k->arg[i]);
	return h ^ h >> 15;
}

static bool opnd_equal(struct opnd a, struct opnd b)
{
	return a.kind == b.kind && a.id == b.id && a.imm == b.imm;
}

static bool key_equal(const struct ir_insn *a, const struct ir_insn *b)
{
	if (a->op != b->op || a->size != b->size || a->cc != b->cc || a->imm != b->imm ||
	    a->is_signed != b->is_signed || a->n_args != b->n_args)
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(a->arg); i++)
		if (!opnd_equal(a->arg[i], b->arg[i]))
			return false;
	return true;
}

static u32 *vn_head(struct lower *l, u32 hash)
{
	return &l->s->vn_head[hash & (l->s->n_vn_heads - 1)];
}

/* Lists of about one entry. Entries are added again in their order, so each list keeps the newest
 * first. */
static void vn_grow(struct lower *l)
{
	l->s->n_vn_heads = MAX(256u, l->s->n_vn_heads * 4);
	l->s->vn_head = arena_alloc(l->arena, l->s->n_vn_heads * sizeof *l->s->vn_head);
	for (u32 i = 0; i < l->s->vn.n; i++) {
		u32 *head = vn_head(l, l->s->vn.v[i].hash);

		l->s->vn.v[i].prev = *head;
		*head = i + 1;
	}
}

u32 vn_mark(struct lower *l)
{
	return l->s->vn.n;
}

void vn_truncate(struct lower *l, u32 mark)
{
	while (l->s->vn.n > mark) {
		struct vn_entry *e = vec_last(&l->s->vn);

		*vn_head(l, e->hash) = e->prev;
		l->s->vn.n--;
	}
}

u32 lower_values_mark(struct lower *l)
{
	return vn_mark(l);
}

void lower_values_drop(struct lower *l, u32 mark)
{
	vn_truncate(l, mark);
}

static u32 *map_epoch(struct lower *l, u32 map)
{
	while (l->s->map_epoch.n <= map)
		vec_push(l->arena, &l->s->map_epoch, 0u);
	return &l->s->map_epoch.v[map];
}

static u32 epoch_of(struct lower *l, u32 map)
{
	return l->s->epoch + *map_epoch(l, map);
}

bool vn_find(struct lower *l, const struct ir_insn *key, bool is_map, struct opnd *result)
{
	u32 hash = key_hash(key);

	for (u32 i = l->s->vn.n ? *vn_head(l, hash) : 0; i; i = l->s->vn.v[i - 1].prev) {
		struct vn_entry *e = &l->s->vn.v[i - 1];

		if (e->hash != hash || e->is_map != is_map || !key_equal(&e->key, key))
			continue;
		if (is_map && e->epoch != epoch_of(l, (u32)key->imm))
			return false;
		*result = e->result;
		return true;
	}
	return false;
}

void vn_add(struct lower *l, const struct ir_insn *key, bool is_map, struct opnd result)
{
	struct vn_entry e = { .key = *key, .result = result, .is_map = is_map };

	if (l->s->vn.n == l->s->n_vn_heads)
		vn_grow(l);
	e.hash = key_hash(key);
	e.prev = *vn_head(l, e.hash);
	e.epoch = is_map ? epoch_of(l, (u32)key->imm) : 0;
	vec_push(l->arena, &l->s->vn, e);
	*vn_head(l, e.hash) = l->s->vn.n;
}

bool lower_value_kept(struct lower *l, const struct ir_insn *key, struct opnd *value)
{
	return vn_find(l, key, false, value);
}

void lower_value_keep(struct lower *l, const struct ir_insn *key, struct opnd value)
{
	vn_add(l, key, false, value);
}

void vn_map_written(struct lower *l, u32 map)
{
	++*map_epoch(l, map);
}

void vn_loop_edge(struct lower *l)
{
	l->s->epoch += 1u << 16;
}

/* ---- instructions */

static u32 temp_new(struct lower *l, bool is_var)
{
	struct ir_temp t = { .kind = TK_INT, .is_var = is_var };

	if (!l->f->temps.n)
		vec_push(l->arena, &l->f->temps, (struct ir_temp){ 0 });
	vec_push(l->arena, &l->f->temps, t);
	return l->f->temps.n - 1;
}

/* The branches that instruction selection adds (target/select_op.c) and that verifiers cannot
 * decide. */
static u32 branches_inside(const struct lower *l, const struct ir_insn *in)
{
	if (in->op == IR_SDIV || in->op == IR_SMOD)
		return in->arg[1].kind != O_IMM && feature_has(l->features, FEAT_SDIV);
	return in->op == IR_SET || in->op == IR_ATOMIC_CMPXCHG;
}

static struct opnd pure(struct lower *l, struct ir_insn in);

/* ---- kernel pointers that verifiers track: arithmetic that they refuse is done on a number */

struct opnd ir_known(struct lower *l, struct opnd o)
{
	if (o.kind == O_TEMP)
		l->f->temps.v[o.id].is_known = true;
	return o;
}

static bool is_known(const struct lower *l, struct opnd o)
{
	return o.kind == O_TEMP && l->f->temps.v[o.id].is_known;
}

struct opnd ir_as_number(struct lower *l, struct opnd o)
{
	return is_known(l, o) ? pure(l, (struct ir_insn){ .op = IR_NUMBER, .arg = { o } }) : o;
}

/* A field's offset: kernel/bpf/verifier.c, check_reg_sane_offset. */
static bool is_member_offset(struct opnd o)
{
	return o.kind == O_IMM && o.imm > -(1 << 29) && o.imm < 1 << 29;
}

/* ---- */

struct opnd ir_emit(struct lower *l, struct ir_insn in)
{
	u32 flags = ir_ops[in.op].flags;

	in.span = l->span;
	if ((flags & IRF_DEF) && !in.dst)
		in.dst = temp_new(l, false);
	if (in.op == IR_MOVE && is_known(l, in.arg[0]))
		l->f->temps.v[in.dst].is_known = true;
	l->s->loop_insns++;
	l->s->loop_branches += branches_inside(l, &in);
	vec_push(l->arena, &l->block->insns, in);
	return in.dst ? o_temp(in.dst) : (struct opnd){ 0 };
}

static int log2_exact(u64 v)
{
	return v && !(v & (v - 1)) ? __builtin_ctzll(v) : -1;
}

/* x op constant, where the constant makes the result trivial. */
static bool identity(struct lower *l, enum ir_opcode op, struct opnd a, s64 b, struct opnd *r)
{
	int p;

	if (b == 0 &&
	    (op == IR_ADD || op == IR_SUB || op == IR_OR || op == IR_XOR || op == IR_SHL ||
	     op == IR_SHR || op == IR_SAR || op == IR_UMOD || op == IR_SMOD)) {
		*r = a;
		return true;
	}
	if ((b == 0 && (op == IR_MUL || op == IR_AND || op == IR_UDIV || op == IR_SDIV)) ||
	    (b == 1 && (op == IR_UMOD || op == IR_SMOD))) {
		*r = o_imm(0);
		return true;
	}
	if ((b == 1 && (op == IR_MUL || op == IR_UDIV || op == IR_SDIV)) ||
	    (b == -1 && op == IR_AND)) {
		*r = a;
		return true;
	}
	p = log2_exact((u64)b);
	if (p > 0 && op == IR_MUL)
		return *r = ir_op2(l, IR_SHL, a, o_imm(p)), true;
	if (p > 0 && op == IR_UDIV)
		return *r = ir_op2(l, IR_SHR, a, o_imm(p)), true;
	if (p > 0 && op == IR_UMOD)
		return *r = ir_op2(l, IR_AND, a, o_imm((s64)((u64)b - 1))), true;
	return false;
}

static struct opnd numbered(struct lower *l, struct ir_insn in)
{
	struct opnd r;

	if (vn_find(l, &in, false, &r))
		return r;
	r = ir_emit(l, in);
	vn_add(l, &in, false, r);
	return r;
}

/* Whether any operand is a variable: its value changes, so the result is not numbered. */
static bool reads_var(struct lower *l, const struct ir_insn *in)
{
	for (u32 i = 0; i < ARRAY_SIZE(in->arg); i++)
		if (in->arg[i].kind == O_TEMP && l->f->temps.v[in->arg[i].id].is_var)
			return true;
	return false;
}

static struct opnd pure(struct lower *l, struct ir_insn in)
{
	return reads_var(l, &in) ? ir_emit(l, in) : numbered(l, in);
}

struct opnd ir_op2(struct lower *l, enum ir_opcode op, struct opnd a, struct opnd b)
{
	struct opnd r;
	u64 v;

	if (a.kind == O_IMM && b.kind == O_IMM &&
	    ir_eval(&(struct ir_insn){ .op = op }, (u64)a.imm, (u64)b.imm, &v))
		return o_imm((s64)v);
	if (a.kind == O_IMM && (ir_ops[op].flags & IRF_COMMUTES)) {
		struct opnd t = a;

		a = b;
		b = t;
	}
	if (b.kind == O_IMM && identity(l, op, a, b.imm, &r))
		return r;
	if (op == IR_ADD && is_known(l, a) && is_member_offset(b))
		return ir_known(l, pure(l, (struct ir_insn){ .op = op, .arg = { a, b } }));
	return pure(l, (struct ir_insn){ .op = op,
					 .arg = { ir_as_number(l, a), ir_as_number(l, b) } });
}

struct opnd ir_ext(struct lower *l, struct opnd a, u32 size, bool is_signed)
{
	if (size >= 8)
		return a;
	if (a.kind == O_IMM) {
		int s = 64 - 8 * (int)size;

		return o_imm(is_signed ? (s64)((u64)a.imm << s) >> s : (s64)((u64)a.imm << s >> s));
	}
	return pure(l, (struct ir_insn){ .op = is_signed ? IR_SEXT : IR_ZEXT,
					 .size = (u8)size,
					 .arg = { ir_as_number(l, a) } });
}

struct opnd ir_set(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b)
{
	if (a.kind == O_IMM && b.kind == O_IMM)
		return o_imm(ir_eval_cond(cc, (u64)a.imm, (u64)b.imm));
	if (cc == CC_SLT && b.kind == O_IMM && b.imm == 0)
		a = ir_as_number(l, a); /* which is a shift (select_set) */
	return pure(l, (struct ir_insn){ .op = IR_SET, .cc = cc, .arg = { a, b } });
}

struct opnd ir_load(struct lower *l, struct opnd addr, u32 size, bool is_signed)
{
	return ir_emit(l, (struct ir_insn){ .op = IR_LOAD,
					    .size = (u8)size,
					    .is_signed = is_signed,
					    .arg = { addr } });
}

void ir_store(struct lower *l, struct opnd addr, u32 size, struct opnd v)
{
	ir_emit(l, (struct ir_insn){ .op = IR_STORE,
				     .size = (u8)size,
				     .arg = { addr, size < 8 ? ir_as_number(l, v) : v } });
}

struct opnd ir_addr(struct lower *l, struct opnd addr)
{
	if (addr.kind == O_TEMP && addr.imm == 0)
		return addr;
	return pure(l, (struct ir_insn){ .op = IR_ADDR, .arg = { addr } });
}

void ir_zero(struct lower *l, struct opnd addr, u32 len)
{
	if (len)
		ir_emit(l, (struct ir_insn){ .op = IR_ZERO, .imm = len, .arg = { addr } });
}

void ir_copy(struct lower *l, struct opnd dst, struct opnd src, u32 len)
{
	if (len)
		ir_emit(l, (struct ir_insn){ .op = IR_COPY, .imm = len, .arg = { dst, src } });
}

void ir_atomic_add(struct lower *l, struct opnd addr, u32 size, struct opnd v)
{
	ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_ADD, .size = (u8)size, .arg = { addr, v } });
}

struct opnd ir_call(struct lower *l, u32 helper, bool stable, u32 n, ...)
{
	struct ir_insn in = { .op = IR_CALL, .imm = helper, .n_args = (u8)n };
	va_list ap;

	va_start(ap, n);
	for (u32 i = 0; i < n; i++)
		in.arg[i] = va_arg(ap, struct opnd);
	va_end(ap);
	return stable ? numbered(l, in) : ir_emit(l, in);
}

/* ---- control */

/*
 * Ids are assigned as blocks are made; ir_order() turns them into positions in the emission order.
 * After a terminator l->block is a new block that is never placed: code appended to it is dropped.
 */
struct ir_block *ir_block_new(struct lower *l)
{
	struct ir_block *b = arena_new(l->arena, struct ir_block);

	b->id = l->s->n_blocks++;
	return b;
}

void ir_place(struct lower *l, struct ir_block *b)
{
	vec_push(l->arena, &l->f->blocks, b);
	l->block = b;
}

void ir_jump(struct lower *l, struct ir_block *to)
{
	ir_emit(l, (struct ir_insn){ .op = IR_JUMP, .target = { to->id } });
	l->block = ir_block_new(l);
}

void ir_branch(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b, struct ir_block *yes,
	       struct ir_block *no)
{
	if (a.kind == O_IMM && b.kind == O_IMM) {
		ir_jump(l, ir_eval_cond(cc, (u64)a.imm, (u64)b.imm) ? yes : no);
		return;
	}
	l->s->loop_branches++;
	l->unit->n_jumps++;
	ir_emit(l, (struct ir_insn){ .op = IR_BRANCH,
				     .cc = cc,
				     .arg = { a, b },
				     .target = { yes->id, no->id } });
	l->block = ir_block_new(l);
}

static void mark_reachable(struct ir_block **by_id, struct ir_block *entry, u8 *seen, u32 *work)
{
	u32 n = 0;

	work[n++] = entry->id;
	seen[entry->id] = 1;
	while (n) {
		struct ir_block *b = by_id[work[--n]];
		struct ir_insn *in = vec_last(&b->insns);
		u32 n_targets = in->op == IR_BRANCH ? 2 : in->op == IR_JUMP ? 1 : 0;

		for (u32 i = 0; i < n_targets; i++) {
			if (!by_id[in->target[i]])
				BUG("branch to a block that was never placed");
			if (!seen[in->target[i]]) {
				seen[in->target[i]] = 1;
				work[n++] = in->target[i];
			}
		}
	}
}

/* Ends building a function: drops unreachable blocks, turns ids into positions in the order. */
void ir_order(struct lower *l)
{
	struct ir_func *f = l->f;
	u32 n_ids = l->s->n_blocks, kept = 0;
	struct ir_block **by_id = arena_array(l->arena, struct ir_block *, n_ids);
	u32 *new_id = arena_array(l->arena, u32, n_ids), *work = arena_array(l->arena, u32, n_ids);
	u8 *seen = arena_array(l->arena, u8, n_ids);

	for (u32 i = 0; i < f->blocks.n; i++)
		by_id[f->blocks.v[i]->id] = f->blocks.v[i];
	mark_reachable(by_id, f->blocks.v[0], seen, work);
	for (u32 i = 0; i < f->blocks.n; i++) {
		struct ir_block *b = f->blocks.v[i];

		if (!seen[b->id])
			continue;
		new_id[b->id] = kept;
		f->blocks.v[kept++] = b;
	}
	f->blocks.n = kept;
	for (u32 i = 0; i < kept; i++) {
		struct ir_block *b = f->blocks.v[i];
		struct ir_insn *in = vec_last(&b->insns);

		b->id = i;
		for (u32 t = 0; t < 2; t++)
			if (in->op == IR_BRANCH || (in->op == IR_JUMP && t == 0))
				in->target[t] = new_id[in->target[t]];
	}
}

u32 ir_var(struct lower *l)
{
	return temp_new(l, true);
}

void ir_var_set(struct lower *l, u32 var, struct opnd v)
{
	ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .dst = var, .arg = { v } });
}

/*
 * Hides a value from verifiers. They derive ranges from a condition and use them to decide later
 * ones, and they track values that become part of an address, so each condition may double the
 * paths that they follow. If there are many, compared values, indices and lengths go through
 * memory, where verifiers forget them. A shared function is verified separately and has no scratch.
 */
struct opnd ir_opaque(struct lower *l, struct opnd v)
{
	struct opnd word = l->s->opaque;

	if (v.kind != O_TEMP || l->f->shared ||
	    (l->unit->n_branches <= FEW_BRANCHES && !l->inst->compact))
		return v;
	if (word.kind == O_NONE)
		word = lower_scratch_temp(l, 8);
	ir_store(l, word, 8, v);
	return ir_load(l, word, 8, false);
}

struct opnd ir_choose(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b,
		      struct opnd yes, struct opnd no)
{
	struct ir_block *take = ir_block_new(l), *out = ir_block_new(l);
	u32 v = ir_var(l);

	ir_var_set(l, v, no);
	ir_branch(l, cc, a, b, take, out);
	ir_place(l, take);
	ir_var_set(l, v, yes);
	ir_jump(l, out);
	ir_place(l, out);
	return ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
}

struct opnd ir_at_most(struct lower *l, struct opnd n, s64 most)
{
	struct ir_block *over, *out;
	u32 v;

	if (n.kind == O_IMM)
		return o_imm((u64)n.imm > (u64)most ? most : n.imm);
	over = ir_block_new(l);
	out = ir_block_new(l);
	/*
	 * The copy is compared, not n: n may be on the stack, and verifiers before 6.3 forget its
	 * derived range when it is read from there again.
	 */
	v = ir_var(l);
	ir_var_set(l, v, ir_opaque(l, n));
	ir_branch(l, CC_UGT, o_temp(v), o_imm(most), over, out);
	ir_place(l, over);
	ir_var_set(l, v, o_imm(most));
	ir_jump(l, out);
	ir_place(l, out);
	return o_temp(v);
}
