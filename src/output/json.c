/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, one object per line, in bpftrace's format. Objects have a blank after ':' and ',',
 * arrays have none. Integers that a double cannot hold are strings. Everything goes to the output
 * stream, messages too.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "base/json.h"
#include "output/hist.h"
#include "output/output.h"
#include "output/notice.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"
#include "trace/value.h"
#include "type/agg.h"

struct put {
	struct buf *b;
	const struct names *names;
	s64 div;        /* of all integers */
	bool in_struct; /* char arrays are not cut strings */
};

static void put_value(struct put j, const struct type *t, const void *p);

/* ---- scalars */

/* Exact by value, not by size: 2^60 is a double, 2^53 + 1 is not. */
static bool exact(u64 magnitude)
{
	return !magnitude || 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) <= 53;
}

static void put_int(struct buf *b, bool is_signed, s64 v)
{
	bool negative = is_signed && v < 0, quote = !exact(negative ? -(u64)v : (u64)v);

	if (quote)
		buf_putc(b, '"');
	if (is_signed)
		buf_s64(b, v);
	else
		buf_u64(b, (u64)v);
	if (quote)
		buf_putc(b, '"');
}

/* Bytes gathered since start become a string. */
static void quote_since(struct buf *b, size_t start)
{
	struct buf raw = { 0 };

	buf_add(&raw, b->s + start, b->len - start);
	b->len = start;
	json_str(b, raw.s, raw.len);
	buf_release(&raw);
}

static void put_as_text(struct put j, const struct type *t, const void *p)
{
	size_t start = j.b->len;

	value_text(j.b, j.names, t, p);
	quote_since(j.b, start);
}

static void put_string(struct put j, const struct type *t, const void *p)
{
	u32 len = value_strlen(t, p);

	buf_putc(j.b, '"');
	json_escape(j.b, p, len);
	if (!j.in_struct)
		buf_puts(j.b, value_str_trailer(j.names, t, len));
	buf_putc(j.b, '"');
}

static void put_buffer(struct put j, const struct type *t, const void *p)
{
	const u8 *bytes;
	u32 len = value_bytes(t, p, &bytes);

	buf_putc(j.b, '[');
	for (u32 i = 0; i < len; i++) {
		if (i)
			buf_putc(j.b, ',');
		buf_u64(j.b, bytes[i]);
	}
	buf_putc(j.b, ']');
}

static void put_float(struct put j, const struct type *t, const void *p)
{
	if (isfinite(value_double(t, p)))
		value_float(j.b, t, p);
	else
		buf_puts(j.b, "null");
}

/* ---- values made of values */

static void put_array(struct put j, const struct type *t, const char *p)
{
	buf_putc(j.b, '[');
	for (u32 i = 0, n = type_array_count(t, p); i < n; i++) {
		if (i)
			buf_putc(j.b, ',');
		put_value(j, t->elem, p + (size_t)i * t->elem->size);
	}
	buf_putc(j.b, ']');
}

static void put_tuple(struct put j, const struct type *t, const char *p)
{
	buf_putc(j.b, '[');
	for (u32 i = 0; i < t->n_fields; i++) {
		if (i)
			buf_putc(j.b, ',');
		put_value(j, t->fields[i].type, p + t->fields[i].offset);
	}
	buf_putc(j.b, ']');
}

static void put_name(struct buf *b, const char *name)
{
	json_strz(b, name);
	buf_puts(b, ": ");
}

static void put_field(struct put j, const struct field *f, const char *p)
{
	if (f->bit_size)
		put_int(j.b, f->type->is_signed, value_div(f->type, value_bitfield(f, p), j.div));
	else if (f->data_loc)
		put_int(j.b, false, value_int(type_int(4, false), p + f->offset));
	else
		put_value(j, f->type, p + f->offset);
}

static bool put_fields(struct put j, const struct type *t, const char *p, bool any)
{
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];
		bool named = f->name && *f->name;

		if (!value_has_field(f, p))
			continue;
		if (!named && f->type->kind == TY_STRUCT)
			any = put_fields(j, type_complete(f->type), p + f->offset, any);
		if (!named)
			continue;
		if (any)
			buf_puts(j.b, ", ");
		put_name(j.b, f->name);
		put_field(j, f, p);
		any = true;
	}
	return any;
}

