/* What sonde probe is tried on: structures, strings, bit-fields, static variables, an inlined function. */
#include <stdio.h>
struct item {
	int a;
	char name[16];
	struct item *next;
	const char *text;
	unsigned bits : 3, more : 5;
	struct {
		short x, y;
	} at[2];
};
enum color { RED, BLUE = 5 };
static int total;
long counters[4];
__attribute__((noinline)) long work(struct item *p, int n, const char *s, enum color c, unsigned char b)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
		sum += i + p->a;
		counters[i & 3] += sum;
	}
	total += sum;
	return sum + s[0] + c + b;
}
static inline __attribute__((always_inline)) int twice(int v)
{
	int r = v * 2;
	return r + (int)counters[v & 3];
}
int main(int argc, char **argv)
{
	struct item second = { 9, "second", 0, "deep", 5, 17, { { 1, 2 }, { 3, -4 } } };
	struct item first = { 7, "first", &second, "top", 3, 9, { { 1, 2 }, { 3, -4 } } };

	__asm__("" : : "r"(&second) : "memory");
	return work(&first, 3, "hello", BLUE, 200) + twice(argc) == 0;
}
