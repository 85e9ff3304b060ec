/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks. The kernel cannot read two clocks at one instant: the offset between boot and wall time
 * is taken from the tightest of five samples boot-real-boot. It is then cached, so that the
 * timestamps of one run do not jump when the wall clock is set.
 */
#include <time.h>

#include "base/clock.h"

static u64 now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

u64 clock_mono_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

u64 clock_boot_ns(void)
{
	return now_ns(CLOCK_BOOTTIME);
}

u64 clock_real_ns(void)
{
	return now_ns(CLOCK_REALTIME);
}

/* Coarse clocks advance at each tick (kernel/time/posix-timers.c: KTIME_LOW_RES). */
u64 clock_tick_ns(void)
{
	struct timespec t = { .tv_nsec = 4000000 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &t);
	return (u64)t.tv_nsec;
}

s64 clock_boot_to_real_ns(void)
{
	static s64 offset; /* 0 until sampled */
	u64 tightest = UINT64_MAX;

	if (offset)
		return offset;
	for (int i = 0; i < 5; i++) {
		u64 a = clock_boot_ns(), real = clock_real_ns(), b = clock_boot_ns();

		if (b - a < tightest) {
			tightest = b - a;
			offset = (s64)(real - (a + (b - a) / 2));
		}
	}
	return offset;
}
