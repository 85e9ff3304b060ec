/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps: global names whose key and value types are the join of all uses in the program. In: an
 * N_MAP node. Out: its struct map, grown by this use. The first use determines whether a map has
 * keys, and the first contradiction is reported with both positions.
 */
#include <linux/bpf.h>

#include "lang/check_internal.h"

static const char *map_text(struct check *c, const char *name)
{
	return arena_printf(c->arena, "@%s", name);
}

static struct map *find_map(struct check *c, struct node *n)
{
	struct lang *l = c->lang;

	if (n->map)
		return n->map;
	const char *name = map_text(c, n->name);
	struct map *m = hash_gets(&l->maps, name);

	if (!m) {
		m = arena_new(c->arena, struct map);
		m->name = name;
		m->key = m->value = &ty_unknown;
		hash_puts(&l->maps, name, m);
		vec_push(c->arena, &l->map_list, m);
	}
	if (!m->key)
		m->key = &ty_unknown;
	if (!m->value)
		m->value = &ty_unknown;
	if (!m->first.off)
		m->first = n->span;
	n->map = m;
	return m;
}

/* ---- growing */

static bool grow(struct check *c, const struct type **slot, const struct type *t,
		 const struct type *joined)
{
	if (!joined)
		return false;
	/* its type was reported before */
	if (t->kind == TY_ERROR && joined->kind == TY_UNKNOWN && !c->inst->unseen)
		joined = t;
	if (joined != *slot &&
	    (!type_equal(joined, *slot) || type_is_flexible(joined) != type_is_flexible(*slot)))
		c->changed = true;
	*slot = joined;
	return true;
}

static void warn_mixed(struct check *c, struct span span, const char *name, const struct type *t)
{
	if (t->kind == TY_POINTER) {
		struct diag *d = check_report(c, span, D_SPACE_MIX, name);

		diag_help(c->diags, d, "choose with kptr() or uptr()");
		return;
	}
	struct diag *d = check_report(c, span, D_SIGN_MIX, "uint64", "int64");

	diag_help(c->diags, d,
		  "%s holds both signed and unsigned 64-bit values and becomes int64; cast one "
		  "side: (int64) or (uint64)",
		  name);
}

/* What a name holds, and where it got that type. */
struct holder {
	const char *name;
	const struct type *has;
	struct span first;
};

static void clash(struct check *c, struct span span, enum diag_id id, struct holder h,
		  const struct type *t)
{
	struct diag *d = check_report(c, span, id, h.name, type_text(c, h.has), type_text(c, t),
				      *h.name == '@' ? "map" : "variable");

	if (h.first.off && h.first.off != span.off)
		diag_note(c->diags, d, h.first, "%s got its type here", h.name);
	if (h.has->kind == t->kind && type_is_agg(t))
		diag_help(c->diags, d,
			  "a map has one set of buckets: give the same arguments everywhere");
}

void check_unify_map_value(struct check *c, struct map *m, const struct type *t, struct span span)
{
	bool mixed = false;

	if (m->value->kind == TY_UNKNOWN && !type_is_moot(t))
		m->value_span = span;
	if (!grow(c, &m->value, t, type_join(c, m->value, t, &mixed)))
		clash(c, span, D_ASSIGN_TYPE, (struct holder){ m->name, m->value, m->value_span },
		      t);
	else if (mixed)
		warn_mixed(c, span, m->name, m->value);
}

static bool is_address(const struct type *pointer, const struct type *t)
{
	return pointer->kind == TY_POINTER && t->kind == TY_INT && type_equal(t, &ty_u64);
}

/*
 * One use stores a value under a typed pointer (args.skb), another looks it up by the same address
 * as a number (arg0). Nothing is read through a key, so the number suffices.
 */
static const struct type *join_key(struct check *c, const struct type *a, const struct type *b,
				   bool *mixed)
{
	if (is_address(a, b) || is_address(b, a))
		return &ty_u64;
	if (a->kind != TY_TUPLE || b->kind != TY_TUPLE || a->n_fields != b->n_fields)
		return type_join(c, a, b, mixed);
	const struct type **elem = arena_array(c->arena, const struct type *, a->n_fields);

	for (u32 i = 0; i < a->n_fields; i++) {
		elem[i] = join_key(c, a->fields[i].type, b->fields[i].type, mixed);
		if (!elem[i])
			return NULL;
	}
	return type_tuple(c->arena, elem, a->n_fields);
}

