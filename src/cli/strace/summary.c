/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -c and -C: the table of calls, with the columns of -U in the order of -S. */
#include <stdlib.h>
#include "cli/strace/strace.h"

enum column {
	COLUMN_PERCENT,
	COLUMN_TOTAL,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_AVERAGE,
	COLUMN_CALLS,
	COLUMN_ERRORS,
	COLUMN_NAME,
	N_COLUMNS
};

static const struct {
	const char *names; /* of -U and -S */
	const char *title;
	u32 width;
} columns[N_COLUMNS] = {
	[COLUMN_PERCENT] = { "time-percent time_percent time", "% time", 6 },
	[COLUMN_TOTAL] = { "total-time total_time", "seconds", 11 },
	[COLUMN_MIN] = { "min-time min_time shortest", "shortest", 8 },
	[COLUMN_MAX] = { "max-time max_time longest", "longest", 8 },
	[COLUMN_AVERAGE] = { "avg-time avg_time", "usecs/call", 11 },
	[COLUMN_CALLS] = { "calls count", "calls", 9 },
	[COLUMN_ERRORS] = { "errors error", "errors", 9 },
	[COLUMN_NAME] = { "name syscall syscall-name syscall_name", "syscall", 16 },
};

static const char default_columns[] = "time-percent,total-time,avg-time,calls,errors,name";

struct row {
	u32 nr;
	const struct strace_count *count;
};

/* ---- names of columns */

static enum column column_of(const char *word, size_t len)
{
	u32 i = 0;

	while (i < N_COLUMNS && !lists_word(columns[i].names, word, len))
		i++;
	return (enum column)i;
}

static enum column sort_of(const char *word)
{
	if (streq(word, "time"))
		return COLUMN_TOTAL;
	if (streq(word, "latency"))
		return COLUMN_AVERAGE;
	return column_of(word, strlen(word));
}

int strace_check_summary(struct strace *st)
{
	for (const char *s = st->o.columns; s && *s;) {
		size_t n = strcspn(s, ",");

		if (column_of(s, n) == N_COLUMNS)
			return say_usage(st->c, "unknown column name: '%.*s'", (int)n, s);
		s += n + (s[n] == ',');
	}
	if (st->o.sort && !streq(st->o.sort, "nothing") && !streq(st->o.sort, "none") &&
	    sort_of(st->o.sort) == N_COLUMNS)
		return say_usage(st->c, "invalid sortby: '%s'", st->o.sort);
	return 0;
}

/* ---- counting */

void strace_count_call(struct strace *st, u32 nr, u64 ns, bool is_error)
{
	struct strace_count *n;

	if (nr >= SYSCALL_MAX)
		return;
	n = &st->counts[nr];
	ns -= MIN(ns, st->o.overhead_ns);
	n->min_ns = n->calls ? MIN(n->min_ns, ns) : ns;
	n->max_ns = MAX(n->max_ns, ns);
	n->calls++;
	n->errors += is_error;
	n->ns += ns;
}

static void add_count(struct strace_count *to, const struct strace_count *n)
{
	to->min_ns = to->calls ? MIN(to->min_ns, n->min_ns) : n->min_ns;
	to->max_ns = MAX(to->max_ns, n->max_ns);
	to->calls += n->calls;
	to->errors += n->errors;
	to->ns += n->ns;
}

/* ---- order */

static u64 key_of(const struct strace_count *n, enum column by)
{
	switch (by) {
	case COLUMN_PERCENT:
	case COLUMN_TOTAL: return n->ns;
	case COLUMN_MIN: return n->min_ns;
	case COLUMN_MAX: return n->max_ns;
	case COLUMN_AVERAGE: return n->calls ? n->ns / n->calls : 0;
	case COLUMN_CALLS: return n->calls;
	case COLUMN_ERRORS: return n->errors;
	case COLUMN_NAME:
	case N_COLUMNS: break;
	}
	return 0;
}

static bool goes_after(const struct row *a, const struct row *b, enum column by)
{
	u64 ka = key_of(a->count, by), kb = key_of(b->count, by);

	if (by == COLUMN_NAME)
		return strcmp(syscall_plain_name(syscall_name(a->nr)),
			      syscall_plain_name(syscall_name(b->nr))) > 0;
	return ka < kb;
}

