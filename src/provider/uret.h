/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Returns without a trampoline. A kernel return probe replaces the return address: Go's runtime,
 * which moves stacks, and unwinders of C++ and Rust, which walk them, find no code there and end
 * the program. The kernel expects that a thread's functions return in the reverse order of their
 * calls: those of coroutines, which have stacks of their own, return to the wrong callers.
 * Functions of such files are probed at each of their ret instructions instead.
 */
#ifndef SONDE_PROVIDER_URET_H
#define SONDE_PROVIDER_URET_H

#include "provider/internal.h"
#include "object/elf.h"

enum unwinds { UNWINDS_NOT, UNWINDS_STACKS, UNWINDS_GO };

/* Whether something may walk the stacks of a file's functions, or switch between several. */
enum unwinds uret_unwinds(struct elf *e);

struct urets {
	VEC(u64) at, address; /* of the ret instructions: offsets in the file, addresses there */
	bool jumps;           /* the function may also end in a tail call */
	VEC(u64) to;          /* of jumps that leave it: functions, the PLT, words of the GOT */
	bool jumps_anywhere;  /* and where others lead is not known */
};

/* All returns of a function of such a file. NULL if they are known, else why not; *out has the
 * returns even if the function may also end in a jump. */
const char *uret_find(struct arena *a, struct elf *e, const struct elf_symbol *s,
		      enum unwinds unwinds, struct urets *out);

/*
 * Whether a function may end in a tail call of another: in jumps, by way of functions of its file
 * or of other files. True if its jumps are not known. to: NULL: a function of another file.
 */
bool uret_may_continue_as(struct elf *e, const struct elf_symbol *from,
			  const struct elf_symbol *to);

/*
 * The offset after a Go function's stack check; 0: no check. If the stack has to grow, the function
 * restarts from its beginning, so a probe there would fire twice.
 */
u32 uret_go_entry(struct elf *e, const struct elf_symbol *s);

/* Whether a function with this name returns more than once (setjmp, vfork): a return probe would
 * break it. */
bool uret_returns_twice(const char *name);
/* Whether it throws: the exception begins in its frame, from which a return probe hides the
 * caller. */
bool uret_throws(const char *name);

#endif
