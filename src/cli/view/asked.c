/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include "base/clock.h"
#include "cli/view/asked.h"

#define UNWANTED_NS 5000000000ull

static void forget(struct asked_work *w)
{
	matches_end(&w->matches);
	job_end(&w->job);
	free(w->key);
	*w = (struct asked_work){ 0 };
}

/* A browser that waits polls several times a second. */
bool asked_watch(struct asked *a)
{
	u64 now = clock_mono_ns();
	bool runs = false;

	for (u32 i = 0; i < ASKED_KEPT; i++) {
		struct asked_work *w = &a->works[i];

		if (!w->job.pid && !w->matches.job.pid)
			continue;
		if (now - w->used > UNWANTED_NS)
			forget(w);
		else
			runs = true;
	}
	return runs;
}

/* The slot of the key; without one, the least recently used slot, and *is_new: the caller starts
 * its job. */
static struct asked_work *work_of(struct asked *a, const char *kind, const char *key, bool *is_new)
{
	struct asked_work *oldest = &a->works[0], *found = NULL;
	struct buf whole = { 0 };

	buf_printf(&whole, "%s %s", kind, key);
	for (u32 i = 0; i < ASKED_KEPT; i++) {
		if (a->works[i].key && streq(a->works[i].key, whole.s))
			found = &a->works[i];
		if (a->works[i].used < oldest->used)
			oldest = &a->works[i];
	}
	*is_new = !found;
	if (!found) {
		found = oldest;
		forget(found);
		found->key = strdup(whole.s);
	}
	found->used = clock_mono_ns();
	buf_release(&whole);
	return found;
}

struct matches *asked_matches(struct asked *a, struct recorded *r, const char *typed)
{
	struct asked_work *w;
	bool is_new;

	if (!typed || !typed[strspn(typed, " ")])
		return NULL;
	w = work_of(a, "filter", typed, &is_new);
	if (is_new)
		matches_begin(&w->matches, r, typed);
	return &w->matches;
}

struct job *asked_job(struct asked *a, const char *kind, const char *key,
		      int (*run)(struct job *j, void *ctx), void *ctx)
{
	bool is_new;
	struct job *j = &work_of(a, kind, key, &is_new)->job;

	if (is_new && !job_start(j, 0, run, ctx)) {
		buf_puts(&j->said, "no process for it");
		j->is_done = true;
		j->status = 255;
	}
	return j;
}

void asked_end(struct asked *a, const char *kind, const char *key)
{
	char *whole = xasprintf("%s %s", kind, key);

	for (u32 i = 0; i < ASKED_KEPT; i++)
		if (a->works[i].key && streq(a->works[i].key, whole))
			forget(&a->works[i]);
	free(whole);
}

void asked_release(struct asked *a)
{
	for (u32 i = 0; i < ASKED_KEPT; i++)
		forget(&a->works[i]);
}
