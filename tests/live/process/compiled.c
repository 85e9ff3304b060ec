/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compiled READY: after READY is made, waits for SIGUSR1; then THREADS threads and a child of fork() call work().
 * Prints whether the results are right. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 5000 };

__attribute__((noinline)) long work(long a, unsigned char b, const char *s)
{
	__asm__ volatile("" ::"r"(s) : "memory");
	return a * 3 + b;
}

/* The caller keeps values in registers and the carry flag over no call, but the function has many arguments. */
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g)
{
	__asm__ volatile("" ::: "memory");
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}

__attribute__((noinline)) void done(int n)
{
	__asm__ volatile("" ::"r"(n) : "memory");
}

static long calls(void)
{
	long sum = 0;

	for (long i = 0; i < CALLS; i++) {
		sum += work(i % 16, (unsigned char)i, "text");
		sum += many(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6);
	}
	return sum;
}

static long expected(void)
{
	long sum = 0;

	for (long i = 0; i < CALLS; i++)
		sum += i % 16 * 3 + (unsigned char)i + 28 * i + 2 + 6 + 12 + 20 + 30 + 42;
	return sum;
}

static void *run(void *wrong)
{
	if (calls() != expected())
		++*(int *)wrong;
	return NULL;
}

int main(int argc, char **argv)
{
	int wrong[THREADS] = { 0 }, n = 0, status;
	pthread_t t[THREADS];
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	sigwait(&set, &sig);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, &wrong[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		n += wrong[i];
	}
	for (int i = 1; i < 5; i++)
		done(i);
	if (!fork())
		_exit(calls() != expected());
	wait(&status);
	printf("%s, child %s\n", n ? "wrong" : "right", status ? "wrong" : "right");
	return 0;
}