static void put_struct(struct put j, const struct type *t, const char *p)
{
	j.in_struct = t->kind == TY_STRUCT;
	buf_putc(j.b, '{');
	put_fields(j, type_complete(t), p, false);
	buf_putc(j.b, '}');
}

/* ---- aggregations */

static void put_stats(struct put j, const struct type *t, const void *p)
{
	struct agg_avg a;

	memcpy(&a, p, sizeof a);
	buf_puts(j.b, "{\"count\": ");
	put_int(j.b, false, (s64)a.count);
	buf_puts(j.b, ", \"average\": ");
	put_int(j.b, t->is_signed, value_div(t, table_number(t, p), j.div));
	buf_puts(j.b, ", \"total\": ");
	put_int(j.b, t->is_signed, a.total);
	buf_putc(j.b, '}');
}

/* "p50": 3, "p99": 15 */
static void put_percentiles(struct put j, const struct type *t, const void *p, const u32 *pct,
			    u32 n)
{
	bool is_signed = t->kind != TY_SAMPLES || t->is_signed;

	for (u32 i = 0; i < n; i++) {
		s64 v;

		buf_puts(j.b, i ? ", " : "");
		buf_putc(j.b, '"');
		put_pct_name(j.b, pct[i]);
		buf_puts(j.b, "\": ");
		if (table_percentile(t, p, pct[i], &v))
			put_int(j.b, is_signed, v);
		else
			buf_puts(j.b, "null");
	}
}

static void put_samples(struct put j, const struct type *t, const void *p)
{
	static const u32 shown[] = { 0, 50000, 90000, 99000, 100000 };

	buf_puts(j.b, "{\"count\": ");
	put_int(j.b, false, table_number(t, p));
	buf_puts(j.b, ", ");
	put_percentiles(j, t, p, shown, ARRAY_SIZE(shown));
	buf_putc(j.b, '}');
}

static void put_bucket(struct put j, const struct hist_view *v, u32 i)
{
	bool has_lo, has_hi;
	s64 lo, hi;

	hist_row(v, i, &lo, &has_lo, &hi, &has_hi);
	buf_putc(j.b, '{');
	if (has_lo) {
		buf_puts(j.b, "\"min\": ");
		put_int(j.b, true, lo);
		buf_puts(j.b, ", ");
	}
	if (has_hi) {
		buf_puts(j.b, "\"max\": ");
		put_int(j.b, true, hi);
		buf_puts(j.b, ", ");
	}
	buf_puts(j.b, "\"count\": ");
	buf_u64(j.b, hist_count(v, i));
	buf_putc(j.b, '}');
}

static void put_hist_rows(struct put j, const struct type *t, const void *p)
{
	struct hist_view v = hist_view(t, p, j.div);

	buf_putc(j.b, '[');
	for (u32 i = 0; i < v.n; i++) {
		if (i)
			buf_putc(j.b, ',');
		put_bucket(j, &v, i);
	}
	buf_putc(j.b, ']');
}

/* UTC, as 2026-08-01 12:00:00.500000000. */
static void put_utc(struct buf *b, u64 wall_ns)
{
	time_t sec = (time_t)(wall_ns / 1000000000);
	struct tm tm = { 0 };

	gmtime_r(&sec, &tm);
	buf_printf(b, "%04d-%02d-%02d %02d:%02d:%02d.%09u", tm.tm_year + 1900, tm.tm_mon + 1,
		   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (u32)(wall_ns % 1000000000));
}

static void put_series_rows(struct put j, const struct series *s)
{
	bool any = false;
	s64 v;

	buf_putc(j.b, '[');
	for (u64 i = 0; i < s->n; i++) {
		if (!series_at(s, s->first + i, &v))
			continue;
		buf_puts(j.b, any ? ",{\"interval_start\":\"" : "{\"interval_start\":\"");
		put_utc(j.b, series_wall_ns(j.names, s, s->first + i));
		buf_puts(j.b, "\",\"value\":");
		put_int(j.b, s->type->is_signed, v);
		buf_putc(j.b, '}');
		any = true;
	}
	buf_putc(j.b, ']');
}

