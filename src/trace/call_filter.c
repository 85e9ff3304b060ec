/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: instructions, each u16 code, u8 jt, u8 jf, u32 k; or, of eBPF, u8 code, 4 bits each of
 * destination and source, s16 offset, s32 number. The code, by linux/bpf_common.h:
 *
 *	bits 0..2	class
 *	LD, LDX		bits 3, 4 size, 5..7 mode
 *	ALU, JMP	bit 3 source, bits 4..7 operation
 *	RET		bits 3, 4 what is returned
 *
 * In eBPF ST and STX are like LD, the class of MISC is like ALU.
 *
 * Bits above the eighth are shown only of the classes whose others are no fields.
 */
#include "trace/call_filter.h"

enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC };
enum { ALU64 = MISC }; /* of eBPF, which has no RET */
enum { MODE_ABS = 1, AUXILIARY = 0xfffff000, ACTION = 0xffff0000 };

#define NAME(table, i) ((i) < ARRAY_SIZE(table) ? table[i] : NULL)

static void put_part(struct buf *b, const char *name, u32 value)
{
	if (name)
		buf_printf(b, "|BPF_%s", name);
	else
		buf_printf(b, "|%#x /* BPF_??? */", value);
}

static void put_access(struct buf *b, u32 code, const char *const *modes)
{
	static const char *const sizes[] = { "W", "H", "B", "DW" };
	u32 mode = code >> 5 & 7;

	put_part(b, sizes[code >> 3 & 3], 0);
	put_part(b, modes[mode], mode << 5);
}

static void put_operation(struct buf *b, u32 code, const char *const *names, u32 n)
{
	u32 op = code >> 4 & 15;

	put_part(b, code & 8 ? "X" : "K", 0);
	put_part(b, op < n ? names[op] : NULL, op << 4);
}

static const char *const alu[] = { "ADD", "SUB", "MUL", "DIV", "OR",  "AND",  "LSH",
				   "RSH", "NEG", "MOD", "XOR", "MOV", "ARSH", "END" };
static const char *const jmp[] = { "JA",   "JEQ",  "JGT",  "JGE", "JSET", "JNE",  "JSGT",
				   "JSGE", "CALL", "EXIT", "JLT", "JLE",  "JSLT", "JSLE" };

static void put_code(struct buf *b, u32 code)
{
	static const char *const classes[] = {
		"LD", "LDX", "ST", "STX", "ALU", "JMP", "RET", "MISC"
	};
	static const char *const modes[8] = { "IMM", "ABS", "IND", "MEM", "LEN", "MSH", "XADD" };
	static const char *const rets[] = { "K", "X", "A" };
	u32 class = code & 7;

	buf_printf(b, "BPF_%s", classes[class]);
	switch (class) {
	case LD:
	case LDX: put_access(b, code, modes); return;
	case ALU: put_operation(b, code, alu, ARRAY_SIZE(alu)); return;
	case JMP: put_operation(b, code, jmp, ARRAY_SIZE(jmp)); return;
	case RET:
		put_part(b, NAME(rets, code >> 3 & 3), code & 0x18);
		if (code & ~0x1fu)
			put_part(b, NULL, code & ~0x1fu);
		return;
	case MISC:
		put_part(b,
			 !(code & 0xf8)        ? "TAX" :
			 (code & 0xf8) == 0x80 ? "TXA" :
						 NULL,
			 code & 0xf8);
		if (code >> 8)
			put_part(b, NULL, code & 0xff00);
		return;
	}
	if (code & ~7u)
		put_part(b, NULL, code & ~7u);
}

/* linux/seccomp.h */
static void put_action(struct buf *b, u32 k)
{
	static const struct {
		u32 value;
		const char *name;
	} actions[] = {
		{ 0x80000000, "KILL_PROCESS" },
		{ 0, "KILL_THREAD" },
		{ 0x30000, "TRAP" },
		{ 0x50000, "ERRNO" },
		{ 0x7fc00000, "USER_NOTIF" },
		{ 0x7ff00000, "TRACE" },
		{ 0x7ffc0000, "LOG" },
		{ 0x7fff0000, "ALLOW" },
	};
	const char *name = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(actions); i++)
		if (actions[i].value == (k & ACTION))
			name = actions[i].name;
	if (name)
		buf_printf(b, "SECCOMP_RET_%s", name);
	else
		buf_printf(b, "%#x /* SECCOMP_RET_??? */", k & ACTION);
	if (k & ~ACTION)
		buf_printf(b, "|%#x", k & ~ACTION);
}

