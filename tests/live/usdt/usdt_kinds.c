/* SPDX-License-Identifier: GPL-2.0-or-later */
/* USDT probes with arguments of every kind, one of them at two places; for tests of usdt:. */
#include <sys/sdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <stdint.h>
__attribute__((noinline)) int sum(int a, long b, double d, float f, const char *s, uint8_t c, int8_t e)
{
	DTRACE_PROBE(kinds, none);
	DTRACE_PROBE7(kinds, all, a, b, d, f, s, c, e);
	DTRACE_PROBE2(kinds, two, a * 2, b + 1);
	if (a > 3)
		DTRACE_PROBE2(kinds, two, b, a);
	return a + (int)b;
}
int main(int argc, char **argv)
{
	int n = 0;
	for (int i = 1; i < 5; i++)
		n += sum(i * argc, -i, i * 1.5, i * 0.25f, "text", 200 + i, -100 - i);
	printf("%d\n", n);
	STAP_PROBE12(kinds, twelve, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, argc, n);
	return 0;
}
