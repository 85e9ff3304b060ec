/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to program: the pass list of the whole compiler, in the order it happens. Clauses are resolved
 * to targets by the providers; targets of one clause that see their event the same way (equal profiles)
 * become one instance, which is checked, lowered and emitted once.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/glob.h"
#include "builtin/builtin.h"
#include "engine/engine.h"
#include "ir/lower.h"
#include "session/filter.h"
#include "session/view.h"
#include "session/stage.h"
#include "sym/debuginfod.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"
#include "target/target.h"

/* ---- setting up */

static void set_named(struct compiled *c, const struct session_options *o)
{
	if (!o->n_named)
		return;
	c->env.n_named = o->n_named;
	c->env.named = arena_alloc(&c->arena, sizeof *c->env.named * o->n_named);
	for (u32 i = 0; i < o->n_named; i++) {
		const char *word = o->named[i] + (starts_with(o->named[i], "--") ? 2 : 0);
		const char *eq = strchr(word, '=');

		c->env.named[i].name = eq ? arena_strndup(&c->arena, word, (size_t)(eq - word)) : word;
		c->env.named[i].value = eq ? eq + 1 : NULL;
	}
}

/* max_strlen: the default, unless 0. */
static void compiled_init(struct compiled *c, const struct session_options *o, u32 max_strlen)
{
	struct env *env = &c->env;

	*c = (struct compiled){ 0 };
	arena_init(&c->arena);
	intern_init(&c->names);
	sources_init(&c->sources, &c->arena);
	diags_init(&c->diags, &c->arena, &c->sources);
	c->diags.no_warnings = o->no_warnings;
	view_init(&c->view, &c->arena);
	config_defaults(&env->config);
	if (max_strlen)
		env->config.max_strlen = max_strlen;
	env->themes = o->themes;
	env->features = o->use_vm ? stage_vm_features() : o->any_kernel ? stage_all_features() : kernel_features();
	env->unsafe = o->unsafe;
	env->no_warnings = o->no_warnings;
	env->extra_warnings = o->extra_warnings;
	env->any_kernel = o->any_kernel;
	env->have_child = o->command != NULL;
	env->has_pid = o->pid > 0;
	env->pid = o->pid > 0 ? (u32)o->pid : 0;
	env->params = o->params;
	env->n_params = o->n_params;
	env->clock_map = getenv("BPFTRACE_DUMMY_TS_MAP");
	env->include_dirs = o->include_dirs;
	env->includes = o->includes;
	env->read_import = o->read_import ? o->read_import : stage_read_import;
	set_named(c, o);
	view_world(&c->view, &env->world);
	env_init(env);
	lang_init(&c->lang, &c->arena, &c->names, &c->sources, &c->diags, env);
	c->prog = (struct program){ .arena = &c->arena, .sources = &c->sources, .data_map = NO_INDEX,
				    .ring_map = NO_INDEX, .scratch_map = NO_INDEX,
				    .huge_scratch_map = NO_INDEX };
	c->follow_map = NO_INDEX;
}

void compiled_release(struct compiled *c)
{
	hash_release(&c->site_numbers);
	if (c->filter)
		regfree(c->filter);
	lang_release(&c->lang);
	env_release(&c->env);
	view_release(&c->view);
	intern_release(&c->names);
	arena_release(&c->arena);
}

/* ---- clauses to instances */

struct resolve {
	struct compiled *c;
	const struct session_options *o;
	struct clause *clause;
	const struct provider *provider;
	u32 reads;	  /* BI_READS_* of what the clause mentions */
	bool names_args;  /* by what debug information says, args.x: each layout is a program */
	u32 first;	  /* this clause's first instance */
	u32 attach_first; /* and that of the attach point being resolved */
	const char *user_name; /* of the attach point, or NULL */
	bool internal;
	bool many;	  /* the attach point is not the only one */
	u32 n_filtered;		  /* system calls that it dropped from a target */
	bool awaited;	  /* a target stands for files that come later */
	bool left_out; /* a test or a benchmark, in a run of another kind */
};

/* What a clause mentions, before names are resolved: decides attachments and layouts. */
struct reading {
	u32 argn; /* bit N: argN */
	const struct env *env;
	struct arena *arena;
	u32 flags;
	VEC(const char *) args; /* names behind "args." */
	VEC(const char *) vars; /* names behind "vars." */
	bool whole;		/* args itself is used: all names matter */
	const struct function *functions; /* of the script */
	u32 depth;		/* of calls: recursion is refused later */
};

