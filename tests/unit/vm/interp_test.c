/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreter's instructions, one case for each class and each corner of the standard. */
#include "bpf_asm.h"
#include "tap.h"
#include "vm/vm.h"

static const struct vm_world world = { .n_cpus = 1 };

static int run_n(const struct bpf_insn *insns, u32 n, void *ctx, u32 len, u64 *ret, struct err *err)
{
	struct program prog;
	struct arena a;
	struct vm *vm;
	int r;

	asm_program(&prog, &a);
	asm_func(&prog, BPF_PROG_TYPE_RAW_TRACEPOINT, insns, n);
	vm = vm_new(&prog, &world);
	vm_set_limit(vm, 100000);
	r = vm_run(vm, 0, ctx, len, ret, err);
	vm_free(vm);
	arena_release(&a);
	return r;
}

#define RUN(ret, err, ...)                                                                         \
	({                                                                                         \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		u64 ctx_[2] = { 0x1122334455667788, 0x8000000080008081 };                          \
		run_n(insns_, ARRAY_SIZE(insns_), ctx_, sizeof(ctx_), ret, err);                   \
	})
/* r0 at exit of the instructions given */
#define gives(want, what, ...)                                                                     \
	do {                                                                                       \
		struct err err_ = {};                                                              \
		u64 got_ = 0;                                                                      \
		int r_ = RUN(&got_, &err_, __VA_ARGS__, EXIT);                                     \
		is_int(got_, (u64)(want), "%s", what);                                             \
		if (r_)                                                                            \
			note("%s", err_.text);                                                     \
		err_release(&err_);                                                                \
	} while (0)
#define faults(text_, what, ...)                                                                   \
	do {                                                                                       \
		struct err err_ = {};                                                              \
		u64 got_ = 0;                                                                      \
		int r_ = RUN(&got_, &err_, __VA_ARGS__);                                           \
		if (!ok(r_ < 0 && strstr(err_.text, text_), "%s", what))                           \
			note("got: %s", err_.text);                                                \
		err_release(&err_);                                                                \
	} while (0)

static void test_alu64(void)
{
	gives(7, "mov, add", MOV(R0, 3), ALU(ADD, R0, 4));
	gives(-1, "immediates are sign-extended", MOV(R0, -1));
	gives(-5, "sub", MOV(R0, 0), ALU(SUB, R0, 5));
	gives(0xfffffffe00000001, "mul keeps 64 bits", LD64(R0, 0xffffffff), ALUR(MUL, R0, R0));
	gives(0x7fffffffffffffff, "div is unsigned", MOV(R0, -1), ALU(DIV, R0, 2));
	gives(1, "mod is unsigned", MOV(R0, -1), ALU(MOD, R0, 2));
	gives(0, "division by a zero register is 0", MOV(R0, 7), MOV(R1, 0), ALUR(DIV, R0, R1));
	gives(7, "remainder by zero is the dividend", MOV(R0, 7), MOV(R1, 0), ALUR(MOD, R0, R1));
	gives(-3, "signed division truncates", MOV(R0, -7), MOV(R1, 2),
	      INSN(BPF_ALU64 | BPF_X | BPF_DIV, R0, R1, 1, 0));
	gives(-1, "signed remainder has the dividend's sign", MOV(R0, -7), MOV(R1, 2),
	      INSN(BPF_ALU64 | BPF_X | BPF_MOD, R0, R1, 1, 0));
	gives(1ull << 63, "smallest / -1", LD64(R0, 1ull << 63),
	      INSN(BPF_ALU64 | BPF_K | BPF_DIV, R0, 0, 1, -1));
	gives(0, "smallest % -1", LD64(R0, 1ull << 63),
	      INSN(BPF_ALU64 | BPF_K | BPF_MOD, R0, 0, 1, -1));
	gives(0x0f, "and", MOV(R0, 0xff), ALU(AND, R0, 0x0f));
	gives(0xff, "or", MOV(R0, 0xf0), ALU(OR, R0, 0x0f));
	gives(0xff, "xor", MOV(R0, 0xaa), ALU(XOR, R0, 0x55));
	gives(1ull << 40, "shift left", MOV(R0, 1), ALU(LSH, R0, 40));
	gives(1, "shift right is unsigned", MOV(R0, -1), ALU(RSH, R0, 63));
	gives(-1, "arithmetic shift", MOV(R0, -1), ALU(ARSH, R0, 63));
	gives(2, "shift counts are masked", MOV(R0, 1), MOV(R1, 65), ALUR(LSH, R0, R1));
	gives(-9, "neg", MOV(R0, 9), ALU(NEG, R0, 0));
}

