/* Starts itself 40 times: each child hits inner() in its first moments, again from a library that
 * it has just loaded, and ends at once. With -DLIBRARY: that library. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noipa))

volatile int sink;

#ifdef LIBRARY

void library_calls(void (*f)(int));

NOINLINE void library_calls(void (*f)(int))
{
	f(2);
	sink++;
}

#else

NOINLINE void inner(int n)
{
	sink += n;
}

NOINLINE static void outer(int n)
{
	inner(n);
	sink++;
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		void (*calls)(void (*)(int));

		outer(1);
		calls = dlsym(dlopen(argv[2], RTLD_NOW), "library_calls");
		calls(outer);
		_exit(0);
	}
	for (int i = 0; i < 40; i++) {
		pid_t pid = vfork();

		if (!pid) {
			execl(argv[0], argv[0], "child", argv[1], NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

#endif
