/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that take or give process numbers, which -Y names: of processes and threads, not of groups and sessions. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int p = getpid();
	getpgrp();
	getpgid(0);
	getsid(0);
	getpgid(p);
	getsid(p);
	kill(p, 0);
	kill(0, 0);
	kill(-p, 0);
	syscall(SYS_tgkill, p, p, 0);
	syscall(SYS_tkill, p, 0);
	getppid();
	syscall(SYS_gettid);
	setpgid(0, 0);
	setpgid(p, p);
	if (!fork()) {
		setsid();
		_exit(0);
	}
	wait(0);
	int q = fork();
	if (!q)
		_exit(0);
	waitpid(q, 0, 0);
	siginfo_t i;
	q = fork();
	if (!q)
		_exit(1);
	waitid(P_PID, q, &i, WEXITED);
	waitid(P_ALL, 0, &i, WEXITED);
	waitid(P_PGID, p, &i, WEXITED);
	waitpid(-p, 0, 0);
	sched_getparam(p, &(struct sched_param){ 0 });
	sched_getscheduler(p);
	cpu_set_t c;
	sched_getaffinity(p, sizeof c, &c);
	getpriority(PRIO_PROCESS, p);
	getpriority(PRIO_PGRP, p);
	struct rlimit r;
	prlimit(p, 0, 0, &r);
	fcntl(0, F_SETOWN, p);
	fcntl(0, F_GETOWN);
	struct f_owner_ex o = { F_OWNER_PID, p };
	fcntl(0, F_SETOWN_EX, &o);
	fcntl(0, F_GETOWN_EX, &o);
	int fd = syscall(SYS_pidfd_open, p, 0);
	syscall(SYS_pidfd_send_signal, fd, 0, 0, 0);
	syscall(SYS_process_vm_readv, p, 0, 0, 0, 0, 0);
	syscall(SYS_kcmp, p, p, 0, 0, 0);
	syscall(SYS_migrate_pages, p, 0, 0, 0);
	syscall(SYS_move_pages, p, 0, 0, 0, 0, 0);
	syscall(SYS_rt_sigqueueinfo, p, 0, &i);
	syscall(SYS_capget, (int[]){ 0x20080522, p }, (int[8]){ 0 });
	syscall(SYS_ptrace, 0x4206, p, 0, 0);
	syscall(SYS_sched_getattr, p, (int[20]){ 0 }, 48, 0);
	syscall(SYS_sched_rr_get_interval, p, (long[2]){ 0 });
	syscall(SYS_ioprio_get, 1, p);
	syscall(SYS_get_robust_list, p, (long[2]){ 0 }, (long[2]){ 0 });
	syscall(SYS_set_tid_address, 0);
	syscall(SYS_getpgid, 99999999);
	struct flock l = { .l_type = F_WRLCK };
	fcntl(fd, F_GETLK, &l);
	return 0;
}
