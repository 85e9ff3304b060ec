/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * software: events that the kernel counts; hardware: events that the processor counts. A program
 * runs after every N of them. Numbers: include/uapi/linux/perf_event.h.
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
	{ "cgroup-switches", NULL, 11 /* Linux 5.13 */, 1 },
	{ "context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES, 1000 },
	{ "cpu-clock", "cpu", PERF_COUNT_SW_CPU_CLOCK, 1000000 },
	{ "cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
	{ "dummy", NULL, PERF_COUNT_SW_DUMMY, 1 },
	{ "emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS, 1 },
	{ "major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1 },
	{ "minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN, 100 },
	{ "page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS, 100 },
	{ "task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK, 1 },
	{},
};

static const struct event hardware[] = {
	{ "backend-stalls", "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  1000000 },
	{ "branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100000 },
	{ "branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES, 100000 },
	{ "bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES, 100000 },
	{ "cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES, 1000000 },
	{ "cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES, 1000000 },
	{ "cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000000 },
	{ "frontend-stalls", "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  1000000 },
	{ "instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS, 1000000 },
	{ "ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES, 1000000 },
	{},
};

/*
 * Caches: "L1-dcache-load-misses", as perf names them: cache, operation, "es" or "s", or "-misses"
 * after it. config is cache | operation << 8 | result << 16.
 */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
				      "iTLB",      "branch",    "node" };
static const char *const operations[] = { "-load", "-store", "-prefetch" };

static const char *cache_name(struct arena *a, u32 cache, u32 op, bool misses)
{
	return arena_printf(a, "%s%s%s", caches[cache], operations[op],
			    misses  ? "-misses" :
			    op == 2 ? "es" :
				      "s");
}

static bool find_cache(struct arena *a, const char *name, struct event *e)
{
	for (u32 i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(operations) * 2; i++) {
		u32 cache = i / 6, op = i / 2 % 3, misses = i % 2;

		if (!streq(cache_name(a, cache, op, misses), name))
			continue;
		*e = (struct event){ name, NULL, cache | op << 8 | misses << 16, 1000000 };
		return true;
	}
	return false;
}

/* "r01c2", as perf names what the processor's manual calls event 0xc2 with unit mask 1. */
static bool find_raw(const char *name, struct event *e, u64 *config)
{
	if (name[0] != 'r' || !text_number_hex(name + 1, config))
		return false;
	*e = (struct event){ name, NULL, 0, 1000000 };
	return true;
}

static const struct event *find(const struct event *e, const char *name)
{
	for (; e->name; e++)
		if (streq(e->name, name) || (e->alias && streq(e->alias, name)))
			return e;
	return NULL;
}

static void near_caches(struct arena *a, struct near *near)
{
	for (u32 i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(operations) * 2; i++)
		near_try(near, cache_name(a, i / 6, i / 2 % 3, i % 2));
}

bool perf_event_find(struct arena *a, const char *name, u32 *type, u64 *config)
{
	const struct event *e = find(software, name);
	struct event made;

	*type = e ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
	e = e ? e : find(hardware, name);
	if (!e && find_cache(a, name, &made)) {
		*type = PERF_TYPE_HW_CACHE;
		e = &made;
	}
	if (!e && find_raw(name, &made, config)) {
		*type = PERF_TYPE_RAW;
		return true;
	}
	if (e)
		*config = e->config;
	return e != NULL;
}

const char *perf_event_probe(struct arena *a, const char *name)
{
	u32 type;
	u64 config;

	if (strchr(name, ':') || !perf_event_find(a, name, &type, &config))
		return NULL;
	if (type != PERF_TYPE_SOFTWARE)
		return arena_printf(a, "hardware:%s", name);
	return arena_printf(a, "software:%s:%d", name, ends_with(name, "-clock") ? 1000000 : 1);
}

const char *perf_event_near(struct arena *a, const char *name)
{
	struct near near;

	near_init(&near, name);
	for (const struct event *e = software; e->name; e++)
		near_try(&near, e->name);
	for (const struct event *e = hardware; e->name; e++)
		near_try(&near, e->name);
	near_caches(a, &near);
	return near_best(&near);
}

/* The suggestion: a probe of the other provider, or a similar name; with the requested count. */
static const char *near_probe(struct provider_env *env, const struct spec *spec,
			      const struct event *table)
{
	bool is_hw = table == hardware;
	const char *name = spec->part[1], *guess = name,
		   *provider = is_hw ? "software" : "hardware";
	struct near near;

	if (!find(is_hw ? software : hardware, name)) {
		near_init(&near, name);
		for (const struct event *e = table; e->name; e++) {
			near_try(&near, e->name);
			if (e->alias)
				near_try(&near, e->alias);
		}
		if (is_hw)
			near_caches(env->arena, &near);
		guess = near_best(&near);
		provider = spec->provider->name;
	}
	if (!guess)
		return NULL;
	return arena_printf(env->arena, "%s:%s%s%s", provider, guess, spec->n_parts > 2 ? ":" : "",
			    spec->n_parts > 2 ? spec->part[2] : "");
}

static int no_event(struct provider_env *env, const struct spec *spec, const struct event *table)
{
	struct diag *d = probe_report(env, spec, D_NO_EVENT, spec->part[1], spec->provider->name);
	const char *near = near_probe(env, spec, table);

	if (near)
		probe_help(env, d, "did you mean %s?", near);
	return -ENOENT;
}

/* With the count; 0: without one. */
static const char *event_name(struct provider_env *env, const struct spec *spec, u64 period)
{
	u64 n;

	if (spec->n_parts < 3 || (text_number(spec->part[2], &n) && !n))
		return arena_printf(env->arena, "%s:%s", spec->provider->name, spec->part[1]);
	return arena_printf(env->arena, "%s:%s:%llu", spec->provider->name, spec->part[1],
			    (unsigned long long)period);
}

static int parse_count(struct provider_env *env, const struct spec *spec, u64 *period)
{
	u64 n;

	if (spec->n_parts < 3)
		return 0;
	if (text_number(spec->part[2], &n)) {
		*period = n ? n : *period;
		return 0;
	}
	probe_report(env, spec, D_BAD_COUNT, spec->provider->name,
		     text_fault(env->arena, spec->part[2]));
	return -EINVAL;
}

static int resolve(struct provider_env *env, const struct spec *spec, const struct event *table,
		   u32 type, target_fn f, void *ctx)
{
	const struct event *e = find(table, spec->part[1]);
	struct event made;
	u64 config = 0;
	struct targets ts = { 0 };
	struct profile *p;
	struct site *s;
	u64 period;

	if (spec_has_wildcard(spec, 1)) {
		probe_report(env, spec, D_PROBE_WILDCARD, spec->provider->name);
		return -EINVAL;
	}
	if (!e && type == PERF_TYPE_HARDWARE && find_cache(env->arena, spec->part[1], &made)) {
		e = &made;
		type = PERF_TYPE_HW_CACHE;
		config = made.config;
	} else if (!e && type == PERF_TYPE_HARDWARE && find_raw(spec->part[1], &made, &config)) {
		e = &made;
		type = PERF_TYPE_RAW;
	} else if (e) {
		config = e->config;
	}
	if (!e)
		return no_event(env, spec, table);
	period = e->period;
	if (parse_count(env, spec, &period) < 0)
		return -EINVAL;
	p = profile_new(env, PROFILE_PERF_EVENT, BPF_PROG_TYPE_PERF_EVENT);
	s = &targets_add(env, &ts, SITE_PERF_SOFTWARE, event_name(env, spec, period),
			 profile_for_site(env, p, false, true))
		     ->site;
	s->event.type = type;
	s->event.config = config;
	s->event.period = period;
	s->pid = env_pid(env);
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
		if (glob_match(pattern, e->name))
			ret = f(ctx,
				arena_printf(env->arena, "%s:%s:", spec->provider->name, e->name),
				NULL);
		if (!ret && e->alias && glob_match(pattern, e->alias))
			ret = f(ctx,
				arena_printf(env->arena, "%s:%s:", spec->provider->name, e->alias),
				NULL);
	}
	return ret;
}

static int list_caches(struct provider_env *env, const struct spec *spec, list_fn f, void *ctx)
{
	const char *pattern = spec_pattern(spec, 1);
	int ret = 0;

	for (u32 i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(operations) * 2 && !ret; i++) {
		const char *name = cache_name(env->arena, i / 6, i / 2 % 3, i % 2);

		if (glob_match(pattern, name))
			ret = f(ctx, arena_printf(env->arena, "hardware:%s:", name), NULL);
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
	int ret = list(env, spec, hardware, f, ctx);

	return ret || spec->n_parts < 2 ? ret : list_caches(env, spec, f, ctx);
}

const struct provider provider_software = {
	.name = "software",
	.aliases = "s",
	.syntax = "software:EVENT[:COUNT]",
	.brief = "software events of the kernel: page faults, context switches",
	.doc = "Runs after every COUNT events on a CPU; the default depends on the event.",
	.example = "software:page-faults:1 { @[comm] = count(); }",
	.work = "cat /dev/null",
	.output = "...\n"
		  "@[cat]: 97",
	.varies = true,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.empty = "software probe must have a software event name",
	.feature = FEAT_PERF_EVENTS + 1,
	.resolve = resolve_software,
	.list = list_software,
	.bound_to_pid = true,
};

const struct provider provider_hardware = {
	.name = "hardware",
	.aliases = "h",
	.syntax = "hardware:EVENT[:COUNT]",
	.brief = "hardware events of the CPU: cycles, cache misses",
	.doc = "Runs after every COUNT events on a CPU. Also perf's cache events "
	       "(L1-dcache-load-misses, LLC-loads, dTLB-store-misses ...) and raw ones (r01c2: "
	       "unit mask 01, event c2). Virtual machines often have no counters.",
	.example = "hardware:cache-misses:1000000 { @[comm] = count(); }",
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.empty = "hardware probe must have a hardware event name",
	.feature = FEAT_HARDWARE + 1,
	.resolve = resolve_hardware,
	.list = list_hardware,
	.bound_to_pid = true,
};
