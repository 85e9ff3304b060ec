/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters that unoptimized code keeps in registers, which gcc describes as if they were there
 * from the entry on. On arm64 also: the address of a large structure, in a register that is saved
 * (returns_big) or in the one that it came in, which the next call overwrites (unused_big).
 */
struct big {
	long v[4];
	char tail;
};
static volatile long sink;

__attribute__((noinline)) void call(long a, long b)
{
	sink += a + b;
}

__attribute__((noinline)) long in_registers(register int a, register long b, register const char *s)
{
	call(7777, 8888);
	return a + b + s[0];
}

__attribute__((noinline)) struct big returns_big(struct big p, int n)
{
	p.v[1] += n;
	return p;
}

__attribute__((noinline)) void unused_big(long n, struct big p)
{
	call(n, 0);
	call(0, n);
}

int main(void)
{
	struct big b = { { 9, 8, 7, 6 }, 't' };
	char text[] = "text"; /* on the stack: memory that is there */

	in_registers(41, -42, text);
	b = returns_big(b, 5);
	unused_big(1, b);
	return 0;
}
