/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruction set, cpu v4 included, one function for each class of instructions
 * (Documentation/bpf/standardization/instruction-set.rst; kernel/bpf/core.c, ___bpf_prog_run).
 * Arithmetic uses unsigned types, where C and BPF agree; division by zero gives 0, the remainder of
 * a division by zero is the dividend.
 */
#include <errno.h>

#include "vm/vm_impl.h"

struct regs {
	u64 r[11];
};

/* The value of r1-r5 after a call: exposes a program that reads them. */
#define POISON 0xdeadbeefdeadbeefull

static u64 sext(u64 v, u32 bits)
{
	return (u64)((s64)(v << (64 - bits)) >> (64 - bits));
}

static u64 bytes_swapped(u64 v, u32 bits)
{
	switch (bits) {
	case 16: return __builtin_bswap16((u16)v);
	case 32: return __builtin_bswap32((u32)v);
	default: return __builtin_bswap64(v);
	}
}

static u64 sdiv(s64 a, s64 b)
{
	if (!b)
		return 0;
	return b == -1 ? 0 - (u64)a : (u64)(a / b);
}

static u64 smod(s64 a, s64 b)
{
	if (!b)
		return (u64)a;
	return b == -1 ? 0 : (u64)(a % b);
}

static u64 alu64(struct vm *vm, u8 op, u64 a, u64 b, s16 off)
{
	switch (op) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return off ? sdiv((s64)a, (s64)b) : b ? a / b : 0;
	case BPF_MOD: return off ? smod((s64)a, (s64)b) : b ? a % b : a;
	case BPF_OR: return a | b;
	case BPF_AND: return a & b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & 63);
	case BPF_RSH: return a >> (b & 63);
	case BPF_ARSH: return (u64)((s64)a >> (b & 63));
	case BPF_NEG: return 0 - a;
	case BPF_MOV: return off ? sext(b, (u32)off) : b;
	}
	vm_fault(vm, -EINVAL, "bad arithmetic operation 0x%x", op);
	return 0;
}

static u64 alu32(struct vm *vm, u8 op, u32 a, u32 b, s16 off)
{
	switch (op) {
	case BPF_DIV: return (u32)(off ? sdiv((s32)a, (s32)b) : b ? a / b : 0);
	case BPF_MOD: return (u32)(off ? smod((s32)a, (s32)b) : b ? a % b : a);
	case BPF_LSH: return (u32)(a << (b & 31));
	case BPF_RSH: return a >> (b & 31);
	case BPF_ARSH: return (u32)((s32)a >> (b & 31));
	}
	return (u32)alu64(vm, op, a, b, off);
}

static u64 byte_order(struct vm *vm, const struct bpf_insn *i, u64 v)
{
	u32 bits = (u32)i->imm;
	bool swap = BPF_CLASS(i->code) == BPF_ALU64;

	if (bits != 16 && bits != 32 && bits != 64) {
		vm_fault(vm, -EINVAL, "byte order of %u bits", bits);
		return 0;
	}
	if (!swap)
		swap = (BPF_SRC(i->code) == BPF_TO_BE) ==
		       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	if (swap)
		return bytes_swapped(v, bits);
	return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static void alu(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	u8 op = BPF_OP(i->code);
	u64 a = r->r[i->dst_reg], b = BPF_SRC(i->code) ? r->r[i->src_reg] : (u64)(s64)i->imm;

	if (op == BPF_END)
		r->r[i->dst_reg] = byte_order(vm, i, a);
	else if (BPF_CLASS(i->code) == BPF_ALU64)
		r->r[i->dst_reg] = alu64(vm, op, a, b, i->off);
	else
		r->r[i->dst_reg] = alu32(vm, op, (u32)a, (u32)b, i->off);
}

static bool holds(struct vm *vm, const struct bpf_insn *i, const struct regs *r)
{
	u64 a = r->r[i->dst_reg], b = BPF_SRC(i->code) ? r->r[i->src_reg] : (u64)(s64)i->imm;
	s64 sa = (s64)a, sb = (s64)b;

	if (BPF_CLASS(i->code) == BPF_JMP32) {
		a = (u32)a;
		b = (u32)b;
		sa = (s32)a;
		sb = (s32)b;
	}
	switch (BPF_OP(i->code)) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSET: return (a & b) != 0;
	case BPF_JSGT: return sa > sb;
	case BPF_JSGE: return sa >= sb;
	case BPF_JSLT: return sa < sb;
	case BPF_JSLE: return sa <= sb;
	}
	vm_fault(vm, -EINVAL, "bad jump 0x%x", i->code);
	return false;
}

/* ---- memory */

static u64 get(const u8 *p, u32 size)
{
	u16 h;
	u32 w;
	u64 d;

	switch (size) {
	case 1: return *p;
	case 2: memcpy(&h, p, 2); return h;
	case 4: memcpy(&w, p, 4); return w;
	default: memcpy(&d, p, 8); return d;
	}
}

