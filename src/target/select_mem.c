/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and calls. Addresses are computed before any branch that an operation makes. Zeroing and
 * copying are unrolled while short. Long ones use bpf_probe_read_kernel, which zeroes its
 * destination if the source cannot be read (address 0); for the register allocator it is a call. A
 * locked-down kernel lacks that helper: there bpf_probe_read_user zeroes, and copies are unrolled.
 */
#include "target/select.h"

enum {
	ZERO_UNROLLED = 256, /* bytes; one helper call costs as much as 64 stores */
	COPY_UNROLLED = 128,
	COPY_UNROLLED_LOCKED = 16384,
};

void select_load(struct select *s, const struct ir_insn *in)
{
	struct addr a = sel_addr(s, sel_use(s, in->arg[0]), in->size);
	u32 d = sel_temp(in->dst);

	sel_load(s, in->size, d, a);
	if (!in->is_signed || in->size == 8)
		return;
	if (feature_has(s->m->features, FEAT_MOVSX)) {
		vec_last(&s->m->insns)->code ^= BPF_MEM ^ BPF_MEMSX;
		return;
	}
	sel_alu_imm(s, BPF_LSH, d, 64 - 8 * in->size);
	sel_alu_imm(s, BPF_ARSH, d, 64 - 8 * in->size);
}

void select_store(struct select *s, const struct ir_insn *in)
{
	struct opnd v = sel_use(s, in->arg[1]);
	struct addr a = sel_addr(s, sel_use(s, in->arg[0]), in->size);

	if (v.kind == O_IMM)
		sel_store_imm(s, in->size, a, v.imm);
	else
		sel_store(s, in->size, a, sel_reg(s, v));
}

/* ---- atomics */

static void atomic(struct select *s, u32 size, s64 op, struct addr a, u32 src)
{
	sel_out(s, (struct minsn){ .code = BPF_STX | BPF_ATOMIC | (size == 8 ? BPF_DW : BPF_W),
				   .dst = a.reg,
				   .src = src,
				   .off = (s16)a.off,
				   .imm = op });
}

static u8 plain_op(u32 op)
{
	return op == IR_ATOMIC_OR ? BPF_OR : op == IR_ATOMIC_AND ? BPF_AND : BPF_XOR;
}

/* Before 5.12 the only atomic instruction is add without a result: the others can lose a race. */
static void atomic_emulated(struct select *s, const struct ir_insn *in, struct addr a)
{
	u32 old = sel_new(s), v = sel_reg(s, sel_use(s, in->arg[1])), sum;

	if (in->op == IR_ATOMIC_FETCH_ADD) {
		sel_load(s, in->size, old, a);
		atomic(s, in->size, BPF_ADD, a, v);
		sel_done(s, in, old);
	} else if (in->op == IR_ATOMIC_XCHG) {
		sel_load(s, in->size, old, a);
		sel_store(s, in->size, a, v);
		sel_done(s, in, old);
	} else {
		sum = sel_new(s);
		sel_load(s, in->size, sum, a);
		sel_alu(s, plain_op(in->op), sum, v);
		sel_store(s, in->size, a, sum);
	}
}

/*	old = *a; if old != b goto out; *a = c; out:	*/
static void cmpxchg_emulated(struct select *s, const struct ir_insn *in, struct addr a)
{
	u32 old = sel_new(s), b = sel_new(s), c = sel_reg(s, sel_use(s, in->arg[2]));
	u32 equal = sel_block(s), out = sel_block(s);

	sel_into(s, b, sel_use(s, in->arg[1]));
	if (in->size == 4)
		sel_out(s, (struct minsn){ .code = OP_MOV32, .dst = b, .src = b });
	sel_load(s, in->size, old, a);
	sel_branch(s, CC_EQ, o_temp(old - V_FIRST), o_temp(b - V_FIRST), equal, out);
	sel_place(s, equal);
	sel_store(s, in->size, a, c);
	sel_place(s, out);
	sel_done(s, in, old);
}

static void cmpxchg(struct select *s, const struct ir_insn *in, struct addr a)
{
	u32 c = sel_reg(s, sel_use(s, in->arg[2]));

	sel_into(s, R0, sel_use(s, in->arg[1]));
	atomic(s, in->size, BPF_CMPXCHG, a, c);
	sel_done(s, in, R0);
}

static void atomic_fetch(struct select *s, const struct ir_insn *in, struct addr a)
{
	u32 v = sel_new(s);

	sel_into(s, v, sel_use(s, in->arg[1]));
	atomic(s, in->size, in->op == IR_ATOMIC_XCHG ? BPF_XCHG : BPF_ADD | BPF_FETCH, a, v);
	sel_done(s, in, v);
}

