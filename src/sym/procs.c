/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID: existence, program, namespaces, state. A process may exit between two calls; "gone" is
 * a result, not an error.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "sym/procs.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* ---- translation of pids, if /proc belongs to another pid namespace (unshare --pid --fork) */

static bool proc_is_foreign(void)
{
	static int foreign = -1;
	char self[16];
	ssize_t n;

	if (foreign >= 0)
		return foreign;
	n = readlink("/proc/self", self, sizeof self - 1);
	self[MAX(n, 0)] = '\0';
	foreign = n > 0 && strtoul(self, NULL, 10) != (unsigned long)getpid();
	return foreign;
}

/*
 * The pid of a process in that /proc, from /proc/self/fdinfo ("Pid:", kernel/fork.c:
 * pidfd_show_fdinfo).
 */
u32 proc_number(u32 pid)
{
	char path[64];
	struct buf text = { 0 };
	const char *at;
	u32 number = pid;
	int fd;

	if (!proc_is_foreign())
		return pid;
	fd = proc_pidfd(pid);
	if (fd < 0)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	if (buf_read_file(&text, path) == 0 && text.s && (at = strstr(text.s, "Pid:")))
		number = (u32)strtoul(at + strlen("Pid:"), NULL, 10);
	buf_release(&text);
	close(fd);
	return number;
}

/* Stores the pids of a process in /proc's pid namespace and those inside it, outermost first;
 * returns their count. */
static u32 inner_numbers(const char *process, u32 numbers[], u32 max)
{
	char path[64], *at, *end;
	struct buf text = { 0 };
	u32 n = 0;

	snprintf(path, sizeof path, "/proc/%s/status", process);
	if (buf_read_file(&text, path) == 0 && text.s && (at = strstr(text.s, "\nNSpid:")))
		for (at += strlen("\nNSpid:"); n < max && (*at == '\t' || *at == ' '); at = end)
			numbers[n++] = (u32)strtoul(at, &end, 10);
	buf_release(&text);
	return n;
}

/* The inverse: our pid of a process in that /proc; 0: none. */
static u32 own_number(u32 number)
{
	enum { LEVELS = 33 }; /* MAX_PID_NS_LEVEL */
	u32 of_it[LEVELS], ours[LEVELS], level = inner_numbers("self", ours, LEVELS);
	char process[16];

	snprintf(process, sizeof process, "%u", number);
	if (!level || inner_numbers(process, of_it, LEVELS) < level)
		return 0;
	return proc_number(of_it[level - 1]) == number ? of_it[level - 1] : 0;
}

static int open_proc(u32 pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%u/%s", proc_number(pid), file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads the start of a small file as a string; its length, or -1. */
static ssize_t read_start(u32 pid, const char *file, char *buf, size_t len)
{
	_fd int fd = open_proc(pid, file);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, len - 1);

	if (n >= 0)
		buf[n] = '\0';
	return n;
}