static void put(u8 *p, u32 size, u64 v)
{
	u16 h = (u16)v;
	u32 w = (u32)v;

	switch (size) {
	case 1: *p = (u8)v; break;
	case 2: memcpy(p, &h, 2); break;
	case 4: memcpy(p, &w, 4); break;
	default: memcpy(p, &v, 8); break;
	}
}

/*
 * A load through a kernel pointer that the verifier trusts (BPF_PROBE_MEM): vm_world reads it, and
 * what cannot be read is 0. A small address is a missing null check and faults.
 */
static bool load_foreign(struct vm *vm, u64 addr, u32 size, u64 *v)
{
	u8 bytes[8] = { 0 };

	if (vm_is_own(addr) || addr < 4096 || !vm->world.read)
		return false;
	if (vm->world.read(vm->world.ctx, bytes, size, addr, false) < 0)
		memset(bytes, 0, sizeof bytes);
	*v = get(bytes, size);
	return true;
}

static void load(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	u32 size = bpf_access_size(i->code);
	u64 addr = r->r[i->src_reg] + (u64)(s64)i->off, v;
	u8 mode = BPF_MODE(i->code);

	if (mode != BPF_MEM && (mode != BPF_MEMSX || size == 8)) {
		vm_fault(vm, -EINVAL, "bad load 0x%x", i->code);
		return;
	}
	if (!load_foreign(vm, addr, size, &v)) {
		u8 *p = vm_at(vm, addr, size, VM_READ);

		if (!p)
			return;
		v = get(p, size);
	}
	r->r[i->dst_reg] = mode == BPF_MEMSX ? sext(v, 8 * size) : v;
}

static void store(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	u64 v = BPF_CLASS(i->code) == BPF_STX ? r->r[i->src_reg] : (u64)(s64)i->imm;
	u32 size = bpf_access_size(i->code);
	u8 *p = vm_at(vm, r->r[i->dst_reg] + (u64)(s64)i->off, size, VM_WRITE);

	if (p)
		put(p, size, v);
}

static u64 combined(u32 op, u64 old, u64 v)
{
	switch (op & ~(u32)BPF_FETCH) {
	case BPF_ADD: return old + v;
	case BPF_OR: return old | v;
	case BPF_AND: return old & v;
	default: return old ^ v;
	}
}

static bool is_arithmetic(u32 op)
{
	op &= ~(u32)BPF_FETCH;
	return op == BPF_ADD || op == BPF_OR || op == BPF_AND || op == BPF_XOR;
}

static void acquire_or_release(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	struct bpf_insn plain = *i;

	plain.code =
		(u8)((i->imm == BPF_LOAD_ACQ ? BPF_LDX : BPF_STX) | BPF_MEM | BPF_SIZE(i->code));
	if (i->imm == BPF_LOAD_ACQ)
		load(vm, &plain, r);
	else
		store(vm, &plain, r);
}

static void atomic(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	u32 op = (u32)i->imm, size = bpf_access_size(i->code);
	u64 v = r->r[i->src_reg], addr = r->r[i->dst_reg] + (u64)(s64)i->off, old;
	u8 *p;

	if (op == BPF_LOAD_ACQ || op == BPF_STORE_REL) {
		acquire_or_release(vm, i, r);
		return;
	}
	if (size < 4 || (!is_arithmetic(op) && op != BPF_XCHG && op != BPF_CMPXCHG)) {
		vm_fault(vm, -EINVAL, "bad atomic operation 0x%x on %u bytes", op, size);
		return;
	}
	if (addr % size) {
		vm_fault(vm, -EFAULT, "misaligned atomic operation on %u bytes", size);
		return;
	}
	p = vm_at(vm, addr, size, VM_READ_WRITE);
	if (!p)
		return;
	old = get(p, size);
	if (op == BPF_CMPXCHG) {
		u64 want = size == 4 ? (u32)r->r[0] : r->r[0];

		put(p, size, old == want ? v : old);
		r->r[0] = old;
		return;
	}
	put(p, size, op == BPF_XCHG ? v : combined(op, old, v));
	if (op & BPF_FETCH)
		r->r[i->src_reg] = old;
}

static void store_or_atomic(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	u8 mode = BPF_MODE(i->code);

	if (mode == BPF_MEM)
		store(vm, i, r);
	else if (mode == BPF_ATOMIC && BPF_CLASS(i->code) == BPF_STX)
		atomic(vm, i, r);
	else
		vm_fault(vm, -EINVAL, "bad store 0x%x", i->code);
}

/* ---- control */

