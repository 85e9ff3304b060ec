/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test:NAME and bench:NAME: programs that check or time the script itself. They attach to nothing;
 * the session runs them itself, only with --test and --bench.
 */
#include "provider/internal.h"

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct profile *p = profile_new(env, PROFILE_NONE, BPF_PROG_TYPE_RAW_TRACEPOINT);
	struct targets ts = { 0 };

	targets_add(env, &ts, SITE_ONCE, spec_name(env, spec),
		    profile_for_site(env, p, false, false));
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

/* They exist only in scripts. */
static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	return 0;
}

const struct provider provider_test = {
	.name = "test",
	.syntax = "test:NAME",
	.brief = "a test of the script, run by --test",
	.doc = "Runs once, after the other probes are attached; names are unique. The test passes "
	       "if it returns 0, does not call exit() with a status other than 0, and neither "
	       "errorf() nor assert() reports an error. Ignored without --test.",
	.example = "test:adds { assert(1 + 1 == 2, \"sums\"); }",
	.output = "test:adds: passed (108us)\n"
		  "1 passed, 0 failed",
	.varies = true,
	.min_parts = 2,
	.max_parts = 2,
	.takes = "1",
	.empty = "test probes must have a name",
	.resolve = resolve,
	.list = list,
	.unfiltered = true,
	.is_replayed = true,
	.mode = MODE_TEST,
};

const struct provider provider_bench = {
	.name = "bench",
	.syntax = "bench:NAME",
	.brief = "code that is timed, by --bench",
	.doc = "Runs repeatedly for a millisecond and prints the average time of one run. A "
	       "benchmark that returns 1 is skipped. Ignored without --bench.",
	.example = "bench:map { @x[1] = 1; }",
	.output = "bench:map: 195.1 ns (8192 times)",
	.varies = true,
	.min_parts = 2,
	.max_parts = 2,
	.takes = "1",
	.empty = "bench probes must have a name",
	.resolve = resolve,
	.list = list,
	.unfiltered = true,
	.is_replayed = true,
	.mode = MODE_BENCH,
};