static void put_value(struct put j, const struct type *t, const void *p)
{
	struct series series;

	switch (t->kind) {
	case TY_BOOL: buf_puts(j.b, value_int(t, p) ? "true" : "false"); return;
	case TY_INT: put_int(j.b, t->is_signed, value_div(t, value_int(t, p), j.div)); return;
	case TY_ENUM: put_int(j.b, t->is_signed, value_int(t, p)); return;
	case TY_POINTER: put_int(j.b, false, value_int(t, p)); return;
	case TY_COUNT:
	case TY_SUM:
	case TY_MIN:
	case TY_MAX:
	case TY_AVG: put_int(j.b, t->is_signed, value_div(t, table_number(t, p), j.div)); return;
	case TY_FLOAT: put_float(j, t, p); return;
	case TY_STRING: put_string(j, t, p); return;
	case TY_BUFFER: put_buffer(j, t, p); return;
	case TY_ARRAY: put_array(j, t, p); return;
	case TY_TUPLE: put_tuple(j, t, p); return;
	case TY_STRUCT:
	case TY_RECORD: put_struct(j, t, p); return;
	case TY_STATS: put_stats(j, t, p); return;
	case TY_SAMPLES: put_samples(j, t, p); return;
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST: put_hist_rows(j, t, p); return;
	case TY_TSERIES:
		series = series_alone(t, p);
		put_series_rows(j, &series);
		return;
	case TY_INET:
	case TY_CALL:
	case TY_KSTACK:
	case TY_USTACK:
	case TY_FULLSTACK:
	case TY_KSYM:
	case TY_USYM:
	case TY_USERNAME:
	case TY_TIMESTAMP:
	case TY_MACADDR:
	case TY_EVENT:
	case TY_CGROUP_PATH:
	case TY_PROBE: put_as_text(j, t, p); return;
	case TY_ERROR:
	case TY_UNKNOWN:
	case TY_VOID:
	case TY_FUNC:
	case TY_STACK_MODE:
	case TY_TIMESTAMP_MODE:
	case TY_MAP:
	case N_TYPE_KINDS: buf_puts(j.b, "null"); return;
	}
}

void json_value(struct buf *b, const struct names *names, const struct type *t, const void *p)
{
	put_value((struct put){ .b = b, .names = names }, t, p);
}

/* ---- objects */

static void put_head(struct buf *b, const char *type)
{
	buf_puts(b, "{\"type\": \"");
	buf_puts(b, type);
	buf_puts(b, "\", \"data\": ");
}

static void attached(struct sink *s, u32 n_probes)
{
	if (!s->quiet)
		buf_printf(
			&s->out,
			"{\"type\": \"attached_probes\", \"count\": %u, \"data\": {\"probes\": %u}}\n",
			n_probes, n_probes);
	put_notify(s);
}

/* bpftrace's names. */
static const char *const text_types[N_SINK_TEXTS] = {
	[TEXT_PRINTF] = "printf", [TEXT_TIME] = "time",      [TEXT_CAT] = "cat",
	[TEXT_JOIN] = "join",     [TEXT_SYSTEM] = "syscall",
};

static void text(struct sink *s, enum sink_text kind, const char *bytes, size_t len)
{
	put_head(&s->out, text_types[kind]);
	json_str(&s->out, bytes, len);
	buf_puts(&s->out, "}\n");
	sink_item(s);
}

static void value(struct sink *s, const struct type *t, const void *p)
{
	put_head(&s->out, "value");
	put_value((struct put){ .b = &s->out, .names = s->names }, t, p);
	buf_puts(&s->out, "}\n");
	sink_item(s);
}

