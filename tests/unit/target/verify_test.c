/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our verifier on programs written by hand: for each rule one that keeps it and one that breaks it,
 * with the text of the refusal.
 */
#include "bpf_asm.h"
#include "tap.h"
#include "target/target.h"

enum { HASH, DATA, RING, PERCPU, ARRAY2 };

static u32 prog_flags; /* of the programs that are verified */

static int check_n(const struct bpf_insn *insns, u32 n, u32 type, enum profile_kind kind,
		   struct verify_error *e)
{
	struct profile profile = { .kind = kind };
	struct program prog;
	struct arena a;
	int r;

	asm_program(&prog, &a);
	asm_map(&prog, "@h", MAP_USER, BPF_MAP_TYPE_HASH, 8, 16, 64);
	prog.data_map = asm_map(&prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
	prog.ring_map = asm_map(&prog, ".ring", MAP_RING, BPF_MAP_TYPE_RINGBUF, 0, 0, 4096);
	asm_map(&prog, "@p", MAP_USER, BPF_MAP_TYPE_PERCPU_HASH, 8, 512, 64);
	asm_map(&prog, "@a", MAP_SET, BPF_MAP_TYPE_ARRAY, 4, 8, 2);
	asm_func(&prog, type, insns, n)->prog_flags = prog_flags;
	e->text[0] = '\0';
	r = target_verify(&prog, prog.funcs.v[0], &profile, e);
	arena_release(&a);
	return r;
}

#define CHECK(type, kind, e, ...)                                                                  \
	({                                                                                         \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		check_n(insns_, ARRAY_SIZE(insns_), type, kind, e);                                \
	})
#define accepts_as(type, kind, what, ...)                                                          \
	do {                                                                                       \
		struct verify_error e_;                                                            \
		int r_ = CHECK(type, kind, &e_, __VA_ARGS__);                                      \
		if (!ok(r_ == 0, "%s", what))                                                      \
			note("instruction %u: %s", e_.insn, e_.text);                              \
	} while (0)
#define refuses_as(type, kind, text_, what, ...)                                                   \
	do {                                                                                       \
		struct verify_error e_;                                                            \
		int r_ = CHECK(type, kind, &e_, __VA_ARGS__);                                      \
		if (!ok(r_ < 0 && strstr(e_.text, text_), "%s", what))                             \
			note("instruction %u: %s", e_.insn, r_ ? e_.text : "accepted");            \
	} while (0)
#define accepts(what, ...)                                                                         \
	accepts_as(BPF_PROG_TYPE_RAW_TRACEPOINT, PROFILE_RAW_TP, what, __VA_ARGS__)
#define refuses(text_, what, ...)                                                                  \
	refuses_as(BPF_PROG_TYPE_RAW_TRACEPOINT, PROFILE_RAW_TP, text_, what, __VA_ARGS__)

#define RET0 MOV(R0, 0), EXIT
/* r0 = value of @h under key 0 on the stack, or NULL */
#define LOOKUP ST(DW, R10, -8, 0), MOVR(R2, R10), ALU(ADD, R2, -8), LDMAP(R1, HASH), CALL(1)
#define RESERVE(n) LDMAP(R1, RING), MOV(R2, n), MOV(R3, 0), CALL(131)
#define SUBMIT MOV(R2, 0), CALL(132)

static void test_shape(void)
{
	accepts("the smallest program", RET0);
	refuses("cannot be reached", "unreachable code", MOV(R0, 0), JA(1), MOV(R0, 1), EXIT);
	refuses("past the end", "no exit at the end", MOV(R0, 0));
	refuses("out of its function", "jump too far", MOV(R0, 0), JA(5), EXIT);
	refuses("middle of a 64-bit", "jump into a constant", JA(1), LD64(R0, 1), EXIT);
	refuses("does not use", "rubbish in a field", INSN(BPF_ALU64 | BPF_MOV, R0, 1, 0, 0), EXIT);
	refuses("there is no instruction", "opcode 0xe7", INSN(0xe7, 0, 0, 0, 0), EXIT);
	refuses("constant 0", "division by immediate 0", MOV(R0, 1), ALU(DIV, R0, 0), EXIT);
	refuses("constant 0", "32-bit modulo by immediate 0", MOV(R0, 1), ALU32(MOD, R0, 0), EXIT);
	refuses("shift by 64", "shift by 64", MOV(R0, 1), ALU(LSH, R0, 64), EXIT);
	refuses("shift by 32", "32-bit shift by 32", MOV(R0, 1), ALU32(RSH, R0, 32), EXIT);
	accepts("shift by 63", MOV(R0, 1), ALU(LSH, R0, 63), EXIT);
	refuses("r10 is written", "frame pointer", ALU(ADD, R10, 8), RET0);
	refuses("r11", "no such register", INSN(BPF_ALU64 | BPF_MOV, 11, 0, 0, 0), RET0);
	refuses("not known", "unknown helper", CALL(9999), EXIT);
	refuses("not for programs", "ktime_get_coarse_ns", CALL(160), EXIT);
}

static void test_registers(void)
{
	refuses("r0 is read and has no value", "exit without r0", EXIT);
	refuses("r6 is read", "register never set", MOVR(R0, R6), EXIT);
	refuses("r1 is read", "r1 after a call", CALL(5), MOVR(R0, R1), EXIT);
	accepts("r6 survives a call", MOV(R6, 1), CALL(5), MOVR(R0, R6), EXIT);
	refuses("r6 is read", "set on one path only", CALL(5), JMP(JEQ, R0, 0, 1), MOV(R6, 0),
		MOVR(R0, R6), EXIT);
	accepts("set on both paths", CALL(5), JMP(JEQ, R0, 0, 2), MOV(R6, 0), JA(1), MOV(R6, 1),
		MOVR(R0, R6), EXIT);
	refuses("different kinds", "number or address", CALL(5), MOV(R6, 0), JMP(JEQ, R0, 0, 1),
		MOVR(R6, R10), MOVR(R0, R6), EXIT);
	refuses("returns an address", "returning the stack pointer", MOVR(R0, R10), EXIT);
	refuses("other than adding", "multiplying an address", MOVR(R2, R10), ALU(MUL, R2, 2),
		RET0);
	refuses("32-bit", "half of an address", MOVR(R2, R10), ALU32(ADD, R2, 2), RET0);
	refuses("other than 0", "comparing an address", JMP(JEQ, R10, 5, 0), RET0);
}

static void test_stack(void)
{
	accepts("store and load", ST(DW, R10, -8, 1), LDX(DW, R0, R10, -8), EXIT);
	refuses("never written", "load without store", LDX(DW, R0, R10, -8), EXIT);
	refuses("byte -8", "one half written", ST(W, R10, -4, 1), LDX(DW, R0, R10, -8), EXIT);
	refuses("not a multiple", "unaligned", ST(DW, R10, -12, 1), RET0);
	refuses("offset -520", "below", ST(DW, R10, -520, 1), RET0);
	refuses("offset 0", "above", ST(DW, R10, 0, 1), RET0);
	accepts("the whole stack", ST(DW, R10, -512, 1), RET0);
	refuses("variable number", "variable offset", CALL(7), ALU(AND, R0, 8), MOVR(R1, R10),
		ALUR(SUB, R1, R0), ST(B, R1, -16, 0), RET0);
	refuses("never written", "written on one path only", CALL(5), JMP(JEQ, R0, 0, 1),
		ST(DW, R10, -8, 0), LDX(DW, R0, R10, -8), EXIT);
	refuses("never written", "helper argument never written", LDMAP(R1, HASH), MOVR(R2, R10),
		ALU(ADD, R2, -8), CALL(1), RET0);
	accepts("a spilled context pointer", STX(DW, R10, -8, R1), LDX(DW, R6, R10, -8),
		LDX(DW, R0, R6, 8), EXIT);
	refuses("part of an address", "a piece of a spilled pointer", STX(DW, R10, -8, R1),
		LDX(W, R0, R10, -8), EXIT);
	refuses("no known pointer", "a spilled pointer overwritten in part", STX(DW, R10, -8, R1),
		ST(DW, R10, -8, 0), LDX(DW, R6, R10, -8), LDX(DW, R0, R6, 8), EXIT);
	accepts("a helper writes the buffer", MOVR(R1, R10), ALU(ADD, R1, -16), MOV(R2, 16),
		CALL(16), LDX(DW, R0, R10, -16), EXIT);
	refuses("offset -16", "a helper writes too much", MOVR(R1, R10), ALU(ADD, R1, -16),
		MOV(R2, 17), CALL(16), RET0);
	refuses("never written", "variable size needs initialised memory", LDX(DW, R2, R1, 0),
		ALU(AND, R2, 15), MOVR(R1, R10), ALU(ADD, R1, -16), MOV(R3, 0), CALL(113), RET0);
}

static void test_values(void)
{
	accepts("null-checked value", LOOKUP, JMP(JEQ, R0, 0, 2), LDX(DW, R0, R0, 8), EXIT, RET0);
	refuses("value of @h may be NULL", "no null check", LOOKUP, LDX(DW, R0, R0, 8), EXIT);
	refuses("no known pointer", "used where it is null", LOOKUP, JMP(JNE, R0, 0, 2),
		LDX(DW, R0, R0, 8), EXIT, RET0);
	accepts("a copy is checked with the original", LOOKUP, MOVR(R6, R0), JMP(JEQ, R0, 0, 2),
		LDX(DW, R0, R6, 8), EXIT, RET0);
	accepts("so is a spilled copy", LOOKUP, STX(DW, R10, -16, R0), JMP(JEQ, R0, 0, 3),
		LDX(DW, R6, R10, -16), LDX(DW, R0, R6, 8), EXIT, RET0);
	refuses("may be NULL", "another lookup is another pointer", LOOKUP, MOVR(R6, R0), LOOKUP,
		JMP(JEQ, R0, 0, 2), LDX(DW, R0, R6, 8), EXIT, RET0);
	refuses("reads 8 bytes at offset 16 of a 16-byte map value", "beyond the value", LOOKUP,
		JMP(JEQ, R0, 0, 1), LDX(DW, R0, R0, 16), RET0);
	refuses("offset -8", "before the value", LOOKUP, JMP(JEQ, R0, 0, 1), LDX(DW, R0, R0, -8),
		RET0);
	refuses("not a multiple", "unaligned", LOOKUP, JMP(JEQ, R0, 0, 1), LDX(DW, R0, R0, 4),
		RET0);
	refuses("stores an address", "an address in a map", LOOKUP, JMP(JEQ, R0, 0, 1),
		STX(DW, R0, 0, R10), RET0);
	accepts("null on one path, a value on the other", MOV(R6, 0), CALL(7), JMP(JEQ, R0, 0, 7),
		LOOKUP, MOVR(R6, R0), JMP(JEQ, R6, 0, 1), ST(DW, R6, 0, 1), RET0);
	accepts("two lookups joined", CALL(7), JMP(JEQ, R0, 0, 7), LOOKUP, JA(6), LOOKUP,
		JMP(JEQ, R0, 0, 1), ST(DW, R0, 0, 1), RET0);
	accepts("a value in data", LDVALUE(R1, DATA, 56), MOV(R2, 1),
		ATOMIC(DW, BPF_ADD, R1, 0, R2), RET0);
	refuses("offset 64 of a 64-byte", "beyond data", LDVALUE(R1, DATA, 56), ST(DW, R1, 8, 0),
		RET0);
	refuses("beyond the 64-byte", "address beyond data", LDVALUE(R1, DATA, 64), RET0);
	refuses("no fixed address", "fixed address in an array of two", LDVALUE(R1, ARRAY2, 0),
		RET0);
	refuses("no fixed address", "fixed address in a hash", LDVALUE(R1, HASH, 0), RET0);
	accepts("key in a map value", LDVALUE(R2, DATA, 8), LDMAP(R1, HASH), CALL(1), RET0);
	refuses("helper reads 8 bytes at offset 60", "key reaches out of the value",
		LDVALUE(R2, DATA, 60), LDMAP(R1, HASH), CALL(1), RET0);
	refuses("is not of a kind", "lookup in a ring", ST(DW, R10, -8, 0), MOVR(R2, R10),
		ALU(ADD, R2, -8), LDMAP(R1, RING), CALL(1), RET0);
	refuses("is no map", "lookup in a number", MOV(R1, 0), MOVR(R2, R10), CALL(1), RET0);
	refuses("through the reference", "load from a map reference", LDMAP(R1, HASH),
		LDX(DW, R0, R1, 0), EXIT);
}

/* r1 = address in data with r0, a random number, as offset after `...` */
#define INDEX(...)                                                                                 \
	CALL(7), __VA_ARGS__, LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(DW, R2, R1, 0), RET0

static void test_bounds(void)
{
	accepts("masked index", INDEX(ALU(AND, R0, 56)));
	accepts("index by shift", INDEX(ALU(AND, R0, 7), ALU(LSH, R0, 3)));
	accepts("index by multiplication", INDEX(ALU(AND, R0, 3), ALU(MUL, R0, 16)));
	accepts("32-bit mask", INDEX(ALU32(AND, R0, 56)));
	accepts("right shift bounds", INDEX(ALU32(RSH, R0, 29), ALU(LSH, R0, 3)));
	refuses("without bounds", "no bound", INDEX(ALU(MUL, R0, 8)));
	refuses("offset 64 of a 64-byte", "bound too large", INDEX(ALU(AND, R0, 64)));
	accepts("an index that leaves alignment open", INDEX(ALU(AND, R0, 15)));
	refuses("not a multiple", "but not for atomics", CALL(7), ALU(AND, R0, 15),
		LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), MOV(R2, 1), ATOMIC(DW, BPF_ADD, R1, 0, R2),
		RET0);
	accepts("element of one CPU", ST(DW, R10, -8, 0), MOVR(R2, R10), ALU(ADD, R2, -8),
		LDMAP(R1, PERCPU), MOV(R3, 1), CALL(195), JMP(JEQ, R0, 0, 1), LDX(DW, R2, R0, 504),
		RET0);
	refuses("not of a kind", "element of one CPU of a plain map", ST(DW, R10, -8, 0),
		MOVR(R2, R10), ALU(ADD, R2, -8), LDMAP(R1, HASH), MOV(R3, 1), CALL(195), RET0);
	refuses("without bounds", "quotients have no bounds on old kernels",
		INDEX(ALU(MOD, R0, 8)));
	accepts("bound by comparison", CALL(7), JMP(JGT, R0, 6, 5), ALU(LSH, R0, 3),
		LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(DW, R2, R1, 8), RET0);
	refuses("negative", "signed comparison only", CALL(7), JMP(JSGT, R0, 6, 6),
		JMP(JSLT, R0, -9, 5), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(B, R2, R1, 8),
		RET0);
	accepts("both signed comparisons", CALL(7), JMP(JSGT, R0, 6, 5), JMP(JSLT, R0, 0, 4),
		LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(B, R2, R1, 8), RET0);
	accepts("mask across a spill", CALL(7), ALU(AND, R0, 56), STX(DW, R10, -8, R0), CALL(5),
		LDX(DW, R0, R10, -8), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(DW, R2, R1, 0),
		RET0);
	refuses("without bounds", "bound after the spill", CALL(7), STX(DW, R10, -8, R0),
		JMP(JGT, R0, 7, 6), LDX(DW, R0, R10, -8), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0),
		LDX(B, R2, R1, 0), RET0);
	refuses("no known pointer", "a number as address", CALL(35), LDX(DW, R0, R0, 0), EXIT);
	accepts("bounds hold where paths meet", CALL(7), JMP(JGT, R0, 7, 1), JA(1),
		ALU(AND, R0, 31), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(B, R2, R1, 0), RET0);
	refuses("64-byte map value", "the larger bound counts where paths meet", CALL(7),
		JMP(JGT, R0, 7, 1), JA(1), ALU(AND, R0, 127), LDVALUE(R1, DATA, 0),
		ALUR(ADD, R1, R0), LDX(DW, R2, R1, 0), RET0);
}

