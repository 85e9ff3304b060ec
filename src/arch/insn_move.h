/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies x86-64 instructions to another address, where they do the same: what a jump over the first
 * instructions of a function displaces.
 */
#ifndef SONDE_ARCH_INSN_MOVE_H
#define SONDE_ARCH_INSN_MOVE_H

#include "base/base.h"

enum { X86_JUMP_LEN = 5, X86_MOVED_MAX = 64 };

struct x86_moved {
	u8 code[X86_MOVED_MAX]; /* the copies; the last may not fall through */
	u8 len;
	u8 displaced; /* bytes of the originals: at least X86_JUMP_LEN */
	/* Instructions after the first: where each was, and where its copy is. */
	u8 n_inner, inner[X86_JUMP_LEN], copy[X86_JUMP_LEN];
};

/*
 * Copies the instructions that the first five bytes of code at the address `from` touch, of which
 * `room` bytes belong to one function, for the address `to`. NULL, or the reason why that is
 * impossible.
 */
const char *x86_move(const u8 *code, u32 room, u64 from, u64 to, struct x86_moved *out);
/*
 * The same for code that ends with a return of ret_len bytes, its last: all `len` bytes are copied
 * but that one, which is to follow the copies. It counts as an instruction after the first, unless
 * it is the first.
 */
const char *x86_move_exit(const u8 *code, u32 len, u32 ret_len, u64 from, u64 to,
			  struct x86_moved *out);
/* Whether endbr64 is there, which must stay the first instruction. */
bool x86_is_endbr64(const u8 *code, u32 room);

#endif
