/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of one instruction on values; verify_shape.c has verified its encoding. Pointers may
 * be moved, spilled, compared with 0 and have bounded numbers added; any other operation on an
 * address is refused.
 */
#include "target/verify.h"

int verify_readable(struct verifier *c, const struct frame *f, u32 reg)
{
	if (f->r[reg].kind == R_UNINIT)
		return verify_fail(c, "r%u is read and has no value here", reg);
	if (f->r[reg].kind == R_MIXED)
		return verify_fail(c, "r%u holds different kinds of things on the paths to here",
				   reg);
	return 0;
}

void verify_want(struct verifier *c, const struct frame *f, u32 reg)
{
	if (c->wanted && reg < 10 && f->r[reg].kind == R_SCALAR)
		c->wanted[c->pc] |= (u16)(1u << reg);
}

/* ---- arithmetic */

/* Fails unless the number may be added to a pointer (check_reg_sane_offset). */
static int sane_offset(struct verifier *c, const struct scalar *v)
{
	if (v->smin <= -VERIFY_MAX_VAR_OFF || v->smin >= VERIFY_MAX_VAR_OFF)
		return verify_fail(c, v->smin == INT64_MIN ?
					      "a number without bounds is added to an address" :
					      "a number too large is added to an address");
	return 0;
}

static int add_to_pointer(struct verifier *c, struct reg *p, const struct reg *number,
			  bool subtract)
{
	const struct scalar *v = &number->v;
	struct scalar zero = scalar_const(0), minus = scalar_sub(&zero, v);
	s64 off;

	if (p->kind == R_MAP || p->kind == R_FUNC)
		return verify_fail(c, "arithmetic on a reference");
	if (verify_not_null(c, p))
		return -1;
	if (number->far)
		return verify_fail(
			c, "a number that was a large constant away is added to an address");
	if (sane_offset(c, v))
		return -1;
	if (subtract)
		v = &minus;
	if (scalar_is_const(v)) {
		off = p->off + v->smin;
		if (off >= VERIFY_MAX_VAR_OFF || off <= -VERIFY_MAX_VAR_OFF)
			return verify_fail(c, "a number too large is added to an address");
		p->off = (s32)off;
		return 0;
	}
	if (p->kind == R_STACK)
		return verify_fail(c, "a variable number is added to an address on the stack");
	p->v = scalar_add(&p->v, v);
	return sane_offset(c, &p->v);
}

static int pointer_alu(struct verifier *c, struct reg *dst, const struct reg *src, u8 op, bool wide)
{
	struct reg p;

	if (!wide)
		return verify_fail(c, "32-bit arithmetic on an address");
	if (reg_is_pointer(dst) && reg_is_pointer(src))
		return verify_fail(c, "arithmetic on two addresses");
	if (op != BPF_ADD && (op != BPF_SUB || !reg_is_pointer(dst)))
		return verify_fail(c, "arithmetic on an address other than adding to it");
	if (reg_is_pointer(dst))
		return add_to_pointer(c, dst, src, op == BPF_SUB);
	p = *src;
	if (add_to_pointer(c, &p, dst, false))
		return -1;
	*dst = p;
	return 0;
}

static int move(struct verifier *c, struct reg *dst, const struct reg *src, bool wide, s16 bits)
{
	if (wide && !bits) {
		*dst = *src;
		return 0;
	}
	if (reg_is_pointer(src))
		return verify_fail(c, "a part of an address is moved");
	*dst = (struct reg){
		.kind = R_SCALAR, .fixed = src->fixed, .shared = src->shared, .moved = src->moved
	};
	dst->v = bits ? scalar_sext(&src->v, (u32)bits) : src->v;
	if (!wide)
		dst->v = scalar_zext(&dst->v, 4);
	return 0;
}

static int unary(struct verifier *c, struct reg *dst)
{
	/* the kernel lets a loader that may see addresses negate them; only the context needs it */
	if (reg_is_pointer(dst) && dst->kind != R_CTX)
		return verify_fail(c, "arithmetic on an address");
	*dst = reg_scalar(scalar_unknown());
	return 0;
}

