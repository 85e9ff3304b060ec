/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions READY: functions of several kinds for tests of the process engine. It makes READY, and
 * at each SIGUSR1 four threads call them, under a timer's signals; then it prints "ROUND SUM
 * CALLS". Signals of a thread that waits for all of them must never be lost.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone, noipa))

static volatile sig_atomic_t rounds, beats;
static const long table[4] = { 3, 5, 7, 11 };
static long calls = 5000;

FUNCTION long leaf(long a, long b, long c, long d, long e, long f)
{
	return a ^ (b + c) ^ (d - e) ^ f;
}
FUNCTION long branches(long a) /* test, je: a branch is displaced */
{
	if (!a)
		return 1;
	return leaf(a, 1, 2, 3, 4, 5) + 1;
}
FUNCTION long by_rip(void) /* an operand by rip is displaced */
{
	return calls;
}
FUNCTION long nested(long n)
{
	char room[64];

	for (unsigned i = 0; i < sizeof room; i++)
		((volatile char *)room)[i] = (char)(n + i);
	return n ? nested(n - 1) + room[n & 63] : table[room[0] & 3];
}
FUNCTION double floats(double x, int n)
{
	return x * n + 0.5;
}
FUNCTION void beat(int n)
{
	beats = n;
}
static void on_alarm(int sig)
{
	(void)sig;
	beat(beats + 1);
}
static void on_go(int sig)
{
	(void)sig;
	rounds++;
}

static void *run(void *arg)
{
	long id = (long)arg, sum = 0, n = by_rip();

	for (long i = 0; i < n; i++) {
		sum += branches(i & 3) + leaf(i, id, 3, 4, 5, 6) + nested(i & 7);
		sum += (long)floats((double)i, (int)id);
		if (!(i % 10))
			usleep(1000);
	}
	return (void *)sum;
}
/* What a stop must not end. */
static void *wait_long(void *arg)
{
	struct epoll_event e;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (epoll_wait(epoll_create1(0), &e, 1, -1) < 0)
		printf("epoll_wait ended\n");
	return arg;
}
int main(int argc, char **argv)
{
	struct itimerval every = { { 0, 700 }, { 0, 700 } };
	pthread_t t[5];

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGUSR1, on_go);
	signal(SIGALRM, on_alarm);
	pthread_create(&t[4], NULL, wait_long, NULL);
	close(open(argv[argc - 1], O_CREAT | O_WRONLY, 0600));
	for (int done = 0;; done++) {
		long sum = 0;
		void *one;

		while (rounds == done)
			usleep(1000);
		setitimer(ITIMER_REAL, &every, NULL);
		for (long i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, run, (void *)i);
		for (int i = 0; i < 4; i++) {
			pthread_join(t[i], &one);
			sum += (long)one;
		}
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
		if (!fork()) /* its calls are nobody's */
			_exit((int)(leaf(1, 2, 3, 4, 5, 6) + nested(3)) & 127);
		wait(NULL);
		printf("%d %ld\n", done, sum);
		beat(-1);
	}
}
