/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls, loops, the context in other registers and on the stack, and what is refused. */
#include <sched.h>
#include <sys/rseq.h>
#include "jit/jit.h"
#include "run.h"
#include "tests/unit/bpf_asm.h"
#include "tests/unit/tap.h"
#include "type/bpf_isa.h"
#include "type/loc.h"

#ifdef __x86_64__
RUN_DEFINE

enum { DI = 112, SP = 152, IP = 128, CS = 136 };

static const struct jit_site entry = { .free = 1u << X10 | 1u << X11, .ip = 0x123456789abc };

/* Word 0 of the data, which the program wrote; or the reason in *err. */
static u64 run_at(const struct bpf_insn *insns, u32 n, const struct jit_site *site,
		  struct jit_world world, struct err *err)
{
	struct registers regs = { { 0 } };
	struct native native = { 0 };
	struct program prog;
	struct arena a;
	u64 word = 0, memory[4] = { 10, 20, 30, 40 };

	asm_program(&prog, &a);
	prog.data_map = asm_map(&prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
	asm_func(&prog, BPF_PROG_TYPE_KPROBE, insns, n);
	for (u32 i = 0; i < 15; i++)
		regs.v[i] = 100 + i;
	if (site->context == JIT_WORDS)
		regs.v[DI / 8] = (u64)(uintptr_t)memory;
	if (native_open(&native, &prog, 1, err) >= 0 &&
	    native_compile(&native, &prog, 0, site, world, err) >= 0) {
		if (native_run(&native, &regs, 1u << 6 | 1u << 7))
			err_set(err, -1, "registers have changed");
		memcpy(&word, native.block + native.maps.v[0].offset, sizeof word);
		if (word == run_out.v[SP / 8])
			word = 1;
	}
	if (native.code)
		native_close(&native);
	arena_release(&a);
	return word;
}

#define RUN(site, world, err, ...)                                                                 \
	({                                                                                         \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		run_at(insns_, ARRAY_SIZE(insns_), site, world, err);                              \
	})
#define gives_at(site, world, want, what, ...)                                                     \
	do {                                                                                       \
		struct err err_ = {};                                                              \
		is_int(RUN(site, world, &err_, __VA_ARGS__), (long long)(want), "%s", what);       \
		ok(!err_.code, "no error");                                                        \
		if (err_.code)                                                                     \
			note("%s", err_.text);                                                     \
		err_release(&err_);                                                                \
	} while (0)
#define gives(want, what, ...) gives_at(&entry, (struct jit_world){}, want, what, __VA_ARGS__)
#define refuses(text_, what, ...)                                                                  \
	do {                                                                                       \
		struct err err_ = {};                                                              \
		RUN(&entry, (struct jit_world){}, &err_, __VA_ARGS__);                             \
		if (!ok(err_.code < 0 && strstr(err_.text, text_), "%s", what))                    \
			note("got: %s", err_.text ? err_.text : "no error");                       \
		err_release(&err_);                                                                \
	} while (0)
#define STORE_R0 LDVALUE(R9, 0, 0), STX(DW, R9, 0, R0), MOV(R0, 0), EXIT

static void test_context(void)
{
	gives(114, "the first argument", LDX(DW, R0, R1, DI), STORE_R0);
	gives(114, "when r1 is overwritten", MOVR(R6, R1), MOV(R1, 5), LDX(DW, R0, R6, DI),
	      STORE_R0);
	gives(114, "through the stack", STX(DW, R10, -8, R1), MOV(R1, 5), LDX(DW, R2, R10, -8),
	      LDX(DW, R0, R2, DI), STORE_R0);
	gives(114, "at an offset", MOVR(R6, R1), ALU(ADD, R6, 8), LDX(DW, R0, R6, DI - 8),
	      STORE_R0);
	gives(0x5678, "parts of ip", LDX(H, R0, R1, IP + 2), STORE_R0);
	gives(1, "sp", LDX(DW, R0, R1, SP), STORE_R0);
	refuses("only the kernel knows", "cs", LDX(DW, R0, R1, CS), STORE_R0);
	gives(114, "where its address is stored", LDVALUE(R9, 0, 0), STX(DW, R9, 8, R1),
	      LDX(DW, R2, R9, 8), LDX(DW, R0, R2, DI), STORE_R0);
	gives(1, "compared", MOV(R0, 2), JMP(JEQ, R1, 0, 1), MOV(R0, 1), STORE_R0);
	gives(114, "given to a function", CALLSUB(5), STORE_R0, LDX(DW, R0, R1, DI), EXIT);
	gives(1, "sp in memory", STX(DW, R10, -16, R1), CALLSUB(5), STORE_R0, LDX(DW, R0, R1, SP),
	      EXIT);
	gives(0x33, "cs in memory", CALLSUB(5), STORE_R0, LDX(DW, R0, R1, CS), EXIT);
}

/* DI is register 7 of instructions; words are where the operands of a tracepoint are. */
static void test_words(void)
{
	static const struct loc words[] = {
		{ .kind = LOC_REG, .offset = DI, .size = 8 },
		{ .kind = LOC_REG, .offset = DI, .size = 1 },
		{ .kind = LOC_CONST, .value = -2, .size = 4 },
		{ .kind = LOC_STACK, .offset = DI, .inner = 8, .size = 4 },
		{ .kind = LOC_STACK, .offset = SP, .size = 8 },
		{ .kind = LOC_EXPR, .size = 8 },
	};
	const struct jit_site site = { .context = JIT_WORDS,
				       .words = words,
				       .n_words = ARRAY_SIZE(words),
				       .is_in_frame = true };
	const struct jit_site good = {
		.context = JIT_WORDS, .words = words, .n_words = 5, .keeps_flags = true
	};
	const struct jit_world world = { 0 };
	struct err err = { 0 };

	gives_at(&site, world, 20, "memory at a register", LDX(DW, R0, R1, 24 + 24), STORE_R0);
	gives_at(&site, world, 20, "when that register is overwritten", MOVR(R6, R1), MOV(R1, 3),
		 LDX(DW, R0, R6, 24 + 24), STORE_R0);
	gives_at(&site, world, 0xfffffffe, "a constant of four bytes", LDX(DW, R0, R1, 24 + 16),
		 STORE_R0);
	gives_at(&site, world, 0xfffe, "a part of it", LDX(H, R0, R1, 24 + 16), STORE_R0);
	gives_at(&site, world, 0, "the last byte of a word of one", LDX(B, R0, R1, 24 + 8 + 1),
		 STORE_R0);
	gives_at(&site, world, 1, "a register, whole and its first byte", LDX(DW, R0, R1, 24),
		 ALU(AND, R0, 255), LDX(DW, R2, R1, 24 + 8), MOV(R3, 1), JMPR(JEQ, R0, R2, 1),
		 MOV(R3, 2), MOVR(R0, R3), STORE_R0);
	gives_at(&site, world, 1, "the stack: a return address", LDX(DW, R2, R1, 24 + 32),
		 MOV(R0, 1), JMP(JGT, R2, 4096, 1), MOV(R0, 2), STORE_R0);
	gives_at(&good, world, 0xfffffffe, "a function gets them", CALLSUB(5), STORE_R0,
		 LDX(DW, R0, R1, 24 + 16), EXIT);
	gives_at(&good, world, 20, "and reads memory", CALLSUB(5), STORE_R0,
		 LDX(DW, R0, R1, 24 + 24), EXIT);
	RUN(&site, world, &err, LDX(DW, R0, R1, 24 + 40), STORE_R0);
	ok(err.code < 0 && strstr(err.text, "only the tracepoint"), "an operand of another form");
	err_release(&err);
	err = (struct err){ 0 };
	RUN(&site, world, &err, LDX(DW, R0, R1, 8), STORE_R0);
	ok(err.code < 0 && strstr(err.text, "record"), "the time of a record");
	err_release(&err);
}

static void test_calls(void)
{
	gives(42, "a function", MOV(R1, 40), MOV(R2, 2), CALLSUB(5), STORE_R0, MOVR(R0, R1),
	      ALUR(ADD, R0, R2), EXIT);
	gives(7, "it saves what is its caller's", MOV(R6, 7), MOV(R1, 0), CALLSUB(6), MOVR(R0, R6),
	      STORE_R0, MOV(R6, 1), MOV(R0, 0), EXIT);
	gives(5, "its stack is its own", ST(DW, R10, -8, 5), MOV(R1, 0), CALLSUB(6),
	      LDX(DW, R0, R10, -8), STORE_R0, ST(DW, R10, -8, 9), MOV(R0, 0), EXIT);
	/* r3 = pointer to a sum on the stack; f(i, p) { *p += i; return i == stop } */
	gives(10, "a loop of 5", ST(DW, R10, -8, 0), MOV(R1, 5), LDFUNC(R2, 11), MOVR(R3, R10),
	      ALU(ADD, R3, -8), MOV(R4, 0), CALL(BPF_FUNC_loop), LDX(DW, R0, R10, -8), STORE_R0,
	      LDX(DW, R3, R2, 0), ALUR(ADD, R3, R1), STX(DW, R2, 0, R3), MOV(R0, 0), EXIT);
	gives(3, "a loop that ends itself: its turns", MOV(R1, 1000), LDFUNC(R2, 9), MOV(R3, 0),
	      MOV(R4, 0), CALL(BPF_FUNC_loop), STORE_R0, MOV(R0, 0), JMP(JNE, R1, 2, 1), MOV(R0, 1),
	      EXIT);
	gives(-7, "more turns than the kernel allows", MOV(R1, (1 << 23) + 1), LDFUNC(R2, 9),
	      MOV(R3, 0), MOV(R4, 0), CALL(BPF_FUNC_loop), STORE_R0, MOV(R0, 0), EXIT);
}

static u64 tick_now(void)
{
	return __builtin_ia32_rdtsc();
}

/* r0 = 1 if the time is not before what r6 has, and at most r7 later. */
#define IN_RANGE                                                                                   \
	MOVR(R8, R0), MOV(R0, 2), JMPR(JLT, R8, R6, 3), ALUR(SUB, R8, R6), JMPR(JGT, R8, R7, 1),   \
		MOV(R0, 1)

static void test_time(void)
{
	static struct jit_clock clock;
	const struct jit_world with = { .clock = (u64)(uintptr_t)&clock };

	/* two nanoseconds for three ticks, one million before now */
	clock.index = 13;
	clock.slot[5] = (struct jit_clock_slot){ .tick = tick_now() - 1500000,
						 .ns = 5000,
						 .rate = (2ull << 32) / 3,
						 .boot_to_mono = (u64)-1000 };
	gives_at(&entry, with, 1, "boot clock", LD64(R6, 5000 + 1000000 - 1), LD64(R7, 400000000),
		 CALL(BPF_FUNC_ktime_get_boot_ns), IN_RANGE, STORE_R0);
	gives_at(&entry, with, 1, "monotonic clock", LD64(R6, 4000 + 1000000 - 1),
		 LD64(R7, 400000000), CALL(BPF_FUNC_ktime_get_ns), IN_RANGE, STORE_R0);
	clock.slot[5].tick = ~0ull >> 1;
	gives_at(&entry, with, 5000, "not before its slot", CALL(BPF_FUNC_ktime_get_boot_ns),
		 STORE_R0);
	refuses("as a clock", "time without a clock", CALL(BPF_FUNC_ktime_get_ns), STORE_R0);
}

static __thread u32 thread_id = 4711;

static void test_thread(void)
{
	char *self;
	struct jit_world world = { .pid = 42, .cookie = 9, .has_tid = true };

	__asm__("movq %%fs:0, %0" : "=r"(self));
	world.tid = (s32)((char *)&thread_id - self);
	gives_at(&entry, world, 42ull << 32 | 4711, "process and thread",
		 CALL(BPF_FUNC_get_current_pid_tgid), STORE_R0);
	gives_at(&entry, world, 9, "cookie", CALL(BPF_FUNC_get_attach_cookie), STORE_R0);
}

/* A thread that may run on one processor only. */
static void test_rseq(void)
{
	const struct jit_world with = { .rseq = (s32)__rseq_offset, .has_rseq = true };
	cpu_set_t one, all;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (!__rseq_size || sched_getaffinity(0, sizeof all, &all) < 0 ||
	    sched_setaffinity(0, sizeof one, &one) < 0)
		return;
	gives_at(&entry, with, (u64)cpu, "a processor's number, by struct rseq",
		 CALL(BPF_FUNC_get_smp_processor_id), STORE_R0);
	sched_setaffinity(0, sizeof all, &all);
}

static void test_helpers(void)
{
	const struct jit_world with = { .has_rdpid = true };

	ok(true, "a processor's number, by a segment's limit and by rdpid:");
	gives(1, "it is small", CALL(BPF_FUNC_get_smp_processor_id), MOVR(R6, R0), MOV(R0, 1),
	      JMP(JLT, R6, 4096, 1), MOV(R0, 2), STORE_R0);
	if (__builtin_cpu_supports("avx2") && access("/proc/cpuinfo", R_OK) == 0 &&
	    system("grep -qw rdpid /proc/cpuinfo") == 0)
		gives_at(&entry, with, 1, "and", CALL(BPF_FUNC_get_smp_processor_id), MOVR(R6, R0),
			 MOV(R0, 1), JMP(JLT, R6, 4096, 1), MOV(R0, 2), STORE_R0);
	test_rseq();
	test_time();
	refuses("kernel", "current task", CALL(BPF_FUNC_get_current_task), STORE_R0);
	refuses("may not be there", "memory that may fault", MOVR(R1, R10), ALU(ADD, R1, -8),
		MOV(R2, 8), MOV(R3, 0), CALL(BPF_FUNC_probe_read_user), STORE_R0);
}

/* Reads `size` bytes at the stack pointer + n to r10 - 8. This never fails, so the code for r0 != 0
 * is dead: its helper has no compiled form, and must not be compiled. */
#define READ_AT(n, size)                                                                           \
	ST(DW, R10, -8, 0), LDX(DW, R3, R1, SP), ALU(ADD, R3, n), MOVR(R1, R10), ALU(ADD, R1, -8), \
		MOV(R2, size), CALL(BPF_FUNC_probe_read_user), JMP(JSGE, R0, 0, 1),                \
		CALL(BPF_FUNC_copy_from_user), LDX(DW, R0, R10, -8)
#define IS_CODE MOVR(R6, R0), MOV(R0, 1), JMP(JGT, R6, 4096, 1), MOV(R0, 2), STORE_R0

static void test_stack(void)
{
	const struct bpf_insn reads[] = { READ_AT(0, 8), STORE_R0 },
			      more[] = { READ_AT(8, 8), STORE_R0 }, none[] = { MOV(R0, 0), EXIT };
	struct program prog;
	struct arena a;

	gives(1, "the word at the stack pointer: a return address", READ_AT(0, 8), IS_CODE);
	gives(1, "half of it", READ_AT(0, 4), MOVR(R6, R0), MOV(R0, 1), JMP(JGT, R6, 0, 1),
	      MOV(R0, 2), STORE_R0);
	gives(0, "its highest byte", READ_AT(7, 1), STORE_R0);
	refuses("may not be there", "the word above", READ_AT(8, 8), STORE_R0);
	refuses("may not be there", "the word below", READ_AT(-8, 8), STORE_R0);
	refuses("may not be there", "more than a word", READ_AT(0, 16), STORE_R0);
	refuses("may not be there", "another register", MOVR(R1, R10), ALU(ADD, R1, -8), MOV(R2, 8),
		MOVR(R3, R9), CALL(BPF_FUNC_probe_read_user), STORE_R0);

	asm_program(&prog, &a);
	asm_func(&prog, BPF_PROG_TYPE_KPROBE, reads, ARRAY_SIZE(reads));
	asm_func(&prog, BPF_PROG_TYPE_KPROBE, more, ARRAY_SIZE(more));
	asm_func(&prog, BPF_PROG_TYPE_KPROBE, none, ARRAY_SIZE(none));
	is_int(jit_memory_of(prog.funcs.v[0]), JIT_READS_STACK, "it reads the stack alone");
	is_int(jit_memory_of(prog.funcs.v[1]), JIT_READS_MEMORY, "it reads more");
	is_int(jit_memory_of(prog.funcs.v[2]), JIT_READS_NOTHING, "it reads nothing");
	arena_release(&a);
}

/* All flags that arithmetic sets, before and after. */
static void test_flags(void)
{
	const struct jit_site site = { .keeps_flags = true };
	const struct bpf_insn insns[] = { LDX(DW, R0, R1, DI), ALU(ADD, R0, 1), ALU(SUB, R0, 7),
					  STORE_R0 };
	struct native n = { 0 };
	struct program prog;
	struct err err = { 0 };
	struct arena a;
	u32 n_bad = 0;

	asm_program(&prog, &a);
	prog.data_map = asm_map(&prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
	asm_func(&prog, BPF_PROG_TYPE_KPROBE, insns, ARRAY_SIZE(insns));
	native_open(&n, &prog, 1, &err);
	native_compile(&n, &prog, 0, &site, (struct jit_world){ 0 }, &err);
	for (u64 flags = 0; flags < 0x1000; flags++) {
		u64 want = (flags & 0x8d5) | 0x202, got;

		__asm__ volatile("subq $256, %%rsp\n\tpushq %[want]\n\tpopfq\n\tcall *%[code]\n\t"
				 "pushfq\n\tpopq %[got]\n\tleaq 256(%%rsp), %%rsp"
				 : [got] "=&r"(got)
				 : [want] "r"(want), [code] "r"(n.code)
				 : "memory", "cc");
		n_bad += (got & 0x8d5) != (want & 0x8d5);
	}
	is_int(n_bad, 0, "flags are as they were");
	native_close(&n);
	arena_release(&a);
}

static void test_control(void)
{
	static u64 words[2] = { 0, 1 };
	struct jit_world world = { .control = 0 };
	u8 *near = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(near, words, sizeof words);
	world.control = (u64)(uintptr_t)near;
	gives_at(&entry, world, 0, "it does not run where the maps are not", MOV(R0, 3), STORE_R0);
	world.control += 8;
	gives_at(&entry, world, 3, "and runs where they are", MOV(R0, 3), STORE_R0);
	munmap(near, 4096);
}

int main(void)
{
	test_context();
	test_words();
	test_calls();
	test_helpers();
	test_thread();
	test_stack();
	test_flags();
	test_control();
	return done();
}
#else
int main(void)
{
	ok(true, "compiled code is x86-64");
	return done();
}
#endif
