/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of background recordings. Locks are those of open file descriptions (fcntl(2),
 * F_OFD_SETLK): a fork shares them, and asking about one takes none. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "cli/session_state.h"
#include "sym/procs.h"

enum { NAME_LONGEST = 64 };

/* ---- the directory */

static int is_safe(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, "stat %s", path);
	if (st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	err_set(err, -EPERM, "%s is not a directory of this user alone", path);
	err_help(err, "other users could change its contents: remove it, or give it mode 0700");
	return -EPERM;
}

/* -ENOENT: it cannot be made there. */
static int open_place(const char *path, struct err *err)
{
	int fd = -1;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -ENOENT;
	fd = open(path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "open %s", path);
	if (!is_safe(fd, path, err) && faccessat(fd, ".", W_OK, AT_EACCESS) == 0)
		return fd;
	close(fd);
	return err->code ? err->code : -ENOENT; /* of a file system that is read-only */
}

int session_place(struct arena *a, const char **path, struct err *err)
{
	const char *user = getenv("XDG_RUNTIME_DIR");
	const char *places[] = {
		geteuid() ? NULL : "/run/sonde",
		user && *user == '/' ? arena_printf(a, "%s/sonde", user) : NULL,
		arena_printf(a, "/tmp/sonde-%u", geteuid()),
	};
	int fd = -ENOENT;

	for (u32 i = 0; i < ARRAY_SIZE(places) && fd == -ENOENT; i++)
		if (places[i])
			fd = open_place(*path = places[i], err);
	if (fd == -ENOENT)
		err_set(err, fd,
			"no directory for the state of recordings: neither /run, XDG_RUNTIME_DIR nor /tmp is writable");
	return fd;
}

bool session_name_is_good(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return len && len <= NAME_LONGEST && !name[len] && name[0] != '.' && name[0] != '-';
}

struct file_name {
	char s[NAME_LONGEST + 16];
};

static struct file_name file_of(const char *name, const char *suffix)
{
	struct file_name f;

	snprintf(f.s, sizeof f.s, "%s.%s", name, suffix);
	return f;
}

/* ---- the lock */

static int open_lock(int place, const char *name, int flags)
{
	return openat(place, file_of(name, "lock").s, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags,
		      0600);
}

static bool is_locked(int lock)
{
	struct flock f = { .l_type = F_WRLCK };

	return fcntl(lock, F_OFD_GETLK, &f) == 0 && f.l_type != F_UNLCK;
}

int session_lock(int place, const char *name)
{
	struct flock f = { .l_type = F_WRLCK };
	int lock = open_lock(place, name, O_CREAT);
	struct stat st;
	bool is_gone;

	if (lock < 0)
		return -errno;
	if (fcntl(lock, F_OFD_SETLK, &f) < 0) {
		close(lock);
		return -EBUSY;
	}
	is_gone = fstat(lock, &st) < 0 || !st.st_nlink; /* "stop" removed it meanwhile */
	if (!is_gone)
		return lock;
	close(lock);
	return session_lock(place, name);
}

/* Numbers of processes are those of a namespace, and /run may be shared by several. */
static u64 pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

int session_own(int lock)
{
	char text[64];
	int len = snprintf(text, sizeof text, "%u %llu\n", (u32)getpid(),
			   (unsigned long long)pid_namespace());

	if (ftruncate(lock, 0) < 0 || pwrite(lock, text, (size_t)len, 0) != len)
		return -errno;
	return 0;
}

/* 0 or -errno. */
static int owner_of(int lock, u32 *pid)
{
	char text[64] = "";
	unsigned long long ns = 0;

	if (pread(lock, text, sizeof text - 1, 0) <= 0 || sscanf(text, "%u %llu", pid, &ns) != 2)
		return -ESRCH;
	return ns == pid_namespace() ? 0 : -EXDEV;
}

int session_signal(int place, const char *name, int signo)
{
	_fd int lock = open_lock(place, name, 0);
	_fd int process = -1;
	u32 pid = 0;
	int ret = lock < 0 ? -ESRCH : owner_of(lock, &pid);

	if (ret)
		return ret;
	process = proc_pidfd(pid);
	if (process < 0)
		return -errno;
	if (!is_locked(lock)) /* after it was opened: so it is that process */
		return -ESRCH;
	if (syscall(SYS_pidfd_send_signal, process, signo, NULL, 0) < 0)
		return -errno;
	syscall(SYS_pidfd_send_signal, process, SIGCONT, NULL,
		0); /* one that is stopped does not hear it */
	return 0;
}

