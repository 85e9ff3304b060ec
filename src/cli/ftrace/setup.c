/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options -> files of the instance. max_graph_depth, tracing_thresh and set_graph_function are the
 * whole system's: what they would do is done while lines are printed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/glob.h"
#include "cli/ftrace/ftrace.h"
#include "cli/job.h"
#include "cli/option.h"
#include "sym/procs.h"

/* ---- -e */

static void add_event(struct ftrace *f, const char *text)
{
	const char *colon = strpbrk(text, ":/");
	struct ftrace_event e = { .system = text, .name = "*" };

	if (colon) {
		e.system = arena_strndup(&f->arena, text, (size_t)(colon - text));
		e.name = colon[1] ? colon + 1 : "*";
	}
	vec_push(&f->arena, &f->events, e);
}

static void add_list(struct ftrace *f, const char *list)
{
	for (const char *s = list; *s; s += strcspn(s, ","), s += *s == ',')
		if (*s != ',')
			add_event(f, arena_strndup(&f->arena, s, strcspn(s, ",")));
}

int ftrace_read_events(struct ftrace *f)
{
	const struct cli *c = f->c;

	for (u32 i = 0; i < c->line.n_given; i++) {
		const struct option_row *row = c->line.given[i].row;
		struct ftrace_event *last = f->events.n ? &f->events.v[f->events.n - 1] : NULL;
		bool is_filter = streq(row->name, "filter"),
		     is_trigger = streq(row->name, "trigger");

		if (streq(row->name, "event"))
			add_list(f, c->line.given[i].value);
		if ((is_filter || is_trigger) && !last)
			return say_usage(
				c,
				"--%s belongs to the event before it: -e sched:sched_switch --%s ...",
				row->name, row->name);
		if (is_filter)
			last->filter = c->line.given[i].value;
		if (is_trigger)
			vec_push(&f->arena, &last->triggers, c->line.given[i].value);
	}
	return 0;
}

/* "traceon, traceoff, ..." of the kernel's README, from "trigger: " to "example: ". */
static void add_kinds(struct ftrace *f, struct err *err)
{
	struct buf readme = { 0 }, kinds = { 0 };
	char path[300];
	const char *s;

	snprintf(path, sizeof path, "%s/README", f->root);
	buf_read_file(&readme, path);
	/* those of functions are before them */
	s = readme.s ? strstr(readme.s, "events/<system>/<event>") : NULL;
	s = s ? strstr(s, " trigger: ") : NULL;
	s = s ? s + strlen(" trigger: ") : "";
	while (*s && !starts_with(s, "example")) {
		size_t len = strcspn(s, " ,\n\t");

		if (len)
			buf_printf(&kinds, "%s%.*s", kinds.len ? ", " : "", (int)len, s);
		s += len + strspn(s + len, " ,\n\t");
	}
	if (kinds.len)
		err_help(err, "triggers of this kernel: %s; each with [:COUNT][ if FILTER]",
			 kinds.s);
	buf_release(&readme);
	buf_release(&kinds);
}

static int set_event(struct ftrace *f, struct ftrace_event *e, const char *system, const char *name,
		     struct err *err)
{
	const char *dir = arena_printf(&f->arena, "events/%s/%s", system, name);
	int ret = 0;

	vec_push(&f->arena, &e->dirs, dir);

	if (e->filter)
		ret = instance_put(f, arena_printf(&f->arena, "%s/filter", dir), e->filter, O_TRUNC,
				   err);
	for (u32 i = 0; i < e->triggers.n && ret >= 0; i++)
		ret = instance_put(f, arena_printf(&f->arena, "%s/trigger", dir), e->triggers.v[i],
				   O_APPEND, err);
	if (ret == -EINVAL && e->triggers.n && !*err->help)
		add_kinds(f, err);
	/* an event with a trigger alone is summed up, not printed */
	if (ret >= 0 && !(e->triggers.n && starts_with(e->triggers.v[0], "hist")))
		ret = instance_put(f, arena_printf(&f->arena, "%s/enable", dir), "1", O_TRUNC, err);
	return ret < 0 ? err_wrap(err, "%s:%s", system, name) : 0;
}

static int set_matching(struct ftrace *f, struct ftrace_event *e, u32 *n_found, struct err *err)
{
	const char **systems, **names;
	u32 n_systems, n_names;
	int ret = tracefs_categories(&f->arena, &systems, &n_systems, err);

	for (u32 i = 0; ret >= 0 && i < n_systems; i++) {
		if (!glob_match(e->system, systems[i]) || streq(systems[i], "ftrace"))
			continue;
		ret = tracefs_events(&f->arena, systems[i], &names, &n_names, err);
		for (u32 k = 0; ret >= 0 && k < n_names; k++)
			if (glob_match(e->name, names[k])) {
				++*n_found;
				ret = set_event(f, e, systems[i], names[k], err);
			}
	}
	return ret;
}

