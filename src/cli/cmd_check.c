/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde check: compiles without a kernel. 0: the script is valid; 1: diagnostics report why not.
 * --mode compiler-bench: compiles repeatedly and prints the average time.
 */
#include <stdlib.h>
#include "base/clock.h"
#include "cli/cli.h"

static int compile(struct cli *c, bool quietly)
{
	struct compiled *compiled = xcalloc(1, sizeof *compiled);
	struct err err = { 0 };
	int ret = session_compile(compiled, &c->request, &c->host, &err);

	if (!quietly) {
		say_diags(c, &compiled->diags);
		say_err(c, &err);
	}
	err_release(&err);
	ret = session_status(compiled, ret);
	compiled_release(compiled);
	free(compiled);
	return ret;
}

int script_check(struct cli *c)
{
	c->request.compile.any_kernel = true;
	return compile(c, false);
}

static int run(struct cli *c)
{
	return each_script(c, script_check);
}

const struct command command_check = {
	.name = "check",
	.args = "FILE...",
	.brief = "compile scripts without running them",
	.doc = "Runs nothing, attaches nothing and needs no privilege: what is not readable, or not on this "
	       "system, is checked as far as possible, and reported. With --diag json an editor can show the "
	       "diagnostics; the exit status is 0 without errors and 1 with errors. Further words are "
	       "scripts if they end in \".bt\", else parameters.",
	.example = "sonde check --diag json opensnoop.bt",
	.takes = SETS_TRACE, /* a command line of run can be checked as it is */
	.run = run,
};

/* ---- --mode compiler-bench */

enum { BENCH_NS = 500000000 };

static int bench(struct cli *c)
{
	int ret = script_read(c);
	u64 start, took = 0;
	u32 n = 0;

	if (ret || (ret = compile(c, false)))
		return ret;
	for (start = clock_mono_ns(); took < BENCH_NS && !ret; n++) {
		ret = compile(c, true);
		took = clock_mono_ns() - start;
	}
	printf("compiled %u times, %.3f ms each\n", n, (double)took / n / 1e6);
	return ret;
}

const struct command command_compiler_bench = { .name = "--mode",
						.brief = "time the compiler",
						.run = bench };
