/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde profile: the options become a script whose map is keyed by stacks; an output of
 * output/stacks.h shows it.
 *
 *	profile:hz:99 { @samples[(leader_comm, pid), dw_ustack, kstack] = count(); }
 *
 * The names of the maps are the units of their numbers.
 */
#include <stdlib.h>
#include "base/glob.h"
#include "cli/job.h"
#include "output/output.h"
#include "provider/provider.h"

/* ---- the key: what a stack is counted under, and the stacks */

static const struct {
	const char *name, *fields[3]; /* of the key; NULL-terminated */
} roots[] = {
	{ "process", { "(leader_comm, pid)" } },
	{ "thread", { "(leader_comm, pid)", "(comm, tid)" } },
	{ "comm", { "comm" } },
	{ "cpu", { "(\"cpu\", cpu)" } },
	{ "none", { NULL } },
};

static const char *const *root_fields(const struct profile_options *p)
{
	const char *by = p->threads ? "thread" : p->by ? p->by : "process";
	u32 i = 0;

	while (!streq(roots[i].name, by))
		i++;
	return roots[i].fields;
}

struct key {
	const char *fields[6];
	u32 n;
};

/* state: a field between the roots and the stacks, or NULL. */
static struct key key_of(const struct profile_options *p, const char *state)
{
	struct key k = { .n = 0 };

	for (const char *const *f = root_fields(p); *f; f++)
		k.fields[k.n++] = *f;
	if (state)
		k.fields[k.n++] = state;
	if (!p->kernel)
		k.fields[k.n++] = "dw_ustack";
	if (!p->user)
		k.fields[k.n++] = "kstack";
	return k;
}

static void put_key(struct buf *b, const struct key *k)
{
	for (u32 i = 0; i < k->n; i++)
		buf_printf(b, "%s%s", i ? ", " : "", k->fields[i]);
}

/* ---- which samples count: conditions of the language */

static int put_conditions(struct cli *c, struct buf *b)
{
	buf_puts(b, "true");
	if (c->select.cpus)
		buf_puts(b, " && ");
	if (job_put_cpus(c, b))
		return 1;
	if (c->select.cgroup && strpbrk(c->select.cgroup, "\"\\\n"))
		return say_usage(c, "--cgroup=%s: a path below /sys/fs/cgroup", c->select.cgroup);
	if (c->select.cgroup)
		buf_printf(b, " && in_cgroup(\"%s\")", c->select.cgroup);
	return 0;
}

/* ---- the script */

struct plan {
	u32 hz;
	const char *conditions;
	bool counts_idle;
};

static void put_sampling(struct buf *b, const struct profile_options *p, const struct plan *plan)
{
	struct key k = key_of(p, p->wall ? "\"running\"" : NULL);

	buf_printf(b, "profile:hz:%u /%s/ {\n", plan->hz, plan->conditions);
	if (plan->counts_idle)
		buf_puts(b, "	if (pid(init) == 0) { @idle = count(); return; }\n");
	buf_puts(b, p->wall ? "	@us[" : "	@samples[");
	put_key(b, &k);
	if (p->wall)
		buf_printf(b, ", @waker[0]] = sum(%u);\n}\n", 1000000 / plan->hz);
	else
		buf_puts(b, "] = count();\n}\n");
}

static void put_event(struct buf *b, const struct profile_options *p, const struct plan *plan)
{
	struct key k = key_of(p, NULL);

	buf_printf(b, "%s /%s/ {\n	@events[", p->event, plan->conditions);
	put_key(b, &k);
	buf_puts(b, "] = count();\n}\n");
}

/* Adds a wait, whose start and key are in the tuple `wait`. */
static void put_wait(struct buf *b, const struct profile_options *p, u32 n_fields, const char *wait,
		     const char *thread)
{
	buf_printf(b, "	if (nsecs - %s.0 >= %s) {\n		@us[", wait, p->min ? p->min : "0");
	for (u32 i = 1; i <= n_fields; i++)
		buf_printf(b, "%s.%u, ", wait, i);
	buf_printf(b, "@waker[%s]] = sum((nsecs - %s.0) / 1us);\n	}\n", thread, wait);
}

