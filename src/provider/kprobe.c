/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kprobe[:MODULE]:FUNCTION[+OFFSET], kprobe:ADDRESS, kretprobe[:MODULE]:FUNCTION. In: names or
 * patterns; out: one target for each function, all with the same profile unless typed arguments are
 * read. Arguments are in registers; their types come from BTF.
 */
#include <errno.h>
#include <unistd.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/kallsyms.h"
#include "sym/btf.h"
#include "object/elf.h"

struct kpoint {           /* the last part */
	const char *name; /* NULL: an address */
	u64 offset, address;
};

struct match {
	struct provider_env *env;
	const struct spec *spec;
	const char *module, *pattern;
	bool is_return, many;
	bool amid;      /* not at a function's start */
	u32 n_attaches; /* of the clause */
	struct targets ts;
	struct profile *shared;
	VEC(struct kernel_function)
	late; /* ambiguous functions, which links take by address; others by name */
	struct near near;
	list_fn list;
	void *list_ctx;
	bool verbose;
};

static const char *module_of(const struct spec *spec)
{
	return spec->n_parts > 2 ? spec->part[1] : NULL;
}

/* "fn", "fn+16", "fn+0x10", "0xffffffff81000000". */
static bool parse_point(struct provider_env *env, const char *text, struct kpoint *p)
{
	const char *plus = strrchr(text, '+');

	*p = (struct kpoint){ .name = text };
	if (text_number(text, &p->address)) {
		p->name = NULL;
		return true;
	}
	if (!plus)
		return true;
	p->name = arena_strndup(env->arena, text, (size_t)(plus - text));
	return text_number(plus + 1, &p->offset);
}

static struct profile *new_profile(struct match *m)
{
	struct profile *p = profile_new(m->env, PROFILE_PT_REGS, BPF_PROG_TYPE_KPROBE);

	profile_function(m->env, p, m->is_return, false);
	if (arch_native->link && m->env->clause.stack && !m->is_return && !m->amid)
		p->func.caller =
			(struct loc){ .kind = LOC_REG, .offset = arch_native->link, .size = 8 };
	return p;
}

static struct btf *btf_of(struct provider_env *env, const char *module)
{
	struct btf *btf = env_btf(env);

	if (!btf || !module || streq(module, "vmlinux"))
		return btf;
	return btf_module(btf, module);
}

static struct profile *profile_of(struct match *m, const char *name, const char *module, u64 offset)
{
	struct btf *btf;
	struct profile *p;

	if (!(m->is_return ? m->env->clause.args : env_reads_args(m->env)) || offset || !name) {
		if (!m->shared)
			m->shared = new_profile(m);
		return m->shared;
	}
	p = new_profile(m);
	btf = btf_of(m->env, module);
	p->missing.no_btf = !btf;
	if (btf)
		btf_register_args(m->env, p, btf, name);
	else if (module)
		p->missing.why = arena_printf(
			m->env->arena, "this kernel has no type information of module %s", module);
	profile_trim_args(m->env, p, m->many);
	return p;
}

static const char *site_name(struct match *m, const char *module, const char *name, u64 offset)
{
	struct arena *a = m->env->arena;
	const char *s = m->is_return ? "kretprobe" : "kprobe";

	s = module ? arena_printf(a, "%s:%s:%s", s, module, name) :
		     arena_printf(a, "%s:%s", s, name);
	return offset ? arena_printf(a, "%s+%llu", s, (unsigned long long)offset) : s;
}

/* module: as attached; NULL: any. */
static struct target *add(struct match *m, const char *module, const char *name, u64 offset)
{
	struct profile *p = profile_of(m, name, module, offset);
	struct target *t = targets_add(m->env, &m->ts, SITE_KPROBE,
				       site_name(m, module, name, offset),
				       profile_for_site(m->env, p, m->many, true));

	t->site.kernel.symbol = t->site.func = name;
	t->site.kernel.offset = offset;
	kernel_function_address(m->env, module && !streq(module, "vmlinux") ? module : NULL,
				&t->site);
	return t;
}

/* ---- as a trampoline, which costs a third of a kprobe at an entry and a fifth at a return
 * (instructions per event on 6.1: 126 instead of 346 and 181 instead of 583; on 7.2: 110 instead of
 * 255 for a multi link, 165 instead of 706), and the same to attach */

