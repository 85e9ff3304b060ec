/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events on order: `work WHAT [N]` makes exactly N of WHAT and nothing else of its kind. Linked
 * statically, so that a loader's own system calls do not mix in.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) long add_seven(long a, long b)
{
	__asm__ volatile("" ::: "memory");
	return a + b + 7;
}

static long compat_getpid(void)
{
	long r = 0;

#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory"); /* 20 is getpid there, writev here */
#endif
	return r;
}

static void fork_tree(int n)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			syscall(SYS_getppid);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void leak(int n)
{
	void *keep[64];

	for (int i = 0; i < n; i++)
		keep[i % 64] = malloc(1000 + (size_t)i);
	for (int i = 0; i + 1 < n; i++)
		free(keep[i % 64]); /* the last one leaks */
}

static int write_letters(int n)
{
	char *s = malloc((size_t)n + 1);

	for (int i = 0; i < n; i++)
		s[i] = 'a' + i % 26;
	s[n] = 0;
	return syscall(SYS_write, open("/dev/null", O_WRONLY), s, n) != n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nothing";
	int n = argc > 2 ? atoi(argv[2]) : 1;
	char buf[64];

	for (int i = 0; i < n; i++) {
		if (!strcmp(what, "getppid"))
			syscall(SYS_getppid);
		else if (!strcmp(what, "read"))
			syscall(SYS_read, open("/dev/zero", O_RDONLY), buf, 16);
		else if (!strcmp(what, "open"))
			close(open("/sonde-no-such-file", O_RDONLY));
		else if (!strcmp(what, "untouched")) /* the name lies in a page that was never read: "\177ELF..." */
			syscall(SYS_chdir, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), 0));
		else if (!strcmp(what, "compat"))
			compat_getpid();
		else if (!strcmp(what, "fstat"))
			syscall(SYS_fstat, 0, (struct stat[1]){ 0 });
		else if (!strcmp(what, "uname"))
			uname((struct utsname[1]){ 0 });
		else if (!strcmp(what, "sendfile"))
			sendfile(-1, -1, NULL, 0);
		else if (!strcmp(what, "add"))
			add_seven(i, 10);
		else if (!strcmp(what, "sleep"))
			usleep(20000);
		else if (!strcmp(what, "fault"))
			*(volatile char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	}
	if (!strcmp(what, "madvise")) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int i = 0; i < n; i++)
			madvise(p, 4096, MADV_DONTNEED);
		madvise(p, 4096, MADV_WILLNEED);
	}
	if (!strcmp(what, "write")) /* a string of n letters */
		return write_letters(n);
	if (!strcmp(what, "fork"))
		fork_tree(n);
	if (!strcmp(what, "leak"))
		leak(n);
	if (!strcmp(what, "spin"))
		for (clock_t end = clock() + n * (CLOCKS_PER_SEC / 1000); clock() < end;)
			syscall(SYS_getppid);
	if (!strcmp(what, "wait"))
		pause();
	return 0;
}