static void test_context(void)
{
	enum {
		KP = BPF_PROG_TYPE_KPROBE,
		TP = BPF_PROG_TYPE_TRACEPOINT,
		PE = BPF_PROG_TYPE_PERF_EVENT,
		TR = BPF_PROG_TYPE_TRACING
	};

	accepts("raw tracepoint argument", LDX(DW, R0, R1, 88), EXIT);
	refuses("offset 96 of the context", "thirteenth argument", LDX(DW, R0, R1, 96), EXIT);
	refuses("offset 4", "half an argument off", LDX(DW, R0, R1, 4), EXIT);
	refuses("computed from the context", "moved context", ALU(ADD, R1, 8), LDX(DW, R0, R1, 0),
		EXIT);
	refuses("writes to the context", "context store", ST(DW, R1, 0, 0), RET0);
	refuses("writes to the context", "context atomic", MOV(R2, 1),
		ATOMIC(DW, BPF_ADD, R1, 0, R2), RET0);
	accepts_as(KP, PROFILE_PT_REGS, "register", LDX(DW, R0, R1, 112), EXIT);
	refuses_as(KP, PROFILE_PT_REGS, "offset 512", "beyond the registers", LDX(DW, R0, R1, 512),
		   EXIT);
	accepts_as(TP, PROFILE_TRACEPOINT, "aligned field", LDX(W, R0, R1, 12), EXIT);
	refuses_as(TP, PROFILE_TRACEPOINT, "offset 12", "unaligned field", LDX(DW, R0, R1, 12),
		   EXIT);
	refuses_as(TP, PROFILE_TRACEPOINT, "offset 4", "common fields", LDX(W, R0, R1, 4), EXIT);
	accepts_as(TP, PROFILE_TRACEPOINT, "address of a field for probe_read", LDX(W, R6, R1, 12),
		   ALU(AND, R6, 0xffff), MOVR(R3, R1), ALUR(ADD, R3, R6), MOVR(R1, R10),
		   ALU(ADD, R1, -16), MOV(R2, 16), CALL(115), RET0);
	accepts_as(PE, PROFILE_PERF_EVENT, "instruction pointer", LDX(DW, R0, R1, 128), EXIT);
	refuses_as(PE, PROFILE_PERF_EVENT, "at least 8", "half a register", LDX(W, R0, R1, 128),
		   EXIT);
	accepts_as(TR, PROFILE_BTF, "load through a trusted pointer", LDX(DW, R6, R1, 0),
		   LDX(W, R7, R6, 40), RET0);
	refuses_as(TR, PROFILE_BTF, "at least 8", "half an argument", LDX(W, R0, R1, 0), EXIT);
	refuses_as(TR, PROFILE_BTF, "no known pointer", "loading through a small number",
		   LDX(DW, R6, R1, 0), LDX(W, R6, R6, 40), LDX(W, R6, R6, 0), RET0);
	refuses_as(TR, PROFILE_BTF, "writes to kernel", "storing through a trusted pointer",
		   LDX(DW, R6, R1, 0), ST(W, R6, 0, 0), RET0);
	accepts("task_btf", CALL(158), LDX(DW, R6, R0, 16), LDX(W, R6, R6, 8), RET0);
}

