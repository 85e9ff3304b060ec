/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that start others. WAY... is a list of what main() does; each child waits until the kernel engine, too, has probes there. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone))

extern char **environ;
static volatile int sink;
static jmp_buf out;

CALLED int leaf(int n)
{
	__asm__ volatile("");
	return n * n * 3 + n / 7;
}

CALLED int work(int n)
{
	return leaf(n) * 2 + leaf(n + 1);
}

CALLED void thrower(int n)
{
	sink += leaf(n);
	longjmp(out, 1);
}

CALLED int jumps(int n)
{
	if (!setjmp(out))
		thrower(n);
	return work(n) + 1;
}

CALLED void on_signal(int s)
{
	sink += work(s);
}

CALLED void *in_thread(void *p)
{
	sink += work((int)(long)p);
	return NULL;
}

CALLED void threads(int n)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, in_thread, (void *)(i + n));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void rest(void)
{
	usleep(400000);
}

CALLED void wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

CALLED void in_child(int depth)
{
	rest();
	sink += work(depth);
	sink += jumps(depth);
	raise(SIGUSR1);
	threads(depth);
	if (depth < 2 && !fork()) {
		in_child(depth + 1);
		_exit(0);
	}
	wait_all();
}

CALLED void forks(void)
{
	sink += work(1);
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			in_child(1);
			_exit(0);
		}
	sink += work(2);
	wait_all();
	sink += work(3);
}

static void *forks_in_thread(void *p)
{
	forks();
	return NULL;
}

CALLED void executes(char *file, char *way)
{
	if (!fork()) {
		rest();
		sink += work(4);
		execl(file, file, way, (char *)0);
		_exit(1);
	}
	wait_all();
	sink += work(5);
}

CALLED void spawns(char *file, char *way)
{
	char *words[] = { file, way, NULL };
	pid_t pid;

	posix_spawn(&pid, file, NULL, NULL, words, environ);
	wait_all();
	sink += work(6);
	sink += system("true");
	sink += work(7);
}

CALLED void again(void)
{
	rest();
	sink += work(8);
	forks();
}

int main(int n, char **way)
{
	signal(SIGUSR1, on_signal);
	for (int i = 1; i < n; i++) {
		pthread_t t;

		if (!strcmp(way[i], "forks"))
			forks();
		if (!strcmp(way[i], "thread") && !pthread_create(&t, NULL, forks_in_thread, NULL))
			pthread_join(t, NULL);
		if (!strcmp(way[i], "true"))
			executes("/bin/true", NULL);
		if (!strcmp(way[i], "executes"))
			executes("/proc/self/exe", "again");
		if (!strcmp(way[i], "spawns"))
			spawns("/proc/self/exe", "again");
		if (!strcmp(way[i], "again"))
			again();
		if (!strcmp(way[i], "replaced")) {
			sink += work(9);
			execl("/proc/self/exe", way[0], "again", (char *)0);
		}
	}
	return 0;
}
