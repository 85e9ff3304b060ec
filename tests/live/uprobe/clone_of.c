/* SPDX-License-Identifier: GPL-2.0-or-later */
/* At -O3 gcc makes a copy of a public function for the arguments that this caller has. */
__attribute__((noinline)) int scale(const int *p, int by, int unused)
{
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		sum += p[i] % by;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

int main(int argc, char **argv)
{
	int a[4] = { 1, 2, 3, argc }, sum = 0;

	for (volatile int i = 0; i < 3; i++)
		sum += scale(a, 3, i);
	return sum == 0;
}
