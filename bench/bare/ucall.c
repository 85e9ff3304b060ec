/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ucall FUNCTION FILE: calls a function that begins in a known way; nanoseconds for each call into
 * FILE. */
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CALLS = 20000 };

#if defined(__x86_64__)
#define FUNC(name, body)                                                                           \
	long name(long a);                                                                         \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n" #name           \
		":\n" body "\n.size " #name ", .-" #name "\n")

FUNC(endbr_push, "endbr64\n push %rbx\n mov %rdi, %rax\n pop %rbx\n ret");
FUNC(endbr_nop, "endbr64\n nop\n mov %rdi, %rax\n ret");
FUNC(endbr_jmp, "endbr64\n jmp 1f\n1: mov %rdi, %rax\n ret");
FUNC(endbr_test, "endbr64\n test %rdi, %rdi\n je 1f\n mov %rdi, %rax\n1: ret");
FUNC(sub_test, "sub $24, %rsp\n test %rdi, %rdi\n je 1f\n mov %rdi, %rax\n1: add $24, %rsp\n ret");
FUNC(push_first, "push %rbx\n mov %rdi, %rax\n pop %rbx\n ret");
FUNC(endbr_ret, "endbr64\n mov %rdi, %rax\n ret");
#else
#define FUNC(name)                                                                                 \
	__attribute__((noinline)) static long name(long a)                                         \
	{                                                                                          \
		__asm__ volatile("");                                                              \
		return a;                                                                          \
	}
/* clang-format off */
FUNC(endbr_push) FUNC(endbr_nop) FUNC(endbr_jmp) FUNC(endbr_test) FUNC(sub_test) FUNC(push_first) FUNC(endbr_ret)
/* clang-format on */
#endif

static const struct {
	const char *name;
	long (*f)(long);
} funcs[] = {
	{ "endbr_push", endbr_push }, { "endbr_nop", endbr_nop }, { "endbr_jmp", endbr_jmp },
	{ "endbr_test", endbr_test }, { "sub_test", sub_test },   { "push_first", push_first },
	{ "endbr_ret", endbr_ret },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[2], "w") : NULL;

	for (unsigned int i = 0; f && i < sizeof(funcs) / sizeof(funcs[0]); i++) {
		double from;

		if (strcmp(funcs[i].name, argv[1]))
			continue;
		for (int n = 0; n < CALLS / 10; n++)
			funcs[i].f(n);
		from = now();
		for (int n = 0; n < CALLS; n++)
			funcs[i].f(n);
		fprintf(f, "%.1f\n", (now() - from) / CALLS);
		return fclose(f);
	}
	return 1;
}
