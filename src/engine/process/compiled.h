/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that run in the process (jit/), and the memory that it and sonde share for them:
 *
 *	struct jit_clock, a page | maps (vm/shared.h)
 *
 * The interpreter has its maps there, too, so begin, end and clauses that run here see the same
 * ones.
 */
#ifndef SONDE_ENGINE_PROCESS_COMPILED_H
#define SONDE_ENGINE_PROCESS_COMPILED_H

#include "engine/process/internal.h"
#include "jit/jit.h"

struct compiled;
/* NULL with the reason: its maps cannot be in a process. */
struct compiled *compiled_new(const struct program *prog, u32 n_cpus, struct err *err);
void compiled_free(struct compiled *c);
/* For vm_world. */
const struct shared_maps *compiled_maps(const struct compiled *c);
u8 *compiled_block(const struct compiled *c);

/* Bytes of the shared memory. */
u64 compiled_size(const struct compiled *c);
/* Moves what there is into a file at an offset, a multiple of the page size, whose memory takes its
 * place. */
int compiled_move(struct compiled *c, int fd, u64 offset, struct err *err);
/* Sets the clock that programs see; between the first call and the second it does not run. */
void compiled_look(struct compiled *c, const struct tsc *t);

/* Where things are in the process. */
struct compiled_place {
	u64 memory;   /* the shared memory */
	u64 routines; /* what compiled_put_routines() wrote, aligned to 64 */
	u64 control;  /* a word that is 0 where the memory is not mapped */
	u32 pid;
	s32 tid, rseq; /* from the thread pointer; only if has_... */
	bool has_tid, has_rseq;
	u64 rings; /* of jit_world, likewise */
	u32 n_rings, ring_size, signature;
};
u32 compiled_routines_size(const struct compiled *c);
void compiled_put_routines(const struct compiled *c, const struct compiled_place *at,
			   struct buf *b);
/* Where a program runs: at the entry of a function, or (words) at a tracepoint of sonde.h. */
struct compiled_site {
	u64 ip;
	bool is_point;
	const struct loc *words; /* the operands of its arguments */
	u32 n_words;
};
/* Appends code of a function of the program, which will run at `address`. 0, or -ENOTSUP with the
 * reason. */
int compiled_put(const struct compiled *c, u32 func, u64 cookie, const struct compiled_site *site,
		 const struct compiled_place *at, u64 address, struct buf *b, struct err *err);
/* The most bytes of that code; 0: err has the reason why it cannot run there. `has`: its has_...
 * alone are looked at. *stack: bytes that it uses of it. */
u32 compiled_length(const struct compiled *c, u32 func, const struct compiled_site *site,
		    const struct compiled_place *has, u32 *stack, struct err *err);

#endif
