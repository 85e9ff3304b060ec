/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a file that is code and no ELF file, and calls what is at its offset 16 five times. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
#ifdef __aarch64__
	static const unsigned int code[] = { 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f, 0x528000e0, 0xd65f03c0 };
#else
	static const unsigned char code[] = { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
					      0x90, 0x90, 0x90, 0x55, 0xb8, 7,    0,	0,    0,    0x5d, 0xc3 };
#endif
	int fd = open(argv[1], O_RDWR | O_CREAT, 0755), sum = 0;

	if (argc > 2)
		return write(fd, code, sizeof(code)) != sizeof(code);
	const char *at = mmap(NULL, sizeof(code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	int (*seven)(void) = (int (*)(void))(at + 16);

	for (int i = 0; i < 5; i++)
		sum += seven();
	printf("%d\n", sum);
	return 0;
}
