/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the words of the command line. Out: an exit status. Called as "bpftrace", sonde answers as that
 * program would: no subcommands, and the version of the language it speaks.
 */
#include <signal.h>
#include "base/base.h"
#include "cli/cli.h"

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	struct cli c = { .program = slash ? slash + 1 : argc ? argv[0] : "sonde" };
	int rc;

	signal(SIGPIPE, SIG_IGN);
	c.drop_in = streq(c.program, "bpftrace");
	rc = parse_args(&c, argc, argv);
	return rc ? rc : c.command->run(&c);
}
