/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets one attachment run the programs of several clauses where the engine attaches only a few to a
 * place. In: instances and sites of a script. Out: instances that are not attached, but jumped to
 * by the one before.
 *
 *	tracepoint:sched:sched_switch { @a = count(); }		attached
 *	tracepoint:sched:sched_switch { @b = count(); }		the first one ends with a tail call
 *	...						to it, and so on
 *
 * An instance continues the chain of an earlier one if both have the same places, and no third
 * instance between them has one of these: the order of the script holds at each place.
 */
#include <linux/perf_event.h>
#include "engine/engine.h"
#include "session/compile.h"

struct place {     /* where programs run one after another */
	u32 n;     /* programs that are attached */
	u32 n_all; /* instances there */
	struct program_room room;
	struct chain *chain; /* of the last instance */
};

struct chain {
	u32 first; /* instance */
	VEC(struct instance *) members;
};

struct chains {
	struct compiled *c;
	struct hash places; /* name -> struct place */
	/* by instance: its sites, and if they are limited their places, those of instance i at
	 * first[i] */
	const struct target_site **sites;
	struct place **at;
	u32 *first;
	bool is_crowded; /* a place has more instances than are attached by themselves */
};

/* Sites with one name are one place. */
static const char *place_name(struct compiled *c, const struct instance *in, const struct site *s)
{
	const struct load_kind *load = &in->profile->load;
	struct arena *a = &c->arena;

	switch (s->kind) {
	case SITE_PERF_TRACEPOINT:
	case SITE_PERF_SOFTWARE:
		return arena_printf(a, "event %u %llx %llu %d %d %d", s->event.type,
				    (unsigned long long)s->event.config,
				    (unsigned long long)s->event.period, s->event.is_freq, s->pid,
				    s->is_of_command);
	case SITE_TRAMPOLINE:
		return arena_printf(a, "function %u %u %s", load->btf_id, load->bpf_prog,
				    load->module ? load->module : "");
	case SITE_WATCHPOINT:
		return arena_printf(a, "memory %llx %u %u %d %d",
				    (unsigned long long)s->watch.address, s->watch.len,
				    s->watch.type, s->pid, s->is_of_command);
	case SITE_ONCE:
	case SITE_SIGNAL:
	case SITE_RAW_TRACEPOINT:
	case SITE_PERF_TIMER:
	case SITE_KPROBE:
	case SITE_UPROBE:
	case SITE_RECORD:
	case SITE_ITER: break;
	}
	BUG("a site without a place");
}

static struct place *place_of(struct chains *ch, const struct instance *in, const struct site *s)
{
	const char *name = place_name(ch->c, in, s);
	struct place *p = hash_gets(&ch->places, name);

	if (!p) {
		p = arena_new(&ch->c->arena, struct place);
		p->room = ch->c->engines[0]->room(s);
		hash_puts(&ch->places, name, p);
	}
	return p;
}

static void sort_sites(struct chains *ch)
{
	struct compiled *c = ch->c;
	u32 *at;

	ch->sites = arena_array(&c->arena, const struct target_site *, c->sites.n + 1);
	ch->at = arena_array(&c->arena, struct place *, c->sites.n + 1);
	ch->first = arena_array(&c->arena, u32, c->instances.n + 1);
	at = arena_array(&c->scratch, u32, c->instances.n + 1);
	for (u32 i = 0; i < c->sites.n; i++)
		ch->first[c->sites.v[i].func + 1]++;
	for (u32 i = 0; i < c->instances.n; i++)
		at[i + 1] = ch->first[i + 1] += ch->first[i];
	for (u32 i = 0; i < c->sites.n; i++)
		ch->sites[at[c->sites.v[i].func]++] = &c->sites.v[i];
}

static bool is_limited(const struct chains *ch, u32 i)
{
	return ch->first[i + 1] > ch->first[i] &&
	       ch->c->engines[0]->room(&ch->sites[ch->first[i]]->site).limit;
}

/* What a jump would change: the result of a hook counts, a session has an order of its own. */
static bool can_be_linked(const struct compiled *c, const struct instance *in)
{
	return !in->jump && in->partner == NO_INDEX && !in->once && !in->profile->syscall.enter &&
	       !in->profile->syscall.exit && in->profile->load.attach_type != BPF_LSM_MAC &&
	       feature_has(c->features, FEAT_TAIL_CALL_FUNCS);
}

