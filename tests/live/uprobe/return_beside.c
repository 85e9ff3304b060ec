/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function that moves the stack pointer first and makes its frame then: an entry probe gains by sitting behind that. */
volatile int n;
__attribute__((noinline)) int leaf(int x) { return n += x; }
int moves_sp(int x);
#ifdef __aarch64__
__asm__(".globl moves_sp\n.type moves_sp,%function\nmoves_sp: sub sp, sp, #32\n stp x29, x30, [sp, #16]\n add x29, sp, #16\n bl leaf\n"
	" ldp x29, x30, [sp, #16]\n add sp, sp, #32\n ret\n.size moves_sp,.-moves_sp");
#else
__asm__(".globl moves_sp\n.type moves_sp,@function\nmoves_sp: sub $24,%rsp\n call leaf\n add $24,%rsp\n ret\n.size moves_sp,.-moves_sp");
#endif
__attribute__((noinline)) int caller(int x) { return moves_sp(x) + n; }
int main(void)
{
	for (int i = 0; i < 3; i++)
		n += caller(i);
	return 0;
}