int proc_pidfd(u32 pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool proc_exists(u32 pid)
{
	return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

bool proc_is_visible(u32 pid)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%u/root/", proc_number(pid));
	return access(path, F_OK) == 0 || (errno != EACCES && errno != EPERM);
}

const char *proc_exe(struct arena *a, u32 pid)
{
	static const char deleted[] = " (deleted)";
	char path[32], target[4096];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%u/exe", proc_number(pid));
	n = readlink(path, target, sizeof target - 1);
	if (n <= 0)
		return NULL;
	target[n] = '\0';
	if (ends_with(target, deleted))
		target[(size_t)n - strlen(deleted)] = '\0';
	return arena_strdup(a, target);
}

static int each_number(const char *dir, int (*f)(void *ctx, u32 n), void *ctx)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return -errno;
	while (!r && (entry = readdir(d)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			r = f(ctx, (u32)strtoul(entry->d_name, NULL, 10));
	closedir(d);
	return r;
}

struct own {
	int (*f)(void *ctx, u32 pid);
	void *ctx;
};

static int each_own(void *ctx, u32 number)
{
	const struct own *own = ctx;
	u32 pid = own_number(number);

	return pid ? own->f(own->ctx, pid) : 0;
}

int proc_each(int (*f)(void *ctx, u32 pid), void *ctx)
{
	struct own own = { f, ctx };

	return proc_is_foreign() ? each_number("/proc", each_own, &own) :
				   each_number("/proc", f, ctx);
}

int proc_each_thread(u32 pid, int (*f)(void *ctx, u32 tid), void *ctx)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%u/task", pid);
	return each_number(path, f, ctx);
}

enum { STATUS_MAX = 4096 };

u32 proc_of_thread(u32 tid)
{
	char text[STATUS_MAX];
	const char *at;

	if (read_start(tid, "status", text, sizeof text) <= 0 || !(at = strstr(text, "\nTgid:")))
		return 0;
	return (u32)strtoul(at + strlen("\nTgid:"), NULL, 10);
}

/* "NSpid:	1234	7": one pid for each namespace, ours first. */
u32 proc_inner_pid(u32 pid)
{
	char text[STATUS_MAX];
	const char *at;
	u32 inner = pid;

	if (read_start(pid, "status", text, sizeof text) <= 0 || !(at = strstr(text, "\nNSpid:")))
		return pid;
	for (at += strlen("\nNSpid:"); *at == '\t' || *at == ' ';) {
		char *end;

		inner = (u32)strtoul(at, &end, 10);
		if (end == at)
			break;
		at = end;
	}
	return inner;
}

enum { STAT_MAX = 1024 };

/* The n-th field after that at which `at` is; NULL: no such field. */
static const char *later_field(const char *at, u32 n)
{
	for (u32 i = 0; i < n && at; i++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}

/*
 * A field of stat after the second, numbered as in proc(5); NULL: no such field. The second one,
 * the name, is in parentheses and may contain anything.
 */
static const char *stat_field(u32 pid, u32 field, char text[static STAT_MAX])
{
	const char *at;

	if (read_start(pid, "stat", text, STAT_MAX) <= 0)
		return NULL;
	at = strrchr(text, ')');
	return at ? later_field(at, field - 2) : NULL;
}

u64 proc_start_time(u32 pid)
{
	char text[STAT_MAX];
	const char *at = stat_field(pid, 22, text);

	return at ? strtoull(at, NULL, 10) : 0;
}

/* fs/binfmt_elf.c: load_elf_binary() sets the code's bounds at the end of exec(), and the start of
 * the stack, which setup_arg_pages() has set to another value, after that. */
enum { STATE = 3, START_CODE = 26 }; /* the end of the code and the start of the stack follow */

u64 proc_start_stack(u32 pid)
{
	char text[STAT_MAX], *end;
	const char *at = stat_field(pid, START_CODE, text);

	if (!at || !strtoull(at, &end, 10))
		return 0;
	strtoull(end, &end, 10);
	return strtoull(end, NULL, 10);
}

bool proc_is_in_exec(u32 pid)
{
	char text[STAT_MAX];
	const char *state = stat_field(pid, STATE, text), *at;

	if (!state || *state == 'Z' || *state == 'X')
		return false;
	at = later_field(state, START_CODE - STATE);
	return at && !strtoull(at, NULL, 10);
}

char proc_state(u32 pid)
{
	char text[STAT_MAX];
	const char *at = stat_field(pid, STATE, text);

	return at ? *at : 0;
}

u32 proc_parent(u32 pid)
{
	char text[STAT_MAX];
	const char *at = stat_field(pid, STATE + 1, text);

	return at ? (u32)strtoul(at, NULL, 10) : 0;
}

static bool same_node(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

bool proc_in_other_mnt_ns(u32 pid)
{
	char ns[40], root[40];

	snprintf(ns, sizeof ns, "/proc/%u/ns/mnt", pid);
	snprintf(root, sizeof root, "/proc/%u/root/", pid);
	return !same_node(ns, "/proc/self/ns/mnt") || !same_node(root, "/");
}