void check_unify_map_key(struct check *c, struct map *m, const struct type *t, struct span span)
{
	bool mixed = false;

	if (!m->key)
		return; /* keyless: reported elsewhere */
	if (m->key->kind == TY_UNKNOWN && !type_is_moot(t))
		m->key_span = span;
	if (!grow(c, &m->key, t, join_key(c, m->key, t, &mixed)))
		clash(c, span, D_KEY_TYPE, (struct holder){ m->name, m->key, m->key_span }, t);
	else if (mixed)
		warn_mixed(c, span, arena_printf(c->arena, "the key of %s", m->name), m->key);
}

void check_unify_var(struct check *c, struct var *v, const struct type *t, struct span span)
{
	bool mixed = false;

	if (!grow(c, &v->type, t, type_join(c, v->type, t, &mixed)))
		clash(c, span, D_ASSIGN_TYPE,
		      (struct holder){ var_text(c, v->name), v->type, v->decl }, t);
	else if (mixed)
		warn_mixed(c, span, var_text(c, v->name), v->type);
}

/* ---- keys */

static bool settle_keyed(struct check *c, struct map *m, struct node *n, bool is_keyed)
{
	if (!m->keyed_known) {
		m->keyed_known = true;
		m->is_keyed = is_keyed;
		if (!m->key_span.off)
			m->key_span = n->span;
		c->changed = true;
	}
	if (m->is_keyed == is_keyed)
		return true;
	struct diag *d =
		check_report(c, n->span, is_keyed ? D_MAP_HAS_NO_KEY : D_MAP_NEEDS_KEY, m->name);

	diag_note(c->diags, d, m->key_span, "used %s here",
		  is_keyed ? "without a key" : "with a key");
	return false;
}

static const struct type *key_part(struct check *c, struct node *n)
{
	const struct type *t = check_value(c, n);

	if (type_is_moot(t) || type_is_storable(t))
		return t;
	return diag_type(c, n->span, D_BAD_KEY, type_text(c, t));
}

static const struct type *key_type(struct check *c, struct node *keys)
{
	u32 n = 0, i = 0;
	bool unknown = false, error = false;

	for (const struct node *k = keys; k; k = k->next)
		n++;
	const struct type **elem = arena_array(c->arena, const struct type *, n);

	for (struct node *k = keys; k; k = k->next, i++) {
		elem[i] = key_part(c, k);
		unknown |= elem[i]->kind == TY_UNKNOWN;
		error |= elem[i]->kind == TY_ERROR;
	}
	if (error || unknown)
		return error ? &ty_error : &ty_unknown;
	return n == 1 ? elem[0] : type_tuple(c->arena, elem, n);
}

struct map *check_map(struct check *c, struct node *n)
{
	struct map *m = find_map(c, n);

	if (!n->a)
		return settle_keyed(c, m, n, false) ? m : NULL;
	const struct type *t = key_type(c, n->a);

	if (!settle_keyed(c, m, n, true))
		return NULL;
	if (t->kind == TY_ERROR)
		return NULL;
	check_unify_map_key(c, m, t, span_join(n->a->span, n->span));
	return m;
}

/* ---- reading */

static void near_maps(struct check *c, const struct map *m, struct diag *d)
{
	struct near near;

	near_init(&near, m->name);
	for (u32 i = 0; i < c->lang->map_list.n; i++)
		if (c->lang->map_list.v[i]->written)
			near_try(&near, c->lang->map_list.v[i]->name);
	if (near_best(&near))
		diag_help(c->diags, d, "did you mean \"%s\"?", near_best(&near));
}

