/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps keyed by the running thread, as @start[tid]: beside the kernel's hash there are slots in the data map, which
 * programs read and write without a call. In: a thread's number. Out: where its value is.
 *
 *	slot:  owner u64 (tid + 1) | state u64 | value u64 | 0
 *
 * A slot belongs for ever to the first thread that stores a value there; others of the same number modulo
 * THREAD_SLOTS have theirs in the hash. So each key is in one place, known without a race. The state is odd while there
 * is a value and grows by one with each change, so that a program which was interrupted between its look and its
 * exchange by another that changed the slot sees it. What programs do with a slot (ir/lower_thread_map.c):
 *
 *	store:   v = state; value = new; if v is even: compare-and-exchange state from v to v + 1
 *	read:    state is odd ? value : 0
 *	delete:  v = state; if v is odd: compare-and-exchange state from v to v + 1; deleted if that was done
 *
 * Only the thread itself stores, in programs that interrupt one another but never run side by side. A store whose
 * exchange fails was overtaken by a store of an inner program, and counts as made before that; so does a delete, as made right after
 * an inner one. tests/unit/session/threads_test.c interrupts them everywhere. User space deletes, too, at any time: it
 * only ever exchanges odd for even.
 */
#ifndef SONDE_TYPE_THREAD_SLOT_H
#define SONDE_TYPE_THREAD_SLOT_H

#include "base/base.h"

enum { THREAD_SLOTS = 4096, THREAD_SLOT_HALF = THREAD_SLOTS / 2 };
enum { THREAD_OWNER = 0, THREAD_STATE = 8, THREAD_VALUE = 16 }; /* offsets */

struct thread_slot {
	u64 owner, state, value, unused;
};

/* Neighbours do not share a cache line: the slots of n and n + THREAD_SLOT_HALF do. */
static inline u32 thread_slot_index(u32 tid)
{
	return (tid % THREAD_SLOT_HALF) * 2 + tid / THREAD_SLOT_HALF % 2;
}

/* The value, and whose it is; false: there is none. */
bool thread_slot_read(const struct thread_slot *s, u32 *tid, u64 *value);
/* False: there was no value. */
bool thread_slot_delete(struct thread_slot *s);
/* All of them, where there is a value: deleted, set to 0. */
void thread_slots_delete(struct thread_slot *slots);
void thread_slots_zero(struct thread_slot *slots);
/* The slot of a map's key, the number of a thread; or NULL: its value is in the hash. */
struct thread_slot *thread_slot_of(struct thread_slot *slots, const void *key);

#endif
