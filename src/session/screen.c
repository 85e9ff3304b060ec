/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde top: shows the maps periodically. On a terminal each display replaces the previous one, on
 * the alternate screen, which is left at the end; output of the script is below the maps. Elsewhere
 * each display is a block of plain lines after the time of day. Sequences: ECMA-48, and xterm's
 * 1049 and 25.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "output/output.h"
#include "session/capture.h"
#include "type/agg.h"

#define ENTER "\033[?1049h\033[?25l" /* the other screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define END_LINE "\033[K\r\n"
#define CLEAR_BELOW "\033[J"

enum { MIN_ROWS = 4, PRINTED_MAX = 64 << 10 };

struct screen {
	struct capture shown; /* what the script prints meanwhile, on a terminal */
	struct buf printed;
	bool on_terminal;
	u64 next_ns;
};

static void window_size(int fd, u32 *rows, u32 *columns)
{
	struct winsize w = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		w = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	*rows = MAX(w.ws_row, (u32)MIN_ROWS);
	*columns = w.ws_col;
}

static void put_time(struct buf *b)
{
	time_t now = time(NULL);
	char text[16];
	struct tm tm;

	strftime(text, sizeof text, "%H:%M:%S", localtime_r(&now, &tm));
	buf_puts(b, text);
}

/* ---- a terminal */

/* Bytes of a line that fit; a UTF-8 sequence takes one column. */
static size_t fitting(const char *s, size_t len, u32 columns)
{
	size_t i = 0;

	for (u32 n = 0; i < len; i++)
		if (((u8)s[i] & 0xc0) != 0x80 && n++ == columns)
			break;
	return i;
}

/* At most `rows` lines, each cut at the edge; returns how many were put. */
static u32 put_lines(struct buf *b, const char *s, const char *end, u32 rows, u32 columns)
{
	u32 n = 0;

	for (; s < end && n < rows; n++) {
		const char *next = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((next ? next : end) - s);

		buf_add(b, s, fitting(s, len, columns));
		buf_puts(b, END_LINE);
		s += len + 1;
	}
	return n;
}

/* Where the last `rows` lines begin. */
static const char *last_lines(const struct buf *b, u32 rows)
{
	const char *s = b->s + b->len;

	if (b->len && s[-1] == '\n')
		s--;
	while (s > b->s && (s[-1] != '\n' || --rows))
		s--;
	return s;
}

static void forget_old(struct buf *b)
{
	size_t drop = b->len > PRINTED_MAX ? b->len - PRINTED_MAX : 0;

	if (drop)
		buf_cut(b, 0, drop);
}

/* Rows for each map. */
static u32 share_of(const struct compiled *c, u32 rows)
{
	u32 n = 0;

	for (u32 i = 0; i < c->prog.maps.n; i++)
		n += c->prog.maps.v[i].role == MAP_USER || c->prog.maps.v[i].role == MAP_GLOBAL;
	return MAX(rows / MAX(n, 1u), 2u);
}

static void draw(struct run *r, struct screen *s)
{
	struct buf maps = { 0 }, out = { 0 };
	int fd = s->shown.before->fd;
	u32 rows, columns, used = 1;

	window_size(fd, &rows, &columns);
	capture_take(&s->shown, &s->printed);
	forget_old(&s->printed);
	maps_print_top(r, share_of(&r->c, rows));
	capture_take(&s->shown, &maps);
	buf_puts(&out, HOME);
	put_time(&out);
	buf_puts(&out, END_LINE);
	if (maps.len)
		used += put_lines(&out, maps.s, maps.s + maps.len,
				  s->printed.len ? rows - MIN_ROWS + 1 : rows - 2, columns);
	if (s->printed.len && used + 1 < rows)
		put_lines(&out, last_lines(&s->printed, rows - used - 1),
			  s->printed.s + s->printed.len, rows - used - 1, columns);
	buf_puts(&out, CLEAR_BELOW);
	if (write_all(fd, out.s, out.len) < 0)
		r->end.exiting = true;
	buf_release(&maps);
	buf_release(&out);
}

/* ---- elsewhere */

static void put_block(struct run *r)
{
	struct sink *sink = r->sink;

	if (sink->output == &output_text) {
		put_time(&sink->out);
		buf_putc(&sink->out, '\n');
	}
	sink->is_redraw = true;
	maps_print_top(r, r->request->redraw.top);
	sink->is_redraw = false;
	if (sink->output == &output_text)
		buf_putc(&sink->out, '\n');
	sink_flush(sink);
}

/* ---- what the loop calls */

void screen_start(struct run *r)
{
	struct screen *s;

	if (!r->request->redraw.interval_ns ||
	    r->sink->output->close) /* which shows the end only */
		return;
	s = r->screen = xcalloc(1, sizeof *s);
	s->next_ns = clock_mono_ns() + r->request->redraw.interval_ns;
	s->on_terminal = isatty(r->sink->fd) && r->sink->output == &output_text;
	if (!s->on_terminal)
		return;
	sink_flush(r->sink);
	write_all(r->sink->fd, ENTER, strlen(ENTER));
	capture_begin(&s->shown, r);
	draw(r, s);
}

void screen_tick(struct run *r)
{
	struct screen *s = r->screen;
	u64 now;

	if (!s || (now = clock_mono_ns()) < s->next_ns)
		return;
	s->on_terminal ? draw(r, s) : put_block(r);
	if (r->request->redraw.anew)
		maps_restart(r);
	while (s->next_ns <= now)
		s->next_ns += r->request->redraw.interval_ns;
}

int screen_wait_ms(const struct screen *s, int ms)
{
	u64 now = clock_mono_ns();

	if (!s)
		return ms;
	if (s->next_ns <= now)
		return 0;
	return (int)MIN((u64)ms, (s->next_ns - now) / 1000000 + 1);
}

void screen_resized(struct run *r)
{
	if (r->screen && r->screen->on_terminal)
		draw(r, r->screen);
}

void screen_end(struct run *r)
{
	struct screen *s = r->screen;

	if (!s)
		return;
	if (s->on_terminal) {
		capture_take(&s->shown, &s->printed);
		capture_end(&s->shown, r);
		write_all(r->sink->fd, LEAVE, strlen(LEAVE));
		buf_add(&r->sink->out, s->printed.s ? s->printed.s : "", s->printed.len);
	}
	buf_release(&s->printed);
	free(s);
	r->screen = NULL;
}
