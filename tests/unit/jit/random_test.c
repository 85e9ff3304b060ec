/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random programs of every instruction, in the interpreter and compiled in this process: the same
 * memory afterwards, and all registers of the site as they were.
 */
#include "jit/jit.h"
#include "run.h"
#include "tests/unit/bpf_asm.h"
#include "tests/unit/tap.h"
#include "type/bpf_isa.h"
#include "vm/vm.h"

#ifdef __x86_64__
RUN_DEFINE

enum { DATA = 512, PROGRAMS = 4000, MOST = 120, STACK_WORDS = 8 };

static u64 seed;

static u32 pick(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 20) % n;
}

static u64 number(void)
{
	static const u64 corners[] = { 0,          1,
				       2,          ~0ull,
				       1ull << 63, (1ull << 63) - 1,
				       1ull << 31, (1ull << 31) - 1,
				       ~0u,        1ull << 32,
				       0x8080,     63,
				       64,         32 };

	switch (pick(3)) {
	case 0: return corners[pick(ARRAY_SIZE(corners))];
	case 1: return pick(200);
	}
	pick(2);
	return seed * 0x9e3779b97f4a7c15;
}

/* r8: context, r9: data; r0 to r7 hold numbers. */
struct random_program {
	struct bpf_insn v[4 * MOST + 100];
	u32 n;
};

#define PUT(p, ...)                                                                                \
	do {                                                                                       \
		const struct bpf_insn put_[] = { __VA_ARGS__ };                                    \
		memcpy((p)->v + (p)->n, put_, sizeof(put_));                                       \
		(p)->n += ARRAY_SIZE(put_);                                                        \
	} while (0)

static void put_alu(struct random_program *p)
{
	static const u8 ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND, BPF_LSH,
				  BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH };
	u8 op = ops[pick(ARRAY_SIZE(ops))], class = pick(2) ? BPF_ALU64 : BPF_ALU;
	u32 bits = class == BPF_ALU64 ? 64 : 32;
	bool is_shift = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
	struct bpf_insn i = INSN(class | op, pick(8), 0, 0, 0);

	if (op == BPF_DIV || op == BPF_MOD)
		i.off = (s16)pick(2);
	if (op != BPF_NEG && pick(2)) {
		i.code |= BPF_X;
		i.src_reg = pick(8) & 15;
		if (op == BPF_MOV)
			i.off = (s16)(pick(2) ? 0 : 8 << pick(3) & (class == BPF_ALU ? 24 : 56));
	} else if (op != BPF_NEG) {
		i.imm = is_shift ? (s32)pick(bits) : (s32)number();
	}
	PUT(p, i);
}

static void put_order(struct random_program *p)
{
	u8 class = pick(2) ? BPF_ALU64 : BPF_ALU;

	PUT(p, INSN(class | BPF_END | (class == BPF_ALU && pick(2) ? BPF_TO_BE : BPF_TO_LE),
		    pick(8), 0, 0, 16 << pick(3)));
}

static const u8 sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };
static const u8 bytes[] = { 1, 2, 4, 8 };

static void put_memory(struct random_program *p)
{
	u32 s = pick(4), stack = pick(2), base = stack ? 10 : 9;
	s32 off = stack ? -(s32)pick(8 * STACK_WORDS / bytes[s]) * bytes[s] - bytes[s] :
			  (s32)pick((DATA - 128) / bytes[s]) * bytes[s] + 128;

	switch (pick(5)) {
	case 0: PUT(p, STX(sizes[s], base, off, pick(8))); break;
	case 1: PUT(p, ST(sizes[s], base, off, (s32)number())); break;
	case 2:
		if (s < 3) {
			PUT(p, INSN(BPF_LDX | BPF_MEMSX | sizes[s], pick(8), base, off, 0));
			break;
		}
		__attribute__((fallthrough));
	case 3: PUT(p, LDX(sizes[s], pick(8), base, off)); break;
	default: /* ip, cs, flags, sp and ss differ or are refused */
		PUT(p, LDX(sizes[s], pick(8), 8, (s32)pick(120 / bytes[s]) * bytes[s]));
	}
}

static void put_atomic(struct random_program *p)
{
	static const s32 ops[] = { BPF_ADD,
				   BPF_OR,
				   BPF_AND,
				   BPF_XOR,
				   BPF_ADD | BPF_FETCH,
				   BPF_OR | BPF_FETCH,
				   BPF_AND | BPF_FETCH,
				   BPF_XOR | BPF_FETCH,
				   BPF_XCHG,
				   BPF_CMPXCHG,
				   BPF_LOAD_ACQ,
				   BPF_STORE_REL };
	s32 op = ops[pick(ARRAY_SIZE(ops))];
	u32 s = 2 + pick(2), stack = pick(2), base = stack ? 10 : 9;
	s32 off = stack ? -8 * (s32)(1 + pick(STACK_WORDS)) : 128 + 8 * (s32)pick((DATA - 128) / 8);

	if (op == BPF_LOAD_ACQ)
		PUT(p, ATOMIC(sizes[s], op, pick(8), off, base));
	else
		PUT(p, ATOMIC(sizes[s], op, base, off, pick(8)));
}

