/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints of sonde.h; for tests of the process engine. It makes the file that is its argument,
 * and after SIGUSR1 hits them in four threads and a signal handler. Then a child, whose records are
 * nobody's, and "end". At the end it waits to be killed.
 */
#include <sonde/sonde.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const texts[] = { "", "one", "a longer text", NULL };
static volatile sig_atomic_t go, beats;

static long boot(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
static void *run(void *arg)
{
	long id = (long)arg;

	for (int i = 0; i < 5000; i++) {
		SONDE_TP(records, hit, id, i, boot(), texts[(i + id) & 3], i * 0.5, (i & 1) == 0,
			 (signed char)-i);
		if (!(i % 100))
			usleep(1000);
	}
	return NULL;
}
static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		go = 1;
	else if (beats < 1000)
		SONDE_TP(records, beat, (int)++beats);
}
/* What a stop must not end. */
static void *wait_long(void *arg)
{
	struct epoll_event e;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (epoll_wait(epoll_create1(0), &e, 1, -1) < 0)
		fprintf(stderr, "epoll_wait ended\n");
	return arg;
}
int main(int argc, char **argv)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } };
	pthread_t t[5];

	pthread_create(&t[4], NULL, wait_long, NULL);
	signal(SIGUSR1, on_signal);
	close(open(argv[argc - 1], O_CREAT | O_WRONLY, 0600)); /* it may be attached and signaled */
	while (!go)
		usleep(1000);
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &every, NULL);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	while (beats < 1000)
		usleep(1000);
	if (!fork()) {
		SONDE_TP(records, hit, 99L, 0, 0L, "child", 0.0, 0 == 1, (signed char)0);
		_exit(0);
	}
	wait(NULL);
	SONDE_TP(records, end);
	for (;;)
		pause();
}
