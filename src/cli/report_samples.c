/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the samples of each event. Out: rows of different texts in the chosen columns, the largest
 * first:
 *
 *	# Samples: 30  of event 'cpu-clock'
 *	# Event count (approx.): 60120240
 *	#
 *	# Overhead  Command  Shared Object         Symbol
 *	# ........  .......  ....................  ...............
 *	#
 *	    96.67%  spin     spin                  [.] spin
 *
 * With --children a sample also counts for each function that called the one where it was, once.
 */
#include <stdlib.h>
#include "cli/option.h"
#include "cli/report_chain.h"
#include "cli/report_part.h"
#include "cli/report_samples.h"
#include "export/export.h"
#include "trace/value.h"

enum { MOST_COLUMNS = 16 };

enum column_kind {
	COLUMN_CHILDREN,
	COLUMN_OVERHEAD,
	COLUMN_SAMPLES,
	COLUMN_PERIOD,
	COLUMN_COMM, /* from here on: what samples are divided by */
	COLUMN_DSO,
	COLUMN_SYMBOL,
	COLUMN_THREAD,
	COLUMN_CPU,
	COLUMN_SRCLINE,
	COLUMN_TRACE,
	N_COLUMN_KINDS
};

static const struct {
	const char *names; /* as words of -s and -F */
	const char *title;
	u32 width;
} kinds[N_COLUMN_KINDS] = {
	[COLUMN_CHILDREN] = { "overhead_children", "Children", 8 },
	[COLUMN_OVERHEAD] = { "overhead", "Overhead", 8 },
	[COLUMN_SAMPLES] = { "sample", "Samples", 12 },
	[COLUMN_PERIOD] = { "period", "Period", 12 },
	[COLUMN_COMM] = { "comm", "Command", 0 },
	[COLUMN_DSO] = { "dso", "Shared Object", 0 },
	[COLUMN_SYMBOL] = { "symbol", "Symbol", 0 },
	[COLUMN_THREAD] = { "pid tid", "    Pid:Command", 0 },
	[COLUMN_CPU] = { "cpu", "CPU", 0 },
	[COLUMN_SRCLINE] = { "srcline", "Source:Line", 0 },
	[COLUMN_TRACE] = { "trace", "Trace output", 0 },
};

struct row {
	const char *key;          /* the texts of its columns; each ends with NUL */
	u64 period, sum, n;       /* sum: with what it called */
	u32 depth;                /* of the deepest chain */
	const char *comm;         /* of its first sample */
	struct chain_node chains; /* the root */
};

struct thread_name { /* the last one that it had */
	u32 tid;
	char comm[17];
};

struct section { /* of an event */
	const struct event_format *format;
	u64 period, n, filtered_period, filtered_n;
	struct hash by_key;
	VEC(struct row *) rows;
};

struct histogram {
	struct recorded *r;
	const struct report_options *o;
	struct arena arena;
	struct where where;
	struct part part;
	struct chain_style style;
	u8 columns[MOST_COLUMNS];
	u32 n_columns;
	double least; /* percent of a row */
	bool children, relative;
	struct hash by_tid;    /* struct thread_name */
	struct hash by_format; /* struct event_format * -> struct section */
};

/* ---- columns */

static bool is_number(enum column_kind k)
{
	return k < COLUMN_COMM;
}

/* Of a column that is a number. */
static u64 amount(const struct row *row, enum column_kind k)
{
	return k == COLUMN_CHILDREN ? row->sum : k == COLUMN_SAMPLES ? row->n : row->period;
}

/* The texts of a row follow each other. */
static const char *next_text(const char *s)
{
	return s + strlen(s) + 1;
}

static bool has_column(const struct histogram *t, enum column_kind k)
{
	for (u32 i = 0; i < t->n_columns; i++)
		if (t->columns[i] == k)
			return true;
	return false;
}

static void add_column(struct histogram *t, enum column_kind k)
{
	if (!has_column(t, k) && t->n_columns < MOST_COLUMNS)
		t->columns[t->n_columns++] = (u8)k;
}

/* A whole name, or the beginning of one: "sym". */
static enum column_kind kind_of(const char *word, size_t len)
{
	for (enum column_kind k = 0; k < N_COLUMN_KINDS; k++)
		for (const char *s = kinds[k].names; s;
		     s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL)
			if (len >= 3 && !strncmp(s, word, len) &&
			    (k != COLUMN_CHILDREN || len > strlen("overhead")))
				return k;
	return N_COLUMN_KINDS;
}

