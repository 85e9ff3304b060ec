/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for signals. */
#include "calls.h"

static void handler(int signo)
{
}

int main(void)
{
	struct sigaction sa = { .sa_handler = handler };
	struct itimerval it = { { 0, 0 }, { 0, 20000 } };
	struct timespec second = { 1, 0 }, left;
	struct timeval tv = { 1, 0 };
	sigset_t set;
	fd_set fds;
	int p[2];

	sigemptyset(&set);
	pipe(p);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	pause();
	setitimer(ITIMER_REAL, &it, NULL);
	sigsuspend(&set);
	setitimer(ITIMER_REAL, &it, NULL);
	syscall(SYS_nanosleep, &second, &left);
	setitimer(ITIMER_REAL, &it, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &second, &left);
	setitimer(ITIMER_REAL, &it, NULL);
	FD_ZERO(&fds);
	FD_SET(p[0], &fds);
	select(p[0] + 1, &fds, NULL, NULL, &tv);
	setitimer(ITIMER_REAL, &it, NULL);
	poll(&(struct pollfd){ p[0], POLLIN }, 1, 1000);
	setitimer(ITIMER_REAL, &it, NULL);
	read(p[0], &set, 1);
	sa.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &sa, NULL);
	it.it_interval.tv_usec = 20000;
	setitimer(ITIMER_REAL, &it, NULL);
	alarm(0);
	return 0;
}
