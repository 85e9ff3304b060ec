/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usdt_spawn N PROGRAM: runs it N times, one after the other; each fires its semaphore's probe three times. */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;
__extension__ unsigned short spawn_ran_semaphore __attribute__((section(".probes")));

static void run(const char *program)
{
	char *const args[] = { (char *)program, NULL };
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, args, environ) == 0)
		waitpid(pid, NULL, 0);
	else
		perror(program);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		for (int i = 0; spawn_ran_semaphore && i < 3; i++)
			DTRACE_PROBE1(spawn, ran, i);
		return 0;
	}
	for (int n = atoi(argv[1]); n > 0; n--)
		run(argv[2]);
	return 0;
}
