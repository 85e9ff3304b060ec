/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps keyed by the running thread, such as @start[tid]: in addition to the kernel's hash there are
 * slots in the data map, which programs access without a helper call. Input: a thread id. Output:
 * where its value is.
 *
 *	slot:  owner u64 (tid + 1) | state u64 | value u64 | 0
 *
 * A slot belongs forever to the first thread that stores a value there; other threads with the same
 * id modulo THREAD_SLOTS use the hash. So the location of each key is fixed, without a race. The
 * state is odd while there is a value and is incremented with each change, so that a program that
 * was interrupted between its read and its exchange detects a change by another. Operations of
 * programs (ir/lower_thread_map.c):
 *
 *	store:   v = state; value = new; if v is even: compare-and-exchange state from v to v + 1
 *	read:    state is odd ? value : 0
 *	delete:  v = state; if v is odd: compare-and-exchange state from v to v + 1;
 *	         deleted if that succeeds
 *
 * Only the thread itself stores, in programs that may interrupt one another but never run in
 * parallel. A store whose exchange fails was overtaken by a store of an inner program, and is
 * ordered before that; a delete likewise is ordered right after an inner one.
 * tests/unit/session/threads_test.c interrupts them at every step. User space may delete at any
 * time: it only exchanges odd for even.
 */
#ifndef SONDE_TYPE_THREAD_SLOT_H
#define SONDE_TYPE_THREAD_SLOT_H

#include "base/base.h"

enum { THREAD_SLOTS = 4096, THREAD_SLOT_HALF = THREAD_SLOTS / 2 };
enum { THREAD_OWNER = 0, THREAD_STATE = 8, THREAD_VALUE = 16 }; /* offsets */

struct thread_slot {
	u64 owner, state, value, unused;
};

/* Neighbors do not share a cache line: the slots of n and n + THREAD_SLOT_HALF do. */
static inline u32 thread_slot_index(u32 tid)
{
	return (tid % THREAD_SLOT_HALF) * 2 + tid / THREAD_SLOT_HALF % 2;
}

/* The value and its thread; false: no value. */
bool thread_slot_read(const struct thread_slot *s, u32 *tid, u64 *value);
/* Deletes the value; false: there was none. */
bool thread_slot_delete(struct thread_slot *s);
/* Delete all values, set all values to 0. */
void thread_slots_delete(struct thread_slot *slots);
void thread_slots_zero(struct thread_slot *slots);
/* The slot of a map key (a thread id), or NULL: its value is in the hash. */
struct thread_slot *thread_slot_of(struct thread_slot *slots, const void *key);

#endif
