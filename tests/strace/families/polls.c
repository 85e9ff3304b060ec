/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for descriptors: poll, select, epoll, eventfd. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include "calls.h"

int main(void)
{
	struct epoll_event ev = { EPOLLIN | EPOLLET, { .u64 = 0x100000002 } }, got[4];
	struct timespec ts = { 0, 1000000 };
	struct timeval tv = { 0, 1000 };
	struct pollfd fds[3];
	uint64_t one = 1;
	fd_set r, w, x;
	sigset_t set;
	int p[2], ep, e;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pipe(p);
	pipe2(p, O_NONBLOCK | O_CLOEXEC);
	syscall(SYS_pipe2, p, 0x7);
	write(p[1], "x", 1);
	fds[0] = (struct pollfd){ p[0], POLLIN | POLLPRI };
	fds[1] = (struct pollfd){ -1, POLLOUT };
	fds[2] = (struct pollfd){ p[1], POLLOUT | POLLRDHUP };
	poll(fds, 3, -1);
	poll(fds + 1, 1, 1);
	poll(NULL, 0, 0);
	poll(BAD, 2, 0);
	fds[1].fd = 99;
	ppoll(fds, 3, &ts, &set);
	ppoll(fds + 1, 1, NULL, NULL);
	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_ZERO(&x);
	FD_SET(p[0], &r);
	FD_SET(p[1], &w);
	FD_SET(p[0], &w);
	FD_SET(p[0], &x);
	select(10, &r, &w, &x, &tv);
	FD_ZERO(&r);
	select(0, NULL, NULL, NULL, &tv);
	tv.tv_usec = 1000;
	select(4, &r, NULL, NULL, &tv);
	FD_SET(p[0], &r);
	pselect(10, &r, NULL, NULL, &ts, &set);
	FD_SET(60, &r);
	select(64, &r, NULL, NULL, NULL);
	syscall(SYS_pselect6, 0, NULL, NULL, NULL, &ts, NULL);
	ep = epoll_create1(EPOLL_CLOEXEC);
	epoll_create(5);
	epoll_create1(3);
	epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev);
	epoll_ctl(ep, EPOLL_CTL_MOD, p[0], &ev);
	epoll_ctl(ep, EPOLL_CTL_MOD, p[1], &ev);
	epoll_ctl(ep, 9, p[1], BAD);
	epoll_wait(ep, got, 4, 0);
	epoll_wait(ep, got, 4, 1);
	epoll_pwait(ep, got, 4, 0, &set);
	epoll_pwait2(ep, got, 4, &ts, NULL);
	epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL);
	epoll_wait(ep, got, 4, 0);
	epoll_wait(ep, got, 0, 0);
	e = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
	syscall(SYS_eventfd, 3);
	write(e, &one, 8);
	read(e, &one, 8);
	return 0;
}