static void call(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	u32 pc = vm->pc;

	if (i->src_reg == BPF_PSEUDO_CALL) {
		u64 ret = 0;

		vm_exec(vm, pc + 1 + (u32)i->imm, &r->r[1], &ret);
		r->r[0] = ret;
	} else if (i->src_reg == BPF_PSEUDO_KFUNC_CALL) {
		vm_fault(vm, -ENOSYS, "calls a function of the kernel");
	} else {
		vm_helper_fn *f = vm_helper((u32)i->imm);

		if (f)
			r->r[0] = f(vm, &r->r[1]);
		else
			vm_fault(vm, -ENOSYS, "calls helper %d, which the machine does not have",
				 i->imm);
	}
	vm->pc = pc;
	for (u32 n = 1; n <= 5; n++)
		r->r[n] = POISON;
}

/*
 * bpf_tail_call(context, programs, index): if the index has a program, it continues in this frame
 * and does not return. Only from a program's first frame: our programs make no other tail calls.
 */
static bool tail_call(struct vm *vm, struct regs *r)
{
	struct vm_map *m = vm_map_arg(vm, r->r[2]);
	u32 func;

	if (!m)
		return true;
	if (m->type != BPF_MAP_TYPE_PROG_ARRAY || vm->n_frames != 1) {
		vm_fault(vm, -EINVAL, "jumps to another program from a callback, or through map %s",
			 m->desc->name);
		return true;
	}
	func = vm->n_tail_calls++ < VM_MAX_TAIL_CALLS ? vm_program_at(vm, m->index, (u32)r->r[3]) :
							NO_INDEX;
	if (func == NO_INDEX)
		return false;
	vm_enter_program(vm, func);
	for (u32 n = 0; n < 10; n++)
		if (n != 1)
			r->r[n] = POISON;
	return true;
}

static bool is_tail_call(const struct bpf_insn *i)
{
	return i->src_reg == 0 && i->imm == BPF_FUNC_tail_call;
}

/* The distance to jump, relative to the next instruction. */
static s64 jump(struct vm *vm, const struct bpf_insn *i, const struct regs *r)
{
	if (BPF_OP(i->code) == BPF_JA)
		return BPF_CLASS(i->code) == BPF_JMP32 ? i->imm : i->off;
	return holds(vm, i, r) ? i->off : 0;
}

static bool load_imm64(struct vm *vm, const struct bpf_insn *i, struct regs *r)
{
	if (i->code != (BPF_LD | BPF_IMM | BPF_DW) || vm->pc + 1 >= vm->func->n_insns) {
		vm_fault(vm, -EINVAL, "bad instruction 0x%x", i->code);
		return false;
	}
	if (i->src_reg) {
		vm_fault(vm, -EINVAL, "reference of kind %u that was not resolved", i->src_reg);
		return false;
	}
	r->r[i->dst_reg] = (u32)i[0].imm | (u64)(u32)i[1].imm << 32;
	return true;
}

static int run(struct vm *vm, struct regs *r, u64 *ret)
{
	for (;; vm->pc++) {
		if (vm->pc >= vm->func->n_insns)
			return vm_fault(vm, -EFAULT, "runs past the end of the program");
		if (vm->steps++ >= vm->max_steps)
			return vm_fault(vm, -ELOOP, "more than %llu instructions were executed",
					(unsigned long long)vm->limit);

		if (vm->world.before_insn)
			vm->world.before_insn(vm->world.ctx);

		const struct bpf_insn *i = &vm->insns[vm->pc];

		if (i->dst_reg > 10 || i->src_reg > 10)
			return vm_fault(vm, -EINVAL, "register r%u does not exist",
					MAX(i->dst_reg, i->src_reg));
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU:
		case BPF_ALU64: alu(vm, i, r); break;
		case BPF_LDX: load(vm, i, r); break;
		case BPF_ST:
		case BPF_STX: store_or_atomic(vm, i, r); break;
		case BPF_LD: vm->pc += load_imm64(vm, i, r); break;
		case BPF_JMP:
			if (i->code == (BPF_JMP | BPF_EXIT)) {
				*ret = r->r[0];
				return 0;
			}
			if (i->code == (BPF_JMP | BPF_CALL)) {
				if (!is_tail_call(i) || !tail_call(vm, r))
					call(vm, i, r);
				break;
			}
			__attribute__((fallthrough));
		case BPF_JMP32: vm->pc += (u32)jump(vm, i, r); break;
		}
		if (vm->fault.code)
			return vm->fault.code;
	}
}

int vm_exec(struct vm *vm, u32 pc, const u64 *arg, u64 *ret)
{
	struct regs r = { { POISON, arg[0], arg[1], arg[2], arg[3], arg[4], POISON, POISON, POISON,
			    POISON } };
	u32 back = vm->pc;
	int result;

	if (vm->n_frames >= VM_MAX_FRAMES)
		return vm_fault(vm, -ELOOP, "more than %u frames", VM_MAX_FRAMES);
	r.r[10] = vm_addr(vm->stack_region, vm_frame_enter(vm));
	vm->pc = pc;
	result = run(vm, &r, ret);
	vm->n_frames--;
	if (!result)
		vm->pc = back;
	return result;
}
