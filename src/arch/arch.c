/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register tables of x86-64 (arch/x86/include/asm/ptrace.h, System V calling convention; system
 * calls take their fourth argument in r10) and arm64 (arch/arm64/include/asm/ptrace.h, AAPCS64).
 */
#include <elf.h>
#include <stdlib.h>
#include "arch/arch.h"

/* clang-format off */
static const struct arch_reg x86_64_regs[] = {
	{ "r15", 0 }, { "r14", 8 }, { "r13", 16 }, { "r12", 24 }, { "bp", 32 }, { "bx", 40 },
	{ "r11", 48 }, { "r10", 56 }, { "r9", 64 }, { "r8", 72 }, { "ax", 80 }, { "cx", 88 },
	{ "dx", 96 }, { "si", 104 }, { "di", 112 }, { "orig_ax", 120 }, { "ip", 128 }, { "pc", 128 },
	{ "cs", 136 }, { "flags", 144 }, { "sp", 152 }, { "ss", 160 },
};
/* clang-format on */

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.syscall_prefix = "__x64_sys_",
	.elf_machine = EM_X86_64,
	.n_args = 6,
	.arg = { 112, 104, 96, 88, 72, 64 },
	.syscall_arg = { 112, 104, 96, 56, 72, 64 },
	.syscall_arg0_at_exit = 112,
	.sp = 152,
	.ip = 128,
	.retval = 80,
	.syscall_nr = 120,
	.syscall_nr_size = 8,
	.mode = { 136, 3, 3 }, /* cs: privilege level */
	.kprobes_on_ftrace = true,
	.watch_rw_only = true,
	.watch_code_len = 8,
	.insn_align = 1,
	.regs = x86_64_regs,
	.n_regs = ARRAY_SIZE(x86_64_regs),
	.perf_regs_size = 168,
	.sample_regs = 0xff0fff, /* all but ds, es, fs, gs */
	/* ax bx cx dx si di bp sp ip flags cs ss, ds es fs gs, r8 to r15 */
	.sample_reg = { 80, 40, 88, 96, 104, 112, 32, 152, 128, 144, 136, 160,
			0,  0,  0,  0,  72,  64,  56, 48,  24,  16,  8,   0 },
};

/* clang-format off */
static const struct arch_reg arm64_regs[] = {
	{ "r0", 0 }, { "r1", 8 }, { "r2", 16 }, { "r3", 24 }, { "r4", 32 }, { "r5", 40 },
	{ "r6", 48 }, { "r7", 56 }, { "r8", 64 }, { "r9", 72 }, { "r10", 80 }, { "r11", 88 },
	{ "r12", 96 }, { "r13", 104 }, { "r14", 112 }, { "r15", 120 }, { "r16", 128 }, { "r17", 136 },
	{ "r18", 144 }, { "r19", 152 }, { "r20", 160 }, { "r21", 168 }, { "r22", 176 },
	{ "r23", 184 }, { "r24", 192 }, { "r25", 200 }, { "r26", 208 }, { "r27", 216 },
	{ "r28", 224 }, { "r29", 232 }, { "r30", 240 }, { "x0", 0 }, { "x1", 8 }, { "x2", 16 },
	{ "x3", 24 }, { "x4", 32 }, { "x5", 40 }, { "x6", 48 }, { "x7", 56 }, { "x8", 64 },
	{ "x9", 72 }, { "x10", 80 }, { "x11", 88 }, { "x12", 96 }, { "x13", 104 }, { "x14", 112 },
	{ "x15", 120 }, { "x16", 128 }, { "x17", 136 }, { "x18", 144 }, { "x19", 152 }, { "x20", 160 },
	{ "x21", 168 }, { "x22", 176 }, { "x23", 184 }, { "x24", 192 }, { "x25", 200 }, { "x26", 208 },
	{ "x27", 216 }, { "x28", 224 }, { "x29", 232 }, { "x30", 240 },
	{ "fp", 232 }, { "lr", 240 }, { "sp", 248 },
	{ "pc", 256 }, { "ip", 256 }, { "pstate", 264 }, { "orig_x0", 272 }, { "syscallno", 280 },
};
/* clang-format on */