static void find_places(struct chains *ch, u32 i)
{
	for (u32 s = ch->first[i]; s < ch->first[i + 1]; s++) {
		struct place *p = place_of(ch, ch->c->instances.v[i], &ch->sites[s]->site);

		ch->at[s] = p;
		ch->is_crowded |= ++p->n_all > p->room.most;
	}
}

/* Entries and returns of a function differ. */
static bool are_at_same_places(const struct chains *ch, u32 i, u32 k)
{
	const struct instance *a = ch->c->instances.v[i], *b = ch->c->instances.v[k];
	const struct load_kind *of_a = &a->profile->load, *of_b = &b->profile->load;
	u32 n = ch->first[i + 1] - ch->first[i];

	return of_a->prog_type == of_b->prog_type && of_a->attach_type == of_b->attach_type &&
	       a->internal == b->internal && n == ch->first[k + 1] - ch->first[k] &&
	       !memcmp(ch->at + ch->first[i], ch->at + ch->first[k], n * sizeof *ch->at);
}

/* The chain that the instance may continue, or NULL. */
static struct chain *chain_before(const struct chains *ch, u32 i)
{
	struct chain *chain = ch->at[ch->first[i]]->chain;
	bool is_crowded = false;

	if (!chain || !are_at_same_places(ch, chain->first, i) || chain->members.n >= MOST_JUMPS)
		return NULL;
	for (u32 s = ch->first[i]; s < ch->first[i + 1]; s++) {
		if (ch->at[s]->chain != chain)
			return NULL;
		is_crowded |= ch->at[s]->n_all > ch->at[s]->room.most;
	}
	return is_crowded ? chain : NULL;
}

/* Reports the first instance that is too much for a place. */
static void begin_chain(struct chains *ch, u32 i)
{
	struct compiled *c = ch->c;
	struct instance *in = c->instances.v[i];
	struct chain *chain = arena_new(&c->arena, struct chain);

	chain->first = i;
	vec_push(&c->arena, &chain->members, in);
	for (u32 s = ch->first[i]; s < ch->first[i + 1]; s++) {
		struct place *p = ch->at[s];

		p->chain = can_be_linked(c, in) ? chain : NULL;
		if (p->n++ == p->room.limit)
			diag_report(&c->diags, in->clause->span, D_TOO_MANY_PROGRAMS,
				    ch->sites[s]->site.probe, p->room.limit);
	}
}

static void link(struct chains *ch, struct chain *chain, struct instance *in)
{
	struct compiled *c = ch->c;
	struct instance *head = chain->members.v[0], *last;
	u32 *slot = arena_new(&c->arena, u32);

	if (!head->jump) {
		head->jump = arena_new(&c->arena, struct jump);
		*head->jump = (struct jump){ .map = jump_table(c, ".chain", MOST_JUMPS),
					     .dispatcher = head->index,
					     .is_chain = true };
	}
	last = chain->members.v[chain->members.n - 1];
	last->jump->has_next = true;
	*slot = last->jump->layer + 1;
	in->jump = arena_new(&c->arena, struct jump);
	*in->jump = *head->jump;
	in->jump->has_next = false;
	in->jump->layer = *slot;
	in->jump->slots = slot;
	in->jump->n_slots = 1;
	vec_push(&c->arena, &chain->members, in);
}

static void make_chains(struct chains *ch)
{
	for (u32 i = 0; i < ch->c->instances.n; i++) {
		struct instance *in = ch->c->instances.v[i];
		struct chain *before;

		if (!is_limited(ch, i))
			continue;
		before = can_be_linked(ch->c, in) ? chain_before(ch, i) : NULL;
		if (before)
			link(ch, before, in);
		else
			begin_chain(ch, i);
	}
}

void chain_instances(struct compiled *c)
{
	struct chains ch = { .c = c };

	if (c->attempt.no_substitutes || c->request->compile.no_dispatch || c->n_engines > 1 ||
	    !c->engines[0]->room)
		return;
	sort_sites(&ch);
	for (u32 i = 0; i < c->instances.n; i++)
		if (is_limited(&ch, i))
			find_places(&ch, i);
	if (ch.is_crowded)
		make_chains(&ch);
	hash_release(&ch.places);
}
