/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A 32-bit program without a library: calls of each kind, which sonde strace must show as strace does. */
#include <asm/unistd.h>

static long call6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;
	/* bp holds the sixth argument */
	asm volatile("push %%ebp\n mov %7, %%ebp\n int $0x80\n pop %%ebp"
		     : "=a"(ret)
		     : "0"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "m"(f)
		     : "memory");
	return ret;
}
#define call(nr, ...) CALL(__NR_##nr, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL(nr, a, b, c, d, e, f, ...)                                                            \
	call6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static int words[64];
static char bytes[512];
static const char file[] = "/tmp/sonde-i386", text[] = "some text\n";

static void files(void)
{
	struct {
		const char *base;
		unsigned len;
	} v[2] = { { text, 5 }, { text + 5, 5 } }, in[2] = { { bytes, 4 }, { bytes + 8, 60 } };
	int fd = call(open, file, 0102, 0644), lock[4] = { 1, 2, 3, 0 };

	call(write, fd, text, 10);
	call(writev, fd, v, 2);
	call(_llseek, fd, 0, 2, words, 0);
	call(_llseek, fd, -1, -1, words, 0);
	call(readv, fd, in, 2);
	call(pread64, fd, bytes, 8, 4, 0);
	call(pread64, fd, bytes, 8, 4, 1);
	call(pwrite64, fd, text, 3, 0, 0);
	call(ftruncate64, fd, 17, 0);
	call(truncate64, file, 5, 0);
	call(stat64, file, bytes);
	call(lstat64, "/dev/null", bytes);
	call(fstat64, fd, bytes);
	call(fstatat64, -100, file, bytes, 0);
	call(stat, "/nowhere", bytes);
	call(statfs64, "/proc", 84, bytes);
	call(fcntl64, fd, 3, 0);
	call(fcntl64, fd, 6, lock);
	call(fcntl64, fd, 5, lock);
	call(fcntl64, fd, 1030, 10);
	call(fadvise64_64, fd, 0, 0, 100, 0, 1);
	call(fallocate, fd, 0, 0, 0, 4096, 0);
	call(mmap2, 0, 4096, 1, 1, fd, 0);
	call(mmap2, 0, 4096, 1, 1, fd, 3);
	call(sendfile, 1, -1, words, 3);
	call(close, fd);
	call(unlink, file);
	call(getcwd, bytes, 100);
	call(readlink, "/proc/self/exe", bytes, 1);
	call(utimensat_time64, -100, "/nowhere", 0, 0);
	call(chown32, "/nowhere", -1, 5);
}

static void sockets(void)
{
	struct {
		const char *base;
		unsigned len;
	} v = { text, 4 };
	struct {
		void *name;
		int n;
		void *v;
		unsigned n_v;
		void *control;
		unsigned n_control;
		int flags;
	} m = { 0, 0, &v, 1, 0, 0, 0 };
	struct {
		unsigned short family;
		char path[20];
	} un = { 1, "/tmp/none" };

	call(socketpair, 1, 1, 0, words);
	call(sendmsg, words[0], &m, 0);
	v.base = bytes;
	call(recvmsg, words[1], &m, 0x40);
	call(sendto, words[0], text, 3, 0, 0, 0);
	call(recvfrom, words[1], bytes, 100, 0, 0, 0);
	call(connect, words[0], &un, 12);
	call(getsockopt, words[0], 1, 3, words + 4, words + 5);
	words[8] = words[0], words[9] = 1;
	call(poll, words + 8, 1, 0);
	call(_newselect, 4, words + 20, 0, 0, words + 30);
}

static void times(void)
{
	int second[2] = { 0, 1000 }, timer[4] = { 0, 0, 0, 0 };

	call(clock_gettime, -1, bytes);
	call(clock_nanosleep, 1, 0, second, 0);
	call(nanosleep, second, words);
	call(setitimer, 0, timer, bytes);
	call(clock_getres_time64, 77, bytes);
	call(futex, words + 40, 0, 1, second);
	call(futex, words + 40, 129, 1);
	call(time, -1);
}

static void processes(void)
{
	static struct {
		void *handler;
		unsigned flags;
		void *restorer;
		unsigned mask[2];
	} act = { (void *)1, 0x10000000, 0, { 2, 0 } };
	const char *argv[] = { "nothing", "-x", 0 };
	unsigned set[2] = { 1 << 9, 0 };

	call(rt_sigaction, 12, &act, bytes, 8);
	call(rt_sigaction, 12, 0, bytes, 8);
	call(rt_sigprocmask, 0, set, bytes, 8);
	call(sigprocmask, 1, set, bytes);
	call(ugetrlimit, 8, words);
	call(setrlimit, 99, words);
	call(prlimit64, 0, 8, 0, bytes);
	call(getrusage, 77, bytes);
	call(getresuid32, words, words + 1, words + 2);
	call(getuid32);
	call(setreuid32, -1, -1);
	call(getgroups32, 0, 0);
	call(umask, 022);
	call(prctl, 15, "renamed", 0, 0, 0);
	call(getpriority, 0, 0);
	call(execve, "/nowhere", argv, argv + 2);
	call(kill, 0, 0);
	call(wait4, -1, words, 1, 0);
	call(waitpid, -1, words, 1);
	call(sysinfo, 0);
	call(ioctl, 1, 0x5401, 0);
	words[0] = -1, words[1] = words[2] = 0x1000, words[3] = 0x51;
	call(set_thread_area, words);
	words[0] = 999;
	call(set_thread_area, words);
	call(brk, 0);
	call(munmap, 0, 0);
	call(mremap, 4096, 4096, 8192, 1);
	call(getdents64, 99, bytes, 100);
	call(epoll_ctl, 99, 1, 98, words);
	call(statx, -100, "/nowhere", 0, 0x7ff, bytes);
	call(openat, -100, "/nowhere", 0x8000);
}

/* Requests of ioctl that strace 6.1 knows: the table has others, and numbers that it explains in a way of its own. */
#define I(name, x86, i386, arm64) { #name, 0x##i386 },
static const struct {
	const char name[48];
	unsigned number;
} ioctl_requests[] = {
#include "../../src/sym/ioctls.def"
};

static int begins(const char *name, const char *with)
{
	while (*with && *name == *with)
		name++, with++;
	return !*with;
}

static void requests(void)
{
	for (unsigned i = 0; i < sizeof ioctl_requests / sizeof ioctl_requests[0]; i++) {
		const char *name = ioctl_requests[i].name;

		if (!begins(name, "LP") && !begins(name, "SOUND_MIXER_WRITE") &&
		    !begins(name, "SCSI_IOCTL_TAGGED") && !begins(name, "SNDRV_SEQ_IOCTL_USER") &&
		    !begins(name, "KIOCSOUND") && !begins(name, "KDMKTONE") &&
		    !begins(name, "HDIO_") && ioctl_requests[i].number)
			call(ioctl, -1, ioctl_requests[i].number, 1);
	}
}

void _start(void)
{
	requests();
	files();
	sockets();
	times();
	processes();
	call(exit_group, 7);
}
