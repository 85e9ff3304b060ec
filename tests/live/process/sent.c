/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sent READY COUNTS: after READY is made, waits for SIGUSR1. Then THREADS threads, whose numbers go up, call emit(thread,
 * i) for i = 0, 1, ... while a timer's signals interrupt any of them and call emit(SIGNALS + 1 + thread, i). COUNTS gets how often each has returned. Each thread
 * ends while others run; when ENDS have, the process kills itself amid those that run.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 4, ENDS = 20, CALLS = 700, SIGNALS = 99 };
static volatile unsigned *counts;
static __thread long signals = SIGNALS;

__attribute__((noinline)) long emit(long who, long i)
{
	__asm__ volatile("" ::: "memory");
	return who * 100000 + i;
}

static void on_alarm(int sig)
{
	(void)sig;
	if (emit(signals, counts[signals]) != signals * 100000 + counts[signals])
		_exit(1);
	counts[signals]++;
}

static void *run(void *arg)
{
	long who = (long)arg;

	signals = SIGNALS + 1 + who;

	for (long i = 0; i < CALLS; i++) {
		if (emit(who, i) != who * 100000 + i)
			_exit(1);
		counts[who]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	pthread_t t[ENDS + THREADS];
	int fd = open(argv[2], O_RDWR | O_CREAT, 0600), sig;
	sigset_t set;

	if (argc < 3 || ftruncate(fd, 4096))
		return 1;
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	sigwait(&set, &sig);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < ENDS + THREADS; i++) {
		pthread_create(&t[i], NULL, run, (void *)i);
		if (i >= THREADS)
			pthread_join(t[i - THREADS], NULL);
	}
	kill(getpid(), SIGKILL);
}
