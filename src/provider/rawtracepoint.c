/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawtracepoint[:MODULE]:EVENT: the arguments of the tracepoint itself, not its record. BTF has the
 * prototype of each as typedef btf_trace_EVENT; the program is loaded for that type
 * (load.btf_id). Without BTF the arguments are untyped words of the context.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/kallsyms.h"

#define PREFIX "btf_trace_"
enum { MAX_PARAMS = 16, UNTYPED_ARGS = 12 /* MAX_TRACE_ARGS, include/linux/trace_events.h */ };

/* params NULL: not known. */
static void add_argn(struct provider_env *env, struct profile *p, const struct btf_param *params,
		     u32 n)
{
	p->argn.v = arena_array(env->arena, struct arg_desc, n);
	p->argn.n = n;
	for (u32 i = 0; i < n; i++) {
		struct loc loc = { .kind = LOC_CTX, .offset = 8 * i, .size = 8 };

		if (params)
			btf_word_loc(p, params[i].type, &loc);
		p->argn.v[i] = (struct arg_desc){ .name = arena_printf(env->arena, "arg%u", i),
						  .type = &ty_u64,
						  .loc = loc };
	}
}

static struct profile *typed_profile(struct provider_env *env, const struct module_btf *mod,
				     const char *event)
{
	struct btf_param params[MAX_PARAMS];
	u32 id = 0;
	int n = btf_raw_tracepoint(mod->btf, event, params, MAX_PARAMS, &id);
	struct profile *p;

	if (n < 0)
		return NULL;
	n = MIN(n, (int)MAX_PARAMS);
	p = profile_new(env, PROFILE_BTF, BPF_PROG_TYPE_TRACING);
	p->load.attach_type = BPF_TRACE_RAW_TP;
	p->load.btf_id = id;
	p->load.module = module_btf_name(mod);
	p->may_be_null = true; /* kernel/bpf/btf.c, raw_tp_null_args: some, since 6.14 */
	add_argn(env, p, params, btf_word_args(env, p, event, params, (u32)n, false));
	return p;
}

static struct profile *untyped_profile(struct provider_env *env)
{
	struct profile *p = profile_new(env, PROFILE_RAW_TP, BPF_PROG_TYPE_RAW_TRACEPOINT);

	add_argn(env, p, NULL, UNTYPED_ARGS);
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

	t->site.tracepoint = event;
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
	const struct module_btf *mod; /* the module whose names are searched now */
	const char *pattern;
	bool many;
	struct targets ts;
	/* for patterns whose arguments are not read: one program for all */
	struct profile *untyped;
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
	p = e->untyped ? e->untyped : typed_profile(e->env, e->mod, name);
	if (p)
		add(e->env, &e->ts, e->mod->module, arena_strdup(e->env->arena, name), p);
	return true;
}

static bool match_module(void *ctx, struct module_btf *mod)
{
	struct each *e = ctx;
	struct profile *p;

	e->mod = mod;
	if (e->many) {
		btf_each(mod->btf, BTF_KIND_TYPEDEF, match_one, e);
		return true;
	}
	p = typed_profile(e->env, mod, e->pattern);
	if (p)
		add(e->env, &e->ts, mod->module, e->pattern, p);
	return !p;
}

static bool near_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;

	if (starts_with(name, PREFIX))
		near_try(&e->near, name + strlen(PREFIX));
	return true;
}

static bool near_in_module(void *ctx, struct module_btf *mod)
{
	btf_each(mod->btf, BTF_KIND_TYPEDEF, near_one, ctx);
	return true;
}

static bool list_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;
	struct profile *p;

	if (!starts_with(name, PREFIX) || !glob_match(e->pattern, name + strlen(PREFIX)))
		return true;
	name += strlen(PREFIX);
	p = e->verbose ? typed_profile(e->env, e->mod, name) : NULL;
	e->ret = e->f(e->ctx, site_name(e->env, e->mod->module, name), p);
	return !e->ret;
}

static bool list_module(void *ctx, struct module_btf *mod)
{
	struct each *e = ctx;

	e->mod = mod;
	btf_each(mod->btf, BTF_KIND_TYPEDEF, list_one, e);
	return !e->ret;
}

/* ---- modules without type information (none has it before 5.11): kallsyms lists their
 * tracepoints */

#define MAP_PREFIX "__bpf_trace_tp_map_"

/* Whether some loaded module has no file in /sys/kernel/btf: tested first, as reading all symbols
 * costs 30 ms. */
static bool has_bare_modules(void)
{
	struct buf text = { 0 };
	bool found = false;

	if (buf_read_file(&text, "/proc/modules") == 0)
		for (char *line = text.s; line && *line && !found;
		     line = strchr(line, '\n'), line += line != NULL) {
			char path[128];

			snprintf(path, sizeof path, "/sys/kernel/btf/%.*s", (int)strcspn(line, " "),
				 line);
			found = access(path, F_OK) != 0;
		}
	buf_release(&text);
	return found;
}

static const char *event_of_symbol(struct each *e, const struct ksym *s, const char *modules)
{
	const char *event = starts_with(s->name, MAP_PREFIX) ? s->name + strlen(MAP_PREFIX) : NULL;

	if (!event || !s->module || !glob_match(e->pattern, event) ||
	    !glob_match(modules, s->module) || module_btf(e->env, s->module))
		return NULL;
	return arena_strdup(e->env->arena, event);
}

struct bare {
	struct each *each;
	const char *modules;
};