static int take_columns(struct histogram *t, char key, const char *list)
{
	for (const char *s = list + (*list == '+'), *end; *s; s = *end ? end + 1 : end) {
		enum column_kind k;

		end = strchrnul(s, ',');
		k = kind_of(s, (size_t)(end - s));
		if (k == N_COLUMN_KINDS)
			return say_usage(
				t->r->c,
				"-%c %s: a column is overhead, overhead_children, sample, period, comm, dso, symbol, pid, tid, cpu, srcline or trace",
				key, list);
		add_column(t, k);
	}
	return 0;
}

/* Whether all events that the file describes and has are trace events with fields to show. */
static bool has_samples_only_of_tracepoints(const struct store_tables *tables)
{
	for (u32 i = 0; i < tables->formats.n; i++)
		if (is_sample_format(tables->formats.v[i]))
			return false;
	return !tables->n_stacks;
}

/* What a filter leaves one value of is in no column, as in perf. */
static bool is_single(const char *filter)
{
	return filter && !strchr(filter, ',');
}

static bool is_filtered(const struct histogram *t, enum column_kind k)
{
	const struct part_options *o = &t->r->c->select.part;

	return (k == COLUMN_COMM && is_single(o->comms)) ||
	       (k == COLUMN_DSO && is_single(o->dsos)) ||
	       (k == COLUMN_SYMBOL && is_single(o->symbols));
}

/* It still divides the rows. One column at least is shown. */
static bool is_hidden(const struct histogram *t, enum column_kind k)
{
	for (u32 i = 0; i < t->n_columns; i++)
		if (!is_number(t->columns[i]) && !is_filtered(t, t->columns[i]))
			return is_filtered(t, k);
	return false;
}

static int choose_columns(struct histogram *t)
{
	const struct report_options *o = t->o;
	const char *keys = o->sort;
	int ret = 0;

	if (!o->fields || o->fields[0] == '+') {
		if (t->children)
			add_column(t, COLUMN_CHILDREN);
		add_column(t, COLUMN_OVERHEAD);
		if (o->samples)
			add_column(t, COLUMN_SAMPLES);
		if (o->period)
			add_column(t, COLUMN_PERIOD);
		if (!keys || keys[0] == '+')
			ret = take_columns(t, 's',
					   has_samples_only_of_tracepoints(t->r->tables) ?
						   "trace" :
						   "comm,dso,symbol");
	}
	if (!ret && keys)
		ret = take_columns(t, 's', keys);
	if (!ret && o->fields)
		ret = take_columns(t, 'F', o->fields);
	return ret;
}

/* ---- samples */

static void put_text(const struct histogram *t, struct buf *b, enum column_kind k,
		     const struct trace_event *e, const struct chain_step *at)
{
	const struct chain_frame *f = at->frame;

	switch (k) {
	case COLUMN_COMM: put_foreign(b, &t->r->names, e->comm, strnlen(e->comm, 16)); break;
	case COLUMN_DSO: put_foreignz(b, &t->r->names, f->dso); break;
	case COLUMN_SYMBOL:
		buf_printf(b, "[%c] ", f->is_kernel ? 'k' : '.');
		if (f->has_name || !f->offset)
			put_foreignz(b, &t->r->names, f->symbol);
		else
			buf_printf(b, "%-#.16llx", (unsigned long long)f->offset);
		break;
	case COLUMN_THREAD: buf_printf(b, "%7u", e->tid); break; /* its name: when it is known */
	case COLUMN_CPU: buf_printf(b, "%03u", e->cpu); break;
	case COLUMN_SRCLINE: where_put_line(&t->where, b, e, at); break;
	case COLUMN_TRACE:
		event_text(b, &t->r->arena, &t->r->names, e->format, e->record, e->len);
		break;
	case COLUMN_CHILDREN:
	case COLUMN_OVERHEAD:
	case COLUMN_SAMPLES:
	case COLUMN_PERIOD:
	case N_COLUMN_KINDS: break;
	}
}

static struct row *row_of(struct histogram *t, struct section *s, const struct trace_event *e,
			  const struct chain_step *at)
{
	struct buf key = { 0 };
	struct row *row;

	for (u32 i = 0; i < t->n_columns; i++) {
		if (is_number(t->columns[i]))
			continue;
		put_text(t, &key, t->columns[i], e, at);
		buf_putc(&key, '\0');
	}
	buf_puts(&key, ""); /* there may be no such column */
	row = hash_get(&s->by_key, key.s, key.len);
	if (!row) {
		row = arena_new(&t->arena, struct row);
		*row = (struct row){ .key = arena_dup(&t->arena, key.s, key.len + 1),
				     .comm = arena_strndup(&t->arena, e->comm,
							   strnlen(e->comm, 16)) };
		hash_put(&s->by_key, row->key, key.len, row);
		vec_push(&t->arena, &s->rows, row);
	}
	buf_release(&key);
	return row;
}

