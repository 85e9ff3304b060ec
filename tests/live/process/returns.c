/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * returns READY: functions that return in several ways: more than one place, a tail call, recursion, longjmp, the end
 * of a thread. It makes READY, calls them after SIGUSR1, and prints a sum of all results.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int tiny(int a)
{
	return a + 1;
}
NOINLINE long sum3(long a, long b, long c)
{
	__asm__ volatile("");
	return a * 2 + b * 3 + c;
}
NOINLINE unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
NOINLINE int many(int x)
{
	if (x < 10)
		return tiny(x) * 2;
	if (x & 1)
		return 7;
	switch (x % 7) {
	case 0: return tiny(x);
	case 1: return x * 3;
	case 2: return tiny(x + 1) - 1;
	case 3: return -x;
	default: return 0;
	}
}
NOINLINE int tail(int x)
{
	return sum3(x, x, x) > 10 ? many(x) : many(x + 1);
}
static jmp_buf env;
NOINLINE int jumps(int x)
{
	if (x % 3 == 0)
		longjmp(env, x + 1);
	return x + tiny(x);
}
NOINLINE int catches(int x)
{
	if (setjmp(env))
		return -1;
	return jumps(x) + 1;
}
NOINLINE double real(double d)
{
	return d * 1.5;
}
struct big {
	long v[5];
};
NOINLINE struct big large(long x)
{
	struct big b;

	for (int i = 0; i < 5; i++)
		b.v[i] = x + i;
	return b;
}
NOINLINE void nothing(int *p)
{
	*p += 1;
}
static void *thread(void *arg)
{
	long total = 0;

	for (int i = 0; i < 1000; i++)
		total += sum3(i, (long)arg, 1) + tiny(i);
	if ((long)arg & 1)
		pthread_exit((void *)total);
	return (void *)total;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	long total = 0;
	int n = 0, signal;
	sigset_t go;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &go, NULL);
	fclose(fopen(argv[argc - 1], "w"));
	sigwait(&go, &signal);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, (void *)i);
	for (int i = 0; i < 4; i++) {
		void *r;

		pthread_join(t[i], &r);
		total += (long)r;
	}
	total += fib(12);
	for (int i = 0; i < 100; i++) {
		total += many(i) + tail(i) + catches(i) + (long)real(i) + large(i).v[3];
		nothing(&n);
	}
	printf("%ld %d\n", total, n);
	return 0;
}
