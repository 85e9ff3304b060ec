/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets in struct pt_regs of registers, by their DWARF numbers. */
#include <elf.h>
#include "base/base.h"
#include "object/dwarf.h"
#include "provider/dwarf_registers.h"

/* DWARF's numbers of registers: x86-64 psABI 1.0, 3.6.2; DWARF for the Arm 64-bit architecture,
 * 4.1. */
static const s16 x86_64_numbers[] = { /* ax dx cx bx si di bp sp r8-r15 ip */
				      80, 96, 88, 40, 104, 112, 32, 152, 72,
				      64, 56, 48, 24, 16,  8,   0,  128
};
static const s16 arm64_numbers[] = { /* x0-x30 sp pc */
				     0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,
				     88,  96,  104, 112, 120, 128, 136, 144, 152, 160, 168,
				     176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256
};
static const struct dwarf_registers x86_64_registers = { .offset = x86_64_numbers,
							 .n = ARRAY_SIZE(x86_64_numbers),
							 .ip = 128,
							 .vector = 17,
							 .n_vectors = 50,
							 .arguments =
								 1 << 5 | 1 << 4 | 1 << 1 | 1 << 2 |
								 1 << 8 |
								 1 << 9 /* di si dx cx r8 r9 */ };
static const struct dwarf_registers arm64_registers = { .offset = arm64_numbers,
							.n = ARRAY_SIZE(arm64_numbers),
							.ip = 256,
							.vector = 64,
							.n_vectors = 32,
							.arguments = 0xff /* x0-x7 */ };

/* i386 psABI 1.1, 2.5; arguments come in registers where the compiler knows all callers. */
static const s16 i386_numbers[] = { /* ax cx dx bx sp bp si di ip */ 80,
				    88,
				    96,
				    40,
				    152,
				    32,
				    104,
				    112,
				    128 };
static const struct dwarf_registers i386_registers = { .offset = i386_numbers,
						       .n = ARRAY_SIZE(i386_numbers),
						       .ip = 128,
						       .vector = 11,
						       .n_vectors = 26,
						       .arguments = 1 << 0 | 1 << 1 | 1 << 2 };

const struct dwarf_registers *dwarf_registers_of(u16 machine)
{
	switch (machine) {
	case EM_AARCH64: return &arm64_registers;
	case EM_386: return &i386_registers;
	default: return &x86_64_registers;
	}
}
