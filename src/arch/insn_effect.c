/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of an x86-64 instruction on the general registers. Input: its parts (insn_x86.c);
 * output: which registers may change, how rsp moves, where control goes, whether it may fault. The
 * tables cover what compilers emit at function entries; all else is X86_UNKNOWN. Intel SDM volume
 * 2.
 */
#include "arch/insn.h"

enum rule {
	R_NONE = 1, /* writes no general register: vector moves, nops, prefetches */
	R_FLAGS,    /* cmp, test, bt: flags only */
	R_RM,       /* writes ModRM's rm, if that is a register */
	R_RM_FLAGS,
	R_REG, /* writes ModRM's reg */
	R_REG_FLAGS,
	R_RM_REG, /* both: xchg, xadd */
	R_LEA,    /* writes reg, accesses no memory */
	R_AX,
	R_AX_FLAGS,
	R_DX,
	R_OPREG,    /* the register in the opcode's low three bits */
	R_AX_OPREG, /* xchg */
	R_PUSH,
	R_PUSH_OTHER, /* constants */
	R_POP,
	R_MOV,    /* c6 c7: a constant, or a transaction */
	R_GROUP1, /* 80 81 83: arithmetic with a constant */
	R_GROUP3, /* f6 f7 */
	R_GROUP5, /* fe ff */
	R_BT,     /* 0f ba */
	R_HINT,   /* 0f 18-1f: nops, prefetches, endbr */
	R_NOP,
	R_JUMP,
	R_BRANCH,
	R_LOOP,
	R_CALL,
	R_END,
};

#define ARITH R_RM_FLAGS, R_RM_FLAGS, R_REG_FLAGS, R_REG_FLAGS, R_AX_FLAGS, R_AX_FLAGS, 0, 0
#define EIGHT(x) x, x, x, x, x, x, x, x
#define SIXTEEN(x) EIGHT(x), EIGHT(x)

/* clang-format off */
static const u8 one_byte[256] = {
	ARITH, ARITH, ARITH, ARITH, ARITH, ARITH, ARITH,
	R_FLAGS, R_FLAGS, R_FLAGS, R_FLAGS, R_FLAGS, R_FLAGS, 0, 0, /* 38 cmp */
	SIXTEEN(0),
	EIGHT(R_PUSH), EIGHT(R_POP),
	0, 0, 0, R_REG, 0, 0, 0, 0, R_PUSH_OTHER, R_REG_FLAGS, R_PUSH_OTHER, R_REG_FLAGS, 0, 0, 0, 0, /* 60 */
	SIXTEEN(R_BRANCH),
	R_GROUP1, R_GROUP1, 0, R_GROUP1, R_FLAGS, R_FLAGS, R_RM_REG, R_RM_REG, /* 80 */
	R_RM, R_RM, R_REG, R_REG, 0, R_LEA, 0, 0,
	R_NOP, R_AX_OPREG, R_AX_OPREG, R_AX_OPREG, R_AX_OPREG, R_AX_OPREG, R_AX_OPREG, R_AX_OPREG, /* 90 */
	R_AX, R_DX, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, R_FLAGS, R_FLAGS, 0, 0, 0, 0, 0, 0, /* a0 */
	SIXTEEN(R_OPREG), /* b0 mov constant */
	R_RM_FLAGS, R_RM_FLAGS, R_END, R_END, 0, 0, R_MOV, R_MOV, 0, 0, 0, 0, 0, 0, 0, 0, /* c0 */
	R_RM_FLAGS, R_RM_FLAGS, R_RM_FLAGS, R_RM_FLAGS, 0, 0, 0, 0, EIGHT(0), /* d0 */
	R_LOOP, R_LOOP, R_LOOP, R_LOOP, 0, 0, 0, 0, R_CALL, R_JUMP, 0, R_JUMP, 0, 0, 0, 0, /* e0 */
	0, 0, 0, 0, R_END, R_FLAGS, R_GROUP3, R_GROUP3, R_FLAGS, R_FLAGS, 0, 0, R_FLAGS, R_FLAGS, R_GROUP5, R_GROUP5,
};

