/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control messages of SOL_SOCKET, SOL_IP and other levels: received ones, and sent ones of right and wrong lengths. */
#include "calls.h"
#include <netinet/in.h>

static char control[512], data[16];
static struct iovec vec = { data, sizeof(data) };

static void receive(int s, struct sockaddr_in *to, int level, int option)
{
	struct msghdr m = { .msg_iov = &vec, .msg_iovlen = 1, .msg_control = control };
	int on = option == SO_TIMESTAMPING ? 0x18 : 1;

	m.msg_controllen = sizeof(control);
	setsockopt(s, level, option, &on, sizeof(on));
	sendto(s, "abc", 3, 0, (void *)to, sizeof(*to));
	recvmsg(s, &m, MSG_DONTWAIT);
}

static void send_one(int s, int level, int type, int len)
{
	struct msghdr m = { .msg_control = control, .msg_controllen = 16 + len };
	struct cmsghdr *c = (void *)control;

	memset(control, 0, sizeof(control));
	for (int i = 0; i < len; i++)
		control[16 + i] = i % 4 ? i : 3 * i + 1;
	*c = (struct cmsghdr){ .cmsg_len = 16 + len, .cmsg_level = level, .cmsg_type = type };
	sendmsg(s, &m, 0);
}

int main(void)
{
	static const int types[] = { 1,  2,  3,  4,  6,  7,  8,  11, 18, 23,
				     29, 35, 37, 54, 58, 61, 63, 64, 65, 99 };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct cmsghdr *c = (void *)control;
	struct msghdr m = { .msg_control = control };
	socklen_t n = sizeof(a);
	int s = socket(AF_INET, SOCK_DGRAM, 0), p[2];

	bind(s, (void *)&a, sizeof(a));
	getsockname(s, (void *)&a, &n);
	receive(s, &a, SOL_SOCKET, SO_TIMESTAMP);
	receive(s, &a, SOL_IP, IP_PKTINFO);
	receive(s, &a, SOL_IP, IP_RECVTTL);
	receive(s, &a, SOL_IP, IP_RECVTOS);
	receive(s, &a, SOL_IP, IP_ORIGDSTADDR);
	receive(s, &a, SOL_SOCKET, SO_TIMESTAMPNS);
	receive(s, &a, SOL_SOCKET, SO_TIMESTAMPING);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, p);
	for (unsigned i = 0; i < NELEM(types); i++) {
		send_one(p[0], SOL_SOCKET, types[i], types[i] == 3 ? 16 : 48);
		send_one(p[0], SOL_IP, types[i], 32);
		send_one(p[0], SOL_SOCKET, types[i], 0);
		send_one(p[0], SOL_IP, types[i], 3);
		send_one(p[0], 99 + i, types[i], 5);
	}
	c->cmsg_len = 4;
	for (m.msg_controllen = 0; m.msg_controllen < 40; m.msg_controllen += 8)
		sendmsg(p[0], &m, 0);
	m.msg_control = BAD;
	sendmsg(p[0], &m, 0);
	return 0;
}
