/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child runs the predicate over the recording by the language, as sonde script --filter does,
 * and reads the recording beside that: what matches comes in the order of time, so the number of a
 * match is that of the next event that is equal to it.
 */
#include <stdio.h>
#include "cli/view/matches.h"
#include "output/none.h"
#include "type/event_format.h"

enum { BLOCK = 4096 }; /* events */

struct marks { /* shared */
	u64 n;
	u32 by_column[MATCH_COLUMNS];
	u32 by_block[]; /* matches in each; after them the bits */
};

static u64 n_blocks(const struct matches *m)
{
	return m->n_events / BLOCK + 1;
}

static u8 *bits_of(const struct matches *m)
{
	return (u8 *)((struct marks *)m->job.shared)->by_block + n_blocks(m) * sizeof(u32);
}

/* ---- the child */

struct finder {
	struct matches *m;
	struct recorded *r;
	const char *typed;
	struct trace_event at;
	u64 number; /* of the next event */
};

/* Bytes after the last data are undefined, and record() does not keep the kernel's common
 * fields. */
static bool is_same(const struct trace_event *a, const struct trace_event *b)
{
	u32 len = MIN(event_length(a->format, a->record, a->len), b->len),
	    head = MIN((u32)sizeof(struct common_fields), len);

	return a->time == b->time && a->tid == b->tid && streq(a->format->name, b->format->name) &&
	       !memcmp((const u8 *)a->record + head, (const u8 *)b->record + head, len - head);
}

/* Of the range that timeline_init() shows. */
static u32 column_of(const struct recorded *r, u64 time)
{
	u64 from = MAX(r->from, r->tables->t0);
	u64 to = r->to ? MIN(r->to, r->tables->t1) : r->tables->t1;
	double share = (double)(time - from) / (double)MAX(to - from, 1ull);

	return MIN((u32)(share * MATCH_COLUMNS), MATCH_COLUMNS - 1u);
}

static void set_bit(struct finder *f, u64 number, u64 time)
{
	struct marks *marks = f->m->job.shared;

	if (number >= f->m->n_events)
		return;
	marks->by_column[column_of(f->r, time)]++;
	bits_of(f->m)[number / 8] |= (u8)(1 << number % 8);
	__atomic_fetch_add(&marks->by_block[number / BLOCK], 1, __ATOMIC_RELEASE);
	__atomic_fetch_add(&marks->n, 1, __ATOMIC_RELEASE);
}

static void mark(struct sink *s, const struct trace_event *e)
{
	struct finder *f = s->state;

	do {
		if (!store_next(f->r->store, &f->at))
			BUG("an event of %s matches and is not in the file", e->format->name);
	} while (f->number++, !is_same(&f->at, e));
	set_bit(f, f->number - 1, e->time);
}

static const struct output output_marks = {
	.name = "marks",
	.attached = none_attached,
	.text = none_text,
	.value = none_value,
	.table = none_table,
	.event = mark,
	.lost = none_lost,
	.message = none_message,
	.end = none_end,
};

static int find(struct job *j, void *ctx)
{
	struct finder *f = ctx;
	struct recorded *r = f->r;
	struct buf expr = { 0 }, script = { 0 };

	f->m->job = *j;
	predicate_expand(r, f->typed, &expr);
	buf_puts(&script, PREDICATE_CONFIG);
	if (!predicate_put_clauses(r, &script, expr.s, "{ record(); }")) {
		printf("{\"message\":\"no event of the recording has such fields\",\"col\":1}\n");
		fflush(stdout);
		return STATUS_WRONG;
	}
	store_range(r->store, r->from, r->to ? r->to : ~0ull);
	store_rewind(r->store);
	r->c->request.diag.json = true;
	return predicate_run(r, &script, expr.s, &output_marks, f);
}

/* ---- the parent */

void matches_begin(struct matches *m, struct recorded *r, const char *typed)
{
	struct finder f = { .m = m, .r = r, .typed = typed };
	size_t len;

	matches_end(m);
	m->n_events = r->tables->n_events;
	if (!typed[strspn(typed, " ")])
		return;
	len = sizeof(struct marks) + n_blocks(m) * sizeof(u32) + m->n_events / 8 + 1;
	if (!job_start(&m->job, len, find, &f))
		buf_puts(&m->wrong, "no process or memory for it");
}

/* Its position is that of the expanded predicate, from 1. */
static void take_error(struct matches *m, const struct recorded *r, const char *typed)
{
	u32 col = job_error(&m->job, &m->wrong);

	m->wrong_at = MIN(predicate_typed_at(r, typed, MAX(col, 1) - 1), (u32)strlen(typed));
}

bool matches_poll(struct matches *m, const struct recorded *r, const char *typed)
{
	if (!m->job.pid)
		return true;
	if (!job_poll(&m->job))
		return false;
	if (m->job.status)
		take_error(m, r, typed);
	return true;
}

void matches_end(struct matches *m)
{
	job_end(&m->job);
	buf_release(&m->wrong);
	*m = (struct matches){ 0 };
}

u64 matches_n(const struct matches *m)
{
	const struct marks *marks = m->job.shared;

	return marks ? __atomic_load_n(&marks->n, __ATOMIC_ACQUIRE) : m->n_events;
}

const u32 *matches_columns(const struct matches *m)
{
	const struct marks *marks = m->job.shared;

	return marks ? marks->by_column : NULL;
}

u64 matches_after(const struct matches *m, u64 number)
{
	const struct marks *marks = m->job.shared;

	while (number < m->n_events) {
		u64 block = number / BLOCK;

		if (!marks->by_block[block])
			number = (block + 1) * BLOCK;
		else if (bits_of(m)[number / 8] >> number % 8)
			return number + (u32)__builtin_ctz(bits_of(m)[number / 8] >> number % 8);
		else
			number = (number / 8 + 1) * 8;
	}
	return ~0ull;
}

u64 matches_nth(const struct matches *m, u64 i)
{
	const struct marks *marks = m->job.shared;
	u64 block = 0;

	if (!marks)
		return i < m->n_events ? i : ~0ull;
	while (block < n_blocks(m) && i >= marks->by_block[block])
		i -= marks->by_block[block++];
	for (u64 at = matches_after(m, block * BLOCK); at != ~0ull; at = matches_after(m, at + 1))
		if (!i--)
			return at;
	return ~0ull;
}

u64 matches_before(const struct matches *m, u64 number)
{
	const struct marks *marks = m->job.shared;
	u64 n = 0, block = number / BLOCK;

	if (!marks)
		return MIN(number, m->n_events);
	for (u64 i = 0; i < MIN(block, n_blocks(m)); i++)
		n += marks->by_block[i];
	for (u64 at = block * BLOCK; at < number && at < m->n_events; at++)
		n += bits_of(m)[at / 8] >> at % 8 & 1;
	return n;
}
