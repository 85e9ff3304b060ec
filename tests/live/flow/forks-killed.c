/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts children all the time, in two threads, which compute and check; writes what is wrong. Ends at SIGTERM. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

static volatile sig_atomic_t over;

CALLED long leaf(long n)
{
	__asm__ volatile("");
	return n * n * 3 + n / 7;
}

CALLED long work(long n)
{
	return leaf(n) * 2 + leaf(n + 1);
}

CALLED int compute(void)
{
	long sum = 0;

	for (long i = 0; i < 200; i++)
		sum += work(i) - leaf(i) * 2 - leaf(i + 1);
	return sum != 0;
}

static void on_end(int s)
{
	over = 1;
}

CALLED void one(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!fork())
			_exit(compute());
		_exit(compute() | (wait(&status) > 0 && status));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		printf("wrong: %x\n", status);
}

static void *run(void *p)
{
	while (!over) {
		one();
		usleep(5000);
		if (compute())
			printf("wrong\n");
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	setlinebuf(stdout);
	signal(SIGTERM, on_end);
	alarm(120);
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	printf("over\n");
	return 0;
}