static const u8 two_bytes[256] = { /* after 0f */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, R_END, 0, R_HINT, 0, 0,
	EIGHT(R_NONE), EIGHT(R_HINT), /* 10 */
	EIGHT(0), R_NONE, R_NONE, R_NONE, R_NONE, R_REG, R_REG, R_FLAGS, R_FLAGS, /* 20 */
	SIXTEEN(0),
	SIXTEEN(R_REG), /* 40 cmov */
	R_REG, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, EIGHT(R_NONE), /* 50 movmskps */
	SIXTEEN(R_NONE), /* 60 */
	R_NONE, 0, 0, 0, R_NONE, R_NONE, R_NONE, 0, 0, 0, 0, 0, R_NONE, R_NONE, R_RM, R_NONE, /* 70 */
	SIXTEEN(R_BRANCH),
	SIXTEEN(R_RM), /* 90 setcc */
	0, 0, 0, R_FLAGS, R_RM_FLAGS, R_RM_FLAGS, 0, 0, 0, 0, 0, R_RM_FLAGS, R_RM_FLAGS, R_RM_FLAGS, 0, R_REG_FLAGS, /* a0 */
	0, 0, 0, R_RM_FLAGS, 0, 0, R_REG, R_REG, R_REG_FLAGS, R_END, R_BT, R_RM_FLAGS, R_REG_FLAGS, R_REG_FLAGS, R_REG, R_REG,
	R_RM_REG, R_RM_REG, R_NONE, R_NONE, R_NONE, R_REG, R_NONE, 0, EIGHT(R_OPREG), /* c0 */
	R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_REG, EIGHT(R_NONE), /* d0 pmovmskb */
	R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, EIGHT(R_NONE), /* e0 */
	R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, 0, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_NONE, R_END,
};
/* clang-format on */

static bool is_memory(const struct x86_insn *in)
{
	return in->has_modrm && in->modrm < 0xc0;
}

/*
 * rsp plus a small offset, the file's own data, thread-local data at a constant offset: always
 * mapped.
 */
static bool is_sure(const struct x86_insn *in)
{
	if (in->index != X86_NO_REG || in->short_address)
		return false;
	if (in->base == X86_SP)
		return in->disp >= -128 && in->disp < 4096;
	if (in->base == X86_RIP)
		return true;
	return in->segment == 0x64 && in->base == X86_NO_REG;
}

/* Without REX the numbers 4 to 7 of byte operands mean ah, ch, dh, bh. */
static u32 byte_reg(const struct x86_insn *in, u32 n)
{
	return !in->has_rex && n >= 4 && n < 8 ? n - 4 : n;
}

/* Opcodes whose operands are bytes: in the one-byte map mostly the even ones. */
static bool is_byte_op(const struct x86_insn *in)
{
	u8 op = in->op;

	if (in->map == 1)
		return (op & 0xf0) == 0x90 || op == 0xb0 || op == 0xc0;
	if (op >= 0xb0 && op <= 0xbf)
		return op < 0xb8;
	return !(op & 1) && op != 0x98 && !(op > 0x90 && op <= 0x97);
}

static u32 reg_bit(const struct x86_insn *in, u32 n)
{
	return 1u << (is_byte_op(in) ? byte_reg(in, n) : n);
}

static u32 rm_bit(const struct x86_insn *in)
{
	return is_memory(in) ? 0 : reg_bit(in, (u32)(in->modrm & 7) | (in->rex & 1u) << 3);
}

static u32 reg_field(const struct x86_insn *in)
{
	return (u32)(in->modrm >> 3 & 7) | (in->rex & 4u) << 1;
}

static u32 opcode_reg(const struct x86_insn *in)
{
	return (u32)(in->op & 7) | (in->rex & 1u) << 3;
}

static void move_sp(struct x86_effect *e, s64 by)
{
	e->writes |= 1u << X86_SP;
	e->moves_sp = true;
	e->sp = (s32)by;
}

