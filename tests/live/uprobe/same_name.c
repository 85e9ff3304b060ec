/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two files have a static function of one name; link-time optimization renames both. */
#if PART == 1
__attribute__((noinline)) static int helper(int first) { __asm__ volatile("" : "+r"(first)); return first + 1; }
int call_a(int v) { return helper(v); }
#elif PART == 2
__attribute__((noinline)) static int helper(int second) { __asm__ volatile("" : "+r"(second)); return second + 2; }
int call_b(int v) { return helper(v); }
#else
int call_a(int v);
int call_b(int v);
int main(void)
{
	int sum = 0;

	for (volatile int i = 0; i < 3; i++)
		sum += call_a(10 + i) + call_b(20 + i);
	return sum == 0;
}
#endif
