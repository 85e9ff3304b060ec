/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many_threads N CALLS: N threads, one after the other, of which each calls getpgid so often. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

static void *call(void *arg)
{
	for (int i = 0; i < calls; i++)
		syscall(SYS_getpgid, 0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	calls = argc > 2 ? atoi(argv[2]) : 1;
	for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; n--)
		if (pthread_create(&thread, NULL, call, NULL) || pthread_join(thread, NULL))
			return 1;
	return 0;
}
