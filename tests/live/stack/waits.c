/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in known functions, and prints how long each of them took: "by_pipe 150123", in microseconds. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pipe_fd[2];

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

APART void by_timer(void)
{
	for (int i = 0; i < 3; i++)
		sleep_ms(50);
	__asm__ volatile("");
}

APART void by_poll(void)
{
	poll(NULL, 0, 100);
	__asm__ volatile("");
}

APART void by_pipe(void)
{
	char c;

	if (read(pipe_fd[0], &c, 1) != 1)
		_exit(1);
	__asm__ volatile("");
}

APART void by_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

APART void *feeder(void *arg)
{
	sleep_ms(150);
	if (write(pipe_fd[1], "", 1) != 1)
		_exit(1);
	__asm__ volatile("");
	return arg;
}

APART void *holder(void *arg)
{
	sleep_ms(100);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
	return arg;
}

static void measure(const char *name, void (*f)(void))
{
	long start = now_us();

	f();
	printf("%s %ld\n", name, now_us() - start);
}

int main(void)
{
	pthread_t thread[2];

	if (pipe(pipe_fd))
		return 1;
	sleep_ms(30); /* stacks of the first milliseconds may end with "process not known yet" */
	measure("by_timer", by_timer);
	measure("by_poll", by_poll);
	pthread_create(&thread[0], NULL, feeder, NULL);
	measure("by_pipe", by_pipe);
	pthread_mutex_lock(&lock);
	pthread_create(&thread[1], NULL, holder, NULL);
	measure("by_lock", by_lock);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