enum { MOST_TRAMPOLINES = 4 /* per clause: each is a separate program and attachment */ };

/* argN is the whole register; a trampoline keeps only the argument's own width. */
static bool add_words(struct match *m, struct profile *p)
{
	u32 n = p->args.n, used = m->env->kernel_script.argn;

	for (u32 i = 0; i < n; i++)
		if (!type_is_scalar(p->args.v[i].type))
			return false;
	if (n > arch_native->n_args)
		return false;
	p->argn.v = arena_array(m->env->arena, struct arg_desc, arch_native->n_args);
	for (; p->argn.n < n && p->args.v[p->argn.n].loc.size == 8; p->argn.n++) {
		p->argn.v[p->argn.n] = p->args.v[p->argn.n];
		p->argn.v[p->argn.n].name = arena_printf(m->env->arena, "arg%u", p->argn.n);
		p->argn.v[p->argn.n].type = &ty_u64;
	}
	return !(used >> p->argn.n);
}

/* Keeps only what a return probe provides. */
static bool drop_args(struct match *m, struct profile *p)
{
	p->args.v = NULL;
	p->args.n = 0;
	p->record.name = NULL;
	return p->retval.loc.kind != LOC_NONE || !m->env->kernel_script.args;
}

/* NULL, with the reason: only a kprobe has everything that is read. */
static struct profile *substitute_profile(struct match *m, const char *name, const char **why)
{
	struct provider_env *env = m->env;
	struct module_btf *mod = module_btf(env, m->module);
	struct profile *p = NULL;

	*why = env->attach.kprobe_only;
	if (*why)
		return NULL;
	*why = substitute_hazard(name, m->is_return);
	if (*why)
		return NULL;
	*why = "the kernel has no trampolines";
	if (!env_has(env, FEAT_FENTRY, false) || env->clause.typed || !env->attach.prefer_raw ||
	    (env->clause.name && !env_has(env, FEAT_GET_FUNC_IP, false)))
		return NULL;
	*why = "this kernel preempts programs on trampolines, and skips events meanwhile";
	if (!env_has(env, FEAT_FENTRY_STEADY, false) && env_has(env, FEAT_KPROBE, false))
		return NULL;
	*why = "this kernel runs programs on trampolines recursively";
	if (kernel_function_is_in_helpers(name) && !env_has(env, FEAT_FENTRY_RECURSION, false) &&
	    env_has(env, FEAT_KPROBE, false))
		return NULL;
	*why = "the clause has many probes";
	if (m->n_attaches > MOST_TRAMPOLINES)
		return NULL;
	*why = "it is a module's";
	if (m->module && !streq(m->module, "vmlinux"))
		return NULL;
	*why = "its type is not known";
	if (mod && btf_find_own(mod->btf, name, BTF_KIND_FUNC))
		p = trampoline_profile(env, mod, name, m->is_return);
	if (!p)
		return NULL;
	*why = "a trampoline does not keep what the script reads";
	if (!add_words(m, p) || (m->is_return && !drop_args(m, p)))
		return NULL;
	if (m->is_return) {
		p->argn.n = 0;
		if (p->retval.type) /* NULL: it returns void */
			p->retval.type = type_of_result(env->arena, p->retval.type);
	}
	return p;
}

static void add_function(struct match *m, const char *name)
{
	const char *why = NULL;
	struct profile *p = substitute_profile(m, name, &why);
	struct target *t;

	if (!p) {
		t = add(m, m->module, name, 0);
		t->site.kernel.named = true;
		if (*why)
			t->site.note = arena_printf(m->env->arena, "no trampoline: %s", why);
		return;
	}
	t = targets_add(m->env, &m->ts, SITE_TRAMPOLINE, site_name(m, m->module, name, 0),
			profile_for_site(m->env, p, false, false));
	t->site.kernel.symbol = t->site.func = name;
	t->site.is_substitute = true;
	t->site.note = m->is_return ? "fexit, which is cheaper than a kretprobe" :
				      "fentry, which is cheaper than a kprobe";
}

static bool module_matches(const char *pattern, const char *module)
{
	return !pattern || glob_match(pattern, module ? module : "vmlinux");
}

static const char *shown_module(const struct match *m, const struct kernel_function *fn)
{
	return fn->module ? fn->module : m->module ? "vmlinux" : NULL;
}