static bool check_map_defined(struct check *c, struct map *m, struct span span)
{
	m->read = true;
	if (m->written || !c->final)
		return true;
	if (m->value->kind != TY_ERROR) /* reported once */
		near_maps(c, m, check_report(c, span, D_UNDEFINED_MAP, m->name));
	m->value = &ty_error;
	return false;
}

const struct type *check_map_read(struct check *c, struct node *n)
{
	struct map *m = check_map(c, n);

	if (!m || !check_map_defined(c, m, n->span))
		return &ty_error;
	return m->value;
}

/* In sizeof() and the like the name of a map with keys is a key of it. NULL: it has none. */
const struct type *check_map_key(struct check *c, struct node *n)
{
	struct map *m = n->kind == N_MAP && !n->a ? find_map(c, n) : NULL;

	if (!m || (m->keyed_known && !m->is_keyed))
		return NULL;
	if (!m->keyed_known)
		return c->final ? NULL : &ty_unknown;
	return check_map_defined(c, m, n->span) ? m->key : &ty_error;
}

/* A map passed to a builtin as a map: print(@x), clear(@x). */
const struct type *check_map_by_name(struct check *c, struct node *n, const struct sig_arg *arg)
{
	struct map *m = find_map(c, n);
	u32 values = arg->kinds & ~(u32)(AK_MAP | AK_SCALAR_MAP);

	if (!check_map_defined(c, m, n->span))
		return &ty_error;
	n->aux = MAP_BY_NAME;
	if ((arg->kinds & AK_SCALAR_MAP) && !(arg->kinds & AK_MAP) && !settle_keyed(c, m, n, false))
		return &ty_error;
	if (!m->keyed_known)
		return c->final ? &ty_map : &ty_unknown;
	if (m->is_keyed || !values)
		return &ty_map;
	return type_rigid(m->value);
}

/* ---- the end */

void check_maps_default(struct check *c)
{
	for (u32 i = 0; i < c->lang->map_list.n; i++) {
		struct map *m = c->lang->map_list.v[i];

		if (!m->written)
			continue;
		if (m->value && m->value->kind == TY_UNKNOWN) {
			m->value = &ty_s64;
			c->changed = true;
		}
		if (m->keyed_known && m->is_keyed && m->key->kind == TY_UNKNOWN) {
			m->key = &ty_s64;
			c->changed = true;
		}
	}
}

static bool is_per_cpu(u32 kind)
{
	return kind == BPF_MAP_TYPE_PERCPU_HASH || kind == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static const char *kind_text(u32 kind)
{
	switch (kind) {
	case BPF_MAP_TYPE_HASH: return "hash";
	case BPF_MAP_TYPE_LRU_HASH: return "lruhash";
	case BPF_MAP_TYPE_PERCPU_HASH: return "percpuhash";
	case BPF_MAP_TYPE_LRU_PERCPU_HASH: return "percpulruhash";
	}
	return "unknown";
}

static void check_kind(struct check *c, const struct map *m)
{
	if (!m->decl_kind || type_is_moot(m->value) ||
	    is_per_cpu(m->decl_kind) == type_is_agg(m->value))
		return;
	bool is_lru = m->decl_kind == BPF_MAP_TYPE_LRU_HASH ||
		      m->decl_kind == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	u32 wanted = type_is_agg(m->value) ?
			     (is_lru ? BPF_MAP_TYPE_LRU_PERCPU_HASH : BPF_MAP_TYPE_PERCPU_HASH) :
			     (is_lru ? BPF_MAP_TYPE_LRU_HASH : BPF_MAP_TYPE_HASH);

	check_report(c, m->value_span, D_MAP_KIND_CLASH, kind_text(m->decl_kind),
		     kind_text(wanted));
}

void check_maps_finish(struct check *c)
{
	for (u32 i = 0; i < c->lang->map_list.n; i++) {
		struct map *m = c->lang->map_list.v[i];

		if (m->has_decl && !m->read && !m->written && !m->keyed_known)
			check_report(c, m->first, D_UNUSED_MAP, m->name);
		check_kind(c, m);
		if (m->key)
			m->key = m->is_keyed ? type_rigid(m->key) : NULL;
		if (m->value)
			m->value = type_rigid(m->value);
	}
}
