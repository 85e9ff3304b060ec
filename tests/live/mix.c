/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More events on order, for tests that need several kinds at once: `mix JOB`. Every count that a
 * test expects stands in the comment of its job.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile long watched = 1; /* not in .bss, which the kernel clears at exec */

__attribute__((noinline)) int factorial(int n)
{
	__asm__ volatile("" ::: "memory");
	return n <= 1 ? 1 : n * factorial(n - 1);
}

__attribute__((noinline)) long six(long a, long b, long c, long d, long e, long f)
{
	__asm__ volatile("" ::: "memory");
	return a - b - c - d - e - f;
}

__attribute__((noinline)) int greet(const char *who)
{
	__asm__ volatile("" ::: "memory");
	return -(int)strlen(who);
}

__attribute__((noinline)) void innermost(void)
{
	syscall(SYS_getgid); /* not a leaf: has a frame of its own */
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void outer(void)
{
	innermost();
	__asm__ volatile("" ::: "memory");
}

/* 7 getppid, 3 getuid, 5 getgid */
static void numbers(void)
{
	for (int i = 0; i < 7; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getuid);
	for (int i = 0; i < 5; i++)
		syscall(SYS_getgid);
}

/* 5 times number 64 of the 32-bit table (getppid), 2 times number 64 of our own (semget) */
static void compat(void)
{
#ifdef __x86_64__
	for (int i = 0; i < 5; i++) {
		long r;

		__asm__ volatile("int $0x80" : "=a"(r) : "a"(64L) : "memory");
	}
#endif
	for (int i = 0; i < 2; i++)
		syscall(SYS_semget, 0x50ade, -1, 0);
}

static void *ten(void *arg)
{
	for (int i = 0; i < 10; i++)
		syscall(SYS_getppid);
	return arg;
}

/* 4 threads, 10 getppid each */
static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, ten, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

/* reads of 1, 10 and 100 bytes from a pipe, one of a bad descriptor, 3 closes of -1 */
static void transfers(void)
{
	char buf[128] = "";
	int p[2];

	if (pipe(p))
		return;
	for (int n = 1; n <= 100; n *= 10) {
		syscall(SYS_write, p[1], buf, n);
		syscall(SYS_read, p[0], buf, n);
	}
	syscall(SYS_read, -1, buf, 1);
	for (int i = 0; i < 3; i++)
		syscall(SYS_close, -1);
}

/* a child that runs another copy of this program as `mix numbers`, twice */
static void children(char *self)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl(self, "mix", "numbers", NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
}

/* openat of a short path, of a long one, of a null pointer */
static void paths(void)
{
	static char longer[400] = "/sonde-test/";

	memset(longer + 12, 'p', 300);
	syscall(SYS_openat, AT_FDCWD, "/sonde-test/a", O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, longer, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY, 0);
}

/* 5 sleeps of 20 ms */
static void sleeps(void)
{
	for (int i = 0; i < 5; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

/* under another name: 4 getppid; before it 2 */
static void renamed(void)
{
	for (int i = 0; i < 2; i++)
		syscall(SYS_getppid);
	prctl(PR_SET_NAME, "another-name");
	for (int i = 0; i < 4; i++)
		syscall(SYS_getppid);
}

static void functions(void)
{
	factorial(5);
	six(100, 2, 3, 4, 5, 6);
	greet("world");
	greet("");
	outer();
}

int main(int argc, char **argv)
{
	const char *job = argc > 1 ? argv[1] : "";

	if (!strcmp(job, "numbers"))
		numbers();
	if (!strcmp(job, "compat"))
		compat();
	if (!strcmp(job, "threads"))
		threads();
	if (!strcmp(job, "transfers"))
		transfers();
	if (!strcmp(job, "children"))
		children(argv[0]);
	if (!strcmp(job, "paths"))
		paths();
	if (!strcmp(job, "sleeps"))
		sleeps();
	if (!strcmp(job, "renamed"))
		renamed();
	if (!strcmp(job, "functions"))
		functions();
	if (!strcmp(job, "exec"))
		execl("/bin/true", "true", "one", "two words", NULL);
	if (!strcmp(job, "write"))
		for (int i = 0; i < 6; i++)
			watched = i;
	if (!strcmp(job, "hello"))
		return puts("hello from the child") < 0;
	if (!strcmp(job, "spin"))
		for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
			;
	if (!strcmp(job, "forever"))
		for (;;) {
			syscall(SYS_getppid);
			usleep(1000);
		}
	return !strcmp(job, "status") ? 3 : 0;
}
