/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors that calls take, return, read from memory and store there. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "calls.h"

static int pipes[2], file;

static void waits(void)
{
	struct pollfd p[4] = {
		{ pipes[0], POLLIN }, { pipes[1], POLLOUT }, { file, POLLIN }, { 99, POLLIN }
	};
	struct timespec t = { 0, 1000 };
	struct timeval none = { 0, 0 };
	fd_set r, w;

	poll(p, 4, 0);
	ppoll(p, 3, &t, 0);
	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_SET(pipes[0], &r);
	FD_SET(file, &r);
	FD_SET(pipes[1], &w);
	select(10, &r, &w, 0, &none);
	FD_SET(file, &r);
	pselect(10, &r, &w, 0, &t, 0);
}

static void rights(void)
{
	char x[9], control[CMSG_SPACE(3 * sizeof(int))] = { 0 };
	struct iovec out = { "x", 1 }, in = { x, sizeof x };
	struct msghdr m = { .msg_iov = &out,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = CMSG_SPACE(2 * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int s[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	((int *)CMSG_DATA(c))[0] = file;
	((int *)CMSG_DATA(c))[1] = pipes[0];
	sendmsg(s[0], &m, 0);
	m.msg_iov = &in;
	m.msg_controllen = sizeof control;
	recvmsg(s[1], &m, 0);
	close(s[0]);
	close(s[1]);
}

static void special(void)
{
	struct epoll_event ev = { EPOLLIN, { .fd = pipes[0] } };
	union bpf_attr a = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1
	};
	int e = epoll_create1(0), map = syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof a), key = 0,
	    d = dup(file);
	struct {
		unsigned e, t, o;
	} slot = { e, pipes[0], 0 };
	long value = 0;
	sigset_t set;

	epoll_ctl(e, EPOLL_CTL_ADD, pipes[0], &ev);
	write(pipes[1], "a", 1);
	epoll_wait(e, &ev, 1, 0);
	memset(&a, 0, sizeof a);
	a.map_fd = map;
	a.key = (uintptr_t)&key;
	a.value = (uintptr_t)&value;
	syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &a, sizeof a);
	dup2(file, 50);
	dup3(file, 51, O_CLOEXEC);
	fcntl(file, F_DUPFD, 60);
	eventfd(0, 0);
	timerfd_create(CLOCK_MONOTONIC, 0);
	inotify_init1(0);
	sigemptyset(&set);
	signalfd(-1, &set, 0);
	syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, file, d);
	syscall(SYS_kcmp, getpid(), getpid(), KCMP_EPOLL_TFD, pipes[0], &slot);
}

static void sockets(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
	struct pollfd p[2] = { { l, POLLIN }, { c, POLLOUT } };
	socklen_t n = sizeof a;

	bind(l, (void *)&a, sizeof a);
	listen(l, 1);
	getsockname(l, (void *)&a, &n);
	connect(c, (void *)&a, sizeof a);
	accept(l, (void *)&a, &n);
	poll(p, 2, 0);
	send(c, "hello", 5, 0);
}

static void processes(void)
{
	int fd = syscall(SYS_pidfd_open, getpid(), 0);

	syscall(SYS_pidfd_getfd, fd, file, 0);
	syscall(SYS_pidfd_send_signal, fd, 0, 0, 0);
	syscall(SYS_waitid, P_PIDFD, fd, 0, WEXITED, 0);
}

static void rings(void)
{
	struct io_uring_params p = { 0 };
	int u = syscall(SYS_io_uring_setup, 4, &p), fds[3] = { file, -1, pipes[0] },
	    e = eventfd(0, 0);
	struct io_uring_files_update up = { .fds = (uintptr_t)fds };

	syscall(SYS_io_uring_register, u, IORING_REGISTER_FILES, fds, 3);
	syscall(SYS_io_uring_register, u, IORING_REGISTER_FILES_UPDATE, &up, 2);
	syscall(SYS_io_uring_register, u, IORING_REGISTER_EVENTFD, &e, 1);
}

static void closed(void)
{
	struct pollfd p[2] = { { pipes[0], POLLIN }, { file, POLLIN } };

	close(file);
	poll(p, 2, 0);
	open("/dev/null", O_RDONLY);
	poll(p, 2, 0);
}

int main(void)
{
	pipe(pipes);
	file = open("/etc/passwd", O_RDONLY);
	waits();
	rights();
	special();
	sockets();
	processes();
	rings();
	closed();
	return 0;
}
