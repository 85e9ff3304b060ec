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

static struct profile *typed_profile(struct provider_env *env, const struct btf_place *place, const char *event)
{
	struct btf_param params[MAX_PARAMS];
	u32 id = 0;
	int n = btf_raw_tracepoint(place->btf, event, params, MAX_PARAMS, &id);
	struct profile *p;

	if (n < 0)
		return NULL;
	n = MIN(n, (int)MAX_PARAMS);
	p = profile_new(env, PROFILE_BTF, BPF_PROG_TYPE_TRACING);
	p->attach_type = BPF_TRACE_RAW_TP;
	p->attach_btf_id = id;
	p->attach_module = btf_place_of_module(place);
	p->may_be_null = true; /* kernel/bpf/btf.c, raw_tp_null_args: some, since 6.14 */
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

static const char *site_name(struct provider_env *env, const char *module, const char *event)
{
	return arena_printf(env->arena, "rawtracepoint:%s:%s", module, event);
}

static void add(struct provider_env *env, struct targets *ts, const char *module, const char *event,
		struct profile *p)
{
	struct target *t = targets_add(env, ts, SITE_RAW_TRACEPOINT, site_name(env, module, event),
				       profile_for_site(env, p, false, false));

	t->site.tp_name = event;
}

static const char *event_of(const struct spec *spec)
{
	return spec->n_parts > 1 ? spec_pattern(spec, spec->n_parts - 1) : "*";
}

static const char *module_of(const struct spec *spec)
{
	return spec->n_parts > 2 ? spec_pattern(spec, 1) : "*";
}

/* ---- names */

struct each {
	struct provider_env *env;
	const struct btf_place *place; /* where names are looked for now */
	const char *pattern;
	bool many;
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
	p = e->untyped ? e->untyped : typed_profile(e->env, e->place, name);
	if (p)
		add(e->env, &e->ts, e->place->module, arena_strdup(e->env->arena, name), p);
	return true;
}

static bool match_place(void *ctx, struct btf_place *place)
{
	struct each *e = ctx;
	struct profile *p;

	e->place = place;
	if (e->many) {
		btf_each(place->btf, BTF_KIND_TYPEDEF, match_one, e);
		return true;
	}
	p = typed_profile(e->env, place, e->pattern);
	if (p)
		add(e->env, &e->ts, place->module, e->pattern, p);
	return !p;
}

static bool near_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;

	if (starts_with(name, PREFIX))
		near_try(&e->near, name + strlen(PREFIX));
	return true;
}

static bool near_place(void *ctx, struct btf_place *place)
{
	btf_each(place->btf, BTF_KIND_TYPEDEF, near_one, ctx);
	return true;
}

static bool list_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;
	struct profile *p;

	if (!starts_with(name, PREFIX) || !glob_match(e->pattern, name + strlen(PREFIX)))
		return true;
	name += strlen(PREFIX);
	p = e->verbose ? typed_profile(e->env, e->place, name) : NULL;
	e->ret = e->f(e->ctx, site_name(e->env, e->place->module, name), p);
	return !e->ret;
}

static bool list_place(void *ctx, struct btf_place *place)
{
	struct each *e = ctx;

	e->place = place;
	btf_each(place->btf, BTF_KIND_TYPEDEF, list_one, e);
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
	add(env, &ts, spec->n_parts > 2 ? spec->part[1] : "vmlinux", event_of(spec), untyped_profile(env));
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

/* A module without type information (before 5.11 none has): its tracepoint may be there all the same. */
static bool is_of_bare_module(struct provider_env *env, const struct spec *spec)
{
	return spec->n_parts > 2 && !spec_has_wildcard(spec, 1) && !btf_place(env, spec->part[1]);
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct each e = { .env = env, .pattern = event_of(spec), .many = spec_has_wildcard(spec, 1) };
	const char *near;

	if (!env_btf(env) || !env_has(env, FEAT_RAW_TP_BTF, true) || is_of_bare_module(env, spec))
		return resolve_untyped(env, spec, f, ctx);
	e.untyped = e.many && !env->uses_args ? untyped_profile(env) : NULL;
	btf_places_each(env, module_of(spec), match_place, &e);
	if (e.ts.list.n)
		return targets_give(env, spec, &e.ts, NULL, f, ctx);
	near_init(&e.near, e.pattern);
	btf_places_each(env, module_of(spec), near_place, &e);
	near = near_best(&e.near);
	return targets_give(env, spec, &e.ts,
			    near ? arena_printf(env->arena, "rawtracepoint:%s", near) : NULL, f,
			    ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct each e = { .env = env, .pattern = event_of(spec), .f = f, .ctx = ctx, .verbose = verbose };

	btf_places_each(env, module_of(spec), list_place, &e);
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
