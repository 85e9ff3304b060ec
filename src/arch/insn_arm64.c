/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of one A64 instruction on registers and control flow. Input: its four bytes; output:
 * its effect. The encoding is that of the Arm Architecture Reference Manual for A-profile (DDI
 * 0487), C4.1; each class is a row of masks, and the first match selects the rule:
 *
 *	31 .. 29 | 28 27 26 25 | 24 ...
 *	           1  0  0  x    immediate: adr, add, mov
 *	           1  0  1  x    branches, system
 *	           x  1  x  0    loads and stores
 *	           x  1  0  1    registers: add, csel, madd
 *	           x  1  1  1    vectors and floats
 */
#include "arch/insn_arm64.h"

static u32 bits(u32 w, u32 high, u32 low)
{
	return w >> low & ((1u << (high - low + 1)) - 1);
}

static s64 signed_bits(u32 w, u32 high, u32 low)
{
	u32 unused = 31 - high;

	return (s32)(w << unused) >> (unused + low);
}

/* A register field where 31 is xzr, and one where it is sp. */
static u32 set_of(u32 reg)
{
	return reg == 31 ? 0 : 1u << reg;
}

static u32 rd(u32 w)
{
	return bits(w, 4, 0);
}

static u32 rn(u32 w)
{
	return bits(w, 9, 5);
}

static u32 rm(u32 w)
{
	return bits(w, 20, 16);
}

static void move_sp(struct arm64_effect *e, s64 by)
{
	e->writes |= 1u << ARM64_SP;
	e->moves_sp = true;
	e->sp = (s32)by;
}

/* ---- immediates */

static void to_rd(u32 w, struct arm64_effect *e)
{
	e->writes = set_of(rd(w));
}

static void add_immediate(u32 w, struct arm64_effect *e)
{
	s64 n = (s64)bits(w, 21, 10) << (w & 1u << 22 ? 12 : 0);

	e->flags = w >> 29 & 1;
	if (e->flags) {
		to_rd(w, e);
		return;
	}
	e->writes = 1u << rd(w);
	if (rd(w) == ARM64_SP && rn(w) == ARM64_SP && w >> 31)
		move_sp(e, w & 1u << 30 ? -n : n);
}

/* and, orr and eor may write sp, ands writes flags. */
static void logical_immediate(u32 w, struct arm64_effect *e)
{
	e->flags = bits(w, 30, 29) == 3;
	e->writes = e->flags ? set_of(rd(w)) : 1u << rd(w);
}

/* ---- branches and system instructions */

static void branch(u32 w, struct arm64_effect *e)
{
	bool is_call = w >> 31;

	e->kind = is_call ? ARM64_CALL : ARM64_JUMP;
	e->writes = is_call ? 1u << ARM64_LR : 0;
	e->target = signed_bits(w, 25, 0) * 4;
}

static void branch_19(u32 w, struct arm64_effect *e)
{
	e->kind = ARM64_BRANCH;
	e->target = signed_bits(w, 23, 5) * 4;
}

static void branch_14(u32 w, struct arm64_effect *e)
{
	e->kind = ARM64_BRANCH;
	e->target = signed_bits(w, 18, 5) * 4;
}

/* br, blr, ret, eret; with bit 11 set, authenticated. */
static void branch_register(u32 w, struct arm64_effect *e)
{
	switch (bits(w, 23, 21)) {
	case 0: e->kind = ARM64_JUMP_INDIRECT; break;
	case 1:
		e->kind = ARM64_CALL_INDIRECT;
		e->writes = 1u << ARM64_LR;
		break;
	case 2: e->kind = ARM64_RETURN; break;
	case 4: e->kind = ARM64_END; break;
	default: e->kind = ARM64_UNKNOWN; break;
	}
}

/* svc returns, with x0 and possibly more changed; the others do not. */
static void exception(u32 w, struct arm64_effect *e)
{
	e->kind = (w & 0xffe0001f) == 0xd4000001 ? ARM64_UNKNOWN : ARM64_END;
}

enum { /* hint numbers */
       HINT_NOP = 0,
       HINT_XPACLRI = 7,
       HINT_PACIA1716 = 8,
       HINT_PACIB1716 = 10,
       HINT_AUTIA1716 = 12,
       HINT_AUTIB1716 = 14,
       HINT_PACIAZ = 24,
       HINT_AUTIBSP = 31,
       HINT_BTI = 32,
       HINT_BTIJC = 38,
       HINT_CHKFEAT = 40,
};

