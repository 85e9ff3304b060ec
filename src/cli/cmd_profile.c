/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde profile: the options become a script whose map is keyed by stacks; an output of
 * output/stacks.h shows it.
 *
 *	profile:hz:99 { @samples[(leader_comm, pid), dw_ustack, kstack] = count(); }
 */
#include <stdlib.h>
#include "cli/job.h"
#include "output/output.h"

/* ---- what a stack is counted under: its first frames */

static const struct {
	const char *name, *key;
} roots[] = {
	{ "process", "(leader_comm, pid), " },
	{ "thread", "(leader_comm, pid), (comm, tid), " },
	{ "comm", "comm, " },
	{ "cpu", "(\"cpu\", cpu), " },
	{ "none", "" },
};

static const char *root_key(const struct profile_options *p)
{
	const char *by = p->threads ? "thread" : p->by ? p->by : "process";

	for (u32 i = 0; i < ARRAY_SIZE(roots); i++)
		if (streq(roots[i].name, by))
			return roots[i].key;
	return "";
}

static const char *stacks_key(const struct profile_options *p)
{
	if (p->user)
		return "dw_ustack";
	return p->kernel ? "kstack" : "dw_ustack, kstack";
}

/* ---- which samples count: conditions of the language */

/* A number of at most six digits and what follows it; NULL: there is none. */
static const char *read_number(const char *s, u32 *n)
{
	size_t len = strspn(s, "0123456789");

	*n = (u32)strtoul(s, NULL, 10);
	return len && len <= 6 ? s + len : NULL;
}

/* "0,2-3" as a condition; false: it is no list. */
static bool put_cpus(struct buf *b, const char *list)
{
	const char *s = list;
	u32 first, last;

	for (; s; s = *s == ',' ? s + 1 : NULL) {
		buf_puts(b, s == list ? " && (" : " || ");
		if (!(s = read_number(s, &first)))
			return false;
		last = first;
		if (*s == '-' && !(s = read_number(s + 1, &last)))
			return false;
		if (last < first || (*s && *s != ','))
			return false;
		buf_printf(b, "(cpu >= %u && cpu <= %u)", first, last);
	}
	buf_putc(b, ')');
	return true;
}

static int put_conditions(struct cli *c, struct buf *b)
{
	const struct profile_options *p = &c->profile;

	buf_puts(b, "true");
	if (p->cpus && !put_cpus(b, p->cpus))
		return say_usage(c, "--cpus=%s: a list of CPUs, as 0,2-3", p->cpus);
	if (p->cgroup && strpbrk(p->cgroup, "\"\\\n"))
		return say_usage(c, "--cgroup=%s: a path below /sys/fs/cgroup", p->cgroup);
	if (p->cgroup)
		buf_printf(b, " && cgroup == cgroupid(\"%s\")", p->cgroup);
	return 0;
}

/* ---- the script */

/* The idle task is a process with the number 0, which only the whole system has. */
static void put_sampling(struct buf *b, const struct cli *c, u32 hz, const char *conditions)
{
	const struct profile_options *p = &c->profile;
	bool has_idle = c->request.traced.scope == SCOPE_SCRIPT;

	buf_printf(b, "profile:hz:%u /%s/ {\n", hz, conditions);
	if (has_idle)
		buf_puts(b, "	if (pid == 0) { @idle = count(); return; }\n");
	buf_printf(b, "	@samples[%s%s] = count();\n}\n", root_key(p), stacks_key(p));
	buf_puts(b, "end {\n");
	if (has_idle && !streq(c->sink.output->name, "folded"))
		buf_puts(b, "	print(@idle);\n");
	buf_puts(b, "	print(@samples);\n}\n");
}

static void put_script(struct buf *b, const struct cli *c, u32 hz, const char *conditions)
{
	buf_puts(b, "config = {\n"
		    "	max_map_keys = 32768;\n"
		    "	unstable_dw_ustack = \"enable\";\n"
		    "	print_maps_on_exit = false\n"
		    "}\n");
	put_sampling(b, c, hz, conditions);
}

static int read_options(struct cli *c, u32 *hz)
{
	const struct profile_options *p = &c->profile;
	const char *end = p->frequency ? read_number(p->frequency, hz) : "";

	if (!end || *end || !*hz)
		return say_usage(c, "--frequency=%s: samples a second, as 99", p->frequency);
	if (p->user && p->kernel)
		return say_usage(c, "--user and --kernel exclude each other");
	if (p->threads && p->by)
		return say_usage(c, "--threads and --by exclude each other");
	return job_targets(c, JOB_TRACES_ALL);
}

static int profile(struct cli *c)
{
	struct buf script = { 0 }, conditions = { 0 };
	u32 hz = 99;
	int ret = read_options(c, &hz);

	if (!c->sink.output)
		c->sink.output = &output_tree;
	if (!ret)
		ret = put_conditions(c, &conditions);
	if (!ret) {
		put_script(&script, c, hz, conditions.s);
		ret = job_run(c, &(struct job){ .script = script.s, .status_of_cmd = true });
	}
	buf_release(&script);
	buf_release(&conditions);
	return ret;
}

const struct command command_profile = {
	.name = "profile",
	.args = "[CMD [ARG]...]",
	.brief = "sample what the CPUs run, by stacks",
	.doc = "Samples each CPU 99 times a second (-F) and counts the samples by process, user stack and kernel stack. "
	       "User stacks need no frame pointers (x86-64). Traces CMD and its children, the processes of -p, or, without either, "
	       "the whole system until Ctrl-C or --duration; samples of idle CPUs are counted and left out. Prints a table by function "
	       "and the tree of calls; -o FILE.folded or another format (-f) writes it for other programs. The exit status is that of CMD.",
	.example = "sonde profile -F 499 --duration 10 -p 1",
	.takes = SETS_JOB,
	.run = profile,
	.words_are_cmd = true,
};