/* The chain from its i-th function on, in the order of the chains. */
static void add_chain(struct histogram *t, struct row *row, const struct chain *chain, u32 i,
		      u64 period)
{
	bool callers = t->style.callers_first;
	u32 n = chain->n - i;

	row->depth = MAX(row->depth, n);
	chain_add(&row->chains, &t->arena, &chain->v[callers ? n - 1 : i], n, callers ? -1 : 1,
		  period);
}

/* The callers of a sample, in the order of the chains; those that the row of one before has do not
 * count again. */
static void add_callers(struct histogram *t, struct section *s, const struct trace_event *e,
			const struct chain *chain, u64 period)
{
	struct row **seen = xcalloc(chain->n + 1, sizeof *seen);
	bool callers = t->style.callers_first;
	u32 n_seen = 0;

	seen[n_seen++] = row_of(t, s, e, &chain->v[0]);
	seen[0]->sum += period;
	for (u32 i = 0; i < chain->n; i++) {
		u32 at = callers ? chain->n - 1 - i : i, k = 0;
		struct row *row = row_of(t, s, e, &chain->v[at]);

		while (k < n_seen && seen[k] != row)
			k++;
		if (k < n_seen)
			continue;
		seen[n_seen++] = row;
		row->sum += period;
		add_chain(t, row, chain, i, period);
	}
	free(seen);
}

static void name_thread(struct histogram *t, const struct trace_event *e)
{
	struct thread_name *name = hash_get(&t->by_tid, &e->tid, sizeof e->tid);

	if (!name) {
		name = arena_new(&t->arena, struct thread_name);
		*name = (struct thread_name){ .tid = e->tid };
		hash_put(&t->by_tid, &name->tid, sizeof name->tid, name);
	}
	memcpy(name->comm, e->comm, 16);
}

/* The text of a column of a row: that in its key, and the name of a thread after its number. */
static void put_cell(const struct histogram *t, struct buf *b, enum column_kind k, const char *text)
{
	u32 tid = (u32)strtoul(text, NULL, 10);
	const struct thread_name *name = NULL;

	buf_puts(b, text);
	if (k == COLUMN_THREAD)
		name = hash_get(&t->by_tid, &tid, sizeof tid);
	if (name) {
		buf_putc(b, ':');
		put_foreignz(b, &t->r->names, name->comm);
	}
}

static struct section *section_of(struct histogram *t, struct event_format *f)
{
	struct section *s = hash_get(&t->by_format, &f, sizeof f);
	struct event_format **key;

	if (s)
		return s;
	s = arena_new(&t->arena, struct section);
	*s = (struct section){ .format = f };
	key = arena_dup(&t->arena, &f, sizeof f);
	hash_put(&t->by_format, key, sizeof f, s);
	return s;
}

static void add_sample(struct histogram *t, const struct trace_event *e)
{
	struct section *s = section_of(t, e->format);
	u64 period = is_sample_format(e->format) && event_member(e->format, "period") ?
			     (u64)event_number(e, "period") :
			     1;
	struct chain chain = where_chain(&t->where, e);
	struct row *row;

	s->n++;
	s->period += period;
	name_thread(t, e);
	if (!part_has_place(&t->part, e, chain.v[0].frame))
		return;
	s->filtered_n++;
	s->filtered_period += period;
	row = row_of(t, s, e, &chain.v[0]);
	row->n++;
	row->period += period;
	if (t->style.how != CHAIN_NONE && e->has_stacks)
		add_chain(t, row, &chain, 0, period);
	if (t->children)
		add_callers(t, s, e, &chain, period);
}

/* ---- rows in their order */

static const struct histogram *sorted_table; /* of qsort() */