void session_wait(int place, const char *name)
{
	struct flock f = { .l_type = F_RDLCK };
	_fd int lock = open_lock(place, name, 0);

	while (lock >= 0 && fcntl(lock, F_OFD_SETLKW, &f) < 0 && errno == EINTR)
		;
}

/* ---- the status */

static const struct {
	const char *name;
	size_t at;
	bool is_text;
} rows[] = {
#define NUMBER(field)                                                                              \
	{                                                                                          \
#field, offsetof(struct session_status, field), false                              \
	}
#define TEXT(field)                                                                                \
	{                                                                                          \
#field, offsetof(struct session_status, field), true                               \
	}
	NUMBER(since), NUMBER(events), NUMBER(lost),   NUMBER(bytes), NUMBER(files),
	NUMBER(ended), NUMBER(result), NUMBER(copies), TEXT(file),    TEXT(copy),
};

static void read_row(struct session_status *s, struct arena *a, const char *line, size_t len)
{
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		const size_t n = strlen(rows[i].name);
		char *at = (char *)s + rows[i].at;

		if (len <= n || strncmp(line, rows[i].name, n) || line[n] != ' ')
			continue;
		if (rows[i].is_text)
			*(const char **)(void *)at = arena_strndup(a, line + n + 1, len - n - 1);
		else
			*(u64 *)(void *)at = strtoull(line + n + 1, NULL, 10);
	}
}

static bool read_file(int place, struct file_name name, struct buf *b)
{
	_fd int fd = openat(place, name.s, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char piece[4096];
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0)
		buf_add(b, piece, (size_t)n);
	return n == 0;
}

bool session_read(int place, const char *name, struct arena *a, struct session_status *s)
{
	struct buf b = { 0 };
	bool is_there = read_file(place, file_of(name, "status"), &b);
	const char *end;

	*s = (struct session_status){ .file = "", .copy = "" };
	for (const char *line = b.s; line && (end = strchr(line, '\n')); line = end + 1)
		read_row(s, a, line, (size_t)(end - line));
	buf_release(&b);
	return is_there;
}

/* On one line. */
static void put_text(struct buf *b, const char *text)
{
	for (; *text; text++)
		buf_putc(b, *text == '\n' ? '?' : *text);
}

int session_write(int place, const char *name, const struct session_status *s)
{
	const struct file_name next = file_of(name, "next");
	_fd int fd =
		openat(place, next.s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct buf b = { 0 };
	int ret = fd < 0 ? -errno : 0;

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *at = (const char *)s + rows[i].at;

		buf_printf(&b, "%s ", rows[i].name);
		if (rows[i].is_text)
			put_text(&b, *(const char *const *)(const void *)at);
		else
			buf_u64(&b, *(const u64 *)(const void *)at);
		buf_putc(&b, '\n');
	}
	if (!ret)
		ret = write_all(fd, b.s, b.len);
	if (!ret && renameat(place, next.s, place, file_of(name, "status").s) < 0)
		ret = -errno;
	buf_release(&b);
	return ret;
}

enum session_life session_life(int place, const char *name)
{
	_fd int lock = open_lock(place, name, 0);
	struct session_status s;
	struct arena a;
	bool has_ended;

	if (lock < 0)
		return SESSION_NONE;
	if (is_locked(lock))
		return SESSION_RECORDS;
	arena_init(&a);
	has_ended = session_read(place, name, &a, &s) && s.ended;
	arena_release(&a);
	return has_ended ? SESSION_ENDED : SESSION_DEAD;
}

/* ---- all of it */

int session_log(int place, const char *name)
{
	int fd = openat(place, file_of(name, "log").s,
			O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? -errno : fd;
}

void session_put_log(int place, const char *name, struct buf *to)
{
	read_file(place, file_of(name, "log"), to);
}

void session_remove(int place, const char *name)
{
	static const char *const suffixes[] = { "status", "next", "log", "lock" };

	for (u32 i = 0; i < ARRAY_SIZE(suffixes); i++)
		unlinkat(place, file_of(name, suffixes[i]).s, 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **session_names(int place, struct arena *a)
{
	int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	VEC(const char *) names = { 0 };
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && dot > entry->d_name && !strcmp(dot, ".lock"))
			vec_push(a, &names,
				 arena_strndup(a, entry->d_name, (size_t)(dot - entry->d_name)));
	}
	if (dir)
		closedir(dir);
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_name);
	vec_push(a, &names, NULL);
	return names.v;
}
