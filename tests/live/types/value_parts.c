/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures that are partly in vector registers, or of which the optimizer keeps one member only. */
#include <stdio.h>

struct mix {
	long id;
	double weight;
};
struct pair {
	long used, lost;
};

__attribute__((noinline)) long mixed(struct mix m, int k)
{
	__asm__ volatile("" : : "r"(m.id), "r"(k), "x"(m.weight));
	return m.id + k;
}

__attribute__((noinline)) long parts(int n)
{
	struct pair p = { n * 3, n * 5 };
	long sum = 0;

	p.lost += n;
	for (int i = 0; i < n; i++) {
		__asm__ volatile("" : "+r"(p.used));
		sum += p.used;
	}
	return sum;
}

int main(void)
{
	return mixed((struct mix){ 7, 1.5 }, 3) + parts(2) == 0;
}