static int set_events(struct ftrace *f, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < f->events.n && ret >= 0; i++) {
		u32 n = 0;

		ret = set_matching(f, &f->events.v[i], &n, err);
		if (ret < 0 || n)
			continue;
		err_usage(err, -ENOENT, "no event %s:%s", f->events.v[i].system,
			  f->events.v[i].name);
		err_help(err, "sonde list 'tracepoint:*sched*' shows what there is");
		return err->code;
	}
	return ret;
}

/* ---- threads */

struct pids {
	struct buf text;
};

static int add_pid(void *ctx, u32 tid)
{
	struct pids *p = ctx;

	buf_printf(&p->text, "%u ", tid);
	return 0;
}

static int set_option(struct ftrace *f, const char *name, bool on, struct err *err)
{
	return instance_put(f, arena_printf(&f->arena, "options/%s", name), on ? "1" : "0", O_TRUNC,
			    err);
}

static int set_pids(struct ftrace *f, s32 pid, struct err *err)
{
	const struct cli *c = f->c;
	struct pids p = { 0 };
	int ret = 0;

	if (pid)
		add_pid(&p, (u32)pid);
	for (u32 i = 0; i < c->request.traced.n_pids; i++)
		proc_each_thread(c->request.traced.pids[i], add_pid, &p);
	if (p.text.len && !c->select.all) {
		ret = instance_put(f, "set_event_pid", p.text.s, O_TRUNC, err);
		if (ret >= 0 && f->tracer)
			ret = instance_put(f, "set_ftrace_pid", p.text.s, O_TRUNC, err);
		if (ret >= 0 && !c->select.no_follow)
			ret = set_option(f, "event-fork", true, err);
		if (ret >= 0 && f->tracer && !c->select.no_follow)
			ret = set_option(f, "function-fork", true, err);
	}
	buf_release(&p.text);
	return ret;
}

/* ---- functions */

static int set_functions(struct ftrace *f, const char *file, const char *const *patterns,
			 const char *module, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; ret >= 0 && patterns && patterns[i]; i++) {
		/* without a newline the kernel parses it in close(), whose error is lost */
		const char *text = arena_printf(&f->arena, "%s%s%s\n", patterns[i],
						module ? ":mod:" : "", module ? module : "");

		ret = instance_put(f, file, text, O_APPEND, err);
		if (ret == -EINVAL) {
			err_usage(err, -ENOENT,
				  "no function that the kernel can trace is like \"%s\"%s%s",
				  patterns[i], module ? " in module " : "", module ? module : "");
			err_help(
				err,
				"patterns have * and ?; /sys/kernel/tracing/available_filter_functions lists functions");
			ret = err->code;
		}
	}
	return ret;
}

static int no_tracer(struct ftrace *f, struct err *err)
{
	struct buf b = { 0 };

	instance_read(f, "available_tracers", &b);
	err_set(err, -EINVAL, "an instance of this kernel has no tracer %s, but %.*s", f->tracer,
		(int)(b.len ? strcspn(b.s, "\n") : 0), b.len ? b.s : "");
	if (f->is_graph)
		err_help(
			err,
			"Linux 6.11 and later have it in instances, without touching what others trace: sonde flow FUNC "
			"draws such a tree on any kernel with kprobes");
	buf_release(&b);
	return err->code;
}

static bool has_tracer(struct ftrace *f)
{
	struct buf b = { 0 };
	char *word = xasprintf(" %s ", f->tracer), *all;
	bool found;

	instance_read(f, "available_tracers", &b);
	all = xasprintf(" %.*s ", (int)(b.len ? strcspn(b.s, "\n") : 0), b.len ? b.s : "");
	found = strstr(all, word) != NULL;
	free(all);
	free(word);
	buf_release(&b);
	return found;
}

static int set_tracer(struct ftrace *f, struct err *err)
{
	static const char *const all[] = { "*", NULL };
	const struct ftrace_options *o = &f->c->own.ftrace;
	const char *module = f->c->select.module;
	int ret;

	if (!f->tracer)
		return 0;
	if (!has_tracer(f))
		return no_tracer(f, err);
	ret = set_functions(f, "set_ftrace_filter",
			    o->functions ? o->functions :
			    module       ? all :
					   NULL,
			    module, err);
	ret = ret < 0 ? ret : set_functions(f, "set_ftrace_notrace", o->notrace, NULL, err);
	if (ret >= 0 && f->is_latency)
		ret = instance_put(f, "tracing_max_latency", "0", O_TRUNC, err);
	ret = ret < 0 ? ret : instance_put(f, "current_tracer", f->tracer, O_TRUNC, err);
	return ret;
}

