/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: groups of a script. Out: its run over the events of now or of a recording, and a table for
 * each group. */
#include <errno.h>
#include <stdlib.h>
#include "base/hash.h"
#include "cli/job.h"
#include "cli/recording.h"
#include "cli/sums.h"
#include "output/notice.h"
#include "output/output.h"
#include "sym/tracefs.h"
#include "trace/value.h"
#include "type/event_format.h"

/* Suffixes of map names, in the order of the columns. */
static const struct {
	const char *name, *title;
	bool is_time; /* ns, shown in us */
} columns[] = { { "n", "count", false },
		{ "ns", "total, us", true },
		{ "max_ns", "max, us", true },
		{ "bytes", "bytes", false },
		{ "requested", "requested", false },
		{ "writes", "writes", false } };
enum { N_COLUMNS = ARRAY_SIZE(columns), BY_COUNT = 0, BY_TIME = 1, BY_BYTES = 3 };

struct sums_row {
	const char *fields[4], *below; /* of the key; its stack, or "" */
	s64 values[N_COLUMNS];
};

struct sums_table {
	const struct sums_group *group;
	VEC(struct sums_row *) rows;
	bool has[N_COLUMNS];
	struct hash by_key; /* its text */
};

struct sums {
	struct cli *c;
	struct sums_table tables[4];
	u32 n;
	bool has_run;
};

/* ---- from maps to rows */

static void put_field(struct sums_row *row, u32 *n, struct arena *a, const struct names *names,
		      const struct type *t, const void *p)
{
	struct buf b = { 0 };

	value_text(&b, names, t, p);
	if (type_is_stack(t))
		row->below = arena_strdup(a, b.s ? b.s : "");
	else if (*n < ARRAY_SIZE(row->fields))
		row->fields[(*n)++] = arena_strdup(a, b.s ? b.s : "");
	buf_release(&b);
}

static struct sums_row read_key(struct arena *a, const struct names *names, const struct type *t,
				const void *key, u32 *n)
{
	struct sums_row row = { .below = "" };

	if (t->kind != TY_TUPLE)
		put_field(&row, n, a, names, t, key);
	for (u32 i = 0; t->kind == TY_TUPLE && i < t->n_fields; i++)
		put_field(&row, n, a, names, t->fields[i].type,
			  (const char *)key + t->fields[i].offset);
	return row;
}

static struct sums_row *row_of(struct sums *s, struct sums_table *to, const struct names *names,
			       const struct table *t, const void *key)
{
	struct arena *a = &s->c->line.arena;
	struct sums_row read = read_key(a, names, t->map->key, key, &(u32){ 0 }), *row;
	const char *text = arena_printf(a, "%s\n%s\n%s\n%s\n%s",
					read.fields[0] ? read.fields[0] : "",
					read.fields[1] ? read.fields[1] : "",
					read.fields[2] ? read.fields[2] : "",
					read.fields[3] ? read.fields[3] : "", read.below);

	if ((row = hash_gets(&to->by_key, text)))
		return row;
	row = arena_new(a, struct sums_row);
	*row = read;
	hash_puts(&to->by_key, text, row);
	vec_push(a, &to->rows, row);
	return row;
}

/* The table and the column of a map; NULL: it is not for a table. */
static struct sums_table *table_of(struct sums *s, const char *map, u32 *column)
{
	for (u32 i = 0; i < s->n; i++)
		for (*column = 0; *column < N_COLUMNS; ++*column)
			if (streq(map + 1,
				  arena_printf(&s->c->line.arena, "%s_%s", s->tables[i].group->name,
					       columns[*column].name)))
				return &s->tables[i];
	return NULL;
}

static void table(struct sink *sink, const struct table *t)
{
	struct sums *s = sink->state;
	u32 column;
	struct sums_table *to = table_of(s, t->map->name, &column);

	if (!to || !t->map->key)
		return;
	to->has[column] = true;
	for (u32 i = 0; i < t->rows.n; i++)
		row_of(s, to, sink->names, t, t->rows.v[i].key)->values[column] +=
			table_number(t->map->value, t->rows.v[i].value);
}

/* ---- tables */

static u32 sorted_column; /* qsort() passes nothing on */

static int by_sum(const void *a, const void *b)
{
	const struct sums_row *x = *(struct sums_row *const *)a, *y = *(struct sums_row *const *)b;
	s64 m = x->values[sorted_column], n = y->values[sorted_column];

	return m < n ? 1 :
	       m > n ? -1 :
		       strcmp(x->fields[0] ? x->fields[0] : x->below,
			      y->fields[0] ? y->fields[0] : y->below);
}

/* The width of each field of the keys. */
static void measure(struct sums_table *t, u32 width[4])
{
	for (u32 k = 0; k < 4 && t->group->keys[k]; k++) {
		width[k] = (u32)strlen(t->group->keys[k]);
		for (u32 i = 0; i < t->rows.n; i++)
			if (t->rows.v[i]->fields[k])
				width[k] = MAX(width[k],
					       MIN((u32)strlen(t->rows.v[i]->fields[k]), 60u));
	}
}