/* Whether the pattern means the function. */
static bool is_meant(const struct match *m, const struct kernel_function *fn)
{
	const struct hash *only = m->env->request->probes.kernel_functions;
	bool whole = m->env->request->probes.whole_calls;

	if (only && !hash_gets(only, fn->name))
		return false;
	return glob_match(m->pattern, fn->name) && module_matches(m->module, fn->module) &&
	       !kernel_function_is_hidden(fn->name) &&
	       !((m->is_return || whole) && kretprobe_hazard(fn->name)) &&
	       !(whole && kernel_function_is_of_programs(fn->name));
}

static int match_function(void *ctx, const struct kernel_function *fn)
{
	struct match *m = ctx;

	if (!is_meant(m, fn))
		return 0;
	if (fn->ambiguous)
		vec_push(m->env->arena, &m->late, *fn);
	else
		add(m, shown_module(m, fn), arena_strdup(m->env->arena, fn->name), 0);
	return 0;
}

struct at_address {
	struct match *m;
	const struct kernel_function *fn;
};

static void add_address(void *ctx, u64 address)
{
	struct at_address *at = ctx;

	add(at->m, shown_module(at->m, at->fn), arena_strdup(at->m->env->arena, at->fn->name), 0)
		->site.kernel.address = address;
}

static void match_functions(struct match *m)
{
	kernel_functions_each(m->env, match_function, m);
	for (u32 i = 0; i < m->late.n; i++) {
		const struct kernel_function *fn = &m->late.v[i];
		u32 before = m->ts.list.n;

		kernel_function_addresses(m->env, fn->module, fn->name, add_address,
					  &(struct at_address){ m, fn });
		if (m->ts.list.n == before) /* addresses are hidden: probe the first of them */
			add(m, shown_module(m, fn), arena_strdup(m->env->arena, fn->name), 0);
	}
}

static int near_function(void *ctx, const struct kernel_function *fn)
{
	struct match *m = ctx;

	near_try(&m->near, fn->name);
	return 0;
}

static const char *near_probe(struct match *m, const char *name)
{
	const char *near;

	if (!env_tells_missing(m->env))
		return NULL;
	near = kernel_function_of_call(m->env, name);
	if (!near) {
		near_init(&m->near, name);
		kernel_functions_each(m->env, near_function, m);
		near = near_best(&m->near);
	}
	return near ? site_name(m, NULL, near, 0) : NULL;
}

static int no_kprobes(struct match *m)
{
	bool built = access("/sys/bus/event_source/devices/kprobe", F_OK) == 0;

	if (probe_lacks_sysfs(m->env, m->spec, "kernel probes"))
		return -EOPNOTSUPP;
	if (!m->env->request->compile.any_kernel &&
	    (!env_demands(m->env, m->spec) ||
	     (!strpbrk(m->pattern, "+") && !lists_something(m->env, m->spec)))) {
		m->ts.help = "this kernel has no kernel probes";
		targets_give(m->env, m->spec, &m->ts, NULL, NULL, NULL);
		return -ENOENT;
	}
	return probe_lacks(
		m->env, m->spec,
		built ? "kernel probes for anyone while it is locked down" : "kernel probes",
		"%s tracepoint, rawtracepoint or uprobe; \"sonde list '*NAME*'\" finds them",
		built ? "lockdown=confidentiality refuses them even to root: use fentry," :
			"it was built without CONFIG_KPROBES: use");
}

/* The first instruction of a function is always a boundary. */
static bool is_start(struct match *m, u64 address)
{
	struct ksym sym;

	return kallsyms_lookup(env_ksyms(m->env), address, &sym) && !sym.offset &&
	       kernel_function_exists(m->env, sym.module, sym.name);
}

static int match_address(struct match *m, const struct kpoint *point)
{
	struct target *t;

	if (!m->env->request->compile.unsafe && !is_start(m, point->address)) {
		struct diag *d = probe_report(m->env, m->spec, D_UNSAFE_PROBE,
					      "Probing by address requires --unsafe");

		probe_help(
			m->env, d,
			"no function begins there, and an address may lie within an instruction");
		return -EPERM;
	}
	t = add(m, NULL, m->pattern, 0);
	t->site.kernel.symbol = t->site.func = NULL;
	t->site.kernel.address = point->address;
	return 0;
}

