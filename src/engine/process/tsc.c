/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rate is measured between two readings of both clocks, so it follows the kernel's
 * adjustments. */
#include <string.h>
#include "base/buf.h"
#include "base/clock.h"
#include "engine/process/internal.h"

static bool is_constant(void)
{
	struct buf b = { 0 };
	bool ok = buf_read_file(&b, "/proc/cpuinfo") >= 0 && b.s && strstr(b.s, " constant_tsc") &&
		  strstr(b.s, " nonstop_tsc");

	buf_release(&b);
	return ok;
}

bool tsc_is_usable(void)
{
	static enum { NOT_KNOWN, YES, NO } answer;

	if (answer == NOT_KNOWN)
		answer = is_constant() ? YES : NO;
	return answer == YES;
}

static u64 ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* The shortest of three readings: another process may run between the two clocks. */
void tsc_look(struct tsc *t)
{
	u64 best = ~0ull;

	for (u32 i = 0; i < 3; i++) {
		u64 before = ticks(), ns = clock_boot_ns(), took = ticks() - before;

		if (took >= best)
			continue;
		best = took;
		t->tick_2 = before + took / 2;
		t->ns_2 = ns;
	}
	if (!t->tick) {
		t->tick = t->tick_2;
		t->ns = t->ns_2;
	}
}

/* `since` on one clock, which went `span` from the first reading to the last one, on another, which
 * went `other`. */
static u64 convert(s64 since, u64 span, u64 other)
{
	return span ? (u64)(s64)((__int128)since * (s64)other / (s64)span) : 0;
}

u64 tsc_from_ns(const struct tsc *t, u64 ns)
{
	return t->tick_2 + convert((s64)(ns - t->ns_2), t->ns_2 - t->ns, t->tick_2 - t->tick);
}

u64 tsc_to_ns(const struct tsc *t, u64 tick)
{
	return t->ns_2 + convert((s64)(tick - t->tick_2), t->tick_2 - t->tick, t->ns_2 - t->ns);
}
