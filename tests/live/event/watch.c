/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 5 stores of 8 bytes by the main thread, 6 by another, 7 by a child process; 2 calls. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

volatile unsigned long watched;

static void *store(void *n)
{
	for (long i = 0; i < (long)n; i++)
		watched = (unsigned long)i;
	return NULL;
}

__attribute__((noinline)) void called(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	pthread_t t;

	store((void *)5);
	pthread_create(&t, NULL, store, (void *)6);
	pthread_join(t, NULL);
	if (fork() == 0) {
		store((void *)7);
		_exit(0);
	}
	wait(NULL);
	called();
	called();
	return 0;
}
