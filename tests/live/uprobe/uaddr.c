/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of each width, and what the program knows about their addresses: "NAME ADDRESS VALUE". */
#include <stdio.h>
#include <sys/sdt.h>

char one = 'x';
short two = -2;
int four = 40;
long eight = 1l << 40;
int row[3] = { 5, 6, 7 };
const char *text = "a text";

int library(int n);
void *library_place(void);

__attribute__((noinline)) int twice(int n)
{
	DTRACE_PROBE1(uaddr, places, n);
	four++;
	if (n > 1)
		DTRACE_PROBE1(uaddr, places, n + 1);
	return n * 2;
}

__attribute__((noinline)) int thrice(int n)
{
	__asm__ volatile("");
	return n * 3;
}

int main(void)
{
	volatile char touched = *text; /* kernels before 6.0 do not read in what no one read */
	int n = twice(1) + twice(2) + thrice(3) + library(n);

	printf("four %p\nrow %p\nof_library %p\n", (void *)&four, (void *)row, library_place());
	return touched != 'a' || n == 0;
}