static void hint(u32 w, struct arm64_effect *e)
{
	u32 n = bits(w, 11, 5);

	if (n == HINT_NOP || (n >= HINT_BTI && n <= HINT_BTIJC && n % 2 == 0)) {
		e->kind = ARM64_NOP;
	} else if (n == HINT_XPACLRI || (n >= HINT_PACIAZ && n <= HINT_AUTIBSP)) {
		e->writes = 1u << ARM64_LR;
		e->signs = true;
	} else if (n == HINT_PACIA1716 || n == HINT_PACIB1716 || n == HINT_AUTIA1716 ||
		   n == HINT_AUTIB1716) {
		e->writes = 1u << 17;
	} else if (n == HINT_CHKFEAT) {
		e->writes = 1u << 16;
	}
}

static void read_system(u32 w, struct arm64_effect *e)
{
	to_rd(w, e);
	e->flags = true; /* rndr reports success there */
}

/* ---- loads and stores */

static bool is_vector(u32 w)
{
	return w >> 26 & 1;
}

/* sp plus a constant: the stack is mapped. */
static void at_base(u32 w, struct arm64_effect *e, bool writes_back, s64 by)
{
	e->may_fault = rn(w) != ARM64_SP;
	if (!writes_back)
		return;
	if (rn(w) == ARM64_SP)
		move_sp(e, by);
	else
		e->writes |= 1u << rn(w);
}

static void load_pair(u32 w, struct arm64_effect *e)
{
	u32 opc = bits(w, 31, 30), mode = bits(w, 24, 23);
	bool is_load = w >> 22 & 1, is_tagged = opc == 1 && !is_load && !is_vector(w);
	s64 scale = is_vector(w) ? 4 << opc :
		    is_tagged    ? 16 :
		    opc == 2     ? 8 :
				   4,
	    offset = signed_bits(w, 21, 15) * scale;

	if (is_load && !is_vector(w))
		e->writes = set_of(rd(w)) | set_of(bits(w, 14, 10));
	at_base(w, e, mode & 1, offset);
	e->saves_frame = opc == 2 && !is_load && !is_vector(w) && rn(w) == ARM64_SP &&
			 rd(w) == ARM64_FP && bits(w, 14, 10) == ARM64_LR;
	e->frame_at = (s32)(mode == 3 ? 0 : mode == 1 ? -offset : offset);
}

/* A load or store of one register writes it, except: opc 0 stores, size 3 with opc 2 prefetches. */
static u32 loaded(u32 w)
{
	u32 opc = bits(w, 23, 22);

	if (is_vector(w) || !opc || (opc == 2 && w >> 30 == 3))
		return 0;
	return set_of(rd(w));
}

static void load_unsigned(u32 w, struct arm64_effect *e)
{
	e->writes = loaded(w);
	at_base(w, e, false, 0);
}

/* Unscaled, post-indexed, unprivileged, pre-indexed. */
static void load_9(u32 w, struct arm64_effect *e)
{
	e->writes = loaded(w);
	at_base(w, e, w >> 10 & 1, signed_bits(w, 20, 12));
}

static void load_register(u32 w, struct arm64_effect *e)
{
	e->writes = loaded(w);
	e->may_fault = true;
}

/* ldadd, swp ...: the old value is returned in rt; with V not in a general register. */
static void atomic(u32 w, struct arm64_effect *e)
{
	e->writes = is_vector(w) ? 0 : set_of(rd(w));
	e->may_fault = true;
}

static void load_signed_pointer(u32 w, struct arm64_effect *e)
{
	e->writes = set_of(rd(w)) | (w >> 11 & 1 ? 1u << rn(w) : 0);
	e->may_fault = true;
}

static void load_literal(u32 w, struct arm64_effect *e)
{
	if (!is_vector(w) && w >> 30 != 3)
		to_rd(w, e);
}

/* Structure loads and stores of vectors: a post-index writes the base. */
static void load_vectors(u32 w, struct arm64_effect *e)
{
	e->may_fault = true;
	if (w >> 23 & 1)
		e->writes = 1u << rn(w);
}

/* Exclusive, ordered, compare and swap: all registers that they may write. */
static void load_ordered(u32 w, struct arm64_effect *e)
{
	bool is_pair = w >> 21 & 1;

	e->writes = set_of(rd(w)) | set_of(rm(w)) |
		    (is_pair ? set_of(bits(w, 14, 10)) | set_of((rm(w) + 1) & 31) : 0);
	e->may_fault = true;
}

/* ---- data processing, registers */

static void logical_register(u32 w, struct arm64_effect *e)
{
	to_rd(w, e);
	e->flags = bits(w, 30, 29) == 3;
	if ((w & 0xffe0ffe0) == 0xaa0003e0 && rm(w) != 31 && rd(w) != 31) { /* mov xd, xm */
		e->copy_to = (u8)rd(w);
		e->copy_from = (u8)rm(w);
	}
}

