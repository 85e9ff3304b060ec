/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated code with a frame pointer that leads to a return address of 0: the first frame of a thread, or no frame. */
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline, noclone)) void leaf(void)
{
	__asm__ volatile("");
}

int main(void)
{
	static const unsigned char code[] = { 0x55,             /* push %rbp */
					      0x48, 0x89, 0xf5, /* mov %rsi, %rbp */
					      0xff, 0xd7,       /* call *%rdi */
					      0x5d, 0xc3 };     /* pop %rbp; ret */
	void (*f)(void (*)(void), void **) =
		mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *first[] = { 0, 0 }, *none[] = { none, 0 };

	memcpy((void *)f, code, sizeof(code));
	f(leaf, first);
	f(leaf, none);
	return 0;
}
