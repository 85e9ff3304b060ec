/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Percentages are rounded as perf does (man perf-script, --time), so that both choose the same
 * events. */
#include <stdlib.h>
#include "cli/time_ranges.h"

/* ---- seconds */

/* "12.345" -> ns; *end is after it. False: there is none. */
static bool read_seconds(const char *s, const char **end, u64 *ns)
{
	u64 unit = 1000000000, n = 0;
	const char *at = s;

	for (; *at >= '0' && *at <= '9' && n < 10000000000ull; at++)
		n = n * 10 + (u64)(*at - '0');
	n = MIN(n, 10000000000ull) * unit;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			n += (u64)(*at - '0') * (unit /= 10);
	*end = at;
	*ns = n;
	return at > s;
}

/* Up to a blank or the end of the text. */
static bool read_range(const char **at, struct store_span *out)
{
	const char *s = *at;
	bool has_from = *s != ',';

	*out = (struct store_span){ 0, ~0ull };
	if (has_from && !read_seconds(s, &s, &out->from))
		return false;
	if (*s == ',' && s[1] && s[1] != ' ' && !read_seconds(s + 1, &s, &out->to))
		return false;
	s += *s == ',';
	*at = s;
	return (!*s || *s == ' ') && out->from <= out->to;
}

/* ---- percentages */

struct whole {
	u64 t0, t1;
};

static bool read_percent(const char **at, double *out)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*out = strtod(*at, &end) / 100;
	*at = end + 1;
	return *end == '%';
}

static bool part_of(const struct whole *w, double from, double to, struct store_span *out)
{
	double ns = (double)(w->t1 - w->t0);

	if (to > 1 || from > to)
		return false;
	out->from = w->t0 + (u64)(from * ns + 0.5);
	out->to = w->t0 + (u64)(to * ns + 0.5);
	if (out->to > out->from && out->to != w->t1)
		out->to--;
	return true;
}

/* "10%/2", "0%-10%", "10%", "50%-" */
static bool read_part(const struct whole *w, const char **at, struct store_span *out)
{
	double from, to;
	char *end;

	if (!read_percent(at, &from))
		return false;
	if (**at == '-') {
		to = 1;
		++*at;
		return (!**at || **at == ',' || read_percent(at, &to)) && part_of(w, from, to, out);
	}
	to = 1;
	if (**at == '/') {
		to = (double)strtoul(*at + 1, &end, 10);
		*at = end;
	}
	return to >= 1 && part_of(w, from * (to - 1), from * to, out);
}

/* ---- all of them */

static int by_start(const void *a, const void *b)
{
	const struct store_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* In order, and those that overlap are one. */
static void join_spans(struct time_ranges *r)
{
	u32 n = 1;

	qsort(r->spans.v, r->spans.n, sizeof *r->spans.v, by_start);
	for (u32 i = 1; i < r->spans.n; i++) {
		struct store_span *last = &r->spans.v[n - 1], *s = &r->spans.v[i];

		if (s->from <= last->to)
			last->to = MAX(last->to, s->to);
		else
			r->spans.v[n++] = *s;
	}
	r->spans.n = n;
}

bool time_ranges_parse(struct time_ranges *r, struct arena *a, const char *text, u64 t0, u64 t1)
{
	const struct whole whole = { t0, t1 };
	bool of_whole = strchr(text, '%');
	char between = of_whole ? ',' : ' ';
	const char *at = text;

	*r = (struct time_ranges){ 0 };
	do {
		struct store_span s;

		at += strspn(at, " ");
		if (!(of_whole ? read_part(&whole, &at, &s) : read_range(&at, &s)))
			return false;
		vec_push(a, &r->spans, s);
		if (*at == between)
			at++;
		else if (*at)
			return false;
	} while (*at);
	join_spans(r);
	return true;
}
