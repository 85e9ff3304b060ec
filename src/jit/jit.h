/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF to x86-64 for code that runs inside a traced process: position-dependent code for one site,
 * without calls, without registers of floating point, with the maps of vm/shared.h at a fixed
 * address. It saves the registers that it changes, except those that the site does not need, and
 * never enters the kernel. What needs the kernel, or may fault, is refused with the reason, and
 * another engine serves the site.
 */
#ifndef SONDE_JIT_JIT_H
#define SONDE_JIT_JIT_H

#include "base/buf.h"
#include "jit/x86.h"
#include "vm/shared.h"

enum jit_context {
	JIT_REGISTERS, /* struct pt_regs, of the registers at the site */
	JIT_WORDS,     /* struct sonde_record: words of 8 bytes from RECORD_WORDS on */
};

struct loc;
struct jit_site {
	enum jit_context context;
	u32 free;         /* bit i: the value of register i (enum x86_reg) may be lost */
	bool keeps_flags; /* they are in use */
	bool is_in_frame; /* memory below the stack pointer may be in use (128 bytes) */
	u64 ip;           /* pt_regs.ip */
	/* JIT_WORDS: where each is: LOC_REG, LOC_STACK (memory that is there) or LOC_CONST */
	const struct loc *words;
	u32 n_words;
};

/*
 * Time of the boot clock from the time stamp counter, by the slot with number `index`, modulo their
 * number: ns + ((counter - tick) * rate >> 32). The writer fills in the next slot before it changes
 * the index, so a slot that is read does not change until seven more have been written.
 */
struct jit_clock {
	u64 index, unused[7];
	struct jit_clock_slot {
		u64 tick, ns, rate, boot_to_mono; /* the last is added for the monotonic clock */
	} slot[8];
};

/* The process of the code. */
struct jit_world {
	const struct shared_maps *maps;
	u64 block;    /* address of the maps there */
	u64 routines; /* where the bytes of jit_put_routines() are, within 2 GB of the code */
	/* address of a word that is 0 where the maps are not mapped: nothing runs; 0: none */
	u64 control;
	u64 clock;  /* address of a struct jit_clock; 0: programs that ask for time are refused */
	u64 cookie; /* bpf_get_attach_cookie() */
	u32 pid;
	s32 tid;      /* where threads have their id, from the thread pointer, */
	bool has_tid; /* if that is known */
	s32 rseq;     /* where threads have their struct rseq, likewise */
	bool has_rseq, has_rdpid;
	bool waits; /* for room in a ring, instead of losing a record at once */
	u64 rings;  /* rings of records, see below; 0: there are none */
	u32 n_rings, ring_size,
		signature; /* one for each processor; before abort handlers of rseq(2) */
};

/*
 * A ring is a struct sonde_ring (sonde/sonde.h) and ring_size bytes, a power of two, with room
 * after them: records do not wrap. What a program sends is a struct jit_record among the process's
 * records.
 */
/* In the head of a ring: its tail when waiting for room was given up. */
enum { JIT_RING_STUCK = 256 };
enum { JIT_RING_SLACK = 4096, JIT_MOST_RECORD = 512, JIT_RECORD_SENT = 1 };
struct jit_record {
	u32 size; /* of all, a multiple of 8, and JIT_RECORD_SENT */
	u32 len;  /* of the payload */
	u64 time; /* time stamp counter */
	u8 payload[];
};
u32 jit_ring_stride(u32 ring_size);

/* Read-only bytes that all programs of a block of maps call, aligned to 64. */
void jit_put_routines(struct buf *b, const struct shared_maps *maps, u64 block);

struct jit_output {
	u64 address;      /* where the code will run, from its first byte */
	struct buf *code; /* it is appended here */
	u32 stack;        /* result: bytes that it uses below the stack pointer */
};
/* The code ends by running past its last byte, with all registers as they were. The program was
 * verified. 0, or -ENOTSUP with the reason. */
int jit_compile(const struct program *prog, const struct bpf_func *f, const struct jit_site *site,
		const struct jit_world *world, struct jit_output *out, struct err *err);

/* What a function for JIT_REGISTERS reads by addresses of the process. */
enum jit_memory {
	JIT_READS_NOTHING,
	JIT_READS_STACK,  /* only the word at the stack pointer, which is there during the event */
	JIT_READS_MEMORY, /* what may not be there */
};
enum jit_memory jit_memory_of(const struct bpf_func *f);

#endif
