/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fentry:bpf:PROGRAM, fentry:bpf:ID:PROGRAM and fexit: entry and return of BPF programs loaded by
 * others (kernel/bpf/verifier.c, bpf_check_attach_target with a target program). A program's full
 * name and its function's type are in the BTF with which it was loaded; programs without BTF cannot
 * be traced.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/glob.h"
#include "provider/internal.h"
#include "sym/bpfprogs.h"
#include "sym/btf.h"

struct match {
	struct provider_env *env;
	const char *id, *pattern; /* patterns */
	bool is_return;
	struct targets ts;
	list_fn list;
	void *ctx;
};

/* The name of the program's function, or NULL: it does not match. */
static const char *name_of(struct match *m, u32 id, const struct bpf_prog_types *types)
{
	struct err err = { 0 };
	struct btf *btf = btf_from_bytes(m->env->arena, types->bytes, types->len, NULL, &err);
	const char *name = NULL;

	if (btf && glob_match(m->pattern, btf_name(btf, types->func_type)))
		name = arena_strdup(m->env->arena, btf_name(btf, types->func_type));
	btf_close(btf);
	err_release(&err);
	return name;
}

static const char *site_name(struct match *m, u32 id, const char *name)
{
	return arena_printf(m->env->arena, "%s:bpf:%u:%s", m->is_return ? "fexit" : "fentry", id,
			    name);
}

static void add(struct match *m, u32 id, const char *name, u32 func_type)
{
	struct profile *p = profile_new(m->env, PROFILE_BTF, BPF_PROG_TYPE_TRACING);
	struct target *t;

	p->load.attach_type = m->is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
	p->load.btf_id = func_type;
	p->load.bpf_prog = id;
	p->func.is_return = m->is_return;
	t = targets_add(m->env, &m->ts, SITE_TRAMPOLINE, site_name(m, id, name),
			profile_for_site(m->env, p, false, false));
	t->site.kernel.symbol = t->site.func = name;
}

static int match_one(void *ctx, u32 id)
{
	struct match *m = ctx;
	struct bpf_prog_types types = { 0 };
	const char *name;
	int ret = 0;

	if (!glob_match(m->id, arena_printf(m->env->arena, "%u", id)) ||
	    !bpf_prog_types(id, &types))
		return 0;
	name = name_of(m, id, &types);
	if (name && m->list)
		ret = m->list(m->ctx, site_name(m, id, name), NULL);
	else if (name)
		add(m, id, name, types.func_type);
	free(types.bytes);
	return ret;
}

int bpfprog_resolve(struct provider_env *env, const struct spec *spec, bool is_return, target_fn f,
		    void *ctx)
{
	struct match m = { .env = env,
			   .is_return = is_return,
			   .id = spec->n_parts > 3 ? spec->part[2] : "*",
			   .pattern = spec->part[spec->n_parts - 1] };
	int ret = bpf_progs_each(match_one, &m);

	if (ret < 0) {
		struct err err = { 0 };

		err_set(&err, ret, "the kernel does not show its BPF programs");
		err_help(&err, "needs CAP_SYS_ADMIN");
		return probe_refused(env, spec, &err);
	}
	return targets_give(env, spec, &m.ts, NULL, f, ctx);
}

int bpfprog_list(struct provider_env *env, const struct spec *spec, bool is_return, list_fn f,
		 void *ctx)
{
	struct match m = { .env = env,
			   .is_return = is_return,
			   .list = f,
			   .ctx = ctx,
			   .id = spec->n_parts > 3 ? spec_pattern(spec, 2) : "*",
			   .pattern = spec_pattern(spec, spec->n_parts - 1) };
	int ret = bpf_progs_each(match_one, &m);

	return ret < 0 ? 0 : ret;
}
