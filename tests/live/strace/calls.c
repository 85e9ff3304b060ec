/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls for the tests of "sonde strace": calls WORK. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int pipes[2];

static void on_signal(int signo)
{
}

static void results(void)
{
	umask(027);
	umask(0);
	syscall(SYS_getppid);
	close(-1);
	poll(NULL, 0, 0);
	syscall(SYS_brk, -1L);
	syscall(500, 1, 2, 3); /* no such call */
	syscall(SYS_openat, AT_FDCWD, "/sonde/nowhere \"\\\n", O_RDWR | O_CREAT, 0640);
}

static void children(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		syscall(SYS_getppid);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	pid = fork();
	if (!pid) {
		kill(getpid(), SIGTERM);
		pause();
	}
	waitpid(pid, &status, 0);
}

static void signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	union sigval value = { .sival_int = 7 };

	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGRTMIN, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	kill(getpid(), SIGUSR1);
	raise(SIGUSR1);
	sigqueue(getpid(), SIGRTMIN, value);
	signal(SIGSEGV, SIG_DFL);
	*(volatile char *)16 = 1;
}

static void *reader(void *arg)
{
	char c;

	read(pipes[0], &c, 1);
	return NULL;
}

/* The first thread is in write() while the second waits in read(). */
static void threads(void)
{
	struct timespec wait = { .tv_nsec = 20000000 };
	pthread_t thread;

	if (pipe(pipes))
		exit(1);
	pthread_create(&thread, NULL, reader, NULL);
	nanosleep(&wait, NULL);
	write(pipes[1], "x", 1);
	pthread_join(thread, NULL);
	syscall(SYS_exit_group, 5);
}

static void *executes(void *arg)
{
	execl("/bin/true", "true", NULL);
	return NULL;
}

static void exec_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, executes, NULL);
	pthread_join(thread, NULL);
}

static void hangs(void)
{
	if (pipe(pipes))
		exit(1);
	reader(NULL);
}

static void polls(void)
{
	struct pollfd fd = { .fd = 0, .events = POLLIN };

	poll(&fd, 1, -1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*work)(void);
	} works[] = {
		{ "results", results }, { "children", children }, { "signals", signals },
		{ "threads", threads }, { "exec", exec_in_thread }, { "hangs", hangs }, { "polls", polls },
	};

	for (unsigned i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].name, argv[1]))
			works[i].work();
	return 0;
}