/* The row behind a name; arg0 is the row argN. */
static const struct builtin *row_of(const struct env *env, const char *name)
{
	const struct builtin *b = env_builtin(env, name);
	size_t len = strlen(name);
	char base[64];

	while (!b && len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	if (b || !name[len] || len >= sizeof base - 2)
		return b;
	memcpy(base, name, len);
	memcpy(base + len, "N", 2);
	return env_builtin(env, base);
}

static bool find_reads(struct node *n, void *ctx);

static void read_function(struct reading *r, const char *name)
{
	enum { MAX_CALLS = 16 };

	if (r->depth >= MAX_CALLS)
		return;
	r->depth++;
	for (const struct function *f = r->functions; f; f = f->next)
		if (streq(f->name, name))
			ast_walk(f->body, find_reads, r);
	r->depth--;
}

static bool find_reads(struct node *n, void *ctx)
{
	struct reading *r = ctx;
	const struct builtin *b;

	if (n->kind == N_FIELD && n->name && n->a->kind == N_IDENT) {
		b = row_of(r->env, n->a->name);
		if (b && (b->flags & BI_RECORD)) {
			r->flags |= b->flags & BI_READS_ARGS;
			vec_push(r->arena, &r->args, n->name);
			return false;
		}
		if (b && (b->flags & BI_READS_CTX)) { /* an iterator's arguments */
			r->flags |= BI_READS_ARGS;
			vec_push(r->arena, &r->args, n->name);
		}
		if (b && (b->flags & BI_VARS)) {
			vec_push(r->arena, &r->vars, n->name);
			return false;
		}
	}
	if ((n->kind != N_IDENT && n->kind != N_CALL) || !n->name)
		return true;
	if (n->kind == N_CALL)
		read_function(r, n->name);
	b = row_of(r->env, n->name);
	if (b) {
		s64 number = env_builtin_number(b, n->name);

		if (b->flags & BI_READS_ARGS && number >= 0 && number < 32)
			r->argn |= 1u << number;
		r->flags |= b->flags & (BI_READS_ARGS | BI_READS_NAME | BI_READS_STACK | BI_READS_KSTACK | BI_READS_TYPED | BI_READS_RECORD | BI_READS_REGS | BI_READS_CTX |
				       BI_READS_GOID | BI_READS_RESULT);
		r->whole |= (b->flags & BI_RECORD) != 0;
	}
	return true;
}

static void clause_reads(struct compiled *c, struct clause *clause, struct reading *r)
{
	*r = (struct reading){ .env = &c->env, .arena = &c->arena,
			       .functions = c->lang.script->functions };
	if (clause->predicate)
		ast_walk(clause->predicate, find_reads, r);
	ast_walk(clause->body, find_reads, r);
	for (struct macro *m = c->lang.script->macros; m; m = m->next)
		ast_walk(m->body, find_reads, r); /* which are used is known only later */
	if (!r->args.v) /* not NULL: known, and none */
		r->args.v = arena_array(&c->arena, const char *, 1);
}

static void add_reading(struct script_reads *all, const struct reading *r)
{
	all->argn |= r->argn;
	all->record |= r->whole || r->args.n || r->vars.n;
	all->regs |= (r->flags & BI_READS_REGS) != 0;
	all->ctx |= (r->flags & BI_READS_CTX) != 0;
	all->stack |= (r->flags & BI_READS_STACK) != 0;
	all->args |= (r->flags & BI_READS_ARGS) != 0;
}

static const struct provider *provider_of(struct compiled *c, const struct attach *a)
{
	return provider_find(arena_strndup(&c->arena, a->text, strcspn(a->text, ":")));
}

static bool is_on_kernel_function(const struct provider *p)
{
	return p && p->may_be_trampoline;
}

/*
 * Kprobes of one function run before its trampolines, whatever the order of the script: it is all of one kind or all of
 * the other.
 */
static const char *kprobe_only(struct compiled *c, const struct session_options *o)
{
	const struct script_reads *reads = &c->kernel_reads;

	if (o->any_kernel || o->use_vm)
		return "";
	if (o->no_stand_ins)
		return "the kernel refused a trampoline";
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		for (struct attach *a = cl->attaches; a; a = a->next)
			if (is_on_kernel_function(provider_of(c, a)) && strpbrk(a->text, "*?[+"))
				return "the script has patterns or offsets of kprobes";
	return reads->ctx || reads->regs ? "the script reads registers" : NULL;
}

/*
 * How events of system calls are attached, all alike, so that clauses on one call keep their order: few as perf events, of
 * which other calls feel less; see provider/syscalls.c. Kernel stacks begin elsewhere there, or are none (6.1).
 */
static void choose_calls(struct compiled *c, const struct session_options *o)
{
	enum { FEW = 2 };
	struct call_events *e = &c->call_events;
	struct err err = {};

	if (!e->n && !e->raw)
		return;
	if (o->any_kernel || o->use_vm)
		e->raw = "";
	else if (!e->raw && o->no_stand_ins)
		e->raw = "the kernel refused an event of the call";
	else if (!e->raw && e->n > FEW)
		e->raw = "the script asks for more than two of them";
	else if (!e->raw && !tracefs_path(&err))
		e->raw = "tracefs cannot be read";
	err_release(&err);
}

static void add_calls(struct compiled *c, const struct provider *p, const struct attach *a, const struct reading *r)
{
	struct call_events *e = &c->call_events;
	u32 before = e->n;

	if (!p || !p->calls)
		return;
	e->reads_args = r->whole || r->args.n;
	p->calls(&c->arena, a->text, e);
	if (e->n == before || e->raw)
		return;
	if (r->flags & BI_READS_KSTACK)
		e->raw = "a clause reads kernel stacks";
	else if (r->flags & (BI_READS_TYPED | BI_READS_CTX | BI_READS_REGS))
		e->raw = "a clause reads the context";
}

/* All clauses together, for the placing of user-space probes and for how probes of kernel functions are attached. */
static void script_reads(struct compiled *c, const struct session_options *o)
{
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next) {
		bool in_kernel = false;
		struct reading r;

		clause_reads(c, cl, &r);
		add_reading(&c->reads, &r);
		for (struct attach *a = cl->attaches; a; a = a->next) {
			const struct provider *p = provider_of(c, a);

			in_kernel |= is_on_kernel_function(p);
			add_calls(c, p, a, &r);
			c->reads.returns |= p && p->replaces_return;
		}
		if (in_kernel)
			add_reading(&c->kernel_reads, &r);
	}
	c->kprobe_only = kprobe_only(c, o);
	choose_calls(c, o);
}

