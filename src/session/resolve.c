/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns clauses into instances. Providers resolve attach points to targets; targets of one clause
 * with equal profiles become one instance. In: a parsed clause. Out: instances, sites and their
 * numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/glob.h"
#include "session/reading.h"
#include "engine/engine.h"
#include "object/demangle.h"
#include "object/elf.h"
#include "session/compile.h"
#include "session/system.h"
#include "sym/syscalls.h"
#include "sym/tracefs.h"

struct resolve {
	struct compiled *c;
	struct clause *clause;
	struct attach *attach; /* of it, the one that is being resolved */
	const struct provider *provider;
	u32 reads;             /* BI_READS_* of what the clause mentions */
	bool names_args;       /* args.x by debug information: each layout is a program */
	u32 first;             /* this clause's first instance */
	u32 attach_first;      /* and that of the attach point being resolved */
	const char *user_name; /* of the attach point, or NULL */
	bool internal;
	bool many;      /* the attach point is not the only one */
	u32 n_filtered; /* system calls that it dropped from a target */
	bool awaited;   /* a target is a placeholder for files that appear later */
	bool left_out;  /* a test or a benchmark, in a run of another kind */
};

static u32 add_site_name(struct compiled *c, const char *probe, const char *func)
{
	vec_push(&c->arena, &c->prog.sites, (struct site_name){ .probe = probe, .func = func });
	c->env.probe_name_max = MAX(c->env.probe_name_max, (u32)strlen(probe));
	return c->prog.sites.n - 1;
}

/* Several addresses with one name in one function (a USDT probe, statements of a line) are one: a
 * map has one key for them. */
static u32 number_by_name(struct compiled *c, const struct site *s)
{
	const char *key = arena_printf(&c->arena, "%s\n%s", s->probe, s->func ? s->func : "");
	uintptr_t known = (uintptr_t)hash_gets(&c->site_numbers, key);

	if (!known) {
		known = add_site_name(c, s->probe, s->func) + 1;
		hash_puts(&c->site_numbers, key, (void *)known);
	}
	return (u32)known - 1;
}

/* Of several places under one name nothing is said. */
static void note_range(struct site_name *n, const struct site *s)
{
	bool is_first = !n->distance && !n->span;

	n->span = is_first || n->distance == s->user.distance ? s->user.span : 0;
	n->distance = s->user.distance;
}

static u64 address_in_file(const struct site *s)
{
	struct err err = { 0 };
	struct elf *e = elf_open(s->user.path, &err);
	u64 address = 0;

	if (e && !elf_offset_to_address(e, s->user.offset, &address))
		address = 0;
	if (e)
		elf_close(e);
	err_release(&err);
	return address;
}

void resolve_site(struct compiled *c, struct site *s, bool by_place)
{
	struct site_name *n;

	s->index = by_place ? add_site_name(c, s->probe, s->func) : number_by_name(c, s);
	if (s->kind != SITE_UPROBE)
		return;
	n = &c->prog.sites.v[s->index];
	note_range(n, s);
	if (by_place)
		n->address = address_in_file(s);
}

/* Gives names and numbers to what a target covers. */
static void number_target(const struct resolve *r, struct target *t)
{
	struct compiled *c = r->c;
	struct profile *p = t->profile;
	u32 base;

	if (!t->n_covered) {
		resolve_site(c, &t->site, r->reads & BI_READS_FILE);
		return;
	}
	base = c->prog.sites.n;
	for (u32 i = 0; i < t->n_covered; i++)
		add_site_name(c, t->covered[i], NULL);
	t->site.index = base;
	if (p->syscall.site)
		for (u32 i = 0; i < SYSCALL_SET_BITS; i++)
			p->syscall.site[i] += base;
}

enum { LARGE_CLAUSE = 1024 /* bytes of text */ };

/* The name of a raw tracepoint is a constant in a program of its own: some 2 ns less at an event
 * than a cookie, and a compilation more. */
static bool is_large(const struct clause *clause)
{
	return clause->span.len > LARGE_CLAUSE;
}

