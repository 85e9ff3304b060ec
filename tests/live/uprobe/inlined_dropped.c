// step() is inlined into a loop that clang computes without most of its parameters, which it does not list in the copy.
#include <stdio.h>
#include <stdlib.h>

static int step(int a, int b, int c, int d)
{
	return a ^ (b + c) ^ (d + a);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4, s = 0;
	unsigned h = 7;

	for (int i = 0; i < n; i++) {
		h = h * 16777619u ^ (unsigned)i;
		s = step(s, i, (int)h, n) + step(i, i + 1, i + 2, s);
	}
	printf("%d\n", s);
}
