/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd JOB WORKERS TIMES: as many processes as workers, one on each CPU, begin together and do the job
 * TIMES times: "calls" getpgid(2), "hits" hit(worker, turn), "forks" a child that calls getpgid once,
 * "shared" is "hits" by threads of one process. "until FILE" makes calls, with pauses, until the file exists.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	int ready, workers, times;
	const char *job;
} *shared;

__attribute__((noinline, noipa)) long hit(long worker, long turn)
{
	__asm__ volatile("" : : : "memory");
	return worker * 1000000 + turn;
}

static void one_fork(void)
{
	pid_t child = fork();

	if (!child) {
		syscall(SYS_getpgid, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void work(long worker)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(worker % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < shared->workers)
		sched_yield();
	for (long i = 0; i < shared->times; i++)
		if (shared->job[0] == 'c')
			syscall(SYS_getpgid, 0);
		else if (shared->job[0] == 'f')
			one_fork();
		else
			hit(worker, i);
}

static void *thread(void *worker)
{
	work((long)worker);
	return NULL;
}

static int until(const char *file)
{
	for (; access(file, F_OK); usleep(2000))
		for (int i = 0; i < 200; i++)
			syscall(SYS_getpgid, 0);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];

	if (argc == 3 && !strcmp(argv[1], "until"))
		return until(argv[2]);
	if (argc < 4)
		return 2;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared->job = argv[1];
	shared->workers = atoi(argv[2]);
	shared->times = atoi(argv[3]);
	for (long i = 0; i < shared->workers; i++)
		if (shared->job[0] == 's')
			pthread_create(&threads[i], NULL, thread, (void *)i);
		else if (!fork())
			return work(i), 0;
	for (long i = 0; i < shared->workers; i++)
		if (shared->job[0] == 's')
			pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
