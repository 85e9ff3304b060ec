/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random SEED [CALLS]: system calls with odd arguments that do no harm: pointers that are valid, end with their page or lead nowhere,
 * flags with wrong bits, sizes at the limits, wrong descriptors. Each letter of a row is an argument.
 */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;

static u64 state;
static char *page; /* the page after it does not exist */
static int fds[12];

static u64 rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull >> 16;
}

static u64 below(u64 n)
{
	return rnd() % n;
}

#define ONE_OF(...)                                                                                \
	({                                                                                         \
		static const u64 v_[] = { __VA_ARGS__ };                                           \
		v_[below(sizeof(v_) / sizeof(*v_))];                                               \
	})

/* n bytes of which the first `known` exist */
static char *memory(unsigned n, unsigned known)
{
	static unsigned at;

	if (known < n)
		return page + 4096 - known;
	at = (at + 512) % 2048;
	return page + at;
}

static u64 bad_pointer(void)
{
	return ONE_OF(0, 0, 1, 8, 0xdeadbeef, 0x7fffffffffff, 0xffff888000000000, ~0ull,
		      0x123456789000);
}

static u64 flags(void)
{
	switch (below(6)) {
	case 0: return 0;
	case 1: return 1ull << below(34);
	case 2: return 1ull << below(12) | 1ull << below(20);
	case 3: return below(64);
	case 4: return rnd() & rnd() & 0xffffffff;
	default: return ONE_OF(~0ull, 0x80000000, 0xffffffff, 0x7fffffff, 0x100000000);
	}
}

static u64 number(void)
{
	switch (below(5)) {
	case 0: return below(10);
	case 1: return below(300);
	case 2: return -below(5);
	default:
		return ONE_OF(0, 1, 2, 8, 16, 128, 4096, 4097, 65536, 0x7fffffff, 0x80000000,
			      0xffffffff, 1ull << 40, ~0ull);
	}
}

static u64 size(void)
{
	return ONE_OF(0, 1, 2, 3, 4, 7, 8, 12, 16, 24, 28, 31, 32, 33, 48, 56, 64, 100, 110, 128,
		      256, 511);
}

static u64 path(void)
{
	static const char *const names[] = {
		"a",
		"b",
		"dir",
		"dir/c",
		"",
		".",
		"/nowhere/x",
		"/proc/self/exe",
		"quote\"\\\n\t\1\377",
		"/proc/self/status",
		"a-name-of-more-than-thirty-two-bytes-in-a-folder/that-is-not-there"
	};
	const char *name = names[below(11)];
	unsigned n = strlen(name) + 1 - !below(8); /* without its end: the page ends first */
	char *p;

	if (!below(8))
		return bad_pointer();
	p = n == strlen(name) ? page + 4096 - n : memory(n, n);
	memcpy(p, name, n);
	return (u64)p;
}

static u64 buffer(void)
{
	unsigned known = ONE_OF(512, 512, 512, 512, 0, 1, 4, 8, 12, 15, 16, 24, 40);
	char *p;

	if (!below(8))
		return bad_pointer();
	p = memory(512, known);
	for (unsigned i = 0; i < known; i++)
		p[i] = 0;
	switch (below(3)) {
	case 0:
		for (unsigned i = 0; i < known; i++)
			p[i] = rnd();
		break;
	case 1: /* small numbers */
		for (unsigned i = 0; i + 4 <= known; i += 4) {
			int v = below(3) ? below(20) : below(2) ? 0 : -1;
			memcpy(p + i, &v, 4);
		}
		break;
	}
	return (u64)p;
}

static u64 filled(unsigned n, const void *from)
{
	unsigned known = below(8) ? n : below(n);
	char *p;

	if (!below(10))
		return bad_pointer();
	p = memory(n, known);
	memcpy(p, from, known);
	return (u64)p;
}