static void test_ring(void)
{
	accepts("reserve, fill, submit", RESERVE(16), JMP(JEQ, R0, 0, 4), ST(DW, R0, 8, 1),
		MOVR(R1, R0), SUBMIT, RET0);
	refuses("ring record may be NULL", "no null check", RESERVE(16), ST(DW, R0, 8, 1), RET0);
	refuses("ring record is held", "never submitted", RESERVE(16), JMP(JEQ, R0, 0, 1),
		ST(DW, R0, 8, 1), RET0);
	refuses("exits while", "exit while held", RESERVE(16), JMP(JNE, R0, 0, 2), RET0, RET0);
	refuses("has no value", "submitted twice", RESERVE(16), JMP(JEQ, R0, 0, 6), MOVR(R6, R0),
		MOVR(R1, R0), SUBMIT, MOVR(R1, R6), SUBMIT, RET0);
	refuses("r6 is read", "used after submit", RESERVE(16), JMP(JEQ, R0, 0, 5), MOVR(R6, R0),
		MOVR(R1, R0), SUBMIT, ST(DW, R6, 0, 0), RET0);
	refuses("16-byte ring record", "beyond the record", RESERVE(16), JMP(JEQ, R0, 0, 4),
		ST(DW, R0, 16, 1), MOVR(R1, R0), SUBMIT, RET0);
	refuses("not given the start", "submitting its middle", RESERVE(16), JMP(JEQ, R0, 0, 4),
		MOVR(R1, R0), ALU(ADD, R1, 8), SUBMIT, RET0);
	refuses("no ring record", "submitting a value", LDVALUE(R1, DATA, 0), SUBMIT, RET0);
	refuses("must be constant", "variable size", CALL(7), MOVR(R2, R0), LDMAP(R1, RING),
		MOV(R3, 0), CALL(131), RET0);
	refuses("r0 is read", "submit returns nothing", RESERVE(16), JMP(JEQ, R0, 0, 4),
		MOVR(R1, R0), SUBMIT, EXIT, RET0);
	refuses("given to map_lookup_elem", "key in a record", RESERVE(16), JMP(JEQ, R0, 0, 9),
		MOVR(R6, R0), ST(DW, R0, 8, 1), MOVR(R2, R0), LDMAP(R1, HASH), CALL(1),
		MOVR(R1, R6), SUBMIT, RET0);
	accepts("probe_read into a record", RESERVE(16), JMP(JEQ, R0, 0, 8), MOVR(R6, R0),
		MOVR(R1, R0), MOV(R2, 16), MOV(R3, 0), CALL(113), MOVR(R1, R6), SUBMIT, RET0);
	accepts("ringbuf_output", ST(DW, R10, -8, 0), LDMAP(R1, RING), MOVR(R2, R10),
		ALU(ADD, R2, -8), MOV(R3, 8), MOV(R4, 0), CALL(130), RET0);
}

