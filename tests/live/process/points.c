/* SPDX-License-Identifier: GPL-2.0-or-later */
/* points READY: after READY is made, waits for SIGUSR1; then two threads run tracepoints, whose
 * operands are registers, memory and constants. Prints whether its results are right. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sonde/sonde.h>
#include <stdio.h>
#include <unistd.h>

enum { CALLS = 3000 };

__attribute__((noinline)) static long call(int a, short b, const char *s, double d)
{
	SONDE_TP(live, call, a, b, s, d, 77, (unsigned char)a);
	return a + b;
}

__attribute__((noinline)) static long two(long a)
{
	volatile long spilled = a;

	SONDE_TP(live, two, spilled, -5);
	return spilled;
}

static void *run(void *wrong)
{
	long sum = 0, expected = 0;

	for (int i = 0; i < CALLS; i++) {
		sum += call(i - 500, (short)(i * 7), "text", i / 2.0) + two(i);
		expected += i - 500 + (short)(i * 7) + i;
	}
	*(int *)wrong = sum != expected;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	int wrong[2], sig;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	sigwait(&set, &sig);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, &wrong[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	usleep(300000); /* sonde maps the rings that the first record made */
	puts(wrong[0] || wrong[1] ? "wrong" : "right");
	return 0;
}
