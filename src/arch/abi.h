/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calling conventions: locations of parameters at a function's first instruction and of results at
 * its return, computed from their types alone. Needed where debug information describes only the
 * state after the prologue (unoptimized code), and for results, whose location debug information
 * does not contain.
 */
#ifndef SONDE_ARCH_ABI_H
#define SONDE_ARCH_ABI_H

#include "arch/arch.h"
#include "type/loc.h"

struct abi { /* registers and stack that the parameters so far have taken */
	struct arena *arena;
	const struct abi_rules *rules;
	u32 n_int, n_float;
	u64 stack;
};

enum abi_kind {
	ABI_SYSTEM_V, /* C and C++ on x86-64 */
	ABI_I386,     /* 32-bit programs on x86-64 */
	ABI_AAPCS,    /* C and C++ on arm64 */
	ABI_GO,       /* Go from 1.17 on, x86-64 */
	ABI_GO_ARM64, /* Go from 1.18 on, arm64 */
	ABI_GO_STACK, /* older Go */
	ABI_GO_STACK_ARM64,
};

/* The convention for a file's machine (e_machine). in_registers: Go's register convention. */
enum abi_kind abi_of_c(u16 machine);
enum abi_kind abi_of_go(u16 machine, bool in_registers);

void abi_begin(struct abi *abi, struct arena *a, enum abi_kind kind);
/* Before the first parameter: the address of a large result precedes the parameters. */
void abi_skip_result(struct abi *abi, const struct type *result, bool by_reference);
/*
 * The next parameter. False: unreadable, *why is the reason; true with *why: the reason for pieces
 * of LOC_NONE.
 */
bool abi_param(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
	       const char **why);
/* The result of a C function at its return. */
bool abi_result(struct abi *abi, const struct type *t, bool by_reference, struct loc *out,
		const char **why);
/* The registers that hold the words of a C function's result, and memory at an offset from one. */
const u16 *abi_result_registers(const struct abi *abi, u32 *n);
struct loc abi_in_memory(struct abi *abi, u32 reg, u64 distance);
/* The address of a large result is returned in the first result register. */
bool abi_returns_address(const struct abi *abi);
/*
 * The result of a Rust function (abi_rust.c); abi must be initialized with the machine's C
 * convention. rustc: its version, 195 for 1.95. False: unreadable, *why is the reason; true with
 * *why: the reason for pieces of LOC_NONE.
 */
bool abi_rust_result(struct abi *abi, const struct type *t, u32 rustc, struct loc *out,
		     const char **why);
/*
 * Go: results follow the parameters; call this after the parameters, then abi_param() for each
 * result. The locations are valid when a ret is about to execute.
 */
void abi_go_results(struct abi *abi);

#endif
