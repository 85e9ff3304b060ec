/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The x86 instruction decoder. Input: bytes; output: the length, opcode and operands of the first
 * instruction, or length 0 if it is unknown. Layout, Intel SDM volume 2, chapter 2:
 *
 *	prefixes | REX, VEX or EVEX | opcode 1-3 bytes | ModRM | SIB | displacement | immediate
 */
#include "arch/insn.h"

enum {
	NONE = 0,
	M = 1,  /* ModRM follows */
	I8 = 2, /* immediate of one byte */
	IZ = 4, /* 4 bytes, 2 with the operand-size prefix */
	I16 = 8,
	IV = 16,     /* 4 bytes, 2, or 8 with REX.W: mov reg, imm */
	MOFFS = 32,  /* an address of 8 bytes, 4 with the address-size prefix */
	GROUP3 = 64, /* f6, f7: immediate for /0 and /1 only */
	BAD = 128,
};

/* One-byte opcodes, 16 per row. */
/* clang-format off */
static const u8 one[256] = {
#define ARITH M, M, M, M, I8, IZ, BAD, BAD
	ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, /* 00-3f; prefixes are consumed before */
	BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, /* 40 REX */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 50 push, pop */
	BAD, BAD, BAD, M, BAD, BAD, BAD, BAD, IZ, M | IZ, I8, M | I8, 0, 0, 0, 0, /* 60 */
	I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, /* 70 jcc */
	M | I8, M | IZ, BAD, M | I8, M, M, M, M, M, M, M, M, M, M, M, M, /* 80 */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BAD, 0, 0, 0, 0, 0, /* 90 */
	MOFFS, MOFFS, MOFFS, MOFFS, 0, 0, 0, 0, I8, IZ, 0, 0, 0, 0, 0, 0, /* a0 */
	I8, I8, I8, I8, I8, I8, I8, I8, IV, IV, IV, IV, IV, IV, IV, IV, /* b0 mov */
	M | I8, M | I8, I16, 0, BAD, BAD, M | I8, M | IZ, I16 | I8, 0, I16, 0, 0, I8, BAD, 0, /* c0 */
	M, M, M, M, BAD, BAD, BAD, 0, M, M, M, M, M, M, M, M, /* d0 */
	I8, I8, I8, I8, I8, I8, I8, I8, IZ, IZ, BAD, I8, 0, 0, 0, 0, /* e0; e8 e9: always 4 bytes */
	BAD, 0, BAD, BAD, 0, 0, M | GROUP3, M | GROUP3, 0, 0, 0, 0, 0, 0, M, M, /* f0 */
#undef ARITH
};
/* clang-format on */

/* Opcodes after 0f. */
static u8 two(u8 op)
{
	if (op <= 0x03 || op == 0x0d || (op >= 0x10 && op <= 0x23) || (op >= 0x28 && op <= 0x2f))
		return M;
	if (op == 0x05 || op == 0x06 || op == 0x07 || op == 0x08 || op == 0x09 || op == 0x0b ||
	    (op >= 0x30 && op <= 0x37) || op == 0x77 || (op >= 0xa0 && op <= 0xa2) ||
	    (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf))
		return NONE;
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	    (op >= 0xc4 && op <= 0xc6))
		return M | I8;
	if (op >= 0x80 && op <= 0x8f) /* jcc */
		return IZ;
	if ((op >= 0x40 && op <= 0x6f) || (op >= 0x74 && op <= 0x76) ||
	    (op >= 0x78 && op <= 0x7f) || (op >= 0x90 && op <= 0x9f) || op == 0xa3 || op == 0xa5 ||
	    op == 0xab || (op >= 0xad && op <= 0xaf) || (op >= 0xb0 && op <= 0xb9) ||
	    (op >= 0xbb && op <= 0xc1) || op == 0xc3 || op == 0xc7 || op >= 0xd0)
		return M;
	return BAD;
}

struct cursor {
	const u8 *code;
	u32 at, room;
	bool wide32; /* 32-bit code */
	struct x86_insn *in;
};

static u8 peek(const struct cursor *c, u32 ahead)
{
	return c->at + ahead < c->room ? c->code[c->at + ahead] : 0;
}

static u8 next(struct cursor *c)
{
	u8 b = peek(c, 0);

	c->at++;
	return b;
}

