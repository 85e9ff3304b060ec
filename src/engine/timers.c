/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers start with the source of events, as live ones start when they are attached. */
#include "engine/timers.h"

static u64 period_ns(const struct site *s)
{
	u64 period = MAX(s->event.period, 1ull);

	return s->event.is_freq ? 1000000000 / period : period;
}

void timers_add(struct timers *t, const struct site *s, u32 func)
{
	t->v = xrealloc(t->v, (t->n + 1) * sizeof *t->v);
	t->v[t->n++] = (struct timer){ .func = func,
				       .cookie = s->index,
				       .period = period_ns(s),
				       .one_cpu = s->event.one_cpu };
}

static void find_next(struct timers *t)
{
	t->next = ~0ull;
	for (u32 i = 0; i < t->n; i++)
		t->next = MIN(t->next, t->v[i].next);
}

void timers_start(struct timers *t, u64 now)
{
	for (u32 i = 0; i < t->n; i++)
		t->v[i].next = now + t->v[i].period;
	find_next(t);
}

const struct timer *timers_take(struct timers *t)
{
	struct timer *due = t->v;

	while (due->next != t->next)
		due++;
	if (__builtin_add_overflow(due->next, due->period, &due->next))
		due->next = ~0ull;
	find_next(t);
	return due;
}
