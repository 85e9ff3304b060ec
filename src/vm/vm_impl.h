/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the interpreter. Programs see synthetic addresses, never host pointers:
 *
 *	63            48 47           32 31                         0
 *	+---------------+---------------+---------------------------+
 *	|    0x5eed     | region number |  VM_START + offset        |
 *	+---------------+---------------+---------------------------+
 *
 * They are canonical on no processor that we trace, so no foreign address is mistaken for one; runs
 * are repeatable; and one index finds the region against which an access is checked.
 */
#ifndef SONDE_VM_IMPL_H
#define SONDE_VM_IMPL_H

#include "type/bpf_isa.h"
#include "vm/shared.h"
#include "vm/vm.h"

enum { VM_TAG = 0x5eed, VM_START = 0x10000 };
enum { VM_REGION_MAP = 0xfffe, VM_REGION_FUNC = 0xffff }; /* references, not memory */
enum { VM_MAX_FRAMES = 8, VM_STACK = 512, VM_FRAME_STRIDE = 2 * VM_STACK };
enum { VM_MAX_STEPS = 1 << 30 };
enum { VM_MAX_TAIL_CALLS = 33 }; /* as the kernel's MAX_TAIL_CALL_CNT */

enum region_kind { RG_STACK, RG_CTX, RG_KEYS, RG_VALUES, RG_RING };

/*
 * Memory that a program may access: repeats every `stride` bytes, of which [skip, skip + len) are
 * valid.
 */
struct region {
	u8 *host;
	u32 size, stride, skip, len;
	enum region_kind kind;
	bool is_shared; /* not allocated here */
	u32 map;
};

struct vm_elem { /* of a hash; index 0 means none */
	u32 hash, chain;
	u32 newer, older; /* by use, for LRU */
	bool live;
};

struct vm_chunk { /* elements first .. first + n - 1 */
	u32 first, n;
	u32 key_region, value_region;
};

struct vm_record { /* reserved and not yet submitted */
	u32 off, len;
};

struct vm_map {
	struct map_desc *desc;
	u32 index, type;
	u32 key_size, value_size, max_entries;
	u32 value_stride; /* value_size rounded to 8: one CPU's copy */
	u32 n_copies;     /* CPUs for per-CPU maps, else 1 */
	/* arrays and hashes */
	struct vm_chunk chunk[32];
	u32 n_chunks;
	/* hashes */
	struct vm_elem *elem;
	u32 n_elems; /* slots created, including index 0 */
	u32 n_live, free, newest, oldest;
	u32 *bucket, n_buckets;
	/* ring */
	u32 region, size;
	u64 produced, consumed;
	struct vm_record *held;
	u32 n_held, held_cap;
	const struct shared_map *shared; /* NULL: the memory is this machine's */
	/* stack traces: value is u32 n, u64 ip[] beside the ids */
	u64 **trace;
	u32 *trace_len;
};

struct vm {
	struct program *prog;
	struct vm_world world;
	struct region *region;
	u32 n_regions, cap_regions;
	u32 stack_region, ctx_region;
	struct vm_map *map;
	u32 n_maps;
	struct bpf_insn **code; /* relocated copies, by function */
	u32 n_code;
	/* the run */
	const struct bpf_func *func;
	const struct bpf_insn *insns;
	u32 pc, n_frames, n_tail_calls;
	u32 index_key, index_region; /* the key that for_each_map_elem passes for an array */
	u64 steps, limit, max_steps;
	u64 random;
	struct err fault;
	u8 stack[VM_MAX_FRAMES * VM_FRAME_STRIDE];
	u8 written[VM_MAX_FRAMES * VM_FRAME_STRIDE];
	u32 *signals;
	u32 n_signals;
};

enum vm_access { VM_READ = 1, VM_WRITE = 2, VM_READ_WRITE = 3 };

static inline u64 vm_addr(u32 region, u32 offset)
{
	return (u64)VM_TAG << 48 | (u64)region << 32 | (VM_START + offset);
}
static inline bool vm_is_own(u64 addr)
{
	return addr >> 48 == VM_TAG;
}
static inline u64 vm_ref(u32 kind, u32 index)
{
	return (u64)VM_TAG << 48 | (u64)kind << 32 | index;
}
static inline bool vm_is_ref(u64 addr, u32 kind)
{
	return addr >> 32 == ((u64)VM_TAG << 16 | kind);
}

/* mem.c */
u32 vm_region(struct vm *vm, struct region r); /* adds it; returns its index */
/* The host address of len bytes, or NULL with a fault. */
u8 *vm_at(struct vm *vm, u64 addr, u64 len, enum vm_access access);
/* The same, but returns NULL instead of faulting. */
const u8 *vm_peek(struct vm *vm, u64 addr, u64 len);
int vm_fault(struct vm *vm, int code, const char *fmt, ...) FORMAT(3, 4);
/* A new frame of unwritten bytes; returns the offset of its end in the stack region. */
u32 vm_frame_enter(struct vm *vm);

/*
 * vm.c: the function at an index of a map of programs, or NO_INDEX; and continuing in it, after the
 * instruction at pc.
 */
u32 vm_program_at(const struct vm *vm, u32 map, u32 index);
void vm_enter_program(struct vm *vm, u32 func);
/* interp.c: runs from pc to the function's exit; arguments in arg[0..4]. */
int vm_exec(struct vm *vm, u32 pc, const u64 *arg, u64 *ret);

/* helpers.c */
typedef u64 vm_helper_fn(struct vm *vm, const u64 *a); /* a: its arguments, r1 to r5 */
vm_helper_fn *vm_helper(u32 number);                   /* NULL: no such helper */

/* maps.c: the maps as programs see them */
void vm_map_init(struct vm *vm, struct vm_map *m, struct map_desc *desc, u32 index);
void vm_map_release(struct vm *vm, struct vm_map *m);
struct vm_map *vm_map_arg(struct vm *vm, u64 ref);
u64 vm_map_value_addr(struct vm *vm, struct vm_map *m, u32 index, u32 cpu);
u64 vm_map_key_addr(struct vm *vm, struct vm_map *m, u32 index);
/* The copy of a CPU of element index (array index, or hash slot) in host memory. */
u8 *vm_map_value(struct vm *vm, struct vm_map *m, u32 index, u32 cpu);
u8 *vm_map_key(struct vm *vm, struct vm_map *m, u32 index);
/* Element of a key: its index + 1, 0: none. */
u32 vm_map_find(struct vm *vm, struct vm_map *m, const void *key);
s64 vm_map_update(struct vm *vm, struct vm_map *m, const void *key, const void *value, u64 flags);
s64 vm_map_delete(struct vm *vm, struct vm_map *m, const void *key);
/* Elements from index `from` on: the next live one's index + 1, or 0. */
u32 vm_map_next(struct vm *vm, struct vm_map *m, u32 from);
bool vm_map_is_hash(const struct vm_map *m);
bool vm_map_is_array(const struct vm_map *m);
u32 vm_cpu(const struct vm *vm);

/* ring.c */
void vm_ring_init(struct vm *vm, struct vm_map *m);
u64 vm_ring_reserve(struct vm *vm, struct vm_map *m, u64 len);
int vm_ring_finish(struct vm *vm, u64 addr, bool discard);
u32 vm_ring_held(const struct vm *vm);
/* Discards the records that a faulting run has not submitted. */
void vm_ring_drop_held(struct vm *vm);
u64 vm_ring_query(const struct vm_map *m, u64 what);

#endif
