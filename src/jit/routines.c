/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on hashes that are too long for every call: the same as in vm/shared.c, as machine
 * code that is copied into the process. They call nothing else, refer to nothing outside, and
 * change rax, rcx, rdx, rsi, rdi, r8 to r11. rdi is the address of a struct jit_map, rsi that of a
 * key.
 */
#include "jit/routines.h"

#ifdef __x86_64__

/* struct jit_map: 0 head, 8 keys, 16 values, 24 mask, 28 key_size, 32 key_stride, 36 value_size,
 * 40 value_stride, 44 elem_size, 48 max_entries, 52 most_used */
_Static_assert(offsetof(struct jit_map, mask) == 24 && offsetof(struct jit_map, most_used) == 52,
	       "the routines know these offsets");
_Static_assert(SHARED_SPINS == 5000000, "and how long they wait");

/* h = (h ^ r9) * r11; h ^= h >> 32 */
#define MIX                                                                                        \
	"xorq %r9, %rax\n\timulq %r11, %rax\n\tmovq %rax, %r9\n\tshrq $32, %r9\n\txorq %r9, %rax\n\t"

__asm__(".pushsection .rodata\n\t"
	".balign 16\n"
	"jit_routines_begin:\n"

	/* eax = the key's hash; changes rcx, r9, r10, r11 */
	"91:\txorl %eax, %eax\n\t"
	"movl 28(%rdi), %ecx\n\t"
	"movq %rsi, %r10\n\t"
	"movabsq $0x9e3779b97f4a7c15, %r11\n"
	"1:\tcmpl $8, %ecx\n\t"
	"jb 2f\n\t"
	"movq (%r10), %r9\n\t" MIX "addq $8, %r10\n\t"
	"subl $8, %ecx\n\t"
	"jmp 1b\n"
	"2:\ttestb $4, %cl\n\t"
	"jz 3f\n\t"
	"movl (%r10), %r9d\n\t" MIX "addq $4, %r10\n"
	"3:\ttestb $2, %cl\n\t"
	"jz 4f\n\t"
	"movzwl (%r10), %r9d\n\t" MIX "addq $2, %r10\n"
	"4:\ttestb $1, %cl\n\t"
	"jz 5f\n\t"
	"movzbl (%r10), %r9d\n\t" MIX "5:\tret\n"

	/* equal: slot ecx has the key; changes r9 */
	"92:\tpushq %rcx\n\t"
	"pushq %rsi\n\t"
	"pushq %rdi\n\t"
	"movl 32(%rdi), %r9d\n\t"
	"imulq %rcx, %r9\n\t"
	"movl 28(%rdi), %ecx\n\t"
	"addq 8(%rdi), %r9\n\t"
	"movq %r9, %rdi\n\t"
	"repe cmpsb\n\t"
	"popq %rdi\n\t"
	"popq %rsi\n\t"
	"popq %rcx\n\t"
	"ret\n"

	/* equal: ecx is the slot of the key, r11 its tag's address, eax the tag; changes rdx, r8 to
	 * r10 */
	"93:\tcall 91b\n\t"
	"movl %eax, %r8d\n\t"
	"andl $-4, %r8d\n\t"
	"orl $2, %r8d\n\t"
	"movl %eax, %ecx\n\t"
	"shrl $2, %ecx\n\t"
	"xorl %edx, %edx\n"
	"1:\tandl 24(%rdi), %ecx\n\t"
	"movq (%rdi), %r11\n\t"
	"leaq 64(%r11, %rcx, 4), %r11\n\t"
	"movl (%r11), %eax\n\t"
	"cmpl %r8d, %eax\n\t"
	"jne 2f\n\t"
	"call 92b\n\t"
	"je 3f\n"
	"2:\ttestl %eax, %eax\n\t"
	"jz 4f\n\t"
	"incl %ecx\n\t"
	"incl %edx\n\t"
	"cmpl 24(%rdi), %edx\n\t"
	"jbe 1b\n"
	"4:\torl $1, %edx\n" /* not equal */
	"3:\tret\n"

	/* rax = address of the slot's first value, or 0 */
	"jit_find:\tcall 93b\n\t"
	"jne 1f\n\t"
	"movl 44(%rdi), %eax\n\t"
	"imulq %rcx, %rax\n\t"
	"addq 16(%rdi), %rax\n\t"
	"ret\n"
	"1:\txorl %eax, %eax\n\t"
	"ret\n"

	/* rax = 0 or -ENOENT */
	"jit_delete:\tcall 93b\n\t"
	"jne 1f\n\t"
	"movl %eax, %edx\n\t"
	"orl $3, %edx\n\t"
	"lock cmpxchgl %edx, (%r11)\n\t"
	"jne 1f\n\t"
	"movq (%rdi), %r11\n\t"
	"lock decl (%r11)\n\t"
	"xorl %eax, %eax\n\t"
	"ret\n"
	"1:\tmovq $-2, %rax\n\t"
	"ret\n"

	/*
	 * rdx: value, ecx: flags, r8d: copy. rax = 0, -EEXIST, -ENOENT, -E2BIG or -EBUSY.
	 * ebx copy, ebp hash, r12d slots seen, r13 value, r14d flags, r15d counted as live
	 */
	"jit_update:\tpushq %rbx\n\t"
	"pushq %rbp\n\t"
	"pushq %r12\n\t"
	"pushq %r13\n\t"
	"pushq %r14\n\t"
	"pushq %r15\n\t"
	"movl %r8d, %ebx\n\t"
	"movq %rdx, %r13\n\t"
	"movl %ecx, %r14d\n\t"
	"call 91b\n\t"
	"movl %eax, %ebp\n\t"
	"movl %eax, %ecx\n\t"
	"shrl $2, %ecx\n\t"
	"orl $3, %ebp\n\t"
	"xorl %r12d, %r12d\n\t"
	"xorl %r15d, %r15d\n\t"
	"xorl %r8d, %r8d\n"
	"11:\tandl 24(%rdi), %ecx\n" /* the next slot */
	"12:\tmovq (%rdi), %r11\n\t" /* the same once more */
	"leaq 64(%r11, %rcx, 4), %r11\n\t"
	"movl (%r11), %eax\n\t"
	"testl %eax, %eax\n\t"
	"jz 15f\n\t"
	"movl %eax, %edx\n\t"
	"orl $3, %edx\n\t"
	"cmpl %ebp, %edx\n\t"
	"jne 14f\n\t"
	"subl %eax, %edx\n\t" /* 2: busy, 1: ready, 0: deleted */
	"cmpl $2, %edx\n\t"
	"je 13f\n\t"
	"call 92b\n\t"
	"jne 14f\n\t"
	"testl %edx, %edx\n\t"
	"jz 15f\n\t"
	"movq $-17, %rax\n\t" /* it is there */
	"cmpl $1, %r14d\n\t"
	"je 30f\n\t"
	"call 21f\n\t"
	"xorl %eax, %eax\n\t"
	"jmp 30f\n"
	"13:\tmovq $-16, %rax\n\t" /* another thread makes it, perhaps the one that this one interrupts */
	"incl %r8d\n\t"
	"cmpl $5000000, %r8d\n\t" /* SHARED_SPINS */
	"ja 30f\n\t"
	"pause\n\t"
	"jmp 12b\n"
	"14:\tmovq $-7, %rax\n\t"
	"incl %ecx\n\t"
	"incl %r12d\n\t"
	"cmpl 24(%rdi), %r12d\n\t"
	"jbe 11b\n\t"
	"jmp 30f\n"
	"15:\tmovl %eax, %edx\n\t" /* free or deleted: edx is the tag */
	"movq $-2, %rax\n\t"
	"cmpl $2, %r14d\n\t"
	"je 30f\n\t"
	"movq (%rdi), %r9\n\t"
	"testl %r15d, %r15d\n\t"
	"jnz 16f\n\t"
	"movl $1, %r15d\n\t"
	"movl %r15d, %r10d\n\t"
	"lock xaddl %r10d, (%r9)\n\t"
	"movq $-7, %rax\n\t"
	"cmpl 48(%rdi), %r10d\n\t"
	"jae 30f\n"
	"16:\ttestl %edx, %edx\n\t"
	"jnz 17f\n\t"
	"movl $1, %r10d\n\t"
	"lock xaddl %r10d, 4(%r9)\n\t"
	"cmpl 52(%rdi), %r10d\n\t"
	"jb 17f\n\t"
	"lock decl 4(%r9)\n\t"
	"movq $-7, %rax\n\t"
	"jmp 30f\n"
	"17:\tmovl %ebp, %r10d\n\t"
	"xorl $2, %r10d\n\t" /* busy */
	"movl %edx, %eax\n\t"
	"lock cmpxchgl %r10d, (%r11)\n\t"
	"je 18f\n\t"
	"testl %edx, %edx\n\t"
	"jnz 13b\n\t"
	"lock decl 4(%r9)\n\t"
	"jmp 13b\n"
	"18:\tpushq %rcx\n\t" /* it is this thread's: key, zeroes, value */
	"pushq %rsi\n\t"
	"pushq %rdi\n\t"
	"movl 32(%rdi), %r9d\n\t"
	"imulq %rcx, %r9\n\t"
	"addq 8(%rdi), %r9\n\t"
	"movl 28(%rdi), %ecx\n\t"
	"movq %r9, %rdi\n\t"
	"rep movsb\n\t"
	"movq (%rsp), %rdi\n\t"
	"movq 16(%rsp), %rcx\n\t"
	"movl 44(%rdi), %r9d\n\t"
	"imulq %r9, %rcx\n\t"
	"addq 16(%rdi), %rcx\n\t"
	"movq %rcx, %rdi\n\t"
	"movl %r9d, %ecx\n\t"
	"xorl %eax, %eax\n\t"
	"rep stosb\n\t"
	"popq %rdi\n\t"
	"popq %rsi\n\t"
	"popq %rcx\n\t"
	"call 21f\n\t"
	"xorl $3, %r10d\n\t"
	"movl %r10d, (%r11)\n\t"
	"xorl %eax, %eax\n\t"
	"jmp 31f\n"
	"21:\tpushq %rcx\n\t" /* the value to copy ebx of slot ecx; changes r9 */
	"pushq %rsi\n\t"
	"pushq %rdi\n\t"
	"movl 44(%rdi), %r9d\n\t"
	"imulq %rcx, %r9\n\t"
	"movl 40(%rdi), %ecx\n\t"
	"imulq %rbx, %rcx\n\t"
	"addq %rcx, %r9\n\t"
	"addq 16(%rdi), %r9\n\t"
	"movl 36(%rdi), %ecx\n\t"
	"movq %r9, %rdi\n\t"
	"movq %r13, %rsi\n\t"
	"rep movsb\n\t"
	"popq %rdi\n\t"
	"popq %rsi\n\t"
	"popq %rcx\n\t"
	"ret\n"
	"30:\ttestl %r15d, %r15d\n\t" /* not made: rax says why */
	"jz 31f\n\t"
	"movq (%rdi), %r9\n\t"
	"lock decl (%r9)\n"
	"31:\tpopq %r15\n\t"
	"popq %r14\n\t"
	"popq %r13\n\t"
	"popq %r12\n\t"
	"popq %rbp\n\t"
	"popq %rbx\n\t"
	"ret\n"
	"jit_routines_end:\n\t"
	".popsection\n");

