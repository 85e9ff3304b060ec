#include <stdint.h>
#include <stdio.h>

struct point {
	int x, y;
	char name[8];
	double weight;
	union { int i; float f; } u;
};

static struct point origin = { 3, 4, "origin", 1.5, { 7 } };
const char *words[] = { "alpha", "beta", NULL };

int __attribute__((noinline)) add(int a, unsigned char b, const char *what)
{
	return a + b + (what ? what[0] : 0);
}

uint64_t __attribute__((noinline)) look(struct point *p, const char **list)
{
	return p->x + (list[0] ? 1 : 0);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		add(i - 1, 200 + i, "xyz");
		look(&origin, words);
	}
	return argc > 1 ? 7 : 0;
}
