/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to program: the pass list of the whole compiler, in the order it happens. Clauses are resolved to targets and
 * instances (resolve.c); each instance is checked, lowered and emitted once.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include "base/clock.h"
#include "builtin/builtin.h"
#include "ir/lower.h"
#include "session/choose.h"
#include "session/filter.h"
#include "session/reading.h"
#include "session/system.h"
#include "session/stage.h"
#include "object/debuginfod.h"
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

		c->env.named[i].name = eq ? arena_strndup(&c->arena, word, (size_t)(eq - word)) :
					    word;
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
	system_init(&c->system, &c->arena);
	config_defaults(&env->config);
	if (max_strlen)
		env->config.max_strlen = max_strlen;
	env->themes = o->themes;
	choose_init(c, o);
	if (o->any_kernel)
		c->features = env->features = stage_all_features();
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
	system_world(&c->system, &env->world);
	env_init(env);
	lang_init(&c->lang, &c->arena, &c->names, &c->sources, &c->diags, env);
	c->prog = (struct program){ .arena = &c->arena,
				    .sources = &c->sources,
				    .data_map = NO_INDEX,
				    .ring_map = NO_INDEX,
				    .scratch_map = NO_INDEX,
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
	system_release(&c->system);
	intern_release(&c->names);
	arena_release(&c->arena);
}

/* ---- the stages */

