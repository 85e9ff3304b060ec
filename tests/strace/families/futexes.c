/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Futexes. */
#include <linux/futex.h>
#include "calls.h"

struct waitv {
	uint64_t val, uaddr;
	uint32_t flags, reserved;
};

int main(void)
{
	uint32_t word = 5, other = 6;
	struct timespec ts = { 0, 1000 };
	struct waitv v[2] = { { 7, (uintptr_t)&word, 2, 0 }, { 6, (uintptr_t)&other, 2 | 128, 0 } };

	syscall(SYS_futex, &word, FUTEX_WAIT, 4, &ts);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &ts);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
	syscall(SYS_futex, &word, FUTEX_REQUEUE, 1, 2, &other);
	syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, &other, 5);
	syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 1, &other,
		FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GT, 3));
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 5,
		&ts, NULL, FUTEX_BITSET_MATCH_ANY);
	syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 5, NULL, NULL, 0xf);
	syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, &ts);
	syscall(SYS_futex, &word, FUTEX_UNLOCK_PI_PRIVATE);
	syscall(SYS_futex, &word, FUTEX_TRYLOCK_PI, 0);
	syscall(SYS_futex_waitv, v, 2, 0, &ts, CLOCK_MONOTONIC);
	syscall(SYS_futex_waitv, v, 0, 1, NULL, CLOCK_REALTIME);
	return 0;
}