static u32 add_site_name(struct compiled *c, const char *probe, const char *func)
{
	vec_push(&c->arena, &c->prog.sites, (struct site_name){ probe, func });
	c->env.probe_name_max = MAX(c->env.probe_name_max, (u32)strlen(probe));
	return c->prog.sites.n - 1;
}

/* Several places of one name in one function (a USDT probe, statements of a line) are one: a map has one key for them. */
u32 compile_site(struct compiled *c, const char *probe, const char *func)
{
	const char *key = arena_printf(&c->arena, "%s\n%s", probe, func ? func : "");
	uintptr_t known = (uintptr_t)hash_gets(&c->site_numbers, key);

	if (!known) {
		known = add_site_name(c, probe, func) + 1;
		hash_puts(&c->site_numbers, key, (void *)known);
	}
	return (u32)known - 1;
}

/* Gives names and numbers to what a target covers. */
static void number_target(struct compiled *c, struct target *t)
{
	struct profile *p = t->profile;
	u32 base;

	if (!t->n_covered) {
		t->site.index = compile_site(c, t->site.probe, t->site.func);
		return;
	}
	base = c->prog.sites.n;
	for (u32 i = 0; i < t->n_covered; i++)
		add_site_name(c, t->covered[i], NULL);
	t->site.index = base;
	if (p->syscall_site)
		for (u32 i = 0; i < SYSCALL_SET_BITS; i++)
			p->syscall_site[i] += base;
}

/* Whether one program can tell these sites apart by the cookie of the attachment. */
static bool cookie_tells(const struct resolve *r, const struct site *s)
{
	switch (s->kind) {
	case SITE_PERF_TRACEPOINT:
	case SITE_KPROBE:
	case SITE_UPROBE:
	case SITE_PERF_SOFTWARE:
	case SITE_PERF_TIMER:
		return feature_has(r->c->env.features, FEAT_COOKIE);
	case SITE_RAW_TRACEPOINT:
	case SITE_TRAMPOLINE:
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_WATCHPOINT:
	case SITE_ITER:
		return false;
	}
	return false;
}

static struct instance *find_instance(struct resolve *r, const struct target *t)
{
	if (t->site.kind == SITE_TRAMPOLINE) /* loaded for one function */
		return NULL;
	for (u32 i = r->first; i < r->c->instances.n; i++) {
		struct instance *in = r->c->instances.v[i];

		if (in->provider != r->provider->name || in->once != (t->site.kind == SITE_ONCE) ||
		    !(in->profile == t->profile || profile_equal(in->profile, t->profile)))
			continue;
		if (in->once)
			continue;
		if (!(r->reads & BI_READS_NAME) || cookie_tells(r, &t->site))
			return in;
	}
	return NULL;
}

