/* killed READY: four threads call functions until a signal ends them; a wrong result is printed. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define APART __attribute__((noinline))
APART long one(long a, long b)
{
	__asm__("");
	return a + b;
}
APART long two(long a, long b)
{
	__asm__("");
	return 2 * a + b;
}

static void *run(void *arg)
{
	for (;;) {
		long sum = 0;

		for (long i = 0; i < 2000; i++)
			sum += one(i, 1) + two(i, 2);
		if (sum != 3 * 1999000L + 3 * 2000L) {
			printf("wrong: %ld\n", sum);
			fflush(stdout);
		}
		if (arg)
			usleep(100);
	}
}

int main(int argc, char **argv)
{
	pthread_t t;

	for (long i = 0; i < 4; i++)
		pthread_create(&t, NULL, run, (void *)(i & 1));
	fclose(fopen(argv[1], "w"));
	for (;;)
		pause();
}
