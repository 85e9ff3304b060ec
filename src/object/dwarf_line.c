/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and the addresses of their statements. A line may have code at many addresses: each
 * inlined copy and each template instance is one; within one instance a compiler may split a line
 * into several runs of instructions (the head of a for loop), of which the lowest is used, as
 * debuggers do, so that the probe fires once each time the statement begins.
 */
#include <errno.h>
#include <stdlib.h>
#include "object/dwarf_file.h"

#if SONDE_HAVE_LIBDW

struct row {
	u64 address;
	u32 line, col;
	bool is_stmt, ends, prologue_end;
	const char *file;
};

static bool read_row(const struct dwarf *d, Dwarf_Lines *lines, size_t i, struct row *r)
{
	Dwarf_Line *l = d->f->dwarf_onesrcline(lines, i);
	Dwarf_Addr address;
	int line = 0, col = 0;

	if (!l || d->f->dwarf_lineaddr(l, &address) != 0 || d->f->dwarf_lineno(l, &line) != 0)
		return false;
	d->f->dwarf_linecol(l, &col);
	*r = (struct row){ .address = address, .line = (u32)line, .col = (u32)col };
	d->f->dwarf_linebeginstatement(l, &r->is_stmt);
	d->f->dwarf_lineendsequence(l, &r->ends);
	d->f->dwarf_lineprologueend(l, &r->prologue_end);
	r->file = d->f->dwarf_linesrc(l, NULL, NULL);
	return true;
}

static Dwarf_Lines *lines_of(struct dwarf *d, struct unit *u, size_t *n)
{
	Dwarf_Lines *lines;

	if (d->f->dwarf_getsrclines(&u->die, &lines, n) != 0)
		return NULL;
	d->n_rows += u->has_rows ? 0 : *n;
	u->has_rows = true;
	return lines;
}

/* ---- by address */

/*
 * Rows are sorted by address; the last one at or below pc covers it, unless a sequence ends there.
 */