static struct instance *new_instance(struct resolve *r, const struct target *t)
{
	struct compiled *c = r->c;
	struct instance *in = arena_new(&c->arena, struct instance);

	instance_init(&c->lang, in, r->clause);
	in->profile = arena_dup(&c->arena, t->profile, sizeof *t->profile);
	in->provider = r->provider->name;
	in->name = t->site.probe;
	in->once = t->site.kind == SITE_ONCE;
	in->mode = r->provider->mode;
	in->follow_map = in->partner = NO_INDEX;
	in->internal = r->internal;
	in->is_one_of_many = r->many;
	in->index = c->instances.n;
	if (r->o->pid > 0 && !r->o->follow && !r->provider->bound_to_pid && !r->provider->unfiltered && !r->internal)
		in->only_pid = (u32)r->o->pid;
	if (!c->env.world.pid_namespace(c->env.world.ctx, &in->pid_ns[0], &in->pid_ns[1]))
		in->pid_ns[1] = 0;
	in->follows = r->o->follow && !r->provider->unfiltered && !r->internal;
	if (in->profile->owner && in->pid_ns[1] && (in->only_pid || in->follows))
		diag_report(&c->diags, r->clause->span, D_PROBE_REFUSED, t->site.probe,
			    "objects have the numbers of the first pid namespace, and -p and --follow those of this one");
	if (in->profile->site == NO_SITE || !in->profile->site_from_cookie)
		in->profile->site = t->site.index;
	vec_push(&c->arena, &c->instances, in);
	return in;
}

struct instance *compile_instance(struct compiled *c, const struct session_options *o, struct clause *clause,
				  const struct provider *provider, const struct target *t)
{
	struct resolve r = { .c = c, .o = o, .clause = clause, .provider = provider, .many = true };
	struct instance *in = new_instance(&r, t);

	if (in->follows)
		in->follow_map = c->follow_map;
	return in;
}

/* --probe-filter: only probes whose name matches, or the one that the script gives it; begin and end always do. */
static bool passes_filter(const struct resolve *r, const char *probe)
{
	const regex_t *filter = r->c->filter;

	return !filter || regexec(filter, probe, 0, NULL, 0) == 0 ||
	       (r->user_name && regexec(filter, r->user_name, 0, NULL, 0) == 0);
}

/* A target that stands for many system calls keeps those that match. */
static bool filter_target(struct resolve *r, struct target *t)
{
	u32 left = 0;

	if (!t->n_covered || !r->c->filter)
		return passes_filter(r, t->site.probe);
	for (u32 i = 0; i < t->n_covered; i++) {
		const char *event = strrchr(t->covered[i], ':') + 1;
		int nr = syscall_number_of_event(event + strlen(t->profile->syscall_enter ? "sys_enter_" : "sys_exit_"));

		if (passes_filter(r, t->covered[i]))
			left++;
		else if (nr >= 0 && t->profile->syscall_set)
			t->profile->syscall_set[nr / 64] &= ~(1ull << nr % 64);
	}
	r->n_filtered += t->n_covered - left;
	return left > 0;
}

/* The names of tests and benchmarks stand once. */
static bool is_taken(const struct resolve *r, const struct target *t)
{
	for (u32 i = 0; i < r->c->sites.n; i++)
		if (streq(r->c->sites.v[i].site.probe, t->site.probe)) {
			diag_report(&r->c->diags, r->clause->attaches->span, D_TEST_TWICE, t->site.probe);
			return true;
		}
	return false;
}

static int on_target(void *ctx, struct target *t)
{
	struct resolve *r = ctx;
	struct compiled *c = r->c;
	struct target_site ts = { 0 };
	struct instance *in;

	if (!r->internal && (t->site.kind != SITE_ONCE || r->provider->mode) && !filter_target(r, t))
		return 0;
	if (r->provider->mode && is_taken(r, t))
		return -EEXIST;
	if (r->o->follow) /* the process is one of many: the set of --follow says which */
		t->site.pid = -1;
	if (t->site.later) {
		r->awaited = true;
		if (r->names_args && c->instances.n > r->attach_first)
			return 0; /* types are known when the file is */
		if (!find_instance(r, t))
			new_instance(r, t);
		return 0;
	}
	number_target(c, t);
	in = find_instance(r, t);
	if (!in)
		in = new_instance(r, t);
	else if (r->reads & BI_READS_NAME)
		in->profile->site_from_cookie = true;
	vec_push(&c->arena, &in->sites, t->site.index);
	ts.site = t->site;
	ts.func = in->index;
	ts.n_covered = t->n_covered ? t->n_covered - r->n_filtered : t->is_part ? 0 : 1;
	r->n_filtered = 0;
	if (!r->internal)
		c->n_probes += ts.n_covered;
	vec_push(&c->arena, &c->sites, ts);
	return 0;
}

