/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors with more buffers and more data than a program copies at once. */
#include <sys/uio.h>
#include "calls.h"

enum { BUFFERS = 40, BYTES = 9000 };

static char data[BUFFERS][BYTES];
static struct iovec v[BUFFERS];

static void fill(void)
{
	for (int i = 0; i < BUFFERS; i++) {
		memset(data[i], 'a' + i % 26, BYTES);
		v[i].iov_base = data[i];
		v[i].iov_len = i % 3 ? i * 5 : BYTES;
	}
}

static void files(void)
{
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);

	writev(fd, v, BUFFERS);
	lseek(fd, 0, SEEK_SET);
	readv(fd, v, BUFFERS);
	pwritev(fd, v, 20, 7);
	preadv(fd, v, 17, 3);
	close(fd);
}

static void sockets(void)
{
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 20 };
	struct mmsghdr mm[6] = { 0 };
	int s[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	sendmsg(s[0], &m, 0);
	recvmsg(s[1], &m, 0);
	for (int i = 0; i < 6; i++) {
		mm[i].msg_hdr.msg_iov = v + i * 3;
		mm[i].msg_hdr.msg_iovlen = 6;
	}
	sendmmsg(s[0], mm, 6, 0);
	recvmmsg(s[1], mm, 6, MSG_DONTWAIT, 0);
	sendto(s[0], data, 70000, 0, 0, 0);
	recvfrom(s[1], data, 80000, 0, 0, 0);
}

/* Pages that nothing has touched when the call begins, and memory that ends. */
static void pages(void)
{
	int fd = open("/proc/self/exe", O_RDONLY), out = open("copy", O_WRONLY | O_CREAT, 0600);
	char *p = mmap(NULL, 20000, PROT_READ, MAP_PRIVATE, fd, 0);

	write(out, p, 16000);
	write(out, p, 4096 * 4);
	munmap(p + 12288, 4096);
	write(out, p, 16000);
	write(out, p, 12288);
	close(out);
	close(fd);
}

int main(void)
{
	fill();
	files();
	sockets();
	pages();
	return 0;
}