int verify_alu(struct verifier *c, struct frame *f, const struct bpf_insn *i)
{
	bool wide = BPF_CLASS(i->code) == BPF_ALU64, sum, btf, shared, fixed;
	u8 op = BPF_OP(i->code);
	struct reg *dst = &f->r[i->dst_reg], src = reg_scalar(scalar_const((u64)(s64)i->imm));

	if (op != BPF_MOV && verify_readable(c, f, i->dst_reg))
		return -1;
	if (op == BPF_END || op == BPF_NEG)
		return unary(c, dst);
	if (BPF_SRC(i->code) == BPF_X) {
		if (verify_readable(c, f, i->src_reg))
			return -1;
		src = f->r[i->src_reg];
	}
	if (op == BPF_MOV)
		return move(c, dst, &src, wide, i->off);
	if (reg_is_pointer(dst) || reg_is_pointer(&src)) {
		verify_want(c, f, i->dst_reg);
		if (BPF_SRC(i->code) == BPF_X)
			verify_want(c, f, i->src_reg);
		return pointer_alu(c, dst, &src, op, wide);
	}
	sum = wide && (op == BPF_ADD || op == BPF_SUB) && scalar_is_const(&src.v);
	btf = sum && dst->btf;
	shared = dst->shared || src.shared;
	fixed = dst->fixed && src.fixed;
	*dst = reg_scalar(scalar_alu(op, wide, &dst->v, &src.v));
	dst->btf = btf;
	dst->shared = dst->moved = shared;
	dst->fixed = fixed;
	dst->far = sum && (src.v.smin >= VERIFY_MAX_VAR_OFF || src.v.smin <= -VERIFY_MAX_VAR_OFF);
	return 0;
}

/* ---- memory */

int verify_ldx(struct verifier *c, struct state *s, const struct bpf_insn *i)
{
	struct frame *f = state_top(s);
	struct reg out = { 0 };
	const struct mem_access m = { .how = ACCESS_READ,
				      .size = bpf_access_size(i->code),
				      .at = &f->r[i->src_reg],
				      .off = i->off,
				      .out = &out };

	if (verify_readable(c, f, i->src_reg) || verify_access(c, s, &m))
		return -1;
	if (BPF_MODE(i->code) == BPF_MEMSX)
		out = reg_scalar(scalar_sext(&out.v, 8 * m.size));
	f->r[i->dst_reg] = out;
	return 0;
}

static int verify_atomic(struct verifier *c, struct state *s, const struct bpf_insn *i)
{
	struct frame *f = state_top(s);
	struct reg out = { 0 };
	const struct mem_access m = { .how = ACCESS_ATOMIC,
				      .size = bpf_access_size(i->code),
				      .at = &f->r[i->dst_reg],
				      .off = i->off,
				      .out = &out };

	if (i->imm == BPF_LOAD_ACQ || i->imm == BPF_STORE_REL)
		return verify_fail(c,
				   "atomic loads and stores are newer than any kernel supported");
	if (verify_readable(c, f, i->src_reg) || verify_readable(c, f, i->dst_reg))
		return -1;
	if (reg_is_pointer(&f->r[i->src_reg]))
		return verify_fail(c, "an address is given to an atomic operation");
	if (i->imm == BPF_CMPXCHG && (verify_readable(c, f, 0) || reg_is_pointer(&f->r[0])))
		return c->failed ? -1 :
				   verify_fail(c, "an address is given to an atomic operation");
	if (!reg_is_pointer(&f->r[i->dst_reg]))
		return verify_fail(c, "an atomic operation through a number that is no pointer");
	if (f->r[i->dst_reg].kind == R_CTX)
		return verify_fail(c, "writes to the context");
	if (verify_access(c, s, &m))
		return -1;
	if (i->imm == BPF_CMPXCHG)
		f->r[0] = out;
	else if (i->imm & BPF_FETCH)
		f->r[i->src_reg] = out;
	return 0;
}

int verify_store(struct verifier *c, struct state *s, const struct bpf_insn *i)
{
	struct frame *f = state_top(s);
	/* Only newer verifiers know the value of a constant that is stored directly. */
	struct reg imm = { .kind = R_SCALAR, .fixed = true, .v = scalar_unknown() };
	struct mem_access m = { .how = ACCESS_WRITE,
				.size = bpf_access_size(i->code),
				.at = &f->r[i->dst_reg],
				.off = i->off,
				.from = &imm };

	if (BPF_MODE(i->code) == BPF_ATOMIC)
		return verify_atomic(c, s, i);
	if (verify_readable(c, f, i->dst_reg))
		return -1;
	if (BPF_CLASS(i->code) == BPF_STX) {
		if (verify_readable(c, f, i->src_reg))
			return -1;
		m.from = &f->r[i->src_reg];
	}
	return verify_access(c, s, &m);
}