/* ---- the rest */

static const char *opposite(struct ftrace *f, const char *name)
{
	return starts_with(name, "no") ? name + 2 : arena_printf(&f->arena, "no%s", name);
}

static bool is_set(struct ftrace *f, const char *name)
{
	char *line = xasprintf("\n%s\n", name);
	struct buf b = { 0 };
	bool found;

	buf_putc(&b, '\n');
	instance_read(f, "trace_options", &b);
	found = strstr(b.s, line) != NULL;
	free(line);
	buf_release(&b);
	return found;
}

/* Options of a tracer itself, as func_stack_trace, are not the instance's: until 6.16 all instances
 * share them. */
static int set_trace_option(struct ftrace *f, const char *name, struct err *err)
{
	int ret = 0;

	if (is_set(f, name))
		return 0;
	ret = instance_put(f, "trace_options", name, O_APPEND, err);
	if (ret >= 0)
		vec_push(&f->arena, &f->to_restore, opposite(f, name));
	else if (ret == -EINVAL)
		err_help(
			err,
			"options are those of /sys/kernel/tracing/trace_options; NAME sets one, noNAME resets it");
	return ret;
}

static int set_options(struct ftrace *f, struct err *err)
{
	const struct ftrace_options *o = &f->c->own.ftrace;
	int ret = 0;

	for (u32 i = 0; ret >= 0 && o->options && o->options[i]; i++)
		ret = set_trace_option(f, o->options[i], err);
	if (ret >= 0 && f->c->select.stack)
		ret = set_trace_option(f, f->tracer ? "func_stack_trace" : "stacktrace", err);
	return ret;
}

void ftrace_restore(struct ftrace *f)
{
	struct err err = { 0 };

	while (f->to_restore.n)
		instance_put(f, "trace_options", f->to_restore.v[--f->to_restore.n], O_APPEND,
			     &err);
	err_release(&err);
}

/* -C as a mask of hexadecimal words: "2-3" is c. */
static int set_cpus(struct ftrace *f, struct err *err)
{
	u32 word[32] = { 0 }, first, last, top = 0;
	struct buf b = { 0 };
	int ret;

	for (const char *s = f->c->select.cpus; s && *s; s += *s == ',') {
		s = job_read_range(s, &first, &last);
		if (!s || last >= 32 * ARRAY_SIZE(word))
			return err_usage(err, -EINVAL, "-C %s: processors are as in 0,2-3",
					 f->c->select.cpus);
		for (u32 i = first; i <= last; i++)
			word[i / 32] |= 1u << i % 32;
		top = MAX(top, last / 32);
	}
	if (!f->c->select.cpus)
		return 0;
	for (u32 i = top + 1; i--;)
		buf_printf(&b, i == top ? "%x" : ",%08x", word[i]);
	ret = instance_put(f, "tracing_cpumask", b.s, O_TRUNC, err);
	buf_release(&b);
	return ret;
}

static int set_buffer(struct ftrace *f, struct err *err)
{
	char kb[24];

	snprintf(kb, sizeof kb, "%u",
		 f->c->own.ftrace.buffer_kb ? f->c->own.ftrace.buffer_kb : 4096);
	return instance_put(f, "buffer_size_kb", kb, O_TRUNC, err);
}

int ftrace_set_up(struct ftrace *f, s32 pid, struct err *err)
{
	struct err ignored = { 0 };
	int ret = instance_put(f, "tracing_on", "0", O_TRUNC, err);

	ret = ret < 0 ? ret : instance_put(f, "trace_clock", f->clock, O_TRUNC, err);
	ret = ret < 0 ? ret : set_buffer(f, err);
	ret = ret < 0 ? ret : set_cpus(f, err);
	ret = ret < 0 ? ret : set_pids(f, pid, err);
	ret = ret < 0 ? ret : set_events(f, err);
	ret = ret < 0 ? ret : set_tracer(f, err);
	ret = ret < 0 ? ret : set_options(f, err);
	if (f->keeps) /* without it threads are processes of their own */
		instance_put(f, "options/record-tgid", "1", O_TRUNC, &ignored);
	err_release(&ignored);
	if (ret == -EPERM && f->tracer)
		err_help(
			err,
			"lockdown forbids the function tracer, see /sys/kernel/security/lockdown; events (-e) are there");
	return ret;
}