bool dwarf_line_at(struct dwarf *d, u64 pc, struct dwarf_line *out)
{
	struct unit *u = dwarf_unit_at(d, pc);
	size_t n = 0, low = 0, high;
	Dwarf_Lines *lines = u ? lines_of(d, u, &n) : NULL;
	struct row r;

	if (!lines)
		return false;
	for (high = n; low < high;) {
		size_t mid = (low + high) / 2;

		if (read_row(d, lines, mid, &r) && r.address <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- > 0) {
		if (!read_row(d, lines, low, &r) || r.ends)
			return false;
		if (!r.line)
			continue; /* code without a line: use the nearest row before it */
		*out = (struct dwarf_line){ pc, r.file ? r.file : "", r.line, r.col };
		return true;
	}
	return false;
}

static const char *file_by_number(struct dwarf *d, struct unit *u, u64 number)
{
	Dwarf_Files *files;
	size_t n;

	if (d->f->dwarf_getsrcfiles(&u->die, &files, &n) != 0 || number >= n)
		return NULL;
	return d->f->dwarf_filesrc(files, number, NULL, NULL);
}

/* The call site of the inlined function. */
static bool call_of(struct dwarf *d, struct unit *u, Dwarf_Die *inlined, struct dwarf_source *out)
{
	u64 file, line;

	if (!die_number(d, inlined, DW_AT_call_file, &file) ||
	    !die_number(d, inlined, DW_AT_call_line, &line))
		return false;
	out->file = file_by_number(d, u, file);
	out->line = (u32)line;
	return out->file;
}

/* inner: the function inlined at pc into this one; NULL: pc is in this one's own code. */
static bool source_of(struct dwarf *d, struct unit *u, Dwarf_Die *die, Dwarf_Die *inner, u64 pc,
		      struct dwarf_source *out)
{
	struct dwarf_line at;

	*out = (struct dwarf_source){ .inlined = d->f->dwarf_tag(die) ==
						 DW_TAG_inlined_subroutine };
	out->name = die_linkage_name(d, die);
	if (!out->name)
		out->name = d->f->dwarf_diename(die);
	if (!out->name)
		out->name = "";
	if (inner)
		return call_of(d, u, inner, out);
	if (!dwarf_line_at(d, pc, &at))
		return false;
	out->file = at.file;
	out->line = at.line;
	return true;
}

u32 dwarf_sources_at(struct dwarf *d, u64 pc, struct dwarf_source *out, u32 max)
{
	struct scopes s;
	Dwarf_Die *inner = NULL;
	u32 n = 0;

	dwarf_scopes(d, pc, &s);
	for (u32 i = s.n; i-- > 1 && n < max;) {
		int tag = d->f->dwarf_tag(&s.die[i]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		if (!source_of(d, s.unit, &s.die[i], inner, pc, &out[n]))
			break;
		n++;
		inner = &s.die[i];
	}
	return n;
}

static bool in_ranges(const struct dwarf_func *f, u64 address)
{
	for (u32 i = 0; i < f->n_ranges; i++)
		if (address >= f->range[i].low && address < f->range[i].high)
			return true;
	return false;
}

u64 dwarf_prologue_end(struct dwarf *d, u64 pc)
{
	struct dwarf_func f;
	struct unit *u = dwarf_unit_at(d, pc);
	size_t n = 0;
	Dwarf_Lines *lines = u ? lines_of(d, u, &n) : NULL;
	u64 second = 0;
	u32 seen = 0;

	if (!lines || !dwarf_func_at(d, pc, &f))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct row r;

		if (!read_row(d, lines, i, &r) || !in_ranges(&f, r.address) || r.ends)
			continue;
		if (r.prologue_end)
			return r.address;
		if (r.is_stmt && ++seen == 2)
			second = r.address;
	}
	return second;
}

/* ---- by line */

/* The path ends with the given one, at a slash. */
static bool file_matches(const char *path, const char *file)
{
	size_t n, m;

	if (!path)
		return false;
	while (starts_with(file, "./"))
		file += 2;
	n = strlen(path);
	m = strlen(file);
	return n >= m && streq(path + n - m, file) &&
	       (n == m || path[n - m - 1] == '/' || file[0] == '/');
}

struct statement {
	struct dwarf_line at;
	void *instance; /* the innermost block, function or inlined copy that contains it */
};

struct search {
	struct dwarf *d;
	const char *file;
	u32 line, col, best;
	/* 0: only the lowest line with code from `line` on; else all lines up to this one */
	u32 last;
	bool file_seen;
	const char *func; /* restricts the search; NULL: any function */
	struct text_body body[DWARF_MAX_BODIES];
	u32 n_bodies;
	VEC(struct statement) found;
};

static bool is_wanted(struct search *s, const struct row *r, const char **last, bool *last_matches)
{
	if (!r->is_stmt || r->ends || !r->line)
		return false;
	if (r->file != *last) { /* names are pointers into the table: compared once */
		*last = r->file;
		*last_matches = file_matches(r->file, s->file);
	}
	if (!*last_matches)
		return false;
	s->file_seen = true;
	return r->line >= s->line && (!s->last || r->line <= s->last) &&
	       (!s->col || r->line != s->line || r->col == s->col);
}

static bool is_inside(const struct search *s, const struct row *r)
{
	if (!s->func)
		return true;
	for (u32 i = 0; i < s->n_bodies; i++)
		if (r->line >= s->body[i].first && r->line <= s->body[i].last &&
		    file_matches(s->body[i].file, base_name(r->file)))
			return true;
	return dwarf_is_in(s->d, r->address, s->func);
}

/* The lowest line so far wins; results for later lines are dropped. */
static bool may_be_better(const struct search *s, u32 line)
{
	return s->last || !s->best || line <= s->best;
}

static void take(struct search *s, const struct row *r)
{
	if (!s->last && r->line != s->best) {
		s->best = r->line;
		s->found.n = 0;
	}
	vec_push(&s->d->arena, &s->found,
		 (struct statement){ { r->address, r->file, r->line, r->col }, NULL });
}

static void search_unit(struct search *s, struct unit *u)
{
	size_t n = 0;
	Dwarf_Lines *lines = lines_of(s->d, u, &n);
	const char *last = NULL;
	bool last_matches = false;
	u32 line_before = 0;

	for (size_t i = 0; lines && i < n; i++) {
		struct row r;
		bool begins;

		if (!read_row(s->d, lines, i, &r))
			continue;
		begins = r.line != line_before ||
			 r.col; /* later rows of a run do not begin a statement */
		line_before = r.ends ? 0 : r.line;
		if (begins && is_wanted(s, &r, &last, &last_matches) && may_be_better(s, r.line) &&
		    is_inside(s, &r))
			take(s, &r);
	}
}

/* The main file of a unit is known without its line table; only headers need all tables. */
static void search_all(struct search *s)
{
	for (u32 pass = 0; pass < 2 && !s->file_seen; pass++)
		for (u32 i = 0; i < s->d->units.n; i++) {
			struct unit *u = &s->d->units.v[i];
			bool named =
				file_matches(s->d->f->dwarf_diename(&u->die), base_name(s->file));

			if (named == !pass)
				search_unit(s, u);
		}
}

static void *instance_of(struct dwarf *d, u64 pc)
{
	struct scopes s;

	dwarf_scopes(d, pc, &s);
	return s.n ? s.die[s.n - 1].addr : NULL;
}

static int by_line(const void *a, const void *b)
{
	const struct statement *x = a, *y = b;

	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return x->at.address < y->at.address ? -1 : x->at.address > y->at.address;
}

static bool is_first_of_instance(const struct search *s, u32 i)
{
	const struct statement *p = s->found.v;

	for (u32 j = i; j-- > 0 && p[j].at.line == p[i].at.line;)
		if (p[j].instance == p[i].instance)
			return false;
	return true;
}

static int report(struct search *s, int (*f)(void *ctx, const struct dwarf_line *l), void *ctx)
{
	int n = 0, stop;

	for (u32 i = 0; i < s->found.n; i++)
		s->found.v[i].instance = instance_of(s->d, s->found.v[i].at.address);
	if (s->found.n)
		qsort(s->found.v, s->found.n, sizeof s->found.v[0], by_line);
	for (u32 i = 0; i < s->found.n; i++) {
		if (!is_first_of_instance(s, i))
			continue;
		n++;
		stop = f(ctx, &s->found.v[i].at);
		if (stop)
			return stop;
	}
	return n;
}

int dwarf_each_at_line(struct dwarf *d, const struct dwarf_place *place, u32 *found,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx)
{
	struct search s = { .d = d,
			    .func = place->func,
			    .file = place->file,
			    .line = place->line,
			    .col = place->col };

	if (s.func)
		s.n_bodies = dwarf_bodies(d, s.func, s.body);
	search_all(&s);
	*found = s.best;
	return s.file_seen ? report(&s, f, ctx) : -ENOENT;
}

int dwarf_each_line_of(struct dwarf *d, const char *func,
		       int (*f)(void *ctx, const struct dwarf_line *l), void *ctx)
{
	struct text_body body[DWARF_MAX_BODIES];
	u32 n = dwarf_bodies(d, func, body);
	int given = 0, r;

	for (u32 i = 0; i < n; i++) {
		struct search s = {
			.d = d, .file = body[i].file, .line = body[i].first, .last = body[i].last
		};
		bool again = false; /* an inline function of a header: once is enough */

		for (u32 j = 0; j < i; j++)
			again |= body[j].first == body[i].first &&
				 streq(body[j].file, body[i].file);
		if (again)
			continue;
		search_all(&s);
		r = report(&s, f, ctx);
		if (r < 0)
			return r;
		given += r;
	}
	return given;
}

void dwarf_each_file(struct dwarf *d, void (*f)(void *ctx, const char *path), void *ctx)
{
	for (u32 i = 0; i < d->units.n; i++) {
		const char *path = d->f->dwarf_diename(&d->units.v[i].die);

		if (path)
			f(ctx, path);
	}
}

#endif