/* All probes of the script; one pattern alone is counted where it is resolved. */
static void count_probes(struct compiled *c)
{
	u64 max = c->env.config.max_probes;
	const struct clause *last = NULL;
	u32 n = 0;

	for (u32 i = 0; i < c->instances.n; i++) {
		n += c->instances.v[i]->sites.n;
		if (n > max && !last)
			last = c->instances.v[i]->clause;
	}
	if (last)
		diag_help(&c->diags,
			  diag_report(&c->diags, last->span, D_MANY_PROBES, n,
				      (unsigned long long)max),
			  "config = { max_probes = %u }", n);
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
	reading_of_script(c, o);
	debuginfod_allow(true);
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		resolve_clause(c, o, cl, false);
	count_probes(c);
	stage_keep(c, o);
	if (o->follow)
		stage_follow(c, o);
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

enum { LOWER_LEVELS = 2, LONG_TO_FOLLOW = MOST_INSNS / 2 };

/* What no kernel would load is said here, with the way out. */
static int refuse_too_big(struct compiled *c, const struct bpf_func *f)
{
	struct target_measure m = target_measure(&c->prog, f);
	struct span at = f->spans[m.at];
	struct diag *d;

	if (m.branches > MOST_BRANCHES)
		d = diag_report(&c->diags, at, D_TOO_MANY_BRANCHES, m.branches);
	else if (m.maps > MOST_MAPS)
		d = diag_report(&c->diags, at, D_TOO_MANY_MAPS, m.maps);
	else if (m.insns > MOST_INSNS)
		d = diag_report(&c->diags, at, D_TOO_MANY_INSNS, m.insns);
	else if (m.funcs > MOST_FUNCS)
		d = diag_report(&c->diags, at, D_TOO_MANY_LOOPS, m.funcs - 1);
	else
		return 0;
	diag_help(
		&c->diags, d,
		"what stands before this fits: write the rest as a second clause of the same probe, it runs right after");
	return 1;
}

/* Whether a program there may run within a helper of another one, or of its own. */
static bool is_nested_site(const struct compiled *c, const struct site *s)
{
	bool is_hardware = s->kind == SITE_PERF_SOFTWARE && s->perf_type != PERF_TYPE_SOFTWARE;

	if (!site_is_in_helpers(s) && !is_hardware)
		return false;
	if (feature_has(c->features,
			FEAT_FENTRY_RECURSION)) /* and maps that tell a nested program so (5.11) */
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
static int back_instance(struct compiled *c, const struct session_options *o, struct instance *in,
			 struct err *err)
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
	if (rc == -E2BIG && in->compact) { /* its stack is not enough */
		c->units.n--;
		in->compact = false;
		return back_instance(c, o, in, err);
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
	return m->role == MAP_USER && m->key_size > LONG_KEY &&
	       !feature_has(c->env.features, FEAT_LONG_KEYS);
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
			diag_report(&c->diags, m->span, D_KEY_TOO_LONG, m->name, m->key_size,
				    LONG_KEY);
	}
}

static void note_long(struct compiled *c, const struct instance *in)
{
	if (!c->is_long)
		c->is_long = arena_array(&c->arena, u8, c->instances.n);
	c->is_long[in->index] = 1;
}

/* Our own verifier: what it refuses is our mistake, told on the user's line. */
static int check_one(struct compiled *c, const struct instance *in, struct err *err)
{
	const struct bpf_func *f = c->prog.funcs.v[in->index];
	struct verify_error e = { 0 };
	u64 followed;
	int rc = target_verify_with_cost(&c->prog, f, in->profile, &e, LONG_TO_FOLLOW,
					 LONG_TO_FOLLOW, &followed);
	struct place at;

	if (followed >= LONG_TO_FOLLOW && !in->compact)
		note_long(c, in);
	if (e.too_long) {
		diag_report(&c->diags, f->spans[e.insn], D_TOO_LONG_TO_FOLLOW);
		return 1;
	}
	if (rc >= 0)
		return 0;
	at = sources_find(&c->sources, f->spans[e.insn]);
	err_set(err, rc,
		"%s:%u:%u: the code for this fails sonde's own checker at instruction %u: %s",
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

int compile_back(struct compiled *c, const struct session_options *o, struct instance *in,
		 struct err *err)
{
	int rc;

	in->compact = o->compact;
	rc = back_instance(c, o, in, err);
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

/* compact: by instance, or NULL. */
static int compile_once(struct compiled *c, const struct session_options *o, u32 max_strlen,
			const u8 *compact, struct err *err)
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
	if ((rc = choose_engines(c, o, err)) < 0)
		return rc;
	stage_bind_follow(c);
	stage_dispatch(c, o);
	guard_instances(c);
	for (u32 i = 0; i < c->instances.n && !rc; i++) {
		c->instances.v[i]->compact = o->compact || (compact && compact[i]);
		rc = back_instance(c, o, c->instances.v[i], err);
	}
	if (rc)
		return rc;
	lower_finish(&c->prog);
	if (long_key(c))
		return 1;
	rc = check_all(c, err);
	c->compile_ns = clock_mono_ns() - start;
	return rc ? rc : c->diags.n_errors ? 1 : 0;
}

static bool has_verifier(const struct compiled *c)
{
	for (u32 i = 0; i < c->n_engines; i++)
		if (c->engines[i]->followed)
			return true;
	return false;
}

/* What verifiers would follow for long is compiled again, to be followed easily. */
static int compile(struct compiled *c, const struct session_options *o, u32 max_strlen,
		   struct err *err)
{
	int rc = compile_once(c, o, max_strlen, NULL, err);
	u8 *compact;

	if (rc || !c->is_long || !has_verifier(c))
		return rc;
	compact = xcalloc(c->instances.n, 1);
	memcpy(compact, c->is_long, c->instances.n);
	compiled_release(c);
	rc = compile_once(c, o, max_strlen, compact, err);
	free(compact);
	return rc;
}

/* Once more with shorter strings where the kernel has no room for them in keys: two strings and two numbers fit,
 * four, eight. */
int session_compile(struct compiled *c, const struct session_options *o, struct err *err)
{
	static const u32 lengths[] = { 240, 112, 48 };
	int rc = compile(c, o, 0, err);
	u32 is = 1024;

	for (u32 i = 0; i < ARRAY_SIZE(lengths) && long_key(c) && c->env.config.max_strlen == is;
	     i++) {
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