static u64 address(void)
{
	struct sockaddr_storage s = {};
	char *p = (char *)&s;

	for (unsigned i = 2; i < 60; i++)
		p[i] = below(3) ? 0 : rnd();
	s.ss_family = ONE_OF(1, 1, 2, 10, 16, 17, 0, 3, 4, 5, 9, 31, 38, 40, 99);
	if (s.ss_family == 2)
		memcpy(p + 4, "\177\0\0\1", 4);
	if (s.ss_family == 1)
		memcpy(p + 2, below(2) ? "\0abstract\0x" : "/nowhere/socket", 12);
	return filled(60, &s);
}

static u64 vector(int is_out)
{
	struct iovec v[4];

	for (int i = 0; i < 4; i++)
		v[i] = (struct iovec){ (void *)buffer(), below(6) ? size() : number() };
	(void)is_out;
	return filled(sizeof(v), v);
}

static u64 times(void)
{
	long t[4] = { 0,
		      below(3) ? 0 :
		      below(2) ? 1000000000 :
				 -1,
		      ONE_OF(0, 1, 0x3fffffff, 0x3ffffffe),
		      ONE_OF(0, 0x3fffffff, 0x3ffffffe, 999999999, ~0ull) };

	return filled(sizeof(t), t);
}

static u64 polls(void)
{
	struct pollfd p[4];

	for (int i = 0; i < 4; i++)
		p[i] = (struct pollfd){ below(5) ? fds[below(12)] : -1,
					rnd() & (below(2) ? 0x3f : 0xffff), 0x20 };
	return filled(sizeof(p), p);
}

static u64 message(void)
{
	struct {
		struct cmsghdr h;
		char data[24];
	} control = { { ONE_OF(16, 20, 28, 40, 0, 100), 1, ONE_OF(1, 1, 2, 3, 29) },
		      { fds[0], 0, 0, 0, 1 } };
	struct msghdr m = { (void *)address(),
			    ONE_OF(0, 2, 16, 28, 110),
			    (void *)vector(0),
			    ONE_OF(0, 1, 2, 4),
			    below(3) ? NULL : (void *)filled(40, &control),
			    ONE_OF(0, 16, 24, 40, 33),
			    flags() };

	return filled(sizeof(m), &m);
}