enum { SPARE_SITES = 8192, SPARE_DATA = 16 << 10, LATE_NAME = 127 };

static void add_late(struct compiled *c, struct provider_env *env, const struct spec *spec, const struct resolve *r)
{
	const char *pattern = spec->provider->later ? spec->provider->later(env, spec) : NULL;
	struct late l = { .env = env,
			  .spec = spec,
			  .pattern = pattern,
			  .first = r->first,
			  .end = c->instances.n,
			  .holds = r->awaited || (pattern && glob_has_wildcard(pattern)),
			  .names_args = r->names_args,
			  .reads_name = (r->reads & BI_READS_NAME) != 0,
			  .libraries = spec->provider->in_libraries || env->pid > 0,
			  .clause = r->clause };

	if (!pattern || c->instances.n == r->first || r->user_name || c->diags.n_errors)
		return;
	c->prog.spare_sites = MAX(c->prog.spare_sites, l.holds ? SPARE_SITES : 512);
	c->prog.spare_data = SPARE_DATA;
	c->env.probe_name_max = MAX(c->env.probe_name_max, (u32)LATE_NAME);
	vec_push(&c->arena, &c->lates, l);
}

/* What a clause without a probe does to maps is known to the others: they may read what nothing fills here. */
static void keep_unseen(struct compiled *c, struct provider_env *env, struct clause *clause)
{
	struct instance *in = arena_new(&c->arena, struct instance);

	instance_init(&c->lang, in, clause);
	in->profile = profile_unseen(env, "the probe is not here");
	in->provider = "none";
	in->name = clause->attaches->text;
	in->follow_map = in->partner = NO_INDEX;
	in->unseen = true;
	vec_push(&c->arena, &c->unseen, in);
}

/* sonde check: the clause of a probe that only other systems have is checked as far as can be. */
static void resolve_unseen(struct provider_env *env, struct resolve *r, const struct attach *a)
{
	struct target t = { .site = { .kind = SITE_KPROBE, .probe = a->text, .index = NO_SITE, .pid = -1 } };

	t.profile = profile_unseen(env, "the probe is not known here");
	on_target(r, &t);
	r->c->env.unchecked = true;
}

static struct btf *provider_btf(struct provider_env *env)
{
	return view_btf(&((struct compiled *)env->ctx)->view);
}

/* What providers may ask about the clause, the script and the run. In the arena: lazy types keep it. */
static struct provider_env *env_of_clause(const struct resolve *r, const struct reading *reading)
{
	struct compiled *c = r->c;
	const struct session_options *o = r->o;
	struct provider_env env = {
		.arena = &c->arena,
		.diags = &c->diags,
		.features = c->env.features,
		.btf = provider_btf,
		.ctx = c,
		.ksyms = view_kallsyms(&c->view),
		.prefer_raw = true,
		/* the run */
		.pid = o->pid > 0 ? o->pid : -1,
		.unsafe = o->unsafe,
		.by_kallsyms = o->no_stand_ins,
		.child_alone = o->command && !o->follow,
		.any_kernel = o->any_kernel,
		/* the script */
		.script = c->reads,
		.kernel_script = c->kernel_reads,
		.calls_by_perf = c->call_events.n && !c->call_events.raw && !r->internal,
		.calls_why = c->call_events.raw && *c->call_events.raw ? c->call_events.raw : NULL,
		.kprobe_only = r->internal ? "" : c->kprobe_only,
		.max_strlen = (u32)c->env.config.max_strlen,
		.exact_uprobes = c->env.config.exact_uprobes,
		.missing_mode = c->env.config.missing_probes,
		.max_targets = (u32)c->env.config.max_probes,
		/* the clause */
		.arg_names = reading->whole ? NULL : reading->args.v,
		.n_arg_names = reading->whole ? 0 : reading->args.n,
		.var_names = reading->vars.v,
		.n_var_names = reading->vars.n,
		.uses_args = r->reads & BI_READS_ARGS,
		.uses_result = r->reads & BI_READS_RESULT,
		.uses_goid = r->reads & BI_READS_GOID,
		.uses_func_or_probe = r->reads & BI_READS_NAME,
		.uses_stack = r->reads & BI_READS_STACK,
		.uses_typed = r->reads & BI_READS_TYPED,
		.uses_record = r->reads & BI_READS_RECORD,
	};