static void add_register(u32 w, struct arm64_effect *e)
{
	bool is_extended = w >> 21 & 1;

	e->flags = w >> 29 & 1;
	e->writes = e->flags || !is_extended ? set_of(rd(w)) : 1u << rd(w);
}

static void with_flags(u32 w, struct arm64_effect *e)
{
	to_rd(w, e);
	e->flags = true;
}

static void only_flags(u32 w, struct arm64_effect *e)
{
	e->flags = true;
}

/* udiv, lslv, clz, pacia ...; irg and gmi may write sp, subps flags. */
static void two_sources(u32 w, struct arm64_effect *e)
{
	to_rd(w, e);
	e->flags = w >> 29 & 1;
	e->signs = bits(w, 30, 29) == 2 && rd(w) == ARM64_LR; /* pacia x30, sp */
	if (bits(w, 31, 29) == 4 && bits(w, 15, 10) == 4)     /* irg */
		e->writes = 1u << rd(w);
}

/* Vector instructions that write a general register use Rd; comparisons write flags. */
static void vectors(u32 w, struct arm64_effect *e)
{
	e->writes = set_of(rd(w));
	e->flags = true;
}

static void unknown(u32 w, struct arm64_effect *e)
{
	e->kind = ARM64_UNKNOWN;
}

static void end(u32 w, struct arm64_effect *e)
{
	e->kind = ARM64_END;
}

static void nothing(u32 w, struct arm64_effect *e)
{
}

static const struct {
	u32 mask, value;
	void (*rule)(u32 w, struct arm64_effect *e);
} classes[] = {
	{ 0xffff0000, 0x00000000, end }, /* udf */
	/* immediates */
	{ 0x1f000000, 0x10000000, to_rd }, /* adr, adrp */
	{ 0x1f800000, 0x11000000, add_immediate },
	{ 0x1f800000, 0x11800000, unknown }, /* memory tags, min and max */
	{ 0x1f800000, 0x12000000, logical_immediate },
	{ 0x1f800000, 0x12800000, to_rd }, /* mov */
	{ 0x1f800000, 0x13000000, to_rd }, /* bitfields */
	{ 0x7fa00000, 0x13800000, to_rd }, /* extr */
	/* branches, system */
	{ 0x7c000000, 0x14000000, branch },
	{ 0x7e000000, 0x34000000, branch_19 }, /* cbz */
	{ 0x7e000000, 0x36000000, branch_14 }, /* tbz */
	{ 0xff000000, 0x54000000, branch_19 }, /* b.eq, bc.eq */
	{ 0xff000000, 0xd4000000, exception },
	{ 0xfffff01f, 0xd503201f, hint },
	{ 0xfffff01f, 0xd503301f, nothing }, /* barriers: clrex dsb dmb isb */
	{ 0xfff00000, 0xd5300000, read_system },
	{ 0xfe1ff000, 0xd61f0000, branch_register },
	/* loads and stores */
	{ 0x3f000000, 0x08000000, load_ordered },
	{ 0xbe000000, 0x0c000000, load_vectors },
	{ 0x3b000000, 0x18000000, load_literal },
	{ 0x3f200c00, 0x19000000, load_9 }, /* ldapur, stlur */
	{ 0x3a000000, 0x28000000, load_pair },
	{ 0x3b000000, 0x39000000, load_unsigned },
	{ 0x3b200000, 0x38000000, load_9 },
	{ 0x3b200c00, 0x38200800, load_register },
	{ 0xfffffc00, 0xf83fd000, unknown }, /* ld64b */
	{ 0x3b200c00, 0x38200000, atomic },
	{ 0xff200400, 0xf8200400, load_signed_pointer },
	/* registers */
	{ 0x1f000000, 0x0a000000, logical_register },
	{ 0x1f000000, 0x0b000000, add_register },
	{ 0x1fe0fc00, 0x1a000000, with_flags }, /* adc, sbc */
	{ 0x1fe00000, 0x1a000000, only_flags }, /* rmif, setf8 */
	{ 0x1fe00000, 0x1a400000, only_flags }, /* ccmp */
	{ 0x1fe00000, 0x1a800000, to_rd },      /* csel */
	{ 0x1fe00000, 0x1ac00000, two_sources },
	{ 0x1f000000, 0x1b000000, to_rd }, /* madd */
	/* vectors */
	{ 0x0e000000, 0x0e000000, vectors },
};

