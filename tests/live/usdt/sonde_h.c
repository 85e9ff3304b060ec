/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints of sonde.h with arguments of every kind, as C and as C++; for tests of usdt:. */
#include <sonde/sonde.h>
#include <stdio.h>

#ifdef __cplusplus
template <class T> static void temp(T v)
{
	SONDE_TP(shop, temp, v, (T)(v + 1));
}
#define BOOL bool
#else
#define BOOL _Bool
#endif
enum color { RED, GREEN };
struct bits {
	unsigned a : 3;
	int b : 5;
};
SONDE_SEMAPHORE(shop, costly);
static int evaluated;
static int costly(void)
{
	return ++evaluated;
}
/* Without the tracepoint it keeps y in the red zone. */
__attribute__((noinline)) int leaf(int x)
{
	volatile int y[4];

	y[0] = x;
	y[1] = x + 1;
	SONDE_TP(shop, leaf, x, y[0]);
	return y[0] + y[1];
}
static void typed(int i, const char *name)
{
	char buf[] = "array";
	struct bits b = { 5, -3 };
	signed char c = (signed char)-i;
	unsigned char u = (unsigned char)(200 + i);
	short s = -1000;
	double d = 1.5 * i;
	BOOL t = i & 1;

	SONDE_TP(shop, none);
	SONDE_TP(shop, words, i, name, "100%", buf, c, u, s);
	SONDE_TP(shop, twelve, i, i + 1, i - 2, i % 3, i | 8, 5u, 6, 7, 8, 9, (long)-i, 1ull << 40);
	SONDE_TP(shop, real, d, 2.5f, t, GREEN, (int)b.a, b.b + 0, (void *)0);
	SONDE_TP_IF_ENABLED(shop, costly, costly(), i);
#ifdef __cplusplus
	temp(i);
	temp((short)(100 + i));
#endif
}
int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 0; i < 3; i++) {
		typed(i, argv[argc - 1]);
		bad += leaf(i) != 2 * i + 1;
	}
	fprintf(stderr, "evaluated %d, bad %d\n", evaluated, bad);
	return 0;
}
