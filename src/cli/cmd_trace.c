/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde trace: the events of probes, a line each, without a script. */
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/job.h"
#include "cli/trace/trace.h"
#include "output/output.h"

static int read_limit(struct trace *t, const char *text)
{
	char *end;

	if (!text)
		return 0;
	t->limit = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && t->limit)
		return 0;
	return say_usage(t->c, "-n %s: the number of events to show, 1 or more", text);
}

static int read_words(struct trace *t)
{
	const struct cli *c = t->c;
	int ret = 0;

	if (!c->line.n_words && !c->select.events)
		return say_usage(
			c, "what to trace: probes, as in sonde trace 'sched:*' -- ls; for the "
			   "system calls of a command: sonde strace CMD");
	for (u32 i = 0; i < c->line.n_words && !ret; i++)
		ret = trace_spell(t, c->line.words[i]);
	for (u32 i = 0; c->select.events && c->select.events[i] && !ret; i++)
		ret = trace_spell(t, c->select.events[i]);
	return ret ? ret : trace_resolve(t);
}

static int trace(struct trace *t)
{
	struct cli *c = t->c;
	struct job job = {
		.script = trace_script(t),
		.output = &output_trace,
		.status_of_cmd = true,
	};
	int ret;

	t->is_json = c->sink.output == &output_json;
	t->has_color = !t->is_json && !c->output.file && color_wanted(STDOUT_FILENO);
	c->sink.state = t;
	if (c->request.verbose)
		say_note(c, "the script:\n%s", job.script);
	ret = job_run(c, &job);
	job_tell(c, &(struct job_sum){
			    .events = t->n_events, .lost = t->n_lost, .begun_ns = t->begun_ns });
	return ret;
}

static int check_format(const struct cli *c)
{
	if (!c->sink.output || c->sink.output == &output_text || c->sink.output == &output_json)
		return 0;
	return say_usage(
		c, "-f %s: events are text or json; sonde profile --event counts their stacks",
		c->sink.output->name);
}

static int run(struct cli *c)
{
	struct trace t = { .c = c, .has_stacks = c->select.stack };
	int ret = job_targets(c, JOB_TRACES_ALL);

	ret = ret ? ret : job_only_cpus(c);
	ret = ret ? ret : check_format(c);
	ret = ret ? ret : read_limit(&t, c->own.trace.limit);
	ret = ret ? ret : read_words(&t);
	return ret ? ret : trace(&t);
}

const struct command command_trace = {
	.name = "trace",
	.args = "PROBE... [-- CMD [ARG]...]",
	.brief = "print the events of probes, a line each",
	.doc = "PROBE is a trace event as perf and trace-cmd name it (sched:sched_switch, sched:*), a probe of the "
	       "language (uprobe:/bin/bash:readline, kprobe:vfs_read, usdt:...) or a definition of ftrace "
	       "('p:open do_sys_open name=+0(%si):string'). Lines are those of ftrace: the thread, the processor, the time "
	       "since boot, the event and its fields: those of the event's print fmt, decoded arguments of a system call, "
	       "arguments of a function where BTF or debug information has them. Traces the whole machine except "
	       "sonde, the processes of -p and their children, or CMD, whose exit status is that of sonde.",
	.example =
		"sonde trace 'sched:sched_process_*' -- make\n"
		"sonde trace uprobe:/bin/bash:readline uretprobe:/bin/bash:readline --fields 'str(retval)'\n"
		"sonde trace sched:sched_switch -p 1234 --filter 'prev_prio < 100' --stack -n 10",
	.takes = SETS_JOB | SET_CPUS | SET_STACK | SET_FILTER | SET_EVENTS,
	.run = run,
	.cmd_after = true,
	.cmd_times_pids = true,
};
