/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compilation's worth of environment for providers, and targets collected for looking at. */
#ifndef TESTS_UNIT_PROVIDER_FIXTURE_H
#define TESTS_UNIT_PROVIDER_FIXTURE_H

#include "provider/internal.h"
#include "tap.h"

struct fixture {
	struct arena arena;
	struct sources sources;
	struct diags diags;
	struct provider_env env;
	struct request request;
	struct target *target[64];
	int n;
};

static inline void fixture_init(struct fixture *x)
{
	memset(x, 0, sizeof *x);
	arena_init(&x->arena);
	sources_init(&x->sources, &x->arena);
	diags_init(&x->diags, &x->arena, &x->sources);
	x->env = (struct provider_env){ .arena = &x->arena,
					.diags = &x->diags,
					.request = &x->request,
					.attach = { .prefer_raw = true } };
}

static inline void fixture_release(struct fixture *x)
{
	provider_env_release(&x->env);
	arena_release(&x->arena);
}

static inline struct spec *parse(struct fixture *x, const char *text)
{
	struct source *s = sources_add(&x->sources, "test", text, strlen(text));
	struct attach *a = arena_new(&x->arena, struct attach);

	a->text = s->text;
	a->span = (struct span){ s->base, s->len };
	x->diags.list.n = x->diags.n_errors = x->diags.n_warnings = 0;
	return spec_parse(&x->env, a);
}

static inline int keep_target(void *ctx, struct target *t)
{
	struct fixture *x = ctx;

	if (x->n < (int)ARRAY_SIZE(x->target))
		x->target[x->n] = t;
	x->n++;
	return 0;
}

static inline int resolve(struct fixture *x, const char *text)
{
	struct spec *spec = parse(x, text);

	x->n = 0;
	x->target[0] = NULL;
	return spec ? spec->provider->resolve(&x->env, spec, keep_target, x) : -1;
}

/* The last diagnostic's name, or "". */
static inline const char *said(const struct fixture *x)
{
	return x->diags.list.n ? diag_rows[x->diags.list.v[x->diags.list.n - 1]->id].name : "";
}

static inline const char *hint(const struct fixture *x)
{
	const struct diag *d = x->diags.list.n ? x->diags.list.v[x->diags.list.n - 1] : NULL;

	return d && d->help.n ? d->help.v[0] : "";
}

static inline const struct arg_desc *arg(const struct profile *p, const char *name)
{
	for (u32 i = 0; i < p->args.n; i++)
		if (streq(p->args.v[i].name, name))
			return &p->args.v[i];
	return NULL;
}

#endif