/* A little-endian number of 1, 2, 4 or 8 bytes, sign-extended; 0 beyond the end. */
static s64 take_number(struct cursor *c, u32 size)
{
	u64 v = 0;

	if (c->at + size <= c->room)
		for (u32 i = 0; i < size; i++)
			v |= (u64)c->code[c->at + i] << 8 * i;
	c->at += size;
	return (s64)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

static void take_prefixes(struct cursor *c)
{
	struct x86_insn *in = c->in;

	for (; c->at < c->room; c->at++) {
		switch (c->code[c->at]) {
		case 0x66: in->short_operand = true; break;
		case 0x67: in->short_address = true; break;
		case 0xf0: in->lock = true; break;
		case 0xf2: in->repne = true; break;
		case 0xf3: in->rep = true; break;
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
		case 0x64:
		case 0x65: in->segment = c->code[c->at]; break;
		default: return;
		}
	}
}

/* 16-bit addresses: no SIB; (mod 0, rm 6) is a displacement alone. */
static void take_modrm16(struct cursor *c, u8 mod, u8 rm)
{
	u32 size = mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;

	if (size)
		c->in->disp = (s32)take_number(c, size);
}

static void take_sib(struct cursor *c, u8 mod)
{
	struct x86_insn *in = c->in;
	u8 sib = next(c), index = (u8)((sib >> 3 & 7) | (in->rex & 2) << 2);

	in->index = index == X86_SP ? X86_NO_REG : index;
	if (!mod && (sib & 7) == 5)
		in->disp = (s32)take_number(c, 4);
	else
		in->base = (u8)((sib & 7) | (in->rex & 1) << 3);
}

/* ModRM, SIB and displacement. */
static void take_modrm(struct cursor *c)
{
	struct x86_insn *in = c->in;
	u8 mod, rm;

	in->modrm = next(c);
	in->has_modrm = true;
	mod = in->modrm >> 6;
	rm = in->modrm & 7;
	if (mod == 3)
		return;
	if (c->wide32 && in->short_address) {
		take_modrm16(c, mod, rm);
		return;
	}
	if (rm == 4) {
		take_sib(c, mod);
	} else if (!mod && rm == 5) {
		in->disp_at = (u8)c->at;
		in->base = c->wide32 ? X86_NO_REG : X86_RIP;
		in->disp = (s32)take_number(c, 4);
	} else {
		in->base = (u8)(rm | (in->rex & 1) << 3);
	}
	if (mod)
		in->disp = (s32)take_number(c, mod == 1 ? 1 : 4);
}

static void take_rest(struct cursor *c, u8 form, bool near_branch)
{
	struct x86_insn *in = c->in;
	u32 z = in->short_operand && !(near_branch && !c->wide32) && !(in->rex & 8) ? 2 : 4;

	if (form & M)
		take_modrm(c);
	if (form & I16)
		in->imm = take_number(c, 2);
	if (form & I8)
		in->imm = take_number(c, 1);
	if (form & IZ)
		in->imm = take_number(c, z);
	if (form & IV)
		in->imm = take_number(c, in->rex & 8 ? 8 : z);
	if (form & MOFFS)
		take_number(c, c->wide32 ? (in->short_address ? 2 : 4) : in->short_address ? 4 : 8);
	if (form & GROUP3 && (in->modrm >> 3 & 7) < 2)
		in->imm = take_number(c, in->op == 0xf6 ? 1 : z);
}

/* One-byte opcodes that are invalid in 64-bit code. */
static u8 one32(u8 op)
{
	switch (op) {
	case 0x06:
	case 0x07:
	case 0x0e:
	case 0x16:
	case 0x17:
	case 0x1e:
	case 0x1f: /* push, pop segment */
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60:
	case 0x61:
	case 0xce:
	case 0xd6: return NONE;
	case 0x62:
	case 0xc4:
	case 0xc5: return M;
	case 0x82: return M | I8;
	case 0x9a:
	case 0xea: return IZ | I16;
	case 0xd4:
	case 0xd5: return I8;
	default: return (op & 0xf0) == 0x40 ? NONE : one[op];
	}
}

static bool take_legacy(struct cursor *c)
{
	struct x86_insn *in = c->in;
	u8 op = next(c), form;

	while ((op & 0xf0) == 0x40 && !c->wide32 && c->at < c->room) { /* the last prefix wins */
		in->has_rex = true;
		in->rex = op & 15;
		op = next(c);
	}
	if (op != 0x0f) {
		form = c->wide32 ? one32(op) : one[op];
		in->op = op;
		if (form & BAD)
			return false;
		take_rest(c, form, op == 0xe8 || op == 0xe9);
		return true;
	}
	op = next(c);
	if (op == 0x38 || op == 0x3a) {
		in->map = op == 0x38 ? 2 : 3;
		in->op = next(c);
		take_rest(c, op == 0x38 ? M : M | I8, false);
		return true;
	}
	form = two(op);
	in->map = 1;
	in->op = op;
	/* extrq and insertq of SSE4a have two immediates */
	if (op == 0x78 && (in->short_operand || in->repne))
		form = M | I16;
	/* moves of control registers have no memory form */
	if (op >= 0x20 && op <= 0x23) {
		in->modrm = next(c);
		in->has_modrm = true;
		return true;
	}
	take_rest(c, form & BAD ? 0 : form, op >= 0x80 && op <= 0x8f);
	return !(form & BAD);
}

/* Opcode maps of VEX and EVEX: 1 is 0f, 2 is 0f 38, 3 is 0f 3a. */
static bool take_vector(struct cursor *c, u32 map)
{
	struct x86_insn *in = c->in;
	u8 form;

	in->vector = true;
	in->map = (u8)map;
	in->op = next(c);
	if (map == 2 || map == 5 || map == 6)
		form = M;
	else if (map == 3)
		form = M | I8;
	else if (map == 1)
		form = in->op == 0x77 ? NONE : two(in->op);
	else
		return false;
	take_rest(c, form, false);
	return !(form & BAD);
}

/* The inverted R, X and B bits of a prefix of two or more bytes. */
static u32 take_vex_bits(struct cursor *c, u8 mask)
{
	u8 byte = peek(c, 1);

	if (!c->wide32)
		c->in->rex = (u8)(~byte >> 5 & 7);
	return byte & mask;
}

/* AMD's XOP, after 8f: its map numbers 8, 9, 10 are where pop has a zero. */
static bool take_xop(struct cursor *c)
{
	u32 map = take_vex_bits(c, 31);

	c->at += 3;
	c->in->vector = true;
	c->in->map = (u8)map;
	c->in->op = next(c);
	take_rest(c, map == 8 ? M | I8 : map == 10 ? M | IZ : M, true);
	return map >= 8 && map <= 10;
}

/* In 32-bit code these bytes are LES, LDS and BOUND unless mod of the next byte is 3. */
static bool is_vector(const struct cursor *c)
{
	return !c->wide32 || peek(c, 1) >= 0xc0;
}

static bool take(struct cursor *c)
{
	u8 first;
	u32 map;

	take_prefixes(c);
	first = peek(c, 0);
	if (first == 0x8f && peek(c, 1) & 0x38)
		return take_xop(c);
	if (first == 0xc5 && is_vector(c)) {
		if (!c->wide32)
			c->in->rex = peek(c, 1) & 0x80 ? 0 : 4;
		c->at += 2;
		return take_vector(c, 1);
	}
	if (first == 0xc4 && is_vector(c)) {
		map = take_vex_bits(c, 31);
		c->at += 3;
		return take_vector(c, map);
	}
	if (first == 0x62 && is_vector(c)) {
		map = take_vex_bits(c, 7);
		c->at += 4;
		return take_vector(c, map);
	}
	return take_legacy(c);
}

u32 x86_decode(const u8 *code, u32 room, enum x86_mode mode, struct x86_insn *out)
{
	struct cursor c = {
		.code = code, .room = MIN(room, 15u), .wide32 = mode == X86_32, .in = out
	};

	*out = (struct x86_insn){ .base = X86_NO_REG, .index = X86_NO_REG };
	if (take(&c) && c.at <= c.room)
		out->len = (u8)c.at;
	return out->len;
}

u32 x86_insn_len(const u8 *code, u32 room)
{
	struct x86_insn in;

	return x86_decode(code, room, X86_64, &in);
}
