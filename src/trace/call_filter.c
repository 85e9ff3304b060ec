/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: instructions, each u16 code, u8 jt, u8 jf, u32 k. The code, by linux/bpf_common.h:
 *
 *	bits 0..2	class
 *	LD, LDX		bits 3, 4 size, 5..7 mode
 *	ALU, JMP	bit 3 source, bits 4..7 operation
 *	RET		bits 3, 4 what is returned
 *
 * Bits above the eighth are shown only of the classes whose others are no fields.
 */
#include "trace/call_filter.h"

enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC };
enum { MODE_ABS = 1, AUXILIARY = 0xfffff000, ACTION = 0xffff0000 };

#define NAME(table, i) ((i) < ARRAY_SIZE(table) ? table[i] : NULL)

static void put_part(struct buf *b, const char *name, u32 value)
{
	if (name)
		buf_printf(b, "|BPF_%s", name);
	else
		buf_printf(b, "|%#x /* BPF_??? */", value);
}

static void put_code(struct buf *b, u32 code)
{
	static const char *const classes[] = {
		"LD", "LDX", "ST", "STX", "ALU", "JMP", "RET", "MISC"
	};
	static const char *const sizes[] = { "W", "H", "B", "DW" };
	static const char *const modes[] = { "IMM", "ABS", "IND", "MEM", "LEN", "MSH", "XADD" };
	static const char *const alu[] = { "ADD", "SUB", "MUL", "DIV", "OR",  "AND",  "LSH",
					   "RSH", "NEG", "MOD", "XOR", "MOV", "ARSH", "END" };
	static const char *const jmp[] = { "JA",   "JEQ",  "JGT",  "JGE", "JSET", "JNE",  "JSGT",
					   "JSGE", "CALL", "EXIT", "JLT", "JLE",  "JSLT", "JSLE" };
	static const char *const rets[] = { "K", "X", "A" };
	u32 class = code & 7, op = code >> 4 & 15;

	buf_printf(b, "BPF_%s", classes[class]);
	switch (class) {
	case LD:
	case LDX:
		put_part(b, sizes[code >> 3 & 3], 0);
		put_part(b, NAME(modes, code >> 5 & 7), code & 0xe0);
		return;
	case ALU:
	case JMP:
		put_part(b, code & 8 ? "X" : "K", 0);
		put_part(b, class == ALU ? NAME(alu, op) : NAME(jmp, op), code & 0xf0);
		return;
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

void put_filter(struct buf *b, const u8 *p, u32 n, bool of_seccomp)
{
	buf_putc(b, '[');
	for (u32 at = 0; at + FILTER_INSN <= n; at += FILTER_INSN) {
		buf_puts(b, at ? ", " : "");
		put_insn(b, p + at, of_seccomp);
	}
	buf_putc(b, ']');
}
