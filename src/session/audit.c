/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: a compiled script. Out: what it can read, change and cost at worst. Effects and instructions
 * are read from the programs (target/effects.c, target_cost()), so a script cannot hide any.
 */
#include <unistd.h>
#include "builtin/builtin.h"
#include "session/audit.h"
#include "target/target.h"

static bool is_inside(struct span s, struct span whole)
{
	return s.off >= whole.off && s.off + s.len <= whole.off + whole.len;
}

/* All records that the statements of a clause can make, each once. */
static u32 record_bytes(const struct compiled *c, const struct clause *clause)
{
	enum { RING_HEAD = 8 }; /* BPF_RINGBUF_HDR_SZ */
	u32 sum = 0;

	for (u32 i = 0; i < c->prog.events.n; i++)
		if (is_inside(c->prog.events.v[i]->span, clause->span))
			sum += RING_HEAD + c->prog.events.v[i]->size;
	return sum;
}

static u32 count_sites(const struct compiled *c, u32 func)
{
	u32 n = 0;

	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].func == func ||
		    c->prog.funcs.v[c->sites.v[i].func]->dispatcher == func + 1)
			n += c->sites.v[i].n_covered;
	return n;
}

static void add_clause(struct audit *a, struct compiled *c, u32 func)
{
	const struct instance *in = c->instances.v[func];
	const struct bpf_func *f = c->prog.funcs.v[func];
	struct audit_clause clause = { .in = in,
				       .f = f,
				       .at = sources_find(&c->sources, in->clause->span),
				       .n_sites = count_sites(c, func),
				       .effects = target_effects(f),
				       .record_bytes = record_bytes(c, in->clause),
				       .worst = target_cost(&c->prog, f, in->profile) };

	if (in->profile->kind == PROFILE_BTF || in->profile->kind == PROFILE_ITER)
		clause.effects |= EFFECT_READS_KERNEL; /* loads by type need no helper */
	a->worst = MAX(a->worst, clause.worst);
	a->record_bytes = MAX(a->record_bytes, clause.record_bytes);
	a->changes |= (clause.effects & EFFECTS_CHANGE) != 0;
	vec_push(&c->arena, &a->clauses, clause);
}

/* ---- memory */

static bool is_per_cpu(const struct map_desc *m)
{
	return m->bpf_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       m->bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
	       m->bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static bool is_array(const struct map_desc *m)
{
	return m->bpf_type == BPF_MAP_TYPE_ARRAY || m->bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       m->bpf_type == BPF_MAP_TYPE_PROG_ARRAY;
}

/* struct htab_elem, kernel/bpf/hashtab.c: 48 bytes before the key; key and value padded to 8; 16 a
 * bucket. */
static u64 map_bytes(const struct map_desc *m, u64 ring_bytes)
{
	u32 n_cpus = (u32)MAX(sysconf(_SC_NPROCESSORS_CONF), 1L);
	u64 value = ALIGN_UP((u64)m->value_size, 8u) * (is_per_cpu(m) ? n_cpus : 1);

	if (m->role == MAP_GLOBAL)
		return m->n_slots ? (u64)m->n_slots * m->slot_size :
		       m->value   ? m->value->size + 8u :
				    8;
	if (m->role == MAP_RING)
		return ring_bytes;
	if (is_array(m))
		return value * m->max_entries;
	return (48 + ALIGN_UP((u64)m->key_size, 8u) + value + 16) * m->max_entries;
}

static void add_map(struct audit *a, struct compiled *c, const struct map_desc *m, u64 ring_bytes)
{
	struct audit_map map = { m, is_per_cpu(m), map_bytes(m, ring_bytes) };

	if (m->role != MAP_GLOBAL) /* those are in the data map */
		a->bytes += map.bytes;
	vec_push(&c->arena, &a->maps, map);
}

/* ---- what user space does */

struct words {
	struct audit *a;
	struct compiled *c;
};

static bool add_word(struct node *n, void *ctx)
{
	struct words *w = ctx;
	bool unsafe = n->kind == N_CALL && n->builtin && (n->builtin->flags & BI_UNSAFE);

	if (n->kind != N_CALL || !n->builtin || !(n->builtin->action || unsafe))
		return true;
	for (u32 i = 0; i < w->a->words.n; i++)
		if (w->a->words.v[i].row == n->builtin)
			return true;
	w->a->changes |= unsafe;
	vec_push(&w->c->arena, &w->a->words,
		 (struct audit_word){ n->builtin, sources_find(&w->c->sources, n->span), unsafe });
	return true;
}

void session_audit(struct audit *a, struct compiled *c, u64 ring_bytes)
{
	struct words w = { a, c };

	*a = (struct audit){ 0 };
	for (u32 i = 0; i < c->prog.funcs.n; i++)
		add_clause(a, c, i);
	for (u32 i = 0; i < c->prog.maps.n; i++)
		add_map(a, c, &c->prog.maps.v[i], ring_bytes);
	for (u32 i = 0; i < c->instances.n; i++) {
		ast_walk(c->instances.v[i]->predicate, add_word, &w);
		ast_walk(c->instances.v[i]->body, add_word, &w);
	}
}
