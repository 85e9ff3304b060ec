/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IR -> BPF. target_emit() selects instructions by the kernel's features, allocates registers (linear
 * scan: r6-r9 across calls, r0-r5 otherwise, spills to 8-byte slots), lays out the stack, encodes, and
 * keeps a span for each instruction. target_verify() is our own verifier, stricter than any kernel's.
 */
#ifndef SONDE_TARGET_H
#define SONDE_TARGET_H

#include "ir/ir.h"
#include "type/loc.h"

/* 0, or -E2BIG when the frame does not fit 512 bytes (the caller lowers again with less on the stack). */
int target_emit(struct ir_unit *u, struct features *features, struct bpf_func *out);

/* What kernels limit: 8192 branches on the way that is followed first, 64 maps, 256 functions, a million
 * instructions. */
struct target_measure {
	u32 branches, maps, insns, funcs;
	u32 at; /* the instruction with which a limit is passed */
};
enum { MOST_BRANCHES = 8192, MOST_MAPS = 64, MOST_INSNS = 1000000, MOST_FUNCS = 256 };
struct target_measure target_measure(const struct program *prog, const struct bpf_func *f);

struct verify_error {
	u32 insn;
	char text[256];
	bool too_long; /* nothing is wrong, but a verifier would follow too many instructions */
};
/* 0, or -EACCES and the place where a kernel would refuse (or could misbehave). */
int target_verify(const struct program *prog, const struct bpf_func *f,
		  const struct profile *profile, struct verify_error *error);

/*
 * The most instructions that one run of a good program executes, callbacks and calls included; what
 * helpers do inside is not counted. An upper bound: of two branches both are taken to run.
 */
u64 target_cost(const struct program *prog, const struct bpf_func *f,
		const struct profile *profile);

/*
 * How many instructions a verifier will process, `most` at most; where ways are counted to be no more than `enough`, by
 * that count alone. target_verify() and this in one.
 */
int target_verify_with_cost(const struct program *prog, const struct bpf_func *f,
			    const struct profile *profile, struct verify_error *error, u64 enough,
			    u64 most, u64 *followed);
u64 target_verifier_cost(const struct program *prog, const struct bpf_func *f,
			 const struct profile *profile, u64 enough, u64 most);

/* All programs and maps as an ELF object; out is overwritten. */
void target_object(struct buf *out, const struct program *prog, const char *license);

/* One instruction as text (two slots for ld_imm64): "r1 = *(u64 *)(r6 +8)". Returns slots used. */
u32 target_disasm(struct buf *b, const struct program *prog, const struct bpf_func *f, u32 insn);
/* Whole function, script lines interleaved (-d bpf). */
void target_dump(struct buf *b, const struct program *prog, const struct bpf_func *f);

#endif
