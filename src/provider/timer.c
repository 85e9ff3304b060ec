/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: samples on every processor (with -p: of the process); interval: one processor's timer. Both
 * are the cpu-clock event (kernel/events/core.c, perf_swevent_hrtimer).
 *
 *	hz:99   s:1   ms:10   us:100   5s   250ms   1000000 (nanoseconds)
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"

enum { MIN_NS = 1000 };

static const struct unit {
	const char *name;
	u64 ns; /* 0: times a second */
} units[] = {
	{ "hz", 0 },
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
}, suffixes[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000 },
	{ "h", 3600000000000 },
	{ "d", 86400000000000 },
	{ "hz", 0 },
};

static int bad(struct provider_env *env, const struct spec *spec, const char *why)
{
	struct diag *d = probe_report(env, spec, D_BAD_PERIOD, spec->text, why);

	probe_help(env, d, "for example %s:hz:99, %s:s:1 or %s:10ms", spec->provider->name,
		   spec->provider->name, spec->provider->name);
	return -EINVAL;
}

static const struct unit *find_unit(const struct unit *u, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(u[i].name, name))
			return &u[i];
	return NULL;
}

static int set_period(struct provider_env *env, const struct spec *spec, struct site *s, u64 n,
		      const struct unit *u)
{
	if (!n)
		return bad(env, spec, "the period must be greater than zero");
	if (!u->ns) {
		s->is_freq = true;
		s->period = n;
		return n > 1000000 ? bad(env, spec, "the rate is above one million a second") : 0;
	}
	if (__builtin_mul_overflow(n, u->ns, &s->period) || s->period > INT64_MAX)
		return bad(env, spec, "the period does not fit 63 bits of nanoseconds");
	return s->period < MIN_NS ? bad(env, spec, "the period is below one microsecond") : 0;
}

/* "5s", "250ms", "1_000_000". */
static int duration(struct provider_env *env, const struct spec *spec, struct site *s)
{
	const char *text = spec->part[1];
	size_t digits = strspn(text, "0123456789_xX");
	char *number = arena_strndup(env->arena, text, digits);
	const struct unit *u =
		find_unit(suffixes, ARRAY_SIZE(suffixes), text[digits] ? text + digits : "ns");
	u64 n;

	if (!digits || !u || !text_number(number, &n))
		return bad(env, spec, "this is not a duration");
	return set_period(env, spec, s, n, u);
}

static int parse_period(struct provider_env *env, const struct spec *spec, struct site *s)
{
	const struct unit *u;
	u64 n;

	if (spec_has_wildcard(spec, 1)) {
		probe_report(env, spec, D_PROBE_WILDCARD, spec->provider->name);
		return -EINVAL;
	}
	if (spec->n_parts == 2)
		return duration(env, spec, s);
	u = find_unit(units, ARRAY_SIZE(units), spec->part[1]);
	if (!u)
		return bad(env, spec, "the unit must be hz, s, ms or us");
	if (!text_number(spec->part[2], &n))
		return bad(env, spec, "this is not a number");
	return set_period(env, spec, s, n, u);
}

static int give(struct provider_env *env, const struct spec *spec, struct site *parsed, target_fn f,
		void *ctx)
{
	struct profile *p = profile_new(env, PROFILE_PERF_EVENT, BPF_PROG_TYPE_PERF_EVENT);
	struct targets ts = {};
	struct site *s = &targets_add(env, &ts, SITE_PERF_TIMER, spec_name(env, spec),
				      profile_for_site(env, p, false, true))
				  ->site;
	int ret = parse_period(env, spec, parsed);

	if (ret < 0)
		return ret;
	s->period = parsed->period;
	s->is_freq = parsed->is_freq;
	s->one_cpu = parsed->one_cpu;
	s->pid = parsed->pid;
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

static int resolve_profile(struct provider_env *env, const struct spec *spec, target_fn f,
			   void *ctx)
{
	struct site s = { .pid = env->pid > 0 ? env->pid : -1 };

	return give(env, spec, &s, f, ctx);
}

static int resolve_interval(struct provider_env *env, const struct spec *spec, target_fn f,
			    void *ctx)
{
	struct site s = { .pid = -1, .one_cpu = true };

	return give(env, spec, &s, f, ctx);
}

static int list_units(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		      void *ctx)
{
	int ret = 0;

	for (u32 i = 0; i < ARRAY_SIZE(units) && !ret; i++)
		if (glob_match(spec_pattern(spec, 1), units[i].name))
			ret = f(ctx,
				arena_printf(env->arena, "%s:%s:", spec->provider->name,
					     units[i].name),
				NULL);
	return ret;
}

const struct provider provider_profile = {
	.name = "profile",
	.aliases = "p",
	.syntax = "profile:{hz|s|ms|us}:N or profile:DURATION",
	.brief = "samples on every processor",
	.doc = "Interrupts each processor at the rate. With -p only the process is sampled, while it runs.",
	.example = "profile:hz:99 { @[kstack] = count(); }",
	.min_parts = 2,
	.max_parts = 3,
	.feature = FEAT_PERF_EVENTS + 1,
	.resolve = resolve_profile,
	.list = list_units,
	.bound_to_pid = true,
};

const struct provider provider_interval = {
	.name = "interval",
	.aliases = "i",
	.syntax = "interval:{hz|s|ms|us}:N or interval:DURATION",
	.brief = "a timer on one processor",
	.doc = "Runs periodically, for output. -p does not filter it.",
	.example = "interval:s:1 { print(@x); clear(@x); }",
	.min_parts = 2,
	.max_parts = 3,
	.feature = FEAT_PERF_EVENTS + 1,
	.resolve = resolve_interval,
	.list = list_units,
	.unfiltered = true,
};
