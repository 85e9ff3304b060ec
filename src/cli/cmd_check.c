/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde check: the whole compiler, no kernel. 0: the script is right; 1: diagnostics say why not. */
#include <stdlib.h>
#include "cli/cli.h"

static int run(struct cli *c)
{
	struct compiled *compiled;
	struct err err = { 0 };
	int rc = script_read(c);

	if (rc)
		return rc;
	compiled = xcalloc(1, sizeof *compiled);
	c->o.any_kernel = true;
	rc = session_compile(compiled, &c->o, &err);
	say_diags(c, &compiled->diags);
	say_err(c, &err);
	err_release(&err);
	compiled_release(compiled);
	free(compiled);
	buf_release(&c->script);
	return rc < 0 ? 255 : rc;
}

const struct command command_check = {
	.name = "check",
	.args = "FILE",
	.brief = "compile a script without running it",
	.doc = "Needs no privilege. With --diag json an editor can show the messages; the exit status is 0 when there "
	       "are no errors and 1 when there are.",
	.example = "sonde check --diag json opensnoop.bt",
	.run = run,
};
