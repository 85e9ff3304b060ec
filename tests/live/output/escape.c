/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program whose name, strings and symbols hold control characters. */
#include <fcntl.h>
#include <sys/prctl.h>

/* clang-format off */
__asm__(".text\n"
	".globl plain\n"
	"plain:\n"
	".globl \"sym\033[2J\"\n"
	".type \"sym\033[2J\", @function\n"
	"\"sym\033[2J\":\n"
	"	ret\n"
	".size \"sym\033[2J\", .-\"sym\033[2J\"\n");
/* clang-format on */
void plain(void);

/* What the test writes control characters into: names in debug information. */
struct record {
	enum kind { FIRST, SECOND_KIND } kind;
} record = { SECOND_KIND };

__attribute__((noinline)) void typed(struct record *r)
{
	__asm__ volatile("" ::"r"(r) : "memory");
}

__attribute__((noinline)) void evil(const char *s, int c)
{
	__asm__ volatile("" ::"r"(s), "r"(c));
}

int main(void)
{
	prctl(PR_SET_NAME, "ev\033]0;x\007il");
	open("/nowhere/\033]0;title\007\nx\302\233y\342\200\256z", O_RDONLY);
	plain();
	typed(&record);
	evil("\033[31mred\n\tz\377\303\251", 27);
	return 0;
}
