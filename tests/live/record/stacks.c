/* Two system calls: by main and by its child, both below outer() and inner(). */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int inner(int n)
{
	return (int)syscall(SYS_getpgid, n) + n;
}

__attribute__((noinline)) static int outer(int n)
{
	return inner(n + 1) + 1;
}

int main(void)
{
	int n = outer(getpid() - 1);

	if (!fork())
		_exit(outer(getpid() - 1) == n);
	wait(0);
	return 0;
}
