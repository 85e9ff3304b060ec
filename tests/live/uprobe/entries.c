/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that begin in different ways, each called by inner(), and that by outer(); again() calls itself. */
#define FUNC(name, body)                                                                           \
	long name(long a);                                                                         \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n" #name ":\n" body "\n.size " #name ", .-" #name "\n")

FUNC(b_push_rbp, "push %rbp\n mov %rsp, %rbp\n mov %rdi, %rax\n pop %rbp\n ret");
FUNC(b_endbr_push_rbp, "endbr64\n push %rbp\n mov %rsp, %rbp\n mov %rdi, %rax\n pop %rbp\n ret");
FUNC(b_push_rbx, "push %rbx\n mov %rdi, %rax\n pop %rbx\n ret");
FUNC(b_endbr_push_rbx, "endbr64\n push %rbx\n mov %rdi, %rax\n pop %rbx\n ret");
FUNC(b_sub_nop, "sub $24, %rsp\n nop\n mov %rdi, %rax\n add $24, %rsp\n ret");
FUNC(b_push_r15_push_rbp, "push %r15\n push %rbp\n mov %rdi, %rax\n pop %rbp\n pop %r15\n ret");
FUNC(b_lea, "lea 1(%rdi), %rax\n ret");
FUNC(b_again, "push %rbp\n mov %rsp, %rbp\n dec %rdi\n jle 1f\n call b_again\n1: pop %rbp\n ret");

#define NOINLINE __attribute__((noinline))

NOINLINE long inner(long (*f)(long))
{
	return f(3) + 1;
}

NOINLINE long outer(long (*f)(long))
{
	return inner(f) + 1;
}

int main(void)
{
	static long (*const all[])(long) = { b_push_rbp, b_endbr_push_rbp, b_push_rbx, b_endbr_push_rbx,
					     b_sub_nop, b_push_r15_push_rbp, b_lea, b_again };

	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		outer(all[i]);
	return 0;
}
