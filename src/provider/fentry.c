/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fentry[:MODULE]:FUNCTION and fexit: trampolines of the kernel (kernel/bpf/trampoline.c). A
 * program is loaded for one function, by its BTF id, so each function has a separate program. The
 * context holds the arguments as words; at fexit the returned value follows them.
 * fentry:bpf:PROGRAM is in bpfprog.c.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

enum { MAX_PARAMS = 16, MAX_TRAMPOLINE_ARGS = 12 /* MAX_BPF_FUNC_ARGS */ };

struct found { /* a function that matched */
	const struct module_btf *mod;
	const char *name, *shown;
};

struct match {
	struct provider_env *env;
	const struct module_btf *mod; /* the module whose names are searched now */
	const char *module, *pattern; /* module: NULL: not given */
	bool is_return, many;
	VEC(struct found) found;
	struct targets ts;
	struct near near;
	list_fn list;
	void *list_ctx;
	bool verbose;
	int ret;
};

/* ---- trampolines */

static void add_retval(struct provider_env *env, struct profile *p, const struct type *ret,
		       u32 words)
{
	if (!p->func.is_return || !ret || !type_is_scalar(ret))
		return;
	p->retval = (struct arg_desc){ .name = "retval",
				       .type = ret,
				       .text = declaration_text(env->arena, ret, "retval"),
				       .loc = { .kind = LOC_CTX,
						.offset = 8 * words,
						.size = (u8)ret->size,
						.is_signed = ret->is_signed } };
	btf_word_loc(p, ret, &p->retval.loc);
}

/* kernel/trace/bpf_trace.c, btf_allowlist_d_path. */
static bool has_d_path(const char *func)
{
	static const char *const names[] = { "security_file_permission",
					     "security_inode_getattr",
					     "security_file_open",
					     "security_path_truncate",
					     "vfs_truncate",
					     "vfs_fallocate",
					     "dentry_open",
					     "vfs_getattr",
					     "filp_close" };

	return is_one_of(names, ARRAY_SIZE(names), func);
}

struct profile *trampoline_profile(struct provider_env *env, const struct module_btf *mod,
				   const char *func, bool is_return)
{
	struct btf_param params[MAX_PARAMS];
	const struct type *ret = NULL;
	u32 id = 0;
	int n = btf_func(mod->btf, func, params, MAX_PARAMS, &ret, &id);
	struct profile *p;

	if (n < 0 || n > MAX_TRAMPOLINE_ARGS)
		return NULL;
	p = profile_new(env, PROFILE_BTF, BPF_PROG_TYPE_TRACING);
	p->load.attach_type = is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
	p->load.btf_id = id;
	p->load.module = module_btf_name(mod);
	p->d_path = !p->load.module && has_d_path(func);
	p->func.is_known = true;
	p->func.is_return = is_return;
	add_retval(env, p, ret, btf_word_args(env, p, func, params, (u32)n, true));
	return p;
}

static const char *site_name(struct match *m, const char *module, const char *func)
{
	return arena_printf(m->env->arena, "%s:%s:%s", m->is_return ? "fexit" : "fentry", module,
			    func);
}

static void add_trampoline(struct match *m, const struct found *f)
{
	struct profile *p = trampoline_profile(m->env, f->mod, f->name, m->is_return);
	struct target *t;

	if (!p)
		return;
	t = targets_add(m->env, &m->ts, SITE_TRAMPOLINE, site_name(m, f->mod->module, f->shown),
			profile_for_site(m->env, p, false, false));
	t->site.kernel.symbol = f->name;
	t->site.func = f->shown;
	if (p->load.module &&
	    btf_find(env_btf(m->env), f->name, BTF_KIND_FUNC)) /* not the only one */
		t->site.kernel.module = p->load.module;
}

/* ---- many functions through one link: a trampoline takes 20 to 60 ms to attach and has a
 * separate program, so a pattern becomes a kprobe multi link if that gives the same result. */

enum { MANY = 4 };

static bool can_be_multi(const struct match *m)
{
	const struct provider_env *env = m->env;

	return m->many && m->found.n >= MANY && env_has(m->env, FEAT_KPROBE_MULTI, false) &&
	       env->attach.prefer_raw && !env->clause.typed && !env->clause.stack &&
	       (!env_reads_args(env) || (!m->is_return && env->clause.arg_names));
}