/* add and sub of rsp and a constant have a known effect; cmp writes no register. */
static void group1(const struct x86_insn *in, struct x86_effect *e)
{
	u32 what = in->modrm >> 3 & 7;

	e->writes = 1u << X86_FLAGS;
	if (what == 7)
		return;
	e->writes |= rm_bit(in);
	if (e->writes & 1u << X86_SP && in->rex & 8 && in->op != 0x80 && (what == 0 || what == 5))
		move_sp(e, what ? -in->imm : in->imm);
}

static void group3(const struct x86_insn *in, struct x86_effect *e)
{
	u32 what = in->modrm >> 3 & 7;

	e->writes = what == 2 ? 0 : 1u << X86_FLAGS;
	if (what == 2 || what == 3)
		e->writes |= rm_bit(in);
	if (what >= 4)
		e->writes |= 1u << X86_AX | 1u << X86_DX;
	e->may_fault |= what >= 6; /* division by zero */
}

static void group5(const struct x86_insn *in, struct x86_effect *e)
{
	u32 what = in->modrm >> 3 & 7;

	if (what < 2) {
		e->writes = rm_bit(in) | 1u << X86_FLAGS;
	} else if (in->op == 0xff && what == 2) {
		e->kind = X86_CALL_INDIRECT;
	} else if (in->op == 0xff && what == 4) {
		e->kind = X86_JUMP_INDIRECT;
	} else if (in->op == 0xff && what == 6 && !in->short_operand) {
		move_sp(e, -8);
	} else {
		e->kind = X86_UNKNOWN;
	}
}

/* 0f 18-1f: f3 0f 1e includes endbr64 and rdssp. */
static void hint(const struct x86_insn *in, struct x86_effect *e)
{
	if (in->op == 0x1e && in->rep)
		e->kind = in->modrm == 0xfa ? X86_ENDBR : X86_UNKNOWN;
	else if (in->op == 0x1f)
		e->kind = X86_NOP;
	e->may_fault = false;
}

/* xabort may continue anywhere, xbegin at the next instruction or its target. */
static void mov_constant(const struct x86_insn *in, struct x86_effect *e)
{
	u32 what = in->modrm >> 3 & 7;

	e->writes = what ? 1u << X86_AX : rm_bit(in);
	e->target = (s64)in->len + in->imm;
	if (what)
		e->kind = in->op == 0xc7 && in->modrm == 0xf8 ? X86_BRANCH : X86_UNKNOWN;
}

static void copy(const struct x86_insn *in, struct x86_effect *e)
{
	u32 rm = (u32)(in->modrm & 7) | (in->rex & 1u) << 3;

	if (in->map || !(in->rex & 8) || in->modrm < 0xc0 || (in->op != 0x89 && in->op != 0x8b))
		return;
	e->copy_to = (u8)(in->op == 0x89 ? rm : reg_field(in));
	e->copy_from = (u8)(in->op == 0x89 ? reg_field(in) : rm);
}

/* lea rsp, [rsp + n] moves rsp by a known amount. */
static void lea(const struct x86_insn *in, struct x86_effect *e)
{
	e->may_fault = false;
	if (!is_memory(in)) {
		e->kind = X86_UNKNOWN;
		return;
	}
	e->writes = 1u << reg_field(in);
	if (reg_field(in) == X86_SP && in->rex & 8 && in->base == X86_SP &&
	    in->index == X86_NO_REG && !in->segment && !in->short_address)
		move_sp(e, in->disp);
}

static void stack_op(const struct x86_insn *in, struct x86_effect *e, u32 rule)
{
	if (in->short_operand) {
		e->kind = X86_UNKNOWN;
		return;
	}
	move_sp(e, rule == R_POP ? 8 : -8);
	if (rule == R_PUSH)
		e->kind = X86_PUSH;
	if (rule == R_POP)
		e->writes |= 1u << opcode_reg(in);
	if (rule == R_POP && opcode_reg(in) == X86_SP)
		e->moves_sp = false;
}

static void go(const struct x86_insn *in, struct x86_effect *e, enum x86_kind kind)
{
	e->kind = kind;
	e->target = (s64)in->len + in->imm;
}

