/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operands of the IR as registers, addresses and immediates. Constants, frame addresses and map
 * references are made where they are used: this takes one instruction, whereas holding them across
 * a call takes a scarce register. The address of the data map takes two slots, so it is cached
 * until the next call; other addresses within 32 KiB of it are offsets. A constant that is no valid
 * immediate (more than 32 bits, or the addend of an atomic) is cached as long.
 */
#include "target/select.h"

void sel_out(struct select *s, struct minsn in)
{
	in.span = s->span;
	vec_push(s->m->arena, &s->m->insns, in);
}

u32 mach_vreg(struct mach *m)
{
	return m->n_vregs++;
}

u32 sel_new(struct select *s)
{
	return mach_vreg(s->m);
}

void sel_mov(struct select *s, u32 dst, u32 src)
{
	if (dst != src)
		sel_out(s, (struct minsn){ .code = OP_MOV, .dst = dst, .src = src });
}

void sel_imm(struct select *s, u32 dst, s64 v)
{
	u8 code = fits_s32(v) ? OP_MOV_IMM : v == (s64)(u32)v ? OP_MOV32_IMM : OP_LD_IMM64;

	sel_out(s, (struct minsn){ .code = code, .dst = dst, .imm = v });
}

void sel_alu(struct select *s, u8 op, u32 dst, u32 src)
{
	sel_out(s, (struct minsn){ .code = BPF_ALU64 | BPF_X | op, .dst = dst, .src = src });
}

void sel_alu_imm(struct select *s, u8 op, u32 dst, s64 imm)
{
	if (fits_s32(imm))
		sel_out(s,
			(struct minsn){ .code = BPF_ALU64 | BPF_K | op, .dst = dst, .imm = imm });
	else
		sel_alu(s, op, dst, sel_reg(s, o_imm(imm)));
}

static u8 size_bits(u32 size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

void sel_load(struct select *s, u32 size, u32 dst, struct addr a)
{
	sel_out(s, (struct minsn){ .code = BPF_LDX | BPF_MEM | size_bits(size),
				   .dst = dst,
				   .src = a.reg,
				   .off = (s16)a.off });
}

void sel_store(struct select *s, u32 size, struct addr a, u32 src)
{
	sel_out(s, (struct minsn){ .code = BPF_STX | BPF_MEM | size_bits(size),
				   .dst = a.reg,
				   .src = src,
				   .off = (s16)a.off });
}

void sel_store_imm(struct select *s, u32 size, struct addr a, s64 imm)
{
	if (size < 8)
		imm = (s32)imm;
	if (fits_s32(imm)) {
		sel_out(s, (struct minsn){ .code = BPF_ST | BPF_MEM | size_bits(size),
					   .dst = a.reg,
					   .off = (s16)a.off,
					   .imm = imm });
		return;
	}
	sel_store(s, size, a, sel_reg(s, o_imm(imm)));
}

/* ---- operands */

static void load_pseudo(struct select *s, u32 dst, u8 pseudo, enum reloc_kind kind, u32 index,
			s64 add)
{
	sel_out(s, (struct minsn){ .code = OP_LD_IMM64,
				   .dst = dst,
				   .pseudo = pseudo,
				   .reloc = (u8)(kind + 1),
				   .index = index,
				   .imm = add });
}

static void add_offset(struct select *s, u32 dst, u32 base, s64 off)
{
	sel_mov(s, dst, base);
	if (off)
		sel_alu_imm(s, BPF_ADD, dst, off);
}

static const struct data_base *find_data(const struct select *s, struct opnd o, u32 len)
{
	for (u32 i = 0; i < s->n_data; i++) {
		const struct data_base *d = &s->data[i];

		if (d->map == o.id && fits_s16(o.imm - d->off) && fits_s16(o.imm + len - d->off))
			return d;
	}
	return NULL;
}

void sel_into(struct select *s, u32 dst, struct opnd o)
{
	switch (o.kind) {
	case O_NONE: sel_imm(s, dst, 0); return;
	case O_IMM: sel_imm(s, dst, o.imm); return;
	case O_TEMP: add_offset(s, dst, sel_temp(o.id), o.imm); return;
	case O_SLOT: add_offset(s, dst, R_FRAME, s->m->slot_off[o.id] + o.imm); return;
	case O_CTX: add_offset(s, dst, s->ctx, o.imm); return;
	case O_MAP: load_pseudo(s, dst, BPF_PSEUDO_MAP_FD, RELOC_MAP, o.id, 0); return;
	case O_DATA:
		load_pseudo(s, dst, BPF_PSEUDO_MAP_VALUE, RELOC_MAP_VALUE, o.id, o.imm);
		return;
	case O_FUNC: load_pseudo(s, dst, BPF_PSEUDO_FUNC, RELOC_FUNC, o.id, 0); return;
	}
	BUG("operand of kind %d", o.kind);
}

void sel_forget(struct select *s)
{
	s->n_data = s->n_consts = 0;
}

static u32 const_reg(struct select *s, s64 v)
{
	struct const_reg c = { .value = v };

	for (u32 i = 0; i < MIN(s->n_consts, (u32)CONST_CACHE); i++)
		if (s->consts[i].value == v)
			return s->consts[i].reg;
	c.reg = sel_new(s);
	sel_imm(s, c.reg, v);
	s->consts[s->n_consts++ % CONST_CACHE] = c;
	return c.reg;
}

u32 sel_reg(struct select *s, struct opnd o)
{
	u32 r;

	if (o.kind == O_IMM)
		return const_reg(s, o.imm);
	if (o.kind == O_TEMP && !o.imm)
		return sel_temp(o.id);
	if (o.kind == O_CTX && !o.imm)
		return s->ctx;
	r = sel_new(s);
	sel_into(s, r, o);
	return r;
}

static struct addr data_addr(struct select *s, struct opnd o, u32 len)
{
	const struct data_base *found = find_data(s, o, len);
	struct data_base d = { .map = o.id, .off = o.imm };

	if (found)
		return (struct addr){ found->reg, (s32)(o.imm - found->off) };
	d.reg = sel_new(s);
	sel_into(s, d.reg, o);
	s->data[s->n_data % DATA_CACHE] = d;
	s->n_data = MIN(s->n_data + 1, (u32)DATA_CACHE);
	return (struct addr){ d.reg, 0 };
}

struct addr sel_addr(struct select *s, struct opnd o, u32 len)
{
	s64 off = o.imm;
	u32 base;

	if (o.kind == O_DATA)
		return data_addr(s, o, len);
	if (o.kind == O_SLOT) {
		base = R_FRAME;
		off += s->m->slot_off[o.id];
	} else if (o.kind == O_CTX) {
		base = s->ctx;
	} else if (o.kind == O_TEMP) {
		base = sel_temp(o.id);
	} else {
		return (struct addr){ sel_reg(s, o), 0 };
	}
	if (fits_s16(off) && fits_s16(off + len))
		return (struct addr){ base, (s32)off };
	return (struct addr){ sel_reg(s, o), 0 };
}

/* ---- results */

u32 sel_dst(struct select *s, const struct ir_insn *in)
{
	for (u32 a = 1; a < ir_n_args(in); a++) {
		struct opnd o = sel_use(s, in->arg[a]);

		if (o.kind == O_TEMP && o.id == in->dst)
			return sel_new(s);
	}
	return sel_temp(in->dst);
}

void sel_done(struct select *s, const struct ir_insn *in, u32 reg)
{
	if (in->dst)
		sel_mov(s, sel_temp(in->dst), reg);
}