static void test_alu32(void)
{
	gives(0xffffffff, "32-bit mov zero-extends", ALU32(MOV, R0, -1));
	gives(0, "32-bit add wraps", MOV(R0, -1), ALU32(ADD, R0, 1));
	gives(0x80000000, "32-bit shift", MOV(R0, 1), ALU32(LSH, R0, 31));
	gives(0xf8000000, "32-bit arithmetic shift", LD64(R0, 0x80000000), ALU32(ARSH, R0, 4));
	gives(0xffffffff, "32-bit neg", MOV(R0, 1), ALU32(NEG, R0, 0));
	gives(0xfffffffd, "32-bit signed division", LD64(R0, 0x1fffffff9),
	      INSN(BPF_ALU | BPF_K | BPF_DIV, R0, 0, 1, 2));
	gives(0x80000000, "32-bit smallest / -1", LD64(R0, 0x80000000),
	      INSN(BPF_ALU | BPF_K | BPF_DIV, R0, 0, 1, -1));
	gives(5, "32-bit remainder by zero cuts", LD64(R0, 0x100000005), MOV(R1, 0),
	      ALU32R(MOD, R0, R1));
}

static void test_width(void)
{
	u8 bswap = BPF_ALU64 | BPF_END, be = BPF_ALU | BPF_END | BPF_TO_BE,
	   le = BPF_ALU | BPF_END | BPF_TO_LE;

	gives(-128, "movsx 8", MOV(R1, 0x80), INSN(BPF_ALU64 | BPF_X | BPF_MOV, R0, R1, 8, 0));
	gives(-1, "movsx 32", LD64(R1, 0xffffffff),
	      INSN(BPF_ALU64 | BPF_X | BPF_MOV, R0, R1, 32, 0));
	gives(0xffff8000, "32-bit movsx 16", MOV(R1, 0x8000),
	      INSN(BPF_ALU | BPF_X | BPF_MOV, R0, R1, 16, 0));
	gives(0x2211, "bswap16", LD64(R0, 0x99881122), INSN(bswap, R0, 0, 0, 16));
	gives(0x8877665544332211, "bswap64", LD64(R0, 0x1122334455667788),
	      INSN(bswap, R0, 0, 0, 64));
	gives(0x44332211, "be32", LD64(R0, 0xaa11223344), INSN(be, R0, 0, 0, 32));
	gives(0x3344, "le16 cuts", LD64(R0, 0xaa11223344), INSN(le, R0, 0, 0, 16));
	gives(0x88, "load byte", LDX(B, R0, R1, 0));
	gives(0x7788, "load half", LDX(H, R0, R1, 0));
	gives(0x55667788, "load word", LDX(W, R0, R1, 0));
	gives(-127, "ldsx byte", INSN(BPF_LDX | 0x80 | BPF_B, R0, R1, 8, 0));
	gives((s64)(s32)0x80008081, "ldsx word", INSN(BPF_LDX | 0x80 | BPF_W, R0, R1, 8, 0));
	gives(-2, "st sign-extends", ST(DW, R10, -8, -2), LDX(DW, R0, R10, -8));
	gives(0x1234, "stx half", MOV(R1, 0x51234), ST(DW, R10, -8, 0), STX(H, R10, -8, R1),
	      LDX(DW, R0, R10, -8));
}

