/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of which some cannot take a jump: too short, a branch into the first bytes, a return without room, a tail call to
 * one of them. */
#define CALLED __attribute__((noinline, noclone))

static volatile int sink;

CALLED int mid_leaf(int a, int b, int c)
{
	__asm__ volatile("");
	return a * b + c * 3 + (a ^ b);
}

/* Three bytes, and another function after it. */
__asm__(".text\n.globl tiny_leaf\n.type tiny_leaf, @function\n"
	"tiny_leaf: mov %edi, %eax\n ret\n.size tiny_leaf, . - tiny_leaf\n"
	".globl after\n.type after, @function\n"
	"after: lea 1(%rdi), %eax\n nop\n nop\n ret\n.size after, . - after\n"
	/* a loop to its second instruction */
	".globl loops\n.type loops, @function\n"
	"loops: xor %eax, %eax\n1: inc %eax\n dec %edi\n jg 1b\n ret\n nop\n nop\n nop\n nop\n.size loops, . - loops\n"
	/* ends as tiny_leaf, which the kernel serves */
	".globl jumper\n.type jumper, @function\n"
	"jumper: lea 7(%rdi), %edi\n lea 1(%rdi), %edi\n jmp tiny_leaf\n.size jumper, . - jumper\n");

int tiny_leaf(int n), after(int n), loops(int n), jumper(int n);

CALLED int mid(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += mid_leaf(i, n, i + 1) + tiny_leaf(i) + loops(3);
	return sum;
}

/* The caller of jumper() has functions called after it that are not of jumper(). */
CALLED int held(int n)
{
	sink += tiny_leaf(1);
	sink += jumper(n);
	sink += mid(n);
	sink += tiny_leaf(3);
	return after(n) + jumper(n + 1) + 1;
}

CALLED int down(int n)
{
	return n ? down(n - 1) + mid(1) : tiny_leaf(n);
}

int main(void)
{
	sink = tiny_leaf(2) + mid(2);
	for (int i = 0; i < 20; i++)
		sink += held(i % 3) + down(i % 4) + tiny_leaf(i);
	sink += mid(3);
	return 0;
}
