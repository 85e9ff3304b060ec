/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command without a name: compile the script, trace, print. The work is session_run()'s. */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/tool.h"

/* Scripts of users may read words that their head comments do not list. */
static bool reads_words(const struct tool *t)
{
	return !*t->brief || *t->words || strstr(t->text, "$1") || strstr(t->text, "$#");
}

/* The title of a tool lists the words that it needs. To others a word is a mistyped option:
 * "fileslower 10". */
static int check_words(const struct cli *c)
{
	const struct tool *t = c->line.is_run ? c->tool : NULL;

	if (t && c->line.n_words <= 1 && *t->words)
		return say_usage(c, "%s needs %s", t->name, t->words);
	if (t && c->line.n_words > 1 && !reads_words(t))
		return say_usage(c, "%s has options only, and no use for \"%s\"", t->name,
				 c->line.words[1]);
	return 0;
}

int run_script(struct cli *c)
{
	struct err err = { 0 };
	int ret = script_read(c), lost;

	if (!ret)
		ret = check_words(c);
	if (!ret)
		ret = sink_open(c);
	if (ret)
		return ret;
	ret = session_run(&c->request, &c->host, &err);
	lost = sink_close(c);
	say_err(c, &err);
	err_release(&err);
	return ret ? ret : lost;
}

const struct command command_run = {
	.name = "run",
	.args = "FILE | TOOL [PARAM]...",
	.brief = "run a script; the default command",
	.doc = "TOOL is one of sonde's own scripts (\"sonde run --list\" names them), or one of a "
	       "directory in SONDE_PATH; \"sonde run TOOL --help\" describes it, and its options "
	       "follow it. FILE is a script, - is standard input, and -e PROGRAM gives the script on "
	       "the command line. The words after it are the script's parameters $1, $2 ...; "
	       "words like --NAME=VALUE after a -- are its named parameters. -- CMD ARGS runs a command, as "
	       "-c does: CMD is the first word after the -- that is not a parameter of the script, or the "
	       "word after a second --. Ends at Ctrl-C, at exit(), after --duration, or with the process of "
	       "-c, -- or -p.",
	.example = "sonde run opensnoop --failed --comm bash",
	.takes = SETS_TRACE,
	.run = run_script,
};
