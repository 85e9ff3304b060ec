/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the action of each record. Records that arrive while a command of system() runs are queued
 * in order, so that a slow command does not stall the ring.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/fd.h"
#include "session/run.h"
#include "type/agg.h"

/* ---- what actions may do */

static int on_record(void *ctx, const void *record, u32 len);

/* Reports a failure, because nothing of the map is then shown or done. A missing key is none. */
static int report_failure(struct run *r, u32 map, const char *what, int ret)
{
	if (ret < 0 && ret != -ENOENT)
		sink_warn(r->sink, arena_printf(&r->scratch, "cannot %s %s: %s", what,
						r->c.prog.maps.v[map].name, strerror(-ret)));
	return ret;
}

static int map_read(void *ctx, u32 map, struct table *t)
{
	struct run *r = ctx;

	return report_failure(r, map, "read", engines_map_read(&r->engines, map, &r->scratch, t));
}

static int map_clear(void *ctx, u32 map)
{
	struct run *r = ctx;

	return report_failure(r, map, "clear", engines_map_clear(&r->engines, map));
}

static int map_zero(void *ctx, u32 map)
{
	struct run *r = ctx;

	return report_failure(r, map, "zero", engines_map_zero(&r->engines, map));
}

static int map_delete(void *ctx, u32 map, const void *key)
{
	struct run *r = ctx;

	return report_failure(r, map, "delete a key of", engines_map_delete(&r->engines, map, key));
}

static u64 real_ns(void *ctx)
{
	const struct run *r = ctx;
	struct engine_clock now = engines_clock(&r->engines);

	return now.boot_ns + (u64)now.boot_to_real;
}

static void recorded_stacks(void *ctx, struct trace_event *e)
{
	const struct run *r = ctx;

	engines_recorded_stacks(&r->engines, e);
}

static void do_exit(void *ctx, int code)
{
	struct run *r = ctx;

	if (!r->end.exit_called)
		r->end.exit_code = code;
	r->end.exiting = r->end.exit_called = true;
}

static void do_system(void *ctx, struct span span, const char *command)
{
	if (!((struct run *)ctx)->c.recorded) /* what it would react to is over */
		command_start(ctx, span, command);
}

static void settle_speculation(void *ctx, u32 number, bool commit)
{
	struct run *r = ctx;
	struct buf b = speculation_take(&r->speculations, number);

	for (size_t at = 0; commit && at < b.len;) {
		struct record_head *h = (void *)(b.s + at + 8);
		u32 len;

		memcpy(&len, b.s + at, sizeof len);
		h->speculation = 0;
		on_record(r, h, len);
		at += 8 + ALIGN_UP(len, 8u);
	}
	buf_release(&b);
}

void actor_init(struct run *r)
{
	r->actor = (struct actor){
		.sink = r->sink,
		.names = &r->naming.names,
		.prog = &r->c.prog,
		.scratch = &r->scratch,
		.ctx = r,
		.map_read = map_read,
		.map_clear = map_clear,
		.map_zero = map_zero,
		.map_delete = map_delete,
		.exit = do_exit,
		.speculation = settle_speculation,
		.real_ns = real_ns,
		.recorded_stacks = recorded_stacks,
		.system = do_system,
		.warnings = !r->request->compile.no_warnings,
		.max_cat_bytes = (u32)r->c.env.config.max_cat_bytes,
	};
	r->records.loss_seen = xcalloc(r->c.prog.losses.n + 1, sizeof *r->records.loss_seen);
}

/* ---- records */

static void keep_for_later(struct records *k, const void *record, u32 len)
{
	u32 head[2] = { len, 0 };

	buf_add(&k->backlog, head, sizeof head);
	buf_add(&k->backlog, record, len);
	buf_pad(&k->backlog, 0, ALIGN_UP(len, 8u) - len);
}

static void act(struct run *r, const void *record, u32 len)
{
	const struct record_head *h = record;
	struct event_desc *e;

	if (len < sizeof *h || h->event >= r->c.prog.events.n)
		return;
	if (r->end.exit_called &&
	    !r->end.in_end_clauses) /* what other events recorded before they were detached */
		return;
	e = r->c.prog.events.v[h->event];
	if (h->speculation && speculation_keep(&r->speculations, h->speculation, record, len))
		return;
	r->records.in_record = e->map == NO_INDEX;
	e->action->act(&r->actor, e, record, len);
	r->records.in_record = false;
	if (r->scratch.used) {
		arena_release(&r->scratch);
		arena_init(&r->scratch);
	}
}