static void apply(const struct x86_insn *in, struct x86_effect *e, u32 rule)
{
	switch (rule) {
	case R_NONE: break;
	case R_FLAGS: e->writes = 1u << X86_FLAGS; break;
	case R_RM: e->writes = rm_bit(in); break;
	case R_RM_FLAGS: e->writes = rm_bit(in) | 1u << X86_FLAGS; break;
	case R_REG: e->writes = reg_bit(in, reg_field(in)); break;
	case R_REG_FLAGS: e->writes = reg_bit(in, reg_field(in)) | 1u << X86_FLAGS; break;
	case R_RM_REG: e->writes = rm_bit(in) | reg_bit(in, reg_field(in)) | 1u << X86_FLAGS; break;
	case R_LEA: lea(in, e); break;
	case R_AX: e->writes = 1u << X86_AX; break;
	case R_AX_FLAGS: e->writes = 1u << X86_AX | 1u << X86_FLAGS; break;
	case R_DX: e->writes = 1u << X86_DX; break;
	case R_OPREG: e->writes = reg_bit(in, opcode_reg(in)); break;
	case R_AX_OPREG: e->writes = 1u << X86_AX | 1u << opcode_reg(in); break;
	case R_PUSH:
	case R_PUSH_OTHER:
	case R_POP: stack_op(in, e, rule); break;
	case R_MOV: mov_constant(in, e); break;
	case R_GROUP1: group1(in, e); break;
	case R_GROUP3: group3(in, e); break;
	case R_GROUP5: group5(in, e); break;
	case R_BT: e->writes = 1u << X86_FLAGS | ((in->modrm >> 3 & 7) > 4 ? rm_bit(in) : 0); break;
	case R_HINT: hint(in, e); break;
	case R_NOP:
		e->kind = in->rex & 1 ? X86_PLAIN : X86_NOP;
		e->writes = in->rex & 1 ? 1u << X86_AX | 1u << 8 : 0;
		break;
	case R_JUMP: go(in, e, X86_JUMP); break;
	case R_BRANCH: go(in, e, X86_BRANCH); break;
	case R_LOOP:
		go(in, e, X86_BRANCH);
		e->writes = in->op == 0xe3 ? 0 : 1u << X86_CX;
		break;
	case R_CALL: go(in, e, X86_CALL); break;
	case R_END: e->kind = X86_END; break;
	default: e->kind = X86_UNKNOWN; break;
	}
}

/* movd to a general register; movq between vector registers is excluded. */
static u32 two_byte_rule(const struct x86_insn *in)
{
	if (in->op == 0x7e && in->rep)
		return R_NONE;
	/* popcnt is f3 0f b8; undefined without f3 */
	if (in->op == 0xb8 && !in->rep)
		return 0;
	/* movq2dq and the like are vector moves; movnti is a store */
	return two_bytes[in->op];
}

/* VEX and EVEX instructions that write only vector registers, masks or memory. */
static bool is_vector_only(const struct x86_insn *in)
{
	u8 op = in->op;

	if (in->map == 1)
		return (op >= 0x10 && op <= 0x17) || op == 0x28 || op == 0x29 ||
		       (op >= 0x54 && op <= 0x59) || (op >= 0x5c && op <= 0x77) || op == 0x7f ||
		       (op >= 0xd8 && op != 0xf7 && op != 0xff);
	return in->map == 2 && ((op >= 0x58 && op <= 0x5a) || (op >= 0x75 && op <= 0x7f));
}

void x86_effect(const struct x86_insn *in, struct x86_effect *e)
{
	u32 rule = in->map == 0 ? one_byte[in->op] : in->map == 1 ? two_byte_rule(in) : 0;

	*e = (struct x86_effect){ .kind = X86_PLAIN,
				  .copy_to = X86_NO_REG,
				  .copy_from = X86_NO_REG };
	e->may_fault = is_memory(in) && !is_sure(in);
	if (!in->len || in->lock || (in->vector && !is_vector_only(in))) {
		e->kind = X86_UNKNOWN;
		return;
	}
	if (in->vector)
		return;
	apply(in, e, rule);
	copy(in, e);
}

/* ---- emulation by the kernel */

