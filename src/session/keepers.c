/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps arguments of system calls that are gone at the return (execve): a clause on the entry
 * stores them in a map, and the clause on the return reads them from it (profile.kept).
 */
#include <linux/bpf.h>
#include "session/compile.h"

enum {
	KEPT = 1024
}; /* calls in progress: the oldest make room, since a killed one never returns */

static bool is_kept_already(const struct compiled *c, u32 n, const char *map)
{
	for (u32 i = 0; i < n; i++) {
		const char *kept = c->instances.v[i]->profile->kept.map;

		if (kept && streq(kept, map))
			return true;
	}
	return false;
}

static bool put_span(struct node *n, void *span)
{
	n->span = *(const struct span *)span;
	return true;
}

/* What it cannot read is reported at the clause that reads it. */
static void blame(struct clause *keeper, struct span span)
{
	keeper->span = span;
	ast_walk(keeper->body, put_span, &span);
	for (struct attach *a = keeper->attaches; a; a = a->next)
		a->span = span;
}

static void add_keeper(struct compiled *c, const struct instance *in)
{
	const struct profile *p = in->profile;
	const char *name = interns(&c->names, arena_printf(&c->arena, "@%s", p->kept.map));
	struct source *src =
		sources_add(&c->sources, "<entry>", p->kept.clause, strlen(p->kept.clause));
	struct clause *last = c->lang.script->clauses;
	struct map *m = arena_new(&c->arena, struct map);

	*m = (struct map){ .name = name,
			   .key = &ty_unknown,
			   .value = &ty_unknown,
			   .has_decl = true,
			   .is_internal = true,
			   .decl_kind = BPF_MAP_TYPE_LRU_HASH,
			   .max_entries = KEPT };
	hash_puts(&c->lang.maps, name, m);
	vec_push(&c->arena, &c->lang.map_list, m);
	while (last->next)
		last = last->next;
	if (!parse_script(&c->lang, src))
		BUG("the clause that keeps arguments does not parse");
	blame(last->next, in->clause->span);
	resolve_clause(c, last->next, true);
}

void keepers_add(struct compiled *c)
{
	for (u32 i = 0, n = c->instances.n; i < n; i++) {
		const char *kept = c->instances.v[i]->profile->kept.map;

		if (kept && !is_kept_already(c, i, kept))
			add_keeper(c, c->instances.v[i]);
	}
}
