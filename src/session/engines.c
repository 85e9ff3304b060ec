/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on all engines of a run. With one engine each is a call of the engine's operation.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "base/hash.h"
#include "session/run.h"
#include "type/agg.h"

struct used_engine *engines_next(const struct used_engines *e, struct used_engine *u)
{
	struct used_engine *end = e->v ? e->v + e->n : NULL;

	for (u = u ? u + 1 : e->v; u < end; u++)
		if (u->self)
			return u;
	return NULL;
}

static bool is_needed(const struct compiled *c, u32 engine)
{
	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].engine == engine)
			return true;
	return c->n_engines == 1;
}

int engines_open(struct used_engines *e, struct compiled *c, const struct engine_options *o,
		 struct err *err)
{
	*e = (struct used_engines){ .v = xcalloc(c->n_engines + 1, sizeof *e->v),
				    .n = c->n_engines,
				    .prog = &c->prog };
	for (u32 i = 0; i < c->n_engines; i++) {
		struct used_engine *u = &e->v[i];

		u->ops = c->engines[i];
		if (!is_needed(c, i))
			continue;
		u->self = u->ops->open(&c->prog, o, err);
		if (!u->self)
			return err->code;
	}
	return 0;
}

/* sonde exits before everything is detached. */
static void tell_leaving(struct sink *s, const struct leaving *l)
{
	if (!l->n)
		return;
	buf_printf(
		&s->err,
		"sonde: the kernel is still removing %u attachments, for about %llu s (process %d, sonde-detach)\n",
		l->n, (unsigned long long)(l->ms + 999) / 1000, l->pid);
	sink_flush(s);
}

void engines_close(struct used_engines *e, struct sink *s)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u)) {
		struct leaving l = u->ops->close(u->self);

		tell_leaving(s, &l);
	}
	free(e->v);
	e->v = NULL;
}

void engines_start(struct used_engines *e)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->start)
			u->ops->start(u->self);
}

void engines_detach_all(struct used_engines *e)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->detach_all)
			u->ops->detach_all(u->self);
}

int engines_extend(struct used_engines *e, u32 data_from)
{
	int ret = 0;

	for (struct used_engine *u = engines_next(e, NULL); u && !ret; u = engines_next(e, u))
		if (u->ops->extend)
			ret = u->ops->extend(u->self, data_from);
	return ret;
}

/* ---- what they are */

bool engines_have_events(const struct used_engines *e)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->has_events)
			return true;
	return false;
}

bool engines_on_this_kernel(const struct used_engines *e)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->on_this_kernel)
			return true;
	return false;
}

bool engines_are_over(const struct used_engines *e)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->has_events && !(u->ops->is_over && u->ops->is_over(u->self)))
			return false;
	return true;
}

const struct used_engine *engine_of(const struct used_engines *e, const struct target_site *t)
{
	return &e->v[t->engine];
}

const struct used_engine *engine_for_deferred(const struct used_engines *e, const struct site *s)
{
	const struct used_engine *best = NULL;
	u32 price = 0;

	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u)) {
		struct engine_answer a = { 0 };

		if (!u->ops->attach || !u->ops->serves(s, &a) || (best && a.price_ns >= price))
			continue;
		best = u;
		price = a.price_ns;
	}
	return best;
}

/* ---- records */

bool engines_drained_much(const struct used_engines *e)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->drained_much && u->ops->drained_much(u->self))
			return true;
	return false;
}

u32 engines_fill(const struct used_engines *e)
{
	u32 most = 0;

	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->fill)
			most = MAX(most, u->ops->fill(u->self));
	return most;
}

/* The engine whose waiting record is the oldest, and the time of the oldest of all the others.
 * NULL: none waits. */
static struct used_engine *oldest_of(const struct used_engines *e, u64 *until)
{
	struct used_engine *oldest = NULL;
	u64 least = ~0ull;

	*until = ~0ull;
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u)) {
		u64 t = u->ops->next ? u->ops->next(u->self) : 0;

		if (!t)
			continue;
		if (oldest && t >= least) {
			*until = MIN(*until, t);
			continue;
		}
		*until = least;
		least = t;
		oldest = u;
	}
	return oldest;
}

/* Ends draining at the record that ends the run: an engine may have an hour of them. */
struct relay {
	const bool *is_over;
	record_fn f;
	void *ctx;
	bool was_over; /* before: what is left is taken as well */
};

