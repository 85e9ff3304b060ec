/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory with many entries, node masks of many words. */
#include "calls.h"

int main(void)
{
	char b[32768], name[64];
	unsigned long nodes[101] = { 1 };
	int d = open(".", O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "entry-with-a-long-name-%d", i);
		close(open(name, O_CREAT | O_WRONLY, 0600));
	}
	while (syscall(SYS_getdents64, d, b, sizeof(b)) > 0)
		;
	lseek(d, 0, SEEK_SET);
	while (syscall(SYS_getdents, d, b, 4096) > 0)
		;
	syscall(SYS_set_mempolicy, 2, nodes, 64);
	syscall(SYS_set_mempolicy, 2, nodes, 64 * 101);
	syscall(SYS_set_mempolicy, 0, NULL, 0);
	return 0;
}
