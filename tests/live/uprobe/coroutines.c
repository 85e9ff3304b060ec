/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two coroutines of swapcontext(3) take turns within work(): its calls do not return in the reverse order. */
#include <stdio.h>
#include <ucontext.h>

static ucontext_t all, each[2];
static char stack[2][65536];
static int n_done;

__attribute__((noinline, noclone)) static void yield(int i)
{
	swapcontext(&each[i], &all);
}

__attribute__((noinline, noclone)) int work(int i)
{
	int sum = 0;

	for (int k = 0; k < 3 + i; k++) {
		sum += k;
		yield(i);
	}
	return sum;
}

static void coroutine(int i)
{
	for (int k = 0; k < 5; k++)
		printf("%d: %d\n", i, work(i));
	n_done++;
	while (1)
		yield(i);
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&each[i]);
		each[i].uc_stack.ss_sp = stack[i];
		each[i].uc_stack.ss_size = sizeof stack[i];
		makecontext(&each[i], (void (*)(void))coroutine, 1, i);
	}
	for (int n = 0; n_done < 2; n++)
		swapcontext(&all, &each[n & 1]);
	printf("%d ended\n", n_done);
	return 0;
}
