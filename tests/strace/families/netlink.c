/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink. */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include "calls.h"

static void ask(int fd, int type, size_t size)
{
	struct {
		struct nlmsghdr h;
		char body[64];
	} m = { { NLMSG_LENGTH(size), type, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 } };
	struct sockaddr_nl to = { AF_NETLINK };
	char b[32768];

	sendto(fd, &m, m.h.nlmsg_len, 0, (void *)&to, sizeof(to));
	for (int i = 0; i < 3; i++) {
		ssize_t n = recv(fd, b, sizeof(b), MSG_DONTWAIT);

		if (n < 16 || ((struct nlmsghdr *)b)->nlmsg_type == NLMSG_DONE)
			break;
	}
}

int main(void)
{
	struct sockaddr_nl a = { AF_NETLINK, 0, 0, 1 };
	socklen_t len = sizeof(a);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), one = 1;

	bind(fd, (void *)&a, sizeof(a));
	getsockname(fd, (void *)&a, &len);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, 4);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &one, 4);
	ask(fd, RTM_GETLINK, sizeof(struct ifinfomsg));
	ask(fd, RTM_GETADDR, sizeof(struct ifaddrmsg));
	ask(fd, RTM_GETROUTE, sizeof(struct rtmsg));
	ask(fd, RTM_GETNEIGH, sizeof(struct ndmsg));
	ask(fd, 9999, 4);
	fd = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	return 0;
}