#define JUMPS(op, a, b) MOV(R0, 0), LD64(R1, a), LD64(R2, b), JMPR(op, R1, R2, 1), JA(1), MOV(R0, 1)
static void test_jumps(void)
{
	gives(1, "jeq", JUMPS(JEQ, 5, 5));
	gives(1, "jne", JUMPS(JNE, 5, 6));
	gives(1, "jgt is unsigned", JUMPS(JGT, -1ll, 1));
	gives(0, "jsgt is signed", JUMPS(JSGT, -1ll, 1));
	gives(1, "jge", JUMPS(JGE, 5, 5));
	gives(0, "jlt", JUMPS(JLT, 5, 5));
	gives(1, "jle", JUMPS(JLE, 5, 5));
	gives(1, "jslt", JUMPS(JSLT, -2ll, -1ll));
	gives(1, "jsge", JUMPS(JSGE, -1ll, -1ll));
	gives(1, "jsle", JUMPS(JSLE, -1ll, -1ll));
	gives(1, "jset", JUMPS(JSET, 6, 4));
	gives(0, "jset without common bits", JUMPS(JSET, 6, 1));
	gives(1, "32-bit jumps see the low halves", MOV(R0, 1), LD64(R1, 0x500000005),
	      JMP32(JEQ, R1, 5, 1), MOV(R0, 0));
	gives(1, "32-bit signed jump", MOV(R0, 1), LD64(R1, 0xffffffff), JMP32(JSLT, R1, 0, 1),
	      MOV(R0, 0));
	gives(1, "gotol", MOV(R0, 1), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 1), MOV(R0, 0));
	gives(45, "a loop", MOV(R0, 0), MOV(R1, 0), ALUR(ADD, R0, R1), ALU(ADD, R1, 1),
	      JMP(JLT, R1, 10, -3));
}

static void test_atomics(void)
{
	gives(12, "atomic add", ST(DW, R10, -8, 5), MOV(R1, 7), ATOMIC(DW, BPF_ADD, R10, -8, R1),
	      LDX(DW, R0, R10, -8));
	gives(5, "fetch add gives the old value", ST(DW, R10, -8, 5), MOV(R0, 7),
	      ATOMIC(DW, BPF_ADD | BPF_FETCH, R10, -8, R0));
	gives(4, "atomic and", ST(DW, R10, -8, 6), MOV(R1, 12), ATOMIC(DW, BPF_AND, R10, -8, R1),
	      LDX(DW, R0, R10, -8));
	gives(7, "atomic or", ST(DW, R10, -8, 6), MOV(R1, 1), ATOMIC(DW, BPF_OR, R10, -8, R1),
	      LDX(DW, R0, R10, -8));
	gives(0x600000007, "32-bit atomic xor leaves the neighbour", LD64(R2, 0x600000006),
	      STX(DW, R10, -8, R2), MOV(R1, 1), ATOMIC(W, BPF_XOR, R10, -8, R1),
	      LDX(DW, R0, R10, -8));
	gives(6, "xchg", ST(DW, R10, -8, 6), MOV(R0, 1), ATOMIC(DW, BPF_XCHG, R10, -8, R0));
	gives(9, "cmpxchg that hits stores", ST(DW, R10, -8, 6), MOV(R0, 6), MOV(R1, 9),
	      ATOMIC(DW, BPF_CMPXCHG, R10, -8, R1), LDX(DW, R0, R10, -8));
	gives(6, "cmpxchg that misses gives the old value", ST(DW, R10, -8, 6), MOV(R0, 5),
	      MOV(R1, 9), ATOMIC(DW, BPF_CMPXCHG, R10, -8, R1));
}