/* The recommended nops of 2 to 8 bytes (arch/x86/include/asm/nops.h, 64-bit). */
static bool is_long_nop(const u8 *code, u32 len)
{
	static const u8 nops[][8] = {
		{ 0x66, 0x90 },
		{ 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
	};

	return len >= 2 && len <= 8 && !memcmp(code, nops[len - 2], len);
}

bool x86_uprobe_emulates(const struct x86_insn *in, const u8 *code, bool all_nops)
{
	bool prefixed = in->short_operand || in->lock || in->segment || in->rep;

	if (!in->len || in->vector)
		return false;
	if (in->map == 1)
		return (in->op >= 0x80 && in->op <= 0x8f && !prefixed) ||
		       (all_nops && is_long_nop(code, in->len));
	if (in->map)
		return false;
	if (in->op >= 0x50 && in->op <= 0x57) /* push, with REX.B or no prefix */
		return in->len == 1 || (in->len == 2 && in->has_rex && in->rex == 1);
	if (in->op == 0x90)
		return !in->has_rex && !in->lock && !in->segment;
	return ((in->op >= 0x70 && in->op <= 0x7f) || in->op == 0xe8 || in->op == 0xe9 ||
		in->op == 0xeb) &&
	       !prefixed;
}

bool x86_uprobe_misreads(const struct x86_insn *in)
{
	u8 op = in->op;

	return in->vector &&
	       ((op >= 0x70 && op <= 0x7f) || op == 0x90 || op == 0xe8 || op == 0xe9 || op == 0xeb);
}

static bool is_branch_op(u8 map, u8 op)
{
	return map ? map == 1 && op >= 0x80 && op <= 0x8f :
		     (op >= 0x70 && op <= 0x7f) || op == 0xe8 || op == 0xe9 || op == 0xeb;
}

/*
 * Bitmap of opcodes that are zero in good_insns_64 and good_insns_32. The kernel applies it to the
 * opcode of VEX and EVEX instructions too, whatever their map: vpxor is ef, vmovdqu 6f.
 */
static bool is_refused_op(u8 op, enum x86_mode mode)
{
	static const u16 refused[][16] = {
		[X86_64] = { 0x40c0, 0xc0c0, 0x8080, 0x8080, 0, 0, 0xf007, 0, 0x0004, 0x0400, 0, 0,
			     0xf000, 0x0070, 0xf4f0, 0x0c12 },
		[X86_32] = { 0x0080, 0x8080, 0, 0, 0, 0, 0xf000, 0, 0, 0, 0, 0, 0xf000, 0, 0xf0f0,
			     0x0c12 },
	};

	return refused[mode][op >> 4] >> (op & 15) & 1;
}

/* AMD's FMA4 (VEX, map 0f 3a), which arch/x86/lib/x86-opcode-map.txt lacks. */
static bool is_fma4(const struct x86_insn *in)
{
	return in->vector && in->map == 3 &&
	       ((in->op >= 0x5c && in->op <= 0x5f) || (in->op & 0xf8) == 0x68 ||
		(in->op & 0xf8) == 0x78);
}

const char *x86_uprobe_refuses(const struct x86_insn *in, enum x86_mode mode)
{
	enum { MOV_TO_SEGMENT = 0x8e, SS = 2, XCHG_AX = 0x90, REX_B = 1 };

	if (!in->vector && !in->map && in->op == XCHG_AX && in->rex & REX_B)
		return "the kernel mistakes the xchg %r8, %rax there for a nop";
	if (in->lock || (in->segment && in->segment < 0x64))
		return "the kernel refuses a probe on an instruction with a lock or segment prefix";
	if (!in->vector && in->short_operand && is_branch_op(in->map, in->op))
		return "the kernel refuses a probe on a 16-bit branch";
	if (((in->vector || !in->map) && is_refused_op(in->op, mode)) ||
	    (!in->map && in->op == MOV_TO_SEGMENT && (in->modrm >> 3 & 7) == SS))
		return "the kernel refuses a probe on an instruction like the one there";
	if (is_fma4(in))
		return "the kernel does not know the instruction there";
	return NULL;
}

bool x86_is_nop5(const u8 *code, u32 room)
{
	return room >= 5 && is_long_nop(code, 5);
}
