/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begin, end: once at the start and at the end of a run. self:signal:NAME: when sonde itself gets
 * the signal. The session runs them itself; they have no arguments.
 */
#include <errno.h>
#include <signal.h>
#include "base/glob.h"
#include "provider/internal.h"

static int give_one(struct provider_env *env, const struct spec *spec, enum site_kind kind,
		    int signal, target_fn f, void *ctx)
{
	struct profile *p = profile_new(env, PROFILE_NONE, BPF_PROG_TYPE_RAW_TRACEPOINT);
	struct targets ts = { 0 };
	struct target *t;

	p = profile_for_site(env, p, false, false);
	t = targets_add(env, &ts, kind, spec_name(env, spec), p);
	t->site.signal = signal;
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

static int resolve_once(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	return give_one(env, spec, SITE_ONCE, 0, f, ctx);
}

/* They have no parts: "*:*" matches them, "*:*fork*" does not. */
static int list_once(const struct spec *spec, const char *name, list_fn f, void *ctx)
{
	for (u32 i = 1; i < spec->n_parts; i++)
		if (!streq(spec->part[i], "*") && *spec->part[i])
			return 0;
	return f(ctx, name, NULL);
}

static int list_begin(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		      void *ctx)
{
	return list_once(spec, "begin", f, ctx);
}

static int list_end(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		    void *ctx)
{
	return list_once(spec, "end", f, ctx);
}

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "SIGUSR1", SIGUSR1 }, { "SIGUSR2", SIGUSR2 },   { "SIGHUP", SIGHUP },
	{ "SIGCONT", SIGCONT }, { "SIGWINCH", SIGWINCH },
};

static int resolve_self(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct diag *d;

	if (!streq(spec->part[1], "signal"))
		return probe_bad_syntax(env, spec,
					arena_printf(env->arena, "%s is not a supported trigger",
						     spec->part[1]));
	for (u32 i = 0; i < ARRAY_SIZE(signals); i++)
		if (streq(signals[i].name, spec->part[2]))
			return give_one(env, spec, SITE_SIGNAL, signals[i].number, f, ctx);
	d = probe_report(env, spec, D_BAD_SIGNAL_PROBE, spec->part[2]);
	probe_help(env, d, "SIGUSR1, SIGUSR2, SIGHUP, SIGCONT and SIGWINCH can be used");
	return -EINVAL;
}

static int list_self(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		     void *ctx)
{
	int ret = 0;

	if (!glob_match(spec_pattern(spec, 1), "signal"))
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(signals) && !ret; i++)
		if (glob_match(spec_pattern(spec, 2), signals[i].name))
			ret = f(ctx, arena_printf(env->arena, "self:signal:%s", signals[i].name),
				NULL);
	return ret;
}

const struct provider provider_begin = {
	.name = "begin",
	.syntax = "begin",
	.brief = "once, before all other probes",
	.doc = "Runs before the other probes are attached; several run in the order of the script.",
	.example = "begin { printf(\"tracing\\n\"); }",
	.output = "tracing",
	.min_parts = 1,
	.max_parts = 1,
	.takes = "0",
	.resolve = resolve_once,
	.list = list_begin,
	.unfiltered = true,
	.is_replayed = true,
};

const struct provider provider_end = {
	.name = "end",
	.syntax = "end",
	.brief = "once, after all other probes",
	.doc = "Runs after the other probes are detached, before maps are printed.",
	.example = "begin { @x = 1; } end { printf(\"at the end: %d\\n\", @x); clear(@x); }",
	.output = "at the end: 1",
	.min_parts = 1,
	.max_parts = 1,
	.takes = "0",
	.resolve = resolve_once,
	.list = list_end,
	.unfiltered = true,
	.is_replayed = true,
};

const struct provider provider_self = {
	.name = "self",
	.syntax = "self:signal:SIGNAL",
	.brief = "a signal that sonde receives",
	.doc = "Runs when the signal is sent to sonde itself, for example to print maps on demand.",
	.example = "begin { @x = 3; } self:signal:SIGUSR1 { print(@x); clear(@x); }",
	.work = "sh -c \"kill -USR1 $PPID; sleep 0.1\"",
	.output = "@x: 3",
	.min_parts = 3,
	.max_parts = 3,
	.takes = "2",
	.resolve = resolve_self,
	.list = list_self,
	.unfiltered = true,
	.is_replayed = true,
};
