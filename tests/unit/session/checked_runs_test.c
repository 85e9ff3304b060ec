/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the checker of target/ accepts, the machine of vm/ runs without a fault: the same property
 * as tests/fuzz/fuzz_bpf.c, over programs that are the same in each run.
 *
 *	CHECKED_RUNS_N=1000000 CHECKED_RUNS_SEED=5 unit-session-checked_runs	a longer run
 */
#include <errno.h>
#include <stdlib.h>

#include "tap.h"
#include "target/target.h"
#include "tests/fuzz/bpf_gen.h"
#include "vm/vm.h"

static u64 number_from(const char *name, u64 dflt)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : dflt;
}

static u64 next(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Runs the program on a few contexts, zeroes among them. */
static bool runs(struct program *prog, u64 x, u64 seed)
{
	static const struct vm_world world = { .n_cpus = 2, .cpu = 1, .pid_tgid = 0x1234000012ff };
	struct vm *vm = vm_new(prog, &world);
	struct err err = { 0 };
	bool good = true;

	vm_set_limit(vm, 100000);
	for (u32 turn = 0; turn < 4 && good; turn++) {
		u64 ctx[GEN_CTX / 8];

		for (u32 i = 0; i < ARRAY_SIZE(ctx); i++)
			ctx[i] = turn ? next(&x) >> (x & 63) : 0;
		if (vm_run(vm, 0, ctx, sizeof ctx, NULL, &err) < 0 && err.code != -ELOOP) {
			note("seed %llu was accepted, but: %s", (unsigned long long)seed, err.text);
			good = false;
		}
	}
	err_release(&err);
	vm_free(vm);
	return good;
}

int main(void)
{
	static const struct profile profile = { .kind = PROFILE_RAW_TP };
	u64 n = number_from("CHECKED_RUNS_N", 4000), first = number_from("CHECKED_RUNS_SEED", 1);
	u32 accepted = 0, bad = 0;

	for (u64 seed = first; seed < first + n; seed++) {
		u64 x = (seed + 1) * 0x9e3779b97f4a7c15;
		struct verify_error error;
		struct program prog;
		struct arena a;
		struct gen g;
		u8 bytes[256];
		u32 len = 20 + (u32)(x >> 33) % 180;

		for (u32 i = 0; i < len; i++)
			bytes[i] = (u8)(next(&x) >> 11);
		asm_program(&prog, &a);
		gen_maps(&prog);
		gen_program(&g, bytes, len);
		asm_func(&prog, BPF_PROG_TYPE_RAW_TRACEPOINT, g.insn, g.n_insns);
		if (!target_verify(&prog, prog.funcs.v[0], &profile, &error)) {
			accepted++;
			bad += !runs(&prog, x, seed);
		}
		arena_release(&a);
	}
	note("%u of %llu programs accepted", accepted, (unsigned long long)n);
	is_int(bad, 0, "accepted programs that fault");
	ok(n < 1000 || accepted > n / 20, "enough are accepted");
	return done();
}
