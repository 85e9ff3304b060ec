/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles text to a program: the stages of the whole compiler, in their order. Clauses are
 * resolved to targets and instances (resolve.c); each instance is checked, lowered and emitted
 * once.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/crc32.h"
#include "builtin/builtin.h"
#include "ir/lower.h"
#include "session/choose.h"
#include "session/filter.h"
#include "session/reading.h"
#include "session/system.h"
#include "session/compile.h"
#include "session/import.h"
#include "object/debuginfod.h"
#include "target/target.h"
#include "type/noted.h"

/* ---- setting up */

static enum feature_answer any_feature(struct features *f, enum feature id)
{
	return FEATURE_YES;
}

static struct features *all_features(void)
{
	static struct features f = { .probe = any_feature };

	return &f;
}

/* Of the script and its parameters: what is bound to a script is found again by the same one. */
static u32 script_id(const struct script_source *s)
{
	struct buf b = { 0 };
	u32 id;

	buf_add(&b, s->text, s->len);
	for (u32 i = 0; i < s->n_params; i++)
		buf_printf(&b, "\n%s", s->params[i]);
	for (u32 i = 0; i < s->n_named; i++)
		buf_printf(&b, "\n--%s=%s", s->named[i].name,
			   s->named[i].value ? s->named[i].value : "");
	id = crc32_of(b.s, b.len);
	buf_release(&b);
	return id ? id : 1;
}

/* max_strlen: the default, unless 0. */
static void compiled_init(struct compiled *c, u32 max_strlen)
{
	const struct request *q = c->request;
	struct env *env = &c->env;

	*c = (struct compiled){ .request = q, .host = c->host, .attempt = c->attempt };
	arena_init(&c->arena);
	arena_init(&c->scratch);
	arena_init(&c->ir);
	intern_init(&c->names);
	sources_init(&c->sources, &c->arena);
	diags_init(&c->diags, &c->arena, &c->sources);
	c->diags.no_warnings = q->compile.no_warnings;
	system_init(&c->system, &c->arena);
	config_defaults(&env->config);
	if (max_strlen)
		env->config.max_strlen = max_strlen;
	env->request = q;
	env->themes = c->host->themes;
	choose_init(c);
	if (q->compile.any_kernel)
		c->features = env->features = all_features();
	env->clock_map = getenv("BPFTRACE_DUMMY_TS_MAP");
	env->named_used = arena_array(&c->arena, bool, q->script.n_named + 1);
	env->noting = q->noting;
	if (q->noting)
		q->noting->n = 0;
	env->script_id = q->noting || q->from.file ? script_id(&q->script) : 0;
	if (q->noting)
		q->noting->script = env->script_id;
	env->read_import = c->host->read_import ? c->host->read_import : import_read;
	system_world(&c->system, &env->world);
	env_init(env);
	lang_init(&c->lang, &c->arena, &c->names, &c->sources, &c->diags, env);
	c->prog = (struct program){ .arena = &c->arena,
				    .scratch = &c->scratch,
				    .sources = &c->sources,
				    .data_map = NO_INDEX,
				    .ring_map = NO_INDEX,
				    .scratch_map = NO_INDEX,
				    .huge_scratch_map = NO_INDEX };
	c->follow_map = NO_INDEX;
	c->walks.arena = &c->arena;
}