static int by_size(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* What calls comes before what it calls, where it is the same amount. */
static int by_depth(const struct row *x, const struct row *y)
{
	int order = x->depth < y->depth ? 1 : x->depth > y->depth ? -1 : 0;

	if (sorted_table->style.how == CHAIN_NONE || !streq(x->comm, y->comm))
		return 0;
	return sorted_table->style.callers_first ? order : -order;
}

static int by_columns(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	const char *p = x->key, *q = y->key;
	int order = 0;

	for (u32 i = 0; i < sorted_table->n_columns && !order; i++) {
		enum column_kind k = sorted_table->columns[i];

		if (is_number(k)) {
			order = by_size(amount(x, k), amount(y, k));
			if (!order && k == COLUMN_CHILDREN)
				order = by_depth(x, y);
			continue;
		}
		order = strcmp(p, q);
		p = next_text(p);
		q = next_text(q);
	}
	return order;
}

/* ---- the text */

static void set_widths(const struct histogram *t, const struct section *s, u32 *widths)
{
	struct buf cell = { 0 };

	for (u32 i = 0; i < t->n_columns; i++)
		widths[i] =
			MAX(kinds[t->columns[i]].width, (u32)strlen(kinds[t->columns[i]].title));
	for (u32 k = 0; k < s->rows.n; k++) {
		const char *p = s->rows.v[k]->key;

		for (u32 i = 0; i < t->n_columns; i++) {
			if (is_number(t->columns[i]))
				continue;
			buf_clear(&cell);
			put_cell(t, &cell, t->columns[i], p);
			widths[i] = MAX(widths[i], (u32)cell.len);
			p = next_text(p);
		}
	}
	buf_release(&cell);
}

static const char *title_of(const struct histogram *t, enum column_kind k)
{
	return k == COLUMN_OVERHEAD && t->children ? "Self" : kinds[k].title;
}

static void put_titles(const struct histogram *t, struct buf *b, const u32 *widths)
{
	const char *between = t->o->separator ? t->o->separator : "  ", *before = " ";

	buf_puts(b, "#\n#");
	for (u32 i = 0; i < t->n_columns; i++) {
		const char *title = title_of(t, t->columns[i]);

		if (is_hidden(t, t->columns[i]))
			continue;
		buf_puts(b, before);
		before = between;
		if (t->o->separator)
			buf_puts(b, title + strspn(title, " "));
		else
			buf_printf(b, "%*s",
				   is_number(t->columns[i]) ? (int)widths[i] : -(int)widths[i],
				   title);
	}
	buf_trim_end(b);
	buf_putc(b, '\n');
	if (t->o->separator)
		return;
	buf_putc(b, '#');
	before = " ";
	for (u32 i = 0; i < t->n_columns; i++) {
		if (is_hidden(t, t->columns[i]))
			continue;
		buf_puts(b, before);
		before = between;
		buf_pad(b, '.', widths[i]);
	}
	buf_puts(b, "\n#\n");
}

static void put_number(struct buf *b, enum column_kind k, const struct row *row, u64 total)
{
	u64 n = amount(row, k);

	if (k == COLUMN_CHILDREN || k == COLUMN_OVERHEAD)
		buf_printf(b, "%.2f%%", total ? 100 * (double)n / (double)total : 0);
	else
		buf_printf(b, "%llu", (unsigned long long)n);
}

static void put_row(const struct histogram *t, struct buf *b, const struct row *row,
		    const u32 *widths, u64 total)
{
	const char *p = row->key;
	const char *before = t->o->separator ? "" : "  ";
	struct buf cell = { 0 };

	for (u32 i = 0; i < t->n_columns; i++) {
		bool number = is_number(t->columns[i]);

		buf_clear(&cell);
		if (number) {
			put_number(&cell, t->columns[i], row, total);
		} else {
			put_cell(t, &cell, t->columns[i], p);
			p = next_text(p);
		}
		if (is_hidden(t, t->columns[i]))
			continue;
		buf_puts(b, before);
		before = t->o->separator ? t->o->separator : "  ";
		if (t->o->separator)
			buf_puts(b, cell.s);
		else
			buf_printf(b, "%*s", number ? (int)widths[i] : -(int)widths[i], cell.s);
	}
	buf_trim_end(b);
	buf_putc(b, '\n');
	buf_release(&cell);
}

/* 1234 is "1K", as in perf. */
static void put_about(struct buf *b, u64 n)
{
	static const char units[] = { ' ', 'K', 'M', 'G' };
	u32 unit = 0;

	while (n > 1000 && unit + 1 < sizeof units) {
		n /= 1000;
		unit++;
	}
	buf_printf(b, "%llu%c", (unsigned long long)n, units[unit]);
}

static void put_section(struct histogram *t, struct section *s, struct buf *b)
{
	u64 n = t->relative ? s->filtered_n : s->n,
	    total = t->relative ? s->filtered_period : s->period;
	u32 widths[MOST_COLUMNS];

	buf_puts(b, "# Samples: ");
	put_about(b, n);
	buf_puts(b, " of event '");
	where_put_event(b, s->format);
	buf_printf(b, "'\n# Event count (approx.): %llu\n", (unsigned long long)total);
	set_widths(t, s, widths);
	put_titles(t, b, widths);
	sorted_table = t;
	if (s->rows.n)
		qsort(s->rows.v, s->rows.n, sizeof *s->rows.v, by_columns);
	for (u32 i = 0; i < s->rows.n; i++) {
		struct row *row = s->rows.v[i];
		u64 own = t->children ? row->sum : row->period;

		if (100 * (double)own < t->least * (double)total)
			continue;
		put_row(t, b, row, widths, total);
		chain_put(b, &t->r->names, &row->chains, &t->style, total, own);
	}
	buf_puts(b, "\n\n");
	hash_release(&s->by_key);
}

static void put_losses(const struct store_tables *tables, struct buf *b)
{
	u64 n = 0;

	for (u32 i = 0; i < tables->losses.n; i++)
		n += tables->losses.v[i].count;
	buf_printf(b, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)n);
}

