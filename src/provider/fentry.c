/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fentry[:MODULE]:FUNCTION and fexit: trampolines of the kernel (kernel/bpf/trampoline.c). A program is
 * loaded for one function, by its BTF id, so each function is a program of its own. The context holds
 * the arguments as words; at fexit the returned value follows them.
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

enum { MAX_PARAMS = 16, MAX_TRAMPOLINE_ARGS = 12 /* MAX_BPF_FUNC_ARGS */ };

struct match {
	struct provider_env *env;
	struct btf *btf;
	const char *pattern;
	bool is_return;
	struct targets ts;
	struct near near;
	list_fn list;
	void *list_ctx;
	bool verbose;
	int ret;
};

static struct profile *new_profile(struct match *m, const char *func)
{
	struct btf_param params[MAX_PARAMS];
	const struct type *ret = NULL;
	u32 id = 0, words;
	int n = btf_func(m->btf, func, params, MAX_PARAMS, &ret, &id);
	struct profile *p;

	if (n < 0 || n > MAX_TRAMPOLINE_ARGS)
		return NULL;
	p = profile_new(m->env, PROFILE_BTF, BPF_PROG_TYPE_TRACING);
	p->attach_type = m->is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
	p->attach_btf_id = id;
	p->has_func = true;
	p->is_return = m->is_return;
	p->args_name = arena_printf(m->env->arena, "the arguments of %s", func);
	words = btf_word_args(m->env, p, params, (u32)n, true);
	if (m->is_return && ret && type_is_scalar(ret))
		p->retval =
			(struct arg_desc){ .name = "retval",
					   .type = ret,
					   .text = declaration_text(m->env->arena, ret, "retval"),
					   .loc = { .kind = LOC_CTX,
						    .offset = 8 * words,
						    .size = (u8)ret->size,
						    .is_signed = ret->is_signed } };
	return p;
}

static const char *site_name(struct match *m, const char *func)
{
	return arena_printf(m->env->arena, "%s:vmlinux:%s", m->is_return ? "fexit" : "fentry",
			    func);
}

static void add(struct match *m, const char *func)
{
	struct profile *p = new_profile(m, func);
	struct target *t;

	if (!p)
		return;
	t = targets_add(m->env, &m->ts, SITE_TRAMPOLINE, site_name(m, func),
			profile_for_site(m->env, p, false, false));
	t->site.symbol = t->site.func = func;
}

static bool match_one(void *ctx, const char *name, u32 id)
{
	struct match *m = ctx;

	if (glob_match(m->pattern, name) && !kernel_function_is_hidden(name))
		add(m, arena_strdup(m->env->arena, name));
	return true;
}

static bool near_one(void *ctx, const char *name, u32 id)
{
	struct match *m = ctx;

	near_try(&m->near, name);
	return true;
}

static bool list_one(void *ctx, const char *name, u32 id)
{
	struct match *m = ctx;

	if (glob_match(m->pattern, name) && !kernel_function_is_hidden(name))
		m->ret = m->list(m->list_ctx, site_name(m, name),
				 m->verbose ? new_profile(m, name) : NULL);
	return !m->ret;
}

static bool is_of_kernel(const struct spec *spec)
{
	return spec->n_parts < 3 || glob_match(spec_pattern(spec, 1), "vmlinux");
}

static int refuse(struct match *m, const struct spec *spec)
{
	struct diag *d;

	if (!m->btf) {
		probe_report(m->env, spec, D_NO_KERNEL_TYPES, spec->text);
		return -EOPNOTSUPP;
	}
	if (!env_has(m->env, FEAT_FENTRY, true)) {
		d = probe_report(m->env, spec, D_PROBE_FEATURE, spec->text, "function trampolines");
		probe_help(m->env, d,
			   "use a tracepoint, rawtracepoint or, where the kernel has them, kprobe");
		return -EOPNOTSUPP;
	}
	if (streq(spec->part[1], "bpf") || !is_of_kernel(spec)) {
		probe_report(m->env, spec, D_UNSUPPORTED_PROBE, spec->text,
			     "only functions of the kernel itself can be probed this way");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int resolve(struct provider_env *env, const struct spec *spec, bool is_return, target_fn f,
		   void *ctx)
{
	struct match m = { .env = env,
			   .btf = env_btf(env),
			   .is_return = is_return,
			   .pattern = spec->part[spec->n_parts - 1] };
	const char *near;
	int ret = refuse(&m, spec);

	if (ret < 0)
		return ret;
	if (glob_has_wildcard(m.pattern))
		btf_each(m.btf, BTF_KIND_FUNC, match_one, &m);
	else
		add(&m, m.pattern);
	if (m.ts.list.n)
		return targets_give(env, spec, &m.ts, NULL, f, ctx);
	near_init(&m.near, m.pattern);
	btf_each(m.btf, BTF_KIND_FUNC, near_one, &m);
	near = near_best(&m.near);
	return targets_give(env, spec, &m.ts, near ? site_name(&m, near) : NULL, f, ctx);
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
			   .btf = env_btf(env),
			   .verbose = verbose,
			   .list = f,
			   .list_ctx = ctx,
			   .is_return = spec->provider == &provider_fexit,
			   .pattern = spec->n_parts > 1 ? spec_pattern(spec, spec->n_parts - 1)
							: "*" };

	if (spec->n_parts < 2 && !env_has(env, FEAT_FENTRY, true))
		return 0;
	if (m.btf && is_of_kernel(spec))
		btf_each(m.btf, BTF_KIND_FUNC, list_one, &m);
	return m.ret;
}

/* Every function has both: the entry is enough in a list of everything. */
static int list_exits(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		      void *ctx)
{
	return spec->n_parts > 1 ? list(env, spec, verbose, f, ctx) : 0;
}

const struct provider provider_fentry = {
	.name = "fentry",
	.aliases = "f",
	.old_names = "kfunc",
	.syntax = "fentry[:MODULE]:FUNCTION",
	.brief = "the entry of a kernel function, with typed arguments",
	.doc = "Cheaper than kprobe; args.NAME are the parameters. Needs the kernel's type information.",
	.example = "fentry:vfs_read { @[comm] = sum(args.count); }",
	.min_parts = 2,
	.max_parts = 4,
	.feature = FEAT_FENTRY + 1,
	.resolve = resolve_fentry,
	.list = list,
};

const struct provider provider_fexit = {
	.name = "fexit",
	.aliases = "fr",
	.old_names = "kretfunc",
	.syntax = "fexit[:MODULE]:FUNCTION",
	.brief = "the return of a kernel function, with arguments and result",
	.doc = "Like fentry, and retval is the typed result.",
	.example = "fexit:vfs_read { @[comm] = sum(retval); }",
	.min_parts = 2,
	.max_parts = 4,
	.feature = FEAT_FENTRY + 1,
	.resolve = resolve_fexit,
	.list = list_exits,
};
