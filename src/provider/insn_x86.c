/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lengths of x86-64 instructions, for offsets that must be the start of one. In: bytes; out: how many
 * belong to the first instruction, or 0 for what is not known (an honest "cannot tell"). Layout, Intel
 * SDM volume 2, chapter 2:
 *
 *	legacy prefixes | REX, VEX or EVEX | opcode 1-3 bytes | ModRM | SIB | displacement | immediate
 */
#include "provider/internal.h"

enum {
	NONE = 0,
	M = 1,	/* ModRM follows */
	I8 = 2, /* immediate of one byte */
	IZ = 4, /* of 4 bytes, 2 with the operand-size prefix */
	I16 = 8,
	IV = 16,     /* of 4 bytes, 2, or 8 with REX.W: mov reg, imm */
	MOFFS = 32,  /* an address of 8 bytes, 4 with the address-size prefix */
	GROUP3 = 64, /* f6, f7: an immediate for /0 and /1 only */
	BAD = 128,
};

/* Opcodes of one byte, 16 to a row. */
/* clang-format off */
static const u8 one[256] = {
#define ARITH M, M, M, M, I8, IZ, BAD, BAD
	ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, /* 00-3f; prefixes are taken before */
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

/* Opcodes behind 0f. */
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

struct insn {
	const u8 *code;
	u32 at, room;
	bool short_operand, short_address, wide;
};

static u8 next(struct insn *in)
{
	u8 b = in->at < in->room ? in->code[in->at] : 0;

	in->at++;
	return b;
}

static void take_prefixes(struct insn *in)
{
	for (; in->at < in->room; in->at++) {
		switch (in->code[in->at]) {
		case 0x66: in->short_operand = true; break;
		case 0x67: in->short_address = true; break;
		case 0xf0:
		case 0xf2:
		case 0xf3:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
		case 0x64:
		case 0x65: break;
		default: return;
		}
	}
}

/* ModRM, SIB and displacement. Returns the reg field. */
static u32 take_modrm(struct insn *in)
{
	u8 modrm = next(in), mod = modrm >> 6, rm = modrm & 7;

	if (mod == 3)
		return modrm >> 3 & 7;
	if (rm == 4) {
		u8 base = next(in) & 7;

		if (!mod && base == 5)
			in->at += 4;
	} else if (!mod && rm == 5) {
		in->at += 4;
	}
	in->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return modrm >> 3 & 7;
}

static void take_rest(struct insn *in, u8 op, u8 form, bool near_branch)
{
	u32 reg = form & M ? take_modrm(in) : 0;
	u32 z = in->short_operand && !near_branch ? 2 : 4;

	if (form & I8)
		in->at += 1;
	if (form & I16)
		in->at += 2;
	if (form & IZ)
		in->at += z;
	if (form & IV)
		in->at += in->wide ? 8 : z;
	if (form & MOFFS)
		in->at += in->short_address ? 4 : 8;
	if (form & GROUP3 && reg < 2)
		in->at += op == 0xf6 ? 1 : z;
}

static bool take_legacy(struct insn *in)
{
	u8 op = next(in), form;

	if ((op & 0xf0) == 0x40) {
		in->wide = op & 8;
		op = next(in);
	}
	if (op != 0x0f) {
		form = one[op];
		if (form & BAD)
			return false;
		take_rest(in, op, form, op == 0xe8 || op == 0xe9);
		return true;
	}
	op = next(in);
	if (op == 0x38 || op == 0x3a) {
		next(in);
		take_rest(in, 0, op == 0x38 ? M : M | I8, false);
		return true;
	}
	form = two(op);
	take_rest(in, 0, form & BAD ? 0 : form, op >= 0x80 && op <= 0x8f);
	return !(form & BAD);
}

/* Opcode maps of VEX and EVEX: 1 is 0f, 2 is 0f 38, 3 is 0f 3a. */
static bool take_vector(struct insn *in, u32 map)
{
	u8 op = next(in), form;

	if (map == 2 || map == 5 || map == 6)
		form = M;
	else if (map == 3)
		form = M | I8;
	else if (map == 1)
		form = op == 0x77 ? NONE : two(op);
	else
		return false;
	take_rest(in, 0, form, false);
	return !(form & BAD);
}

/* AMD's XOP, behind 8f: its map numbers 8, 9, 10 fall where pop has a zero. */
static bool take_xop(struct insn *in)
{
	u32 map = in->code[in->at + 1] & 31;

	in->at += 4;
	take_rest(in, 0, map == 8 ? M | I8 : map == 10 ? M | IZ : M, true);
	return map >= 8 && map <= 10;
}

static bool take(struct insn *in)
{
	u8 first;

	take_prefixes(in);
	first = in->at < in->room ? in->code[in->at] : 0;
	if (first == 0x8f && in->at + 1 < in->room && in->code[in->at + 1] & 0x38)
		return take_xop(in);
	if (first == 0xc5) {
		in->at += 2;
		return take_vector(in, 1);
	}
	if (first == 0xc4) {
		u32 map = in->at + 1 < in->room ? in->code[in->at + 1] & 31 : 0;

		in->at += 3;
		return take_vector(in, map);
	}
	if (first == 0x62) {
		u32 map = in->at + 1 < in->room ? in->code[in->at + 1] & 7 : 0;

		in->at += 4;
		return take_vector(in, map);
	}
	return take_legacy(in);
}

u32 x86_insn_len(const u8 *code, u32 room)
{
	struct insn in = { .code = code, .room = MIN(room, 15u) };

	return take(&in) && in.at <= in.room ? in.at : 0;
}
