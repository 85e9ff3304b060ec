// SPDX-License-Identifier: GPL-2.0-or-later
// longjmp over several frames of a probed function, again and again.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf at;
volatile int depth;
__attribute__((noinline)) int deep(int n) { if (!n) longjmp(at, 1); depth += n; int r = deep(n - 1); depth--; return r + 1; }
__attribute__((noinline)) int plain(int n) { return n + depth; }
int main(void)
{
	volatile long sum = 0;
	for (volatile int i = 0; i < 3000; i++) {
		if (!setjmp(at))
			deep(i % 7);
		sum += plain(i) != -1;
	}
	printf("%ld\n", (long)sum);
	return 0;
}
