/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 20 reads of /dev/zero and status queries, within functions of its own. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) int inner(int fd)
{
	char b[64];

	__asm__ volatile("");
	return (int)read(fd, b, sizeof(b)) + 1;
}

__attribute__((noinline)) int outer(int fd)
{
	return inner(fd) + 1;
}

int main(void)
{
	int fd = open("/dev/zero", O_RDONLY), sum = 0;
	struct stat s;

	for (int i = 0; i < 20; i++)
		sum += outer(fd) + stat("/dev", &s);
	return sum != 20 * 66;
}
