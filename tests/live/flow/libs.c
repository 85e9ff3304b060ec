/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program (-DMAIN) and two libraries (-DA, -DB), each with a function init() of its own. */
#ifdef MAIN
int a_work(int n);
__attribute__((noinline)) int init(int n)
{
	__asm__ volatile("");
	return n + 1;
}

__attribute__((noinline)) int job(int n)
{
	return init(n) + a_work(n);
}

int main(void)
{
	return job(1) + job(2) != 19;
}
#else
int b_leaf(int n);
__attribute__((noinline)) static int init(int n)
{
	__asm__ volatile("");
	return n * 2;
}
#ifdef A
int a_work(int n)
{
	return init(n) + b_leaf(n);
}
#else
int b_leaf(int n)
{
	return init(n) + 1;
}
#endif
#endif
