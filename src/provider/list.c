/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that matches a pattern. In: "tracepoint:sched:*", "*ware:*", "*openat*", a provider's
 * name, or "struct NAME"; out: names, with arguments if requested. A pattern without a colon is
 * matched against whole names, as if a bare word had "*" on both sides. Several attach points are
 * separated by commas, as in a script.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"
#include "sym/tracefs.h"

struct filter {
	const char *pattern; /* NULL: all */
	list_fn f;
	void *ctx;
	int n, stop;
};

static int give(void *ctx, const char *probe, const struct profile *p)
{
	struct filter *fl = ctx;

	if (fl->pattern && !glob_match(fl->pattern, probe))
		return 0;
	fl->n++;
	return fl->stop = fl->f(fl->ctx, probe, p);
}

/* ---- the names of one provider, in order */

struct found {
	const char *probe;
	const struct profile *profile;
};

struct ordered {
	struct arena *arena;
	VEC(struct found) all;
};

static int keep(void *ctx, const char *probe, const struct profile *p)
{
	struct ordered *o = ctx;

	vec_push(o->arena, &o->all, ((struct found){ arena_strdup(o->arena, probe), p }));
	return 0;
}

static int by_probe(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->probe, ((const struct found *)b)->probe);
}

static void give_ordered(struct ordered *o, struct filter *fl)
{
	if (o->all.n)
		qsort(o->all.v, o->all.n, sizeof *o->all.v, by_probe);
	for (u32 i = 0; i < o->all.n && !fl->stop; i++)
		give(fl, o->all.v[i].probe, o->all.v[i].profile);
}

static int list_provider(struct provider_env *env, const struct provider *p,
			 const struct spec *from, bool verbose, struct filter *fl)
{
	struct spec spec = *from;
	struct arena names, *kept = env->arena;
	struct ordered found = { .arena = &names };
	int ret;

	spec.provider = p;
	env_btf(env);       /* opened now, because it outlives the names */
	arena_init(&names); /* for one provider: freed after printing */
	env->arena = &names;
	ret = p->list(env, &spec, verbose, keep, &found);
	env->arena = kept;
	give_ordered(&found, fl);
	arena_release(&names);
	return ret;
}

/* Whether the spec's first part means the provider; in any case, as an alias or pattern. */
static bool is_meant(const struct provider *p, const char *name)
{
	char *lower;
	bool yes;

	if (!glob_has_wildcard(name))
		return provider_find(name) == p;
	lower = xstrdup(name);
	for (char *s = lower; *s; s++)
		*s = (char)(*s >= 'A' && *s <= 'Z' ? *s | 32 : *s);
	yes = glob_match(lower, p->name);
	free(lower);
	return yes;
}

/* "sched:*", as perf names trace events. */
static const char *as_tracepoint(struct provider_env *env, const char *pattern)
{
	const char *system = arena_strndup(env->arena, pattern, strcspn(pattern, ":"));
	struct err err = { 0 };
	const char **names;
	u32 n;

	if (!glob_has_wildcard(system) && !provider_find(system) &&
	    tracefs_events(env->arena, system, &names, &n, &err) >= 0)
		pattern = arena_printf(env->arena, "tracepoint:%s", pattern);
	err_release(&err);
	return pattern;
}

static int list_spec(struct provider_env *env, const char *pattern, bool verbose, struct filter *fl,
		     struct err *err)
{
	struct spec *spec = spec_split(env, as_tracepoint(env, pattern));

	if (!glob_has_wildcard(spec->part[0]) && !provider_find(spec->part[0])) {
		const char *near = provider_near(spec->part[0]);

		err_set(err, -EINVAL, "unknown probe type \"%s\"", spec->part[0]);
		if (near)
			err_help(err, "did you mean \"%s\"?", near);
		return -EINVAL;
	}
	for (u32 i = 0; providers[i] && !fl->stop; i++)
		if (is_meant(providers[i], spec->part[0]))
			list_provider(env, providers[i], spec, verbose, fl);
	return fl->n;
}

static int list_word(struct provider_env *env, const char *pattern, bool verbose, struct filter *fl)
{
	struct spec all = { .part = { "*" }, .n_parts = 1, .text = "*" };

	if (!streq(pattern, "*"))
		fl->pattern = glob_has_wildcard(pattern) ?
				      pattern :
				      arena_printf(env->arena, "*%s*", pattern);
	for (u32 i = 0; providers[i] && !fl->stop; i++)
		list_provider(env, providers[i], &all, verbose, fl);
	return fl->n;
}

/* ---- "struct NAME", "union NAME", "enum NAME" */

static u8 type_tag(const char **pattern)
{
	static const char *const words[] = { "struct ", "union ", "enum " };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (starts_with(*pattern, words[i])) {
			*pattern += strlen(words[i]);
			*pattern += strspn(*pattern, " ");
			return (u8)words[i][0];
		}
	return 0;
}