/* copy_from_user(a word of the stack, 8, 0) */
#define WAIT MOVR(R1, R10), ALU(ADD, R1, -8), MOV(R2, 8), MOV(R3, 0), CALL(148)
#define accepts_probe(what, ...)                                                                   \
	accepts_as(BPF_PROG_TYPE_KPROBE, PROFILE_PT_REGS, what, __VA_ARGS__)
#define refuses_probe(text, what, ...)                                                             \
	refuses_as(BPF_PROG_TYPE_KPROBE, PROFILE_PT_REGS, text, what, __VA_ARGS__)

static void test_waiting(void)
{
	refuses_probe("not for programs of this kind", "waiting where programs may not", WAIT,
		      RET0);
	prog_flags = BPF_F_SLEEPABLE;
	accepts_probe("waiting where they may", WAIT, RET0);
	refuses_probe("while a ring record is held", "waiting with a record", RESERVE(16),
		      JMP(JEQ, R0, 0, 9), MOVR(R6, R0), WAIT, MOVR(R1, R6), SUBMIT, RET0);
	accepts_probe("waiting behind a record", RESERVE(16), JMP(JEQ, R0, 0, 3), MOVR(R1, R0),
		      SUBMIT, WAIT, RET0);
	/* r7 counts; the record is submitted, or discarded, and reserved again after sleeping. */
	accepts_probe("a record that is reserved again", MOV(R7, 0), RESERVE(16),
		      JMP(JEQ, R0, 0, 17), MOVR(R6, R0), CALL(7), JMP(JEQ, R0, 0, 11),
		      JMP(JGE, R7, 3, 10), ALU(ADD, R7, 1), MOVR(R1, R6), MOV(R2, 0), CALL(133),
		      WAIT, JA(-20), MOVR(R1, R6), SUBMIT, RET0);
	refuses_probe("no end", "for ever", RESERVE(16), JMP(JEQ, R0, 0, 15), MOVR(R6, R0), CALL(7),
		      JMP(JEQ, R0, 0, 9), MOVR(R1, R6), MOV(R2, 0), CALL(133), WAIT, JA(-18),
		      MOVR(R1, R6), SUBMIT, RET0);
	prog_flags = 0;
}

