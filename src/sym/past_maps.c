/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include "sym/past_maps.h"

enum { MOST = 2048 };

static void push(struct past_maps *p, struct past_mapping one)
{
	one.m.path = arena_strdup(&p->arena, one.m.path);
	vec_push(&p->arena, &p->list, one);
}

static void drop_older_half(struct past_maps *p)
{
	struct past_maps rest = { 0 };

	for (u32 i = p->list.n / 2; i < p->list.n; i++)
		push(&rest, p->list.v[i]);
	past_maps_release(p);
	*p = rest;
}

void past_maps_add_missed(struct past_maps *p, const struct mapping *m, u64 seen, u64 until)
{
	if (p->list.n >= MOST)
		drop_older_half(p);
	push(p, (struct past_mapping){ *m, until, seen });
}

void past_maps_add(struct past_maps *p, const struct mapping *m, u64 until)
{
	past_maps_add_missed(p, m, 0, until);
}

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->start - a->offset == b->start - b->offset;
}

void past_maps_add_replaced(struct past_maps *p, const struct procmaps *maps,
			    const struct mapping *by, u64 time)
{
	for (u32 i = 0; i < maps->list.n; i++) {
		const struct mapping *m = &maps->list.v[i];

		if (m->exec && m->inode && m->start < by->end && m->end > by->start &&
		    !is_same(m, by))
			past_maps_add(p, m, time);
	}
}

void past_maps_ended(struct past_maps *p, const struct mapping *by, u64 time)
{
	for (u32 i = p->list.n; i--;) {
		struct past_mapping *m = &p->list.v[i];

		if (!m->seen || time < m->seen || time >= m->until ||
		    (by && (m->m.start >= by->end || m->m.end <= by->start)))
			continue;
		m->until = time;
		m->seen = 0;
	}
}

static bool covers(const struct past_mapping *p, u64 address)
{
	return address >= p->m.start && address < p->m.end;
}

const struct mapping *past_maps_at(const struct past_maps *p, u64 address, u64 time)
{
	for (u32 i = 0; i < p->list.n; i++)
		if (p->list.v[i].until > time && covers(&p->list.v[i], address))
			return &p->list.v[i].m;
	return NULL;
}

const struct mapping *past_maps_last(const struct past_maps *p, u64 address)
{
	for (u32 i = p->list.n; i--;)
		if (covers(&p->list.v[i], address))
			return &p->list.v[i].m;
	return NULL;
}

void past_maps_release(struct past_maps *p)
{
	arena_release(&p->arena);
	*p = (struct past_maps){ 0 };
}
