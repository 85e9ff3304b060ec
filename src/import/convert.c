/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other programs: trace-cmd convert, from a compressed trace.dat to version 6, which is not;
 * babeltrace2, from CTF to text. */
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

/* out, err: descriptors of its output, -1: nowhere. 0 or errno. */
static int spawn(const char *const *argv, int out, int err, pid_t *pid)
{
	const int fds[] = { out, err };
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 2; i++)
		if (fds[i] < 0)
			posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO + i, "/dev/null",
							 O_WRONLY, 0);
		else
			posix_spawn_file_actions_adddup2(&actions, fds[i], STDOUT_FILENO + i);
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

/* A new file in TMPDIR; path is set. */
static int temporary(struct buf *path)
{
	const char *folder = getenv("TMPDIR");

	buf_clear(path);
	buf_printf(path, "%s/sonde.XXXXXX", folder && *folder ? folder : "/tmp");
	return mkostemp(path->s, O_CLOEXEC);
}

int convert_file(struct err *err)
{
	struct buf path = { 0 };
	int fd = temporary(&path);

	if (fd < 0)
		err_sys(err, "create %s", path.s);
	else
		unlink(path.s);
	buf_release(&path);
	return fd;
}

int convert_trace_dat(int fd)
{
	char from[64];
	struct buf to = { 0 };
	int made = temporary(&to);
	const char *argv[] = { "trace-cmd", "convert", "--file-version", "6", "-i", from, "-o",
			       to.s,        NULL };
	pid_t pid;

	snprintf(from, sizeof from, "/proc/%d/fd/%d", (int)getpid(), fd);
	if (made >= 0 && (spawn(argv, -1, -1, &pid) != 0 || !succeeds(pid)))
		fd_close(&made);
	if (made >= 0) { /* it may have replaced the file */
		fd_close(&made);
		made = open(to.s, O_RDONLY | O_CLOEXEC);
	}
	unlink(to.s);
	buf_release(&to);
	return made;
}

/* ---- CTF */

/* The number after "KEY = " in the description of the clock; 0: it is not there. The metadata is
 * text, or text in packets. */
static u64 clock_number(const struct buf *metadata, const char *key)
{
	const char *clock = memmem(metadata->s, metadata->len, "clock {", 7), *at;
	size_t left = clock ? metadata->len - (size_t)(clock - metadata->s) : 0;

	at = left ? memmem(clock, left, key, strlen(key)) : NULL;
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Data that babeltrace2's text lacks. */
static void put_clock(int fd, const char *folder)
{
	struct buf path = { 0 }, metadata = { 0 };
	u64 freq, offset;

	buf_printf(&path, "%s/metadata", folder);
	buf_read_file(&metadata, path.s);
	buf_puts(&metadata, "");
	freq = clock_number(&metadata, "freq = ");
	freq = freq ? freq : 1000000000;
	offset = clock_number(&metadata, "offset_s = ") * 1000000000 +
		 (u64)((unsigned __int128)clock_number(&metadata, "offset = ") * 1000000000 / freq);
	dprintf(fd, "# ctf freq=%llu offset=%llu%s\n", (unsigned long long)freq,
		(unsigned long long)offset,
		memmem(metadata.s, metadata.len, "sonde_version", 13) ? " sonde" : "");
	buf_release(&path);
	buf_release(&metadata);
}

static int no_reader(const char *folder, int code, struct err *err)
{
	err_set(err, -code, "read the CTF trace %s: babeltrace2: %s", folder, strerror(code));
	err_help(err,
		 "sonde reads CTF by way of babeltrace2: install it (Debian: package babeltrace2)");
	return -1;
}

static void append(int to, int from)
{
	char bytes[1 << 14];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, bytes, sizeof bytes, at)) > 0) {
		write_all(to, bytes, (size_t)n);
		at += n;
	}
}

/* It reports no failure of a trace that it can read in part: its messages follow the events. */
static int run_babeltrace(const char *folder, int out, int messages, struct err *err)
{
	const char *argv[] = { "babeltrace2",   "--clock-cycles", "--no-delta", "--names=all",
			       "--color=never", folder,           NULL };
	int code;
	pid_t pid;

	code = spawn(argv, out, messages, &pid);
	if (code)
		return no_reader(folder, code, err);
	succeeds(pid);
	append(out, messages);
	return 0;
}

int convert_ctf(const char *folder, struct err *err)
{
	int out = convert_file(err), messages = out < 0 ? -1 : convert_file(err);

	if (messages < 0) {
		fd_close(&out);
		return -1;
	}
	put_clock(out, folder);
	if (run_babeltrace(folder, out, messages, err) < 0)
		fd_close(&out);
	fd_close(&messages);
	return out;
}