/* Whether one program can tell these sites apart by the cookie of the attachment. */
static bool cookie_tells(const struct resolve *r, const struct site *s)
{
	switch (s->kind) {
	case SITE_PERF_TRACEPOINT:
	case SITE_KPROBE:
	case SITE_UPROBE:
	case SITE_RECORD:
	case SITE_PERF_SOFTWARE:
	case SITE_PERF_TIMER: return feature_has(r->c->env.features, FEAT_COOKIE);
	case SITE_RAW_TRACEPOINT:
		return is_large(r->clause) && feature_has(r->c->env.features, FEAT_RAW_COOKIE);
	case SITE_TRAMPOLINE:
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_WATCHPOINT:
	case SITE_ITER: return false;
	}
	return false;
}

/* The file of a site, where the clause asks for it. */
static const char *file_of(u32 reads, const struct target *t)
{
	bool is_in_file = t->site.kind == SITE_UPROBE && !t->site.is_deferred;

	return reads & BI_READS_FILE && is_in_file ? t->site.user.path : NULL;
}

static bool is_of_file(const struct instance *in, u32 reads, const struct target *t)
{
	const char *file = file_of(reads, t), *other = in->profile->site.file;

	return other == file || (other && file && streq(other, file));
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
		if (in->once || !is_of_file(in, r->reads, t))
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

	in->clause = r->clause;
	if (!c->has_no_code)
		instance_init(&c->lang, in, r->clause);
	in->profile = arena_dup(&c->arena, t->profile, sizeof *t->profile);
	in->provider = r->provider->name;
	in->name = t->site.probe;
	in->profile->site.file = file_of(r->reads, t);
	in->once = t->site.kind == SITE_ONCE;
	in->mode = r->provider->mode;
	in->follow_map = in->partner = NO_INDEX;
	in->internal = r->internal;
	in->is_one_of_many = r->many;
	in->index = c->instances.n;
	if (traced_pid(&r->c->request->traced) > 0 && !traced_by_set(&r->c->request->traced) &&
	    r->c->request->traced.scope != SCOPE_EVENTS && !(r->reads & BI_ASKS_FOLLOW) &&
	    !r->provider->bound_to_pid && !r->provider->unfiltered && !r->internal)
		in->only_pid = (u32)traced_pid(&r->c->request->traced);
	if (!c->env.world.pid_namespace(c->env.world.ctx, &in->pid_ns[0], &in->pid_ns[1]))
		in->pid_ns[1] = 0;
	in->asks_follow = (r->reads & BI_ASKS_FOLLOW) && follow_has_set(c);
	in->follows = traced_by_set(&r->c->request->traced) && !r->provider->unfiltered &&
		      !r->internal && !(r->reads & BI_ASKS_FOLLOW);
	in->follows_threads = c->reads.followed;
	if (in->profile->iterator.owner && in->pid_ns[1] && (in->only_pid || in->follows))
		diag_report(
			&c->diags, r->clause->span, D_PROBE_REFUSED, t->site.probe,
			"objects have pids of the initial pid namespace, -p and --follow those of this one");
	if (in->profile->site.index == NO_SITE || !in->profile->site.from_cookie)
		in->profile->site.index = t->site.index;
	vec_push(&c->arena, &c->instances, in);
	return in;
}

bool instance_is_elsewhere(const struct compiled *c, const struct instance *in)
{
	const struct clause *cl = c->lang.script->clauses;
	u32 from = c->request->probes.elsewhere;

	if (!from || in->internal)
		return false;
	for (u32 i = 0; i < from && cl; i++, cl = cl->next)
		if (cl == in->clause)
			return false;
	return true;
}

struct instance *resolve_instance(struct compiled *c, struct clause *clause,
				  const struct provider *provider, const struct target *t)
{
	struct resolve r = { .c = c, .clause = clause, .provider = provider, .many = true };
	struct instance *in = new_instance(&r, t);

	if (in->follows || in->asks_follow)
		in->follow_map = c->follow_map;
	return in;
}

/* --probe-filter: only probes whose name matches, or the one that the script gives it; begin and
 * end always do. */
static bool passes_filter(const struct resolve *r, const char *probe)
{
	const regex_t *filter = r->c->filter;

	return !filter || regexec(filter, probe, 0, NULL, 0) == 0 ||
	       (r->user_name && regexec(filter, r->user_name, 0, NULL, 0) == 0);
}

