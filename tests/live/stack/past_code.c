/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that other code takes the place of. FIRST: three calls, then the program argv[1] in the same
 * addresses. Otherwise: the libraries argv[1] and argv[2], one after the other, in the same
 * addresses. LIBRARY: such a library, whose function is NAME.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef LIBRARY
void NAME(void);
void NAME(void)
{
	getppid();
	__asm__ volatile("");
}
#else
__attribute__((noinline)) static void NAME(void)
{
	getppid();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++)
		NAME();
#ifdef FIRST
	execv(argv[1], argv + 1);
#endif
	if (argc > 2) {
		void *library = dlopen(argv[1], RTLD_NOW);

		((void (*)(void))dlsym(library, "in_one"))();
		dlclose(library);
		library = dlopen(argv[2], RTLD_NOW);
		((void (*)(void))dlsym(library, "in_two"))();
	}
	return 0;
}
#endif
