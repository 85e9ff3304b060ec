/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of functions that several programs of a script have, generated once: see emit_shared.c. */
#ifndef SONDE_TARGET_EMIT_SHARED_H
#define SONDE_TARGET_EMIT_SHARED_H

#include "target/mach.h"

struct shared_key {
	const void *bytes;
	size_t len;
	u32 hash;
};

struct shared_code {
	struct shared_code *next;
	struct shared_key key;
	struct bpf_insn *insns;
	struct reloc *relocs; /* insn: index in insns; RELOC_FUNC: the IR's index */
	u32 n_insns, n_relocs, frame;
};

/* Allocated in a: valid until it is reset. */
struct shared_key shared_key_of(struct arena *a, const struct ir_func *f);
/* NULL: not compiled yet. */
const struct shared_code *shared_code_find(const struct program *p, const struct shared_key *key);
/* Appends the code; span: for all its instructions. */
void shared_code_put(const struct shared_code *s, struct span span, struct arena *a,
		     struct code *c);
/* Keeps c's code from first_insn and first_reloc on, copied to the program's arena. */
const struct shared_code *shared_code_keep(struct program *p, const struct shared_key *key,
					   const struct code *c, u32 first_insn, u32 first_reloc,
					   u32 frame);

#endif