/* "symbol" and "offset", what is known of them, and of a user frame the place in its file. */
static void put_frame(struct buf *b, u64 ip, bool user, const struct symbol *sym)
{
	const char *module = sym->module;

	buf_printf(b, "{\"ip\": \"%#llx\"", (unsigned long long)ip);
	if (sym->name) {
		buf_puts(b, ", \"symbol\": ");
		json_str(b, sym->name, strlen(sym->name));
		buf_printf(b, ", \"offset\": %llu", (unsigned long long)sym->offset);
	}
	if (!user && !module && sym->name)
		module = "[kernel.kallsyms]";
	if (module) {
		buf_puts(b, ", \"dso\": ");
		json_str(b, module, strlen(module));
	}
	if (user && module)
		buf_printf(b, ", \"dso_offset\": %llu", (unsigned long long)sym->file_offset);
	buf_putc(b, '}');
}

static void put_stack(struct buf *b, const struct names *names, const struct trace_event *e,
		      u32 side)
{
	static const char *const members[] = {
		[EVENT_KSTACK] = "kstack", [EVENT_USTACK] = "ustack"
	};

	if (!e->stack[side].n)
		return;
	buf_printf(b, ", \"%s\": [", members[side]);
	for (u32 i = 0; i < e->stack[side].n; i++) {
		struct symbol sym;
		const char *why;

		buf_puts(b, i ? ", " : "");
		if (event_frame(names, e, side, i, &sym, &why))
			put_frame(b, e->stack[side].ips[i], side == EVENT_USTACK, &sym);
		else
			buf_printf(b, "{\"missing\": \"%s\"}", why);
	}
	buf_putc(b, ']');
}

/* The members as text, by the event's print fmt. */
static void event(struct sink *s, const struct trace_event *e)
{
	struct buf text = { 0 }, *b = &s->out;
	u32 len;
	const char *comm = event_comm(e, &len);

	put_head(b, "event");
	buf_puts(b, "{\"time\": ");
	buf_u64(b, e->time);
	buf_printf(b, ", \"cpu\": %u, \"pid\": %u, \"tid\": %u, \"comm\": ", e->cpu, e->pid,
		   e->tid);
	json_str(b, comm, len);
	buf_puts(b, ", \"event\": ");
	json_str(b, e->format->name, strlen(e->format->name));
	buf_puts(b, ", \"text\": ");
	event_text(&text, s->names->prog->arena, s->names, e->format, e->record, e->len);
	json_str(b, text.s ? text.s : "", text.len);
	if (e->value_type) {
		buf_puts(b, ", \"value\": ");
		put_value((struct put){ .b = b, .names = s->names }, e->value_type, e->value);
	}
	for (u32 side = 0; e->has_stacks && side < ARRAY_SIZE(e->stack); side++)
		put_stack(b, s->names, e, side);
	buf_puts(b, "}}\n");
	buf_release(&text);
	sink_item(s);
}

/* ---- maps */

/*
 * Keys are text without the blanks that separate: tuples as "bash,2", stacks without indentation.
 * Blanks inside a string belong to it.
 */
static void put_key(struct buf *b, const struct names *names, const struct type *t, const char *p,
		    bool outer)
{
	size_t start = b->len, to;

	if (t->kind == TY_TUPLE) {
		buf_puts(b, outer ? "" : "(");
		for (u32 i = 0; i < t->n_fields; i++) {
			buf_puts(b, i ? "," : "");
			put_key(b, names, t->fields[i].type, p + t->fields[i].offset, false);
		}
		buf_puts(b, outer ? "" : ")");
		return;
	}
	value_text(b, names, t, p);
	if (!type_is_stack(t) && t->kind != TY_RECORD && t->kind != TY_STRUCT)
		return;
	to = start;
	for (size_t from = start; from < b->len; from++)
		if (b->s[from] != ' ')
			b->s[to++] = b->s[from];
	b->len = to;
	b->s[to] = '\0';
}

static const char *table_type(const struct table *t)
{
	const struct type *v = t->map->value;

	if (v->kind == TY_AVG || v->kind == TY_STATS || v->kind == TY_SAMPLES)
		return "stats";
	if (type_is_hist(v))
		return t->n_pct ? "stats" : "hist";
	return v->kind == TY_TSERIES ? "tseries" : "map";
}

