/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Location expressions from damaged files: operations of any kind, with any operands, become a
 * location or a reason, and the location's steps never take more words than there are. libdw
 * itself, which decodes files into operations, is not ours to check here.
 */
#include <stdlib.h>
#include "object/dwarf_file.h"
#include "object/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#if SONDE_HAVE_LIBDW

static const s16 registers[] = { 80, 96, 88, 40, 104, 112, 32, 152, 72,
				 64, 56, 48, 24, 16,  8,   0,  128 };

static void check_steps(const struct loc *loc)
{
	static const u8 pops[N_LOC_OPS] = {
		[LOP_DEREF] = 1, [LOP_EXT] = 1, [LOP_SWAP] = 2, [LOP_ROT] = 3, [LOP_DROP] = 1,
		[LOP_ADD] = 2,   [LOP_SUB] = 2, [LOP_MUL] = 2,  [LOP_DIV] = 2, [LOP_MOD] = 2,
		[LOP_AND] = 2,   [LOP_OR] = 2,  [LOP_XOR] = 2,  [LOP_SHL] = 2, [LOP_SHR] = 2,
		[LOP_SAR] = 2,   [LOP_NEG] = 1, [LOP_NOT] = 1,  [LOP_ABS] = 1, [LOP_EQ] = 2,
		[LOP_NE] = 2,    [LOP_LT] = 2,  [LOP_LE] = 2,   [LOP_GT] = 2,  [LOP_GE] = 2,
	};
	u32 depth = 0;

	for (u32 i = 0; i < loc->n; i++) {
		enum loc_op op = loc->step[i].op;
		u32 pushes = op == LOP_DROP ? 0 : op == LOP_SWAP ? 2 : op == LOP_ROT ? 3 : 1;

		if (op >= N_LOC_OPS || depth < pops[op] ||
		    (op == LOP_PICK && (u64)loc->step[i].value >= depth))
			abort();
		depth += pushes - pops[op];
		if (depth > LOC_MAX_DEPTH)
			abort();
	}
	if (!depth)
		abort();
}

/* Whose thread-local variables they may be: a program, and a library that goes by the thread's
 * vector. */
static struct elf *some_file(bool library)
{
	static struct elf *file[2];

	if (!file[0]) {
		file[0] = elf_open("/proc/self/exe", &(struct err){});
		file[1] = elf_open("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", &(struct err){});
	}
	return file[library && file[1]];
}

/* 4 bytes an operation: the operation, two small operands, and a block for those that have one. */
static size_t operations(const uint8_t *data, size_t size, Dwarf_Op *ops, u8 (*block)[4],
			 size_t max)
{
	size_t n = 0;

	for (; n < max && size >= 4; n++, data += 4, size -= 4) {
		memcpy(block[n], (u8[]){ data[1] & 7, data[2], data[3], 0 }, 4);
		ops[n] = (Dwarf_Op){ .atom = data[0],
				     .number = (Dwarf_Word)(s64)(s8)data[1],
				     .number2 = data[2] };
		if (data[0] == DW_OP_implicit_value || data[0] == DW_OP_entry_value ||
		    data[0] == DW_OP_GNU_entry_value) {
			ops[n].number = data[1] & 1;
			block[n][0] = data[1] & 1;
			ops[n].number2 = (Dwarf_Word)(uintptr_t)block[n];
		}
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MAX_OPS = 80 };
	static const struct dwarf_registers regs = { .offset = registers,
						     .n = ARRAY_SIZE(registers),
						     .ip = 128 };
	struct dwarf d = { .regs = &regs,
			   .f = dw_load(&(struct err){}),
			   .file = some_file(size & 2) };
	struct expr_context at = { .d = &d, .pc = 0x1000, .at_entry = size & 1 };
	Dwarf_Op ops[MAX_OPS];
	u8 block[MAX_OPS][4];
	const char *why = NULL;
	struct loc loc = {};
	size_t n = operations(data, size, ops, block, MAX_OPS);

	arena_init(&d.arena);
	if (!expr_to_loc(&at, ops, n, &loc, &why)) {
		if (!why)
			abort();
	} else if (loc.kind == LOC_EXPR) {
		check_steps(&loc);
	} else if (loc.kind == LOC_PIECES) {
		for (u32 i = 0; i < loc.n; i++)
			if (loc.piece[i].loc.kind == LOC_EXPR)
				check_steps(&loc.piece[i].loc);
	}
	arena_release(&d.arena);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return (void)data, (void)size, 0;
}

#endif
