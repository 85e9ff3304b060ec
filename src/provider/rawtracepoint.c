/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawtracepoint[:MODULE]:EVENT: the arguments of the tracepoint itself, not its record. BTF has the
 * prototype of each as typedef btf_trace_EVENT; the program is loaded for that type (attach_btf_id).
 * Without BTF the arguments are untyped words of the context.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

#define PREFIX "btf_trace_"
enum { MAX_PARAMS = 16, UNTYPED_ARGS = 12 /* MAX_TRACE_ARGS, include/linux/trace_events.h */ };

static void add_argn(struct provider_env *env, struct profile *p, u32 n)
{
	p->argn = arena_array(env->arena, struct arg_desc, n);
	p->n_argn = n;
	for (u32 i = 0; i < n; i++)
		p->argn[i] =
			(struct arg_desc){ .name = arena_printf(env->arena, "arg%u", i),
					   .type = &ty_u64,
					   .loc = { .kind = LOC_CTX, .offset = 8 * i, .size = 8 } };
}

static struct profile *typed_profile(struct provider_env *env, struct btf *btf, const char *event)
{
	struct btf_param params[MAX_PARAMS];
	u32 id = 0;
	int n = btf_raw_tracepoint(btf, event, params, MAX_PARAMS, &id);
	struct profile *p;

	if (n < 0)
		return NULL;
	n = MIN(n, (int)MAX_PARAMS);
	p = profile_new(env, PROFILE_BTF, BPF_PROG_TYPE_TRACING);
	p->attach_type = BPF_TRACE_RAW_TP;
	p->attach_btf_id = id;
	p->args_name = arena_printf(env->arena, "the arguments of %s", event);
	add_argn(env, p, btf_word_args(env, p, params, (u32)n, false));
	return p;
}

static struct profile *untyped_profile(struct provider_env *env)
{
	struct profile *p = profile_new(env, PROFILE_RAW_TP, BPF_PROG_TYPE_RAW_TRACEPOINT);

	add_argn(env, p, UNTYPED_ARGS);
	return p;
}

static void add(struct provider_env *env, struct targets *ts, const char *event, struct profile *p)
{
	const char *name = arena_printf(env->arena, "rawtracepoint:vmlinux:%s", event);
	struct target *t = targets_add(env, ts, SITE_RAW_TRACEPOINT, name,
				       profile_for_site(env, p, false, false));

	t->site.tp_name = event;
}

static const char *event_of(const struct spec *spec)
{
	return spec->n_parts > 1 ? spec_pattern(spec, spec->n_parts - 1) : "*";
}

static bool is_of_kernel(const struct spec *spec)
{
	return spec->n_parts < 3 || glob_match(spec_pattern(spec, 1), "vmlinux");
}

/* ---- names */

struct each {
	struct provider_env *env;
	struct btf *btf;
	const char *pattern;
	struct targets ts;
	struct profile *untyped; /* of patterns whose arguments nobody reads: one program for all */
	struct near near;
	list_fn f;
	void *ctx;
	bool verbose;
	int ret;
};

static bool match_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;
	struct profile *p;

	if (!starts_with(name, PREFIX) || !glob_match(e->pattern, name + strlen(PREFIX)))
		return true;
	name += strlen(PREFIX);
	p = e->untyped ? e->untyped : typed_profile(e->env, e->btf, name);
	if (p)
		add(e->env, &e->ts, arena_strdup(e->env->arena, name), p);
	return true;
}

static bool near_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;

	if (starts_with(name, PREFIX))
		near_try(&e->near, name + strlen(PREFIX));
	return true;
}

static bool list_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;
	struct profile *p;

	if (!starts_with(name, PREFIX) || !glob_match(e->pattern, name + strlen(PREFIX)))
		return true;
	name += strlen(PREFIX);
	p = e->verbose ? typed_profile(e->env, e->btf, name) : NULL;
	e->ret = e->f(e->ctx, arena_printf(e->env->arena, "rawtracepoint:vmlinux:%s", name), p);
	return !e->ret;
}

/* ---- hooks */

static int resolve_untyped(struct provider_env *env, const struct spec *spec, target_fn f,
			   void *ctx)
{
	struct targets ts = {};

	if (spec_has_wildcard(spec, 1)) {
		probe_report(env, spec, D_NO_KERNEL_TYPES, spec->text);
		return -ENOENT;
	}
	add(env, &ts, event_of(spec), untyped_profile(env));
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct each e = { .env = env, .btf = env_btf(env), .pattern = event_of(spec) };
	const char *near;
	struct profile *p;

	if (!e.btf || !env_has(env, FEAT_RAW_TP_BTF, true))
		return resolve_untyped(env, spec, f, ctx);
	if (!is_of_kernel(spec))
		return targets_give(env, spec, &e.ts, NULL, f, ctx);
	if (glob_has_wildcard(e.pattern)) {
		e.untyped = env->uses_args ? NULL : untyped_profile(env);
		btf_each(e.btf, BTF_KIND_TYPEDEF, match_one, &e);
	} else {
		p = typed_profile(env, e.btf, e.pattern);
		if (p)
			add(env, &e.ts, e.pattern, p);
	}
	if (e.ts.list.n)
		return targets_give(env, spec, &e.ts, NULL, f, ctx);
	near_init(&e.near, e.pattern);
	btf_each(e.btf, BTF_KIND_TYPEDEF, near_one, &e);
	near = near_best(&e.near);
	return targets_give(env, spec, &e.ts,
			    near ? arena_printf(env->arena, "rawtracepoint:%s", near) : NULL, f,
			    ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct each e = { .env = env,
			  .btf = env_btf(env),
			  .pattern = event_of(spec),
			  .f = f,
			  .ctx = ctx,
			  .verbose = verbose };

	if (e.btf && is_of_kernel(spec))
		btf_each(e.btf, BTF_KIND_TYPEDEF, list_one, &e);
	return e.ret;
}

const struct provider provider_rawtracepoint = {
	.name = "rawtracepoint",
	.aliases = "rt",
	.syntax = "rawtracepoint[:MODULE]:EVENT",
	.brief = "tracepoints with the arguments that the kernel's code gives them",
	.doc = "Cheaper than tracepoint, and with pointers to the kernel's own structures: args.NAME, arg0.",
	.example = "rawtracepoint:sched_switch { @[args.next.comm] = count(); }",
	.min_parts = 2,
	.max_parts = 3,
	.resolve = resolve,
	.list = list,
};
