/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/sdt.h>
#include <unistd.h>

__attribute__((noinline)) int tick(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int main(void)
{
	for (int i = 0; i < 3000; i++, usleep(10000)) {
		tick(VALUE);
		DTRACE_PROBE1(t, beat, VALUE);
	}
	return 0;
}
