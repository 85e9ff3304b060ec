/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The best position of a user-space probe in a function. A kernel uprobe on an instruction that the
 * kernel emulates costs a tenth of one that it single-steps, so a probe of a function's entry may
 * be after the entry, on the first such instruction, if nothing can observe the difference.
 */
#ifndef SONDE_PROVIDER_UPOINT_H
#define SONDE_PROVIDER_UPOINT_H

#include "provider/provider.h"
#include "object/elf.h"

struct upoint_need {
	/* registers whose values at the entry are read: bitmap of enum in insn.h, insn_arm64.h */
	u32 regs;
	bool flags;     /* arm64: so are the flags */
	bool plain;     /* only skip instructions without effect, because anything may be read */
	bool is_return; /* rsp must point to the return address */
	/* the return address is read: no return probe of the function may precede */
	bool caller;
	bool stack; /* the user stack is walked: it must be the same as at the entry */
};

struct upoint {
	u32 offset;  /* of the site from the entry */
	s32 sp;      /* rsp there, relative to rsp at the entry */
	u8 reg[32];  /* the register that holds what register i held at the entry */
	bool framed; /* the frame pointer is this function's already */
	/* x86: the instruction there tells the kernel that the function has just been called */
	bool shows_caller;
	const char *why;
	const char *refused; /* why the function cannot be probed; NULL: it can */
};

struct upoint_finder;

/* Reads e, which the caller owns and must keep open during its lifetime. */
struct upoint_finder *upoint_finder_new(struct provider_env *env, struct elf *e);
void upoint_finder_free(struct upoint_finder *u);
/* Never fails: out->refused has the reason if there is no instruction. why is allocated in env's
 * arena. */
void upoint_find(struct upoint_finder *u, const struct elf_symbol *function,
		 const struct upoint_need *need, struct upoint *out);
/*
 * NULL: five bytes from *offset on, after the function's endbr64, may become a jump, because
 * nothing enters after the first of them; else why not.
 */
const char *upoint_no_jump(struct upoint_finder *u, const struct elf_symbol *function, u32 *offset);
/* The same for a jump at the entry that displaces its first `len` bytes, into which the function
 * never jumps back. */
const char *upoint_no_jump_over(struct upoint_finder *u, const struct elf_symbol *function,
				u32 len);
/*
 * NULL: five bytes that begin *back bytes before the function's return at the address `ret`, in its
 * code or in a part that was moved out of it, may become a jump; else why not. What follows the
 * return may be among them if it never runs.
 */
const char *upoint_no_exit_jump(struct upoint_finder *u, const struct elf_symbol *function, u64 ret,
				u8 *back);
/* NULL: an instruction at an address may be probed; else why not. */
const char *upoint_refuses(const struct elf *e, u64 address);
/* The address after the nops at an address: compilers align loops with nops. */
u64 upoint_past_nops(const struct elf *e, u64 address);
/*
 * The address to probe if the script gives an exact one: the next instruction if a probe on the
 * nop5 there would overwrite the function's variables and no branch enters in between. *why NULL:
 * allowed.
 */
u64 upoint_exact(struct provider_env *env, struct elf *e, u64 address, const char **why);
/* The code from an address to the end of the loaded bytes; NULL: none. */
const u8 *upoint_code(const struct elf *e, u64 address, u64 *room);
/* Requirements of the clauses of a script for an entry or return probe. */
struct upoint_need upoint_need_of(const struct provider_env *env, bool is_return);
/* The profile as a program sees it at that instruction: base itself if nothing differs. */
struct profile *upoint_profile(struct provider_env *env, struct profile *base,
			       const struct upoint *at);
/* See struct upoint. */
bool upoint_shows_caller(struct provider_env *env, const struct elf *e, u64 address);
/* A profile with the location of the caller there, for user stacks, if the clause shows them; else
 * base. */
struct profile *upoint_with_caller(struct provider_env *env, struct profile *base,
				   const struct upoint *at, bool is_i386);

#endif
