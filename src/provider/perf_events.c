/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * software: events that the kernel counts; hardware: events that the processor counts. A program runs
 * after every so many of them. Numbers: include/uapi/linux/perf_event.h.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include "base/glob.h"
#include "provider/internal.h"

struct event {
	const char *name, *alias;
	u32 config;
	u64 period;
};

static const struct event software[] = {
	{ "alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1 },
	{ "bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT, 1 },
	{ "context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES, 1000 },
	{ "cpu-clock", "cpu", PERF_COUNT_SW_CPU_CLOCK, 1000000 },
	{ "cpu-migrations", NULL, PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
	{ "dummy", NULL, PERF_COUNT_SW_DUMMY, 1 },
	{ "emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS, 1 },
	{ "major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1 },
	{ "minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN, 100 },
	{ "page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS, 100 },
	{ "task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK, 1 },
	{},
};

static const struct event hardware[] = {
	{ "backend-stalls", NULL, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1000000 },
	{ "branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100000 },
	{ "branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES, 100000 },
	{ "bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES, 100000 },
	{ "cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES, 1000000 },
	{ "cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES, 1000000 },
	{ "cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000000 },
	{ "frontend-stalls", NULL, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 1000000 },
	{ "instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS, 1000000 },
	{ "ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES, 1000000 },
	{},
};

static const struct event *find(const struct event *e, const char *name)
{
	for (; e->name; e++)
		if (streq(e->name, name) || (e->alias && streq(e->alias, name)))
			return e;
	return NULL;
}

static const char *near_event(const struct event *e, const char *name)
{
	struct near near;

	near_init(&near, name);
	for (; e->name; e++) {
		near_try(&near, e->name);
		if (e->alias)
			near_try(&near, e->alias);
	}
	return near_best(&near);
}

static int parse_count(struct provider_env *env, const struct spec *spec, u64 *period)
{
	if (spec->n_parts < 3)
		return 0;
	if (text_number(spec->part[2], period) && *period)
		return 0;
	probe_report(env, spec, D_BAD_COUNT, spec->text, spec->part[2]);
	return -EINVAL;
}

static int resolve(struct provider_env *env, const struct spec *spec, const struct event *table,
		   u32 type, target_fn f, void *ctx)
{
	const struct event *e = find(table, spec->part[1]);
	struct targets ts = {};
	struct profile *p;
	struct site *s;
	u64 period;

	if (spec_has_wildcard(spec, 1)) {
		probe_report(env, spec, D_PROBE_WILDCARD, spec->provider->name);
		return -EINVAL;
	}
	if (!e) {
		const char *near = near_event(table, spec->part[1]);

		return targets_give(
			env, spec, &ts,
			near ? arena_printf(env->arena, "%s:%s", spec->provider->name, near) : NULL,
			f, ctx);
	}
	period = e->period;
	if (parse_count(env, spec, &period) < 0)
		return -EINVAL;
	p = profile_new(env, PROFILE_PERF_EVENT, BPF_PROG_TYPE_PERF_EVENT);
	s = &targets_add(env, &ts, SITE_PERF_SOFTWARE, spec_name(env, spec),
			 profile_for_site(env, p, false, true))
		     ->site;
	s->perf_type = type;
	s->perf_config = e->config;
	s->period = period;
	s->pid = env->pid > 0 ? env->pid : -1;
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

static int resolve_software(struct provider_env *env, const struct spec *spec, target_fn f,
			    void *ctx)
{
	return resolve(env, spec, software, PERF_TYPE_SOFTWARE, f, ctx);
}

static int resolve_hardware(struct provider_env *env, const struct spec *spec, target_fn f,
			    void *ctx)
{
	return resolve(env, spec, hardware, PERF_TYPE_HARDWARE, f, ctx);
}

static int list(struct provider_env *env, const struct spec *spec, const struct event *e, list_fn f,
		void *ctx)
{
	const char *pattern = spec_pattern(spec, 1);
	int ret = 0;

	for (; e->name && !ret; e++) {
		const char *name = glob_match(pattern, e->name) ? e->name : e->alias;

		if (name && glob_match(pattern, name))
			ret = f(ctx, arena_printf(env->arena, "%s:%s:", spec->provider->name, name),
				NULL);
	}
	return ret;
}

static int list_software(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
			 void *ctx)
{
	return list(env, spec, software, f, ctx);
}

static int list_hardware(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
			 void *ctx)
{
	return list(env, spec, hardware, f, ctx);
}

const struct provider provider_software = {
	.name = "software",
	.aliases = "s",
	.syntax = "software:EVENT[:COUNT]",
	.brief = "events that the kernel counts: page faults, context switches",
	.doc = "Runs after every COUNT events on a processor; each event has its own default.",
	.example = "software:page-faults:100 { @[comm] = count(); }",
	.min_parts = 2,
	.max_parts = 3,
	.resolve = resolve_software,
	.list = list_software,
	.bound_to_pid = true,
};

const struct provider provider_hardware = {
	.name = "hardware",
	.aliases = "h",
	.syntax = "hardware:EVENT[:COUNT]",
	.brief = "events that the processor counts: cycles, cache misses",
	.doc = "Runs after every COUNT events on a processor. Virtual machines often have no counters.",
	.example = "hardware:cache-misses:1000000 { @[comm] = count(); }",
	.min_parts = 2,
	.max_parts = 3,
	.resolve = resolve_hardware,
	.list = list_hardware,
	.bound_to_pid = true,
};