/*
 * A switch runs in the thread that leaves the CPU: it keeps the time, the state and the stacks. The
 * switch that brings the thread back adds the wait. In between, a waker leaves its stacks; of a
 * thread that has none, such as one that was preempted, @waker reads as 0. Waits that last at the
 * end are added there.
 */
static void put_waits(struct buf *b, const struct profile_options *p, const struct plan *plan)
{
	struct key k = key_of(p, "$state");

	buf_puts(b, "rawtracepoint:sched_switch {\n"
		    "	let $next = (uint32)args.next.pid;\n"
		    "	if (has_key(@blocked, $next)) {\n"
		    "	let $wait = @blocked[$next];\n");
	put_wait(b, p, k.n, "$wait", "$next");
	buf_printf(
		b,
		"	_ = delete(@blocked, $next);\n"
		"	_ = delete(@waker, $next);\n"
		"	}\n"
		"	if (followed(tid) && pid(init) != 0 && args.prev.exit_state == 0 && %s) {\n"
		"	let $bits = args.preempt ? 0 : (uint32)args.prev.__state;\n"
		"	let $state = $bits == 0 ? \"waiting for a CPU\" : $bits & 1 ? \"sleeping\" :\n"
		"		$bits & 2 ? \"uninterruptible\" : $bits & 12 ? \"stopped\" : \"blocked\";\n"
		"	@blocked[(uint32)tid] = (nsecs, ",
		plan->conditions);
	put_key(b, &k);
	buf_puts(
		b,
		");\n	}\n}\n"
		"rawtracepoint:sched_waking /followed(args.p.pid) && has_key(@blocked, (uint32)args.p.pid)/ {\n"
		"	@waker[(uint32)args.p.pid] = ((leader_comm, pid), dw_ustack, kstack);\n"
		"}\n"
		"end {\n"
		"	for ($kv : @blocked) {\n"
		"	let $wait = $kv.1;\n");
	put_wait(b, p, k.n, "$wait", "$kv.0");
	buf_puts(b, "	}\n}\n");
}

static void put_prints(struct buf *b, const struct cli *c, const struct plan *plan)
{
	const struct profile_options *p = &c->own.profile;

	buf_puts(b, "end {\n");
	if (plan->counts_idle && !streq(c->sink.output->name, "folded"))
		buf_puts(b, "	print(@idle);\n");
	buf_printf(b, "	print(@%s);\n}\n",
		   p->off_cpu || p->wall ? "us" :
		   p->event              ? "events" :
					   "samples");
}

static void put_script(struct buf *b, const struct cli *c, const struct plan *plan)
{
	const struct profile_options *p = &c->own.profile;

	buf_printf(b,
		   "config = {\n"
		   "	max_map_keys = 32768;\n"
		   "	unstable_dw_ustack = enable;\n"
		   "	show_debug_info = %d;\n"
		   "	stack_lines = %d;\n"
		   "	print_maps_on_exit = false\n"
		   "}\n",
		   !p->no_inline, p->lines);
	if (p->event)
		put_event(b, p, plan);
	else if (!p->off_cpu)
		put_sampling(b, p, plan);
	if (p->off_cpu || p->wall)
		put_waits(b, p, plan);
	put_prints(b, c, plan);
}

/* ---- the command line */

static bool is_time(const char *text)
{
	u32 n;
	const char *unit = job_read_number(text, &n);

	return unit &&
	       (streq(unit, "ns") || streq(unit, "us") || streq(unit, "ms") || streq(unit, "s"));
}

static int check_together(const struct cli *c)
{
	const struct profile_options *p = &c->own.profile;

	if (p->user && p->kernel)
		return say_usage(c, "--user and --kernel exclude each other");
	if (p->lines && p->no_inline)
		return say_usage(c, "--lines and --no-inline exclude each other");
	if (p->threads && p->by)
		return say_usage(c, "--threads and --by exclude each other");
	if (p->off_cpu + p->wall + (p->event != NULL) > 1)
		return say_usage(c, "--off-cpu, --wall and --event exclude each other");
	if (c->select.frequency && (p->off_cpu || p->event))
		return say_usage(c, "--frequency is for samples, and %s takes none",
				 p->event ? "--event" : "--off-cpu");
	if (p->min && !p->off_cpu && !p->wall)
		return say_usage(c, "--min is for --off-cpu and --wall");
	return 0;
}