static bool has_all_args(const struct provider_env *env, const struct profile *p)
{
	for (u32 i = 0; i < env->clause.n_arg_names; i++)
		if (!arg_find(&p->args, env->clause.arg_names[i]))
			return false;
	return true;
}

/* NULL: only a trampoline has everything that the clause uses. */
static struct profile *multi_profile(struct match *m, const struct found *f,
				     struct profile **shared)
{
	struct provider_env *env = m->env;
	struct profile *p;

	if (*shared)
		return *shared;
	p = profile_new(env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);
	profile_function(env, p, m->is_return, false);
	p->argn.n = 0; /* as on a trampoline */
	if (!env->clause.args)
		return *shared = p;
	btf_register_args(env, p, f->mod->btf, f->name);
	if (m->is_return ? p->retval.type == &ty_u64 : !has_all_args(env, p))
		return NULL;
	profile_trim_args(env, p, true);
	return p;
}

static void add_multi(struct match *m, const struct found *f, struct profile **shared)
{
	struct profile *p = multi_profile(m, f, shared);
	struct target *t;

	if (!p) {
		add_trampoline(m, f);
		return;
	}
	t = targets_add(m->env, &m->ts, SITE_KPROBE, site_name(m, f->mod->module, f->name),
			profile_for_site(m->env, p, true, true));
	t->site.kernel.symbol = t->site.func = f->name;
	kernel_function_address(m->env, module_btf_name(f->mod), &t->site);
}

/*
 * ---- functions that return void have no retval: a pattern skips them unless it matches only such
 * functions
 */

static bool returns_nothing(const struct found *f)
{
	struct btf_param params[MAX_PARAMS];
	const struct type *ret = NULL;
	u32 id;

	return btf_func(f->mod->btf, f->name, params, MAX_PARAMS, &ret, &id) >= 0 &&
	       (!ret || ret->kind == TY_VOID);
}

static void drop_void(struct match *m, const struct spec *spec)
{
	const char *first = NULL;
	u32 kept = 0, n = m->found.n;

	if (!m->many || !m->is_return || !m->env->clause.result)
		return;
	for (u32 i = 0; i < n; i++) {
		struct found f = m->found.v[i];

		if (!returns_nothing(&f))
			m->found.v[kept++] = f;
		else if (!first)
			first = f.shown;
	}
	if (!kept)
		return;
	m->found.n = kept;
	if (kept < n)
		probe_report(m->env, spec, D_VOID_SKIPPED, n - kept, n, spec->text, first);
}

static void add_all(struct match *m)
{
	bool multi = can_be_multi(m);
	struct profile *shared = NULL;

	for (u32 i = 0; i < m->found.n; i++) {
		if (multi)
			add_multi(m, &m->found.v[i], &shared);
		else
			add_trampoline(m, &m->found.v[i]);
	}
}

/* ---- names */

static bool is_matched(struct match *m, const char *name)
{
	return glob_match(m->pattern, name) && !kernel_function_is_hidden(name) &&
	       !trampoline_hazard(name, m->is_return) &&
	       kernel_function_is_traceable(m->env, name, module_btf_name(m->mod));
}

static bool match_one(void *ctx, const char *name, u32 id)
{
	struct match *m = ctx;

	if (is_matched(m, name))
		vec_push(m->env->arena, &m->found,
			 (struct found){ m->mod, arena_strdup(m->env->arena, name),
					 arena_strdup(m->env->arena, name) });
	return true;
}

static bool match_module(void *ctx, struct module_btf *mod)
{
	struct match *m = ctx;
	const char *alias;

	m->mod = mod;
	if (glob_has_wildcard(m->pattern))
		btf_each(mod->btf, BTF_KIND_FUNC, match_one, m);
	else if (btf_find_own(mod->btf, m->pattern, BTF_KIND_FUNC))
		vec_push(m->env->arena, &m->found, (struct found){ mod, m->pattern, m->pattern });
	else if ((alias = kernel_function_alias(m->env, mod->btf, module_btf_name(mod),
						m->pattern)))
		vec_push(m->env->arena, &m->found, (struct found){ mod, alias, m->pattern });
	/* without a module, the kernel's own functions come first */
	return m->module || !m->found.n || !streq(mod->module, "vmlinux");
}

static bool near_one(void *ctx, const char *name, u32 id)
{
	struct match *m = ctx;

	near_try(&m->near, name);
	return true;
}

