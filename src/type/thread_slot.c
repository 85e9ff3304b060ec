/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access to thread slots from user space, while programs may run on other processors. */
#include <string.h>
#include "type/thread_slot.h"

enum { TRIES = 64 }; /* bounds the reader against a thread that stores continuously */

static u64 state_of(const struct thread_slot *s)
{
	return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
}

bool thread_slot_read(const struct thread_slot *s, u32 *tid, u64 *value)
{
	u64 owner = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE), state = state_of(s);

	if (!owner)
		return false;
	*tid = (u32)(owner - 1);
	for (u32 i = 0; i < TRIES && state & 1; i++) {
		u64 before = state;

		*value = __atomic_load_n(&s->value, __ATOMIC_ACQUIRE);
		state = state_of(s);
		if (state == before)
			return true;
	}
	return state & 1;
}

bool thread_slot_delete(struct thread_slot *s)
{
	u64 state = state_of(s);

	return state & 1 && __atomic_compare_exchange_n(&s->state, &state, state + 1, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void zero(struct thread_slot *s)
{
	if (state_of(s) & 1)
		__atomic_store_n(&s->value, 0, __ATOMIC_RELEASE);
}

void thread_slots_delete(struct thread_slot *slots)
{
	for (u32 i = 0; i < THREAD_SLOTS; i++)
		thread_slot_delete(&slots[i]);
}

void thread_slots_zero(struct thread_slot *slots)
{
	for (u32 i = 0; i < THREAD_SLOTS; i++)
		zero(&slots[i]);
}

struct thread_slot *thread_slot_of(struct thread_slot *slots, const void *key)
{
	struct thread_slot *s;
	u32 tid;

	memcpy(&tid, key, sizeof tid);
	s = &slots[thread_slot_index(tid)];

	return __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE) == (u64)tid + 1 ? s : NULL;
}