static int match_bare(void *ctx, const struct ksym *s)
{
	struct bare *b = ctx;
	struct each *e = b->each;
	const char *event = event_of_symbol(e, s, b->modules);
	struct profile *p;

	if (!event)
		return 0;
	p = untyped_profile(e->env);
	p->missing.no_btf = true;
	p->missing.why = arena_printf(
		e->env->arena, "this kernel has no type information of module %s", s->module);
	add(e->env, &e->ts, arena_strdup(e->env->arena, s->module), event, p);
	return 0;
}

static int list_bare(void *ctx, const struct ksym *s)
{
	struct bare *b = ctx;
	struct each *e = b->each;
	const char *event = event_of_symbol(e, s, b->modules);

	if (event)
		e->ret = e->f(e->ctx,
			      site_name(e->env, arena_strdup(e->env->arena, s->module), event),
			      NULL);
	return e->ret;
}

/* ---- hooks */

static int resolve_untyped(struct provider_env *env, const struct spec *spec, target_fn f,
			   void *ctx)
{
	struct profile *p = untyped_profile(env);
	struct targets ts = { 0 };

	if (spec_has_wildcard(spec, 1)) {
		probe_untyped(env, spec);
		return -ENOENT;
	}
	p->missing.no_btf = true;
	if (env_btf(env))
		p->missing.why =
			"this kernel does not give programs the types of a tracepoint's arguments";
	add(env, &ts, spec->n_parts > 2 ? spec->part[1] : "vmlinux", event_of(spec), p);
	return targets_give(env, spec, &ts, NULL, f, ctx);
}

/* DECLARE_TRACE: programs can be attached to those since 5.12 (include/trace/bpf_probe.h). */
static bool is_without_event(struct provider_env *env, const struct each *e)
{
	struct ksym s;

	return !e->many &&
	       kallsyms_find(env_ksyms(env),
			     arena_printf(env->arena, "__tracepoint_%s", e->pattern), NULL, &s);
}

static int no_access(struct provider_env *env, const struct spec *spec)
{
	struct diag *d = probe_report(
		env, spec, D_PROBE_REFUSED, spec->text,
		"this kernel gives programs no access to this tracepoint, which is not an event");

	probe_help(env, d,
		   "Linux 5.12 and later do; before, probe a function that calls it (kprobe)");
	return -EOPNOTSUPP;
}

/* Suggests the event if a tracepoint category was written in place of a module; else a similar
 * name. */
static const char *near_probe(struct each *e, const struct spec *spec)
{
	const char *event = e->pattern;

	if (spec->n_parts < 3 ||
	    !btf_find(env_btf(e->env), arena_printf(e->env->arena, PREFIX "%s", event),
		      BTF_KIND_TYPEDEF)) {
		near_init(&e->near, e->pattern);
		module_btf_each(e->env, module_of(spec), near_in_module, e);
		if (spec->n_parts > 2 && !near_best(&e->near))
			module_btf_each(e->env, "vmlinux", near_in_module, e);
		if (!(event = near_best(&e->near)))
			return NULL;
	}
	return arena_printf(e->env->arena, "rawtracepoint:%s", event);
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct each e = { .env = env,
			  .pattern = event_of(spec),
			  .many = spec_has_wildcard(spec, 1) };

	if (env->system.recorded)
		return recorded_raw_resolve(env, spec, f, ctx);
	if (!env_btf(env) || !env_has(env, FEAT_RAW_TP_BTF, true))
		return resolve_untyped(env, spec, f, ctx);
	e.untyped = e.many && !env->clause.args ? untyped_profile(env) : NULL;
	module_btf_each(env, module_of(spec), match_module, &e);
	if ((!e.ts.list.n || e.many) && has_bare_modules())
		kallsyms_each(env_ksyms(env), match_bare, &(struct bare){ &e, module_of(spec) });
	if (e.ts.list.n)
		return targets_give(env, spec, &e.ts, NULL, f, ctx);
	if (is_without_event(env, &e))
		return no_access(env, spec);
	return targets_give(env, spec, &e.ts, e.many ? NULL : near_probe(&e, spec), f, ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct each e = {
		.env = env, .pattern = event_of(spec), .f = f, .ctx = ctx, .verbose = verbose
	};

	module_btf_each(env, module_of(spec), list_module, &e);
	if (!e.ret && has_bare_modules())
		kallsyms_each(env_ksyms(env), list_bare, &(struct bare){ &e, module_of(spec) });
	return e.ret;
}

static void calls(struct arena *a, const char *text, struct call_events *to)
{
	const char *event = strrchr(text, ':');

	if (event && (glob_match(event + 1, "sys_enter") || glob_match(event + 1, "sys_exit")))
		to->raw = "a clause is on the raw tracepoint itself";
}

const struct provider provider_rawtracepoint = {
	.name = "rawtracepoint",
	.aliases = "rt",
	.syntax = "rawtracepoint[:MODULE]:EVENT",
	.brief = "tracepoints with their raw arguments",
	.doc = "Cheaper than tracepoint; args.NAME and arg0 ... are the tracepoint's arguments, "
	       "such as pointers to kernel structures.",
	.example = "rawtracepoint:sys_enter { @[syscall_name(arg1)] = count(); }",
	.work = "cat /dev/null",
	.output = "...\n"
		  "@[mmap]: 9\n"
		  "...",
	.varies = true,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.empty = "rawtracepoint should be attached to a function",
	.is_replayed = true,
	.resolve = resolve,
	.list = list,
	.calls = calls,
};
