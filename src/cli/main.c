/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the words of the command line. Out: an exit status. Called as "bpftrace", sonde answers as
 * that program would: no subcommands, and the version of the language it speaks.
 */
#include <signal.h>
#include <stdlib.h>
#include "base/base.h"
#include "cli/cli.h"
#include "cli/tool.h"

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	struct cli c = { .drop_in = argc && streq(slash ? slash + 1 : argv[0], "bpftrace") };
	int rc;

	signal(SIGPIPE, SIG_IGN);
	c.program = c.drop_in ? "bpftrace" : "sonde";
	rc = parse_args(&c, argc, argv);
	if (!rc)
		rc = c.command->run(&c);
	buf_release(&c.script);
	tool_free(c.tool);
	free(c.words);
	free(c.named);
	return rc;
}