static bool is_at_end(const struct relay *relay)
{
	return *relay->is_over && !relay->was_over;
}

static int hand_over(void *ctx, const void *record, u32 len)
{
	struct relay *relay = ctx;
	int ret = relay->f(relay->ctx, record, len);

	return ret ? ret : is_at_end(relay);
}

/* Of a source that ends nothing is taken that was after the end of the run. */
static int drain_all(struct used_engine *u, u64 until, struct relay *relay)
{
	if (!u->ops->is_over)
		return u->ops->drain(u->self, until, relay->f, relay->ctx);
	return is_at_end(relay) ? 0 : u->ops->drain(u->self, ~0ull, hand_over, relay);
}

static bool are_several(const struct used_engines *e)
{
	struct used_engine *u = engines_next(e, NULL);

	return u && engines_next(e, u);
}

/* By less than that the clocks of engines differ. */
enum { CLOCKS_DIFFER_NS = 50000 };

void engines_settle(const struct used_engines *e)
{
	struct timespec ts = { .tv_nsec = 2 * CLOCKS_DIFFER_NS };

	if (are_several(e))
		nanosleep(&ts, NULL);
}

/*
 * Engines that do not know the times of their records are the last in the list, and drained first:
 * what the others then pass on, up to a time before, is younger than nothing that is missing.
 * Returns this time; 0: records may be missing.
 */
static u64 drain_unordered(struct used_engines *e, struct relay *relay, int *sum)
{
	u64 until = are_several(e) ? clock_boot_ns() - CLOCKS_DIFFER_NS : ~0ull;
	int n;

	for (u32 i = e->n; i--;) {
		struct used_engine *u = &e->v[i];

		if (!u->self || u->ops->next)
			continue;
		n = drain_all(u, until, relay);
		*sum += MAX(n, 0);
		if (u->ops->has_all && !u->ops->has_all(u->self))
			until = 0;
	}
	return until;
}

int engines_drain(struct used_engines *e, const bool *is_over, u64 *settled, record_fn f, void *ctx)
{
	struct relay relay = { .is_over = is_over, .f = f, .ctx = ctx, .was_over = *is_over };
	struct used_engine *oldest;
	int sum = 0, n;
	u64 until;

	*settled = drain_unordered(e, &relay, &sum);
	while (!is_at_end(&relay) && (oldest = oldest_of(e, &until)) &&
	       (n = oldest->ops->drain(oldest->self, until, hand_over, &relay)) > 0)
		sum += n;
	return sum;
}

u64 engines_skipped(struct used_engines *e, u32 func)
{
	u64 sum = 0;

	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->skipped)
			sum += u->ops->skipped(u->self, func);
	return sum;
}

/* ---- maps */

/* The values by their keys: there is one without a key at most. Rows may move meanwhile, values do
 * not. */
static void *value_at(const struct table *t, const struct hash *by_key, const void *key)
{
	if (key)
		return hash_get(by_key, key, t->map->key_size);
	return t->rows.n ? t->rows.v[0].value : NULL;
}

/* Only aggregations have a part in each engine: all clauses on any other map share one
 * (choose.c). */
static void merge_tables(struct table *to, struct arena *a, const struct table *from)
{
	struct hash by_key = { 0 };

	for (u32 i = 0; i < to->rows.n; i++)
		if (to->rows.v[i].key)
			hash_put(&by_key, to->rows.v[i].key, to->map->key_size,
				 to->rows.v[i].value);
	for (u32 i = 0; i < from->rows.n; i++) {
		void *value = value_at(to, &by_key, from->rows.v[i].key);

		if (value)
			agg_merge(to->map->value, value, from->rows.v[i].value);
		else
			vec_push(a, &to->rows, from->rows.v[i]);
	}
	hash_release(&by_key);
}

int engines_map_read(struct used_engines *e, u32 map, struct arena *a, struct table *t)
{
	struct used_engine *u = engines_next(e, NULL);
	int ret = u ? u->ops->map_read(u->self, map, a, t) : -ENOENT;

	while (!ret && (u = engines_next(e, u))) {
		struct table more = { .map = t->map };

		ret = u->ops->map_read(u->self, map, a, &more);
		if (!ret)
			merge_tables(t, a, &more);
	}
	return ret;
}

int engines_map_clear(struct used_engines *e, u32 map)
{
	int ret = 0;

	for (struct used_engine *u = engines_next(e, NULL); u && !ret; u = engines_next(e, u))
		ret = u->ops->map_clear(u->self, map);
	return ret;
}

