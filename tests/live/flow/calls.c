/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls for the tests of "sonde flow": calls WORK. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

static jmp_buf out;
static ucontext_t outer, inner;
static volatile int sink;

CALLED int leaf(int n)
{
	__asm__ volatile("");
	return n + 1;
}

CALLED int fib(int n)
{
	return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

CALLED void pause_for(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
	sink++;
}

CALLED int jumps(int depth)
{
	if (depth == 0)
		longjmp(out, 1);
	return jumps(depth - 1) + sink;
}

CALLED int catches(void)
{
	int n = setjmp(out) ? 7 : jumps(2);

	return leaf(n) + sink;
}

CALLED int goes_on(int n)
{
	return leaf(n * 2);
}

CALLED void step(int n)
{
	sink += n;
	swapcontext(&inner, &outer);
	sink += n;
}

CALLED static void coroutine(void)
{
	step(1);
	step(2);
}

CALLED void resume(void)
{
	swapcontext(&outer, &inner);
	sink++;
}

CALLED int switches(void)
{
	static char stack[65536];

	getcontext(&inner);
	inner.uc_stack.ss_sp = stack;
	inner.uc_stack.ss_size = sizeof(stack);
	inner.uc_link = &outer;
	makecontext(&inner, coroutine, 0);
	resume();
	sink += leaf(1);
	resume();
	sink += leaf(2);
	resume();
	return leaf(3) + sink;
}

CALLED int slow(void)
{
	pause_for(100);
	pause_for(20000);
	return leaf(1) + sink;
}

CALLED int calls(void)
{
	sink += getppid() > 0;
	return leaf(sink) + sink;
}

CALLED void *thread(void *arg)
{
	sink += fib(1);
	return arg;
}

CALLED int threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return leaf(0) + sink;
}

static const struct {
	const char *name;
	int (*run)(void);
} works[] = {
	{ "catches", catches }, { "switches", switches }, { "slow", slow },
	{ "calls", calls },     { "threads", threads },
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc > 1 && i < sizeof(works) / sizeof(*works); i++)
		if (!strcmp(argv[1], works[i].name))
			sink += works[i].run();
	sink += fib(3) + goes_on(2) + leaf(9);
	return 0;
}