static void put_filters(const struct histogram *t, struct buf *b)
{
	const struct part_options *o = &t->r->c->select.part;

	for (u32 i = 0; i < t->n_columns; i++) {
		enum column_kind k = t->columns[i];

		if (is_hidden(t, k))
			buf_printf(b, "# %s: %s\n", kinds[k].names,
				   k == COLUMN_COMM ? o->comms :
				   k == COLUMN_DSO  ? o->dsos :
						      o->symbols);
	}
}

/* ---- the command */

bool report_wants_samples(const struct cli *c)
{
	for (u32 i = 0; i < c->line.n_given; i++)
		if (c->line.given[i].row->command == &command_report)
			return true;
	return part_is_given(c) || c->output.header || c->output.header_only;
}

static int read_options(struct histogram *t)
{
	const struct report_options *o = t->o;
	bool has_stacks = where_has_chains(t->r);
	char *end;

	t->style =
		(struct chain_style){ .how = has_stacks ? CHAIN_GRAPH : CHAIN_NONE, .least = 0.5 };
	t->children = has_stacks && !o->no_children &&
		      (!o->fields || o->fields[0] == '+' || strstr(o->fields, "overhead_children"));
	t->relative = o->percentage && streq(o->percentage, "relative");
	t->style.hides_first = o->sort && starts_with(o->sort, "sym") && !o->fields;
	if (o->percent_limit) {
		t->least = t->style.least = strtod(o->percent_limit, &end);
		if (end == o->percent_limit || *end)
			return say_usage(t->r->c, "--percent-limit=%s: a number, as 0.5",
					 o->percent_limit);
	}
	if (o->graph && !chain_style_read(&t->style, o->graph))
		return say_usage(
			t->r->c,
			"-g %s: graph, folded or none, a percentage, caller or callee, with commas between them",
			o->graph);
	if (!has_stacks)
		t->style.how = CHAIN_NONE;
	if (o->inverted)
		t->style.callers_first = true;
	else if (!t->style.order_given)
		t->style.callers_first = has_stacks && !o->no_children;
	return choose_columns(t);
}

static void put_table(struct histogram *t, struct sink *s)
{
	struct trace_event e;

	if (t->r->c->output.header || t->r->c->output.header_only)
		where_put_head(t->r, &s->out);
	if (t->r->c->output.header_only)
		return;
	while (recorded_next(t->r, &e))
		if (part_has_cpu(&t->part, &e))
			add_sample(t, &e);
	put_filters(t, &s->out);
	put_losses(t->r->tables, &s->out);
	for (u32 i = 0; i < t->r->tables->formats.n; i++) {
		struct section *section =
			hash_get(&t->by_format, &t->r->tables->formats.v[i], sizeof(void *));

		if (section)
			put_section(t, section, &s->out);
	}
}

int report_samples(struct cli *c)
{
	struct recorded r = { 0 };
	struct histogram t = { .r = &r, .o = &c->own.report };
	int ret = recorded_open(&r, c), lost;

	if (ret)
		return ret;
	arena_init(&t.arena);
	where_init(&t.where, &r);
	ret = part_read(&t.part, c);
	ret = ret ? ret : read_options(&t);
	ret = ret ? ret : sink_open(c);
	if (!ret) {
		r.names.visible = c->sink.visible_out;
		put_table(&t, &c->sink);
		lost = sink_close(c);
		ret = recorded_close(&r);
		ret = ret ? ret : lost;
	} else {
		recorded_close_quietly(&r);
	}
	where_release(&t.where);
	hash_release(&t.by_format);
	hash_release(&t.by_tid);
	arena_release(&t.arena);
	return ret;
}
