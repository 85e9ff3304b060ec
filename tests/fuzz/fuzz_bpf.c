/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the checker accepts runs without a fault: no bad access, no bad opcode, no ring record left.
 * Half of the inputs are programs made by bpf_gen.h, the other half are instructions as they come.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "target/target.h"
#include "tests/fuzz/bpf_gen.h"
#include "vm/vm.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t n);

static void run(struct program *prog, u64 seed)
{
	static const struct vm_world world = { .n_cpus = 2, .cpu = 1, .pid_tgid = 0x1234000012ff };
	struct vm *vm = vm_new(prog, &world);
	u64 ctx[GEN_CTX / 8];
	struct err err = {};

	vm_set_limit(vm, 200000);
	for (u32 turn = 0; turn < 4; turn++) {
		for (u32 i = 0; i < ARRAY_SIZE(ctx); i++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			ctx[i] = seed >> (seed & 63);
		}
		if (vm_run(vm, 0, ctx, sizeof(ctx), NULL, &err) < 0 && err.code != -ELOOP) {
			fprintf(stderr, "accepted, but: %s\n", err.text);
			abort();
		}
	}
	err_release(&err);
	vm_free(vm);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t n)
{
	const struct profile profile = { .kind = PROFILE_RAW_TP };
	struct verify_error error;
	struct program prog;
	struct arena a;
	struct gen g;

	if (n < 2)
		return 0;
	asm_program(&prog, &a);
	gen_maps(&prog);
	if (bytes[0] & 1) {
		gen_program(&g, bytes + 1, n - 1);
		asm_func(&prog, BPF_PROG_TYPE_RAW_TRACEPOINT, g.insn, g.n_insns);
	} else {
		u32 n_insns = (u32)MIN((n - 1) / sizeof(struct bpf_insn), (size_t)GEN_MAX);

		memcpy(g.insn, bytes + 1, n_insns * sizeof(struct bpf_insn));
		asm_func(&prog, BPF_PROG_TYPE_RAW_TRACEPOINT, g.insn, n_insns);
	}
	if (!target_verify(&prog, prog.funcs.v[0], &profile, &error))
		run(&prog, bytes[n - 1] + n);
	arena_release(&a);
	return 0;
}