/* A target for many system calls keeps those that match. */
static bool filter_target(struct resolve *r, struct target *t)
{
	u32 left = 0;

	if (!t->n_covered || !r->c->filter)
		return passes_filter(r, t->site.probe);
	for (u32 i = 0; i < t->n_covered; i++) {
		const char *event = strrchr(t->covered[i], ':') + 1;
		int nr = syscall_number_of_event(
			event + strlen(t->profile->syscall.enter ? "sys_enter_" : "sys_exit_"));

		if (passes_filter(r, t->covered[i]))
			left++;
		else if (nr >= 0 && t->profile->syscall.set)
			t->profile->syscall.set[nr / 64] &= ~(1ull << nr % 64);
	}
	r->n_filtered += t->n_covered - left;
	return left > 0;
}

/* Another attach point has the probe already, where one is to have it (enum probes_once). */
static bool is_of_another(const struct resolve *r, const struct site *s)
{
	struct compiled *c = r->c;
	bool in_clause = c->request->probes.once == ONCE_IN_CLAUSE;
	const char *key = in_clause ?
				  arena_printf(&c->arena, "%p %s", (void *)r->clause, s->probe) :
				  s->probe;
	const struct attach *of = hash_gets(&c->probe_owners, key);

	if (!of)
		hash_puts(&c->probe_owners, key, r->attach);
	return of && of != r->attach;
}

/* Code that has several names is one function: the first one is its name. */
static bool is_of_another_name(const struct resolve *r, const struct site *s)
{
	struct compiled *c = r->c;
	const char *key, *name;

	if (s->kind != SITE_UPROBE || !s->func)
		return false;
	key = arena_printf(&c->arena, "%p %s %llx", (void *)r->clause, s->user.path,
			   (unsigned long long)s->user.offset);
	name = hash_gets(&c->probe_owners, key);
	if (!name)
		hash_puts(&c->probe_owners, key, (void *)(uintptr_t)s->func);
	return name && !streq(name, s->func);
}

static bool is_named(const char *pattern, const char *func)
{
	char *plain;
	bool is;

	if (glob_match(pattern, func))
		return true;
	plain = demangle(func);
	if (plain)
		plain[strcspn(plain, "(")] = '\0';
	is = plain && glob_match(pattern, plain);
	free(plain);
	return is;
}

bool resolve_leaves_out(const struct request *q, const char *func)
{
	for (u32 i = 0; q->probes.left_out && q->probes.left_out[i] && func; i++)
		if (is_named(q->probes.left_out[i], func))
			return true;
	return false;
}

static bool is_left_out(const struct resolve *r, const struct site *s)
{
	const struct request *q = r->c->request;

	if (resolve_leaves_out(q, s->func))
		return true;
	return q->probes.once != PROBES_REPEAT && (is_of_another(r, s) || is_of_another_name(r, s));
}

static const char *after_colon(const char *probe)
{
	const char *colon = strchr(probe, ':');

	return colon ? colon + 1 : probe;
}

