/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses the CPU for argv[1] ms in known functions: of each turn heavy() takes three quarters, light() one quarter. Turns
 * have different lengths, so that no rate of sampling is in step with them. */
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned long result;

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

APART void spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		result += i * i;
	__asm__ volatile("");
}

APART void heavy(unsigned long n)
{
	spin(3 * n);
	__asm__ volatile("");
}

APART void light(unsigned long n)
{
	spin(n);
	__asm__ volatile("");
}

APART void turn(unsigned long n)
{
	heavy(n);
	light(n);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? atof(argv[1]) : 0;
	unsigned seed = 1;

	while (cpu_ms() < end)
		turn(5000 + rand_r(&seed) % 20000);
	return argc > 2 ? atoi(argv[2]) : 0;
}
