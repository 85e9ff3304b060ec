/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace-cmd convert: from a compressed trace.dat to version 6, which is not. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "import/convert.h"

extern char **environ;

/* Its output, which names sections of the file, goes nowhere. */
static int spawn(const char *from, const char *to, pid_t *pid)
{
	const char *argv[] = { "trace-cmd", "convert", "--file-version", "6", "-i", from, "-o",
			       to,          NULL };
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

static bool succeeds(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int convert_trace_dat(int fd)
{
	const char *folder = getenv("TMPDIR");
	char from[64];
	struct buf to = { 0 };
	int made;
	pid_t pid;

	snprintf(from, sizeof from, "/proc/%d/fd/%d", (int)getpid(), fd);
	buf_printf(&to, "%s/sonde.XXXXXX", folder && *folder ? folder : "/tmp");
	made = mkostemp(to.s, O_CLOEXEC);
	if (made >= 0 && (spawn(from, to.s, &pid) != 0 || !succeeds(pid)))
		fd_close(&made);
	if (made >= 0) { /* it may have made the file anew */
		fd_close(&made);
		made = open(to.s, O_RDONLY | O_CLOEXEC);
	}
	unlink(to.s);
	buf_release(&to);
	return made;
}
