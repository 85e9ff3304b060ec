/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde probe: dynamic events of tracefs for any tool, by function, line and variable. */
#include <stdlib.h>
#include <unistd.h>
#include "cli/probe/probe.h"
#include "sym/procs.h"

/* The program or library of -x; an absolute path in front of the probe is one, too. */
static int find_file(struct probe *p)
{
	const struct cli *c = p->c;
	const char *name = c->own.probe.file;
	char *path;

	if (!name)
		return 0;
	path = realpath(name, NULL);
	if (!path && !strchr(name, '/') && path_find_program(p->arena, name))
		path = realpath(path_find_program(p->arena, name), NULL);
	if (!path)
		return say_usage(c, "-x %s: no such program or library", name);
	p->file = arena_strdup(p->arena, path);
	free(path);
	return p->module ? say_usage(c, "-m is for the kernel, -x for a program: one of them") : 0;
}

static void take_path_word(struct cli *c)
{
	if (c->own.probe.file || c->line.n_words < 2 || *c->line.words[0] != '/')
		return;
	c->own.probe.file = c->line.words[0];
	memmove(c->line.words, c->line.words + 1, c->line.n_words * sizeof *c->line.words);
	c->line.n_words--;
}

/* Words are one probe, as perf takes them. */
static const char *const *words_as_point(struct cli *c)
{
	const char **list = arena_array(&c->line.arena, const char *, 2);
	struct buf b = { 0 };

	for (u32 i = 0; i < c->line.n_words; i++)
		buf_printf(&b, "%s%s", i ? " " : "", c->line.words[i]);
	list[0] = b.len ? arena_strdup(&c->line.arena, b.s) : NULL;
	buf_release(&b);
	return list;
}

/* A word that an option of one probe would leave unread. */
static int refuse_words(const struct cli *c, char option, const char *value)
{
	return say_usage(c, "%s: -%c takes a probe with its arguments as one word: -%c '%s %s'",
			 c->line.words[0], option, option, value, c->line.words[0]);
}

static int define(struct probe *p)
{
	struct cli *c = p->c;
	const char *const *points = c->line.n_words ? words_as_point(c) : c->own.probe.add;

	if (c->own.probe.definition && c->line.n_words)
		return refuse_words(c, 'D', c->own.probe.definition[0]);
	if (c->own.probe.definition)
		return probe_define(p, c->own.probe.definition, true);
	if (!points || !points[0])
		return say_usage(
			c,
			"what to do: FUNC, FUNC:LINE VAR..., FUNC%%return '$retval' (with -x FILE in a program), -l, -d EVENT, "
			"-V FUNC, -L FUNC");
	if (c->line.n_words && c->own.probe.add)
		return say_usage(c, "%s: a probe is given by words or by -a, not both",
				 c->line.words[0]);
	return probe_define(p, points, false);
}

static int probe(struct cli *c)
{
	struct probe p = { .c = c, .arena = &c->line.arena, .module = c->select.module };
	int ret;

	take_path_word(c);
	ret = find_file(&p);
	if (ret)
		return ret;
	if (c->own.probe.list)
		return probe_list(&p);
	if (c->own.probe.remove)
		return probe_delete(&p, c->own.probe.remove);
	if (c->own.probe.lines && c->line.n_words)
		return refuse_words(c, 'L', c->own.probe.lines);
	if (c->own.probe.vars && c->line.n_words)
		return refuse_words(c, 'V', c->own.probe.vars);
	if (c->own.probe.lines)
		return probe_show_lines(&p, c->own.probe.lines);
	if (c->own.probe.vars)
		return probe_show_vars(&p, c->own.probe.vars);
	if (c->own.probe.functions)
		return probe_show_functions(&p, c->line.n_words ? c->line.words[0] : NULL);
	return define(&p);
}

const struct command command_probe = {
	.name = "probe",
	.args = "[PROBE [ARG]...]",
	.brief = "define probes of tracefs, which every tool sees",
	.doc = "PROBE is spelled as for perf probe: [[GROUP:]EVENT=]FUNC[@SRC][:LINE|+OFFSET|%return|;PATTERN] or SRC:LINE, in the program of -x "
	       "or the kernel, %PROVIDER:NAME of a USDT probe. LINE counts from the function's first. An ARG is [NAME=]EXPR[:TYPE]: a "
	       "variable, p->next->name, argv[1], $vars, $params, $retval, or what tracefs has (%di, +8(%sp), $comm); TYPE is s32, u8, x, "
	       "string ... Variables of programs are found by debug information, arguments of kernel functions by BTF; lines and variables of the kernel in its image (-k FILE, or vmlinux where packages and builds of kernels put it). The events stay until "
	       "they are removed: perf, trace-cmd, sonde trace and sonde record take them as GROUP:EVENT.",
	.example =
		"sonde probe -x /bin/bash readline\n"
		"sonde probe -x ./server 'handle:12 req->path:string len' && sonde trace probe_server:handle_L12\n"
		"sonde probe do_sys_openat2 'filename:ustring' && perf record -e probe:do_sys_openat2 -a sleep 1\n"
		"sonde probe -l && sonde probe -d 'probe*:*'",
	.takes = SET_OUTPUT | SET_MODULE | SET_PROBE,
	.run = probe,
};
