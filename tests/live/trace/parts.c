/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and events for the tests of "sonde trace": parts COUNT. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct part {
	int size;
	const char *name;
};

__attribute__((noinline)) const char *choose(int n, const char *word, const struct part *part)
{
	return n % 2 ? word : part->name;
}

__attribute__((noinline)) long weigh(long weight, char unit)
{
	return unit == 'k' ? weight * 1000 : weight;
}

__attribute__((noinline)) void nothing(void)
{
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	struct part part = { 3, "even \"part\"" };
	long sum = 0;

	for (int i = 1; i <= atoi(argv[1]); i++) {
		sum += choose(i, "odd", &part)[0];
		sum += weigh(i, i == 2 ? 'k' : 'g');
		nothing();
	}
	return sum == 0;
}
