/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the words of the command line. Out: an exit status. Called as "bpftrace", sonde behaves as
 * that program: no subcommands, and the version of the language that it implements. An executable
 * made by "sonde build" is its script; called as "dtrace", it makes headers and objects of USDT
 * definitions.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/base.h"
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/tool.h"
#include "object/debuginfod.h"

static void say_waiting(void *cli, const char *build_id)
{
	say_note(cli, "waiting for the debug information of build id %s (DEBUGINFOD_URLS)",
		 build_id);
}

static int sonde_main(struct cli *c, int argc, char **argv)
{
	int ret = args_parse(c, argc, argv);

	return ret ? ret : c->command->run(c);
}

/*
 * A closed one would be the number of the next file that is opened, and output would go there.
 * Reading returns end of file, writing EBADF.
 */
static void hold_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
			_exit(STATUS_REFUSED);
}

int main(int argc, char **argv)
{
	const char *name = argc ? base_name(argv[0]) : "";
	struct cli c = { .line.drop_in = streq(name, "bpftrace"),
			 .command = streq(name, "dtrace") ? &command_dtrace : NULL };
	int ret;

	hold_standard_files();
	signal(SIGPIPE, SIG_IGN);
	c.line.program = c.line.drop_in ? "bpftrace" : "sonde";
	arena_init(&c.line.arena);
	debuginfod_on_wait(say_waiting, &c);
	ret = bundle_is() ? bundle_main(&c, argc, argv) : sonde_main(&c, argc, argv);
	arena_release(&c.line.arena);
	buf_release(&c.script);
	tool_free(c.tool);
	free(c.line.words);
	free(c.named);
	free(c.line.given);
	return ret;
}
