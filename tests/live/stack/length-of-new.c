/* Calls inner() for a second, 4 frames deep. */
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

APART void inner(void)
{
	__asm__ volatile("");
}

APART void outer(void)
{
	inner();
	__asm__ volatile("");
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		outer();
		usleep(10000);
	}
}
