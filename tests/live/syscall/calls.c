/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls FAMILY: system calls of a family, each with arguments that are known, in the current directory, where there is a
 * folder dir. Most results do not matter: what the arguments look like does. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/if.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <linux/keyctl.h>
#include <linux/capability.h>
#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)
static char big[100];


static void files(void)
{
	struct stat st; struct statx sx; char buf[200]; struct statfs fs;
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0640);
	write(fd, "hello\n\1\0022\"\\", 11); write(fd, big, sizeof big);
	pwrite(fd, "abc", 3, 5); pread(fd, buf, 40, 2); lseek(fd, 0, SEEK_SET); read(fd, buf, 200); read(fd, buf, 200); read(-1, buf, 3);
	struct iovec v[3] = { { "one", 3 }, { big, 50 }, { "", 0 } };
	writev(fd, v, 3); lseek(fd, 0, SEEK_SET);
	char a[5], b[10]; struct iovec w[2] = { { a, 5 }, { b, 10 } }; readv(fd, w, 2); preadv(fd, w, 2, 3); pwritev(fd, v, 1, 9);
	CALL(stat, "/tmp", &st); CALL(stat, "/nonexistent", &st); CALL(stat, "/dev/null", &st); CALL(lstat, "/proc/self", &st); CALL(fstat, fd, &st);
	CALL(newfstatat, AT_FDCWD, "/tmp", &st, 0); CALL(newfstatat, fd, "", &st, AT_EMPTY_PATH);
	CALL(statx, AT_FDCWD, "file", AT_STATX_SYNC_AS_STAT, STATX_ALL, &sx); CALL(statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &sx);
	statfs("/proc", &fs); fstatfs(fd, &fs); statfs("/none", &fs);
	readlink("/proc/self", buf, sizeof buf); readlinkat(AT_FDCWD, "/proc/self/exe", buf, 3); readlink("/tmp", buf, 10);
	getcwd(buf, sizeof buf); CALL(getdents64, open("dir", O_RDONLY | O_DIRECTORY), buf, sizeof buf);
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS }; CALL(openat2, AT_FDCWD, "/etc/passwd", &how, sizeof how);
	CALL(openat2, AT_FDCWD, "/etc/passwd", NULL, 0);
	loff_t in = 0, out = 3; CALL(copy_file_range, fd, &in, fd, &out, 2L, 0); CALL(sendfile, fd, fd, &in, 3L);
	struct timespec ts[2] = { { 1, 2 }, { 0, UTIME_NOW } }; CALL(utimensat, AT_FDCWD, "file", ts, 0); CALL(utimensat, AT_FDCWD, "file", NULL, 0);
	struct utimbuf ub = { 3, 4 }; CALL(utime, "file", &ub); struct timeval tv[2] = { { 1, 2 }, { 3, 4 } }; CALL(utimes, "file", tv); CALL(futimesat, AT_FDCWD, "file", tv);
	CALL(access, "/tmp", R_OK | W_OK); CALL(faccessat, AT_FDCWD, "/tmp", F_OK); CALL(chmod, "file", 0600); CALL(mkdir, "d", 0755); CALL(mknod, "p", S_IFIFO | 0644, 0); CALL(rmdir, "d"); unlink("p");
	CALL(mknod, "n", S_IFCHR | 0644, 0x103); unlink("n");
	CALL(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0L, 100L); CALL(chown, "file", -1, 0); CALL(fchown, fd, 0, -1); umask(022);
	CALL(setxattr, "file", "user.a", "v\0w", 3L, XATTR_CREATE); CALL(getxattr, "file", "user.a", buf, 20L); CALL(getxattr, "file", "user.none", buf, 20L); CALL(listxattr, "file", buf, 100L); CALL(listxattr, "file", 0, 0L); CALL(fgetxattr, fd, "user.a", buf, 2L); CALL(removexattr, "file", "user.a");
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 10 };
	fcntl(fd, F_SETLK, &fl); fcntl(fd, F_GETLK, &fl); fcntl(fd, F_GETFL); fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK); fcntl(fd, F_GETFD); fcntl(fd, F_SETFD, FD_CLOEXEC); fcntl(fd, F_DUPFD, 10); fcntl(fd, F_DUPFD_CLOEXEC, 10); CALL(fcntl, fd, F_SETOWN, 0); fcntl(fd, F_GETSIG); fcntl(fd, F_SETSIG, SIGUSR1); struct f_owner_ex ox = { F_OWNER_PID, 0 }; fcntl(fd, F_SETOWN_EX, &ox); CALL(fcntl, fd, F_GETOWN_EX, &ox); fcntl(fd, 999, 5); fcntl(fd, F_SETPIPE_SZ, 4096); fcntl(fd, F_SETLEASE, F_UNLCK); fcntl(fd, F_ADD_SEALS, F_SEAL_GROW);
	flock(fd, LOCK_EX | LOCK_NB); int p[2]; pipe(p); pipe2(p, O_CLOEXEC); CALL(pipe, (void *)8);
	loff_t off = 5; CALL(splice, fd, &off, p[1], NULL, 3L, SPLICE_F_MOVE); CALL(vmsplice, p[1], v, 1L, 0); CALL(tee, p[0], p[1], 1L, SPLICE_F_NONBLOCK);
	struct { struct file_handle h; char b[128]; } fh = { { 128 } }; int mnt; CALL(name_to_handle_at, AT_FDCWD, "file", &fh, &mnt, 0); CALL(open_by_handle_at, AT_FDCWD, &fh, O_RDONLY);
	unlink("file"); CALL(rename, "/nonexistent1", "/nonexistent2"); CALL(renameat2, AT_FDCWD, "/nonexistent1", 3, "/nonexistent2", RENAME_EXCHANGE); CALL(symlink, "a", "/none/b"); CALL(linkat, AT_FDCWD, "/none1", AT_FDCWD, "/none2", AT_SYMLINK_FOLLOW);
	int i = inotify_init1(IN_CLOEXEC); inotify_add_watch(i, "/tmp", IN_CREATE | IN_DELETE); inotify_rm_watch(i, 1); CALL(memfd_create, "mem", MFD_CLOEXEC); CALL(truncate, "/none", 10L); CALL(mount, "none", "/none", "tmpfs", MS_NOSUID | MS_NODEV, "size=1"); CALL(umount2, "/none", MNT_DETACH); CALL(pivot_root, "/none1", "/none2"); CALL(chroot, "/none"); CALL(acct, "/none"); CALL(swapon, "/none", 0);
	CALL(open, "/tmp", O_TMPFILE | O_RDWR, 0600); CALL(open, "/none", 0x80000000 | O_RDWR); CALL(openat, -100, "/none", 3); CALL(fsopen, "none", 0); CALL(fsconfig, -1, 1, "key", "value", 0); CALL(fsmount, -1, 0, 0); CALL(open_tree, AT_FDCWD, "/none", 1); CALL(move_mount, -1, "", AT_FDCWD, "/none", 4); CALL(fspick, AT_FDCWD, "/none", 0);
	struct { unsigned long a, b, c, d; } ma = { 1, 2, 0, 0 }; CALL(mount_setattr, -1, "/none", AT_EMPTY_PATH, &ma, 32L); CALL(quotactl, 0x80000700, "/none", 0, buf); CALL(fanotify_init, 0x100, 0); CALL(fanotify_mark, -1, 1, 2UL, AT_FDCWD, "/none"); CALL(sync_file_range, fd, 0L, 0L, 2); CALL(ustat, 5, buf);
}
static void net(void)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP), c = socket(AF_INET, SOCK_STREAM, 0), one = 1; socklen_t len;
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, peer;
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, 4); bind(s, (void *)&in, sizeof in); listen(s, 5); len = sizeof in; getsockname(s, (void *)&in, &len);
	connect(c, (void *)&in, sizeof in); len = 100; int a = accept(s, (void *)&peer, &len); accept4(-1, NULL, NULL, SOCK_NONBLOCK); len = sizeof peer; getpeername(c, (void *)&peer, &len);
	send(c, "hello", 5, MSG_NOSIGNAL); char buf[100]; len = sizeof peer; recvfrom(a, buf, 100, 0, (void *)&peer, &len); recv(a, buf, 100, MSG_DONTWAIT);
	struct iovec v[2] = { { "abc", 3 }, { "defg", 4 } }; struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 }; sendmsg(c, &m, 0);
	struct iovec w[2] = { { buf, 2 }, { buf + 10, 50 } }; m = (struct msghdr){ .msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = w, .msg_iovlen = 2 }; recvmsg(a, &m, 0);
	int v4; len = 4; getsockopt(c, SOL_SOCKET, SO_ERROR, &v4, &len); len = 4; getsockopt(c, SOL_SOCKET, SO_TYPE, &v4, &len); setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, 4); struct linger lg = { 1, 2 }; setsockopt(c, SOL_SOCKET, SO_LINGER, &lg, sizeof lg); struct timeval tv = { 1, 2 }; setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv); setsockopt(c, SOL_IP, 1, &one, 4); setsockopt(c, SOL_IPV6, IPV6_V6ONLY, &one, 4);
	shutdown(c, SHUT_WR); int sp[2]; socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sp);
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "none" }; connect(sp[0], (void *)&un, sizeof un); un.sun_path[0] = 0; bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&un, 10); len = sizeof un; getsockname(sp[0], (void *)&un, &len);
	struct sockaddr_in6 i6 = { .sin6_family = AF_INET6, .sin6_port = htons(80), .sin6_addr = in6addr_loopback }; connect(socket(AF_INET6, SOCK_DGRAM, 0), (void *)&i6, sizeof i6);
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK }; int n = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); bind(n, (void *)&nl, sizeof nl); struct { struct nlmsghdr h; char g[4]; } rq = { { 20, 18, 0x301, 1, 0 } }; sendto(n, &rq, 20, 0, (void *)&nl, sizeof nl);
	struct ucred uc = { 1, 2, 3 }; char cb[100] = ""; struct msghdr cm = { .msg_iov = v, .msg_iovlen = 1, .msg_control = cb, .msg_controllen = CMSG_SPACE(4) }; struct cmsghdr *ch = CMSG_FIRSTHDR(&cm); ch->cmsg_level = SOL_SOCKET; ch->cmsg_type = SCM_RIGHTS; ch->cmsg_len = CMSG_LEN(4); *(int *)CMSG_DATA(ch) = 1; sendmsg(sp[0], &cm, 0); struct msghdr rm = { .msg_iov = w, .msg_iovlen = 2, .msg_control = cb, .msg_controllen = 100 }; recvmsg(sp[1], &rm, 0); (void)uc;
	struct mmsghdr mm[2] = { { { .msg_iov = v, .msg_iovlen = 2 } }, { { .msg_iov = v, .msg_iovlen = 1 } } }; sendmmsg(sp[0], mm, 2, 0); struct mmsghdr rr[2] = { { { .msg_iov = w, .msg_iovlen = 2 } }, { { .msg_iov = w, .msg_iovlen = 1 } } }; struct timespec t = { 1, 0 }; recvmmsg(sp[1], rr, 2, MSG_DONTWAIT, &t);
	struct ifreq ifr = { .ifr_name = "lo" }; ioctl(c, SIOCGIFINDEX, &ifr); ioctl(c, SIOCGIFFLAGS, &ifr); struct sock_filter f[1] = { { 6, 0, 0, 1 } }; struct sock_fprog fp = { 1, f }; setsockopt(c, SOL_SOCKET, SO_ATTACH_FILTER, &fp, sizeof fp);
}
static void waits(void)
{
	struct pollfd p[2] = { { 0, POLLIN, 0 }, { 1, POLLOUT | POLLERR, 0 } }; poll(p, 2, 1); poll(NULL, 0, 0); struct timespec t = { 0, 1000 }, rem; sigset_t set, old; sigemptyset(&set); sigaddset(&set, SIGINT); sigaddset(&set, SIGRTMIN + 1); CALL(ppoll, p, 2, &t, &set, 8L);
	fd_set r, w; FD_ZERO(&r); FD_ZERO(&w); FD_SET(0, &r); FD_SET(1, &w); struct timeval tv = { 0, 100 }; CALL(select, 2, &r, &w, NULL, &tv); struct { sigset_t *s; size_t n; } ss = { &set, 8 }; t.tv_nsec = 100; FD_SET(0, &r); CALL(pselect6, 1, &r, NULL, NULL, &t, &ss);
	int e = epoll_create1(EPOLL_CLOEXEC); struct epoll_event ev = { EPOLLIN | EPOLLET, { .u64 = 0x100000007 } }; int q[2]; pipe(q); epoll_ctl(e, EPOLL_CTL_ADD, q[0], &ev); write(q[1], "x", 1); struct epoll_event out[4]; epoll_wait(e, out, 4, 10); epoll_pwait(e, out, 4, 0, &set); epoll_ctl(e, EPOLL_CTL_DEL, q[0], NULL); CALL(epoll_pwait2, e, out, 4, &t, NULL, 0L);
	t = (struct timespec){ 0, 1000 }; nanosleep(&t, &rem); nanosleep(&t, NULL); clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL); CALL(clock_gettime, CLOCK_REALTIME, &t); CALL(clock_getres, CLOCK_MONOTONIC, &t); CALL(gettimeofday, &tv, NULL); time_t now; CALL(time, &now); CALL(time, NULL);
	int f = 1; t = (struct timespec){ 0, 1000 }; CALL(futex, &f, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, &t); CALL(futex, &f, FUTEX_WAKE, 1); CALL(futex, &f, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 2, &t, NULL, ~0); CALL(futex, &f, FUTEX_CMP_REQUEUE, 1, 2, &f, 3); CALL(futex, &f, FUTEX_WAKE_OP, 1, 1, &f, 0x4000001); CALL(futex, &f, FUTEX_REQUEUE, 1, 2, &f);
	int tf = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK); struct itimerspec its = { { 1, 0 }, { 2, 3 } }, oits; timerfd_settime(tf, 0, &its, &oits); timerfd_gettime(tf, &oits); struct itimerval iv = { { 0, 0 }, { 100, 5 } }, oiv; setitimer(ITIMER_REAL, &iv, &oiv); getitimer(ITIMER_REAL, &oiv); alarm(0);
	timer_t tm; struct sigevent se = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 }; timer_create(CLOCK_REALTIME, &se, &tm); timer_settime(tm, 0, &its, &oits); timer_gettime(tm, &oits); timer_delete(tm); eventfd(3, EFD_CLOEXEC | EFD_NONBLOCK);
	struct timex tx = { 0 }; adjtimex(&tx); CALL(clock_adjtime, CLOCK_REALTIME, &tx);
}
static void handler(int s) {}
static void procs(void)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART }, osa; sigemptyset(&sa.sa_mask); sigaddset(&sa.sa_mask, SIGUSR1); sigaction(SIGUSR2, &sa, &osa); sigaction(SIGUSR2, NULL, &osa); signal(SIGUSR1, SIG_IGN); signal(SIGUSR1, SIG_DFL);
	sigset_t s, o; sigfillset(&s); sigdelset(&s, SIGINT); sigprocmask(SIG_BLOCK, &s, &o); sigprocmask(SIG_SETMASK, &o, NULL); CALL(rt_sigpending, &o, 8L); sigemptyset(&s); sigaddset(&s, SIGALRM); struct timespec t = { 0, 1000 }; siginfo_t si; CALL(rt_sigtimedwait, &s, &si, &t, 8L); signalfd(-1, &s, SFD_CLOEXEC); stack_t st = { .ss_sp = malloc(8192), .ss_size = 8192 }; sigaltstack(&st, NULL); sigaltstack(NULL, &st);
	kill(getpid(), 0); pid_t p = fork(); if (!p) _exit(3); int status; struct rusage ru; wait4(p, &status, 0, NULL); if (!(p = fork())) { kill(getpid(), SIGKILL); } wait4(-1, &status, WUNTRACED, &ru); wait4(-1, &status, WNOHANG, NULL); if (!(p = fork())) _exit(0); waitid(P_ALL, 0, &si, WEXITED); waitid(P_ALL, 0, &si, WEXITED | WNOHANG);
	struct rlimit rl; CALL(getrlimit, RLIMIT_NOFILE, &rl); prlimit(0, RLIMIT_CORE, NULL, (void *)&rl); prlimit(0, RLIMIT_CORE, (void *)&rl, NULL); getrusage(RUSAGE_SELF, &ru); struct sysinfo sinfo; sysinfo(&sinfo); struct utsname u; uname(&u); struct tms tms; times(&tms); char b[20]; CALL(getrandom, b, 5L, 0); CALL(prctl, PR_SET_NAME, "dec"); CALL(prctl, PR_GET_NAME, b); CALL(prctl, PR_GET_DUMPABLE); int pd; CALL(prctl, PR_GET_PDEATHSIG, &pd); CALL(prctl, PR_SET_PDEATHSIG, SIGTERM); CALL(prctl, PR_CAPBSET_READ, 0);
	int r1, r2, r3; CALL(getresuid, &r1, &r2, &r3); gid_t gl[10]; CALL(getgroups, 10, gl); CALL(getgroups, 0, NULL); CALL(setgroups, 2, (gid_t[]){ 1, 2 }) ; unsigned long mask[16]; CALL(sched_getaffinity, 0, sizeof mask, mask); mask[0] = 3; CALL(sched_setaffinity, 0, 8L, mask); struct sched_param sp = { 0 }; CALL(sched_getparam, 0, &sp); CALL(sched_setscheduler, 0, SCHED_OTHER, &sp); CALL(sched_rr_get_interval, 0, &t); struct { int size, policy; unsigned long flags; int nice, prio; unsigned long a, b, c; } at = { 48 }; CALL(sched_getattr, 0, &at, 48, 0); CALL(sched_setattr, 0, &at, 0);
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 }; struct __user_cap_data_struct d[2]; CALL(capget, &h, d); CALL(capset, &h, d); unsigned cpu, node; CALL(getcpu, &cpu, &node, NULL); void *hp; size_t hl; CALL(get_robust_list, 0, &hp, &hl); char *av[] = { "a", "b\n", 0 }, *ev[] = { "x=1", 0 }; execve("/none", av, ev); execve("/none", NULL, NULL); CALL(execveat, -100, "/none", av, ev, 0); CALL(arch_prctl, 0x1003, &hp); CALL(mincore, (long)hp & ~4095, 4096L, b); CALL(sethostname, "abc", -1L); CALL(setdomainname, "abc", -1L);
	struct { long a[11]; } ca = { { 0, 0, 0, 0, 0xff } }; CALL(clone3, &ca, 88L); CALL(tgkill, getpid(), getpid(), 0); si = (siginfo_t){ .si_signo = 0, .si_code = SI_QUEUE }; CALL(rt_sigqueueinfo, getpid(), 0, &si); CALL(syslog, 10, b, 0); CALL(setrlimit, RLIMIT_CORE, &rl); CALL(kcmp, 1, 2, 0, 3L, 4L); CALL(getpriority, 0, 0); CALL(ioprio_get, 1, 0); CALL(personality, 0xffffffff); CALL(seccomp, SECCOMP_GET_ACTION_AVAIL, 0, (int[]){ 0x7fff0000 }); struct iovec lv = { b, 5 }, rv = { mask, 5 }; CALL(process_vm_readv, getpid(), &lv, 1L, &rv, 1L, 0L);
}
static void misc(void)
{
	struct termios tio; struct winsize ws = { 1, 2 }; int n, q[2]; pipe(q); ioctl(0, TCGETS, &tio); ioctl(q[0], TIOCGWINSZ, &ws); ioctl(q[0], TIOCSWINSZ, &ws); ioctl(q[0], FIONREAD, &n); n = 1; ioctl(q[0], FIONBIO, &n); ioctl(q[0], TIOCGPGRP, &n); ioctl(q[0], FIOCLEX); ioctl(q[0], 0x12345, 6); ioctl(q[0], _IOR('x', 3, int), 6); int m = open("/dev/ptmx", O_RDWR); ioctl(m, TCGETS, &tio); ioctl(m, TIOCGPTN, &n); n = 0; ioctl(m, TIOCSPTLCK, &n); ioctl(m, TIOCGWINSZ, &ws);
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); void *a = shmat(id, NULL, 0); shmdt(a); struct shmid_ds ds; shmctl(id, IPC_STAT, &ds); shmctl(id, IPC_RMID, NULL); id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600); struct sembuf sb[2] = { { 0, 1, 0 }, { 1, 1, IPC_NOWAIT } }; semop(id, sb, 2); semctl(id, 0, SETVAL, 3); struct timespec t = { 1, 0 }; CALL(semtimedop, id, sb, 1, &t); struct semid_ds sds; semctl(id, 0, IPC_STAT, &sds); semctl(id, 0, IPC_RMID); id = msgget(IPC_PRIVATE, IPC_CREAT | 0600); struct { long t; char b[20]; } mb = { 7, "text" }; msgsnd(id, &mb, 4, IPC_NOWAIT); msgrcv(id, &mb, 20, 0, IPC_NOWAIT); struct msqid_ds mds; msgctl(id, IPC_STAT, &mds); msgctl(id, IPC_RMID, NULL);
	struct mq_attr ma = { 0, 2, 10 }; mqd_t mq = CALL(mq_open, "dec", O_CREAT | O_RDWR, 0600, &ma); CALL(mq_timedsend, mq, "hi", 2L, 3, NULL); char b[100]; unsigned pr; CALL(mq_timedreceive, mq, b, 10L, &pr, &t); CALL(mq_getsetattr, mq, NULL, &ma); CALL(mq_notify, mq, NULL); CALL(mq_unlink, "dec");
	struct io_uring_params up = { 0 }; int u = CALL(io_uring_setup, 4, &up); CALL(io_uring_enter, u, 0, 0, 0, NULL, 0L); CALL(io_uring_register, u, 0, NULL, 0); struct iovec iv = { b, 100 }; CALL(io_uring_register, u, 0, &iv, 1);
	aio_context_t ctx = 0; CALL(io_setup, 2, &ctx); struct iocb cb = { .aio_lio_opcode = 0, .aio_fildes = 3, .aio_buf = (long)b, .aio_nbytes = 5 }, *cbs[1] = { &cb }; CALL(io_submit, ctx, 1L, cbs); struct io_event ev[2]; CALL(io_getevents, ctx, 0L, 2L, ev, &t); CALL(io_destroy, ctx);
	union bpf_attr at; memset(&at, 0, sizeof at); at.map_type = 2; at.key_size = 4; at.value_size = 8; at.max_entries = 1; strcpy(at.map_name, "dec"); int mf = CALL(bpf, BPF_MAP_CREATE, &at, 72); memset(&at, 0, sizeof at); int k = 0; long v = 0; at.map_fd = mf; at.key = (long)&k; at.value = (long)&v; CALL(bpf, BPF_MAP_LOOKUP_ELEM, &at, 32); CALL(bpf, BPF_MAP_UPDATE_ELEM, &at, 32); struct perf_event_attr pa = { .type = 1, .size = sizeof pa, .config = 0 , .disabled = 1 }; CALL(perf_event_open, &pa, 0, -1, -1, 8L); CALL(keyctl, KEYCTL_GET_KEYRING_ID, -1, 0); CALL(add_key, "user", "dec", "data", 4L, -3); CALL(request_key, "user", "dec2", NULL, -3); CALL(keyctl, KEYCTL_DESCRIBE, -3, b, 100L); CALL(keyctl, KEYCTL_SEARCH, -3, "user", "dec", 0);
	void *mp = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect(mp, 4096, PROT_READ); madvise(mp, 4096, MADV_DONTNEED); CALL(mremap, mp, 4096L, 8192L, MREMAP_MAYMOVE); msync(mp, 4096, MS_SYNC); munmap(mp, 4096); int pol; unsigned long nm = 1; CALL(get_mempolicy, &pol, &nm, 64L, 0L, 0L); CALL(set_mempolicy, 0, NULL, 0L); CALL(mbind, mp, 4096L, 0, &nm, 64L, 0); CALL(move_pages, 0, 0L, NULL, NULL, NULL, 0); CALL(membarrier, 0, 0); CALL(pidfd_open, getpid(), 0); CALL(close_range, 900, 1000, 0); CALL(landlock_create_ruleset, NULL, 0L, 1); CALL(statx, -1, NULL, 0, 0, NULL); CALL(quotactl, 0, NULL, 0, NULL);
}
int main(int c, char **v)
{
	setvbuf(stdout, 0, _IONBF, 0);
	for (int i = 1; i < c; i++) { if (!strcmp(v[i], "files")) files(); if (!strcmp(v[i], "net")) net(); if (!strcmp(v[i], "waits")) waits(); if (!strcmp(v[i], "procs")) procs(); if (!strcmp(v[i], "misc")) misc(); }
	return 0;
}
