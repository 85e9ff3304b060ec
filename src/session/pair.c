/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds entries and returns of kernel functions that can be one program for a kernel session. In:
 * the sites and instances of a script. Out: instances with their partner, entry sites with their
 * twin.
 *
 *	kprobe:vfs_* { @start[tid] = nsecs; }	   one link instead of two, and one lookup of the
 *	kretprobe:vfs_* /@start[tid]/ { ... }	   programs for a call
 *
 * Two instances are joined if each function of one is probed by the other and by no third, so that
 * the order of the script holds whatever order the kernel uses. The engine may still attach them
 * separately: the compiled code works both ways.
 */
#include <stdlib.h>
#include "session/compile.h"

struct users {          /* of one function of the kernel */
	u32 entry, ret; /* instance + 1; 0: none */
	bool shared;    /* by more than those */
};

struct pairs {
	struct compiled *c;
	struct hash of; /* kind and symbol -> struct users */
};

static bool is_function(const struct site *s)
{
	return s->kind == SITE_KPROBE || s->kind == SITE_TRAMPOLINE;
}

static struct users *users_of(struct pairs *p, const struct site *s)
{
	const char *key = arena_printf(&p->c->arena, "%d %s", s->kind, s->kernel.symbol);
	struct users *u = hash_gets(&p->of, key);

	if (!u) {
		u = arena_new(&p->c->arena, struct users);
		hash_puts(&p->of, key, u);
	}
	return u;
}

/* False if the function of a site has no name. */
static bool find_users(struct pairs *p)
{
	for (u32 i = 0; i < p->c->sites.n; i++) {
		const struct target_site *t = &p->c->sites.v[i];
		struct users *u;
		u32 *side;

		if (!is_function(&t->site))
			continue;
		if (!t->site.kernel.symbol && t->site.kind == SITE_KPROBE)
			return false;
		if (!t->site.kernel.symbol) /* a hook of a security module is no other's function */
			continue;
		u = users_of(p, &t->site);
		side = t->site.is_return ? &u->ret : &u->entry;
		u->shared |= (*side && *side != t->func + 1) || t->site.kernel.offset;
		*side = t->func + 1;
	}
	return true;
}

struct sites { /* of one instance */
	struct site **v;
	u32 n;
};

static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* Only sites of functions are distinguished within their kind. */
static int compare_sites(const struct site *a, const struct site *b)
{
	int order = (int)a->kind - (int)b->kind;

	if (order || !is_function(a))
		return order;
	order = compare_text(a->kernel.symbol, b->kernel.symbol);
	if (!order)
		order = compare_text(a->kernel.module, b->kernel.module);
	return order ? order :
		       (a->kernel.address > b->kernel.address) -
			       (a->kernel.address < b->kernel.address);
}

static int by_function(const void *a, const void *b)
{
	return compare_sites(*(struct site *const *)a, *(struct site *const *)b);
}

static struct sites *sites_by_instance(struct compiled *c)
{
	struct sites *of = arena_array(&c->arena, struct sites, c->instances.n + 1);

	for (u32 i = 0; i < c->sites.n; i++)
		of[c->sites.v[i].func].n++;
	for (u32 i = 0; i < c->instances.n; i++) {
		of[i].v = arena_array(&c->arena, struct site *, of[i].n + 1);
		of[i].n = 0;
	}
	for (u32 i = 0; i < c->sites.n; i++) {
		struct sites *s = &of[c->sites.v[i].func];

		s->v[s->n++] = &c->sites.v[i].site;
	}
	for (u32 i = 0; i < c->instances.n; i++)
		if (of[i].n)
			qsort(of[i].v, of[i].n, sizeof *of[i].v, by_function);
	return of;
}

/* The one instance that has all returns of these entries; NO_INDEX: there is none. */
static u32 partner_of(struct pairs *p, const struct sites *of, u32 entry)
{
	const struct sites *e = &of[entry];
	u32 ret = NO_INDEX;

	for (u32 i = 0; i < e->n; i++) {
		const struct users *u;

		if (!is_function(e->v[i]) || e->v[i]->is_return || !e->v[i]->kernel.symbol)
			return NO_INDEX;
		u = users_of(p, e->v[i]);
		if (u->shared || !u->ret || (i && u->ret - 1 != ret))
			return NO_INDEX;
		ret = u->ret - 1;
	}
	if (ret == NO_INDEX || of[ret].n != e->n)
		return NO_INDEX;
	for (u32 i = 0; i < e->n; i++)
		if (compare_sites(e->v[i], of[ret].v[i]))
			return NO_INDEX;
	return ret;
}

static bool is_same_trampoline(const struct profile *a, const struct profile *b)
{
	return a->load.btf_id == b->load.btf_id && a->load.bpf_prog == b->load.bpf_prog &&
	       !compare_text(a->load.module, b->load.module);
}

static bool kernel_has(const struct compiled *c, const struct site *s)
{
	return feature_has(c->features,
			   s->kind == SITE_KPROBE ? FEAT_KPROBE_SESSION : FEAT_FSESSION);
}

static void join(struct compiled *c, const struct sites *of, u32 entry, u32 ret)
{
	struct instance *e = c->instances.v[entry], *r = c->instances.v[ret];

	if (e->internal != r->internal || !is_same_trampoline(e->profile, r->profile) ||
	    !kernel_has(c, of[entry].v[0]))
		return;
	e->partner = ret;
	r->partner = entry;
	e->refuses_return = c->request->probes.whole_calls && of[entry].v[0]->kind == SITE_KPROBE;
	e->profile->site.cookie_bits = 32;
	r->profile->site.cookie_bits = 64;
	for (u32 i = 0; i < of[entry].n; i++)
		of[entry].v[i]->twin = of[ret].v[i];
}

void pair_instances(struct compiled *c)
{
	struct pairs p = { .c = c };
	struct sites *of = NULL;

	if (find_users(&p) && p.of.n)
		of = sites_by_instance(c);
	for (u32 i = 0; of && i < c->instances.n; i++) {
		u32 ret = partner_of(&p, of, i);

		if (ret != NO_INDEX)
			join(c, of, i, ret);
	}
	hash_release(&p.of);
}
