/* A second in turn(), which spin() calls: long after a slow machine knows the program. */
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) static int turn(void)
{
	for (int i = 0; i < 3000000; i++)
		sum += (unsigned long)i;
	return 1;
}

__attribute__((noinline)) static clock_t spin(void)
{
	while (clock() < CLOCKS_PER_SEC)
		turn();
	return clock();
}

int main(void)
{
	return spin() == 1;
}
