/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink. */
#include <linux/if_arp.h>
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

enum { NOBODY = 0x7ffffff0 }; /* a port that no socket has: messages are decoded, not acted on */

static void send_bytes(int fd, const void *p, size_t n)
{
	struct sockaddr_nl to = { AF_NETLINK, 0, NOBODY };

	sendto(fd, p, n, 0, (void *)&to, sizeof(to));
}

/* Lengths that are wrong, unknown types, attributes within attributes, several messages. */
static void send_odd(int fd)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
		struct rtattr a, b;
		char text[8];
	} m = { { sizeof(m), RTM_NEWLINK, NLM_F_REQUEST | NLM_F_CREATE, 1, 0 },
		{ AF_UNSPEC, 0, ARPHRD_ETHER, 1, IFF_UP, 0 },
		{ 16, IFLA_LINKINFO },
		{ 12, IFLA_INFO_KIND },
		"dummy" };
	unsigned lengths[] = { 0, 1, 15, 16, 17, 20, 31, 32, 33, 40, sizeof(m), ~0u };
	int types[] = { 0,  1,  2,  3,  4,  15, 17, 19, 20, 24,  28, 30,
			32, 36, 48, 64, 72, 78, 80, 84, 88, 104, 999 };
	char two[2 * sizeof(m)];

	for (int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		m.h.nlmsg_len = lengths[i];
		send_bytes(fd, &m, sizeof(m));
		memcpy(two, &m, sizeof(m));
		memcpy(two + sizeof(m), &m, sizeof(m));
		send_bytes(fd, two, sizeof(two));
	}
	m.h.nlmsg_len = sizeof(m);
	for (int n = 0; n < sizeof(m); n++)
		send_bytes(fd, &m, n);
	for (int i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		m.h.nlmsg_type = types[i];
		send_bytes(fd, &m, sizeof(m));
	}
	m.h.nlmsg_type = RTM_NEWLINK;
	for (int i = 0; i < 20; i++) {
		m.a.rta_len = i;
		if (i !=
		    4) /* the second one would be a hardware address of 8 bytes, which strace cuts to 7 */
			send_bytes(fd, &m, sizeof(m));
	}
	m.a.rta_len = 16;
	for (int i = 0; i < 70; i++) {
		m.a.rta_type = i;
		if (i != IFLA_ADDRESS && i != IFLA_BROADCAST && i != IFLA_VFINFO_LIST &&
		    i != IFLA_EVENT && i != IFLA_PERM_ADDRESS)
			send_bytes(fd, &m, sizeof(m));
	}
	memcpy(two + 1, &m, sizeof(m));
	send_bytes(fd, two + 1, sizeof(m));
	memset(two, 0, sizeof(two));
	send_bytes(fd, two, sizeof(two));
}

/* A message of which the process does not have all. */
static void send_cut(int fd)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
		struct rtattr a;
		char name[4];
	} m = { { sizeof(m), RTM_NEWLINK, NLM_F_REQUEST, 1, 0 },
		{ AF_UNSPEC, 0, 1, 1, 0, 0 },
		{ 8, IFLA_IFNAME },
		"lo" };
	char *page =
		mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) +
		4096;

	mprotect(page, 4096, PROT_NONE);
	for (int n = 1; n < sizeof(m); n++) {
		memcpy(page - n, &m, n);
		send_bytes(fd, page - n, sizeof(m));
	}
}

static void send_in_parts(int fd)
{
	struct nlmsghdr h = { 16, NLMSG_NOOP }, more[3] = {
		{ 16, RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK }, { 16, 3 }, { 20, 2 }
	};
	struct sockaddr_nl to = { AF_NETLINK, 0, NOBODY };
	struct iovec v[] = { { &h, 16 }, { more, sizeof(more) }, { &h, 7 } };
	struct mmsghdr mm[2] = { { { &to, sizeof(to), v, 3 } }, { { &to, sizeof(to), v + 1, 1 } } };

	sendmsg(fd, &mm[0].msg_hdr, 0);
	sendmmsg(fd, mm, 2, 0);
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
	send_odd(fd);
	send_cut(fd);
	send_in_parts(fd);
	fd = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	return 0;
}
