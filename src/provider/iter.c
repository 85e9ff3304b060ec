/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iter:NAME[:PIN]: a program that the kernel runs for each of its objects (tasks, files, maps) when
 * the iterator is read. They exist as kernel functions bpf_iter_NAME; the context is struct
 * bpf_iter__NAME (kernel/bpf/bpf_iter.c).
 */
#include <errno.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/btf.h"

#define FUNC "bpf_iter_"
#define CONTEXT "bpf_iter__"

static void add_args(struct provider_env *env, struct profile *p, const struct type *t)
{
	type_complete(t);
	p->args.v = arena_array(env->arena, struct arg_desc, t->n_fields);
	p->record.name = arena_printf(env->arena, "struct %s", t->name ? t->name : "bpf_iter");
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];
		const struct type *ft = f->type;
		const char *name = f->name;

		/* Members are unions of one pointer each, for alignment: __bpf_md_ptr(). */
		if (ft->kind == TY_STRUCT && ft->is_union && !*name) {
			type_complete(ft);
			if (!ft->n_fields)
				continue;
			name = ft->fields[0].name;
			ft = ft->fields[0].type;
		}
		if (!type_is_scalar(ft))
			continue;
		p->args.v[p->args.n++] = (struct arg_desc){
			.name = name,
			.type = ft,
			.text = declaration_text(env->arena, ft, name),
			.loc = { .kind = LOC_CTX,
				 .offset = f->offset,
				 .size = (u8)ft->size,
				 .nullable = ft->kind == TY_POINTER,
				 .known = ft->kind == TY_POINTER && ft->elem->kind == TY_STRUCT,
				 .is_signed = ft->is_signed }
		};
	}
}

/* Objects of a process are filtered by its task for -p and --follow; others belong to
 * no process. */
static void find_owner(struct profile *p)
{
	for (u32 i = 0; i < p->args.n; i++) {
		const struct type *t = p->args.v[i].type;
		const struct field *f;
		u32 offset = 0;

		if (t->kind != TY_POINTER || !t->elem->name || !streq(t->elem->name, "task_struct"))
			continue;
		f = type_field(t->elem, "tgid", &offset);
		if (!f)
			continue;
		p->iterator.owner = &p->args.v[i];
		p->iterator.owner_tgid = offset;
		return;
	}
}

static struct profile *new_profile(struct provider_env *env, struct btf *btf, const char *name)
{
	const struct type *t =
		btf_type_by_name(btf, 's', arena_printf(env->arena, CONTEXT "%s", name));
	u32 id = btf_find(btf, arena_printf(env->arena, FUNC "%s", name), BTF_KIND_FUNC);
	struct profile *p;

	if (!t || !id)
		return NULL;
	p = profile_new(env, PROFILE_ITER, BPF_PROG_TYPE_TRACING);
	p->load.attach_type = BPF_TRACE_ITER;
	p->load.btf_id = id;
	p->may_be_null = true;
	p->d_path = env_has(env, FEAT_ITER_PATH, true);
	add_args(env, p, t);
	find_owner(p);
	return p;
}

struct each {
	struct provider_env *env;
	struct btf *btf;
	const char *pattern;
	struct near near;
	list_fn f;
	void *ctx;
	bool verbose;
	int ret;
};

static bool near_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;

	if (starts_with(name, CONTEXT))
		near_try(&e->near, name + strlen(CONTEXT));
	return true;
}

static bool list_one(void *ctx, const char *name, u32 id)
{
	struct each *e = ctx;
	struct profile *p;

	if (!starts_with(name, CONTEXT) || !glob_match(e->pattern, name + strlen(CONTEXT)))
		return true;
	name += strlen(CONTEXT);
	p = new_profile(e->env, e->btf, name);
	if (p)
		e->ret = e->f(e->ctx, arena_printf(e->env->arena, "iter:%s", name),
			      e->verbose ? p : NULL);
	return !e->ret;
}

/* The path of the pinned iterator: absolute, or below the BPF file system. */
static const char *pin_path(struct provider_env *env, const char *pin)
{
	return *pin == '/' ? pin : arena_printf(env->arena, "/sys/fs/bpf/%s", pin);
}

static int resolve(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx)
{
	struct each e = { .env = env, .btf = env_btf(env) };
	struct targets ts = { 0 };
	struct profile *p;
	struct target *t;
	struct diag *d;
	const char *near;

	if (spec_has_wildcard(spec, 1)) {
		probe_report(env, spec, D_ITER_WILDCARD);
		return -EINVAL;
	}
	if (!e.btf) {
		probe_untyped(env, spec);
		return -EOPNOTSUPP;
	}
	if (!env_has(env, FEAT_ITER, true))
		return probe_lacks(env, spec, "iterators", NULL);
	p = new_profile(env, e.btf, spec->part[1]);
	if (p) {
		p->iterator.pinned = spec->n_parts > 2;
		t = targets_add(env, &ts, SITE_ITER,
				arena_printf(env->arena, "iter:%s", spec->part[1]),
				profile_for_site(env, p, false, false));
		t->site.pin = spec->n_parts > 2 ? pin_path(env, spec->part[2]) : NULL;
		return targets_give(env, spec, &ts, NULL, f, ctx);
	}
	near_init(&e.near, spec->part[1]);
	btf_each(e.btf, BTF_KIND_STRUCT, near_one, &e);
	near = near_best(&e.near);
	d = env->request->compile.any_kernel ?
		    probe_report(env, spec, D_NOT_HERE, spec->text) :
		    probe_report(env, spec, D_NO_ITERATOR, spec->part[1]);
	if (near)
		probe_help(env, d, "did you mean iter:%s?", near);
	return env->request->compile.any_kernel ? 0 : -ENOENT;
}

static int list(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		void *ctx)
{
	struct each e = { .env = env,
			  .btf = env_btf(env),
			  .pattern = spec_pattern(spec, 1),
			  .f = f,
			  .ctx = ctx,
			  .verbose = verbose };

	if (e.btf)
		btf_each(e.btf, BTF_KIND_STRUCT, list_one, &e);
	return e.ret;
}

const struct provider provider_iter = {
	.name = "iter",
	.aliases = "it",
	.syntax = "iter:OBJECT[:PIN]",
	.brief = "every task, file or other kernel object",
	.doc = "Runs once for each object; a script with only iterators ends after them. -p and "
	       "--follow select the tasks, files and mappings of those processes; objects that "
	       "belong to no process are always included. With PIN (a name below /sys/fs/bpf, or "
	       "a path) the iterator is pinned as a file; reading it gives the output of printf().",
	.example = "iter:task { printf(\"%s\\n\", args.task.comm); }",
	.work = "true",
	.output = "true",
	.min_parts = 2,
	.max_parts = 3,
	.takes = "1 or 2",
	.empty = "iter should specify a iterator's name",
	.feature = FEAT_ITER + 1,
	.resolve = resolve,
	.list = list,
};