void arm64_effect(u32 w, struct arm64_effect *e)
{
	*e = (struct arm64_effect){ .kind = ARM64_PLAIN,
				    .copy_to = ARM64_NO_REG,
				    .copy_from = ARM64_NO_REG };
	for (u32 i = 0; i < ARRAY_SIZE(classes); i++)
		if ((w & classes[i].mask) == classes[i].value) {
			classes[i].rule(w, e);
			return;
		}
	e->kind = ARM64_UNKNOWN;
}

/* ---- the kernel's uprobe rules */

static const char literal[] =
	"the kernel allows no probe on a load of a constant that lies beside the code";
static const char elsewhere[] =
	"the kernel would run a copy of it elsewhere, where it means another address";
static const char hints[] =
	"the kernel allows no probe on this hint (autiasp, yield, wfe and their like)";

/* The first matching row is the kernel's action. */
static const struct {
	u32 mask, value;
	bool simulates;
	const char *why; /* NULL: probes are allowed */
} uprobes[] = {
	{ 0x7c000000, 0x14000000, true, NULL }, /* b, bl */
	{ 0x7e000000, 0x34000000, true, NULL }, /* cbz */
	{ 0x7e000000, 0x36000000, true, NULL }, /* tbz */
	{ 0xff000010, 0x54000000, true, NULL }, /* b.eq */
	{ 0x1f000000, 0x10000000, true, NULL }, /* adr, adrp */
	{ 0xff9ffc1f, 0xd61f0000, true, NULL }, /* br, blr, ret */
	{ 0xfe000000, 0xd6000000, false,
	  "the kernel allows no probe on a branch that authenticates its target" },
	{ 0xff000000, 0xd4000000, false,
	  "the kernel allows no probe on a system call or trap instruction" },
	{ 0xfff8f01f, 0xd500401f, false,
	  "the kernel allows no probe on a write of a system register" },
	{ 0xfff00000, 0xd5100000, false,
	  "the kernel allows no probe on a write of a system register" },
	{ 0xffffffe0, 0xd53b4220, false, "the kernel allows no probe on a read of daif" },
	{ 0xff000000, 0xd5000000, false, NULL },
	{ 0x1e000000, 0x14000000, false, elsewhere }, /* bc.eq and newer ones */
	{ 0x3f000000, 0x18000000, false, literal },
	{ 0x3f000000, 0x1c000000, false,
	  elsewhere }, /* ldr d0, literal: not distinguished from other loads */
	{ 0x3f800000, 0x08000000, false,
	  "the kernel allows no probe on an exclusive load or store" },
	{ 0x3b200c00, 0x19000400, false,
	  "the kernel allows no probe on an instruction that copies memory" },
};

/* Hints that cannot fault: aarch64_insn_is_steppable_hint(). */
static bool steps_hint(u32 n)
{
	switch (n) {
	case HINT_NOP:
	case HINT_XPACLRI:
	case HINT_PACIA1716:
	case HINT_PACIB1716:
	case HINT_PACIAZ:
	case HINT_PACIAZ + 1: /* paciasp */
	case HINT_PACIAZ + 2: /* pacibz */
	case HINT_PACIAZ + 3: /* pacibsp */
	case HINT_BTI:
	case HINT_BTI + 2:
	case HINT_BTI + 4:
	case HINT_BTIJC: return true;
	default: return false;
	}
}

static bool is_hint(u32 w)
{
	return (w & 0xfffff01f) == 0xd503201f;
}

static s32 find_row(u32 w)
{
	for (u32 i = 0; i < ARRAY_SIZE(uprobes); i++)
		if ((w & uprobes[i].mask) == uprobes[i].value)
			return (s32)i;
	return -1;
}

bool arm64_uprobe_simulates(u32 w, bool nops)
{
	s32 row = find_row(w);

	if (is_hint(w))
		return nops && bits(w, 11, 5) == HINT_NOP;
	return row >= 0 && uprobes[row].simulates;
}

const char *arm64_uprobe_refuses(u32 w)
{
	s32 row = find_row(w);

	if (is_hint(w))
		return steps_hint(bits(w, 11, 5)) ? NULL : hints;
	return row >= 0 ? uprobes[row].why : NULL;
}

/* casp is a complete operation, but is encoded as a pair of words. */
static bool is_casp(u32 w)
{
	return (w & 0xbfa00000) == 0x08200000;
}

bool arm64_is_exclusive_load(u32 w)
{
	return (w & 0x3fc00000) == 0x08400000 && !is_casp(w);
}

bool arm64_is_exclusive_store(u32 w)
{
	return (w & 0x3fc00000) == 0x08000000 && !is_casp(w);
}