void compiled_release(struct compiled *c)
{
	hash_release(&c->site_numbers);
	hash_release(&c->probe_owners);
	hash_release(&c->env.noted_texts);
	if (c->filter)
		regfree(c->filter);
	lang_release(&c->lang);
	env_release(&c->env);
	system_release(&c->system);
	intern_release(&c->names);
	arena_release(&c->ir);
	arena_release(&c->scratch);
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

/* begin, end, interval and self. */
static bool runs_by_itself(const struct site *s)
{
	return s->kind == SITE_ONCE || s->kind == SITE_SIGNAL ||
	       (s->kind == SITE_PERF_TIMER && s->event.one_cpu);
}

/* Where missing probes are ignored, a script that sees nothing would end as if nothing had
 * happened. */
static void tell_nothing_left(struct compiled *c)
{
	const struct attach *missing;

	if (!c->unseen.n || !c->sites.n /* an error of its own */ || c->deferred.n || c->recorded ||
	    c->left_out || c->diags.n_errors || c->request->compile.any_kernel ||
	    c->request->probes.filter || c->env.config.missing_probes != MISSING_IGNORE)
		return;
	for (u32 i = 0; i < c->sites.n; i++)
		if (!runs_by_itself(&c->sites.v[i].site))
			return;
	missing = c->unseen.v[0]->clause->attaches;
	diag_help(&c->diags, diag_report(&c->diags, missing->span, D_NOTHING_LEFT),
		  "the reason, if %s should be here: sonde -e '%s { }'", missing->text,
		  missing->text);
}

static void check(struct compiled *c)
{
	VEC(struct instance *) all = { 0 };

	for (u32 i = 0; i < c->instances.n; i++)
		vec_push(&c->arena, &all, c->instances.v[i]);
	for (u32 i = 0; i < c->unseen.n; i++)
		vec_push(&c->arena, &all, c->unseen.v[i]);
	lang_check(&c->lang, all.v, all.n);
}

/* ---- a sample of many instances */

enum { MANY_INSTANCES = 32, SAMPLED_TEXT = 4 << 10 };

/* Of arguments; strings count for more, because their code has more branches. */
static u32 weight_of(const struct instance *in)
{
	u32 n = in->profile->args.n;

	for (u32 i = 0; i < in->profile->args.n; i++)
		n += 4 * (in->profile->args.v[i].type->kind == TY_POINTER);
	return n;
}

/* Drops the sites of all but the first `kept` instances, which are numbered anew. */
static void keep_sites(struct compiled *c, u32 kept)
{
	u32 *number = arena_array(&c->scratch, u32, c->instances.n), n = 0;

	for (u32 i = 0; i < kept; i++)
		number[c->instances.v[i]->index] = i + 1;
	for (u32 i = 0; i < c->sites.n; i++) {
		u32 func = number[c->sites.v[i].func];

		if (func) {
			c->sites.v[n] = c->sites.v[i];
			c->sites.v[n++].func = func - 1;
		}
	}
	c->sites.n = n;
}

/* The instances of each clause become the one with the most arguments, if there are many. */
static void keep_largest(struct compiled *c)
{
	bool many = c->instances.n >= MANY_INSTANCES;
	u32 kept = 0;

	for (u32 i = 0; i < c->instances.n; i++) {
		struct instance *in = c->instances.v[i], **last = &c->instances.v[kept - !!kept];

		if (!many || !kept || (*last)->clause != in->clause)
			c->instances.v[kept++] = in;
		else if (weight_of(*last) < weight_of(in))
			*last = in;
	}
	c->is_sample = kept < c->instances.n;
	keep_sites(c, kept);
	c->instances.n = kept;
	for (u32 i = 0; i < kept; i++) {
		c->instances.v[i]->index = i;
		instance_init(&c->lang, c->instances.v[i], c->instances.v[i]->clause);
	}
}

static bool is_too_big(const struct diags *d)
{
	for (u32 i = 0; i < d->list.n; i++)
		switch ((int)d->list.v[i]->id) {
		case D_TOO_MANY_BRANCHES:
		case D_TOO_MANY_MAPS:
		case D_TOO_MANY_INSNS:
		case D_TOO_MANY_LOOPS: return true;
		}
	return false;
}

static bool front(struct compiled *c)
{
	const struct request *q = c->request;
	struct source *src =
		sources_add(&c->sources, q->script.name, q->script.text, q->script.len);

	src->is_generated = q->script.is_of_command;

	if (!parse_script(&c->lang, src) || !where_add(c, q->traced.where) ||
	    !lang_prepare(&c->lang))
		return false;
	reading_of_script(c);
	debuginfod_allow(true);
	c->has_no_code = c->attempt.sample;
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		resolve_clause(c, cl, false);
	count_probes(c);
	tell_nothing_left(c);
	c->has_no_code = false;
	if (c->attempt.sample)
		keep_largest(c);
	keepers_add(c);
	if (follow_has_set(c))
		follow_add_clauses(c);
	for (u32 i = 0; i < c->instances.n; i++)
		compat_fill(c, c->instances.v[i]->profile);
	pair_instances(c);
	check(c);
	debuginfod_allow(false);
	if (!c->diags.n_errors)
		builtin_check_options(&c->env, &c->diags);
	return !c->diags.n_errors;
}

static int check_all(struct compiled *c, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < c->prog.funcs.n && !ret; i++)
		ret = instance_verify(c, c->instances.v[i], err);
	return ret;
}

int session_status(const struct compiled *c, int ret)
{
	if (ret < 0 || diags_are_refusals(&c->diags))
		return STATUS_REFUSED;
	return ret || c->diags.n_errors ? STATUS_WRONG : 0;
}