static u64 argument(char kind)
{
	switch (kind) {
	case 'f': return below(4) ? (u64)fds[below(12)] : ONE_OF(-1, 99, 0x7fffffff, -100, 1000);
	case 'a': return below(3) ? -100 : argument('f');
	case 'p': return path();
	case 'b': return buffer();
	case 'n': return below(4) ? size() : number();
	case 's': return size();
	case 'i': return number();
	case 'F': return flags();
	case 'x': return rnd();
	case 'm': return below(3) ? below(010000) : flags();
	case 'z': return 0;
	case 'A': return address();
	case 'v': return vector(0);
	case 't': return times();
	case 'P': return polls();
	case 'M': return message();
	case 'L': return ONE_OF(0, 2, 16, 28, 110, 128, 1, 3);
	case 'B': return bad_pointer();
	case 'S': return ONE_OF(0, 1, 10, 12, 17, 32, 33, 64, 65, 99, ~0ull);
	case 'c': return below(40);
	case '8': return below(6) ? 8 : number();
	case 'd':
		return below(4) ? ONE_OF(0x5401, 0x5413, 0x541b, 0x8912, 0x8913, 0x8927, 0x8933,
					 0xc020660b, 0x80086601, 0x1260, 0x9, 0x40049409, 0x540f,
					 0x2400, 0x80045430, 0x5450, 0x5460) :
				  rnd() & (below(2) ? 0xffff : 0xffffffff);
	case 'k': return ONE_OF(0x7ffffff0, -0x7ffffff0, 0x7ffffff1); /* of no process, no object */
	case 'G': return flags() & ~(u64)0x250; /* makes nothing that stays; no fixed address */
	case 'T': {
		u64 t = times();
		return t ? t : 1;
	}
	case 'u':
		return filled(17, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0") |
		       1; /* no time, at an odd address */
	case 'j': {
		u64 c = below(40);
		return c == 4 ? 1030 : c;
	} /* not F_SETFL: descriptors do not block */
	case 'y': return ONE_OF(0, 0100644, 0140644, 0160000, 0777, 01000000);
	case 'w': return ONE_OF(1, 3, 4, 5, 10, 129, 0x83, 99, 0x1ff, 0xff00, 0x101, 12);
	case 'o':
		return ONE_OF(2, 3, 7, 11, 16, 19, 21, 23, 25, 27, 30, 34, 37, 39, 40, 42, 52,
			      0x53564d41, 58, 66, 99, 0x7fffffff);
	case 'q': return ONE_OF(1, 2, 3, 4, 99);
	case 'h': return ONE_OF(0, 6, 11, 17, 99, 30, 31);
	case 'r': return ONE_OF(2, 3, 7, 12, 16, 99, 0x4200, 0x4206);
	default: return 0;
	}
}

#define C(name, kinds)                                                                             \
	{                                                                                          \
		SYS_##name, kinds                                                                  \
	}
static const struct {
	int nr;
	const char *kinds;
} calls[] = {
	C(open, "pFm"),
	C(openat, "apFm"),
	C(openat2, "apbn"),
	C(creat, "pm"),
	C(close, "B"),
	C(stat, "pb"),
	C(lstat, "pb"),
	C(fstat, "fb"),
	C(newfstatat, "apbF"),
	C(statx, "apFFb"),
	C(access, "pF"),
	C(faccessat, "apF"),
	C(faccessat2, "apFF"),
	C(readlink, "pbs"),
	C(readlinkat, "apbs"),
	C(mkdir, "pm"),
	C(mkdirat, "apm"),
	C(rmdir, "p"),
	C(unlink, "p"),
	C(unlinkat, "apF"),
	C(rename, "pp"),
	C(renameat2, "apapF"),
	C(link, "pp"),
	C(linkat, "apapF"),
	C(symlink, "pp"),
	C(symlinkat, "pap"),
	C(chmod, "pm"),
	C(fchmod, "fm"),
	C(fchmodat, "apm"),
	C(chown, "pii"),
	C(fchownat, "apiiF"),
	C(truncate, "pi"),
	C(utimensat, "aptF"),
	C(utimes, "pb"),
	C(utime, "pb"),
	C(mknod, "pyi"),
	C(mknodat, "apyi"),
	C(statfs, "pb"),
	C(fstatfs, "fb"),
	C(getcwd, "bs"),
	C(getdents64, "fbs"),
	C(name_to_handle_at, "apbbF"),
	C(read, "fbs"),
	C(write, "fbs"),
	C(pread64, "fbsi"),
	C(pwrite64, "fbsc"),
	C(readv, "fvc"),
	C(writev, "fvc"),
	C(preadv, "fvcii"),
	C(preadv2, "fvcciF"),
	C(pwritev2, "fvcciF"),
	C(lseek, "fii"),
	C(ftruncate, "fc"),
	C(fallocate, "fFcc"),
	C(fadvise64, "fiic"),
	C(readahead, "fis"),
	C(sendfile, "ffbs"),
	C(splice, "fbfbsF"),
	C(tee, "ffsF"),
	C(vmsplice, "fvcF"),
	C(copy_file_range, "fbfbsF"),
	C(sync_file_range, "fiiF"),
	C(flock, "fB"),
	C(fcntl, "fji"),
	C(dup, "f"),
	C(dup3, "fBF"),
	C(pipe2, "bF"),
	C(ioctl, "fdb"),
	C(ioctl, "fdi"),
	C(fsync, "f"),
	C(socket, "FFF"),
	C(socket, "ccc"),
	C(socketpair, "cccb"),
	C(bind, "fAL"),
	C(connect, "fAL"),
	C(listen, "fi"),
	C(accept4, "fbbF"),
	C(getsockname, "fbb"),
	C(getpeername, "fbb"),
	C(sendto, "fbsFAL"),
	C(recvfrom, "fbsFbb"),
	C(sendmsg, "fMF"),
	C(recvmsg, "fMF"),
	C(shutdown, "fi"),
	C(setsockopt, "fccbs"),
	C(getsockopt, "fccbb"),
	C(sendmmsg, "fbcF"),
	C(recvmmsg, "fbcFT"),
	C(poll, "Pcz"),
	C(ppoll, "PcTb8"),
	C(select, "cbbbu"),
	C(pselect6, "cbbbTb"),
	C(epoll_ctl, "fcfb"),
	C(epoll_wait, "fbcz"),
	C(epoll_pwait, "fbczb8"),
	C(epoll_create1, "F"),
	C(eventfd2, "iF"),
	C(signalfd4, "fb8F"),
	C(timerfd_create, "cF"),
	C(timerfd_settime, "fFbb"),
	C(timerfd_gettime, "fb"),
	C(inotify_init1, "F"),
	C(inotify_add_watch, "fpF"),
	C(inotify_rm_watch, "fi"),
	C(memfd_create, "pF"),
	C(clock_gettime, "ib"),
	C(clock_getres, "ib"),
	C(clock_nanosleep, "cBTB"),
	C(nanosleep, "Bb"),
	C(gettimeofday, "bb"),
	C(time, "B"),
	C(times, "b"),
	C(getitimer, "cb"),
	C(timer_create, "ibb"),
	C(timer_gettime, "cb"),
	C(timer_delete, "x"),
	C(getrusage, "ib"),
	C(getrlimit, "cb"),
	C(prlimit64, "zczb"),
	C(getpriority, "ci"),
	C(sysinfo, "b"),
	C(uname, "b"),
	C(getresuid, "bbb"),
	C(getgroups, "nb"),
	C(getpgid, "i"),
	C(getsid, "i"),
	C(sched_getparam, "zb"),
	C(sched_getscheduler, "i"),
	C(sched_getaffinity, "zsb"),
	C(sched_getattr, "zbsF"),
	C(sched_setattr, "kbF"),
	C(sched_rr_get_interval, "ib"),
	C(sched_get_priority_max, "i"),
	C(capget, "bb"),
	C(getcpu, "bbb"),
	C(rt_sigaction, "Szb8"),
	C(rt_sigaction, "SBb8"),
	C(rt_sigprocmask, "iBb8"),
	C(rt_sigpending, "b8"),
	C(rt_sigtimedwait, "bbT8"),
	C(rt_sigqueueinfo, "kSb"),
	C(sigaltstack, "Bb"),
	C(kill, "kS"),
	C(tgkill, "kkS"),
	C(wait4, "xbFb"),
	C(waitid, "ixbFb"),
	C(mincore, "Bnb"),
	C(madvise, "Bni"),
	C(mprotect, "BnF"),
	C(mmap, "BnFGfi"),
	C(munmap, "Bz"),
	C(mremap, "BnnFB"),
	C(msync, "BnF"),
	C(mlock2, "BnF"),
	C(mlockall, "x"),
	C(membarrier, "iFi"),
	C(futex, "bwiBbi"),
	C(get_robust_list, "kbb"),
	C(getrandom, "bsF"),
	C(getxattr, "ppbs"),
	C(setxattr, "ppbsF"),
	C(listxattr, "pbs"),
	C(removexattr, "pp"),
	C(fgetxattr, "fpbs"),
	C(shmget, "xnG"),
	C(shmat, "kBF"),
	C(shmctl, "kcb"),
	C(semget, "xcG"),
	C(semop, "kbc"),
	C(semctl, "kicb"),
	C(msgget, "xz"),
	C(msgsnd, "kbsF"),
	C(msgrcv, "kbsiF"),
	C(msgctl, "kcb"),
	C(mq_open, "pGmb"),
	C(mq_unlink, "p"),
	C(mq_timedsend, "fbsib"),
	C(mq_getsetattr, "fbb"),
	C(keyctl, "hiiii"),
	C(add_key, "pbbsi"),
	C(request_key, "pppi"),
	C(personality, "x"),
	C(prctl, "oiiii"),
	C(arch_prctl, "xb"),
	C(seccomp, "qFB"),
	C(bpf, "cbs"),
	C(perf_event_open, "biiiF"),
	C(io_uring_setup, "xb"),
	C(io_uring_enter, "fiiFbs"),
	C(io_uring_register, "fibc"),
	C(io_setup, "xb"),
	C(io_submit, "xcb"),
	C(io_getevents, "xiibB"),
	C(userfaultfd, "x"),
	C(fanotify_init, "FF"),
	C(fanotify_mark, "fFxap"),
	C(process_vm_readv, "kvcvcF"),
	C(process_madvise, "xvciF"),
	C(move_pages, "kcbbbF"),
	C(mbind, "BninnF"),
	C(get_mempolicy, "bbnBF"),
	C(set_mempolicy, "xbn"),
	C(migrate_pages, "knbb"),
	C(kcmp, "kkcii"),
	C(pidfd_open, "xF"),
	C(pidfd_send_signal, "fSbF"),
	C(pidfd_getfd, "fiF"),
	C(clone3, "bz"),
	C(close_range, "BBx"),
	C(ioprio_get, "ii"),
	C(ioprio_set, "cki"),
	C(modify_ldt, "cbs"),
	C(landlock_create_ruleset, "bsF"),
	C(fsopen, "pF"),
	C(fsconfig, "ficpi"),
	C(fspick, "apF"),
	C(open_tree, "apF"),
	C(move_mount, "BpBpF"),
	C(mount_setattr, "BpFbs"),
	C(futex_waitv, "bcxBi"),
	C(epoll_pwait2, "fbcTb8"),
	C(syslog, "xbi"),
	C(umask, "m"),
	C(rseq, "bxFi"),
	C(pkey_alloc, "FF"),
	C(pkey_mprotect, "BnFi"),
	C(setpriority, "cki"),
	C(setitimer, "xbb"),
	C(adjtimex, "B"),
	C(clock_adjtime, "xb"),
	C(delete_module, "pF"),
	C(ustat, "ib"),
	C(sysfs, "iii"),
	C(ptrace, "rkii"),
	C(sched_setaffinity, "ksb"),
	C(execveat, "fpbbF"),
	C(setns, "fF"),
	C(unshare, "x"),
	C(getdents, "fbs"),
};

/* Calls with random arguments must not change the machine: as another user, in a folder of that user. */
static void give_up_rights(void)
{
	enum { NOBODY = 65534 };

	if (geteuid())
		return;
	for (const char *const *p = (const char *const[]){ ".", "a", "dir", "null", NULL }; *p; p++)
		if (chown(*p, NOBODY, NOBODY))
			_exit(3);
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(3);
	prctl(PR_SET_DUMPABLE, 1);
}

/* A call may wait for years; of all signals only SIGKILL is not blocked. */
static void end_in(int seconds)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec limit = { .it_value.tv_sec = seconds };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &limit, NULL);
}

static void prepare(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	page = (char *)mmap((void *)0x10000000, 8192, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	munmap(page + 4096, 4096);
	mkdir("dir", 0755);
	fds[0] = open("a", O_RDWR | O_CREAT, 0644);
	write(fds[0], "the first line\nthe second\n\1\2\3", 29);
	mknod("null", S_IFCHR | 0666,
	      makedev(1, 3)); /* its own one: fchmod() must not change the machine's */
	fds[1] = open("null", O_RDWR);
	pipe2(fds + 2, O_NONBLOCK);
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, fds + 4);
	fds[6] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	fds[7] = epoll_create1(0);
	fds[8] = eventfd(1, EFD_NONBLOCK);
	fds[9] = open("dir", O_RDONLY | O_DIRECTORY);
	fds[10] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	fds[11] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	end_in(10);
	give_up_rights();
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 300;

	state = argc > 1 ? strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15ull + 1 : 1;
	prepare();
	for (int i = 0; i < n; i++) {
		u64 k = below(sizeof(calls) / sizeof(*calls)), a[6] = {};

		for (int j = 0; calls[k].kinds[j]; j++)
			a[j] = argument(calls[k].kinds[j]);
		syscall(calls[k].nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	_exit(0);
}
