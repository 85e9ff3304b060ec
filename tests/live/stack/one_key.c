/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hit(n) 300 times at once from one place, and 100 times more 0.3 seconds later. */
#include <unistd.h>

__attribute__((noinline, noclone)) void hit(int n)
{
	__asm__ volatile("" : : "r"(n) : "memory");
}

__attribute__((noinline, noclone)) void before(int i)
{
	if (i == 301)
		usleep(300000);
}

int main(void)
{
	for (int i = 1; i <= 400; i++) {
		before(i);
		hit(i * 7 % 401);
	}
	return 0;
}
