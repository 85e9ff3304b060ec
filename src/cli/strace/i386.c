/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 32-bit programs on x86-64. In: the processes or the command. Out: whether their calls are traced,
 * too: a set of programs of its own, which takes a third of the time to load that the others take.
 * So it is loaded where such programs can be expected.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/strace/strace.h"

#if defined(__x86_64__)

extern char **environ;

enum { AT_CLASS = 4, CLASS_32 = 1, HEADER = 52, SEGMENT = 32, LOADED_AT = 0x10000 };

/* A whole program: exit(0). */
static const u8 exits[] = {
	0x31, 0xdb,       /* xor ebx, ebx */
	0x8d, 0x43, 0x01, /* lea eax, [ebx + 1] */
	0xcd, 0x80        /* int 0x80 */
};

static void put_words(struct buf *b, const u32 *words, u32 n)
{
	buf_add(b, words, n * sizeof *words);
}

/* An ELF header, a segment, and the code: elf(5). */
static void put_program(struct buf *b)
{
	static const u8 ident[16] = { 0x7f, 'E', 'L', 'F', CLASS_32, 1, 1 };
	const u32 start = LOADED_AT + HEADER + SEGMENT, size = HEADER + SEGMENT + sizeof exits;
	const u32 header[] = { 2 | 3 << 16 /* ET_EXEC, EM_386 */,
			       1,
			       start,
			       HEADER,
			       0,
			       0,
			       HEADER | SEGMENT << 16,
			       1,
			       0 };
	const u32 segment[] = { 1 /* PT_LOAD */, 0, LOADED_AT, LOADED_AT, size, size, 5, 0x1000 };

	buf_add(b, ident, sizeof ident);
	put_words(b, header, ARRAY_SIZE(header));
	put_words(b, segment, ARRAY_SIZE(segment));
	buf_add(b, exits, sizeof exits);
}

/* Kernels and hypervisors differ; only running a program shows it. */
static bool runs_i386(void)
{
	struct buf program = { 0 };
	char path[32], *argv[] = { path, NULL };
	int fd = memfd_create("i386", 0), status = -1;
	pid_t pid;

	put_program(&program);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, program.s, program.len) != (ssize_t)program.len ||
	    posix_spawn(&pid, path, NULL, NULL, argv, environ) || waitpid(pid, &status, 0) != pid)
		status = -1;
	if (fd >= 0)
		close(fd);
	buf_release(&program);
	return status == 0;
}

static bool is_i386(const char *path)
{
	u8 head[AT_CLASS + 1] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0 && read(fd, head, sizeof head) == sizeof head &&
		     !memcmp(head,
			     "\x7f"
			     "ELF",
			     AT_CLASS) &&
		     head[AT_CLASS] == CLASS_32;

	if (fd >= 0)
		close(fd);
	return found;
}

bool strace_is_i386(u32 pid)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%u/exe", pid);
	return is_i386(path);
}

/* A command may start others; the dynamic linker of 32-bit programs is part of their ABI. */
static bool expects_i386(const struct traced *t)
{
	char path[4096];

	for (u32 i = 0; i < t->n_pids; i++)
		if (strace_is_i386(t->pids[i]))
			return true;
	if (!access("/lib/ld-linux.so.2", F_OK))
		return true;
	snprintf(path, sizeof path, "%.*s", (int)strcspn(t->command ? t->command : "", " "),
		 t->command ? t->command : "");
	return is_i386(path);
}

bool strace_wants_i386(const struct traced *t)
{
	return expects_i386(t) && runs_i386();
}

#else

bool strace_is_i386(u32 pid)
{
	return false;
}

bool strace_wants_i386(const struct traced *t)
{
	return false;
}

#endif
