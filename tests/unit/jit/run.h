/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs compiled code in this process, as at the entry of a function: with all registers set. */
#ifndef TESTS_UNIT_JIT_RUN_H
#define TESTS_UNIT_JIT_RUN_H

#include <sys/mman.h>
#include <unistd.h>
#include <sys/user.h>
#include "base/buf.h"
#include "jit/jit.h"

enum { CODE_SIZE = 1 << 20, ROUTINES_SIZE = 1 << 16, RET = 0xc3 };

struct native {
	u8 *code, *block;
	struct shared_maps maps;
};

/* In the order of struct pt_regs; 15: ip, which is not set, 16: sp after the call */
struct registers {
	u64 v[21];
};

extern struct registers run_in, run_out;
extern void *run_code;
void run_with_registers(void);

/* run_in is loaded, run_code called, run_out stored; flags and r10, r11 are not compared. */
#define RUN_EACH(what)                                                                             \
	what("r15", 0) what("r14", 8) what("r13", 16) what("r12", 24) what("rbp", 32)              \
		what("rbx", 40) what("r11", 48) what("r10", 56) what("r9", 64) what("r8", 72)      \
			what("rcx", 88) what("rdx", 96) what("rsi", 104) what("rdi", 112)
#define RUN_LOAD(reg, off) "movq run_in+" #off "(%rip), %" reg "\n\t"
#define RUN_STORE(reg, off) "movq %" reg ", run_out+" #off "(%rip)\n\t"
#define RUN_DEFINE                                                                                                              \
	struct registers run_in, run_out;                                                                                       \
	void *run_code;                                                                                                         \
	__asm__(".globl run_with_registers\n"                                                                                   \
		"run_with_registers:\n\t"                                                                                       \
		"push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"                                \
		"leaq -8(%rsp), %rax\n\t"                                                                                       \
		"movq %rax, run_in+152(%rip)\n\t" RUN_EACH(                                                                     \
			RUN_LOAD) "movq run_in+80(%rip), %rax\n\t"                                                              \
				  "call *run_code(%rip)\n\t"                                                                    \
				  "movq %rax, run_out+80(%rip)\n\t" RUN_EACH(                                                   \
					  RUN_STORE) "leaq -8(%rsp), %rax\n\t"                                                  \
						     "movq %rax, run_out+152(%rip)\n\t"                                         \
						     "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\t" \
						     "ret\n\t"                                                                  \
						     ".section .note.GNU-stack,\"\",@progbits\n\t"                              \
						     ".text\n");

static inline int native_open(struct native *n, const struct program *prog, u32 n_cpus,
			      struct err *err)
{
	int ret = shared_layout(prog, n_cpus, &n->maps, err);

	if (ret < 0)
		return ret;
	n->code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	n->block = mmap(NULL, MAX(n->maps.size, 4096ull), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (n->code == MAP_FAILED || n->block == MAP_FAILED)
		return err_sys(err, "map memory");
	shared_init(&n->maps, prog, n->block);
	return 0;
}

static inline void native_close(struct native *n)
{
	munmap(n->code, CODE_SIZE);
	munmap(n->block, MAX(n->maps.size, 4096ull));
	shared_release(&n->maps);
}

/* 0, or -errno with the reason. */
static inline int native_compile(struct native *n, const struct program *prog, u32 func,
				 const struct jit_site *site, struct jit_world world,
				 struct err *err)
{
	struct buf code = { 0 };
	struct jit_output out = { .address = (u64)(uintptr_t)n->code, .code = &code };
	int ret;

	world.maps = &n->maps;
	world.block = (u64)(uintptr_t)n->block;
	world.routines = (u64)(uintptr_t)n->code + CODE_SIZE - ROUTINES_SIZE;
	ret = jit_compile(prog, prog->funcs.v[func], site, &world, &out, err);
	if (ret >= 0) {
		buf_putc(&code, (char)RET);
		mprotect(n->code, CODE_SIZE, PROT_READ | PROT_WRITE);
		memcpy(n->code, code.s, code.len);
		buf_clear(&code);
		jit_put_routines(&code, &n->maps, world.block);
		memcpy(n->code + CODE_SIZE - ROUTINES_SIZE, code.s, code.len);
		mprotect(n->code, CODE_SIZE, PROT_READ | PROT_EXEC);
	}
	buf_release(&code);
	return ret;
}

/* The registers that are not as they were, besides those that are free; bits as in run_in. */
static inline u32 native_run(struct native *n, const struct registers *regs, u32 free)
{
	u32 changed = 0;

	run_in = *regs;
	run_code = n->code;
	run_with_registers();
	for (u32 i = 0; i < 20; i++)
		if (i != 16 && i != 15 && i != 17 && i != 18 && run_in.v[i] != run_out.v[i])
			changed |= 1u << i;
	return changed & ~free;
}

#endif
