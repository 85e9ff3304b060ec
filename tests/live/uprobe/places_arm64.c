/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As ../places.c, for arm64: functions that begin as compilers let them begin with and without branch protection,
 * each called ten times through a pointer with (3, 4). Built without libraries, so that its pages are guarded:
 * a jump to anything but bti c or paciasp is a SIGILL, and a return address that is not signed right a SIGSEGV.
 */
#define FUNC(name, body)                                                                           \
	long name(long a, long b);                                                                 \
	__asm__(".arch armv8.5-a\n.text\n.p2align 4\n.globl " #name "\n.type " #name ",%function\n" #name ":\n" body   \
		"\n.size " #name ", .-" #name "\n")
#define PUSH "stp x29, x30, [sp, -32]!\n mov x29, sp\n str x19, [sp, 16]\n"
#define POP "ldr x19, [sp, 16]\n ldp x29, x30, [sp], 32\n"

FUNC(helper, "bti c\n add x0, x0, 0\n ret");
FUNC(after_bti, "bti c\n mov x2, x0\n cbz x1, 1f\n add x2, x2, x1\n1: mov x0, x2\n ret");
FUNC(after_sub, "bti c\n sub sp, sp, 32\n str x0, [sp, 8]\n tbz x0, 5, 1f\n nop\n1: add sp, sp, 32\n ret");
FUNC(signed_frame, "paciasp\n " PUSH "mov x19, x0\n mov x0, x1\n bl helper\n add x0, x0, x19\n" POP "autiasp\n ret");
FUNC(both, "bti c\n paciasp\n " PUSH "mov x19, x0\n mov x0, x1\n bl helper\n add x0, x0, x19\n" POP "retaa");
FUNC(no_frame, "paciasp\n str x30, [sp, -16]!\n bl helper\n ldr x30, [sp], 16\n autiasp\n ret");
FUNC(late_frame, "bti c\n sub sp, sp, 48\n stp x29, x30, [sp, 32]\n add x29, sp, 32\n bl helper\n ldp x29, x30, [sp, 32]\n add sp, sp, 48\n ret");
FUNC(overwritten, "bti c\n add x0, x0, 1\n cbz x1, 1f\n add x0, x0, x1\n1: ret");
FUNC(loops_back, "bti c\n mov x2, 0\n1: add x2, x2, x0\n subs x1, x1, 1\n b.ne 1b\n mov x0, x2\n ret");
FUNC(entered, "bti c\n.globl entered_inside\n mov x2, 1\n entered_inside: mov x2, x0\n b 1f\n1: ret");
FUNC(jumped_into, "bti c\n mov x2, x0\n.Linside: b 1f\n1: ret");
FUNC(jumper, "bti c\n mov x2, 1\n b .Linside");
FUNC(table, "bti c\n mov x2, x0\n and x0, x0, 1\n cbz x1, 1f\n1: adr x16, 2f\n br x16\n2: bti j\n mov x0, x2\n ret");
FUNC(reads_memory, "bti c\n ldr x2, [x29, x0]\n cbz x1, 1f\n1: ret");
FUNC(literal, "bti c\n mov x3, x0\n ldr x2, 1f\n add x0, x0, x2\n ret\n1: .quad 5");
FUNC(no_entry, "ldr x2, 1f\n add x3, x0, 1\n add x0, x0, x2\n ret\n1: .quad 5"); /* entered by bl only */
FUNC(leaf, "bti c\n add x0, x0, x1\n ret");
FUNC(adds_up, "bti c\n sub sp, sp, 16\n mov x4, sp\n str x0, [x4]\n1: ldaxr x2, [x4]\n add x2, x2, x1\n stlxr w3, x2, [x4]\n"
	      " cbnz w3, 1b\n mov x0, x2\n add sp, sp, 16\n ret");

static long (*volatile const all[])(long a, long b) = {
	after_bti, after_sub, signed_frame, both, no_frame, late_frame, overwritten, loops_back, entered,
	jumped_into, table, reads_memory, literal, leaf, adds_up,
};
static const int results[] = { 7, 3, 7, 7, 3, 3, 8, 12, 3, 3, 3, 3, 8, 7, 7 };

__attribute__((noinline)) static int caller(void)
{
	int wrong = 0;

	for (int i = 0; i < 10; i++) {
		for (unsigned k = 0; k < sizeof(all) / sizeof(*all); k++)
			wrong += all[k](3, 4) != results[k];
		if (i & 1)
			wrong += jumper(5, 6) != 5;
		wrong += no_entry(3, 4) != 8;
	}
	return wrong;
}

void start(void)
{
	register long status __asm__("x0") = caller();
	register long number __asm__("x8") = 93; /* exit */

	__asm__ volatile("svc 0" : : "r"(status), "r"(number));
	__builtin_unreachable();
}
__asm__(".text\n.globl _start\n.type _start,%function\n_start: bti c\n mov x29, 0\n mov x30, 0\n bl start\n.size _start, .-_start\n");