/* The names of tests and benchmarks are unique. */
static bool is_taken(const struct resolve *r, const struct target *t)
{
	for (u32 i = 0; i < r->c->sites.n; i++)
		if (streq(r->c->sites.v[i].site.probe, t->site.probe)) {
			diag_report(&r->c->diags, r->clause->attaches->span, D_TEST_TWICE,
				    after_colon(t->site.probe),
				    starts_with(t->site.probe, "test") ? "TEST" : "BENCH");
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

	if (!r->internal && (t->site.kind != SITE_ONCE || r->provider->mode) &&
	    (!filter_target(r, t) || is_left_out(r, &t->site)))
		return 0;
	if (r->provider->mode && is_taken(r, t))
		return -EEXIST;
	if (traced_by_set(
		    &r->c->request->traced)) /* the process is one of many: the set lists them */
		t->site.pid = -1;
	if (t->site.is_deferred) {
		r->awaited = true;
		if (r->names_args && c->instances.n > r->attach_first)
			return 0; /* types are known when the file is */
		if (!find_instance(r, t)) {
			if ((r->reads & BI_READS_NAME) && !t->profile->site.from_cookie)
				number_target(r, t);
			new_instance(r, t);
		}
		return 0;
	}
	number_target(r, t);
	in = find_instance(r, t);
	if (!in)
		in = new_instance(r, t);
	else if (r->reads & BI_READS_NAME)
		in->profile->site.from_cookie = true;
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

static void add_deferred(struct compiled *c, struct provider_env *env, const struct spec *spec,
			 const struct resolve *r)
{
	const char *pattern = spec->provider->deferred ? spec->provider->deferred(env, spec) : NULL;
	struct deferred_probe l = { .env = env,
				    .spec = spec,
				    .pattern = pattern,
				    .first = r->first,
				    .end = c->instances.n,
				    .holds = r->awaited || (pattern && glob_has_wildcard(pattern)),
				    .names_args = r->names_args,
				    .reads_name = (r->reads & BI_READS_NAME) != 0,
				    .reads_file = (r->reads & BI_READS_FILE) != 0,
				    .libraries = spec->provider->in_libraries || env_pid(env) > 0,
				    .clause = r->clause };

	if (!pattern || c->instances.n == r->first || r->user_name || c->diags.n_errors)
		return;
	c->prog.spare_sites = MAX(c->prog.spare_sites, l.holds ? SPARE_SITES : 512);
	c->prog.spare_data = SPARE_DATA;
	c->env.probe_name_max = MAX(c->env.probe_name_max, (u32)LATE_NAME);
	vec_push(&c->arena, &c->deferred, l);
}

/* Keeps what a clause without a probe does to maps: other clauses may read maps that nothing fills
 * here. */
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
	struct target t = {
		.site = { .kind = SITE_KPROBE, .probe = a->text, .index = NO_SITE, .pid = -1 }
	};

	t.profile = profile_unseen(env, "the probe is not known here");
	on_target(r, &t);
	r->c->env.unchecked = true;
}

static struct btf *provider_btf(struct provider_env *env)
{
	return system_btf(&((struct compiled *)env->system.ctx)->system);
}

static u32 number_of_clause(const struct compiled *c, const struct clause *clause)
{
	u32 n = 0;

	for (const struct clause *cl = c->lang.script->clauses; cl && cl != clause; cl = cl->next)
		n++;
	return n;
}

/* What providers may ask about the clause, the script and the run. In the arena: lazy types keep
 * it. */
static struct provider_env *env_of_clause(const struct resolve *r, const struct reading *reading)
{
	struct compiled *c = r->c;
	struct provider_env env = {
		.arena = &c->arena,
		.diags = &c->diags,
		.system = { .features = c->features,
			    .btf = provider_btf,
			    .ctx = c,
			    .ksyms = system_kallsyms(&c->system),
			    .recorded = c->recorded },
		.request = c->request,
		.config = { .max_strlen = (u32)c->env.config.max_strlen,
			    .argstr_bytes = (u32)c->env.config.argstr_bytes,
			    .argstr_rest = c->env.config.argstr_rest != 0,
			    .argstr_whole = c->env.config.argstr_whole != 0,
			    .exact_uprobes = c->env.config.exact_uprobes,
			    .missing_probes = c->env.config.missing_probes,
			    .max_targets = (u32)c->env.config.max_probes },
		.attach = { .records = c->engines[0]->reads_records,
			    .prefer_raw = !c->engines[0]->by_perf_record,
			    .by_kallsyms = c->attempt.no_substitutes,
			    .calls_by_perf =
				    c->engines[0]->by_perf_record ||
				    (c->call_events.n && !c->call_events.raw && !r->internal),
			    .calls_why = c->call_events.raw && *c->call_events.raw ?
						 c->call_events.raw :
						 NULL,
			    .kprobe_only = r->internal ? "" : c->kprobe_only },
		.script = c->reads,
		.kernel_script = c->kernel_reads,
		.script_id = c->env.script_id,
		.clause = { .number = number_of_clause(c, r->clause),
			    .arg_names = reading->whole ? NULL : reading->args.v,
			    .n_arg_names = reading->whole ? 0 : reading->args.n,
			    .call_args = reading->whole_args ? NULL : reading->args.v,
			    .n_call_args = reading->whole_args ? 0 : reading->args.n,
			    .var_names = reading->vars.v,
			    .n_var_names = reading->vars.n,
			    .names_types = reading->names_types,
			    .args = r->reads & BI_READS_ARGS,
			    .result = r->reads & BI_READS_RESULT,
			    .goid = r->reads & BI_READS_GOID,
			    .name = r->reads & BI_READS_NAME,
			    .stack = r->reads & BI_READS_STACK,
			    .typed = r->reads & BI_READS_TYPED,
			    .is_large = is_large(r->clause),
			    .record = r->reads & BI_READS_RECORD },
	};

	for (const struct attach *a = r->clause->attaches; a; a = a->next)
		env.clause.n_attaches++;
	return arena_dup(&c->arena, &env, sizeof env);
}

static void resolve_attach(struct provider_env *env, struct resolve *r, struct attach *a)
{
	struct compiled *c = r->c;
	struct spec *spec = spec_parse(env, a);
	u32 before = c->instances.n, errors = c->diags.n_errors;

	if (!spec)
		return;
	if (spec->provider->mode && !(spec->provider->mode & r->c->request->mode) &&
	    !r->c->request->compile.any_kernel) {
		r->left_out = true;
		c->left_out |= spec->provider->mode;
		return;
	}
	r->attach = a;
	r->provider = spec->provider;
	r->many = a->next || a != r->clause->attaches || glob_has_wildcard(spec->text);
	r->user_name = a->user_name;
	r->awaited = false;
	r->attach_first = before;
	if (env->system.recorded && recorded_probe_resolve(env, spec, on_target, r))
		return;
	if (env->system.recorded && !spec->provider->is_replayed) {
		diag_report(&c->diags, a->span, D_NOT_IN_RECORDING, spec->text,
			    env->system.recorded->file);
		return;
	}
	spec->provider->resolve(env, spec, on_target, r);
	add_deferred(c, env, spec, r);
	if (r->c->request->compile.any_kernel && c->instances.n == before &&
	    c->diags.n_errors == errors && r->first == before)
		resolve_unseen(env, r, a);
}

/* None of its probes exists, and no other message gives the reason. */
static bool has_nothing(const struct resolve *r)
{
	const struct compiled *c = r->c;

	if (c->recorded && c->recorded->script && c->recorded->script == c->env.script_id)
		return false; /* they were not hit */
	return c->instances.n == r->first && !r->left_out && !c->diags.n_errors &&
	       !r->c->request->probes.filter && !r->c->request->compile.any_kernel &&
	       c->env.config.missing_probes != MISSING_IGNORE;
}

/* "provider:file:" of an attach point whose probes lie in files, else 0. */
static size_t file_part(struct compiled *c, const struct attach *a)
{
	const struct provider *p = provider_of(a->text);
	const char *file = strchr(a->text, ':'), *end = file ? strchr(file + 1, ':') : NULL;

	return p && p->resolve_file && end ? (size_t)(end + 1 - a->text) : 0;
}

/* Versions of a library differ in their functions: of a list of one file's functions some may be
 * missing. */
static void mark_missable(struct compiled *c, struct clause *clause)
{
	bool all = c->request->probes.some_may_miss;
	struct attach *first = clause->attaches;
	size_t len = file_part(c, first);

	for (struct attach *a = first; a && len; a = a->next)
		if (strncmp(a->text, first->text, len))
			len = 0;
	for (struct attach *a = first; a; a = a->next)
		a->may_miss = (len || all) && first->next;
}

void resolve_clause(struct compiled *c, struct clause *clause, bool internal)
{
	struct resolve r = {
		.c = c, .clause = clause, .first = c->instances.n, .internal = internal
	};
	struct reading reading;
	struct provider_env *env;

	mark_missable(c, clause);
	reading_of_clause(c, clause, &reading);
	r.reads = reading.flags;
	if (c->request->noting) /* events have the probe */
		r.reads |= BI_READS_NAME;
	r.names_args = reading.whole || reading.args.n || reading.vars.n;
	env = env_of_clause(&r, &reading);
	for (struct attach *a = clause->attaches; a; a = a->next)
		resolve_attach(env, &r, a);
	if (c->instances.n == r.first)
		keep_unseen(c, env, clause);
	provider_env_release(env);
	if (has_nothing(&r))
		diag_report(&c->diags, clause->attaches->span,
			    env->config.missing_probes == MISSING_ERROR ? D_NO_ATTACH_POINTS :
									  D_PROBE_REMOVED);
}
