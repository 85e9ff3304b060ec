/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <unistd.h>
#include "base/fd.h"
#include "cli/view/asked.h"

static void forget(struct asked_work *w)
{
	matches_end(&w->matches);
	job_end(&w->job);
	free(w->key);
	*w = (struct asked_work){ 0 };
}

/* That of the key, else the one that was not used for the longest time: *is_new, and it is to begin. */
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
	found->used = ++a->n;
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

/* ---- values */

struct counting { /* of the child */
	struct recorded *r;
	const struct value_request *request;
	u64 from, to;
};

static int count(struct job *j, void *ctx)
{
	const struct counting *c = ctx;
	struct buf text = { 0 };
	int ret;

	c->r->from = c->from;
	c->r->to = c->to;
	c->r->c->request.diag_json = true;
	ret = values_run(c->r, c->request, true, &text);
	write_all(STDOUT_FILENO, text.s ? text.s : "", text.len);
	return ret;
}

struct job *asked_values(struct asked *a, struct recorded *r, const char *key,
			 const struct value_request *q, u64 from, u64 to)
{
	struct counting c = { .r = r, .request = q, .from = from, .to = to };
	bool is_new;
	struct job *j = &work_of(a, "values", key, &is_new)->job;

	if (is_new && !job_start(j, 0, count, &c)) {
		buf_puts(&j->said, "no process for it");
		j->is_done = true;
		j->status = 255;
	}
	return j;
}

void asked_release(struct asked *a)
{
	for (u32 i = 0; i < ASKED_KEPT; i++)
		forget(&a->works[i]);
}
