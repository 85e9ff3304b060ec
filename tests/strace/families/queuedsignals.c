/* SPDX-License-Identifier: GPL-2.0-or-later */
/* siginfo of all signals and codes that a process may send, and receive with sigtimedwait; signals of a pipe are delivered. */
#include "calls.h"

static sigset_t all;

static void receive(void)
{
	struct timespec now = { 0, 0 };
	siginfo_t got;

	while (sigtimedwait(&all, &got, &now) > 0)
		;
}

static void queue(int pidfd, int sig, int code, int i)
{
	siginfo_t info = { .si_signo = sig, .si_code = code, .si_errno = i % 3 };

	info.si_pid = getpid();
	info.si_uid = i;
	info.si_value.sival_int = i % 2 ? 0 : 0x1234 + i;
	syscall(SYS_rt_sigqueueinfo, getpid(), sig, &info);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), sig, &info);
	info.si_signo = SIGUSR2;
	syscall(SYS_pidfd_send_signal, pidfd, sig, &info, 0);
	receive();
}

static void ignore(int sig)
{
}

/* What the kernel sends to the owner: without and with a signal of the program's choice. */
static void readable(void)
{
	int p[2];

	signal(SIGIO, ignore);
	signal(SIGRTMIN + 5, ignore);
	if (pipe(p))
		return;
	fcntl(p[0], F_SETFL, O_ASYNC);
	fcntl(p[0], F_SETOWN, getpid());
	write(p[1], "x", 1);
	fcntl(p[0], F_SETSIG, SIGRTMIN + 5);
	write(p[1], "x", 1);
}

int main(void)
{
	static const int codes[] = { 0, -1, -2, -3, -4, -5, -6,   -7,  -60,
				     1, 2,  3,  4,  5,  6,  0x80, 100, -100 };
	static const int sigs[] = { 0,       SIGUSR1, SIGCHLD, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
				    SIGTRAP, SIGIO,   SIGURG,  SIGALRM, 34,     39,     99 };
	int pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	union sigval v = { .sival_ptr = (void *)0x1234500000000 };

	readable();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (unsigned s = 0; s < NELEM(sigs); s++)
		for (unsigned c = 0; c < NELEM(codes); c++)
			queue(pidfd, sigs[s], codes[c], c);
	sigqueue(getpid(), SIGRTMIN, v);
	receive();
	syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, NULL);
	syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, BAD);
	syscall(SYS_rt_tgsigqueueinfo, 1, getpid(), SIGUSR1, NULL);
	syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0);
	return 0;
}
