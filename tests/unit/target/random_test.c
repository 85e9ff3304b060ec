/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiler's back end against the meaning of its input: random IR is run directly (ir_run.h)
 * and as BPF (bpf_mini.h), with and without passes, with all registers and with three, with jumps
 * that reach 64 instructions, for old kernels and new ones. Results and the data map must agree.
 * SONDE_CASES and SONDE_SEED choose how many and which.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bpf_mini.h"
#include "ir_gen.h"
#include "ir_run.h"
#include "tap.h"
#include "target/mach.h"

struct outcome {
	u64 result;
	u8 data[GEN_DATA] __attribute__((aligned(8)));
	const char *error;
};

static u8 ctx[GEN_CTX] __attribute__((aligned(8)));

static void fill(u8 *p, u32 n, u64 seed)
{
	for (u32 i = 0; i < n; i++)
		p[i] = (u8)((seed + i) * 2654435761u >> 13);
}

static void run_ir(const struct ir_unit *u, u64 seed, struct outcome *o)
{
	struct ir_run r = { .u = u, .ctx = ctx, .data = o->data };

	fill(o->data, GEN_DATA, seed);
	o->result = run_func(&r, 0, NULL, 0);
	o->error = r.error;
}

static void run_bpf(const struct bpf_func *f, u64 seed, struct outcome *o)
{
	static struct mini m;
	u64 arg[N_CALL_ARGS] = { (u64)(uintptr_t)ctx };

	m.f = f;
	m.data = o->data;
	m.steps = 0;
	m.error = NULL;
	fill(o->data, GEN_DATA, seed);
	o->result = mini_run(&m, 0, arg, 0);
	o->error = m.error;
}

static void show(const struct ir_unit *u, const struct bpf_func *f)
{
	struct buf b = { 0 };

	ir_print(&b, u);
	if (f->insns)
		target_dump(&b, NULL, f);
	fprintf(stderr, "%s", b.s);
	buf_release(&b);
}

static bool print_and_parse(struct arena *a, const struct ir_unit *u)
{
	struct buf one = { 0 }, two = { 0 };
	const char *error = NULL;
	struct ir_unit *back;
	bool same;

	ir_print(&one, u);
	back = ir_parse(a, NULL, one.s, &error);
	if (back)
		ir_print(&two, back);
	same = back && !strcmp(one.s, two.s);
	if (!same)
		fprintf(stderr, "%s\n%s", error ? error : "differs", one.s);
	buf_release(&one);
	buf_release(&two);
	return same;
}

struct variant {
	bool passes, modern;
	struct limits limits;
};

/* 0 agrees, 1 differs, 2 does not fit the frame */
static int try_variant(u64 seed, u32 size, const struct variant *v, const struct outcome *want)
{
	struct arena a = { 0 };
	struct features ft = { 0 };
	struct bpf_func f = { 0 };
	static struct outcome got;
	struct ir_unit *u = gen_unit(&a, seed, size, false);
	int r;

	memset(ft.known, v->modern ? 1 : -1, sizeof ft.known);
	if (v->passes) {
		ir_optimize(u, NULL);
		ir_verify(u);
	}
	r = target_emit_with(u, &ft, &f, &v->limits);
	if (r) {
		arena_release(&a);
		return 2;
	}
	run_bpf(&f, seed, &got);
	r = got.error || got.result != want->result || memcmp(got.data, want->data, GEN_DATA);
	if (r) {
		fprintf(stderr,
			"seed %llu size %u passes %d modern %d registers %x: %s, got %llx want %llx\n",
			(unsigned long long)seed, size, v->passes, v->modern, v->limits.regs,
			got.error ? got.error : "differs", (unsigned long long)got.result,
			(unsigned long long)want->result);
		if (getenv("SONDE_SHOW"))
			show(u, &f);
	}
	arena_release(&a);
	return r;
}

static const struct variant variants[] = {
	{ false, true, { ALL_REGS, FAR } },
	{ true, true, { ALL_REGS, FAR } },
	{ true, false, { ALL_REGS, NEAR } },
	{ false, false, { FEW_REGS, FAR } },
	{ true, true, { FEW_REGS, NEAR } },
	{ true, true, { 1 << R1 | 1 << R2 | 1 << R3 | 1 << R6, FAR } },
	{ true, false, { 1 << R0 | 1 << R3 | 1 << R5, FAR } },
	{ false, true, { 1 << R6 | 1 << R8 | 1 << R9, FAR } },
};

struct tally {
	u32 wrong[ARRAY_SIZE(variants)], too_big[ARRAY_SIZE(variants)];
	u32 text_wrong, invalid, endless;
};

static void try_seed(u64 seed, u32 size, struct tally *t)
{
	static struct outcome want;
	struct arena a = { 0 };
	struct ir_unit *u = gen_unit(&a, seed, size, false);
	const char *error = ir_check(u);

	fill(ctx, GEN_CTX, seed * 31);
	if (error) {
		fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, error);
		t->invalid++;
	} else {
		t->text_wrong += seed % 16 == 0 && !print_and_parse(&a, u);
		run_ir(u, seed, &want);
		t->endless += want.error != NULL;
	}
	for (u32 i = 0; !error && !want.error && i < ARRAY_SIZE(variants); i++) {
		int r = try_variant(seed, size, &variants[i], &want);

		t->wrong[i] += r == 1;
		t->too_big[i] += r == 2;
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
	u64 n = number_from("SONDE_CASES", 1500), first = number_from("SONDE_SEED", 1);
	u64 size = number_from("SONDE_SIZE", 0);
	static struct tally t;

	for (u64 i = first; i < first + n; i++)
		try_seed(i, size ? (u32)size : 4 + (u32)(i % 40), &t);
	is_int(t.invalid, 0, "generated IR is valid");
	is_int(t.text_wrong, 0, "what is printed parses to the same");
	ok(t.endless * 20 < n, "programs end (%u of %llu do not)", t.endless,
	   (unsigned long long)n);
	for (u32 i = 0; i < ARRAY_SIZE(variants); i++) {
		is_int(t.wrong[i], 0, "%s passes, %s kernel, registers 0x%x: %llu programs agree",
		       variants[i].passes ? "all" : "no", variants[i].modern ? "new" : "old",
		       variants[i].limits.regs, (unsigned long long)n);
		ok(t.too_big[i] * 4 < n, "%u too big for the frame", t.too_big[i]);
	}
	return done();
}
