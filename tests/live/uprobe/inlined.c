/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An inlined function in a loop that compilers align, and a parameter of which one half is used. */
struct pair { int x, y; };

static inline __attribute__((always_inline)) int square(int v)
{
	int r = v * v;

	__asm__ volatile("" ::: "memory");
	return r + 1;
}

__attribute__((noinline)) int work(struct pair p, int step)
{
	int total = 0;

	for (int i = 0; i < p.x; i++)
		total += square(i) + step;
	return total;
}

int main(void)
{
	return work((struct pair){ 4, 9 }, 3) == 30 ? 0 : 1;
}