/* Insertion: rows that are equal keep the order of their numbers. */
static void sort_rows(struct row *rows, u32 n, enum column by)
{
	for (u32 i = 1; i < n; i++) {
		struct row row = rows[i];
		u32 j = i;

		for (; j && goes_after(&rows[j - 1], &row, by); j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

/* ---- the table */

static void put_seconds(struct buf *b, u32 width, u64 ns)
{
	buf_printf(b, "%*llu.%06llu", (int)width - 7, (unsigned long long)(ns / 1000000000),
		   (unsigned long long)(ns % 1000000000 / 1000));
}

static void put_cell(struct buf *b, enum column col, const struct strace_count *n, u64 total_ns,
		     const char *name)
{
	u32 width = columns[col].width;

	switch (col) {
	case COLUMN_PERCENT:
		buf_printf(b, "%*.2f", (int)width,
			   total_ns ? 100.0 * (double)n->ns / (double)total_ns : 0.0);
		break;
	case COLUMN_TOTAL: put_seconds(b, width, n->ns); break;
	case COLUMN_MIN: put_seconds(b, width, n->min_ns); break;
	case COLUMN_MAX: put_seconds(b, width, n->max_ns); break;
	case COLUMN_AVERAGE:
		buf_printf(b, "%*llu", (int)width,
			   (unsigned long long)(n->calls ? n->ns / 1000 / n->calls : 0));
		break;
	case COLUMN_CALLS: buf_printf(b, "%*llu", (int)width, (unsigned long long)n->calls); break;
	case COLUMN_ERRORS:
		if (n->errors)
			buf_printf(b, "%*llu", (int)width, (unsigned long long)n->errors);
		else
			buf_pad(b, ' ', width);
		break;
	case COLUMN_NAME: buf_printf(b, "%-*s", (int)width, name); break;
	case N_COLUMNS: break;
	}
}

struct shape {
	enum column col[N_COLUMNS];
	u32 n;
};

static struct shape shape_of(const char *words)
{
	struct shape shape = { 0 };

	for (const char *s = words; *s && shape.n < N_COLUMNS;) {
		size_t n = strcspn(s, ",");

		shape.col[shape.n++] = column_of(s, n);
		s += n + (s[n] == ',');
	}
	return shape;
}

/* The last name is not padded. */
static void end_row(struct buf *b, const struct shape *shape)
{
	if (shape->n && shape->col[shape->n - 1] == COLUMN_NAME)
		buf_trim_end(b);
	buf_putc(b, '\n');
}

static void put_row(struct buf *b, const struct shape *shape, const struct strace_count *n,
		    u64 total_ns, const char *name)
{
	for (u32 i = 0; i < shape->n; i++) {
		buf_puts(b, i ? " " : "");
		put_cell(b, shape->col[i], n, total_ns, name);
	}
	end_row(b, shape);
}

static void put_titles(struct buf *b, const struct shape *shape)
{
	for (u32 i = 0; i < shape->n; i++)
		buf_printf(b, shape->col[i] == COLUMN_NAME ? "%s%-*s" : "%s%*s", i ? " " : "",
			   (int)columns[shape->col[i]].width, columns[shape->col[i]].title);
	end_row(b, shape);
}

static void put_rule(struct buf *b, const struct shape *shape)
{
	for (u32 i = 0; i < shape->n; i++) {
		buf_puts(b, i ? " " : "");
		buf_pad(b, '-', columns[shape->col[i]].width);
	}
	buf_putc(b, '\n');
}

/* The calls of native programs, and those of 32-bit ones, have a table each. */
static void put_table(struct strace *st, struct buf *b, u32 first, const char *title)
{
	const char *sort = st->o.sort ? st->o.sort : "time";
	struct shape shape = shape_of(st->o.columns ? st->o.columns : default_columns);
	struct strace_count total = { 0 };
	struct row rows[SYSCALL_I386];
	u32 n = 0;

	for (u32 nr = first; nr < first + SYSCALL_I386; nr++)
		if (st->counts[nr].calls && syscall_name(nr)) {
			rows[n++] = (struct row){ nr, &st->counts[nr] };
			add_count(&total, &st->counts[nr]);
		}
	if (!n)
		return;
	if (!starts_with(sort, "no"))
		sort_rows(rows, n, sort_of(sort));
	buf_puts(b, title);
	put_titles(b, &shape);
	put_rule(b, &shape);
	for (u32 i = 0; i < n; i++)
		put_row(b, &shape, rows[i].count, total.ns,
			syscall_plain_name(syscall_name(rows[i].nr)));
	put_rule(b, &shape);
	put_row(b, &shape, &total, total.ns, "total");
}

void strace_put_summary(struct strace *st, struct buf *b)
{
	put_table(st, b, 0, "");
	put_table(st, b, SYSCALL_I386, "System call usage summary for 32 bit mode:\n");
}
