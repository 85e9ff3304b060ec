/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps in one block of memory that this process shares with a traced one, where compiled programs
 * (jit/) change them while the interpreter and the session read them here. The layout is derived
 * from the program by both sides and holds offsets only. What the memory contains is not trusted:
 * no offset, length or count is read from it without a limit.
 *
 *	array:  elements, each n_copies values of value_stride bytes
 *	hash:   u32 live, used | u32 tag[n_slots] | keys | values, one each for a slot
 *
 * A hash is open addressing without locks. A tag is the upper 30 bits of the key's hash and the
 * state of the slot, which changes by compare-and-exchange:
 *
 *	0 (free) -> BUSY (one thread writes key and value) -> READY <-> DELETED -> BUSY
 *
 * A slot keeps its key forever, so the sequence of slots that a key is searched in only grows at
 * its end, and two threads that insert the same key meet in one slot. Keys beyond max_entries at a
 * time, or 7/8 of the slots ever, are refused as by the kernel's maps (-E2BIG).
 */
#ifndef SONDE_VM_SHARED_H
#define SONDE_VM_SHARED_H

#include "base/err.h"
#include "type/program.h"

#define SHARED_FACTOR 0x9e3779b97f4a7c15ull /* of the hash of keys */
/*
 * Who meets a slot that another thread is about to fill spins, 75 to 250 ms of its own time: that
 * thread may be preempted. Compiled code makes no system call, which a filter of the process could
 * answer by killing it. The thread may also be the one that a signal interrupted, so there is an
 * end (-EBUSY, counted as lost).
 */
enum { SHARED_SPINS = 5000000 };
enum shared_state { SHARED_BUSY = 1, SHARED_READY, SHARED_DELETED, SHARED_STATE = 3 };

struct shared_hash {
	u32 live, used; /* keys that there are, slots that are not free */
	u32 unused[14];
	u32 tag[];
};

struct shared_map {
	u32 type; /* BPF_MAP_TYPE_*; 0: not in this memory */
	u32 key_size, key_stride, value_size, value_stride, n_copies, max_entries;
	u32 n_slots;              /* of a hash: a power of two */
	u64 offset, keys, values; /* of the array or the struct shared_hash; of slot 0 */
};
struct shared_maps {
	struct shared_map *v; /* by index in program.maps; malloc */
	u32 n;
	u64 size; /* of the block */
};

/* 0, or -ENOTSUP and which map cannot be shared (a ring is none of these maps: type 0). */
int shared_layout(const struct program *p, u32 n_cpus, struct shared_maps *s, struct err *err);
void shared_release(struct shared_maps *s);
/* Writes the initial data of the program; the rest of the block is zero. */
void shared_init(const struct shared_maps *s, const struct program *p, u8 *block);

/* ---- a hash in the block. A slot's index + 1; 0: the key is not there. */
u32 shared_find(const struct shared_map *m, const u8 *block, const void *key);
/* The same; makes the key if it is not there, with zeroes as value: *is_new. 0: *error is -E2BIG or
 * -EBUSY (another thread has begun to make the key and does not end). */
u32 shared_insert(const struct shared_map *m, u8 *block, const void *key, bool *is_new, int *error);
/* 0 or -ENOENT */
int shared_delete(const struct shared_map *m, u8 *block, const void *key);
bool shared_is_live(const struct shared_map *m, const u8 *block, u32 slot);

u64 shared_hash_of(const void *key, u32 len);

#endif