int engines_map_zero(struct used_engines *e, u32 map)
{
	int ret = 0;

	for (struct used_engine *u = engines_next(e, NULL); u && !ret; u = engines_next(e, u))
		ret = u->ops->map_zero(u->self, map);
	return ret;
}

/* Of the first engine that has such memory: only it unwinds stacks. */
void *engines_map_memory(struct used_engines *e, u32 map)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->map_memory)
			return u->ops->map_memory(u->self, map);
	return NULL;
}

int engines_map_set(struct used_engines *e, u32 map, const void *key, const void *value)
{
	int ret = 0;

	for (struct used_engine *u = engines_next(e, NULL); u && !ret; u = engines_next(e, u))
		ret = u->ops->map_set(u->self, map, key, value);
	return ret;
}

/* The key may be in one of them only. */
int engines_map_delete(struct used_engines *e, u32 map, const void *key)
{
	int ret = -ENOENT;

	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u)) {
		int one = u->ops->map_delete(u->self, map, key);

		ret = ret == -ENOENT || (one < 0 && one != -ENOENT) ? one : ret;
	}
	return ret;
}

int engines_map_move(struct used_engines *e, u32 map, const void *from, const void *to,
		     bool replace)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->map_move)
			return u->ops->map_move(u->self, map, from, to, replace);
	return -EOPNOTSUPP;
}

u32 engines_stack(struct used_engines *e, const struct stack_value *v, u32 limit, u64 *ips,
		  u64 *time)
{
	u32 n = 0;

	for (struct used_engine *u = engines_next(e, NULL); u && !n; u = engines_next(e, u))
		n = u->ops->stack(u->self, v, limit, ips, time);
	return n;
}

u64 engines_count(struct used_engines *e, u32 offset)
{
	u64 sum = 0;

	if (e->prog->data_map == NO_INDEX)
		return 0;
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		sum += u->ops->data_u64(u->self, offset);
	return sum;
}

u64 engines_word(struct used_engines *e, u32 offset)
{
	struct used_engine *u = engines_next(e, NULL);

	return u && e->prog->data_map != NO_INDEX ? u->ops->data_u64(u->self, offset) : 0;
}

void engines_set_word(struct used_engines *e, u32 offset, u64 value)
{
	if (e->prog->data_map == NO_INDEX)
		return;
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		u->ops->set_data_u64(u->self, offset, value);
}

/* ---- the system that events come from */

struct engine_clock engines_clock(const struct used_engines *e)
{
	struct engine_clock now = { .boot_ns = clock_boot_ns(),
				    .boot_to_real = clock_boot_to_real_ns() };

	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->clock) {
			u->ops->clock(u->self, &now);
			break;
		}
	return now;
}

bool engines_ksym(const struct used_engines *e, u64 addr, struct symbol *out)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->ksym && u->ops->ksym(u->self, addr, out))
			return true;
	return false;
}

bool engines_usym(const struct used_engines *e, const struct engine_code *at, struct symbol *out)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->usym)
			return u->ops->usym(u->self, at, out);
	return false;
}

void engines_recorded_stacks(const struct used_engines *e, struct trace_event *event)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->recorded_stacks)
			u->ops->recorded_stacks(u->self, event);
}

static struct used_engine *knows_maps(const struct used_engines *e)
{
	struct used_engine *u = engines_next(e, NULL);

	while (u && !u->ops->maps_open)
		u = engines_next(e, u);
	return u;
}

bool engines_bell(struct used_engines *e, struct bell *out)
{
	for (struct used_engine *u = engines_next(e, NULL); u; u = engines_next(e, u))
		if (u->ops->bell && u->ops->bell(u->self, out))
			return true;
	return false;
}

int engines_maps_open(struct used_engines *e, bool prompt)
{
	struct used_engine *u = knows_maps(e);

	return u ? u->ops->maps_open(u->self, prompt) : -ENOSYS;
}

int engines_maps_fd(const struct used_engines *e)
{
	struct used_engine *u = knows_maps(e);

	return u && u->ops->maps_fd ? u->ops->maps_fd(u->self) : -1;
}

void engines_maps_read(struct used_engines *e, map_event_fn f, void *ctx)
{
	struct used_engine *u = knows_maps(e);

	if (u)
		u->ops->maps_read(u->self, f, ctx);
}