static void test_lengths(void)
{
	/* the length of a string bounds a later access once it is known to be positive */
	accepts("length of a string", LDVALUE(R1, DATA, 0), MOV(R2, 64), MOV(R3, 0), CALL(115),
		JMP(JSLT, R0, 1, 4), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(B, R0, R1, -1),
		RET0);
	refuses("negative", "length not compared", LDVALUE(R1, DATA, 0), MOV(R2, 64), MOV(R3, 0),
		CALL(115), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R0), LDX(B, R0, R1, -1), RET0);
	refuses("may be negative", "negative size", LDX(DW, R2, R1, 0), LDVALUE(R1, DATA, 0),
		MOV(R3, 0), CALL(113), RET0);
	refuses("may be 0", "size 0 of comm", MOVR(R1, R10), ALU(ADD, R1, -16), MOV(R2, 0),
		CALL(16), RET0);
	accepts("bounded size", LDX(DW, R2, R1, 0), ALU(AND, R2, 63), LDVALUE(R1, DATA, 0),
		MOV(R3, 0), CALL(113), RET0);
	refuses("of a 64-byte", "size too large", LDX(DW, R2, R1, 0), ALU(AND, R2, 127),
		LDVALUE(R1, DATA, 0), MOV(R3, 0), CALL(113), RET0);
}

