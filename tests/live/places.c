/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions whose probes may sit behind the entry, and such whose must not, each called ten times with
 * (3, 4). Those that are entered behind the entry as well are entered there five times by others.
 */
#define FUNC(name, body)                                                                           \
	long name(long a, long b);                                                                 \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n" #name ":\n" body "\n.size " #name ", .-" #name "\n")

FUNC(after_endbr, "endbr64\n push %rbx\n lea (%rdi,%rsi), %rax\n pop %rbx\n ret");
FUNC(after_sub, "sub $24, %rsp\n mov %rdi, %rax\n test %rdi, %rdi\n je 1f\n nop\n1: add $24, %rsp\n ret");
FUNC(copied, "endbr64\n mov %rdi, %rdx\n mov %rsi, %rdi\n jmp 1f\n1: lea (%rdx,%rdi), %rax\n ret");
FUNC(overwritten, "endbr64\n add $1, %rdi\n jmp 1f\n1: lea (%rdi,%rsi), %rax\n ret");
FUNC(loops_back, "endbr64\n xor %eax, %eax\n1: add %rdi, %rax\n sub $1, %rsi\n jne 1b\n ret");
FUNC(entered, "endbr64\n.globl entered_inside\n xor %eax, %eax\n entered_inside: mov %rdi, %rax\n jmp 1f\n1: ret");
FUNC(jumped_into, "endbr64\n mov %rdi, %rax\n.Linside: jmp 1f\n1: ret");
FUNC(jumper, "endbr64\n mov $1, %eax\n jmp .Linside");
FUNC(table, "endbr64\n mov %rdi, %rax\n and $1, %edi\n jmp 1f\n1: lea 2f(%rip), %rdx\n jmp *%rdx\n2: ret");
FUNC(reads_memory, "endbr64\n mov (%rsp,%rdi), %al\n jmp 1f\n1: mov %rdi, %rax\n ret");
FUNC(leaf, "endbr64\n lea (%rdi,%rsi), %rax\n ret");

/* Constants that look like branches into the next function: EB 0F, and E8 and its distance. */
__asm__(".text\n.p2align 4\n.type constant_near,@function\nconstant_near: mov $0x0feb, %eax\n ret");
FUNC(seems_entered_near, "endbr64\n push %rbx\n lea (%rdi,%rsi), %rax\n pop %rbx\n ret");
FUNC(constant_far, ".byte 0x48, 0xb8, 0xe8\n.long seems_entered_far + 2 - (. + 4)\n.byte 0, 0, 0\n ret\n.skip 256, 0x90");
FUNC(seems_entered_far, "endbr64\n push %rbx\n lea (%rdi,%rsi), %rax\n pop %rbx\n ret");

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += after_endbr(3, 4) + after_sub(3, 4) + copied(3, 4) + overwritten(3, 4) + loops_back(3, 4) +
		       entered(3, 4) + jumped_into(3, 4) + table(3, 4) + reads_memory(3, 4) + leaf(3, 4) +
		       seems_entered_near(3, 4) + seems_entered_far(3, 4);
		if (i & 1)
			sum += jumper(5, 6);
	}
	return sum != 7 * 10 + 3 * 10 + 7 * 10 + 8 * 10 + 12 * 10 + 3 * 10 + 3 * 10 + 3 * 10 + 3 * 10 + 7 * 10 + 5 +
	       2 * 7 * 10;
}
