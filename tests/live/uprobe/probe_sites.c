/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A USDT probe in two functions, twice in one of them; with -DOTHER a second static function of the same name. */
#include <sys/sdt.h>

int other(int);
#ifdef OTHER
static __attribute__((noinline)) int hit(int i)
{
	__asm__ volatile("");
	return i + 3;
}

int other(int i)
{
	return hit(i);
}
#else
static __attribute__((noinline)) int hit(int i)
{
	DTRACE_PROBE1(prov, seen, i);
	return i;
}

static __attribute__((noinline)) int twice(int i)
{
	DTRACE_PROBE1(prov, seen, i);
	if (i > 2)
		DTRACE_PROBE1(prov, seen, i);
	return i;
}

int main(void)
{
	int t = 0;

	for (int i = 0; i < 5; i++)
		t += hit(i) + twice(i) + other(i);
	return t == 0;
}
#endif