/* "page-faults", "sched:sched_switch": as perf names events. */
static void spell_event(struct cli *c)
{
	struct profile_options *p = &c->own.profile;
	struct arena *a = &c->line.arena;
	const char *counter = perf_event_probe(a, p->event);
	const char *type = arena_strndup(a, p->event, strcspn(p->event, ":"));

	if (counter)
		p->event = counter;
	else if (strchr(p->event, ':') && !glob_has_wildcard(type) && !probe_has_type(p->event))
		p->event = arena_printf(a, "tracepoint:%s", p->event);
}

static int check_values(struct cli *c, u32 *hz)
{
	const struct profile_options *p = &c->own.profile;
	const char *end = c->select.frequency ? job_read_number(c->select.frequency, hz) : "";

	if (!end || *end || !*hz)
		return say_usage(c, "--frequency=%s: samples a second, as 99", c->select.frequency);
	if (p->min && !is_time(p->min))
		return say_usage(c, "--min=%s: a time, as 1ms or 50us", p->min);
	if (p->event && strpbrk(p->event, "{}"))
		return say_usage(c, "--event=%s: a probe, without its program", p->event);
	if (p->event)
		spell_event(c);
	return 0;
}

/* The switch that ends a wait belongs to another thread: the condition of --where is for the one
 * that begins it. */
static void take_where(struct traced *t, struct buf *conditions)
{
	if (t->where)
		buf_printf(conditions, " && (%s)", t->where);
	t->where = NULL;
}

static int read_options(struct cli *c, struct plan *plan, struct buf *conditions)
{
	const struct profile_options *o = &c->own.profile;
	int ret = check_values(c, &plan->hz);

	ret = ret ? ret : check_together(c);
	ret = ret ? ret : job_targets(c, JOB_TRACES_ALL);
	ret = ret ? ret : put_conditions(c, conditions);
	if (o->off_cpu || o->wall)
		take_where(&c->request.traced, conditions);
	plan->conditions = conditions->s;
	/* The idle task is a process with the number 0, which only the whole system has. */
	plan->counts_idle = c->request.traced.scope == SCOPE_SCRIPT && !o->off_cpu && !o->event;
	return ret;
}

static int profile(struct cli *c)
{
	struct buf script = { 0 }, conditions = { 0 };
	struct plan plan = { .hz = 99 };
	int ret = read_options(c, &plan, &conditions);

	if (!c->sink.output)
		c->sink.output = &output_tree;
	if (!ret) {
		put_script(&script, c, &plan);
		ret = job_run(c, &(struct job){ .script = script.s, .status_of_cmd = true });
	}
	buf_release(&script);
	buf_release(&conditions);
	return ret;
}

const struct command command_profile = {
	.name = "profile",
	.args = "[CMD [ARG]...]",
	.brief = "show by stacks where time goes: on the CPU, off it, at a probe",
	.doc = "Samples each CPU 99 times a second (-F) and counts the samples by process, user stack and kernel stack. "
	       "User stacks need no frame pointers. Traces CMD and its children, the processes of -p, or, without either, "
	       "the whole system until Ctrl-C or --duration; samples of idle CPUs are counted and left out. Prints a table by function "
	       "and the tree of calls; -o FILE.html or another format (-f) writes a page with flame graphs, or a file for other programs. "
	       "--off-cpu measures how long threads wait, in microseconds, by state and by the stack that waits, followed by the stack of the waker "
	       "from its innermost frame out; --wall is both; --event counts the stacks of any probe. The exit status is that of CMD.",
	.example = "sonde profile -F 499 --duration 10 -p 1",
	.takes = SETS_JOB | SET_CPUS | SET_SAMPLES | SET_CGROUP,
	.run = profile,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