struct types {
	struct provider_env *env;
	struct btf *btf;
	struct filter *fl;
	const char *pattern, *word, *module;
	u32 kind; /* BTF_KIND_* */
	u8 tag;
	bool verbose;
};

static bool list_type(void *ctx, const char *name, u32 id)
{
	struct types *ts = ctx;
	struct arena *a = ts->env->arena;
	const char *text;

	if (!glob_match(ts->pattern, name))
		return true;
	text = ts->verbose ?
		       arena_printf(a, "%s: %s\n", ts->module, btf_definition(a, ts->btf, id)) :
		       arena_printf(a, "%s %s", ts->word, name);
	give(ts->fl, text, NULL);
	return !ts->fl->stop;
}

/* Exact names are looked up in modules only if the kernel itself has none. */
static bool list_module(void *ctx, struct module_btf *mod)
{
	struct types *ts = ctx;
	const struct type *t;

	ts->btf = mod->btf;
	ts->module = mod->module;
	if (glob_has_wildcard(ts->pattern)) {
		btf_each(ts->btf, ts->kind, list_type, ts);
		return !ts->fl->stop;
	}
	t = btf_find_own(ts->btf, ts->pattern, ts->kind) ?
		    btf_type_by_name(ts->btf, ts->tag, ts->pattern) :
		    NULL;
	if (t)
		list_type(ts, ts->pattern, t->origin_id);
	return !t;
}

static int list_types(struct provider_env *env, u8 tag, const char *pattern, bool verbose,
		      struct filter *fl, struct err *err)
{
	struct types ts = {
		.env = env, .fl = fl, .pattern = pattern, .tag = tag, .verbose = verbose
	};

	ts.kind = tag == 's' ? BTF_KIND_STRUCT : tag == 'u' ? BTF_KIND_UNION : BTF_KIND_ENUM;
	ts.word = tag == 's' ? "struct" : tag == 'u' ? "union" : "enum";
	if (!env_btf(env))
		return err_set(err, -EOPNOTSUPP, "this kernel has no type information (BTF)");
	module_btf_each(env, "*", list_module, &ts);
	return fl->n;
}

/* The comma after which another attach point begins, or NULL: "kprobe:a,kprobe:b", but
 * "uprobe:/opt/a,b:main". */
static const char *next_attach(const char *pattern)
{
	bool quoted = false;

	for (const char *p = pattern; *p; p++) {
		quoted ^= *p == '"';
		if (*p != ',' || quoted)
			continue;

		const char *word = p + 1 + strspn(p + 1, " ");
		size_t len = strcspn(word, ":,/");
		char name[32] = "";

		memcpy(name, word, MIN(len, sizeof name - 1));
		if (word[len] != '/' && (glob_has_wildcard(name) || provider_find(name)))
			return p;
	}
	return NULL;
}

/* "struct a,union b": a list each. */
static int list_type_names(struct provider_env *env, const char *pattern, bool verbose,
			   struct filter *fl, struct err *err)
{
	int ret = 0;

	while (*pattern && !fl->stop && ret >= 0) {
		size_t len = strcspn(pattern, ",");
		const char *one = arena_strndup(env->arena, pattern, len);
		u8 tag = type_tag(&one);

		if (!tag)
			return err_set(
				err, -EINVAL,
				"\"%s\" is not a type: write struct, union or enum and a name",
				one);
		ret = list_types(env, tag, one, verbose, fl, err);
		pattern += len + (pattern[len] == ',');
		pattern += strspn(pattern, " ");
	}
	return ret;
}

static int list_attaches(struct provider_env *env, const char *pattern, bool verbose,
			 struct filter *fl, struct err *err)
{
	for (const char *comma; (comma = next_attach(pattern)) && !fl->stop;
	     pattern = comma + 1 + strspn(comma + 1, " ")) {
		int ret = list_spec(env,
				    arena_strndup(env->arena, pattern, (size_t)(comma - pattern)),
				    verbose, fl, err);

		if (ret < 0)
			return ret;
	}
	return fl->stop ? fl->n : list_spec(env, pattern, verbose, fl, err);
}

int probes_list(struct provider_env *env, const char *pattern, bool verbose, list_fn f, void *ctx,
		struct err *err)
{
	struct filter fl = { .f = f, .ctx = ctx };
	const char *name = pattern;

	env->diags = NULL;
	if (!pattern || !*pattern)
		return list_word(env, "*", verbose, &fl);
	if (type_tag(&name))
		return list_type_names(env, pattern, verbose, &fl, err);
	if (strchr(pattern, ':') || provider_find(pattern))
		return list_attaches(env, pattern, verbose, &fl, err);
	return list_word(env, pattern, verbose, &fl);
}
