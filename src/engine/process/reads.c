/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program reads, found in its instructions. Verifiers let a program load words of struct
 * pt_regs only from the context plus a constant, so it is enough to know which registers and stack
 * slots ever hold the context: r1 at the entry, and copies of it.
 */
#include "arch/arch.h"
#include "engine/process/internal.h"
#include "jit/jit.h"

enum { SLOTS = 64 }; /* of 8 bytes, below r10 */

struct holders {
	u32 regs;  /* bit i: ri */
	u64 slots; /* bit i: r10 - 8 * (i + 1) */
};

static bool is_slot(s32 offset)
{
	return offset < 0 && offset >= -8 * SLOTS && !(offset & 7);
}

static u64 slot_bit(s32 offset)
{
	return 1ull << (-offset / 8 - 1);
}

static void copy(struct holders *h, const struct bpf_insn *in)
{
	bool holds = h->regs >> in->src_reg & 1;

	if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && holds)
		h->regs |= 1u << in->dst_reg;
	if (in->code == (BPF_STX | BPF_MEM | BPF_DW) && in->dst_reg == BPF_REG_10 && holds &&
	    is_slot(in->off))
		h->slots |= slot_bit(in->off);
	if (in->code == (BPF_LDX | BPF_MEM | BPF_DW) && in->src_reg == BPF_REG_10 &&
	    is_slot(in->off) && h->slots & slot_bit(in->off))
		h->regs |= 1u << in->dst_reg;
}

/* Jumps may go backward, so this repeats until nothing changes. */
static struct holders holders_of(const struct bpf_func *f)
{
	struct holders h = { .regs = 1u << BPF_REG_1 }, before;

	do {
		before = h;
		for (u32 i = 0; i < f->n_insns; i++)
			copy(&h, &f->insns[i]);
	} while (h.regs != before.regs || h.slots != before.slots);
	return h;
}

static u32 register_at(s32 offset)
{
	/* by index in struct pt_regs: the instructions' number; the others are constants */
	static const s8 number[PT_REGS_WORDS] = { 15, 14, 13, 12, 5,  3,  11, 10, 9, 8, 0,
						  1,  2,  6,  7,  -1, -1, -1, -1, 4, -1 };

	if (offset < 0 || offset / 8 >= PT_REGS_WORDS || number[offset / 8] < 0)
		return 0;
	return 1u << number[offset / 8];
}

static u32 registers_of(const struct bpf_func *f)
{
	struct holders h = holders_of(f);
	u32 regs = 0;

	for (u32 i = 0; i < f->n_insns; i++) {
		const struct bpf_insn *in = &f->insns[i];

		if (BPF_CLASS(in->code) == BPF_LDX && h.regs >> in->src_reg & 1)
			regs |= register_at(in->off);
	}
	return regs;
}

u32 reads_registers(const struct program *prog)
{
	u32 regs = 0;

	for (u32 i = 0; i < prog->funcs.n; i++)
		if (prog->funcs.v[i]->load.prog_type == BPF_PROG_TYPE_KPROBE)
			regs |= registers_of(prog->funcs.v[i]);
	return regs;
}

static const char reads_memory[] = "memory is read, which may change before the record is";

const char *reads_why_not_recorded(const struct bpf_func *f)
{
	return jit_memory_of(f) == JIT_READS_NOTHING ? NULL : reads_memory;
}

const char *reads_why_not(const struct bpf_func *f)
{
	const char *why = NULL;

	for (u32 i = 0; i < f->n_insns && !why; i++) {
		const struct bpf_insn *in = &f->insns[i];

		if (in->code != (BPF_JMP | BPF_CALL) || in->src_reg == BPF_PSEUDO_CALL)
			continue;
		if (in->src_reg)
			why = "functions of the kernel are called";
		else if (in->imm == BPF_FUNC_probe_read_user ||
			 in->imm == BPF_FUNC_probe_read_user_str ||
			 in->imm == BPF_FUNC_copy_from_user)
			why = jit_memory_of(f) == JIT_READS_MEMORY ? reads_memory : NULL;
		else if (in_vm_lacks((u32)in->imm))
			why = "the script reads what records do not have";
	}
	return why;
}
