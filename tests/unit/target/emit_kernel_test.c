/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emitted code loads and means the same in the kernel: random IR goes to the verifier of the
 * running kernel and, if it loads, is run once by BPF_PROG_TEST_RUN (nothing is attached); result
 * and data map must be those of the direct run (ir_run.h). Our own verifier must accept it too.
 * Needs root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "ir_gen.h"
#include "ir_run.h"
#include "tap.h"
#include "target/mach.h"

enum { LOG_SIZE = 1 << 20, CTX_GIVEN = GEN_CTX };

static char verifier_log[LOG_SIZE];
static u8 ctx[GEN_CTX] __attribute__((aligned(8)));

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(__NR_bpf, cmd, attr, sizeof *attr);
}

static u64 address(const void *p)
{
	return (u64)(uintptr_t)p;
}

static int create_data(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = 4,
				.value_size = GEN_DATA,
				.max_entries = 1 };

	return bpf(BPF_MAP_CREATE, &attr);
}

static void set_data(int fd, const u8 *data)
{
	u32 key = 0;
	union bpf_attr attr = { .map_fd = (u32)fd, .key = address(&key), .value = address(data) };

	bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static void get_data(int fd, u8 *data)
{
	u32 key = 0;
	union bpf_attr attr = { .map_fd = (u32)fd, .key = address(&key), .value = address(data) };

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

static int load(const struct bpf_func *f, int map)
{
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				.insns = address(f->insns),
				.insn_cnt = f->n_insns,
				.license = address("GPL") };
	int fd;

	for (u32 i = 0; i < f->n_relocs; i++)
		if (f->relocs[i].kind == RELOC_MAP_VALUE)
			f->insns[f->relocs[i].insn].imm = map;
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd >= 0)
		return fd;
	attr.log_buf = address(verifier_log);
	attr.log_size = LOG_SIZE;
	attr.log_level = 1;
	verifier_log[0] = '\0';
	return bpf(BPF_PROG_LOAD, &attr);
}

static int run(int prog, u32 *result)
{
	union bpf_attr attr = {
		.test = { .prog_fd = (u32)prog, .ctx_in = address(ctx), .ctx_size_in = CTX_GIVEN }
	};
	int r = bpf(BPF_PROG_TEST_RUN, &attr);

	*result = attr.test.retval;
	return r;
}

struct tally {
	u32 refused, checker_refused, failed, wrong, loaded, insns;
};

static const char *tail(const char *log)
{
	const char *end = log + strlen(log);

	for (int lines = 0; end > log && (end[-1] != '\n' || ++lines < 8);)
		end--;
	return end;
}

static void compare(u64 seed, const struct bpf_func *f, int prog, int map, const u8 *before,
		    u64 want, const u8 *want_data, struct tally *t)
{
	u8 data[GEN_DATA];
	u32 result;

	set_data(map, before);
	if (run(prog, &result)) {
		t->failed++;
		return;
	}
	get_data(map, data);
	if (result != (u32)want || memcmp(data, want_data, GEN_DATA)) {
		fprintf(stderr, "seed %llu: got %x, want %x\n", (unsigned long long)seed, result,
			(u32)want);
		t->wrong++;
	}
	t->loaded++;
	t->insns += f->n_insns;
}

static struct map_desc data_desc = { .name = ".data",
				     .role = MAP_DATA,
				     .bpf_type = BPF_MAP_TYPE_ARRAY,
				     .key_size = 4,
				     .value_size = GEN_DATA,
				     .max_entries = 1 };

static void check(u64 seed, const struct program *prog, const struct bpf_func *f, u32 allowed,
		  struct tally *t)
{
	static const struct profile profile = { .kind = PROFILE_RAW_TP };
	struct verify_error e = { 0 };

	if (!target_verify(prog, f, &profile, &e))
		return;
	fprintf(stderr, "seed %llu, registers %x: our checker refuses instruction %u: %s\n",
		(unsigned long long)seed, allowed, e.insn, e.text);
	t->checker_refused++;
}

static void try_one(u64 seed, bool passes, bool modern, const struct limits *limits, int map,
		    struct tally *t)
{
	struct arena a = { 0 };
	struct features ft = { 0 };
	struct program prog = { .arena = &a };
	struct bpf_func f = { .name = "test", .load.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	static u8 before[GEN_DATA] __attribute__((aligned(8))),
		after[GEN_DATA] __attribute__((aligned(8)));
	struct ir_unit *u = gen_unit(&a, seed, 4 + (u32)(seed % 24), true);
	struct ir_run r = { .u = u, .ctx = ctx, .data = after };
	u64 want;

	vec_push(&a, &prog.maps, data_desc);
	for (u32 i = 0; i < GEN_DATA; i++)
		after[i] = before[i] = (u8)(seed * 7 + i * 13);
	for (u32 i = 0; i < GEN_CTX; i++)
		ctx[i] = (u8)(seed * 3 + i * 29);
	want = run_func(&r, 0, NULL, 0);
	memset(ft.known, modern ? 1 : -1, sizeof ft.known);
	if (passes)
		ir_optimize(u, NULL);
	if (!r.error && !target_emit_with(u, &ft, &f, limits)) {
		check(seed, &prog, &f, limits->regs, t);
		_fd int fd = load(&f, map);

		if (fd >= 0) {
			compare(seed, &f, fd, map, before, want, after, t);
		} else {
			fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed,
				tail(verifier_log));
			t->refused++;
		}
	}
	arena_release(&a);
}

static u64 number_from(const char *name, u64 dflt)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : dflt;
}

int main(void)
{
	u64 n = number_from("SONDE_CASES", 200), first = number_from("SONDE_SEED", 1);
	_fd int map = create_data();
	static const struct limits all = { ALL_REGS, FAR }, few = { FEW_REGS, NEAR };
	struct tally t = { 0 };

	if (map < 0) {
		skip("no permission to create maps and load programs");
		return done();
	}
	for (u64 i = first; i < first + n; i++) {
		try_one(i, false, false, &all, map, &t);
		try_one(i, true, true, &all, map, &t);
		try_one(i, true, i & 1, &few, map, &t);
	}
	is_int(t.refused, 0, "the kernel loads what is emitted");
	is_int(t.checker_refused, 0, "our checker accepts what is emitted");
	is_int(t.failed, 0, "test runs work");
	is_int(t.wrong, 0, "%u programs, %u instructions: results as the IR says", t.loaded,
	       t.insns);
	return done();
}
