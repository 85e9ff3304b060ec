/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals: handlers, masks, queues, waiting. */
#include <sys/signalfd.h>
#include "calls.h"

static void handler(int signo, siginfo_t *info, void *context)
{
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler,
				.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER };
	struct timespec soon = { 0, 1000000 };
	stack_t old, ss = { .ss_sp = malloc(16384), .ss_size = 16384 };
	union sigval value = { .sival_int = 77 };
	sigset_t set, old_set;
	siginfo_t info = { .si_signo = SIGUSR2, .si_code = -1 };
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN + 3);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR1, NULL, &sa);
	sigaction(SIGKILL, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, &old_set);
	sigprocmask(SIG_SETMASK, NULL, &old_set);
	syscall(SYS_rt_sigprocmask, 9, &set, NULL, 8);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, BAD, NULL, 8);
	kill(getpid(), SIGUSR1);
	kill(getpid(), 0);
	kill(-99999, SIGTERM);
	syscall(SYS_tkill, gettid(), SIGUSR1);
	raise(SIGUSR1);
	sigqueue(getpid(), SIGUSR2, value);
	sigpending(&set);
	sigtimedwait(&set, &info, &soon);
	sigtimedwait(&set, &info, &soon);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGUSR2, &info);
	sigwaitinfo(&set, NULL);
	sigaltstack(&ss, &old);
	sigaltstack(NULL, &old);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	signalfd(fd, &set, 0x1);
	alarm(1);
	alarm(0);
	return 0;
}
