/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How busy the processors are, a line for each, or for some each if there are many: from the tiles
 * of the time line. Of a recording without switches: how many events they have, from its index.
 */
#include <stdlib.h>
#include "cli/tui/tui.h"
#include "store/bytes.h"
#include "store/chunks.h"

enum { LABEL = 8, NEAR_TILES = 4 };

const char *tui_span(u64 ns, char *buf, size_t len)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double n = (double)ns;
	u32 i = 0;

	while (n >= 1000 && i < 3) {
		n /= 1000;
		i++;
	}
	snprintf(buf, len, i ? "%.3g %s" : "%.0f %s", n, units[i]);
	return buf;
}

/* ---- numbers */

static u32 n_cpus(const struct tui *t)
{
	return MAX(MAX(t->r->tables->head.n_cpus, store_cpus(t->r->store)), 1u);
}

/* The span's part of each column. */
static void add(struct tui_strip *s, u32 line, u64 t0, u64 t1, double weight)
{
	double width = (double)(s->to - s->from) / s->columns;
	double from = ((double)t0 - (double)s->from) / width,
	       to = ((double)t1 - (double)s->from) / width;

	from = MAX(from, 0.0);
	to = MIN(to, (double)s->columns);
	for (u32 i = (u32)from; i < s->columns && i < to; i++) {
		double a = MAX(from, (double)i), b = MIN(to, i + 1.0);

		s->busy[line * s->columns + i] += (b - a) * weight;
	}
}

static void add_tile(struct tui *t, const struct buf *tile)
{
	struct bytes b = { (const u8 *)tile->s, (const u8 *)tile->s + tile->len };
	struct tui_strip *s = &t->strip;
	u32 per_line = (n_cpus(t) + s->lines - 1) / s->lines;
	u64 time = t->timeline.from;

	bytes_varint(&b);
	bytes_varint(&b);
	while (b.at < b.end) {
		u64 code = bytes_varint(&b), later = bytes_varint(&b), len = bytes_varint(&b),
		    task = bytes_varint(&b), extra = bytes_varint(&b), cpu = code >> 5;
		double filled = code & 1 ? (double)(extra & 0xff) / 255 : 1;

		time += later >> 1 ^ -(later & 1);
		if ((code >> 2 & 7) == LANE_CPU && (task || code & 1) && cpu / per_line < s->lines)
			add(s, (u32)cpu / per_line, time, time + len, filled / per_line);
	}
}

static void add_tiles(struct tui *t)
{
	struct tui_strip *s = &t->strip;
	u64 base = t->timeline.from, len;
	struct buf tile = { 0 };
	u32 level = 0;

	while (level < 20 && timeline_tile_len(&t->timeline, level) > (s->to - s->from) * 2 &&
	       timeline_tile_len(&t->timeline, level) > 1)
		level++;
	len = timeline_tile_len(&t->timeline, level);
	for (u64 i = (s->from - base) / len; i <= (s->to - base) / len; i++)
		if (timeline_tile(&t->timeline, level, i, &tile))
			add_tile(t, &tile);
	buf_release(&tile);
	t->next_number = ~0ull;
}

static void add_counts(struct tui *t)
{
	struct tui_strip *s = &t->strip;
	u32 per_line = (n_cpus(t) + s->lines - 1) / s->lines, n;
	double most = 0;

	for (u32 cpu = 0; cpu < store_cpus(t->r->store); cpu++) {
		const struct store_chunk *c =
			store_chunks(t->r->store, cpu, s->from, s->to + 1, &n);

		for (u32 i = 0; i < n; i++)
			add(s, cpu / per_line, c[i].t0, c[i].t1 + 1,
			    (double)c[i].n_events / (double)(c[i].t1 - c[i].t0 + 1));
	}
	for (u32 i = 0; i < s->lines * s->columns; i++)
		most = MAX(most, s->busy[i]);
	for (u32 i = 0; i < s->lines * s->columns && most > 0; i++)
		s->busy[i] /= most;
}

static void compute(struct tui *t, u32 lines, u32 columns)
{
	struct tui_strip *s = &t->strip;

	if (s->busy && s->from == t->from && s->to == t->to && s->lines == lines &&
	    s->columns == columns && s->done_to == t->timeline.done_to)
		return;
	free(s->busy);
	*s = (struct tui_strip){ .from = t->from,
				 .to = t->to,
				 .done_to = t->timeline.done_to,
				 .lines = lines,
				 .columns = columns,
				 .busy = xcalloc((size_t)lines * columns, sizeof(double)),
				 .is_density = !t->timeline.model.has_switches };
	if (s->is_density)
		add_counts(t);
	else
		add_tiles(t);
}

