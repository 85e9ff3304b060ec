/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of many kinds, which a script and a recording see at the same time: calls with arguments
 * and results of many sizes, failures, sleeps, wake-ups, threads, forks, execs.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char bytes[65536];

static void write_sizes(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < 400; i++)
		if (write(null, bytes, (size_t)(i * i % 5000)) < 0 || read(null, bytes, (size_t)i) < 0)
			_exit(3);
	close(null);
}

static void fail(void)
{
	for (int i = 0; i < 30; i++) {
		open("/no/such/file", i % 3 ? O_RDONLY : O_WRONLY | O_CLOEXEC, 0644);
		close(1000 + i);
		syscall(SYS_getppid);
	}
}

static void *sleep_often(void *arg)
{
	struct timespec ts = { 0, 300000 };

	for (int i = 0; i < 20; i++)
		nanosleep(&ts, NULL);
	return arg;
}

static void pass_bytes(void)
{
	int there[2], back[2];
	char c = 'x';

	if (pipe(there) || pipe(back))
		_exit(3);
	if (!fork()) {
		for (int i = 0; i < 50; i++)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(3);
		_exit(0);
	}
	for (int i = 0; i < 50; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			_exit(3);
	wait(NULL);
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	if (argc > 1)
		return 0; /* what an exec of it runs */
	write_sizes();
	fail();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, sleep_often, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pass_bytes();
	for (int i = 0; i < 5; i++)
		if (!fork()) {
			execl(argv[0], argv[0], "child", NULL);
			_exit(3);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
