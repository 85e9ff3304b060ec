/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function BURSTS: the time of a call of work() and of rdtsc, in ns of this thread's CPU time: the
 * medians of BURSTS bursts of 20,000, with pauses in which a tracer reads. A tracer has 1.5 s to
 * attach. In the first bursts rings are new memory, whose pages the kernel maps as they are
 * touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 20000, KEYS = 100 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
__attribute__((noinline)) int work(long a, long b)
{
	int sum = (int)(a * 3 + b);

	__asm__ __volatile__("nopl 8(%%rax)" : "+r"(sum)); /* room for a jump in place of the ret */
	return sum;
}
/* FUNC of bench/flow */
__attribute__((noinline)) double burst(long k)
{
	double start = now();

	for (int i = 0; i < CALLS; i++)
		work(i % KEYS, k);
	return (now() - start) / CALLS;
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
		ns[k] = burst(k);
		rdtsc[k] = tsc();
		usleep(50000);
	}
	qsort(ns, (size_t)n, sizeof *ns, by_value);
	qsort(rdtsc, (size_t)n, sizeof *rdtsc, by_value);
	printf("%.2f %.2f\n", ns[n / 2], rdtsc[n / 2]);
	return 0;
}