static void put_jump(struct random_program *p, u32 distance)
{
	static const u8 ops[] = { BPF_JEQ,  BPF_JNE,  BPF_JGT,  BPF_JGE,  BPF_JLT, BPF_JLE,
				  BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE, BPF_JSET };
	u8 class = pick(2) ? BPF_JMP : BPF_JMP32;
	bool reg = pick(2);

	PUT(p, INSN(class | ops[pick(ARRAY_SIZE(ops))] | (reg ? BPF_X : BPF_K), pick(8),
		    reg ? pick(8) : 0, distance, reg ? 0 : (s32)number()));
}

static void put_one(struct random_program *p)
{
	switch (pick(6)) {
	case 0:
	case 1:
	case 2: put_alu(p); break;
	case 3: put_memory(p); break;
	case 4: put_atomic(p); break;
	default: put_order(p);
	}
}

/* in_memory: the context is used so that it needs an address. */
static void make(struct random_program *p, u32 data_map, bool in_memory)
{
	u32 n = 5 + pick(MOST);

	p->n = 0;
	if (in_memory)
		PUT(p, JMP(JEQ, R1, 0, 0));
	PUT(p, MOVR(R8, R1), LDVALUE(R9, data_map, 0));
	for (u32 r = 0; r < 8; r++)
		PUT(p, LD64(r, number()));
	for (u32 i = 1; i <= STACK_WORDS; i++)
		PUT(p, STX(DW, R10, -8 * (s32)i, i - 1));
	for (u32 i = 0; i < n; i++) {
		u32 distance = pick(4);

		if (pick(5)) {
			put_one(p);
			continue;
		}
		put_jump(p, distance);
		for (u32 k = 0; k < distance; k++)
			put_one(p);
	}
	for (u32 r = 0; r < 8; r++)
		PUT(p, STX(DW, R9, 8 * r, r));
	for (u32 i = 1; i <= STACK_WORDS; i++)
		PUT(p, LDX(DW, R0, R10, -8 * (s32)i), STX(DW, R9, 56 + 8 * i, R0));
	PUT(p, MOV(R0, 0), EXIT);
}

static void set_up(struct program *prog, struct arena *a)
{
	asm_program(prog, a);
	prog->data_map = asm_map(prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, DATA, 1);
	prog->data_size = DATA;
	prog->data = arena_alloc(a, DATA);
	for (u32 i = 0; i < DATA; i++)
		prog->data[i] = (u8)pick(256);
}

static void dump(const struct program *prog)
{
	const struct bpf_func *f = prog->funcs.v[0];

	for (u32 i = 0; i < f->n_insns; i++)
		note("%3u: %02x r%u r%u off %d imm %d", i, f->insns[i].code, f->insns[i].dst_reg,
		     f->insns[i].src_reg, f->insns[i].off, f->insns[i].imm);
}

/* Where the two differ; NULL: nowhere. */
static const char *compare(struct program *prog, const struct jit_site *site, struct err *err)
{
	static char text[200];
	struct vm_world world = { .n_cpus = 1 };
	struct native n = { 0 };
	struct registers regs = { { 0 } };
	struct vm *vm = vm_new(prog, &world);
	const char *ret = NULL;
	u32 changed;

	for (u32 i = 0; i < 15; i++)
		regs.v[i] = number();
	if (vm_run(vm, 0, &regs, sizeof regs, NULL, err) < 0)
		ret = err->text;
	else if (native_open(&n, prog, 1, err) < 0 ||
		 native_compile(&n, prog, 0, site, (struct jit_world){ 0 }, err) < 0)
		ret = err->text;
	else {
		changed = native_run(&n, &regs, site->free & 1u << X10 ? 1u << 6 | 1u << 7 : 0);
		if (changed) {
			snprintf(text, sizeof text, "registers changed: 0x%x", changed);
			ret = text;
		}
		for (u32 i = 0; i < DATA && !ret; i += 8) {
			u64 a = vm_data_u64(vm, i), b;

			memcpy(&b, n.block + n.maps.v[prog->data_map].offset + i, 8);
			if (a == b)
				continue;
			snprintf(text, sizeof text, "offset %u: interpreter %llx, compiled %llx", i,
				 (unsigned long long)a, (unsigned long long)b);
			ret = text;
		}
	}
	if (n.code)
		native_close(&n);
	vm_free(vm);
	return ret;
}

int main(void)
{
	const struct jit_site entry = { .free = 1u << X10 | 1u << X11 },
			      middle = { .is_in_frame = 1 };
	u32 n_bad = 0;

	for (u32 i = 0; i < PROGRAMS && n_bad < 3; i++) {
		struct random_program p;
		struct program prog;
		struct err err = { 0 };
		struct arena a;
		const char *bad;

		seed = 0x9e3779b97f4a7c15 * (i + 1);
		set_up(&prog, &a);
		make(&p, prog.data_map, i % 3 == 0);
		asm_func(&prog, BPF_PROG_TYPE_KPROBE, p.v, p.n);
		bad = compare(&prog, i & 1 ? &entry : &middle, &err);
		if (bad) {
			n_bad++;
			note("program %u: %s", i, bad);
			if (n_bad == 1)
				dump(&prog);
		}
		err_release(&err);
		arena_release(&a);
	}
	is_int(n_bad, 0, "%u random programs: compiled as interpreted", PROGRAMS);
	return done();
}
#else
int main(void)
{
	ok(true, "compiled code is x86-64");
	return done();
}
#endif
