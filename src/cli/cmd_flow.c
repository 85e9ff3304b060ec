/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde flow: what a function calls, as a tree. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/flow/flow.h"
#include "cli/job.h"
#include "engine/kernel/kernel.h"
#include "output/output.h"
#include "session/system.h"
#include "sym/procs.h"

/* ---- the program */

static bool has_target(const struct cli *c)
{
	return c->request.traced.n_pids || c->line.n_after;
}

static const char *program_of_pid(struct flow *f, u32 pid)
{
	struct arena *a = &f->t.c->line.arena;
	char path[PATH_MAX];
	ssize_t n = readlink(arena_printf(a, "/proc/%u/exe", pid), path, sizeof path - 1);

	return n < 0 ? NULL : arena_strndup(a, path, (size_t)n);
}

static bool is_script(const char *path)
{
	char head[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, head, sizeof head) == sizeof head && !memcmp(head, "#!", 2);

	if (fd >= 0)
		close(fd);
	return is;
}

static int find_program_of_cmd(struct flow *f)
{
	const struct cli *c = f->t.c;

	f->binary = path_find_program(&f->t.c->line.arena, c->line.after[0]);
	if (!f->binary)
		return say_usage(c, "there is no program \"%s\"", c->line.after[0]);
	f->is_script = is_script(f->binary);
	return 0;
}

/* A script may be traced for functions of the kernel. */
static int find_program(struct flow *f)
{
	const struct cli *c = f->t.c;
	const struct traced *t = &c->request.traced;

	if (!has_target(c))
		return 0;
	f->binary = c->own.flow.binary;
	if (!f->binary && !t->n_pids)
		return find_program_of_cmd(f);
	if (!f->binary)
		f->binary = program_of_pid(f, t->pids[0]);
	if (f->binary)
		return 0;
	say(f->t.c, "the program of process %u: %s", t->pids[0], strerror(errno));
	return STATUS_REFUSED;
}

/* ---- options */

static int read_depth(struct flow *f, const char *text)
{
	char *end;

	if (!text)
		return 0;
	f->depth = (u32)strtoul(text, &end, 10);
	if (*text >= '1' && *text <= '9' && !*end)
		return 0;
	return say_usage(f->t.c, "--depth=%s: a number of levels, 1 or more", text);
}

static int check_words(const struct cli *c)
{
	if (!c->line.n_words)
		return say_usage(
			c,
			"whose calls to show: a function, as in sonde flow main -- ./program, or one of "
			"the kernel, as in sonde flow kprobe:vfs_read -- ls");
	if (c->request.traced.n_pids > 1)
		return say_usage(c, "-p takes one process here");
	if (c->sink.output && c->sink.output != &output_text && c->sink.output != &output_json)
		return say_usage(c, "-f %s: a tree is text or json", c->sink.output->name);
	return 0;
}

/* The way to functions of the kernel. 0, or the exit status after a message. */
static int find_way_to_kernel(struct flow *f)
{
	struct features *has = kernel_features();
	const char *name = f->kernel_functions.n ? f->kernel_functions.v[0] : "what --kernel shows";

	if (!flow_has_kernel(f) || feature_has(has, FEAT_KPROBE_MULTI))
		return 0;
	if (!feature_has(has, FEAT_KPROBE)) {
		say(f->t.c,
		    "%s is a kernel function, and this kernel cannot probe functions: it was built without CONFIG_KPROBES",
		    name);
		return STATUS_REFUSED;
	}
	/* without cookies each function is a program of its own, which takes as long as all
	 * functions */
	if (f->kernel_functions.n && feature_has(has, FEAT_COOKIE))
		return flow_find_reached(f);
	say(f->t.c,
	    "%s is a kernel function, and this kernel has no kprobe multi links (Linux 5.18 with CONFIG_FPROBE): probes on its "
	    "functions one by one would take minutes",
	    name);
	return STATUS_REFUSED;
}

/* After the words are sorted. */
static int check_functions(const struct flow *f)
{
	const struct cli *c = f->t.c;
	bool in_program = f->functions.n || f->has_kernel;

	if (in_program && !has_target(c))
		return say_usage(c, "of which program: -p PID, or a command after \"--\"");
	if (f->functions.n && f->is_script)
		return say_usage(
			c,
			"%s is a script: --binary FILE names the program whose functions are meant",
			f->binary);
	if (!has_target(c) && !c->select.all)
		return say_usage(
			c, "of which processes: -p PID, -a for all, or a command after \"--\"");
	if (f->functions.n && f->kernel_functions.n)
		return say_usage(
			c,
			"%s is a function of the program, and %s one of the kernel: --kernel shows the kernel below "
			"functions of the program",
			f->functions.v[0], f->kernel_functions.v[0]);
	if (f->kernel_functions.n && f->has_calls)
		return say_usage(
			c, "--syscalls, --kernel: below functions of the program, which %s is not",
			f->kernel_functions.v[0]);
	return 0;
}

/* FUNC is a pattern that the program's own functions match. */
static bool has_pattern(const struct flow *f)
{
	for (u32 i = 0; i < f->functions.n; i++)
		if (strpbrk(f->functions.v[i], "*?["))
			return true;
	return false;
}