static void test_loops(void)
{
	accepts("counted loop", MOV(R6, 0), CALL(7), ALU(ADD, R6, 1), JMP(JLT, R6, 100, -3), RET0);
	accepts("counter in a spill slot", ST(DW, R10, -8, 0), MOV(R6, 0), STX(DW, R10, -8, R6),
		CALL(7), LDX(DW, R6, R10, -8), ALU(ADD, R6, 1), STX(DW, R10, -8, R6),
		JMP(JLT, R6, 8, -5), RET0);
	accepts("test at the top", MOV(R6, 0), JMP(JGE, R6, 8, 3), CALL(7), ALU(ADD, R6, 1), JA(-4),
		RET0);
	accepts("nested", MOV(R6, 0), MOV(R7, 0), CALL(7), ALU(ADD, R7, 1), JMP(JLT, R7, 9, -3),
		ALU(ADD, R6, 1), JMP(JLT, R6, 9, -6), RET0);
	accepts("the counter is an index", MOV(R6, 0), LDVALUE(R1, DATA, 0), ALUR(ADD, R1, R6),
		ST(DW, R1, 0, 0), ALU(ADD, R6, 8), JMP(JLT, R6, 64, -6), RET0);
	refuses("offset 64", "the counter runs too far", MOV(R6, 0), LDVALUE(R1, DATA, 0),
		ALUR(ADD, R1, R6), ST(DW, R1, 0, 0), ALU(ADD, R6, 8), JMP(JLT, R6, 72, -6), RET0);
	accepts("a bounded count of turns", CALL(7), ALU(AND, R0, 15), MOVR(R7, R0), MOV(R6, 0),
		JMPR(JGE, R6, R7, 4), JMP(JGE, R6, 16, 3), CALL(7), ALU(ADD, R6, 1), JA(-5), RET0);
	refuses("no end", "endless", JA(-1));
	refuses("no end", "until a random number is 0", CALL(7), JMP(JNE, R0, 0, -2), RET0);
	refuses("follow more than", "a counter that nobody compares", MOV(R6, 0), ALU(ADD, R6, 1),
		CALL(7), JMP(JNE, R0, 0, -3), RET0);
	refuses("follow more than", "too many turns", MOV(R6, 0), ALU(ADD, R6, 1),
		JMP(JLT, R6, 10000000, -2), RET0);
	accepts("leaving from the middle", MOV(R6, 0), CALL(7), JMP(JEQ, R0, 5, 2), ALU(ADD, R6, 1),
		JMP(JLT, R6, 50, -4), RET0);
}

