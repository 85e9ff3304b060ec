/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the compiler.
 *
 *	jit.c       the function: looks at all of it, then compiles each instruction
 *	flow.c      what registers hold
 *	emit.c      jumps, refusals
 *	frame.c     registers of the site, the frame, the context
 *	insn.c      arithmetic, memory, jumps
 *	helper.c    calls of helpers
 *	record.c    records that programs send
 *	routines.c  what helpers call: code that every program shares
 *	x86.c       bytes of instructions
 *
 * Registers: r0 rax, r1 rdi, r2 rsi, r3 rdx, r4 rcx, r5 r8, r6 rbx, r7 r13, r8 r14, r9 r15. r10 is
 * none: it is a distance from rsp. r10 and r11 of the processor are temporaries of one instruction.
 */
#ifndef SONDE_JIT_INTERNAL_H
#define SONDE_JIT_INTERNAL_H

#include "jit/flow.h"
#include "jit/jit.h"
#include "type/bpf_isa.h"

enum { T0 = X10, T1 = X11 };
#define JIT_CALLER_SAVED                                                                           \
	(1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 1u << X8 | 1u << X9 |         \
	 1u << X10 | 1u << X11)

/* Of a subprogram, from rsp upwards: the stack of BPF (depth bytes), saved registers, flags,
 * context. */
struct jit_frame {
	u32 used;   /* registers that its code changes */
	u32 needed; /* those that it reads as a part of the context */
	u32 saved;  /* those that it saves */
	u32 size, depth;
	u32 flags_at, context_at; /* 0: they are not there */
	u32 record, record_at;    /* bytes for a record, and where */
	bool is_main;
	bool reads_time;
	u32 tick_at; /* of the counter, if records are sent, too; 0: it is not kept */
};

struct jit_jump {
	u32 from, target; /* where its distance is; instruction */
	bool is_call;     /* to the code before the instruction that makes a frame, too */
};

/* Where parts of a sequence that sends a record are in the code (record.c). */
struct jit_commit {
	u32 again, start, end, done;
	u32 descriptor, no_ring, full; /* distances to fill in */
};

struct jit {
	const struct program *prog;
	const struct bpf_func *f;
	const struct jit_site *site;
	const struct jit_world *world;
	u64 address; /* of the code, which begins at offset `begin` of the buffer */
	struct buf *code;
	u32 begin;
	struct flow_input in;
	const struct flow_state *flow;
	u32 *start, *entry; /* by instruction: where its code begins, and that of its subprogram */
	struct jit_frame frame;
	u32 pc;
	VEC(struct jit_jump) jumps;
	VEC(struct jit_commit) commits;
	struct arena arena;
	u32 deepest; /* of all frames */
	struct err *err;
};

static inline u8 jit_reg(u32 bpf)
{
	static const u8 of[] = { RAX, RDI, RSI, RDX, RCX, X8, RBX, X13, X14, X15, RSP };

	return of[bpf];
}
/* The memory at an offset from a BPF register. */
static inline struct x86_mem jit_mem(const struct jit *j, u32 bpf, s32 off)
{
	return bpf == 10 ? at(RSP, (s32)j->frame.depth + off) : at(jit_reg(bpf), off);
}
static inline struct held jit_held(const struct jit *j, u32 bpf)
{
	return j->flow[j->pc].r[bpf];
}
/* ---- emit.c */
int jit_refuse(struct jit *j, const char *fmt, ...) FORMAT(2, 3);
/* Jumps to an instruction of the program. */
void jit_goto(struct jit *j, enum x86_cond c, u32 target);
/* Calls the subprogram at an instruction. */
void jit_call_subprogram(struct jit *j, u32 target);

/* ---- frame.c */
/* Notes what the instruction at j->pc needs; when all have, plans the frame. */
void jit_frame_need(struct jit *j);
void jit_frame_plan(struct jit *j);
int jit_frame_enter(struct jit *j);
void jit_frame_leave(struct jit *j);
/* size bytes of the context become a register of BPF. */
int jit_context_load(struct jit *j, u32 dst, s64 off, u32 size);

/* ---- insn.c: each compiles j->f->insns[j->pc]; 0 or -ENOTSUP. */
int jit_insn(struct jit *j);
/* Registers that it changes, besides its destination. */
u32 jit_insn_changes(const struct bpf_insn *i);

/* ---- helper.c */
int jit_call(struct jit *j);
u32 jit_call_changes(u32 helper);

/* ---- record.c */
/* Bytes of the frame that the instruction at j->pc needs. */
u32 jit_record_need(const struct jit *j);
/* Calls of helpers, as in helper.c. */
int jit_reserve(struct jit *j);
int jit_submit(struct jit *j);
int jit_discard(struct jit *j);
/* Behind all code. */
void jit_records_end(struct jit *j);

#endif
