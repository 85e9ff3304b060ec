/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A 32-bit program without libraries: parameters of every kind, results, locals. It reads what it points to
   once, since programs before Linux 6.0 cannot wait for pages that nobody touched. */
struct node {
	int a;
	struct node *next;
	const char *name;
	long long q;
};
struct pair {
	int x, y;
};

__attribute__((noinline, used)) long long take(int a, char b, struct node *n, long long q, struct pair p, double d)
{
	__asm__ volatile("" ::: "memory");
	return q + a + b + n->a + p.x + (long long)d;
}

__attribute__((noinline, used)) struct pair give(int x)
{
	int local = x * 3;
	struct pair p = { local, x };

	__asm__ volatile("" : "+m"(p) : "r"(local));
	return p;
}

void _start(void)
{
	static struct node n = { 7, &n, "name", 1ll << 40 };
	long long s = *(volatile int *)&n.a - n.a + *(volatile const char *)n.name - 'n';

	for (int i = 0; i < 2; i++)
		s += take(i, -2, &n, (5ll << 33) + i, (struct pair){ 11, -12 }, 2.5) + give(4 + i).y;
	__asm__ volatile("int $0x80" ::"a"(1), "b"(s == 0));
	for (;;)
		;
}
