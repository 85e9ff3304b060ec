/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floors: what a task costs when a C program makes the system calls and does nothing else. Each
 * program prints one number, nanoseconds, and needs root. Built with src/engine/kernel/bpf.c alone:
 *
 *	cc -O2 -D_GNU_SOURCE -Isrc -o raw_tracepoint bench/bare/raw_tracepoint.c src/engine/kernel/bpf.c
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "engine/kernel/bpf.h"
#include "engine/kernel/insn.h"

static inline u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static inline int must(int ret, const char *what)
{
	if (ret < 0) {
		perror(what);
		exit(1);
	}
	return ret;
}

static inline void report(u64 ns)
{
	printf("%llu\n", (unsigned long long)ns);
}

/* Runs this program again with an argument and reports its whole life, start to reaped. */
static inline void report_life(char **argv)
{
	char *const args[] = { argv[0], (char[]){ "run" }, NULL };
	u64 start = now_ns();
	int status;
	pid_t pid = must(vfork(), "vfork");

	if (pid == 0) {
		execv("/proc/self/exe", args);
		_exit(127);
	}
	must(waitpid(pid, &status, 0), "wait");
	if (status != 0)
		exit(1);
	report(now_ns() - start);
}

/* data[0] += 1 for this process's events; maps are array element 0, mapped. */
static inline int load_counter(u32 type, int data, u32 pid)
{
	const struct bpf_insn code[] = {
		I_CALL(BPF_FUNC_get_current_pid_tgid),
		I_ALUI(BPF_RSH, 0, 32),
		I_JMPI(BPF_JNE, 0, (s32)pid, 4),
		I_LD_VALUE(1, data, 0),
		I_MOVI(2, 1),
		I_ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0),
		I_MOVI(0, 0),
		I_EXIT(),
	};
	struct bpf_load l = {
		.prog_type = type, .insns = code, .n_insns = ARRAY_SIZE(code), .name = "bare"
	};

	return must(bpf_prog_load(&l), "load");
}

static inline u64 *make_data(int *fd)
{
	void *at;

	*fd = must(bpf_map_create(BPF_MAP_TYPE_ARRAY, "bare", 4, 64, 1, BPF_F_MMAPABLE), "map");
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (at == MAP_FAILED)
		must(-1, "mmap");
	return at;
}

#endif