static void put_row_value(struct sink *s, const struct table *t, const void *p, u64 newest)
{
	const struct type *type = t->map->value;
	struct put j = { .b = &s->out, .names = s->names, .div = t->div };

	if (t->n_pct && (type_is_hist(type) || type->kind == TY_SAMPLES)) {
		buf_putc(j.b, '{');
		put_percentiles(j, type, p, t->pct, t->n_pct);
		buf_putc(j.b, '}');
	} else if (type->kind == TY_TSERIES) {
		struct series series = series_view(type, p, newest);

		put_series_rows(j, &series);
	} else {
		put_value(j, type, p);
	}
}

static void put_table_head(struct sink *s, const struct table *t)
{
	put_head(&s->out, table_type(t));
	buf_putc(&s->out, '{');
	put_name(&s->out, t->map->name);
}

static void put_scalar(struct sink *s, const struct table *t, const void *p, u64 newest)
{
	put_table_head(s, t);
	put_row_value(s, t, p, newest);
	buf_puts(&s->out, "}}\n");
}

/*
 * The key since start becomes a string. Different keys may have one text (symbols of addresses
 * within one function, times by the hour, ("a,b", "c") and ("a", "b,c")), but parsers keep the last
 * member of a name: later ones are "TEXT #2", "TEXT #3".
 */
static void put_unique(struct buf *b, size_t start, struct intern *seen)
{
	struct buf raw = { 0 };
	size_t len = b->len - start;
	u32 n = seen->table.n;

	buf_add(&raw, b->s + start, len);
	for (u32 i = 2;; i++) {
		b->len = start;
		json_str(b, raw.s, raw.len);
		intern(seen, b->s + start, b->len - start);
		if (seen->table.n > n)
			break;
		raw.len = len;
		buf_printf(&raw, " #%u", i);
	}
	buf_release(&raw);
}

static void put_keyed(struct sink *s, const struct table *t, u64 newest)
{
	struct intern seen;

	intern_init(&seen);
	put_table_head(s, t);
	buf_putc(&s->out, '{');
	for (u32 i = 0; i < t->rows.n; i++) {
		size_t start;

		buf_puts(&s->out, i ? ", " : "");
		start = s->out.len;
		put_key(&s->out, s->names, t->map->key, t->rows.v[i].key, true);
		put_unique(&s->out, start, &seen);
		buf_puts(&s->out, ": ");
		put_row_value(s, t, t->rows.v[i].value, newest);
		sink_row(s);
	}
	buf_puts(&s->out, "}}}\n");
	intern_release(&seen);
}

/* print(@x) of a map that was never set. */
static void put_zero(struct sink *s, const struct table *t)
{
	const struct type *type = t->map->value;
	void *zero = xcalloc(1, MAX(type_is_agg(type) ? agg_size(type) : type->size, 8u));

	put_scalar(s, t, zero, 0);
	free(zero);
}

/* Programs that read the output look for averages by name, also those without a value. */
static void put_empty(struct sink *s, const struct table *t)
{
	put_table_head(s, t);
	buf_puts(&s->out, "{}}}\n");
}

static void table(struct sink *s, const struct table *t)
{
	bool keyed = t->map->key != NULL;
	u64 newest = 0;

	if (t->map->value->kind == TY_TSERIES)
		series_newest(t, &newest);
	if (t->rows.n && keyed)
		put_keyed(s, t, newest);
	else if (t->rows.n)
		put_scalar(s, t, t->rows.v[0].value, newest);
	else if (table_has_zero(t))
		put_zero(s, t);
	else if (streq(table_type(t), "stats"))
		put_empty(s, t);
	sink_item(s);
}

/* ---- about the run */

static void put_position(struct buf *b, const struct position *p)
{
	if (!p->file)
		return;
	buf_puts(b, ", \"filename\": ");
	json_strz(b, p->file->name);
	buf_printf(b, ", \"line\": %u, \"col\": %u", p->line, p->col);
}

