/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * life MODE READY: makes READY and calls work() until it is killed. MODE: "fork": a child of it does, too, after
 * SIGUSR1, and its id is printed; "seccomp": under a filter that kills it for memfd_create(2), which it calls after SIGUSR1; "exec N": N times,
 * then it executes itself with N - 1.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t go;
static volatile long sum;
static int is_filtered;

__attribute__((noipa)) long work(long n)
{
	return n * 2 + sum % 2;
}
static void on_go(int sig)
{
	(void)sig;
	go = 1;
}
static void forbid_memfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		exit(1);
}
static void call(void)
{
	for (;;) {
		sum += work(sum & 1);
		usleep(1000);
		if (go && is_filtered)
			syscall(SYS_memfd_create, "x", 0);
	}
}
int main(int argc, char **argv)
{
	pid_t child;

	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGUSR1, on_go);
	if (!strcmp(argv[1], "exec")) {
		char left[16];
		int n = atoi(argv[2]);

		for (int i = 0; i < n; i++)
			sum += work(i);
		snprintf(left, sizeof left, "%d", n - 1);
		return n ? execl(argv[0], argv[0], "exec", left, NULL) : 0;
	}
	if (!strcmp(argv[1], "seccomp")) {
		forbid_memfd();
		is_filtered = 1;
	}
	close(open(argv[2], O_CREAT | O_WRONLY, 0600));
	if (strcmp(argv[1], "fork"))
		call();
	while (!go)
		usleep(1000);
	child = fork();
	if (child)
		printf("%d\n", child);
	call();
}
