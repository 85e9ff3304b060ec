/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that call at the same time. */
#include "calls.h"

static void *work(void *arg)
{
	for (int i = 0; i < 20; i++) {
		getppid();
		write(-1, arg, 3);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, "abc");
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
