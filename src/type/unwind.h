/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory layout of the tables by which programs unwind user stacks: written by sonde
 * (object/unwind_table.c, sym/unwinds.c), read by programs (builtin/unwind.c).
 *
 * One array map, mapped into sonde's memory:
 *
 *	pages	u32: for each 256 bytes of a file's code, the first row at or above them
 *	rows	u32: low 16 bits of the address | rule << 16; valid up to the next row
 *	small, large
 *		struct unwind_raw: hits in code that the tables do not have yet; written by programs,
 *		unwound and emptied by sonde (sym/unwind_raw.c)
 *	cache	struct unwind_cached: pc -> rule, direct mapped; written by programs
 *	rules	struct unwind_rule: each distinct rule once, for all files; rule 0: none
 *
 * It is a single element, or, where elements have at most 4 MB (FEAT_BIG_ARRAYS), consecutive ones
 * of UNWIND_PART bytes. Then only the pages of the first are used, no table but that of rows is in
 * two of them, and the rows of a page, with the one before, are in one.
 *
 * And a hash: process -> struct unwind_process, its mappings of code; and a ring buffer, the bell,
 * to which programs write only to wake sonde.
 */
#ifndef SONDE_TYPE_UNWIND_H
#define SONDE_TYPE_UNWIND_H

#include "base/base.h"

enum {
	UNWIND_PAGE_SHIFT = 8,
	/* numbers of entries, all powers of two: indexes are masked */
	UNWIND_N_CACHED = 4096,
	UNWIND_N_RULES = 8192,
	UNWIND_N_PAGES = 1 << 21, /* 512 MB of code */
	UNWIND_N_ROWS = 1 << 22,  /* clang's libraries have 1.7 million, rustc's 1 million */
	UNWIND_N_SMALL = 512,     /* raw hits by the size of the stack, */
	UNWIND_N_LARGE = 128,
	UNWIND_N_BUDGETS = 1024,
	UNWIND_N_TURNS = 64, /* processors that keep hits where programs do not number them */
	UNWIND_RAW_RETURNS = 16,
	UNWIND_MAX_FRAME = 1 << 20, /* bytes of a frame whose frame pointer is believed */
};

/* Calls put the return address into a register (x30). A function that calls others saves it, maybe
 * with a signature in the bits that addresses do not have, 8 bytes above the caller's fp (x29). */
#if defined(__aarch64__)
enum { UNWIND_HAS_LINK = true };
#else
enum { UNWIND_HAS_LINK = false };
#endif

/* The bits of an address: the stack is near the end of what a process can address. */
static inline u64 unwind_address_mask(void)
{
	u64 here = (u64)(uintptr_t)__builtin_frame_address(0);

	return UNWIND_HAS_LINK ? ~0ull >> __builtin_clzll(here) : ~0ull;
}

/* How the caller's registers are found. Kinds are those of object/cfi.h. */
struct unwind_rule {
	/*
	 * Nearly all rules of 64-bit files fit 16 bits, with bit 16 set. Otherwise 0.
	 *	bit 0	the CFA is relative to fp, not sp
	 *	1..10	CFA / 8
	 *	11..15	n: fp was saved at CFA - 8 * (n + 1); 0: it was not saved
	 * The return address is at CFA - 8. With a link register (n from 1 on) it is 8 above the
	 * saved fp, and n is UNWIND_SAVED_LAST if fp is at the CFA less what bits 1..10 say; 0:
	 * both are in registers.
	 */
	u32 simple;
	u8 cfa_kind, fp_kind, ra_kind, is_signal;
	s32 cfa, add, fp, ra;
	u32 pad[2];
};
enum { UNWIND_IS_SIMPLE = 1 << 16, UNWIND_SAVED_LAST = 31 };

enum {
	UNWIND_PART = 4 << 20,
	UNWIND_PAGES = 0,
	UNWIND_ROWS = UNWIND_PAGES + 4 * UNWIND_N_PAGES,
	UNWIND_SMALL = UNWIND_ROWS + 4 * UNWIND_N_ROWS,
	UNWIND_SMALL_SIZE = 8 << 10,
	UNWIND_LARGE = UNWIND_SMALL + UNWIND_SMALL_SIZE * UNWIND_N_SMALL,
	UNWIND_LARGE_SIZE = 32 << 10,
	UNWIND_CACHE = UNWIND_LARGE + UNWIND_LARGE_SIZE * UNWIND_N_LARGE,
	UNWIND_RULES = UNWIND_CACHE + 8 * UNWIND_N_CACHED,
	UNWIND_NEXT_SMALL =
		UNWIND_RULES + (int)sizeof(struct unwind_rule) * UNWIND_N_RULES, /* u64: so far */
	UNWIND_NEXT_LARGE = UNWIND_NEXT_SMALL + 8,
	UNWIND_KEPT = UNWIND_NEXT_LARGE + 8, /* u64: hits whose keys may still be in maps */
	UNWIND_RING_AT =
		UNWIND_KEPT + 8, /* u64: the program rings that keeps so many hits in all */
	UNWIND_BUDGETS = UNWIND_RING_AT + 8,
	UNWIND_TURNS = UNWIND_BUDGETS + 8 * UNWIND_N_BUDGETS, /* u64 of each processor */
	UNWIND_SIZE = UNWIND_TURNS + 8 * UNWIND_N_TURNS,
	UNWIND_PARTS = (UNWIND_SIZE + UNWIND_PART - 1) / UNWIND_PART,
	UNWIND_PART_ROWS = UNWIND_PART / 4,
	UNWIND_PART_PAGES = UNWIND_PART / 4,
};