/* Offsets of what is not in the packet (linux/filter.h), in steps of four. */
static bool put_auxiliary(struct buf *b, u32 code, u32 k)
{
	static const char *const names[] = {
		"PROTOCOL",         "PKTTYPE",    "IFINDEX",   "NLATTR",
		"NLATTR_NEST",      "MARK",       "QUEUE",     "HATYPE",
		"RXHASH",           "CPU",        "ALU_XOR_X", "VLAN_TAG",
		"VLAN_TAG_PRESENT", "PAY_OFFSET", "RANDOM",    "VLAN_TPID"
	};
	u32 i = (k - AUXILIARY) / 4;

	if ((code & 7) != LD || (code >> 5 & 7) != MODE_ABS || k < AUXILIARY || k % 4 ||
	    i >= ARRAY_SIZE(names))
		return false;
	buf_printf(b, "SKF_AD_OFF+SKF_AD_%s", names[i]);
	return true;
}

static void put_insn(struct buf *b, const u8 *p, bool of_seccomp)
{
	u32 code = (u32)p[0] | (u32)p[1] << 8, k;

	memcpy(&k, p + 4, sizeof k);
	buf_puts(b, p[2] || p[3] ? "BPF_JUMP(" : "BPF_STMT(");
	put_code(b, code);
	buf_puts(b, ", ");
	if (of_seccomp && code == RET)
		put_action(b, k);
	else if (of_seccomp || !put_auxiliary(b, code, k))
		buf_printf(b, "%#x", k);
	if (p[2] || p[3])
		buf_printf(b, ", %#x, %#x", p[2], p[3]);
	buf_putc(b, ')');
}

/* ---- eBPF: struct bpf_insn of linux/bpf.h */

static void put_ext_code(struct buf *b, u32 code)
{
	static const char *const classes[] = { "LD",  "LDX", "ST",    "STX",
					       "ALU", "JMP", "JMP32", "ALU64" };
	static const char *const modes[8] = { "IMM", "ABS", "IND", "MEM", [6] = "XADD" };
	u32 class = code & 7;

	buf_printf(b, "BPF_%s", classes[class]);
	if (class <= STX)
		put_access(b, code, modes);
	else if (class == ALU || class == ALU64)
		put_operation(b, code, alu, ARRAY_SIZE(alu));
	else if (class == JMP)
		put_operation(b, code, jmp, ARRAY_SIZE(jmp));
	else if (code & ~7u)
		put_part(b, NULL, code & ~7u);
}

static void put_register(struct buf *b, const char *name, u32 i)
{
	enum { REGISTERS = 11 };

	if (i < REGISTERS)
		buf_printf(b, ", %s=BPF_REG_%u", name, i);
	else
		buf_printf(b, ", %s=%#x /* BPF_REG_??? */", name, i);
}

static void put_ext_insn(struct buf *b, const u8 *p)
{
	s16 off;
	u32 imm;

	memcpy(&off, p + 2, sizeof off);
	memcpy(&imm, p + 4, sizeof imm);
	buf_puts(b, "{code=");
	put_ext_code(b, p[0]);
	put_register(b, "dst_reg", p[1] & 15);
	put_register(b, "src_reg", p[1] >> 4);
	buf_printf(b, ", off=%d, imm=%#x}", off, imm);
}

void put_filter(struct buf *b, const u8 *p, u32 n, enum filter_kind kind)
{
	buf_putc(b, '[');
	for (u32 at = 0; at + FILTER_INSN <= n; at += FILTER_INSN) {
		buf_puts(b, at ? ", " : "");
		if (kind == FILTER_EXTENDED)
			put_ext_insn(b, p + at);
		else
			put_insn(b, p + at, kind == FILTER_SECCOMP);
	}
	buf_putc(b, ']');
}