	for (const struct attach *a = r->clause->attaches; a; a = a->next)
		env.n_attaches++;
	return arena_dup(&c->arena, &env, sizeof(env));
}

static void resolve_attach(struct provider_env *env, struct resolve *r, struct attach *a)
{
	struct compiled *c = r->c;
	struct spec *spec = spec_parse(env, a);
	u32 before = c->instances.n, errors = c->diags.n_errors;

	if (!spec)
		return;
	if (spec->provider->mode && !(spec->provider->mode & r->o->mode) && !r->o->any_kernel) {
		r->left_out = true;
		c->left_out |= spec->provider->mode;
		return;
	}
	r->provider = spec->provider;
	r->many = a->next || a != r->clause->attaches || glob_has_wildcard(spec->text);
	r->user_name = a->user_name;
	r->awaited = false;
	r->attach_first = before;
	spec->provider->resolve(env, spec, on_target, r);
	add_late(c, env, spec, r);
	if (r->o->any_kernel && c->instances.n == before && c->diags.n_errors == errors && r->first == before)
		resolve_unseen(env, r, a);
}

/* Not one of its probes is there, and nothing else says why. */
static bool has_nothing(const struct resolve *r)
{
	const struct compiled *c = r->c;

	return c->instances.n == r->first && !r->left_out && !c->diags.n_errors && !r->o->probe_filter &&
	       !r->o->any_kernel && c->env.config.missing_probes != MISSING_IGNORE;
}

/* "provider:file:" of an attach point whose probes lie in files, else 0. */
static size_t file_part(struct compiled *c, const struct attach *a)
{
	const struct provider *p = provider_of(c, a);
	const char *file = strchr(a->text, ':'), *end = file ? strchr(file + 1, ':') : NULL;

	return p && p->resolve_file && end ? (size_t)(end + 1 - a->text) : 0;
}

/* Versions of a library differ in their functions: of a list of one file's functions some may be missing. */
static void mark_missable(struct compiled *c, struct clause *clause)
{
	struct attach *first = clause->attaches;
	size_t len = file_part(c, first);

	for (struct attach *a = first; a && len; a = a->next)
		if (strncmp(a->text, first->text, len))
			len = 0;
	for (struct attach *a = first; a; a = a->next)
		a->may_miss = len && first->next;
}

static void resolve_clause(struct compiled *c, const struct session_options *o, struct clause *clause, bool internal)
{
	struct resolve r = { .c = c, .o = o, .clause = clause, .first = c->instances.n, .internal = internal };
	struct reading reading;
	struct provider_env *env;

	mark_missable(c, clause);
	clause_reads(c, clause, &reading);
	r.reads = reading.flags;
	r.names_args = reading.whole || reading.args.n || reading.vars.n;
	env = env_of_clause(&r, &reading);
	for (struct attach *a = clause->attaches; a; a = a->next)
		resolve_attach(env, &r, a);
	if (c->instances.n == r.first)
		keep_unseen(c, env, clause);
	provider_env_release(env);
	if (has_nothing(&r))
		diag_report(&c->diags, clause->attaches->span, env->missing_mode == MISSING_ERROR ? D_NO_ATTACH_POINTS : D_PROBE_REMOVED);
}

/* ---- the stages */

/* Clauses that need a program each: wildcards are one program where the probes look alike. */
static void count_programs(struct compiled *c)
{
	u64 max = c->env.config.max_bpf_progs;

	if (c->instances.n > max)
		diag_help(&c->diags,
			  diag_report(&c->diags, c->instances.v[max]->clause->span, D_MANY_PROGS, c->instances.n,
				      (unsigned long long)max),
			  "raise the configuration max_bpf_progs (BPFTRACE_MAX_BPF_PROGS)");
}

static void check(struct compiled *c)
{
	VEC(struct instance *) all = {};

	for (u32 i = 0; i < c->instances.n; i++)
		vec_push(&c->arena, &all, c->instances.v[i]);
	for (u32 i = 0; i < c->unseen.n; i++)
		vec_push(&c->arena, &all, c->unseen.v[i]);
	lang_check(&c->lang, all.v, all.n);
}

