/* SPDX-License-Identifier: GPL-2.0-or-later */
/* extremes READY: after READY is made, waits for SIGUSR1; then four threads of one processor call work() with 0, 1, ... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 20 << 20 };
static long next;

__attribute__((noinline)) long work(long value)
{
	__asm__ volatile("" ::: "memory");
	return value + 1;
}

static void *run(void *arg)
{
	long n;

	while ((n = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < CALLS)
		work(n);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	cpu_set_t one;
	sigset_t set;
	int sig;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	sigwait(&set, &sig);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return argc < 2;
}
