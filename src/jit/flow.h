/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What registers hold before each instruction, as far as the compiler must know: the context, which
 * has no address in the process, references to maps, and constants.
 */
#ifndef SONDE_JIT_FLOW_H
#define SONDE_JIT_FLOW_H

#include "base/err.h"
#include "type/program.h"

enum held_kind {
	HELD_NEVER, /* no path leads here */
	HELD_ANY,
	HELD_CONSTANT,
	HELD_CONTEXT, /* + v */
	HELD_MIXED,   /* the context, on some paths */
	HELD_MAP,     /* index v */
	HELD_FUNC,    /* the subprogram at instruction v */
	HELD_STACK,   /* the site's stack pointer + v */
	HELD_RECORD, /* that ringbuf_reserve() has returned, of v bytes: in the frame, never NULL */
};
struct held {
	u8 kind;
	s64 v;
};
enum { FLOW_SLOTS = 64 }; /* of 8 bytes, of a frame */
struct flow_state {
	struct held r[11], slot[FLOW_SLOTS];
	struct held tick; /* constant: the frame has the counter of the last time that was read */
};

/* By instruction: the relocation of it, whether it begins a subprogram. */
struct flow_input {
	const struct bpf_func *f;
	const struct reloc **reloc_of;
	bool *begins;
	bool has_subprograms;
	bool context_in_memory; /* it has an address, as any other value */
	bool has_registers;     /* the context is struct pt_regs */
};
enum { FLOW_STACK_AT = 152 }; /* of the stack pointer in struct pt_regs */
/* The slot that a load reads as a whole, or -1. */
int flow_slot(const struct bpf_insn *load);
/* Whether the jump tests a record for NULL, which it never is. */
bool flow_asks_for_record(const struct bpf_insn *jump, const struct flow_state *s);
/* Whether it is a call of a helper that reads a clock. */
bool flow_reads_time(const struct bpf_insn *i);
/* Whether it is a call that reads memory by an address of the process. */
bool flow_reads_memory(const struct bpf_insn *i);
/* Whether such a call reads the word at the stack pointer, or a part of it: at an entry or a return
 * of a function this is the return address, which is there. */
bool flow_reads_stack(const struct bpf_insn *call, const struct flow_state *s);
/* Whether there is a way to the instruction. */
static inline bool flow_is_reached(const struct flow_state *s)
{
	return s->r[10].kind != HELD_NEVER;
}
/* One for each instruction; free() it. NULL: the context is used otherwise than to read from it. */
struct flow_state *flow_of(const struct flow_input *in, struct err *err);

#endif
