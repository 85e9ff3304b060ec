/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracepoint BURSTS: the time of a call with a tracepoint of sonde.h (two integers, a string of 8
 * bytes) and of rdtsc, in ns of this thread's CPU time: the medians of BURSTS bursts of 20,000,
 * with pauses in which a tracer reads. A tracer has 1.5 s to attach.
 */
#include <sonde/sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 20000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
__attribute__((noinline, noipa)) static int call(int a, int b, const char *s)
{
#ifndef WITHOUT
	SONDE_TP(bench, call, a, b, s);
#endif
	__asm__ __volatile__("" ::"r"(a), "r"(s));
	return a + b;
}
static double tsc(void)
{
	double start = now();
	unsigned long long sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += __builtin_ia32_rdtsc();
	return sum ? (now() - start) / CALLS : 0;
}
static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}
int main(int argc, char **argv)
{
	static double ns[1000], rdtsc[1000];
	int n = argc > 1 ? atoi(argv[1]) % 1000 : 50;

	usleep(1500000);
	for (int k = 0; k < n; k++) {
		double start = now();

		for (int i = 0; i < CALLS; i++)
			call(i, k, "12345678");
		ns[k] = (now() - start) / CALLS;
		rdtsc[k] = tsc();
		usleep(50000);
	}
	qsort(ns, (size_t)n, sizeof *ns, by_value);
	qsort(rdtsc, (size_t)n, sizeof *rdtsc, by_value);
	printf("%.2f %.2f\n", ns[n / 2], rdtsc[n / 2]);
	return 0;
}