/* --exclude, and what the kernel runs between a system call and the tracepoints of its entry and
 * return. */
static const char *const *left_out(const struct flow *f)
{
	static const char *const around_calls[] = { "syscall_exit_*", "syscall_trace_*",
						    "syscall_enter_*", "trace_syscall_*" };
	/* Of the compiler's start files: their ends are not known, since they have no size or jump
	 * to libraries, and what runs after them would seem to run within them. */
	static const char *const of_start[] = { "_init",
						"_fini",
						"_start",
						"frame_dummy",
						"register_tm_clones",
						"deregister_tm_clones",
						"__do_global_dtors_aux",
						"__gmon_start__",
						"atexit" };
	const char *const *exclude = f->t.c->own.flow.exclude;
	VEC(const char *) list = { 0 };

	for (u32 i = 0; exclude && exclude[i]; i++)
		vec_push(&f->t.c->line.arena, &list, exclude[i]);
	for (u32 i = 0; has_pattern(f) && i < ARRAY_SIZE(of_start); i++)
		vec_push(&f->t.c->line.arena, &list, of_start[i]);
	for (u32 i = 0; f->has_kernel && i < ARRAY_SIZE(around_calls); i++)
		vec_push(&f->t.c->line.arena, &list, around_calls[i]);
	vec_push(&f->t.c->line.arena, &list, NULL);
	return list.v;
}

static void choose_probes(const struct flow *f, struct probe_choice *p)
{
	p->whole_calls = true;
	p->once = f->kernel_functions.n ? ONCE_IN_SCRIPT : ONCE_IN_CLAUSE;
	p->some_may_miss = true;
	p->kernel_functions = f->reached.n ? &f->reached : NULL;
	p->left_out = left_out(f);
}

static int show(struct flow *f)
{
	struct cli *c = f->t.c;
	struct job job = { .output = &output_flow, .status_of_cmd = true };
	int ret;

	choose_probes(f, &c->request.probes);
	ret = flow_check_found(f);
	ret = ret ? ret : flow_clauses(f);
	if (ret)
		return ret;
	flow_split(f);
	flow_script(f, &job.script);
	if (flow_has_kernel(f))
		flow_time_before(f);
	f->is_json = c->sink.output == &output_json;
	f->t.has_color = !f->is_json && !c->output.file && color_wanted(STDOUT_FILENO);
	f->s = &c->sink;
	c->sink.state = f;
	if (c->request.verbose)
		say_note(c, "the script:\n%s", job.script);
	ret = job_run(c, &job);
	job_tell(c, &(struct job_sum){ .events = f->t.n_events,
				       .lost = f->t.n_lost,
				       .begun_ns = f->t.begun_ns });
	return ret;
}

static int run(struct cli *c)
{
	const struct flow_options *o = &c->own.flow;
	struct flow f = {
		.t = { .c = c },
		.over_ns = c->select.over_ns,
		.has_args = o->args,
		.has_calls = o->calls || o->kernel,
		.has_kernel = o->kernel,
		.shows.report = o->report,
		.shows.graph = o->graph,
		.shows.lines = !o->report && !o->graph,
	};
	int ret = job_targets(c, JOB_TRACES_ALL);

	system_init(&f.system, &c->line.arena);
	c->request.probes.keeps_return_addresses = true;
	c->request.traced.alone = true;
	c->request.compile.no_warnings |=
		!c->request.verbose; /* of returns that are not seen: the tree shows them */
	ret = ret ? ret : check_words(c);
	ret = ret ? ret : read_depth(&f, o->depth);
	ret = ret ? ret : find_program(&f);
	ret = ret ? ret : flow_sort_functions(&f);
	ret = ret ? ret : check_functions(&f);
	ret = ret ? ret : flow_find_files(&f);
	ret = ret ? ret : find_way_to_kernel(&f);
	ret = ret ? ret : show(&f);
	flow_release(&f);
	return ret;
}

const struct command command_flow = {
	.name = "flow",
	.args = "FUNC... [-- CMD [ARG]...]",
	.brief = "print the calls of a function, as a tree",
	.doc = "FUNC is a function of the program, or a pattern; kprobe:FUNC is one of the kernel. Prints each call of it with all calls "
	       "that it makes to functions of the program or the kernel, and how long each takes; the program need not be built for that. "
	       "Entries and ret instructions are probed; a function without a ret of its own ends where the stack pointer shows it: after "
	       "tail calls, longjmp() and exceptions. A call costs 20 nanoseconds where functions can be traced within the process, else two "
	       "microseconds or more, which durations contain; -v tells why. Nothing of other threads and programs is shown.",
	.example = "sonde flow main -- ./program\n"
		   "sonde flow --args --over 1ms 'handle_*' -p 1234\n"
		   "sonde flow --report --duration 10s serve -p 1234\n"
		   "sonde flow kprobe:vfs_read -- cat /etc/hostname",
	.takes = SETS_JOB | SET_OVER | SET_ENGINE,
	.run = run,
	.cmd_after = true,
};