static const char *const level_types[N_SINK_LEVELS] = {
	[LEVEL_ERRORF] = "errorf",
	[LEVEL_WARNF] = "warnf",
	[LEVEL_RUNTIME_ERROR] = "runtime_error",
};

static void put_message(struct buf *b, enum sink_level level, const char *bytes)
{
	buf_puts(b, "{\"type\": \"");
	buf_puts(b, level_types[level]);
	buf_puts(b, "\", \"msg\": ");
	json_strz(b, bytes);
}

static void put_warning(struct sink *s, const struct position *pos, const char *reason, u64 count)
{
	put_message(&s->out, LEVEL_RUNTIME_ERROR, reason);
	put_position(&s->out, pos);
	buf_puts(&s->out, ", \"count\": ");
	buf_u64(&s->out, count);
	buf_puts(&s->out, "}\n");
}

static void put_lost(struct sink *s, const struct position *pos, const char *reason, u64 count)
{
	size_t start;

	buf_puts(&s->out, "{\"type\": \"lost_events\", \"count\": ");
	buf_u64(&s->out, count);
	buf_puts(&s->out, ", \"data\": {\"events\": ");
	buf_u64(&s->out, count);
	buf_puts(&s->out, ", \"where\": ");
	start = s->out.len;
	if (pos->file)
		buf_printf(&s->out, "%s:%u:%u", pos->file->name, pos->line, pos->col);
	quote_since(&s->out, start);
	buf_puts(&s->out, ", \"reason\": ");
	json_strz(&s->out, reason);
	buf_puts(&s->out, "}}\n");
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct position pos = sink_position(s, loss->span);
	struct buf reason = { 0 };

	put_loss_reason(&reason, loss);
	if (loss_row(loss)->reason)
		put_lost(s, &pos, reason.s, count);
	else
		put_warning(s, &pos, reason.s, count);
	buf_release(&reason);
	sink_item(s);
}

static void message(struct sink *s, enum sink_level level, struct span span, const char *bytes)
{
	struct position pos = sink_position(s, span);

	put_message(&s->out, level, bytes);
	put_position(&s->out, &pos);
	buf_puts(&s->out, "}\n");
	sink_item(s);
}

static void end(struct sink *s)
{
	sink_item(s);
}

/* ---- tests and benchmarks */

/* "test:adds" -> "adds" */
static const char *name_alone(const char *probe)
{
	const char *colon = strchr(probe, ':');

	return colon ? colon + 1 : probe;
}

static void test(struct sink *s, const struct test_result *r)
{
	buf_puts(&s->out, "{\"type\": \"test_result\", \"data\": {");
	json_strz(&s->out, name_alone(r->name));
	buf_puts(&s->out, ": {\"duration\": ");
	buf_u64(&s->out, r->took_ns);
	buf_printf(&s->out, ", \"passed\": %s, \"output\": ", r->passed ? "true" : "false");
	json_str(&s->out, r->text, r->len);
	buf_puts(&s->out, "}}}\n");
	sink_item(s);
}

static void tested(struct sink *s, u32 n_passed, u32 n_failed)
{
	/* each result was printed */
}

static void bench(struct sink *s, const struct bench_result *r)
{
	buf_puts(&s->out, "{\"type\": \"benchmark_result\", \"data\": {");
	json_strz(&s->out, name_alone(r->name));
	if (r->skipped)
		buf_puts(&s->out, ": {\"skipped\": true}}}\n");
	else
		buf_printf(&s->out, ": {\"average\": %.1f, \"iters\": %llu}}}\n", r->average_ns,
			   (unsigned long long)r->iters);
	sink_item(s);
}

const struct output output_json = {
	.name = "json",
	.escapes = true,
	.brief = "one JSON object a line",
	.doc = "Every result is an object with a type and its data; losses and messages are objects too. "
	       "Integers that a double cannot hold exactly are strings.",
	.example = "sonde -f json -e 'begin { @x = 5; }'",
	.attached = attached,
	.text = text,
	.value = value,
	.table = table,
	.event = event,
	.lost = lost,
	.message = message,
	.test = test,
	.tested = tested,
	.bench = bench,
	.end = end,
};