static void put_row(struct buf *b, const struct sums_table *t, const struct sums_row *r,
		    const u32 width[4])
{
	for (u32 k = 0; k < 4 && t->group->keys[k]; k++)
		buf_printf(b, "%-*s ", (int)width[k], r->fields[k] ? r->fields[k] : "");
	for (u32 i = 0; i < N_COLUMNS; i++)
		if (t->has[i] && columns[i].is_time)
			buf_printf(b, "  %14.3f", (double)r->values[i] / 1e3);
		else if (t->has[i])
			buf_printf(b, "  %14lld", (long long)r->values[i]);
	buf_printf(b, "%s%s", *r->below == '\n' ? "" : "\n", r->below);
}

static void put_table(struct buf *b, struct sums_table *t)
{
	u32 width[4] = { 0 };

	sorted_column = t->has[BY_TIME] ? BY_TIME : t->has[BY_BYTES] ? BY_BYTES : BY_COUNT;
	if (t->rows.n)
		qsort(t->rows.v, t->rows.n, sizeof *t->rows.v, by_sum);
	measure(t, width);
	buf_printf(b, "%s%s\n", t->group->title, t->rows.n ? "" : ": none");
	for (u32 k = 0; k < 4 && t->group->keys[k] && t->rows.n; k++)
		buf_printf(b, "%-*s ", (int)width[k], t->group->keys[k]);
	for (u32 i = 0; i < N_COLUMNS && t->rows.n; i++)
		if (t->has[i])
			buf_printf(b, "  %14s", columns[i].title);
	buf_puts(b, t->rows.n ? "\n" : "");
	for (u32 i = 0; i < t->rows.n; i++)
		put_row(b, t, t->rows.v[i], width);
	buf_putc(b, '\n');
}

static void put_tables(struct sums *s, struct sink *sink)
{
	for (u32 i = 0; i < s->n; i++) {
		put_table(&sink->out, &s->tables[i]);
		hash_release(&s->tables[i].by_key);
	}
	sink_item(sink);
}

static void close_tables(struct sink *sink)
{
	struct sums *s = sink->state;

	if (s && s->has_run)
		put_tables(s, sink);
}

/* Not of a run that failed before its probes were attached: "none" would be wrong. */
static void end(struct sink *sink)
{
	((struct sums *)sink->state)->has_run = true;
}

static const struct output output_sums = {
	.name = "sums",
	TEXT_HOOKS,
	.table = table,
	.end = end,
	.close = close_tables,
};

/* ---- which groups there are events for */

static bool is_there(struct arena *a, const struct store_tables *t, const char *event)
{
	const char *colon = strchr(event, ':');
	struct err err = { 0 };
	bool found;

	if (t)
		return store_has_event(t, event);
	found = tracefs_event_id(arena_strndup(a, event, (size_t)(colon - event)), colon + 1,
				 &err) >= 0 ||
		err.code != -ENOENT; /* the run reports events that may not be read */
	err_release(&err);
	return found;
}

static bool has_events(struct sums *s, const struct store_tables *t, const struct sums_group *g)
{
	struct arena *a = &s->c->line.arena;

	for (const char *e = g->events; *e; e += strcspn(e, ",") + (e[strcspn(e, ",")] == ',')) {
		const char *event = arena_strndup(a, e, strcspn(e, ","));

		if (is_there(a, t, event))
			continue;
		say_note(s->c, "%s: %s has no %s", g->title,
			 t ? s->c->request.from.file : "this kernel", event);
		return false;
	}
	return true;
}

static int choose(struct sums *s, const struct sums_group *groups, u32 n, struct buf *script)
{
	struct recorded r = { 0 };
	int ret = s->c->request.from.file ? recorded_open_path(&r, s->c, s->c->request.from.file) :
					    0;

	for (u32 i = 0; i < n && !ret; i++)
		if (has_events(s, r.tables, &groups[i])) {
			s->tables[s->n++].group = &groups[i];
			buf_puts(script, groups[i].script);
		}
	if (!ret && s->c->request.from.file)
		recorded_close_quietly(&r);
	if (!ret && !s->n)
		ret = say_usage(
			s->c, "none of the events is there: sonde record -e EVENT -a records them");
	return ret;
}

int sums_run(struct cli *c, const struct sums_group *groups, u32 n)
{
	struct sums s = { .c = c };
	struct buf script = { 0 };
	struct job job = { .status_of_cmd = true };
	int ret = job_targets(c, JOB_TRACES_ALL);

	ret = ret ? ret : job_only_cpus(c);
	buf_puts(&script, "config = { max_map_keys = 65536 }\n");
	ret = ret ? ret : choose(&s, groups, n, &script);
	if (!c->sink.output || streq(c->sink.output->name, "text")) {
		job.output = &output_sums;
		c->sink.state = &s;
	}
	job.script = script.s;
	ret = ret ? ret : job_run(c, &job);
	buf_release(&script);
	return ret;
}
