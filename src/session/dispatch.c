/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins several instances on the tracepoint of all system calls, as of a clause whose programs
 * differ by call. In: instances and sites of a script. Out: for each group of them one more
 * instance, which alone is attached and jumps to the others.
 *
 *	syscall:* { print(argstr); }	360 programs, each of which would run for every call
 *
 *	dispatcher	is the number in the set? is it a 64-bit call? tail call by number
 *	layer 0		the first program of the script for a call
 *	layer 1		the second: the first one ends with a tail call to it
 *
 * A tail call does not return, so a program that others may follow calls the next layer wherever it
 * would return. If a call has no program in a layer, its entry holds the program of a later layer;
 * each program knows its own layer.
 *
 * A clause on the raw tracepoint itself ends a group, so that the order of the script holds.
 */
#include "session/compile.h"

struct group {
	struct compiled *c;
	bool is_enter;
	VEC(struct instance *) members;
	u64 set[SYSCALL_SET_BITS / 64];
	u32 depth[SYSCALL_SET_BITS]; /* layers that a call has so far */
	u32 n_layers;
};

static bool has_number(const struct profile *p, u32 nr)
{
	return !p->syscall.set || p->syscall.set[nr / 64] >> nr % 64 & 1;
}

static u32 layer_of(const struct group *g, const struct profile *p)
{
	u32 layer = 0;

	for (u32 nr = 0; nr < SYSCALL_SET_BITS; nr++)
		if (has_number(p, nr))
			layer = MAX(layer, g->depth[nr]);
	return layer;
}

/* Its own layer, and those before it that are empty. */
static void take_slots(struct group *g, struct instance *in)
{
	struct jump *j = arena_new(&g->c->arena, struct jump);
	VEC(u32) slots = { 0 };

	j->layer = layer_of(g, in->profile);
	for (u32 nr = 0; nr < SYSCALL_SET_BITS; nr++) {
		if (!has_number(in->profile, nr))
			continue;
		for (u32 layer = g->depth[nr]; layer <= j->layer; layer++)
			vec_push(&g->c->arena, &slots, layer * SYSCALL_SET_BITS + nr);
		g->depth[nr] = j->layer + 1;
		g->set[nr / 64] |= 1ull << nr % 64;
	}
	j->slots = slots.v;
	j->n_slots = slots.n;
	g->n_layers = MAX(g->n_layers, j->layer + 1);
	in->jump = j;
}

static bool has_next(const struct group *g, const struct instance *in)
{
	for (u32 nr = 0; nr < SYSCALL_SET_BITS; nr++)
		if (has_number(in->profile, nr) && g->depth[nr] > in->jump->layer + 1)
			return true;
	return false;
}

u32 jump_table(struct compiled *c, const char *name, u32 n)
{
	vec_push(&c->arena, &c->prog.maps,
		 (struct map_desc){ .name = name,
				    .role = MAP_PROGS,
				    .bpf_type = BPF_MAP_TYPE_PROG_ARRAY,
				    .key_size = 4,
				    .value_size = 4,
				    .max_entries = n,
				    .key = &ty_u32,
				    .value = &ty_u32 });
	return c->prog.maps.n - 1;
}

/* What is attached: the filter of all members, and no body. */
static struct instance *new_dispatcher(struct group *g)
{
	struct compiled *c = g->c;
	const struct instance *first = g->members.v[0];
	struct instance *in = arena_new(&c->arena, struct instance);

	in->clause = first->clause;
	in->body = node_new(&c->arena, N_BLOCK, first->clause->span);
	in->profile = arena_dup(&c->arena, first->profile, sizeof *first->profile);
	in->profile->syscall.set = arena_dup(&c->arena, g->set, sizeof g->set);
	in->profile->syscall.i386 = in->profile->syscall.either = false;
	in->profile->syscall.of_none = 0;
	for (u32 i = 0; i < g->members.n; i++)
		if (!g->members.v[i]->profile->syscall.i386)
			in->profile->syscall.of_none |= g->members.v[i]->profile->syscall.of_none;
	in->provider = first->provider;
	in->name = g->is_enter ? "rawtracepoint:sys_enter" : "rawtracepoint:sys_exit";
	in->follow_map = in->partner = NO_INDEX;
	in->internal = true;
	in->index = c->instances.n;
	in->jump = arena_new(&c->arena, struct jump);
	vec_push(&c->arena, &c->instances, in);
	return in;
}

static void dissolve(struct group *g)
{
	for (u32 i = 0; i < g->members.n; i++)
		g->members.v[i]->jump = NULL;
}

static void end_group(struct group *g)
{
	if (g->members.n > 1) {
		struct instance *dispatcher = new_dispatcher(g);
		u32 map = jump_table(g->c, ".calls", g->n_layers * SYSCALL_SET_BITS);

		dispatcher->jump->map = map;
		dispatcher->jump->dispatcher = dispatcher->index;
		for (u32 i = 0; i < g->members.n; i++) {
			struct instance *in = g->members.v[i];

			in->jump->map = map;
			in->jump->dispatcher = dispatcher->index;
			in->jump->has_next = has_next(g, in);
		}
	} else {
		dissolve(g);
	}
	*g = (struct group){ .c = g->c, .is_enter = g->is_enter };
}

static void add(struct group *g, struct instance *in)
{
	if (layer_of(g, in->profile) >= MOST_JUMPS)
		end_group(g);
	take_slots(g, in);
	vec_push(&g->c->arena, &g->members, in);
}

/* The sites of each instance on one of the two tracepoints. */
static u32 *sites_on(struct compiled *c, const char *tracepoint)
{
	u32 *n = arena_array(&c->arena, u32, c->instances.n + 1);

	for (u32 i = 0; i < c->sites.n; i++) {
		const struct target_site *t = &c->sites.v[i];

		if (t->site.kind == SITE_RAW_TRACEPOINT && streq(t->site.tracepoint, tracepoint))
			n[t->func]++;
	}
	return n;
}

static bool is_of_call(const struct instance *in)
{
	return in->profile->syscall.enter || in->profile->syscall.exit;
}

static void dispatch(struct compiled *c, bool is_enter)
{
	const u32 *n_sites = sites_on(c, is_enter ? "sys_enter" : "sys_exit");
	struct group g = { .c = c, .is_enter = is_enter };
	u32 n = c->instances.n;

	for (u32 i = 0; i < n; i++) {
		struct instance *in = c->instances.v[i];

		if (n_sites[i] == 1 && is_of_call(in))
			add(&g, in);
		else if (
			/* it runs for each attachment: twice, if the script has it twice */
			n_sites[i])
			end_group(&g);
	}
	end_group(&g);
}

/* The kernel takes a dispatcher wherever it takes programs; if it does not, the run restarts
 * without it. */
static void let_begin_again(struct compiled *c)
{
	for (u32 i = 0; i < c->sites.n; i++)
		if (c->instances.v[c->sites.v[i].func]->jump)
			c->sites.v[i].site.is_substitute = true;
}

void dispatch_instances(struct compiled *c)
{
	if (c->attempt.no_substitutes || c->request->compile.no_dispatch ||
	    c->n_engines > 1) /* one attachment is in one engine */
		return;
	dispatch(c, true);
	dispatch(c, false);
	let_begin_again(c);
}