static void test_calls(void)
{
	accepts("a function", MOV(R1, 1), CALLSUB(1), EXIT, MOVR(R0, R1), EXIT);
	refuses("r6 is read", "callee-saved registers are not arguments", MOV(R6, 1), CALLSUB(1),
		EXIT, MOVR(R0, R6), EXIT);
	refuses("its own stack", "returning a frame's address", CALLSUB(2), RET0, MOVR(R0, R10),
		EXIT);
	accepts("writing the caller's stack", MOVR(R1, R10), ALU(ADD, R1, -8), CALLSUB(2),
		LDX(DW, R0, R10, -8), EXIT, ST(DW, R1, 0, 1), RET0);
	refuses("stack of a caller", "leaving an address with the caller", MOVR(R1, R10),
		ALU(ADD, R1, -8), CALLSUB(2), RET0, STX(DW, R1, 0, R10), RET0);
	refuses("each other", "recursion", CALLSUB(-1), EXIT);
	accepts("frames that fit together", ST(DW, R10, -256, 0), CALLSUB(1), EXIT,
		ST(DW, R10, -256, 0), RET0);
	refuses("more than 512", "frames that do not", ST(DW, R10, -256, 0), CALLSUB(1), EXIT,
		ST(DW, R10, -264, 0), RET0);
	refuses("cannot be reached", "a function that nobody calls", RET0, RET0, JA(-1));
}

#define LOOP(...)                                                                                  \
	ST(DW, R10, -8, 0), MOV(R1, 4), LDFUNC(R2, 7), MOVR(R3, R10), ALU(ADD, R3, -8),            \
		MOV(R4, 0), CALL(181), RET0, __VA_ARGS__

