/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pointers to functions as a parameter and as members. */
typedef int (*operation)(int);

struct operations {
	operation first;
	int (*second)(int, char);
};

static int twice(int x)
{
	return 2 * x;
}

int __attribute__((noinline)) apply(operation f, struct operations *o)
{
	__asm__ volatile("" ::: "memory");
	return f(3) + o->first(4);
}

int main(void)
{
	struct operations o = { twice, 0 };

	return apply(twice, &o) != 14;
}
