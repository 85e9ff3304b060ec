/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processor differences as data: the offset of each register in struct pt_regs, and which registers
 * hold arguments, results and system call numbers. The start of the kernel's structure is also the
 * one that perf event programs see.
 */
#ifndef SONDE_ARCH_ARCH_H
#define SONDE_ARCH_ARCH_H

#include "base/base.h"

enum { ARCH_MAX_ARGS = 8, ARCH_SYSCALL_ARGS = 6, ARCH_SAMPLE_REGS = 33 };

struct arch_reg {
	const char *name;
	u32 offset;
};

struct arch {
	const char *name;
	const char *syscall_prefix; /* of kernel functions: "__x64_sys_" */
	u16 elf_machine;
	u32 n_args;
	u32 arg[ARCH_MAX_ARGS]; /* offsets of function arguments */
	/*
	 * Offsets of system call arguments, which keep their values when the call returns, except
	 * the first if the result takes its register.
	 */
	u32 syscall_arg[ARCH_SYSCALL_ARGS];
	u32 syscall_arg0_at_exit;
	u32 sp, ip, retval, syscall_nr;
	u32 link; /* offset of the link register; 0: return addresses are on the stack */
	u32 syscall_nr_size;
	struct {
		u32 offset;
		u64 mask, user; /* value of the masked register in user mode */
	} mode;
	/* Kprobes at a function's entry use the function tracer (CONFIG_KPROBES_ON_FTRACE). */
	bool kprobes_on_ftrace;
	bool watch_rw_only; /* watchpoints support w, rw and x, but not r */
	u32 watch_code_len; /* length that the kernel requires for x */
	/* instruction alignment in bytes; above 1, also their length */
	u32 insn_align;
	const struct arch_reg *regs; /* names of reg() */
	u32 n_regs;
	u32 perf_regs_size; /* part of struct pt_regs that perf event programs see */
	/* Of a perf sample (asm/perf_regs.h): the registers to ask for, and the offset of each by
	 * its number. */
	u64 sample_regs;
	u16 sample_reg[ARCH_SAMPLE_REGS];
};

extern const struct arch arch_x86_64, arch_arm64;
/* By e_machine of an ELF file; this machine's if unknown. */
const struct arch *arch_of(u16 elf_machine);
/* This machine's. */
extern const struct arch *const arch_native;

/*
 * Offset of a register by name, also "%rdi", "edi", "w0" as in assembly; -1: unknown.
 * *size gets the width in bytes that the name implies (8 for whole registers).
 */
s32 arch_reg_offset(const struct arch *a, const char *name, u32 *size);
/* Its name in definitions of kprobe_events and uprobe_events: "di", "x0"; NULL: none. Of this
 * machine. */
const char *arch_kernel_register(u32 offset);
/* Offset of the second lowest byte, as named by "%ah"; -1: not such a name. */
s32 arch_high_byte(const struct arch *a, const char *name);
/* Vector, floating point and mask registers: not in struct pt_regs. */
bool arch_is_vector(const struct arch *a, const char *name);

#endif
