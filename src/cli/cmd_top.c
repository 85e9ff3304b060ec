/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde top: the maps of a script, repeatedly (session/screen.c); without one, functions by samples
 * (top.c). */
#include "cli/top.h"

#ifdef __aarch64__
#define PC "reg(\"pc\")"
#else
#define PC "reg(\"ip\")"
#endif

/* Without a script and a terminal. The addresses of the kernel are the upper half. */
static const char samples[] = "profile:hz:99 /pid(init) != 0/ {\n"
			      "	if (" PC " >> 63) { @kernel[comm, ksym(" PC ")] = count(); }\n"
			      "	else { @user[comm, usym(" PC ")] = count(); }\n"
			      "}\n";

static int top(struct cli *c)
{
	bool has_script = c->line.n_words > c->line.n_after_words || c->request.script.text;

	if (has_script && c->request.script.text && !strchr(c->request.script.text, '{'))
		return say_usage(
			c,
			"-e %s: a program of the language; of an event: sonde profile --event %s "
			"has its stacks, sonde stat -a -I 1000 -e %s its counts",
			c->request.script.text, c->request.script.text, c->request.script.text);
	if (!c->request.redraw.interval_ns)
		c->request.redraw.interval_ns = 1000000000;
	if (!has_script && (c->line.n_after || c->request.traced.command))
		c->request.traced.scope = SCOPE_TREE; /* as sonde profile */
	if (!has_script && top_is_live(c))
		return top_live(c);
	if (!has_script)
		c->request.script.text = samples;
	return run_script(c);
}

const struct command command_top = {
	.name = "top",
	.args = "[FILE | TOOL [PARAM]...]",
	.brief = "display functions by samples, or the maps of a script, repeatedly",
	.doc = "Without a script, samples each CPU, or only the processes of CMD, 99 times a second. On a terminal, shows kernel and user functions "
	       "by their share of the samples; Enter shows a function's callers, up to the process; ? lists the keys. "
	       "With a script, redraws its maps in place, the largest values first and as many as fit, with the output of the "
	       "script below them, and prints all maps at the end. Where the output is no terminal, prints each update as a block of lines "
	       "under the time of day. -i 500ms sets the time between updates (1s), --anew resets aggregations after each update. Ends as \"run\" does.",
	.example =
		"sonde top\n"
		"sonde top --anew -p 1234\n"
		"sonde top -- make -j2\n"
		"sonde top -i 2s --anew -e 'tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }'",
	.takes = SETS_TRACE,
	.run = top,
};
