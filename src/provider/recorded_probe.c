/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes of any kind over a recording that a script made (type/noted.h): its events have the name
 * of the probe and a field for each thing that the script read. In: "uprobe:bash:readline"; out:
 * the events of uprobe:/usr/bin/bash:readline.
 */
#include <stdio.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/tracefs.h"
#include "type/layout.h"

/* "libc" is libc.so.6 and libc-2.31.so, "bash" is /usr/bin/bash. */
static bool is_file(const char *pattern, const char *path)
{
	const char *name = base_name(path);
	size_t n = strlen(pattern);

	if (!*pattern || glob_match(pattern, path) || glob_match(pattern, name))
		return true;
	if (streq(base_name(pattern), name)) /* /bin is /usr/bin */
		return true;
	return starts_with(pattern, "lib") && !strncmp(name, pattern, n) && strchr(".-", name[n]);
}

static bool is_probe(struct provider_env *env, const struct spec *spec, const char *probe)
{
	struct spec *is = spec_split(env, probe);
	u32 n = spec->n_parts;

	if (provider_find(is->part[0]) != spec->provider)
		return false;
	if (streq(spec_name(env, spec), probe))
		return true;
	if (n < 2 || is->n_parts < 2 || !glob_match(spec->part[n - 1], is->part[is->n_parts - 1]))
		return false;
	return n == 2 || is->n_parts == 2 || is_file(spec->part[1], is->part[1]);
}

/* The attach point is the only one of the recorded clause, however it is spelled. */
static bool is_clause(const struct provider_env *env, const struct noted_reads *r)
{
	return r->script && r->script == env->script_id && r->clause == env->clause.number;
}

static bool matches(struct provider_env *env, const struct spec *spec, const struct noted_reads *r)
{
	if (is_clause(env, r) && env->clause.n_attaches == 1)
		return true;
	if (spec->provider->max_parts == 1) /* begin, end: those of this script */
		return is_clause(env, r) && streq(r->probe, spec->provider->name);
	return is_probe(env, spec, r->probe);
}

/* Each clause on a probe has its own events: chooses those of this clause, or of the one that reads
 * the most. */
static const struct noted_reads *choose(struct provider_env *env, const struct spec *spec)
{
	const struct recorded_kernel *k = env->system.recorded;
	const struct noted_reads *best = NULL;

	for (u32 i = 0; i < k->n; i++) {
		const struct noted_reads *r = k->noted[i];

		if (!r || !matches(env, spec, r))
			continue;
		if (is_clause(env, r))
			return r;
		if (k->script && k->script == env->script_id) /* the clause was not hit */
			continue;
		if (!best || r->n > best->n)
			best = r;
	}
	return best;
}

/* The type of bytes that have the same layout in the record as in a program; NULL: of others. */
static const struct type *type_of_bytes(struct provider_env *env, const char *text)
{
	u32 size;

	if (*text == NOTED_LAYOUT)
		return layout_parse(env->arena, text + 1);
	return sscanf(text, "buffer[%u]", &size) == 1 && size < 65536 ?
		       type_buffer(env->arena, size) :
		       NULL;
}

static void set_types(struct provider_env *env, struct profile *p, const struct noted_reads *r)
{
	for (u32 i = 0; i < r->n; i++) {
		struct arg_desc *arg = arg_find(&p->args, r->v[i].field);
		const struct type *t = arg ? type_of_bytes(env, r->v[i].type) : NULL;

		if (t && t->size <= arg->type->size &&
		    arg->loc.kind == (type_is_scalar(t) ? LOC_CTX : LOC_CTX_ADDR))
			arg->type = t;
	}
}

static struct profile *profile_of(struct provider_env *env, const struct spec *spec, u32 i)
{
	const struct recorded_kernel *k = env->system.recorded;
	struct profile *p = profile_new(env, PROFILE_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);

	p->default_space = spec->provider->bound_to_pid ? SPACE_USER : SPACE_KERNEL;
	format_args(env, p, k->v[i], false);
	set_types(env, p, k->noted[i]);
	p->noted = k->noted[i];
	p->func.is_known = k->noted[i]->func;
	return p;
}

bool recorded_probe_resolve(struct provider_env *env, const struct spec *spec, target_fn f,
			    void *ctx)
{
	const struct recorded_kernel *k = env->system.recorded;
	const struct noted_reads *of = choose(env, spec);
	struct targets ts = { 0 };

	for (u32 i = 0; of && i < k->n; i++) {
		const struct noted_reads *r = k->noted[i];
		struct target *t;

		if (!r || r->clause != of->clause || r->script != of->script ||
		    !matches(env, spec, r))
			continue;
		t = targets_add(env, &ts, SITE_PERF_TRACEPOINT, r->probe,
				profile_for_site(env, profile_of(env, spec, i), true, true));
		t->site.event.config = i;
		t->site.func = r->func;
	}
	if (of)
		targets_give(env, spec, &ts, NULL, f, ctx);
	/* begin and end may have no events */
	return of || (k->script == env->script_id && k->script && spec->provider->max_parts > 1);
}
