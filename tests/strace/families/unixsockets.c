/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets of the family unix; control messages. */
#include "calls.h"

int main(void)
{
	struct sockaddr_un a = { AF_UNIX, "sock" }, b = { AF_UNIX, "\0abstract" }, got;
	struct iovec v[2] = { { "hello", 5 }, { " world\n", 7 } };
	char buf[100], control[200] = "";
	struct msghdr m = { .msg_iov = v,
			    .msg_iovlen = 2,
			    .msg_control = control,
			    .msg_controllen = CMSG_SPACE(8) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct mmsghdr mm[2] = { { .msg_hdr = { .msg_iov = v, .msg_iovlen = 2 } },
				 { .msg_hdr = { .msg_iov = v, .msg_iovlen = 1 } } };
	struct timespec ts = { 1, 0 };
	socklen_t len = sizeof(got);
	int s, l, acc, one = 1, p[2];
	struct ucred cred;
	struct linger linger = { 1, 2 };
	struct timeval tv = { 2, 3 };

	l = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bind(l, (void *)&a, offsetof(struct sockaddr_un, sun_path) + 5);
	bind(l, (void *)&a, sizeof(a));
	listen(l, 5);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(s, (void *)&a, sizeof(a));
	acc = accept4(l, (void *)&got, &len, SOCK_NONBLOCK);
	len = sizeof(got);
	getsockname(acc, (void *)&got, &len);
	len = sizeof(got);
	getpeername(acc, (void *)&got, &len);
	len = 3;
	getsockname(acc, (void *)&got, &len);
	getpeername(99, (void *)&got, &len);
	setsockopt(s, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	len = sizeof(cred);
	getsockopt(s, SOL_SOCKET, SO_PEERCRED, &cred, &len);
	len = sizeof(one);
	getsockopt(s, SOL_SOCKET, SO_TYPE, &one, &len);
	getsockopt(s, SOL_SOCKET, SO_ERROR, &one, &len);
	getsockopt(s, SOL_SOCKET, SO_SNDBUF, &one, &len);
	send(s, "data", 4, MSG_NOSIGNAL);
	recv(acc, buf, 100, MSG_PEEK);
	recv(acc, buf, 2, MSG_DONTWAIT);
	recvfrom(acc, buf, 100, 0, (void *)&got, &len);
	recv(acc, buf, 100, 0);
	c->cmsg_len = CMSG_LEN(8);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	((int *)CMSG_DATA(c))[0] = 0;
	((int *)CMSG_DATA(c))[1] = 1;
	sendmsg(acc, &m, MSG_DONTWAIT);
	m.msg_iov = &(struct iovec){ buf, 100 };
	m.msg_iovlen = 1;
	m.msg_controllen = sizeof(control);
	recvmsg(s, &m, MSG_CMSG_CLOEXEC);
	sendmmsg(acc, mm, 2, 0);
	mm[0].msg_hdr.msg_iov = &(struct iovec){ buf, 100 };
	mm[0].msg_hdr.msg_iovlen = 1;
	recvmmsg(s, mm, 1, MSG_WAITFORONE, &ts);
	recvmmsg(s, mm, 1, MSG_DONTWAIT, &ts);
	sendmsg(s, BAD, 0);
	recvmsg(s, BAD, MSG_DONTWAIT);
	shutdown(s, SHUT_WR);
	shutdown(s, 7);
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, p);
	socketpair(AF_INET, SOCK_STREAM, 0, p);
	l = socket(AF_UNIX, SOCK_DGRAM, 0);
	bind(l, (void *)&b, offsetof(struct sockaddr_un, sun_path) + 9);
	sendto(p[0], "to", 2, 0, (void *)&b, offsetof(struct sockaddr_un, sun_path) + 9);
	recvfrom(l, buf, 100, MSG_DONTWAIT, (void *)&got, &len);
	len = sizeof(got);
	getsockname(l, (void *)&got, &len);
	accept(l, NULL, NULL);
	connect(l, (void *)&(struct sockaddr_un){ AF_UNIX, "nothing" }, 10);
	connect(l, (void *)&(struct sockaddr_un){ AF_UNSPEC }, 2);
	return 0;
}