/* A run that is about to end need not be attached. */
static void see_end(struct run *r, const void *record, u32 len)
{
	const struct record_head *h = record;

	if (len >= sizeof *h && h->event < r->c.prog.events.n &&
	    r->c.prog.events.v[h->event]->action->ends_run)
		r->end.exiting = true;
}

static int on_record(void *ctx, const void *record, u32 len)
{
	struct run *r = ctx;

	if (r->records.holding)
		see_end(r, record, len);
	if (r->records.holding || r->command.out >= 0)
		keep_for_later(&r->records, record, len);
	else
		act(r, record, len);
	return 0;
}

u32 records_drain(struct run *r)
{
	u64 settled;
	int n;

	r->records.drain_before = r->records.drain_began;
	r->records.drain_began = clock_mono_ns();
	n = engines_drain(&r->engines, &r->end.exit_called, &settled, on_record, r);
	if (settled && r->sink->output->settled)
		r->sink->output->settled(r->sink, settled);
	return (u32)n;
}

static void replay_backlog(struct run *r)
{
	struct buf b = r->records.backlog;
	size_t at = 0;

	r->records.backlog = (struct buf){ 0 };
	r->records.drain_before = 0; /* any change may be younger than these */
	while (at < b.len) {
		u32 len;

		memcpy(&len, b.s + at, sizeof len);
		on_record(r, b.s + at + 8, len); /* a system() in it keeps the rest again */
		at += 8 + ALIGN_UP(len, 8u);
	}
	buf_release(&b);
}

void records_release(struct run *r)
{
	r->records.holding = false;
	replay_backlog(r);
}

/* ---- system() */

void records_command(struct run *r)
{
	if (command_read(r))
		replay_backlog(r);
}

void records_command_wait(struct run *r)
{
	while (r->command.out >= 0) {
		records_command(r);
		records_drain(r);
	}
}

/* ---- the end */

void losses_more(struct run *r, u32 n)
{
	u32 now = r->c.prog.losses.n;

	r->records.loss_seen =
		xrealloc(r->records.loss_seen, (now + 1) * sizeof *r->records.loss_seen);
	if (now > n)
		memset(r->records.loss_seen + n, 0, (now - n) * sizeof *r->records.loss_seen);
}

void losses_report(struct run *r)
{
	for (u32 i = 0; i < r->c.prog.losses.n; i++) {
		struct loss *l = &r->c.prog.losses.v[i];
		u64 now = engines_count(&r->engines, l->data_off);

		if (now > r->records.loss_seen[i]) {
			r->sink->output->lost(r->sink, l, now - r->records.loss_seen[i]);
			r->records.loss_seen[i] = now;
		}
	}
}

void losses_forget(struct run *r)
{
	for (u32 i = 0; i < r->c.prog.losses.n; i++)
		r->records.loss_seen[i] =
			engines_count(&r->engines, r->c.prog.losses.v[i].data_off);
}

static int by_name(const void *a, const void *b)
{
	const struct map_desc *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void print_maps(struct run *r, u32 top, bool descending)
{
	const struct map_desc **order = xcalloc(r->c.prog.maps.n + 1, sizeof *order);
	u32 n = 0;

	for (u32 i = 0; i < r->c.prog.maps.n; i++)
		if (r->c.prog.maps.v[i].role == MAP_USER || r->c.prog.maps.v[i].role == MAP_GLOBAL)
			order[n++] = &r->c.prog.maps.v[i];
	qsort(order, n, sizeof *order, by_name);
	for (u32 i = 0; i < n; i++) {
		struct table t = { .map = order[i],
				   .div = order[i]->normal,
				   .top = top,
				   .descending = descending };

		if (map_read(r, (u32)(order[i] - r->c.prog.maps.v), &t) == 0) {
			table_sort(&t, &r->naming.names);
			r->sink->output->table(r->sink, &t);
		}
		arena_release(&r->scratch);
		arena_init(&r->scratch);
	}
	free(order);
}

void maps_print(struct run *r)
{
	print_maps(r, 0, false);
}

void maps_print_top(struct run *r, u32 top)
{
	print_maps(r, top, true);
}

void maps_restart(struct run *r)
{
	for (u32 i = 0; i < r->c.prog.maps.n; i++) {
		const struct map_desc *m = &r->c.prog.maps.v[i];

		if ((m->role == MAP_USER || m->role == MAP_GLOBAL) && type_is_agg(m->value))
			map_clear(r, i);
	}
}
