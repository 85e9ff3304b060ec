/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the time of a program that is run by hand. It uses the kernel's own statistics if they
 * may be enabled (BPF_ENABLE_STATS, Linux 5.8): these exclude the system call, which takes longer
 * than most programs.
 */
#include "base/clock.h"
#include "base/fd.h"
#include "engine/kernel/internal.h"

int kernel_time(struct kernel *k, u32 func, u64 times, u64 *ns, s32 *value, struct err *err)
{
	int ret = kernel_run(k, func, value, err); /* loads it, and warms up */
	_fd int stats = bpf_enable_stats();
	u64 before = 0, after = 0, start;
	bool counted = ret >= 0 && stats >= 0 &&
		       bpf_prog_run_time(k->loaded[func].fd, &before) == 0;

	start = clock_mono_ns();
	for (u64 i = 0; i < times && ret >= 0; i++)
		ret = kernel_run(k, func, NULL, err);
	*ns = clock_mono_ns() - start;
	if (counted && ret >= 0 && bpf_prog_run_time(k->loaded[func].fd, &after) == 0 &&
	    after > before)
		*ns = after - before;
	return ret < 0 ? ret : 0;
}
