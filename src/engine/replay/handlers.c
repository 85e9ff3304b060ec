/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites of recorded events -> the functions that run for each. */
#include <stdlib.h>
#include "engine/replay/internal.h"

/* Functions are numbered in the order of the script. */
static void insert(struct handlers *to, struct handler h)
{
	u32 at = to->n;

	to->v = xrealloc(to->v, (to->n + 1) * sizeof *to->v);
	for (; at && to->v[at - 1].func > h.func; at--)
		to->v[at] = to->v[at - 1];
	to->v[at] = h;
	to->n++;
}

static void by_call(struct event_handlers *e)
{
	if (e->by_call)
		return;
	e->by_call = xcalloc(MOST_CALLS, sizeof *e->by_call);
	for (u32 nr = 0; nr < MOST_CALLS; nr++)
		for (u32 i = 0; i < e->all.n; i++)
			insert(&e->by_call[nr], e->all.v[i]);
}

void handlers_add(struct event_handlers *events, u64 config, struct handler h)
{
	struct event_handlers *e = &events[config & 0xffff];

	if (config & RECORDED_CALL) {
		by_call(e);
		insert(&e->by_call[config >> 16 & (MOST_CALLS - 1)], h);
		return;
	}
	insert(&e->all, h);
	for (u32 nr = 0; e->by_call && nr < MOST_CALLS; nr++)
		insert(&e->by_call[nr], h);
}

void handlers_release(struct event_handlers *e)
{
	for (u32 nr = 0; e->by_call && nr < MOST_CALLS; nr++)
		free(e->by_call[nr].v);
	free(e->by_call);
	free(e->all.v);
}
