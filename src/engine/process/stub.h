/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that runs in the process. A function's entry jumps to its stub, which calls the recorder and
 * continues as the function would:
 *
 *	stub:	programs that run in the process
 *		push %rax; lea function(%rip), %rax; call recorder; pop %rax	(if others do not)
 *		copies of the instructions that the jump displaced
 *		jmp to the instruction after them
 *
 * The recorder writes a struct sonde_record (sonde/sonde.h) into the ring of its processor, in a
 * restartable sequence; in threads without one (rseq(2)), under a lock: a thread that finds a ring
 * locked, perhaps by code that its signal handler interrupted, takes the next one. Its words are
 * the registers of a mask. No other register changes, nor do the flags: callers within a file may
 * rely on what a function does not use. It needs 72 bytes of stack.
 */
#ifndef SONDE_ENGINE_PROCESS_STUB_H
#define SONDE_ENGINE_PROCESS_STUB_H

#include "arch/insn_move.h"

/* If rings are locked, the bits of a record's site from here on are the processor. */
enum { STUB_CPU_SHIFT = 48 };
enum { STUB_MAX = 14 + X86_MOVED_MAX + 5, RECORDER_MAX = 1024 };

/* Code to be placed at an address in the process. */
struct code {
	u8 *at;
	u32 len, room;
	u64 address;    /* of at[0] */
	bool is_broken; /* a target was too far away, or the buffer was full */
};

struct recorder {
	u32 regs;  /* bit i: register i as instructions number them (arch/insn.h) */
	u64 rings; /* address of the pointer to the rings; it may become NULL */
	u32 n_rings, ring_size;
	bool has_rseq; /* else rings are locked */
	s32 rseq;      /* struct rseq, from the thread pointer */
	u32 signature; /* before its abort handler */
	s32 tid; /* the thread ID, from the thread pointer; -1: by a system call (no rseq then) */
};

/* Returns its address. */
u64 stub_put_recorder(struct code *c, const struct recorder *r);
void stub_put(struct code *c, const void *bytes, u32 n);
void stub_put_record(struct code *c, u64 function, u64 recorder);
void stub_put_jump(struct code *c, u64 to);
void stub_put_moved(struct code *c, const struct x86_moved *moved, u64 back);
void stub_align(struct code *c, u32 to);
/* The size of its records. */
u32 stub_record_size(u32 regs);

#endif
