/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets: made by the providers, counted, passed to the caller. Two sites share a profile (and so
 * a program) unless the clause reads its probe's name and the kernel has no cookies for that kind.
 */
#include <errno.h>
#include "lang/env.h"
#include "provider/internal.h"
#include "sym/tracefs.h"

struct target *targets_add(struct provider_env *env, struct targets *ts, enum site_kind kind,
			   const char *probe, struct profile *p)
{
	struct target *t = arena_new(env->arena, struct target);

	t->site.kind = kind;
	t->site.probe = probe;
	t->site.is_return = p->func.is_return;
	t->site.index = NO_SITE;
	t->site.pid = -1;
	t->profile = p;
	vec_push(env->arena, &ts->list, t);
	return t;
}

bool env_insists(const struct provider_env *env, const struct spec *spec)
{
	/* one match of several patterns is enough */
	return env->config.missing_probes == MISSING_ERROR &&
	       !(env->clause.n_attaches > 1 && spec_has_wildcard(spec, 1)) &&
	       !(spec->attach && spec->attach->may_miss);
}

bool env_demands(const struct provider_env *env, const struct spec *spec)
{
	return env_insists(env, spec) && !env->request->compile.any_kernel;
}

bool env_tells_missing(const struct provider_env *env)
{
	return env->config.missing_probes != MISSING_IGNORE;
}

static int found(void *ctx, const char *probe, const struct profile *p)
{
	return *(bool *)ctx = true;
}

bool lists_something(struct provider_env *env, const struct spec *spec)
{
	struct provider_env quiet = *env;
	bool any = false;

	quiet.diags = NULL;
	if (spec->provider->list)
		spec->provider->list(&quiet, spec, false, found, &any);
	return any;
}

/* No similar name: proposes the probes of the same group, or of the group above. */
static void tell_list(struct provider_env *env, const struct spec *spec, struct diag *d)
{
	struct spec up = *spec;

	if (spec_has_wildcard(spec, 1))
		return;
	for (up.n_parts = spec->n_parts; up.n_parts > 1; up.n_parts--) {
		up.part[up.n_parts - 1] = "*";
		up.text = spec_name(env, &up);
		if (lists_something(env, &up)) {
			probe_help(env, d, "\"sonde list '%s'\" shows them", up.text);
			return;
		}
	}
}

/* A pattern may match nothing; the caller reports a clause without any probe. */
static bool is_whole_clause(const struct provider_env *env, const struct spec *spec)
{
	return spec_has_wildcard(spec, 1) && env->clause.n_attaches == 1 &&
	       !env->request->compile.any_kernel;
}

static int tell_pattern(struct provider_env *env, const struct spec *spec, const char *help)
{
	bool demands = env_insists(env, spec);
	struct diag *d = probe_report(env, spec, demands ? D_NO_ATTACH_POINTS : D_PROBE_REMOVED);

	if (demands && help)
		probe_help(env, d, "%s", help);
	return demands ? -ENOENT : 0;
}

static int not_recorded(struct provider_env *env, const struct spec *spec)
{
	struct diag *d =
		probe_report(env, spec, D_NOT_IN_RECORDING, spec->text, env->system.recorded->file);

	probe_help(env, d, "it has %s", events_recorded(env));
	probe_help(
		env, d,
		"if it never fired: config = { missing_probes = \"warn\" } lets the other probes run");
	return -ENOENT;
}

static int none(struct provider_env *env, const struct spec *spec, const char *near,
		const char *help)
{
	bool demands = env_demands(env, spec);
	struct diag *d;

	if (!env_tells_missing(env))
		return 0;
	if (env->system.recorded && demands)
		return not_recorded(env, spec);
	if (is_whole_clause(env, spec))
		return tell_pattern(env, spec, help);
	if (!demands && env->request->compile.any_kernel)
		d = probe_report(env, spec, D_NOT_HERE, spec->text);
	else
		d = probe_report(env, spec, demands ? D_NO_MATCH : D_NO_MATCH_SKIPPED,
				 spec->provider->name,
				 spec->n_parts > 1 ? spec_rest(env->arena, spec, 1) : "");
	if (near)
		probe_help(env, d, "did you mean %s?", near);
	if (!demands)
		return 0;
	if (near)
		return -ENOENT;
	if (help)
		probe_help(env, d, "%s", help);
	else
		tell_list(env, spec, d);
	return -ENOENT;
}

