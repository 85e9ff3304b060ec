/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that run in the process (jit/), and the memory that the process and sonde share for
 * them:
 *
 *	struct jit_clock, a page | maps (vm/shared.h)
 *
 * The interpreter's maps are there, too, so begin, end and clauses that run in sonde see the same
 * maps.
 */
#ifndef SONDE_ENGINE_PROCESS_COMPILED_H
#define SONDE_ENGINE_PROCESS_COMPILED_H

#include "engine/process/internal.h"
#include "jit/jit.h"

struct compiled;
/* waits: what runs there waits for room in a ring. NULL with the reason: its maps cannot be in a
 * process. */
struct compiled *compiled_new(const struct program *prog, u32 n_cpus, bool waits, struct err *err);
void compiled_free(struct compiled *c);
/* For vm_world. */
const struct shared_maps *compiled_maps(const struct compiled *c);
u8 *compiled_block(const struct compiled *c);

/* Bytes of the shared memory. */
u64 compiled_size(const struct compiled *c);
/* Moves its contents into a file at an offset, a multiple of the page size; the file's memory then
 * replaces its own. */
int compiled_move(struct compiled *c, int fd, u64 offset, struct err *err);
/* Updates the clock that programs read; it runs from the second call on. */
void compiled_look(struct compiled *c, const struct tsc *t);

/* Addresses in the process. */
struct compiled_place {
	u64 memory;   /* the shared memory */
	u64 routines; /* output of compiled_put_routines(), aligned to 64 */
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
/* A function of the program and where it runs: in a function of the process, or (words) at a
 * tracepoint of sonde.h. */
struct compiled_site {
	u32 func;
	u64 cookie; /* of the attachment */
	u64 ip;
	bool is_point;
	const struct loc *words; /* the operands of its arguments */
	u32 n_words;
};
/* Appends its code, which will run at `address`. 0, or -ENOTSUP with the reason. */
int compiled_put(const struct compiled *c, const struct compiled_site *site,
		 const struct compiled_place *at, u64 address, struct buf *b, struct err *err);
/* The maximum size of that code; 0: it cannot run there, err has the reason. `has`: only has_...
 * members are used. *stack: bytes of stack that it uses. */
u32 compiled_length(const struct compiled *c, const struct compiled_site *site,
		    const struct compiled_place *has, u32 *stack, struct err *err);

#endif
