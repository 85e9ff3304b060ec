/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Socket options of all levels, read and set with lengths that fit and lengths that do not. */
#include "calls.h"
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

static char data[512];

static void get(int s, int level, int name, socklen_t n)
{
	memset(data, 0, sizeof(data));
	getsockopt(s, level, name, data, &n);
}

static void set(int s, int level, int name, int byte, int n)
{
	memset(data, byte, sizeof(data));
	setsockopt(s, level, name, data, n);
}

/* SO_TXREHASH, 74, has values with names. */
static void all_names(int s, int level, int n_get, int n_set)
{
	for (int name = 0; name < 74; name++) {
		get(s, level, name, n_get);
		set(s, level, name, 1, n_set);
	}
}

static void all_lengths(int s, int level, int name)
{
	for (int n = -1; n < 30; n++) {
		set(s, level, name, n, n);
		if (n > 3)
			get(s, level, name, n);
	}
}

static void filters(int s)
{
	struct sock_filter f[] = { BPF_STMT(BPF_RET | BPF_K, 0xffff) };
	struct sock_fprog p = { NELEM(f), f };

	for (int n = sizeof(p) - 1; n < (int)sizeof(p) + 2; n++) {
		setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &p, n);
		setsockopt(s, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &p, n);
	}
}

static void bad(int s)
{
	socklen_t n = 4;

	getsockopt(s, SOL_SOCKET, SO_RCVBUF, NULL, &n);
	getsockopt(s, SOL_SOCKET, SO_RCVBUF, data, NULL);
	getsockopt(s, SOL_SOCKET, SO_RCVBUF, BAD, &n);
	setsockopt(s, SOL_SOCKET, SO_RCVBUF, NULL, 4);
	setsockopt(s, SOL_SOCKET, SO_LINGER, BAD, 8);
	setsockopt(-1, SOL_SOCKET, SO_RCVBUF, &n, 4);
}

int main(void)
{
	int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0), pair[2];
	int udp6 = socket(AF_INET6, SOCK_DGRAM, 0), packet = socket(AF_PACKET, SOCK_RAW, 0);
	int netlink = socket(AF_NETLINK, SOCK_RAW, 0), raw = socket(AF_INET, SOCK_RAW, 1);

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	all_names(udp, SOL_SOCKET, 16, 8);
	all_names(pair[0], SOL_SOCKET, 5, 1);
	all_names(udp, SOL_IP, 16, 12);
	all_names(udp6, SOL_IPV6, 32, 20);
	all_names(tcp, SOL_TCP, 8, 5);
	all_names(packet, SOL_PACKET, 64, 16);
	all_names(netlink, SOL_NETLINK, 16, 4);
	all_names(udp, 17, 4, 4);
	all_names(raw, SOL_RAW, 4, 4);
	all_names(udp, 132, 4, 4);
	all_lengths(tcp, SOL_SOCKET, SO_LINGER);
	all_lengths(pair[0], SOL_SOCKET, SO_PEERCRED);
	all_lengths(udp, SOL_SOCKET, SO_RCVTIMEO);
	all_lengths(udp, SOL_IP, IP_ADD_MEMBERSHIP);
	all_lengths(udp6, SOL_IPV6, IPV6_JOIN_GROUP);
	all_lengths(packet, SOL_PACKET, PACKET_ADD_MEMBERSHIP);
	all_lengths(packet, SOL_PACKET, PACKET_STATISTICS);
	setsockopt(udp, 136 /* SOL_UDPLITE */, 10, "\1\0\0", 4);
	filters(udp);
	bad(udp);
	return 0;
}
