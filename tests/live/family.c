/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family PIDS N: one process, and all kinds of relatives: a thread, a child, a child in a session of its own, a daemon
 * (forked twice, its parent gone), a child that executes this program again, a child of the thread. Each does N rounds
 * of the same things and adds its pid to the file PIDS. family noise: rounds for ever.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pids;
static int rounds;
volatile long watched;

__attribute__((noinline)) long mark(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

static void one_round(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(volatile char *)page = 1;
	munmap(page, 4096);
	mark(1);
	watched = watched + 1;
	DTRACE_PROBE1(family, round, 1);
	syscall(SYS_getppid);
	for (volatile int i = 0; i < 800000; i++)
		;
}

static void work(void)
{
	char line[32];
	int fd = open(pids, O_WRONLY | O_APPEND | O_CREAT, 0600), len = snprintf(line, sizeof(line), "%d\n", getpid());

	if (write(fd, line, (size_t)len) != len)
		exit(1);
	close(fd);
	for (int i = 0; i < rounds; i++)
		one_round();
}

static void child(int kind, char **argv)
{
	char *again[] = { argv[0], argv[1], argv[2], "alone", NULL };

	if (kind == 1)
		setsid();
	if (kind == 2) {
		setsid();
		if (fork())
			_exit(0);
	}
	if (kind == 3)
		execv(argv[0], again);
	work();
	_exit(0);
}

static void *thread(void *argv)
{
	work();
	if (fork() == 0)
		child(0, argv);
	wait(NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 3)
		for (;;)
			one_round();
	pids = argv[1];
	rounds = atoi(argv[2]);
	if (argc > 4) { /* a gate: begins when it is there */
		while (access(argv[4], F_OK))
			usleep(10000);
	}
	work();
	if (argc > 3 && !strcmp(argv[3], "alone"))
		return 0;
	pthread_create(&t, NULL, thread, argv);
	pthread_join(t, NULL);
	for (int kind = 0; kind < 4; kind++)
		if (fork() == 0)
			child(kind, argv);
	while (wait(NULL) > 0)
		;
	sleep(1); /* the daemon is nobody's child to wait for */
	return 0;
}
