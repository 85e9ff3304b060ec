/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The estimate of the instructions that a verifier processes: n conditions one after another, each
 * adds to a number or does not. If the number is not needed, paths merge after each condition; as
 * an offset into memory it keeps all of them apart.
 */
#include "bpf_asm.h"
#include "tap.h"
#include "target/target.h"

enum { DATA, MOST = 1000000 };

static u64 followed(u32 n_conditions, bool as_offset, u64 enough)
{
	const struct bpf_insn each[] = { CALL(7 /* a random number */), JMP(JEQ, R0, 0, 1),
					 ALU(ADD, R6, 0) };
	const struct bpf_insn tail[] = {
		LDVALUE(R1, DATA, 0), ALU(AND, R6, 31), as_offset ? ALUR(ADD, R1, R6) : MOV(R6, 0),
		LDX(B, R0, R1, 0),    MOV(R0, 0),       EXIT
	};
	struct bpf_insn insns[1 + 3 * 40 + ARRAY_SIZE(tail)] = { MOV(R6, 0) };
	struct profile profile = { .kind = PROFILE_RAW_TP };
	struct program prog;
	struct arena a;
	u32 n = 1;
	u64 r;

	for (u32 i = 0; i < n_conditions; i++, n += 3) {
		memcpy(&insns[n], each, sizeof each);
		insns[n + 2].imm = 1 << i % 5;
	}
	memcpy(&insns[n], tail, sizeof tail);
	asm_program(&prog, &a);
	prog.data_map = asm_map(&prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
	asm_func(&prog, BPF_PROG_TYPE_RAW_TRACEPOINT, insns, n + ARRAY_SIZE(tail));
	r = target_verifier_cost(&prog, prog.funcs.v[0], &profile, enough, MOST);
	arena_release(&a);
	return r;
}

int main(void)
{
	u64 together = followed(5, false, 0), apart = followed(5, true, 0);

	ok(together > 15 && together < 60, "ways that meet are followed once: %llu",
	   (unsigned long long)together);
	ok(apart >= 32 * 7 && apart < 600, "ways that are told apart are followed each: %llu",
	   (unsigned long long)apart);
	ok(followed(40, false, 0) < 500, "forty conditions that nobody asks for");
	ok(followed(40, false, MOST / 2) < 500, "... and counting does for them");
	ok(followed(40, true, MOST / 2) > 1000,
	   "what is asked for is more than counting can show to be short");
	return done();
}
