/* Calls of a function with a number and a text. */
#define _GNU_SOURCE
#include "sonde/sonde.h"

__attribute__((noinline)) long work(int n, const char *name)
{
	__asm__ volatile("" ::: "memory");
	return n * 2 + name[0];
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 3; i++) {
		sum += work(i - 1, i % 2 ? "odd" : "even \"number\"");
		SONDE_TP(demo, done, i, sum);
	}
	return sum == 0;
}
