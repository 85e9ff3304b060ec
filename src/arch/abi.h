/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calling conventions: where parameters and results are at a function's first instruction and at its
 * return, by their types alone. Needed where debug information describes only where the function will
 * have put them (unoptimized code), and for results, whose place it does not tell at all.
 */
#ifndef SONDE_ARCH_ABI_H
#define SONDE_ARCH_ABI_H

#include "arch/arch.h"
#include "type/loc.h"

struct abi { /* what the parameters so far have taken */
	struct arena *arena;
	const struct abi_rules *rules;
	u32 n_int, n_float;
	u64 stack;
};

enum abi_kind {
	ABI_SYSTEM_V, /* C and C++ on x86-64 */
	ABI_I386,     /* 32-bit programs there */
	ABI_AAPCS,    /* and on arm64 */
	ABI_GO,       /* Go from 1.17 on, x86-64 */
	ABI_GO_ARM64, /* and from 1.18 on, arm64 */
	ABI_GO_STACK, /* Go before */
	ABI_GO_STACK_ARM64,
};

/* That of a file's machine (e_machine). in_registers: Go's newer one. */
enum abi_kind abi_of_c(u16 machine);
enum abi_kind abi_of_go(u16 machine, bool in_registers);

void abi_begin(struct abi *abi, struct arena *a, enum abi_kind kind);
/* Before the first parameter: a big result's address goes in front of them. */
void abi_skip_result(struct abi *abi, const struct type *result, bool by_reference);
/* The next parameter. False: *why says why it cannot be read; true with *why: that is the reason for pieces of LOC_NONE. */
bool abi_param(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
	       const char **why);
/* The result of a C function, when it has returned. */
bool abi_result(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		const char **why);
/* The registers that the words of a C function's result come in, and what lies at a distance from one. */
const u16 *abi_result_registers(const struct abi *abi, u32 *n);
struct loc abi_in_memory(struct abi *abi, u32 reg, u64 distance);
/* Whether the address of a large result comes back in the first of them. */
bool abi_returns_address(const struct abi *abi);
/*
 * The result of a Rust function (abi_rust.c), with abi begun as C's of the machine. rustc: its version, 195 for 1.95.
 * False: *why says why it cannot be read; true with *why: that is the reason for pieces of LOC_NONE.
 */
bool abi_rust_result(struct abi *abi, const struct type *t, u32 rustc, struct loc *out,
		     const char **why);
/* Go: results follow the parameters; end of the parameters, then each result by abi_param(). They are
 * where that says when a ret is about to run. */
void abi_go_results(struct abi *abi);

#endif
