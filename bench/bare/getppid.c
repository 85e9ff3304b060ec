/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traced program: blocks of getppid calls, the fastest block counts. Writes to file OUT
 * "ns_per_call calls cpu_ns end_ns" (end_ns: the monotonic clock when the last call is done).
 *
 * It runs on the last CPU: perf events sit on the first one, where some tracers cost more.
 *
 *	getppid OUT [BLOCKS [CALLS]]	blocks of CALLS getppid calls
 *	getppid OUT keys N		getpgid(1), getpgid(2) ... N calls with different arguments
 *	getppid OUT mix			blocks in which one call of fifty is an openat that finds nothing
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static void move_to_last_cpu(void)
{
	long last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)last, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static double fastest(u64 blocks, u64 calls, u64 open_each)
{
	u64 best = ~0ull;

	for (u64 b = 0; b < blocks; b++) {
		u64 start = clock_ns(CLOCK_MONOTONIC), ns;

		for (u64 i = 0; i < calls; i++)
			if (open_each && i % open_each == 0)
				syscall(SYS_openat, AT_FDCWD, "", O_RDONLY);
			else
				syscall(SYS_getppid);
		ns = clock_ns(CLOCK_MONOTONIC) - start;
		if (ns < best)
			best = ns;
	}
	return (double)best / (double)calls;
}

int main(int argc, char **argv)
{
	u64 blocks = 100, calls = 2000;
	double ns = 0;
	FILE *out;

	if (argc < 2)
		return 2;
	move_to_last_cpu();
	if (argc > 3 && !strcmp(argv[2], "keys")) {
		calls = strtoull(argv[3], NULL, 10);
		blocks = 1;
		for (u64 i = 1; i <= calls; i++)
			syscall(SYS_getpgid, i);
	} else if (argc > 2 && !strcmp(argv[2], "mix")) {
		ns = fastest(blocks, calls, 50);
	} else {
		if (argc > 2)
			blocks = strtoull(argv[2], NULL, 10);
		if (argc > 3)
			calls = strtoull(argv[3], NULL, 10);
		ns = fastest(blocks, calls, 0);
	}
	out = fopen(argv[1], "w");
	if (!out)
		return 1;
	fprintf(out, "%.2f %llu %llu %llu\n", ns, blocks * calls,
		clock_ns(CLOCK_PROCESS_CPUTIME_ID), clock_ns(CLOCK_MONOTONIC));
	return fclose(out) != 0;
}
