/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduling, priorities, limits. */
#include "calls.h"

int main(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t prio;
		uint64_t a, b, c;
	} attr = { 48 };
	struct sched_param param = { 0 };
	struct timespec ts;
	struct rlimit rl = { 100, RLIM_INFINITY }, old;
	struct rusage ru;
	cpu_set_t set;
	unsigned cpu, node;

	syscall(SYS_sched_getaffinity, 0, sizeof(set), &set);
	syscall(SYS_sched_setaffinity, 0, 8, &set);
	syscall(SYS_sched_getaffinity, 0, 1, &set);
	sched_getscheduler(0);
	sched_getparam(0, &param);
	sched_setscheduler(0, SCHED_BATCH, &param);
	param.sched_priority = 99;
	sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &param);
	sched_setparam(0, &param);
	sched_get_priority_max(SCHED_FIFO);
	sched_get_priority_min(77);
	sched_rr_get_interval(0, &ts);
	sched_yield();
	syscall(SYS_sched_getattr, 0, &attr, 48, 0);
	syscall(SYS_sched_setattr, 0, &attr, 0);
	attr.policy = 6;
	syscall(SYS_sched_setattr, 0, &attr, 0);
	syscall(SYS_sched_setattr, 0, BAD, 0);
	getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, 5);
	syscall(SYS_ioprio_get, 1, 0);
	syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 4);
	getrlimit(RLIMIT_NOFILE, &rl);
	syscall(SYS_getrlimit, RLIMIT_STACK, &rl);
	syscall(SYS_setrlimit, RLIMIT_CORE, &rl);
	rl = (struct rlimit){ 50 * 1024, 1L << 62 };
	syscall(SYS_setrlimit, RLIMIT_CORE, &rl);
	prlimit(0, RLIMIT_CPU, NULL, &old);
	prlimit(0, RLIMIT_NPROC, &old, NULL);
	prlimit(0, 77, &rl, &old);
	getrusage(RUSAGE_SELF, &ru);
	getrusage(RUSAGE_CHILDREN, &ru);
	getrusage(9, &ru);
	syscall(SYS_getcpu, &cpu, &node, NULL);
	syscall(SYS_set_robust_list, BAD, 24);
	syscall(SYS_get_robust_list, 0, &ts, &ts.tv_nsec);
	syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 1);
	return 0;
}
