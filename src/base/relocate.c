/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entry point of the static program with the C library musl. Its 12,000 pointers in tables are
 * relocated when it starts: as DT_RELA they take 24 bytes each, as DT_RELR (generic ELF ABI,
 * "Relative Relocation Table") together 3 KB. musl reads that table from 1.2.4 on, so an older one
 * finds the work done.
 *
 * Nothing is relocated yet and there is no thread pointer: no calls into the C library, no stack
 * protector.
 */
#include "base/base.h"

#if SONDE_STATIC && defined(__x86_64__) && !defined(__GLIBC__)
#include <elf.h>
#include <link.h>

#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

#define HIDDEN __attribute__((visibility("hidden")))
#define EARLY __attribute__((no_stack_protector))

extern HIDDEN ElfW(Dyn) _DYNAMIC[];
extern HIDDEN const char __ehdr_start[];
HIDDEN void relocate_packed(void);

/* musl's _start takes the stack as the kernel made it. */
__asm__(".text\n"
	".globl start_packed\n"
	".hidden start_packed\n"
	".type start_packed, @function\n"
	"start_packed:\n"
	"	endbr64\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdx, %r12\n"
	"	and $-16, %rsp\n"
	"	call relocate_packed\n"
	"	mov %r12, %rdx\n"
	"	mov %rbx, %rsp\n"
	"	jmp _start\n"
	".size start_packed, . - start_packed\n");

/* The table's value; its size becomes 0, so that a C library that reads the table adds nothing a
 * second time. */
EARLY static const size_t *take_table(size_t base, size_t *size)
{
	size_t at = 0;

	for (ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELR)
			at = d->d_un.d_ptr;
		if (d->d_tag == DT_RELRSZ) {
			*size = d->d_un.d_val;
			d->d_un.d_val = 0;
		}
	}
	return (const size_t *)(base + at);
}

/* An even word is the address of a pointer; the bits of an odd one, from bit 1 on, are the 63 words
 * that follow. */
EARLY void relocate_packed(void)
{
	size_t base = (size_t)__ehdr_start, size = 0, *at = NULL;
	const size_t *word = take_table(base, &size);

	for (const size_t *end = word + size / sizeof *word; word < end; word++) {
		if (!(*word & 1)) {
			at = (size_t *)(base + *word);
			*at++ += base;
			continue;
		}
		for (size_t i = 0, bits = *word >> 1; bits; i++, bits >>= 1)
			if (bits & 1)
				at[i] += base;
		at += 63;
	}
}
#endif