/* ---- the screen */

static const char *glyph(const struct terminal *s, double busy)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
				 *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	u32 i = busy > 0 ? 1 + (u32)(MIN(busy, 1.0) * 7.49) : 0;

	return (s->has_utf8 ? blocks : ascii)[MIN(i, 8u)];
}

static u32 column_of(const struct tui_strip *s, u64 time)
{
	if (time < s->from || time > s->to)
		return s->columns;
	return MIN((u32)((double)(time - s->from) / (double)(s->to - s->from + 1) * s->columns),
		   s->columns - 1);
}

static void put_label(struct tui *t, u32 line, u32 per_line)
{
	u32 first = line * per_line, last = MIN(first + per_line, n_cpus(t)) - 1;

	if (first == last)
		terminal_printf(&t->terminal, STYLE_DIM, "cpu%u", first);
	else
		terminal_printf(&t->terminal, STYLE_DIM, "%u-%u", first, last);
	terminal_pad(&t->terminal, STYLE_PLAIN, LABEL);
}

static void put_line(struct tui *t, u32 line, u32 chosen)
{
	const struct tui_strip *s = &t->strip;

	terminal_line(&t->terminal, 1 + line);
	put_label(t, line, (n_cpus(t) + s->lines - 1) / s->lines);
	for (u32 i = 0; i < s->columns; i++)
		terminal_put(&t->terminal, i == chosen ? STYLE_CHOSEN : STYLE_GOOD,
			     glyph(&t->terminal, s->busy[line * s->columns + i]));
	terminal_end_line(&t->terminal);
}

/* The losses of a column are seen, too: they are noticed at that time; and parts of the file that
 * are missing. */
static void mark_losses(const struct tui *t, char *marks)
{
	const struct store_tables *tables = t->r->tables;
	const struct tui_strip *s = &t->strip;

	for (u32 i = 0; i < tables->losses.n; i++) {
		u32 at = column_of(s, tables->losses.v[i].time);

		if (at < s->columns)
			marks[at] = '!';
	}
	for (u32 i = 0; i < tables->gaps.n; i++) {
		const struct store_gap *g = &tables->gaps.v[i];

		if (g->to < s->from || g->from > s->to)
			continue;
		for (u32 at = column_of(s, MAX(g->from, s->from)),
			 last = column_of(s, MIN(g->to, s->to));
		     at <= last && at < s->columns; at++)
			marks[at] = '!';
	}
}

static void put_axis(struct tui *t, u32 row)
{
	const struct tui_strip *s = &t->strip;
	char text[32], marks[1001];

	memset(marks, '-', sizeof marks);
	mark_losses(t, marks);
	if (t->a && column_of(s, t->a) < s->columns)
		marks[column_of(s, t->a)] = 'A';
	if (t->b && column_of(s, t->b) < s->columns)
		marks[column_of(s, t->b)] = 'B';
	marks[MIN(s->columns, 1000u)] = '\0';
	terminal_line(&t->terminal, row);
	terminal_put(&t->terminal, STYLE_DIM, tui_span(s->to - s->from, text, sizeof text));
	terminal_pad(&t->terminal, STYLE_PLAIN, LABEL);
	terminal_put(&t->terminal, strpbrk(marks, "!") ? STYLE_BAD : STYLE_DIM, marks);
	terminal_end_line(&t->terminal);
}

u32 tui_draw_strip(struct tui *t)
{
	u32 rows = t->terminal.rows, columns = t->terminal.columns,
	    most = rows > 14 ? (rows - 8) / 4 : 1, lines, per_line, chosen;

	if (columns < LABEL + 10 || rows < 8)
		return 0;
	lines = MIN(n_cpus(t), MAX(most, 1u));
	per_line = (n_cpus(t) + lines - 1) / lines;
	lines = (n_cpus(t) + per_line - 1) / per_line;
	compute(t, lines, columns - LABEL);
	chosen = column_of(&t->strip, tui_time(t));
	for (u32 i = 0; i < lines; i++)
		put_line(t, i, chosen);
	put_axis(t, 1 + lines);
	return lines + 1;
}

void tui_zoom(struct tui *t, double by)
{
	u64 at = tui_time(t), from = t->timeline.from, to = t->timeline.to;
	double len = MAX((double)(t->to - t->from) * by, 1000.0);

	if (len >= (double)(to - from)) {
		t->from = from;
		t->to = to;
		return;
	}
	at = MIN(MAX(at, from), to);
	t->from = at - MIN(at - from, (u64)(len / 2));
	t->to = MIN(t->from + (u64)len, to);
	t->from = t->to - (u64)len;
}