void select_atomic(struct select *s, const struct ir_insn *in)
{
	struct addr a = sel_addr(s, sel_use(s, in->arg[0]), in->size);
	bool unread = !in->dst || (!s->uses[in->dst] && !s->f->temps.v[in->dst].is_var);

	if (in->op == IR_ATOMIC_ADD || (in->op == IR_ATOMIC_FETCH_ADD && unread))
		atomic(s, in->size, BPF_ADD, a, sel_reg(s, sel_use(s, in->arg[1])));
	else if (in->op == IR_ATOMIC_CMPXCHG && feature_has(s->m->features, FEAT_ATOMIC_FETCH))
		cmpxchg(s, in, a);
	else if (in->op == IR_ATOMIC_CMPXCHG)
		cmpxchg_emulated(s, in, a);
	else if (!feature_has(s->m->features, FEAT_ATOMIC_FETCH))
		atomic_emulated(s, in, a);
	else if (in->op == IR_ATOMIC_FETCH_ADD || in->op == IR_ATOMIC_XCHG)
		atomic_fetch(s, in, a);
	else
		atomic(s, in->size, plain_op(in->op), a, sel_reg(s, sel_use(s, in->arg[1])));
}

/* ---- bytes */

/* The known part of an address, which decides its alignment: bases are aligned to 8. */
static s64 known_offset(const struct select *s, struct opnd o)
{
	return o.kind == O_SLOT ? s->m->slot_off[o.id] + o.imm : o.imm;
}

/* The largest access within the `left` bytes that is aligned at offset off. */
static u32 chunk(s64 off, u32 left)
{
	u32 n = 8;

	while (n > left || off & (n - 1))
		n /= 2;
	return n;
}

void select_zero(struct select *s, const struct ir_insn *in)
{
	struct opnd o = sel_use(s, in->arg[0]);
	u32 len = (u32)in->imm;
	s64 off = known_offset(s, o);
	struct addr a;

	if (len > ZERO_UNROLLED) {
		bool kernel = feature_has(s->m->features, FEAT_READ_KERNEL);

		/* -1 is in no address space: the helper fails without an access */
		sel_call(s, kernel ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user, 3,
			 (struct opnd[]){ o, o_imm(len), o_imm(kernel ? 0 : -1) });
		return;
	}
	a = sel_addr(s, o, len);
	for (u32 at = 0, n; at < len; at += n) {
		n = chunk(off + at, len - at);
		sel_store_imm(s, n, (struct addr){ a.reg, a.off + (s32)at }, 0);
	}
}

static u32 copy_unrolled(const struct select *s)
{
	return feature_has(s->m->features, FEAT_READ_KERNEL) ? COPY_UNROLLED : COPY_UNROLLED_LOCKED;
}

void select_copy(struct select *s, const struct ir_insn *in)
{
	struct opnd to = sel_use(s, in->arg[0]), from = sel_use(s, in->arg[1]);
	s64 to_off = known_offset(s, to), from_off = known_offset(s, from);
	u32 len = (u32)in->imm;
	struct addr d, a;

	if (len > COPY_UNROLLED && len > copy_unrolled(s)) {
		sel_call(s, BPF_FUNC_probe_read_kernel, 3, (struct opnd[]){ to, o_imm(len), from });
		return;
	}
	d = sel_addr(s, to, len);
	a = sel_addr(s, from, len);
	for (u32 at = 0, n; at < len; at += n) {
		u32 word = sel_new(s);

		n = MIN(chunk(to_off + at, len - at), chunk(from_off + at, len - at));
		sel_load(s, n, word, (struct addr){ a.reg, a.off + (s32)at });
		sel_store(s, n, (struct addr){ d.reg, d.off + (s32)at }, word);
	}
}

/* ---- calls */

static void call(struct select *s, u32 n, const struct opnd *arg, struct minsn in)
{
	for (u32 i = 0; i < n; i++)
		sel_into(s, R1 + i, sel_use(s, arg[i]));
	in.code = OP_CALL;
	in.n_args = (u8)n;
	sel_out(s, in);
	sel_forget(s);
}

void sel_call(struct select *s, u32 helper, u32 n, const struct opnd *arg)
{
	call(s, n, arg, (struct minsn){ .imm = helper });
}

void select_call(struct select *s, const struct ir_insn *in)
{
	struct minsn c = { .imm = in->imm };

	if (in->op == IR_KCALL)
		c = (struct minsn){ .pseudo = BPF_PSEUDO_KFUNC_CALL,
				    .reloc = RELOC_KFUNC + 1,
				    .index = (u32)in->imm };
	else if (in->op == IR_CALLSUB)
		c = (struct minsn){ .pseudo = BPF_PSEUDO_CALL,
				    .reloc = RELOC_FUNC + 1,
				    .index = (u32)in->imm };
	call(s, in->n_args, in->arg, c);
	if (in->dst && (s->uses[in->dst] || s->f->temps.v[in->dst].is_var))
		sel_done(s, in, R0);
}
