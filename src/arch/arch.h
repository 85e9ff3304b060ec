/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between processors, as data: where struct pt_regs keeps each register, and which of
 * them hold arguments, results and system call numbers. Offsets are those of the kernel's structure,
 * whose head is also the one that perf event programs see.
 */
#ifndef SONDE_ARCH_ARCH_H
#define SONDE_ARCH_ARCH_H

#include "base/base.h"

enum { ARCH_MAX_ARGS = 8, ARCH_SYSCALL_ARGS = 6 };

struct arch_reg {
	const char *name;
	u32 offset;
};

struct arch {
	const char *name;
	const char *syscall_prefix; /* of functions: "__x64_sys_" */
	u16 elf_machine;
	u32 n_args;
	u32 arg[ARCH_MAX_ARGS]; /* offsets: arguments of functions */
	u32 syscall_arg
		[ARCH_SYSCALL_ARGS]; /* and of system calls, which keep them when the call returns, */
	u32 syscall_arg0_at_exit;    /* but for the first where the result takes its register */
	u32 sp, ip, retval, syscall_nr;
	u32 link; /* where calls leave the return address; 0: on the stack */
	u32 syscall_nr_size;
	struct {
		u32 offset;
		u64 mask, user; /* what the masked register is while user code runs */
	} mode;
	bool kprobes_on_ftrace; /* kprobes at the start of functions are calls of the function tracer (CONFIG_KPROBES_ON_FTRACE) */
	bool watch_rw_only;          /* watchpoints know w, rw and x, but no plain r */
	u32 watch_code_len;          /* what the kernel wants as length of x */
	u32 insn_align;              /* bytes that instructions are aligned to and, above 1, have */
	const struct arch_reg *regs; /* names of reg() */
	u32 n_regs;
	u32 perf_regs_size; /* the part of struct pt_regs that programs of perf events see */
};

extern const struct arch arch_x86_64, arch_arm64;
/* By e_machine of an ELF file; this machine's when it is none of these. */
const struct arch *arch_of(u16 elf_machine);
/* This machine's. */
extern const struct arch *const arch_native;

/* Offset of a register by name, also "%rdi", "edi", "w0" as assemblers write them; -1: none.
 * *size gets the bytes that the name means (8 for whole registers). */
s32 arch_reg_offset(const struct arch *a, const char *name, u32 *size);
/* Offset of the second lowest byte, which "%ah" names; -1: none is called that. */
s32 arch_high_byte(const struct arch *a, const char *name);
/* Vector, floating point and mask registers: not in struct pt_regs. */
bool arch_is_vector(const struct arch *a, const char *name);

#endif