extern const u8 jit_routines_begin[], jit_routines_end[], jit_find[], jit_update[], jit_delete[];
#else
static const u8 jit_routines_begin[1],
	*const jit_routines_end = jit_routines_begin, *const jit_find = jit_routines_begin,
	       *const jit_update = jit_routines_begin, *const jit_delete = jit_routines_begin;
#endif

u32 jit_routine(enum jit_routine r)
{
	switch (r) {
	case JIT_FIND: return (u32)(jit_find - jit_routines_begin);
	case JIT_UPDATE: return (u32)(jit_update - jit_routines_begin);
	case JIT_DELETE: return (u32)(jit_delete - jit_routines_begin);
	}
	BUG("routine %d", (int)r);
}

static u32 maps_at(void)
{
	return ALIGN_UP((u32)(jit_routines_end - jit_routines_begin), 64u);
}

u64 jit_map_address(const struct jit_world *w, u32 map)
{
	return w->routines + maps_at() + map * sizeof(struct jit_map);
}

void jit_put_routines(struct buf *b, const struct shared_maps *maps, u64 block)
{
	u32 code = (u32)(jit_routines_end - jit_routines_begin);

	buf_add(b, jit_routines_begin, code);
	buf_pad(b, (char)0xcc, maps_at() - code);
	for (u32 i = 0; i < maps->n; i++) {
		const struct shared_map *m = &maps->v[i];
		struct jit_map d = { .head = block + m->offset,
				     .keys = block + m->keys,
				     .values = block + m->values,
				     .mask = m->n_slots - 1,
				     .key_size = m->key_size,
				     .key_stride = m->key_stride,
				     .value_size = m->value_size,
				     .value_stride = m->value_stride,
				     .elem_size = m->value_stride * m->n_copies,
				     .max_entries = m->max_entries,
				     .most_used = m->n_slots / 8 * 7 };

		buf_add(b, &d, sizeof d);
	}
}
