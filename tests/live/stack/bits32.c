/* A 32-bit program: leaf() is called by work(), by a handler of a signal that interrupts a system call, and by a thread. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define USES(p) __asm__ volatile("" : : "r"(p) : "memory")

APART void leaf(int n)
{
	__asm__ volatile("" : : "r"(n));
}

APART void handler(int number)
{
	char some[32];

	memset(some, number, sizeof some);
	USES(some);
	leaf(number);
	USES(some);
}

APART void work(int n)
{
	char some[n * 16 + 16]; /* the frame has no fixed size */

	memset(some, n, sizeof some);
	USES(some);
	kill(getpid(), SIGUSR1);
	leaf(n);
	USES(some);
}

APART void aligned(int n)
{
	char some[128] __attribute__((aligned(64)));

	memset(some, n, sizeof some);
	USES(some);
	work(n);
	USES(some);
}

static int compare(const void *a, const void *b)
{
	aligned(*(const int *)a);
	return *(const int *)a - *(const int *)b;
}

static void *thread(void *p)
{
	aligned(3);
	return p;
}

int main(void)
{
	int some[] = { 2, 1 };
	sigset_t usr1;
	pthread_t t;

	signal(SIGUSR1, handler);
	for (int i = 0; i < 20; i++) {
		qsort(some, 2, sizeof *some, compare);
		usleep(10000);
	}
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL); /* the thread inherits it */
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return 0;
}