int verify_ld_imm64(struct verifier *c, struct frame *f, const struct bpf_insn *i)
{
	const struct reloc *r = verify_reloc(c, c->pc);
	struct reg *dst = &f->r[i->dst_reg];

	if (i->src_reg == BPF_PSEUDO_FUNC) {
		*dst = (struct reg){ .kind = R_FUNC, .map = c->pc + 1 + (u32)i->imm };
		return 0;
	}
	if (!r || r->kind == RELOC_FUNC || r->kind == RELOC_KFUNC) {
		if (i->src_reg)
			return verify_fail(c, "a reference of kind %u without relocation",
					   i->src_reg);
		*dst = reg_scalar(scalar_const((u32)i[0].imm | (u64)(u32)i[1].imm << 32));
		return 0;
	}
	if (r->index >= c->prog->maps.n)
		return verify_fail(c, "there is no map %u", r->index);
	if (r->kind == RELOC_MAP) {
		*dst = (struct reg){ .kind = R_MAP, .map = r->index, .v = scalar_const(0) };
		return 0;
	}
	if (c->prog->maps.v[r->index].bpf_type != BPF_MAP_TYPE_ARRAY ||
	    c->prog->maps.v[r->index].max_entries > 1)
		return verify_fail(c, "the values of %s have no fixed address",
				   verify_map_name(c, r->index));
	if (r->add >= verify_value_size(c, r->index))
		return verify_fail(c, "offset %u is beyond the %u-byte value of %s", r->add,
				   verify_value_size(c, r->index), verify_map_name(c, r->index));
	*dst = (struct reg){
		.kind = R_VALUE, .map = r->index, .off = (s32)r->add, .v = scalar_const(0)
	};
	return 0;
}

/* ---- branches */

static bool is_null_check(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_JMP && BPF_SRC(i->code) == BPF_K && !i->imm &&
	       (BPF_OP(i->code) == BPF_JEQ || BPF_OP(i->code) == BPF_JNE);
}

static int pointer_branch(struct verifier *c, struct state *s, const struct bpf_insn *i,
			  struct edge *e, struct state **jump)
{
	const struct reg *p = &state_top(s)->r[i->dst_reg];
	bool equal = BPF_OP(i->code) == BPF_JEQ, maybe_null = p->maybe_null;
	u32 id = p->id;

	if (!is_null_check(i))
		return verify_fail(c, "an address is compared with something other than 0");
	/*
	 * After the check all verifiers know that a map value is not null; some do not for other
	 * pointers.
	 */
	if (p->kind == R_VALUE && !p->maybe_null) {
		*e = (struct edge){ .taken = !equal, .fallthrough = equal };
		return 0;
	}
	*e = (struct edge){ true, true };
	*jump = state_copy(c, s);
	if (maybe_null) {
		state_known_null(*jump, id, equal);
		state_known_null(s, id, !equal);
	}
	return 0;
}

static void refine(struct state *s, const struct bpf_insn *i, bool truth)
{
	struct frame *f = state_top(s);
	bool wide = BPF_CLASS(i->code) == BPF_JMP, by_reg = BPF_SRC(i->code) == BPF_X;
	struct reg imm = reg_scalar(scalar_const((u64)(s64)i->imm));
	struct reg *dst = &f->r[i->dst_reg], *src = by_reg ? &f->r[i->src_reg] : &imm;

	if (dst == src)
		return;
	if (scalar_is_const(&src->v))
		scalar_refine(&dst->v, BPF_OP(i->code), wide, truth, &src->v);
	else if (scalar_is_const(&dst->v) && BPF_OP(i->code) != BPF_JSET)
		scalar_refine(&src->v, jump_mirror(BPF_OP(i->code)), wide, truth, &dst->v);
}

int verify_branch(struct verifier *c, struct state *s, const struct bpf_insn *i, struct edge *e,
		  struct state **jump)
{
	struct frame *f = state_top(s);
	struct reg src = reg_scalar(scalar_const((u64)(s64)i->imm));
	int sure;

	*jump = NULL;
	if (verify_readable(c, f, i->dst_reg))
		return -1;
	if (BPF_SRC(i->code) == BPF_X) {
		if (verify_readable(c, f, i->src_reg))
			return -1;
		src = f->r[i->src_reg];
	}
	if (reg_is_pointer(&src))
		return verify_fail(c, "two addresses are compared");
	if (reg_is_pointer(&f->r[i->dst_reg]))
		return pointer_branch(c, s, i, e, jump);
	verify_want(c, f, i->dst_reg);
	if (BPF_SRC(i->code) == BPF_X)
		verify_want(c, f, i->src_reg);
	sure = scalar_compare(BPF_OP(i->code), BPF_CLASS(i->code) == BPF_JMP, &f->r[i->dst_reg].v,
			      &src.v);
	*e = (struct edge){ sure != 0, sure != 1 };
	c->decided |= (f->r[i->dst_reg].shared || src.shared) && f->r[i->dst_reg].fixed &&
		      src.fixed;
	if (sure >= 0)
		return 0;
	*jump = state_copy(c, s);
	refine(*jump, i, true);
	refine(s, i, false);
	return 0;
}
