/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of ns may be larger than a double holds: times are relative to the range's beginning,
 * which is a string. */
#include "base/json.h"
#include "export/timeline/json.h"
#include "trace/event_text.h"

typedef unsigned long long ull;

void timeline_put_text(struct buf *b, const char *key, const struct store_text *text)
{
	buf_printf(b, ",\"%s\":", key);
	json_str(b, text ? text->bytes : "", text ? text->len : 0);
}

static void put_tasks(struct buf *b, const struct model *m)
{
	buf_puts(b, ",\"tasks\":[");
	for (u32 i = 0; i < m->tasks.n; i++) {
		const struct timeline_task *t = &m->tasks.v[i];

		buf_printf(b, "%s[%u,%u,", i ? "," : "", t->tid, t->pid);
		json_strz(b, t->comm);
		buf_putc(b, ']');
	}
	buf_putc(b, ']');
}

/* Names of its own fields. */
static void put_fields(struct buf *b, const struct event_format *f, u32 before)
{
	const char *comma = "";

	buf_puts(b, before ? ",[" : "[");
	for (u32 i = 0; i < f->n_members; i++)
		if (!f->members[i].is_common) {
			buf_puts(b, comma);
			json_strz(b, f->members[i].name);
			comma = ",";
		}
	buf_putc(b, ']');
}

static void put_names(struct buf *b, const struct timeline *t)
{
	const struct store_tables *tables = t->model.tables;

	buf_puts(b, ",\"formats\":[");
	for (u32 i = 0; i < tables->formats.n; i++) {
		buf_puts(b, i ? "," : "");
		json_strz(b, tables->formats.v[i]->name);
	}
	buf_puts(b, "],\"fields\":[");
	for (u32 i = 0; i < tables->formats.n; i++)
		put_fields(b, tables->formats.v[i], i);
	buf_puts(b, "],\"names\":[");
	for (u32 i = 0; i < t->model.names.n; i++) {
		buf_puts(b, i ? "," : "");
		json_strz(b, t->model.names.v[i]);
	}
	buf_putc(b, ']');
}

/* Of the file, or what of a file of another tool could not be read. */
static const char *damage_of(const struct timeline *t)
{
	const char *own = store_damage(t->store);

	return own ? own : t->damage ? t->damage : "";
}

static void put_state(struct buf *b, const struct timeline *t)
{
	buf_printf(b, "\"change\":%d,\"damage\":", store_change(t->store));
	json_strz(b, damage_of(t));
}

void timeline_put_state(struct buf *b, const struct timeline *t)
{
	buf_putc(b, '{');
	put_state(b, t);
	buf_putc(b, '}');
}

static void put_losses(struct buf *b, const struct timeline *t)
{
	const struct store_tables *tables = t->model.tables;
	bool is_first = true;

	buf_puts(b, ",\"losses\":[");
	for (u32 i = 0; i < tables->losses.n; i++) {
		const struct store_loss *l = &tables->losses.v[i];

		buf_printf(b, "%s[%lld,%llu,", is_first ? "" : ",", (long long)(l->time - t->from),
			   (ull)l->count);
		json_strz(b, l->why);
		buf_putc(b, ']');
		is_first = false;
	}
	buf_puts(b, "],\"gaps\":[");
	for (u32 i = 0; i < tables->gaps.n; i++) {
		const struct store_gap *g = &tables->gaps.v[i];

		buf_printf(b, "%s[%lld,%lld,%d]", i ? "," : "", (long long)(g->from - t->from),
			   (long long)(g->to - t->from), g->cpu == CHUNK_NO_CPU ? -1 : (int)g->cpu);
	}
	buf_puts(b, "],");
	put_state(b, t);
	buf_printf(b, ",\"hasEnd\":%s", tables->was_closed ? "true" : "false");
	buf_printf(b, ",\"chunksGone\":%llu",
		   (ull)(tables->n_written - MIN(tables->n_written, tables->n_chunks)));
}

static u32 n_levels(const struct timeline *t)
{
	u32 n = 0;

	while (n < TIMELINE_LEVELS && t->levels[n].tiles)
		n++;
	return n;
}

void timeline_put_info(struct buf *b, const struct timeline *t, const char *file)
{
	const struct store_tables *tables = t->model.tables;
	const struct model *m = &t->model;

	buf_puts(b, "{\"file\":");
	json_strz(b, file);
	timeline_put_text(b, "command", store_find_text(t->store, "command"));
	timeline_put_text(b, "script", store_find_text(t->store, "program"));
	timeline_put_text(b, "uname", store_find_text(t->store, "uname"));
	buf_printf(
		b,
		",\"from\":\"%llu\",\"to\":\"%llu\",\"toReal\":\"%lld\",\"range\":%llu,\"done\":%llu,\"isDone\":%s",
		(ull)t->from, (ull)t->to, (long long)tables->head.to_real, (ull)(t->to - t->from),
		(ull)(t->done_to - t->from), t->is_done ? "true" : "false");
	buf_printf(b, ",\"events\":%llu,\"eventsInFile\":%llu,\"cpus\":%u,\"levels\":%u",
		   (ull)t->n_done, (ull)tables->n_events, tables->head.n_cpus, n_levels(t));
	buf_printf(
		b,
		",\"wholeMachine\":%s,\"has\":{\"switches\":%d,\"wakeups\":%d,\"calls\":%d,\"interrupts\":%d,\"stacks\":%d}",
		tables->head.scope ? "false" : "true", m->has_switches, m->has_wakeups,
		m->has_calls, m->has_interrupts, m->has_stacks);
	put_tasks(b, m);
	put_names(b, t);
	put_losses(b, t);
	buf_putc(b, '}');
}

void timeline_put_event(struct buf *b, struct arena *a, const struct names *names,
			const struct trace_event *e)
{
	struct buf text = { 0 };

	buf_printf(b, "%u,%u,%u,", e->format->stored - 1, e->tid, e->pid);
	json_str(b, e->comm, strnlen(e->comm, COMM_SIZE));
	buf_putc(b, ',');
	event_text(&text, a, names, e->format, e->record, e->len);
	json_str(b, text.s ? text.s : "", text.len);
	buf_release(&text);
}