static int add_offset(struct match *m, const struct kpoint *point)
{
	const char *why =
		m->env->request->compile.any_kernel ?
			NULL :
			kernel_offset_refused(m->env, m->module, point->name, point->offset);

	if (why) {
		probe_report(m->env, m->spec, D_BAD_OFFSET,
			     arena_printf(m->env->arena, "%s: %s", m->spec->text, why));
		return -EINVAL;
	}
	add(m, m->module, point->name, point->offset);
	return 0;
}

struct clones {
	struct match *m;
	u32 n;
};

static int match_clone(void *ctx, const struct kernel_function *fn)
{
	struct clones *c = ctx;
	struct match *m = c->m;

	if (!symbol_is_clone_of(fn->name, m->pattern) || !module_matches(m->module, fn->module))
		return 0;
	add(m, shown_module(m, fn), arena_strdup(m->env->arena, fn->name), 0);
	c->n++;
	return 0;
}

/* Clones of a function that has no code under its own name. */
static bool add_clones(struct match *m)
{
	struct clones c = { .m = m };
	const char *names;

	if (!kernel_has_clones(m->env, m->pattern))
		return false;
	m->many = true;
	kernel_functions_each(m->env, match_clone, &c);
	if (!c.n)
		return false;
	names = m->ts.list.v[0]->site.func;
	if (c.n > 1)
		names = arena_printf(m->env->arena, "%s and %u more", names, c.n - 1);
	probe_report(m->env, m->spec, D_CLONES_PROBED, m->pattern, names);
	return true;
}

static int match_name(struct match *m, const struct kpoint *point, const char **near)
{
	if (point->offset && m->is_return) {
		probe_report(m->env, m->spec, D_BAD_OFFSET, "Offset not allowed");
		return -EINVAL;
	}
	if (m->is_return && kretprobe_hazard(point->name)) {
		struct diag *d = probe_report(m->env, m->spec, D_PROBE_REFUSED, m->spec->text,
					      kretprobe_hazard(point->name));

		probe_help(m->env, d, "kprobe:%s is safe", point->name);
		return -EOPNOTSUPP;
	}
	if (kernel_function_exists(m->env, m->module, point->name)) {
		if (point->offset)
			return add_offset(m, point);
		add_function(m, point->name);
	} else if (m->env->request->compile.any_kernel) {
		probe_report(m->env, m->spec, D_NOT_HERE, m->spec->text);
		add(m, m->module, point->name, point->offset);
	} else if (point->offset || !add_clones(m)) {
		*near = near_probe(m, point->name);
	}
	return 0;
}

static bool result_differs(const struct target *a, const struct target *b)
{
	const struct type *x = a->profile->retval.type, *y = b->profile->retval.type;

	return (x->kind == TY_POINTER || y->kind == TY_POINTER) && x != y && !type_equal(x, y);
}

/* In a pattern, hist(retval) needs one type: if only some functions return pointers, or pointers to
 * different types, results are numbers; signed, as most results are. */
static void agree_on_results(struct match *m)
{
	bool differ = false;

	for (u32 i = 1; i < m->ts.list.n && !differ; i++)
		differ = result_differs(m->ts.list.v[0], m->ts.list.v[i]);
	for (u32 i = 0; differ && i < m->ts.list.n; i++) {
		struct target *t = m->ts.list.v[i];

		if (t->profile->retval.type->size != 8)
			continue;
		t->profile = arena_dup(m->env->arena, t->profile, sizeof *t->profile);
		t->profile->retval.type = &ty_s64;
	}
}

static int match(struct match *m, const char **near)
{
	struct kpoint point;

	if (glob_has_wildcard(m->pattern) || (m->module && glob_has_wildcard(m->module))) {
		m->many = true;
		match_functions(m);
		if (m->is_return)
			agree_on_results(m);
		return 0;
	}
	if (!parse_point(m->env, m->pattern, &point)) {
		const char *plus = strrchr(m->pattern, '+') + 1;

		probe_report(m->env, m->spec, D_BAD_OFFSET,
			     *plus ? arena_printf(m->env->arena, "Invalid offset: %s",
						  text_fault(m->env->arena, plus)) :
				     "Invalid offset");
		return -EINVAL;
	}
	m->amid = point.offset || !point.name;
	return point.name ? match_name(m, &point, near) : match_address(m, &point);
}

