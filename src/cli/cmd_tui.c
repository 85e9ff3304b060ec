/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde tui: a recording in a terminal. */
#include <unistd.h>
#include "cli/tui/tui.h"

static int tui(struct cli *c)
{
	struct terminal terminal;
	struct recorded r = { 0 };
	struct err err = { 0 };
	int ret = recorded_open(&r, c);

	if (ret)
		return ret;
	if (recorded_one_range(&r)) {
		recorded_close_quietly(&r);
		return STATUS_WRONG;
	}
	if (terminal_open(&terminal, color_wanted(STDOUT_FILENO), &err) == 0) {
		tui_run(&r, &terminal);
		terminal_close(&terminal);
		return recorded_close(&r);
	}
	say_err(c, &err);
	err_release(&err);
	recorded_close_quietly(&r);
	return STATUS_WRONG;
}

const struct command command_tui = {
	.name = "tui",
	.args = "[FILE]",
	.brief = "look at a recording in a terminal",
	.doc = "For a terminal of any size, over ssh, too: how busy each processor is, and the table of all events; filter them with the language's predicates, "
	       "sort them, look at the fields and stacks of one, at histograms of a field and of the time between two events, at flame graphs, and at the sums of sonde "
	       "report. ? lists the keys. Without colors if NO_COLOR is set. FILE is made by "
	       "sonde record, by perf record (its tracepoints are read) or trace-cmd, is text of ftrace, or a folder in CTF as LTTng makes it (read by babeltrace2); without it, sonde.data.",
	.example = "sonde tui sonde.data",
	.run = tui,
	.takes = SET_TIME | SET_INPUT,
};
