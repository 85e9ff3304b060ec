/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For signals.in: ends by a signal, ends while other threads wait, has a child that ends. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *wait_here(void *unused)
{
	pause();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int pid;

	switch (argv[1][0]) {
	case 't': pthread_create(&thread, NULL, wait_here, NULL); usleep(20000); exit(3);
	case 'c':
		pid = fork();
		if (!pid)
			_exit(0);
		return waitpid(pid, NULL, 0) != pid;
	}
	kill(getpid(), atoi(argv[1]));
	pause();
	return 0;
}