static bool front(struct compiled *c, const struct session_options *o)
{
	struct source *src = sources_add(&c->sources, o->script_name, o->script, o->script_len);

	if (!parse_script(&c->lang, src) || !lang_prepare(&c->lang))
		return false;
	script_reads(c, o);
	debuginfod_allow(true);
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		resolve_clause(c, o, cl, false);
	count_programs(c);
	stage_keep(c, o, resolve_clause);
	if (o->follow)
		stage_follow(c, o, resolve_clause);
	for (u32 i = 0; i < c->instances.n; i++)
		stage_compat(c, c->instances.v[i]->profile);
	stage_sessions(c);
	check(c);
	debuginfod_allow(false);
	if (!c->diags.n_errors)
		builtin_check_options(&c->env, &c->diags);
	return !c->diags.n_errors;
}

static struct bpf_func *new_func(struct compiled *c, const struct instance *in)
{
	struct bpf_func *f = arena_new(&c->arena, struct bpf_func);
	const struct profile *p = in->profile;

	f->name = stage_func_name(&c->arena, in->name, in->index);
	f->prog_type = p->prog_type;
	f->attach_type = p->attach_type;
	f->attach_btf_id = p->attach_btf_id;
	f->attach_module = p->attach_module;
	f->attach_prog = p->attach_prog;
	f->cookie_shift = p->cookie_bits == 64 ? 32 : 0;
	f->span = in->clause->span;
	if (in->jump && in->jump->dispatcher != in->index) {
		f->dispatcher = in->jump->dispatcher + 1;
		f->jump_map = in->jump->map;
		f->slots = in->jump->slots;
		f->n_slots = in->jump->n_slots;
	}
	return f;
}

enum { LOWER_LEVELS = 2 };

/* What no kernel would load is said here, with the way out. */
static int refuse_too_big(struct compiled *c, const struct bpf_func *f)
{
	struct target_measure m = target_measure(&c->prog, f);

	if (m.branches > MOST_BRANCHES)
		diag_report(&c->diags, f->span, D_TOO_MANY_BRANCHES, m.branches);
	else if (m.maps > MOST_MAPS)
		diag_report(&c->diags, f->span, D_TOO_MANY_MAPS, m.maps);
	else if (m.insns > MOST_INSNS)
		diag_report(&c->diags, f->span, D_TOO_MANY_INSNS, m.insns);
	else if (m.funcs > MOST_FUNCS)
		diag_report(&c->diags, f->span, D_TOO_MANY_LOOPS, m.funcs - 1);
	else
		return 0;
	return 1;
}

/* Whether a program there may run within a helper of another one, or of its own. */
static bool is_nested_site(const struct compiled *c, const struct site *s)
{
	bool is_hardware = s->kind == SITE_PERF_SOFTWARE && s->perf_type != PERF_TYPE_SOFTWARE;

	if (!site_is_in_helpers(s) && !is_hardware)
		return false;
	if (feature_has(c->env.features, FEAT_FENTRY_RECURSION)) /* and maps that tell a nested program so (5.11) */
		return c->instances.n > 1 && !is_hardware;
	return c->instances.n > 1 || s->kind == SITE_TRAMPOLINE;
}

static void guard_instances(struct compiled *c)
{
	bool guard = false;

	for (u32 i = 0; i < c->sites.n && !guard; i++)
		guard = is_nested_site(c, &c->sites.v[i].site);
	for (u32 i = 0; i < c->instances.n; i++)
		c->instances.v[i]->guarded = guard && !c->instances.v[i]->internal;
}

/* Lowers, optimizes, emits; when the frame does not fit, once more with less on the stack. */
static int back_instance(struct compiled *c, const struct session_options *o, struct instance *in, struct err *err)
{
	struct bpf_func *f = new_func(c, in);
	int rc = -E2BIG;

	for (u32 level = 0; level < LOWER_LEVELS && rc == -E2BIG; level++) {
		struct ir_unit *u = lower_instance(&c->lang, &c->prog, in, level);

		if (!u)
			return 1;
		ir_verify(u);
		ir_optimize(u, o->no_pass ? o->no_pass : "");
		if (level)
			c->units.n--;
		vec_push(&c->arena, &c->units, u);
		f->prog_flags = u->n_fetches ? BPF_F_SLEEPABLE : 0;
		rc = target_emit(u, c->env.features, f);
	}
	if (rc == -E2BIG) {
		diag_report(&c->diags, in->clause->span, D_TOO_COMPLEX);
		return 1;
	}
	if (rc < 0)
		return err_set(err, rc, "emit code for %s", in->name);
	vec_push(&c->arena, &c->prog.funcs, f);
	return refuse_too_big(c, f);
}

