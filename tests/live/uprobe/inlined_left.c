/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that has code of its own, for a pointer, and is inlined where it is called by name. */
volatile int data, rounds = 3;

static inline __attribute__((always_inline)) int twice(int v)
{
	data = v;
	return v * 2;
}

static int (*volatile by_pointer)(int) = twice;

int main(void)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += twice(i);
	return by_pointer(sum) == 12 ? 0 : 1;
}
