/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings and data: every byte, long ones, their limits. */
#include "calls.h"

int main(void)
{
	char b[300];
	int fd = open("f", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < 256; i++)
		b[i] = (char)i;
	for (int i = 0; i < 256; i += 16)
		write(fd, b + i, 16);
	write(fd, b + '0', 31);
	write(fd, b + '0', 32);
	write(fd, b + '0', 33);
	write(fd, "\0001\0008\1779", 8);
	memset(b, 'a', 299);
	for (int n = 250; n < 260; n++) {
		b[n] = 0;
		access(b, F_OK);
		b[n] = 'a';
	}
	access("\377\1\"\\\n", F_OK);
	access("utf-8: \303\244", R_OK);
	execve("/nonexistent",
	       (char *[]){ b, "01234567890123456789012345678901",
			   "012345678901234567890123456789012", NULL },
	       (char *[]){ NULL });
	return 0;
}