static bool near_in_module(void *ctx, struct module_btf *mod)
{
	struct match *m = ctx;

	btf_each(mod->btf, BTF_KIND_FUNC, near_one, m);
	return true;
}

static bool list_one(void *ctx, const char *name, u32 id)
{
	struct match *m = ctx;

	if (is_matched(m, name))
		m->ret = m->list(
			m->list_ctx, site_name(m, m->mod->module, name),
			m->verbose ? trampoline_profile(m->env, m->mod, name, m->is_return) : NULL);
	return !m->ret;
}

static bool list_module(void *ctx, struct module_btf *mod)
{
	struct match *m = ctx;

	m->mod = mod;
	btf_each(mod->btf, BTF_KIND_FUNC, list_one, m);
	return !m->ret;
}

/* ---- hooks */

static int refuse(struct match *m, const struct spec *spec)
{
	if (!env_btf(m->env)) {
		probe_untyped(m->env, spec);
		return -EOPNOTSUPP;
	}
	if (m->module && spec->n_parts > 3 && !streq(m->module, "bpf"))
		return probe_bad_syntax(
			m->env, spec, "Only the 'bpf' variant of this probe supports 4 arguments");
	if (!env_has(m->env, FEAT_FENTRY, true)) {
		if (!env_demands(m->env, spec) || !lists_something(m->env, spec)) {
			m->ts.help = "this kernel has no function trampolines";
			targets_give(m->env, spec, &m->ts, NULL, NULL, NULL);
			return -ENOENT;
		}
		return probe_lacks(
			m->env, spec, "function trampolines",
			"use a tracepoint, rawtracepoint or, where the kernel has them, kprobe");
	}
	return 0;
}

/* A name without a module that several modules have: the user must choose. */
static int ambiguous(struct match *m, const struct spec *spec)
{
	struct diag *d;

	if (m->many || m->found.n < 2)
		return 0;
	d = probe_report(m->env, spec, D_AMBIGUOUS_FUNCTION, spec->text);
	for (u32 i = 0; i < m->found.n && i < 4; i++)
		probe_help(m->env, d, "%s",
			   site_name(m, m->found.v[i].mod->module, m->found.v[i].name));
	return -EINVAL;
}

/* A loaded module without type information (as on all kernels before 5.11). */
static bool is_bare_module(struct match *m)
{
	return m->module && !glob_has_wildcard(m->module) && !module_btf(m->env, m->module) &&
	       kernel_function_exists(m->env, m->module, m->pattern);
}

static int bare_module(struct match *m, const struct spec *spec)
{
	struct diag *d = probe_report(m->env, spec, D_PROBE_REFUSED, spec->text,
				      "this kernel has no type information of that module");

	probe_help(m->env, d, "%s:%s:%s needs none", m->is_return ? "kretprobe" : "kprobe",
		   m->module, m->pattern);
	return -EOPNOTSUPP;
}

/* On an old kernel nothing prevents recursion in functions that helpers call, not even the guard of
 * ir/lower_guard.c, because it calls a helper for the processor number. */
static const char *hazard_of(struct match *m)
{
	const char *why = trampoline_hazard(m->pattern, m->is_return);

	if (!why && !env_has(m->env, FEAT_FENTRY_RECURSION, true) &&
	    kernel_function_is_hidden(m->pattern))
		why = "programs run through it, and this kernel would run them recursively without end";
	return why;
}

static int refuse_hazard(struct match *m, const struct spec *spec)
{
	const char *why = hazard_of(m);
	struct diag *d;

	if (!why || !kernel_function_exists(m->env, m->module, m->pattern))
		return 0;
	d = probe_report(m->env, spec, D_PROBE_REFUSED, spec->text, why);
	if (kernel_function_is_traceable(m->env, m->pattern, NULL))
		probe_help(m->env, d, "%s:%s is safe", m->is_return ? "kretprobe" : "kprobe",
			   m->pattern);
	else
		probe_help(m->env, d, "nothing may trace it: probe its callers or callees");
	return -EOPNOTSUPP;
}

static const char *near_probe(struct match *m)
{
	const char *mod = m->module ? m->module : "vmlinux", *near;

	if (!env_tells_missing(m->env))
		return NULL;
	near = kernel_function_of_call(m->env, m->pattern);
	if (!near) {
		near_init(&m->near, m->pattern);
		module_btf_each(m->env, mod, near_in_module, m);
		near = near_best(&m->near);
	}
	return near ? site_name(m, mod, near) : NULL;
}

