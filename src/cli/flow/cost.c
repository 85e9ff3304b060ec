/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cost of probes on functions of the kernel for processes that are not traced: a system call is
 * timed before and while they are attached. access(2) of "/" runs through some twenty functions.
 */
#include <unistd.h>
#include "base/clock.h"
#include "cli/flow/flow.h"

enum { BATCHES = 64, CALLS = 16 };

/* Nanoseconds of a call; the least of some batches, because others run meanwhile. */
static u64 time_call(void)
{
	u64 best = UINT64_MAX;

	for (u32 i = 0; i < BATCHES; i++) {
		u64 begin = clock_mono_ns();

		for (u32 k = 0; k < CALLS; k++)
			if (access("/", F_OK))
				return 0;
		best = MIN(best, (clock_mono_ns() - begin) / CALLS);
	}
	return best;
}

void flow_time_before(struct flow *f)
{
	f->call_ns = time_call();
}

void flow_tell_cost(struct flow *f, u32 n_probes)
{
	u64 now = time_call();

	if (f->t.c->output.quiet || !now)
		return;
	say_note(
		f->t.c,
		"all processes of the machine run slower in the meantime: access(\"/\") takes %.1f us, %.1f us without these %u probes",
		(double)now / 1e3, (double)f->call_ns / 1e3, n_probes);
}
