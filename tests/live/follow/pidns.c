/* Calls getpgid from a function with a name, N times, some milliseconds apart. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) long ask(void)
{
	long r = syscall(SYS_getpgid, 0);

	__asm__ volatile("" : "+r"(r));
	return r;
}

int main(int argc, char **argv)
{
	for (int i = atoi(argv[1]); i; i--) {
		ask();
		usleep(10000);
	}
	return 0;
}
