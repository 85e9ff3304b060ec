/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of probes for completion. Those of the kernel are cached: reading its functions takes tens
 * of milliseconds, and an editor sends a request for each letter. Those of files are read each
 * time.
 */
#include <stdlib.h>
#include "builtin/builtin.h"
#include "cli/front.h"
#include "cli/lsp/lsp.h"
#include "engine/kernel/kernel.h"
#include "session/system.h"

enum { MAX_NAMES = 1 << 18 };

static struct btf *list_btf(struct provider_env *env)
{
	return system_btf(&((struct front *)env->system.ctx)->system);
}

static int keep(void *ctx, const char *probe, const struct profile *profile)
{
	struct probe_names *n = ctx;

	vec_push(&n->arena, &n->v, arena_strdup(&n->arena, probe));
	return n->v.n >= MAX_NAMES;
}

static void read_names(struct probe_names *n, u32 missing)
{
	struct cli none = {
		.request = { .script.name = "", .script.text = "", .compile.any_kernel = true },
		.host = { .themes = builtin_themes }
	};
	struct provider_env env = { .system = { .features = kernel_features(), .btf = list_btf },
				    .request = &none.request,
				    .attach = { .prefer_raw = true } };
	struct buf pattern = { 0 };
	struct err err = { 0 };
	struct front f;

	buf_printf(&pattern, "%s*", n->family);
	while (missing--)
		buf_puts(&pattern, ":*");
	front_init(&f, &none);
	env.arena = &f.arena;
	env.system.ctx = &f;
	probes_list(&env, pattern.s, false, keep, n, &err);
	err_release(&err);
	provider_env_release(&env);
	front_release(&f);
	buf_release(&pattern);
}

static void forget(struct probe_names *n)
{
	arena_release(&n->arena);
	free(n);
}

const struct probe_names *lsp_names(struct lsp *l, const char *family, u32 missing)
{
	struct probe_names **at = &l->names, *n;

	for (; (n = *at); at = &n->next)
		if (streq(n->family, family)) {
			if (!strchr(family, '/'))
				return n;
			*at = n->next;
			forget(n);
			break;
		}
	n = xcalloc(1, sizeof *n);
	arena_init(&n->arena);
	n->family = arena_strdup(&n->arena, family);
	n->next = l->names;
	l->names = n;
	read_names(n, missing);
	return n;
}

void lsp_forget_names(struct lsp *l)
{
	for (struct probe_names *n; (n = l->names);) {
		l->names = n->next;
		forget(n);
	}
}