static int none(struct match *m, const struct spec *spec, target_fn f, void *ctx)
{
	if (is_bare_module(m))
		return bare_module(m, spec);
	m->ts.help = module_missing(m->env, m->module);
	return targets_give(m->env, spec, &m->ts, near_probe(m), f, ctx);
}

static int resolve(struct provider_env *env, const struct spec *spec, bool is_return, target_fn f,
		   void *ctx)
{
	struct match m = { .env = env,
			   .is_return = is_return,
			   .module = spec->n_parts > 2 ? spec->part[1] : NULL,
			   .pattern = spec->part[spec->n_parts - 1] };
	int ret = refuse(&m, spec);

	if (ret < 0)
		return ret;
	if (m.module && streq(m.module, "bpf"))
		return bpfprog_resolve(env, spec, is_return, f, ctx);
	ret = refuse_hazard(&m, spec);
	if (ret < 0)
		return ret;
	m.many = spec_has_wildcard(spec, 1);
	module_btf_each(env, m.module ? m.module : "*", match_module, &m);
	ret = ambiguous(&m, spec);
	if (ret < 0)
		return ret;
	drop_void(&m, spec);
	add_all(&m);
	return m.ts.list.n ? targets_give(env, spec, &m.ts, NULL, f, ctx) : none(&m, spec, f, ctx);
}

static int resolve_fentry(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	return resolve(env, spec, false, f, ctx);
}

static int resolve_fexit(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	return resolve(env, spec, true, f, ctx);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct match m = { .env = env,
			   .verbose = verbose,
			   .list = f,
			   .list_ctx = ctx,
			   .module = spec->n_parts > 2 ? spec_pattern(spec, 1) : "*",
			   .is_return = spec->provider == &provider_fexit,
			   .pattern = spec->n_parts > 1 ? spec_pattern(spec, spec->n_parts - 1) :
							  "*" };

	if (spec->n_parts < 2 && !env_has(env, FEAT_FENTRY, true))
		return 0;
	if (streq(m.module, "bpf"))
		return bpfprog_list(env, spec, m.is_return, f, ctx);
	module_btf_each(env, m.module, list_module, &m);
	return m.ret;
}

/* Every function has both: a list of everything only has entries. */
static int list_exits(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		      void *ctx)
{
	return spec->n_parts > 1 ? list(env, spec, verbose, f, ctx) : 0;
}

const struct provider provider_fentry = {
	.name = "fentry",
	.aliases = "f",
	.old_names = "kfunc",
	.syntax = "fentry[:MODULE]:FUNCTION or fentry:bpf[:ID]:PROGRAM",
	.brief = "the entry of a kernel function, with typed arguments",
	.doc = "Cheaper than kprobe; args.NAME are the parameters. Needs kernel BTF. Also for "
	       "functions of modules and for BPF programs; a pattern that matches many functions "
	       "is attached through one link.",
	.example = "fentry:vfs_open { printf(\"%s\\n\", str(args.path.dentry.d_name.name)); }",
	.work = "cat /dev/null",
	.output = "cat\n"
		  "...\n"
		  "null",
	.min_parts = 2,
	.max_parts = 4,
	.takes = "1 or 3",
	.empty = "fentry/fexit should specify a function",
	.feature = FEAT_FENTRY + 1,
	.resolve = resolve_fentry,
	.list = list,
};

const struct provider provider_fexit = {
	.name = "fexit",
	.aliases = "fr",
	.old_names = "kretfunc",
	.syntax = "fexit[:MODULE]:FUNCTION or fexit:bpf[:ID]:PROGRAM",
	.brief = "the return of a kernel function, with arguments and result",
	.doc = "Like fentry, and retval is the typed result. In a clause that reads retval, a "
	       "pattern matches only functions that return a value.",
	.example = "fexit:vfs_read { @[comm] = sum(retval); }",
	.work = "cat /dev/null",
	.output = "@[cat]: 2400",
	.varies = true,
	.min_parts = 2,
	.max_parts = 4,
	.takes = "1 or 3",
	.empty = "fentry/fexit should specify a function",
	.feature = FEAT_FENTRY + 1,
	.resolve = resolve_fexit,
	.list = list_exits,
};