static void test_calls(void)
{
	gives(30, "a function has its own stack", ST(DW, R10, -8, 10), MOV(R1, 20), CALLSUB(3),
	      LDX(DW, R1, R10, -8), ALUR(ADD, R0, R1), EXIT, STX(DW, R10, -8, R1),
	      LDX(DW, R0, R10, -8));
	gives(5, "a function writes through its caller's address", MOVR(R1, R10), ALU(ADD, R1, -8),
	      CALLSUB(2), LDX(DW, R0, R10, -8), EXIT, ST(DW, R1, 0, 5), MOV(R0, 0));
	gives(6, "bpf_loop adds 0..3", ST(DW, R10, -8, 0), MOV(R1, 4), LDFUNC(R2, 7), MOVR(R3, R10),
	      ALU(ADD, R3, -8), MOV(R4, 0), CALL(181), LDX(DW, R0, R10, -8), EXIT,
	      LDX(DW, R3, R2, 0), ALUR(ADD, R3, R1), STX(DW, R2, 0, R3), MOV(R0, 0));
	gives(2, "bpf_loop stops when the callback says so", ST(DW, R10, -8, 0), MOV(R1, 9),
	      LDFUNC(R2, 5), MOV(R3, 0), MOV(R4, 0), CALL(181), EXIT, MOV(R0, 0),
	      JMP(JNE, R1, 1, 1), MOV(R0, 1));
	faults("frames", "recursion", CALLSUB(-1), EXIT);
}

static void test_faults(void)
{
	faults("past the end", "no exit", MOV(R0, 0));
	faults("offset -520 of the stack", "below the frame", ST(DW, R10, -520, 0), EXIT);
	faults("offset 0 of the stack", "above the frame", ST(DW, R10, 0, 0), EXIT);
	faults("never written", "stack that was not written", ST(W, R10, -8, 0),
	       LDX(DW, R0, R10, -8), EXIT);
	faults("reads 8 bytes at offset 16 of the context", "beyond the context",
	       LDX(DW, R0, R1, 16), EXIT);
	faults("writes to the context", "the context is read-only", ST(DW, R1, 0, 0), EXIT);
	faults("compared with 0", "NULL", MOV(R1, 0), LDX(DW, R0, R1, 0), EXIT);
	faults("not memory", "a made-up address", LD64(R1, 0xffff888000000000), LDX(DW, R0, R1, 0),
	       EXIT);
	faults("not memory", "r1 after a call", CALL(5), LDX(DW, R0, R1, 0), EXIT);
	faults("bad instruction", "opcode 0", INSN(0, 0, 0, 0, 0), EXIT);
	faults("bad instruction", "second half of a constant", JA(1), LD64(R0, 0), EXIT);
	faults("bad arithmetic", "opcode 0xe7", INSN(0xe7, 0, 0, 0, 0), EXIT);
	faults("bad jump", "opcode 0xe5", INSN(0xe5, 0, 0, 0, 0), EXIT);
	faults("does not exist", "r11", INSN(BPF_ALU64 | BPF_MOV, 11, 0, 0, 0), EXIT);
	faults("misaligned", "atomic that is not aligned", ST(DW, R10, -16, 0), ST(DW, R10, -8, 0),
	       MOV(R1, 0), ATOMIC(DW, BPF_ADD, R10, -12, R1), EXIT);
	faults("helper 999", "unknown helper", CALL(999), EXIT);
	faults("kernel", "a kernel function", INSN(BPF_JMP | BPF_CALL, 0, 2, 0, 1), EXIT);
	faults("more than 100000", "endless loop", JA(-1));
	faults("past the end", "jump before the start", JA(-5), EXIT);
	faults("not resolved", "map without relocation",
	       INSN(BPF_LD | BPF_IMM | BPF_DW, 1, 3, 0, 0), INSN(0, 0, 0, 0, 0), EXIT);
}

int main(void)
{
	test_alu64();
	test_alu32();
	test_width();
	test_jumps();
	test_atomics();
	test_calls();
	test_faults();
	return done();
}