/* Whether this kernel would refuse the map for its key (MAX_BPF_STACK in kernel/bpf/hashtab.c). */
static bool has_long_key(const struct compiled *c, const struct map_desc *m)
{
	return m->role == MAP_USER && m->key_size > LONG_KEY && !feature_has(c->env.features, FEAT_LONG_KEYS);
}

static const struct map_desc *long_key(const struct compiled *c)
{
	for (u32 i = 0; i < c->prog.maps.n; i++)
		if (has_long_key(c, &c->prog.maps.v[i]))
			return &c->prog.maps.v[i];
	return NULL;
}

static void refuse_long_keys(struct compiled *c)
{
	for (u32 i = 0; i < c->prog.maps.n; i++) {
		const struct map_desc *m = &c->prog.maps.v[i];

		if (has_long_key(c, m))
			diag_report(&c->diags, m->span, D_KEY_TOO_LONG, m->name, m->key_size, LONG_KEY);
	}
}

/* Our own verifier: what it refuses is our mistake, told on the user's line. */
static int check_one(struct compiled *c, const struct instance *in, struct err *err)
{
	const struct bpf_func *f = c->prog.funcs.v[in->index];
	struct check_error e = { 0 };
	int rc = target_check(&c->prog, f, in->profile, &e);
	struct place at;

	if (e.too_long) {
		diag_report(&c->diags, f->spans[e.insn], D_TOO_LONG_TO_FOLLOW);
		return 1;
	}
	if (rc >= 0)
		return 0;
	at = sources_find(&c->sources, f->spans[e.insn]);
	err_set(err, rc, "%s:%u:%u: the code for this fails sonde's own checker at instruction %u: %s",
		at.file ? at.file->name : "?", at.line, at.col, e.insn, e.text);
	err_help(err, "this is a mistake in sonde: please report it with the script");
	return rc;
}

static int check_all(struct compiled *c, struct err *err)
{
	int rc = 0;

	for (u32 i = 0; i < c->prog.funcs.n && !rc; i++)
		rc = check_one(c, c->instances.v[i], err);
	return rc;
}

int compile_back(struct compiled *c, const struct session_options *o, struct instance *in, struct err *err)
{
	int rc = back_instance(c, o, in, err);

	return rc ? rc : check_one(c, in, err);
}

int session_status(const struct compiled *c, int rc)
{
	if (rc < 0 || diags_are_refusals(&c->diags))
		return STATUS_REFUSED;
	return rc || c->diags.n_errors ? STATUS_WRONG : 0;
}

static int make_filter(struct compiled *c, const struct session_options *o, struct err *err)
{
	regex_t *filter = arena_new(&c->arena, regex_t);
	int rc = probe_filter_make(filter, o->probe_filter, err);

	c->filter = rc ? NULL : filter;
	return rc;
}

static int compile(struct compiled *c, const struct session_options *o, u32 max_strlen, struct err *err)
{
	u64 start = clock_mono_ns();
	int rc = 0;

	compiled_init(c, o, max_strlen);
	if (o->probe_filter && (rc = make_filter(c, o, err)) < 0)
		return rc;
	if (!front(c, o) || (o->dump && !(o->dump & ~(u32)STAGE_AST)))
		return c->diags.n_errors ? 1 : 0;
	if (c->env.unchecked)
		return 0;
	stage_bind_follow(c);
	stage_dispatch(c, o);
	guard_instances(c);
	for (u32 i = 0; i < c->instances.n && !rc; i++)
		rc = back_instance(c, o, c->instances.v[i], err);
	if (rc)
		return rc;
	lower_finish(&c->prog);
	if (long_key(c))
		return 1;
	rc = check_all(c, err);
	c->compile_ns = clock_mono_ns() - start;
	return rc ? rc : c->diags.n_errors ? 1 : 0;
}

/* Once more with shorter strings where the kernel has no room for them in keys: two strings and two numbers fit,
 * four, eight. */
int session_compile(struct compiled *c, const struct session_options *o, struct err *err)
{
	static const u32 lengths[] = { 240, 112, 48 };
	int rc = compile(c, o, 0, err);
	u32 is = 1024;

	for (u32 i = 0; i < ARRAY_SIZE(lengths) && long_key(c) && c->env.config.max_strlen == is; i++) {
		struct span span = long_key(c)->span;

		is = lengths[i];
		compiled_release(c);
		rc = compile(c, o, is, err);
		diag_report(&c->diags, span, D_STRINGS_CUT, is, LONG_KEY);
	}
	if (long_key(c))
		refuse_long_keys(c);
	return rc;
}