const struct arch arch_arm64 = {
	.name = "aarch64",
	.syscall_prefix = "__arm64_sys_",
	.elf_machine = EM_AARCH64,
	.n_args = 8,
	.arg = { 0, 8, 16, 24, 32, 40, 48, 56 },
	.syscall_arg = { 0, 8, 16, 24, 32, 40 },
	.syscall_arg0_at_exit = 272, /* orig_x0 */
	.sp = 248,
	.ip = 256,
	.link = 240,
	.retval = 0,
	.syscall_nr = 280,
	.syscall_nr_size = 4,
	.mode = { 264, 15, 0 }, /* pstate: exception level (PSR_MODE_MASK), EL0 */
	.watch_code_len = 4,
	.insn_align = 4,
	.regs = arm64_regs,
	.n_regs = ARRAY_SIZE(arm64_regs),
	.perf_regs_size = 272,      /* struct user_pt_regs */
	.sample_regs = 0x1ffffffff, /* x0 to x29, lr, sp, pc */
	.sample_reg = { 0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,
			88,  96,  104, 112, 120, 128, 136, 144, 152, 160, 168,
			176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256 },
};

#if defined(__aarch64__)
const struct arch *const arch_native = &arch_arm64;
#else
const struct arch *const arch_native = &arch_x86_64;
#endif

const struct arch *arch_of(u16 elf_machine)
{
	static const struct arch *const all[] = { &arch_x86_64, &arch_arm64 };

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->elf_machine == elf_machine)
			return all[i];
	return arch_native;
}

static s32 find(const struct arch *a, const char *name, size_t len)
{
	for (u32 i = 0; i < a->n_regs; i++)
		if (strlen(a->regs[i].name) == len && !memcmp(a->regs[i].name, name, len))
			return (s32)a->regs[i].offset;
	return -1;
}

/* rdi edi di dil, rax eax ax al, r8 r8d r8w r8b. High bytes (ah) have no row. */
static s32 x86_reg(const struct arch *a, const char *s, u32 *size)
{
	size_t len = strlen(s);
	s32 off;

	*size = 8;
	if (len > 1 && s[0] == 'r' && s[1] >= '0' && s[1] <= '9') {
		char last = s[len - 1];

		*size = last == 'd' ? 4 : last == 'w' ? 2 : last == 'b' ? 1 : 8;
		return find(a, s, *size == 8 ? len : len - 1);
	}
	if (len == 3 && (s[0] == 'r' || s[0] == 'e')) {
		*size = s[0] == 'r' ? 8 : 4;
		return find(a, s + 1, 2);
	}
	if (len == 3 && s[2] == 'l') { /* sil dil bpl spl */
		*size = 1;
		return find(a, s, 2);
	}
	if (len == 2 && s[1] == 'l') { /* al bl cl dl */
		char word[] = { s[0], 'x' };

		*size = 1;
		return find(a, word, 2);
	}
	off = find(a, s, len);
	if (off >= 0 && len == 2)
		*size = 2;
	return off;
}

static s32 arm_reg(const struct arch *a, const char *s, u32 *size)
{
	char word[8] = "r";

	*size = s[0] == 'w' ? 4 : 8;
	if ((s[0] != 'x' && s[0] != 'w') || strlen(s) > 3)
		return find(a, s, strlen(s));
	strcat(word, s + 1);
	return find(a, word, strlen(word));
}

s32 arch_reg_offset(const struct arch *a, const char *name, u32 *size)
{
	u32 ignored;

	if (!size)
		size = &ignored;
	if (*name == '%')
		name++;
	return a == &arch_arm64 ? arm_reg(a, name, size) : x86_reg(a, name, size);
}

const char *arch_kernel_register(u32 offset)
{
	const struct arch *a = arch_native;
	const char *name = NULL;

	for (u32 i = 0; i < a->n_regs; i++)
		if (a->regs[i].offset == offset &&
		    (!name || (*name == 'r' && *a->regs[i].name == 'x')))
			name = a->regs[i].name;
	return name;
}

s32 arch_high_byte(const struct arch *a, const char *name)
{
	char word[] = { *name == '%' ? name[1] : name[0], 'x', '\0' };
	s32 off;

	name += *name == '%';
	if (a != &arch_x86_64 || strlen(name) != 2 || name[1] != 'h' || !strchr("abcd", name[0]))
		return -1;
	off = find(a, word, 2);
	return off < 0 ? off : off + 1;
}

/* "xmm3", "st"; on arm64 "d0", "v31.d", where the letters alone are not registers. */
static bool is_numbered(const char *rest, bool is_arm)
{
	size_t digits = strspn(rest, "0123456789");

	return is_arm ? digits && (!rest[digits] || rest[digits] == '.') : !*rest || digits;
}

bool arch_is_vector(const struct arch *a, const char *name)
{
	static const char *const x86[] = { "xmm", "ymm", "zmm", "mm", "st", "k", NULL };
	static const char *const arm[] = { "v", "q", "d", "s", "h", "b", "z", "p", NULL };
	bool is_arm = a == &arch_arm64;

	name += *name == '%';
	for (const char *const *p = is_arm ? arm : x86; *p; p++)
		if (starts_with(name, *p) && is_numbered(name + strlen(*p), is_arm))
			return true;
	return false;
}