int targets_hand_out(const struct targets *ts, target_fn f, void *ctx)
{
	for (u32 i = 0; i < ts->list.n; i++) {
		int ret = f(ctx, ts->list.v[i]);

		if (ret)
			return ret < 0 ? ret : (int)i + 1;
	}
	return (int)ts->list.n;
}

int targets_give(struct provider_env *env, const struct spec *spec, struct targets *ts,
		 const char *near, target_fn f, void *ctx)
{
	if (!ts->list.n)
		return none(env, spec, near, ts->help);
	if (env->config.max_targets && ts->list.n > env->config.max_targets) {
		struct diag *d = probe_report(env, spec, D_TOO_MANY_PROBES, spec->text, ts->list.n,
					      env->config.max_targets);

		probe_help(env, d, "config = { max_probes = %u }", ts->list.n);
		return -E2BIG;
	}
	return targets_hand_out(ts, f, ctx);
}

static struct arg_desc word_arg(const char *name, u32 offset)
{
	return (struct arg_desc){ .name = name,
				  .type = &ty_u64,
				  .loc = { .kind = LOC_REG, .offset = offset, .size = 8 } };
}

/* reg("NAME"): both kinds of context begin with the registers; perf events have only those of a
 * process. */
static void name_registers(struct provider_env *env, struct profile *p)
{
	const struct arch *a = arch_native;

	p->regs.list.v = arena_array(env->arena, struct arg_desc, a->n_regs);
	for (u32 i = 0; i < a->n_regs; i++)
		if (p->kind != PROFILE_PERF_EVENT || a->regs[i].offset < a->perf_regs_size)
			p->regs.list.v[p->regs.list.n++] =
				word_arg(a->regs[i].name, a->regs[i].offset);
	p->regs.mode.where = word_arg("mode", a->mode.offset);
	p->regs.mode.mask = a->mode.mask;
	p->regs.mode.user = a->mode.user;
}

struct profile *profile_new(struct provider_env *env, enum profile_kind kind, u32 prog_type)
{
	struct profile *p = arena_new(env->arena, struct profile);

	p->kind = kind;
	p->load.prog_type = prog_type;
	p->default_space = SPACE_KERNEL;
	p->site.index = NO_SITE;
	if (kind == PROFILE_PT_REGS || kind == PROFILE_PERF_EVENT)
		name_registers(env, p);
	return p;
}

struct profile *profile_unseen(struct provider_env *env, const char *why)
{
	struct profile *p = profile_new(env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);

	p->missing.unseen = why;
	p->d_path = true;
	p->argn.v = arena_array(env->arena, struct arg_desc, arch_native->n_args);
	for (u32 i = 0; i < arch_native->n_args; i++)
		p->argn.v[p->argn.n++] =
			word_arg(arena_printf(env->arena, "arg%u", i), arch_native->arg[i]);
	p->retval = word_arg("retval", arch_native->retval);
	return profile_for_site(env, p, false, false);
}

struct profile *profile_for_site(struct provider_env *env, struct profile *base, bool many,
				 bool cookies)
{
	struct profile *p;

	if (!env->clause.name)
		return base;
	if (cookies && env_has(env, FEAT_COOKIE, false)) {
		base->site.from_cookie |= many;
		return base;
	}
	p = arena_dup(env->arena, base, sizeof *base);
	p->site.own = true;
	return p;
}

void profile_keep_args(struct profile *p, const char *const *names, u32 n)
{
	u32 kept = 0;

	for (u32 i = 0; i < p->args.n; i++)
		if (is_one_of(names, n, p->args.v[i].name))
			p->args.v[kept++] = p->args.v[i];
	p->args.n = kept;
}

void profile_trim_args(const struct provider_env *env, struct profile *p, bool many)
{
	if (many && env->clause.arg_names)
		profile_keep_args(p, env->clause.arg_names, env->clause.n_arg_names);
}

void profile_function(struct provider_env *env, struct profile *p, bool is_return, bool is_user)
{
	const struct arch *a = arch_native;

	p->func.is_known = true;
	p->func.is_return = is_return;
	p->regs.are_users = is_user;
	p->default_space = is_user ? SPACE_USER : SPACE_KERNEL;
	if (is_return) {
		p->retval = word_arg("retval", a->retval);
		return;
	}
	p->argn.v = arena_array(env->arena, struct arg_desc, a->n_args);
	p->argn.n = a->n_args;
	for (u32 i = 0; i < a->n_args; i++)
		p->argn.v[i] = word_arg(arena_printf(env->arena, "arg%u", i), a->arg[i]);
}
