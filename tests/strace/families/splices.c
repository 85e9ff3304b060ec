/* SPDX-License-Identifier: GPL-2.0-or-later */
/* splice, tee, vmsplice. */
#include "calls.h"

int main(void)
{
	struct iovec v[2] = { { "first", 5 }, { "second", 6 } };
	int p[2], q[2], fd = open("f", O_RDWR | O_CREAT, 0600);
	loff_t at = 3;

	pipe(p);
	pipe(q);
	vmsplice(p[1], v, 2, SPLICE_F_GIFT);
	tee(p[0], q[1], 5, SPLICE_F_NONBLOCK);
	splice(p[0], NULL, fd, &at, 100, SPLICE_F_MOVE | SPLICE_F_MORE);
	splice(fd, NULL, q[1], NULL, 4, 0);
	splice(fd, BAD, q[1], NULL, 4, 0x100);
	vmsplice(p[1], BAD, 1, 0);
	fcntl(p[0], F_GETPIPE_SZ);
	fcntl(p[0], F_SETPIPE_SZ, 8192);
	return 0;
}