static int resolve(struct provider_env *env, const struct spec *spec, bool is_return, target_fn f,
		   void *ctx)
{
	struct match m = { .env = env,
			   .spec = spec,
			   .is_return = is_return,
			   .n_attaches = env->clause.n_attaches,
			   .module = module_of(spec),
			   .pattern = spec->part[spec->n_parts - 1] };
	const char *near = NULL;
	int ret;

	if (!env_has(env, FEAT_KPROBE, true) && !env_has(env, FEAT_KPROBE_MULTI, true))
		return no_kprobes(&m);
	ret = match(&m, &near);
	m.ts.help = module_missing(env, m.module);
	if (m.ts.help)
		near = NULL;
	return ret < 0 ? ret : targets_give(env, spec, &m.ts, near, f, ctx);
}

static int resolve_kprobe(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	return resolve(env, spec, false, f, ctx);
}

static int resolve_kretprobe(struct provider_env *env, const struct spec *spec, target_fn f,
			     void *ctx)
{
	return resolve(env, spec, true, f, ctx);
}

/* ---- listing */

static int list_function(void *ctx, const struct kernel_function *fn)
{
	struct match *m = ctx;
	struct profile *p = NULL;
	struct btf *btf;

	if (!is_meant(m, fn))
		return 0;
	btf = m->verbose ? btf_of(m->env, fn->module) : NULL;
	if (btf) {
		p = new_profile(m);
		btf_register_args(m->env, p, btf, fn->name);
	}
	return m->list(m->list_ctx, site_name(m, fn->module, fn->name, 0), p);
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct match m = { .env = env,
			   .spec = spec,
			   .module = module_of(spec),
			   .is_return = spec->provider == &provider_kretprobe,
			   .pattern = spec->n_parts > 1 ? spec_pattern(spec, spec->n_parts - 1) :
							  "*",
			   .list = f,
			   .list_ctx = ctx,
			   .verbose = verbose };
	int ret;

	/* A list of everything has only what can be probed; a pattern of functions lists all. */
	if (spec->n_parts < 2 && !env_has(env, FEAT_KPROBE, true) &&
	    !env_has(env, FEAT_KPROBE_MULTI, true))
		return 0;
	ret = kernel_functions_each(env, list_function, &m);
	return ret < 0 ? 0 : ret;
}

/* Every function has both: a list of everything only has entries. */
static int list_returns(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
			void *ctx)
{
	return spec->n_parts > 1 ? list(env, spec, verbose, f, ctx) : 0;
}

const struct provider provider_kprobe = {
	.name = "kprobe",
	.aliases = "k",
	.syntax = "kprobe[:MODULE]:FUNCTION[+OFFSET] or kprobe:ADDRESS",
	.brief = "the entry of a kernel function",
	.doc = "arg0, arg1 ... are the arguments; args.NAME has them with names and types if the "
	       "kernel has BTF. Patterns match many functions. Attached as fentry, which is "
	       "cheaper, if that gives the same result (-v shows how). An offset must be the "
	       "start of an instruction. Functions of modules are probed if the module is loaded; "
	       "modules loaded later are not.",
	.example = "kprobe:vfs_open { @[comm] = count(); }",
	.work = "cat /dev/null",
	.output = "@[cat]: 5",
	.varies = true,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.empty = "kprobes should be attached to a function or an address",
	.feature = FEAT_KPROBE + 1,
	.feature_instead = FEAT_KPROBE_MULTI + 1,
	.may_be_trampoline = true,
	.resolve = resolve_kprobe,
	.list = list,
};

const struct provider provider_kretprobe = {
	.name = "kretprobe",
	.aliases = "kr",
	.syntax = "kretprobe[:MODULE]:FUNCTION",
	.brief = "the return of a kernel function",
	.doc = "retval is the return value; for a void function, the content of the register. "
	       "Attached as fexit, which is cheaper, if that gives the same result.",
	.example = "kretprobe:vfs_read { @bytes = hist(retval); }",
	.work = "cat /dev/null",
	.output = "@bytes:\n"
		  "...\n"
		  "[512, 1K)              3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
	.varies = true,
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.empty = "kprobes should be attached to a function or an address",
	.feature = FEAT_KPROBE + 1,
	.feature_instead = FEAT_KPROBE_MULTI + 1,
	.may_be_trampoline = true,
	.resolve = resolve_kretprobe,
	.list = list_returns,
};