static int make_filter(struct compiled *c, struct err *err)
{
	regex_t *filter = arena_new(&c->arena, regex_t);
	int ret = probe_filter_make(filter, c->request->probes.filter, err);

	c->filter = ret ? NULL : filter;
	return ret;
}

/* compact: by instance, or NULL. */
static int compile_once(struct compiled *c, u32 max_strlen, const u8 *compact, struct err *err)
{
	u64 start = clock_mono_ns();
	int ret = 0;

	compiled_init(c, max_strlen);
	if (c->request->probes.filter && (ret = make_filter(c, err)) < 0)
		return ret;
	if (!front(c) ||
	    (c->request->compile.dump && !(c->request->compile.dump & ~(u32)STAGE_AST)))
		return c->diags.n_errors ? 1 : 0;
	if (c->env.unchecked)
		return 0;
	if ((ret = choose_engines(c, err)) < 0)
		return ret;
	kernel_filters_set(c);
	follow_bind_set(c);
	dispatch_instances(c);
	chain_instances(c);
	if (c->diags.n_errors)
		return 1;
	guard_instances(c);
	c->prog.whole_bodies = c->request->compile.dump & STAGE_IR || c->engines[0]->lacks;
	for (u32 i = 0; i < c->instances.n && !ret; i++) {
		c->instances.v[i]->compact = c->attempt.compact || (compact && compact[i]);
		c->instances.v[i]->no_direct_loads = c->attempt.no_direct_loads;
		ret = emit_instance(c, c->instances.v[i], err);
	}
	if (ret)
		return ret;
	if (c->n_engines > 1 &&
	    (ret = choose_engines(c, err)) < 0) /* by what the functions do, too */
		return ret;
	lower_finish(&c->prog);
	if (long_key(c))
		return 1;
	ret = check_all(c, err);
	c->compile_ns = clock_mono_ns() - start;
	return ret ? ret : c->diags.n_errors ? 1 : 0;
}

static bool has_verifier(const struct compiled *c)
{
	for (u32 i = 0; i < c->n_engines; i++)
		if (c->engines[i]->followed)
			return true;
	return false;
}

/*
 * A long script on many probes takes long to compile: of one that is refused because a probe is too
 * big, a sample of the probes shows that at once.
 */
static int compile_sampled(struct compiled *c, u32 max_strlen, struct err *err)
{
	struct err failed = { 0 };
	int ret;

	if (c->request->script.len < SAMPLED_TEXT)
		return compile_once(c, max_strlen, NULL, err);
	c->attempt.sample = true;
	ret = compile_once(c, max_strlen, NULL, &failed);
	c->attempt.sample = false;
	if (!c->is_sample)
		*err = failed;
	if (!c->is_sample || is_too_big(&c->diags))
		return ret;
	err_release(&failed);
	compiled_release(c);
	return compile_once(c, max_strlen, NULL, err);
}

/* A program that is expensive to verify is compiled again in the compact form. */
static int compile(struct compiled *c, u32 max_strlen, struct err *err)
{
	int ret = compile_sampled(c, max_strlen, err);
	u8 *compact;

	if (ret || !c->is_long || !has_verifier(c))
		return ret;
	compact = xcalloc(c->instances.n, 1);
	memcpy(compact, c->is_long, c->instances.n);
	compiled_release(c);
	ret = compile_once(c, max_strlen, compact, err);
	free(compact);
	return ret;
}

/* Once more with shorter strings where the kernel has no room for them in keys: two strings and two
 * numbers fit, four, eight. */
static int compile_cut(struct compiled *c, struct err *err)
{
	static const u32 lengths[] = { 240, 112, 48 };
	int ret = compile(c, 0, err);
	u32 is = 1024;

	for (u32 i = 0; i < ARRAY_SIZE(lengths) && long_key(c) && c->env.config.max_strlen == is;
	     i++) {
		struct span span = long_key(c)->span;

		is = lengths[i];
		compiled_release(c);
		ret = compile(c, is, err);
		diag_report(&c->diags, span, D_STRINGS_CUT, is, LONG_KEY);
	}
	if (long_key(c))
		refuse_long_keys(c);
	return ret;
}

int session_compile_again(struct compiled *c, const struct request *q, const struct session_host *h,
			  struct attempt attempt, struct err *err)
{
	c->request = q;
	c->host = h;
	c->attempt = attempt;
	return compile_cut(c, err);
}

int session_compile(struct compiled *c, const struct request *q, const struct session_host *h,
		    struct err *err)
{
	return session_compile_again(c, q, h, (struct attempt){ 0 }, err);
}
