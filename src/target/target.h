/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IR -> BPF. target_emit() selects instructions by the kernel's features, allocates registers
 * (linear scan: r6-r9 across calls, r0-r5 otherwise, spills to 8-byte slots), lays out the stack,
 * encodes, and records a span for each instruction. target_verify() is our own verifier, stricter
 * than any kernel's.
 */
#ifndef SONDE_TARGET_H
#define SONDE_TARGET_H

#include "ir/ir.h"
#include "type/loc.h"

/*
 * 0, or -E2BIG when the frame exceeds 512 bytes (the caller lowers again with less on the stack).
 */
int target_emit(struct ir_unit *u, struct features *features, struct bpf_func *out);

/*
 * Limits of kernels: 8192 branches pending on the path that is verified first, 64 maps, 256
 * functions, a million instructions.
 */
struct target_measure {
	u32 branches, maps, insns, funcs;
	u32 at; /* the instruction at which a limit is exceeded */
};
enum { MOST_BRANCHES = 8192, MOST_MAPS = 64, MOST_INSNS = 1000000, MOST_FUNCS = 256 };
struct target_measure target_measure(const struct program *prog, const struct bpf_func *f);

struct verify_error {
	u32 insn;
	char text[256];
	bool too_long; /* correct, but a verifier would process too many instructions */
};
/* 0, or -EACCES and the instruction that a kernel would refuse (or that could misbehave). */
int target_verify(const struct program *prog, const struct bpf_func *f,
		  const struct profile *profile, struct verify_error *error);

/* What a program can do besides counting, by the helpers that it calls. */
enum effect {
	EFFECT_READS_KERNEL = 1 << 0,
	EFFECT_READS_USER = 1 << 1,
	EFFECT_READS_STACK = 1 << 2,
	EFFECT_WRITES_USER = 1 << 3,
	EFFECT_OVERRIDES = 1 << 4,
	EFFECT_SIGNALS = 1 << 5,
	EFFECT_TRACES = 1 << 6,
	EFFECTS_CHANGE = EFFECT_WRITES_USER | EFFECT_OVERRIDES | EFFECT_SIGNALS | EFFECT_TRACES,
};
/* enum effect set. */
u32 target_effects(const struct bpf_func *f);

/*
 * The most instructions that one run of a verified program executes, callbacks and calls included,
 * the insides of helpers not. An upper bound: both sides of a branch are counted.
 */
u64 target_cost(const struct program *prog, const struct bpf_func *f,
		const struct profile *profile);

/*
 * The number of instructions that a kernel's verifier will process, `most` at most. If the upper
 * bound from counting paths is at most `enough`, the result is that bound.
 * target_verify_with_cost() verifies first and returns the result of target_verify(). known (may be
 * NULL) collects results of walks: for a program with the same loops as an earlier one, the result
 * is twice that one's if that is at most `enough`.
 */
struct target_walk {
	u64 loops, bound, n; /* hash of the loops; bound if each runs once; instructions followed */
};
struct target_shared { /* a shared function that was verified */
	u64 hash, n;   /* of its instructions; instructions followed */
};
struct target_walks {
	struct arena *arena;
	VEC(struct target_walk) list;
	VEC(struct target_shared) shared;
};
struct target_cost {
	struct target_walks *known;
	u64 enough, most;
	u64 n; /* result */
};
int target_verify_with_cost(const struct program *prog, const struct bpf_func *f,
			    const struct profile *profile, struct verify_error *error,
			    struct target_cost *cost);
u64 target_verifier_cost(const struct program *prog, const struct bpf_func *f,
			 const struct profile *profile, u64 enough, u64 most);

/* All programs and maps as an ELF object; replaces the content of out. */
void target_object(struct buf *out, const struct program *prog, const char *license);

/* One instruction as text (two slots for ld_imm64): "r1 = *(u64 *)(r6 +8)". Returns slots used. */
u32 target_disasm(struct buf *b, const struct program *prog, const struct bpf_func *f, u32 insn);
/* Whole function, script lines interleaved (-d bpf). */
void target_dump(struct buf *b, const struct program *prog, const struct bpf_func *f);

#endif
