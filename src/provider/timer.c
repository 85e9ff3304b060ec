/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: samples on every processor (with -p: of the process); interval: one processor's timer.
 * Both are the cpu-clock event (kernel/events/core.c, perf_swevent_hrtimer).
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
};

FORMAT(3, 4) static int bad(struct provider_env *env, const struct spec *spec, const char *fmt, ...)
{
	struct diag *d;
	va_list ap;

	va_start(ap, fmt);
	d = probe_report(env, spec, D_BAD_PERIOD, arena_vprintf(env->arena, fmt, ap));
	va_end(ap);
	probe_help(env, d, "for example %s:hz:99, %s:s:1 or %s:10ms", spec->provider->name,
		   spec->provider->name, spec->provider->name);
	return -EINVAL;
}

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (streq(units[i].name, name))
			return &units[i];
	return NULL;
}

static int set_period(struct provider_env *env, const struct spec *spec, struct site *s, u64 n,
		      const struct unit *u)
{
	const char *name = spec->provider->name;

	if (!n || n > INT64_MAX)
		return bad(env, spec, "%s frequency should be a positive integer", name);
	s->probe = arena_printf(env->arena, "%s:%s:%llu", name, u->name, (unsigned long long)n);
	if (!u->ns) {
		s->event.is_freq = true;
		s->event.period = n;
		return n > 1000000 ?
			       bad(env, spec,
				   "Invalid rate of %s probe. Maximum is one million a second",
				   name) :
			       0;
	}
	if (__builtin_mul_overflow(n, u->ns, &s->event.period) || s->event.period > INT64_MAX)
		return bad(env, spec,
			   "Invalid rate of %s probe: it does not fit 63 bits of nanoseconds",
			   name);
	return 0;
}

/* "5s", "250ms", "1_000_000", "1e9": nanoseconds; "99hz". */
static int duration(struct provider_env *env, const struct spec *spec, struct site *s)
{
	const char *text = spec->part[1], *name = spec->provider->name;
	const char *number =
		ends_with(text, "hz") ? arena_strndup(env->arena, text, strlen(text) - 2) : text;
	u64 n;

	if (!text_number(number, &n))
		return bad(env, spec, "Invalid rate of %s probe: %s", name,
			   text_fault(env->arena, text));
	if (number != text)
		return set_period(env, spec, s, n, find_unit("hz"));
	if (n < MIN_NS)
		return bad(
			env, spec,
			"Invalid rate of %s probe. Minimum is 1000 or 1us. Found: %llu nanoseconds",
			name, (unsigned long long)n);
	if (set_period(env, spec, s, n / 1000, find_unit("us")) < 0)
		return -EINVAL;
	s->event.period = n;
	return 0;
}

static int parse_period(struct provider_env *env, const struct spec *spec, struct site *s)
{
	const char *text = spec->part[spec->n_parts - 1];
	const struct unit *u;
	u64 n;

	if (spec_has_wildcard(spec, 1)) {
		probe_report(env, spec, D_PROBE_WILDCARD, spec->provider->name);
		return -EINVAL;
	}
	if (spec->n_parts == 2)
		return duration(env, spec, s);
	u = find_unit(spec->part[1]);
	if (!u)
		return bad(env, spec, "%s is not an accepted unit of time", spec->part[1]);
	if (text[0] == '-' && text_number(text + 1, &n))
		return bad(env, spec, "%s frequency should be a positive integer",
			   spec->provider->name);
	if (!text_number(text, &n))
		return bad(env, spec, "Invalid rate of %s probe: %s", spec->provider->name,
			   text_fault(env->arena, text));
	return set_period(env, spec, s, n, u);
}

static int give(struct provider_env *env, const struct spec *spec, struct site *parsed, target_fn f,
		void *ctx)
{
	struct profile *p = profile_new(env, PROFILE_PERF_EVENT, BPF_PROG_TYPE_PERF_EVENT);
	struct targets ts = { 0 };
	struct site *s;

	if (parse_period(env, spec, parsed) < 0)
		return -EINVAL;
	s = &targets_add(env, &ts, SITE_PERF_TIMER, parsed->probe,
			 profile_for_site(env, p, false, true))
		     ->site;
	s->event.period = parsed->event.period;
	s->event.is_freq = parsed->event.is_freq;
	s->event.one_cpu = parsed->event.one_cpu;
	s->pid = parsed->pid;
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

static int resolve_profile(struct provider_env *env, const struct spec *spec, target_fn f,
			   void *ctx)
{
	struct site s = { .pid = env_pid(env) };

	return give(env, spec, &s, f, ctx);
}

static int resolve_interval(struct provider_env *env, const struct spec *spec, target_fn f,
			    void *ctx)
{
	struct site s = { .pid = -1, .event.one_cpu = true };

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
	.brief = "samples on every CPU",
	.doc = "Interrupts each CPU at that rate. With -p, only the process is sampled, while it "
	       "runs.",
	.example = "profile:hz:999 { @[comm] = count(); }",
	.work = "bash -c \"for ((i = 0; i < 3000; i++)); do :; done\"",
	.output = "@[bash]: 18",
	.varies = true,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.feature = FEAT_PERF_EVENTS + 1,
	.is_replayed = true,
	.resolve = resolve_profile,
	.list = list_units,
	.bound_to_pid = true,
};

const struct provider provider_interval = {
	.name = "interval",
	.aliases = "i",
	.syntax = "interval:{hz|s|ms|us}:N or interval:DURATION",
	.brief = "a timer on one CPU",
	.doc = "Runs periodically, for example to print. -p does not filter it.",
	.example = "interval:ms:100 { @n++; printf(\"tick %d\\n\", @n); if (@n == 3) { exit(); } }",
	.work = "sleep 1",
	.output = "tick 1\n"
		  "tick 2\n"
		  "tick 3\n"
		  "\n"
		  "@n: 3",
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.feature = FEAT_PERF_EVENTS + 1,
	.is_replayed = true,
	.resolve = resolve_interval,
	.list = list_units,
	.unfiltered = true,
};
