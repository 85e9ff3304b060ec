/* Frames of several kinds, built without frame pointers: a callback of the C library, alloca, a
 * signal on a stack of its own, a thread. Each ends in leaf(), with a number above 0. */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noipa))

volatile int sink, handled;

NOINLINE void leaf(int n)
{
	sink += n;
}

NOINLINE static int compare(const void *a, const void *b)
{
	leaf(1);
	sink++;
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void with_alloca(int n)
{
	char *p = alloca(n);

	memset(p, 1, n);
	leaf(2);
	sink += p[n / 2];
}

NOINLINE static void handler(int sig)
{
	leaf(handled++ < 7 ? 0 : 3);
	sink += sig;
}

NOINLINE static void *thread(void *arg)
{
	leaf(4);
	sink++;
	return arg;
}

NOINLINE static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		leaf(5);
	sink++;
}

int main(void)
{
	int two[] = { 2, 1 };
	stack_t other = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	pthread_t t;

	qsort(two, 2, sizeof(int), compare);
	with_alloca(3000);
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &act, NULL);
	for (int i = 0; i < 8; i++) { /* the first are unwound from a copy of this stack, which has no other */
		raise(SIGUSR1);
		usleep(100000);
	}
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	deep(50);
	return sink == 0;
}