static void test_callbacks(void)
{
	accepts("bpf_loop", LOOP(RET0));
	accepts("adding in the caller's stack",
		LOOP(LDX(DW, R3, R2, 0), ALUR(ADD, R3, R1), STX(DW, R2, 0, R3), RET0));
	accepts("counting in the caller's stack",
		LOOP(LDX(DW, R3, R2, 0), ALU(ADD, R3, 1), STX(DW, R2, 0, R3), RET0));
	refuses("must live in a map", "comparing what is counted there",
		LOOP(LDX(DW, R3, R2, 0), JMP(JGT, R3, 3, 4), ALU(ADD, R3, 1), STX(DW, R2, 0, R3),
		     RET0, MOV(R0, 1), EXIT));
	refuses("0 or 1", "result of a callback", LOOP(MOV(R0, 2), EXIT));
	refuses("r3 is read", "arguments that are not given", LOOP(MOVR(R0, R3), EXIT));
	refuses("64-byte map value", "a counter that is an index after some turns",
		LOOP(LDX(DW, R3, R2, 0), LDVALUE(R4, DATA, 0), ALU(AND, R3, 127), ALUR(ADD, R4, R3),
		     ST(B, R4, 0, 0), ALU(ADD, R3, 1), STX(DW, R2, 0, R3), RET0));
	accepts("an index masked in each turn",
		LOOP(LDX(DW, R3, R2, 0), LDVALUE(R4, DATA, 0), ALU(AND, R3, 63), ALUR(ADD, R4, R3),
		     ST(B, R4, 0, 0), ALU(ADD, R3, 1), STX(DW, R2, 0, R3), RET0));
	refuses("is given no function", "no callback", MOV(R1, 4), MOV(R2, 0), MOV(R3, 0),
		MOV(R4, 0), CALL(181), RET0);
	refuses("a ring record", "a record reserved in a callback",
		LOOP(RESERVE(8), JMP(JNE, R0, 0, 0), RET0));
	accepts("for_each_map_elem", LDMAP(R1, HASH), LDFUNC(R2, 6), MOV(R3, 0), MOV(R4, 0),
		CALL(164), RET0, LDX(DW, R0, R2, 0), LDX(DW, R5, R3, 8), RET0);
	refuses("16-byte map value", "beyond the element", LDMAP(R1, HASH), LDFUNC(R2, 6),
		MOV(R3, 0), MOV(R4, 0), CALL(164), RET0, LDX(DW, R5, R3, 16), RET0);
	refuses("writes to the key", "changing the key", LDMAP(R1, HASH), LDFUNC(R2, 6), MOV(R3, 0),
		MOV(R4, 0), CALL(164), RET0, ST(DW, R2, 0, 0), RET0);
}

static void test_atomics(void)
{
	accepts("fetch add", LDVALUE(R1, DATA, 0), MOV(R2, 1),
		ATOMIC(DW, BPF_ADD | BPF_FETCH, R1, 0, R2), MOVR(R0, R2), EXIT);
	accepts("cmpxchg", LDVALUE(R1, DATA, 0), MOV(R0, 1), MOV(R2, 1),
		ATOMIC(DW, BPF_CMPXCHG, R1, 0, R2), EXIT);
	refuses("r0 is read", "cmpxchg without r0", LDVALUE(R1, DATA, 0), MOV(R2, 1),
		ATOMIC(DW, BPF_CMPXCHG, R1, 0, R2), EXIT);
	refuses("not a multiple", "unaligned", LDVALUE(R1, DATA, 4), MOV(R2, 1),
		ATOMIC(DW, BPF_ADD, R1, 0, R2), RET0);
	refuses("no atomic operation", "one byte", LDVALUE(R1, DATA, 0), MOV(R2, 1),
		ATOMIC(B, BPF_ADD, R1, 0, R2), RET0);
	refuses("never written", "on a stack never written", MOV(R2, 1),
		ATOMIC(DW, BPF_ADD, R10, -8, R2), RET0);
}

int main(void)
{
	test_shape();
	test_registers();
	test_stack();
	test_values();
	test_bounds();
	test_context();
	test_ring();
	test_waiting();
	test_lengths();
	test_loops();
	test_calls();
	test_callbacks();
	test_atomics();
	return done();
}
