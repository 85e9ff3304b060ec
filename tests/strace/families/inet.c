/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets of the families inet and inet6. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include "calls.h"

int main(void)
{
	struct sockaddr_in a = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } }, got;
	struct sockaddr_in6 six = { AF_INET6, 0, htonl(3), IN6ADDR_LOOPBACK_INIT, 0 }, got6;
	struct ip_mreq mreq = { { inet_addr("224.0.0.7") }, { 0 } };
	int l, s, acc, one = 1, u;
	socklen_t len = sizeof(got);
	char buf[64];

	l = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, 4);
	bind(l, (void *)&a, sizeof(a));
	listen(l, 128);
	getsockname(l, (void *)&a, &len);
	s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_IP);
	connect(s, (void *)&a, sizeof(a));
	len = sizeof(got);
	acc = accept(l, (void *)&got, &len);
	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(s, IPPROTO_TCP, TCP_CORK, &one, sizeof(one));
	setsockopt(s, IPPROTO_IP, IP_TOS, &one, sizeof(one));
	setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	len = 4;
	getsockopt(s, IPPROTO_TCP, TCP_MAXSEG, &one, &len);
	len = 4;
	getsockopt(s, SOL_SOCKET, SO_RCVBUF, &one, &len);
	sendto(s, "request\r\n", 9, MSG_MORE | MSG_NOSIGNAL, NULL, 0);
	write(s, "\n", 1);
	read(acc, buf, sizeof(buf));
	getpeername(s, (void *)&got, (len = sizeof(got), &len));
	shutdown(s, SHUT_RDWR);
	u = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
	setsockopt(u, IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq));
	bind(u, (void *)&(struct sockaddr_in){ AF_INET, 0, { htonl(INADDR_LOOPBACK) } }, 16);
	getsockname(u, (void *)&a, (len = 16, &len));
	sendto(u, "datagram", 8, 0, (void *)&a, sizeof(a));
	recvfrom(u, buf, sizeof(buf), 0, (void *)&got, (len = 16, &len));
	recvfrom(u, buf, sizeof(buf), MSG_DONTWAIT, NULL, NULL);
	l = socket(AF_INET6, SOCK_DGRAM, 0);
	bind(l, (void *)&six, sizeof(six));
	getsockname(l, (void *)&got6, (len = sizeof(got6), &len));
	sendto(l, "six", 3, 0, (void *)&got6, sizeof(got6));
	recvfrom(l, buf, sizeof(buf), 0, (void *)&six, (len = sizeof(six), &len));
	setsockopt(l, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	socket(AF_INET6, SOCK_STREAM, 0x63);
	socket(AF_PACKET, SOCK_RAW, htons(3));
	connect(l, (void *)&a, 1);
	connect(l, BAD, 16);
	return 0;
}
