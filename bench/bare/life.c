/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole life of a command, start to reaped: prints "wall_ns cpu_ns max_rss_kb status" to file
 * OUT. Small and static, because a child's peak memory counts from that of the process it was
 * forked from.
 *
 *	life OUT command [argument]...
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static u64 cpu_ns(const struct timeval *t)
{
	return (u64)t->tv_sec * 1000000000u + (u64)t->tv_usec * 1000;
}

int main(int argc, char **argv)
{
	struct rusage used;
	const u64 start = now_ns();
	u64 end;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 3)
		return 2;
	pid = vfork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return 1;
	end = now_ns();
	out = fopen(argv[1], "w");
	if (!out)
		return 1;
	fprintf(out, "%llu %llu %ld %d\n", end - start,
		cpu_ns(&used.ru_utime) + cpu_ns(&used.ru_stime), used.ru_maxrss,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return fclose(out) != 0;
}
