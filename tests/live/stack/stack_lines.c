// SPDX-License-Identifier: GPL-2.0-or-later
// For stacks with source lines: main calls leaf through two inlined functions, from two lines.
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) void leaf(int n)
{
	sink += n;
	__asm__ volatile("nop; nop" ::: "memory");
}
static inline __attribute__((always_inline)) void middle(int n)
{
	sink++;
	leaf(n + 1);
	sink++;
}
static inline __attribute__((always_inline)) void outer(int n)
{
	middle(n * 2);
	sink--;
}
int main(int argc, char **argv)
{
	outer(argc);
	sink = 3;
	outer(argc + 4);
	return 0;
}