/* A hit that cannot be unwound yet: what the walk begins with. Its stack value has the id as
 * hash. */
struct unwind_raw {
	u64 state; /* enum unwind_raw_state */
	u64 id;    /* even; hashes of frames are odd */
	u64 time;  /* CLOCK_MONOTONIC */
	u32 pid, len;
	u64 start_stack; /* mm_struct.start_stack; 0: not known */
	u64 sp, fp, pc;
	u64 link; /* where a return address may still be: x30; on x86-64 rdi */
	/* where the return address of the function is whose entry was hit (1: in link), or 0 */
	u64 entered;
	u64 shown; /* the first frame: pc, or the entry from which the probe was moved */
	u64 word;  /* bytes of an address in the process's memory: 8, or 4 */
	/* bit n: the page n after that of sp was not resident, such as one within a large array */
	u64 missing;
	struct unwind_return { /* addresses that return probes replaced, innermost first, then 0 */
		u64 stack;     /* address of the slot */
		u64 address;
	} returns[UNWIND_RAW_RETURNS];
	u8 stack[]; /* len bytes from sp on, but those of the pages of `missing` */
};
enum { UNWIND_RAW_PAGE = 4096 }; /* bytes of a bit of `missing` */
/*
 * Each hit that is kept is a key of its own in a map keyed by stacks, until it is unwound and the
 * session has merged it with that of the same stack (session/stack_keys.c). So UNWIND_MAX_KEPT at
 * most are kept at a time. Of a process with the same mappings there are UNWIND_BUDGET in all,
 * because one whose mappings cannot be known would cost time without end: budgets are u64, direct
 * mapped, a tag of both in the high 48 bits and the number of hits in the others; written by
 * programs.
 */
enum { UNWIND_MAX_KEPT = 2048, UNWIND_BUDGET = 8192 };
enum unwind_raw_state { UNWIND_RAW_FREE, UNWIND_RAW_BEGUN, UNWIND_RAW_FULL };

/* A mapping of code. Address a of the process is page (a - base) >> 8 of the file. */
struct unwind_area {
	u64 base;
	u32 pages;   /* index of the file's first page, or enum unwind_special */
	u32 n_pages; /* an address past them is not in this mapping */
};
enum unwind_special {
	UNWIND_SPECIAL = 0xfffffff0u,
	/* by frame pointers, if they look right; in the order of the reasons NO_FP ... */
	UNWIND_BY_FP = UNWIND_SPECIAL, /* generated code */
	UNWIND_BY_FP_JVM,              /* of a JVM */
	UNWIND_BY_FP_FILE,             /* a file without unwind information */
	UNWIND_RETURNS,                /* where the kernel's return probes trap */
	UNWIND_NO_ROOM,                /* a file's unwind information did not fit the tables */
};

enum { UNWIND_AREAS = 128, UNWIND_PROCESSES = 4096 };
struct unwind_process {
	u64 salt;                /* of this process and these mappings, in the cache */
	u64 start_stack;         /* mm_struct.start_stack: another one after exec() */
	u64 zero;                /* 0 */
	u64 settled;             /* 1: raw hits of it were no better off: none is kept */
	u64 start[UNWIND_AREAS]; /* ascending, then ~0 */
	struct unwind_area area[UNWIND_AREAS];
};

/*
 * Why a stack ends before the thread's first frame: the last frame of such a stack is this
 * number, which no address of code equals.
 */
#define UNWIND_REASONS(R)                                                                          \
	R(NEW, "process not known yet")                                                            \
	R(NO_RULE, "no unwind information for this address")                                       \
	R(UNREADABLE, "stack page not resident")                                                   \
	R(NOT_CODE, "return address is not in code")                                               \
	R(NO_FP, "generated code without frame pointers")                                          \
	R(NO_FP_JVM, "Java code without frame pointers: use -XX:+PreserveFramePointer")            \
	R(NO_FP_FILE, "code without unwind information or frame pointers")                         \
	R(NO_ROOM, "unwind tables are full")                                                       \
	R(BACKWARDS, "frame below its callee")                                                     \
	R(SWITCH, "Go runtime on another stack")                                                   \
	R(DEPTH, "more frames follow")                                                             \
	R(CUT, "more stack than was kept")
enum unwind_reason {
	UNWIND_COMPLETE,
#define R(id, text) UNWIND_WHY_##id,
	UNWIND_REASONS(R)
#undef R
		N_UNWIND_REASONS
};

#endif
