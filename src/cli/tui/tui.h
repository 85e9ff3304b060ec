/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde tui: a recording in a terminal. tui.c has the loop and the keys, table.c the events,
 * strip.c the processors, detail.c one event, chart.c what child processes make: sums, histograms,
 * orders; flame.c flame graphs.
 */
#ifndef SONDE_CLI_TUI_H
#define SONDE_CLI_TUI_H

#include "cli/recording.h"
#include "cli/tui/terminal.h"
#include "cli/view/matches.h"
#include "export/timeline/timeline.h"

struct tui;

enum tui_view { VIEW_TABLE, VIEW_EVENT, VIEW_TEXT, VIEW_FLAME, N_VIEWS };

struct tui_row {
	u64 number, time;
	u32 cpu, tid;
	char comm[COMM_SIZE + 1];
	const struct event_format *format;
	char *text; /* malloc'ed */
};

struct tui_line { /* of an event, or of a text */
	const char *text;
	const char *name, *predicate; /* of a field: what = adds to the filter; or NULL */
};

struct tui_lines {
	struct arena arena;
	VEC(struct tui_line) lines;
	u32 top, at, left; /* left: characters that are beyond the left edge */
	char title[128];
};

struct tui_strip { /* how busy each line's processors are, by column: what was drawn last */
	u64 from, to, done_to;
	u32 lines, columns;
	double *busy;
	bool is_density; /* of events: the recording has no switches */
};

struct flame_node {
	u32 parent, depth, child, next; /* indexes; 0: none */
	u64 n, left;                    /* left: of those beside it in what is enlarged */
	u32 x0, x1;                     /* columns */
	const char *raw, *name;         /* name: as terminals may see it */
};

struct tui_flame { /* flame.c */
	struct arena arena;
	u64 from, to;
	bool off_cpu, is_awaited;
	VEC(struct flame_node) nodes; /* 0: all; a child is after its parent */
	VEC(u32) row;                 /* what is drawn of a depth */
	u32 zoom, at, top;            /* what is enlarged, what is chosen, the first depth */
	const char *of;               /* what is counted */
};

/* Input in the last line. */
struct tui_prompt {
	const char *label; /* NULL: no input */
	char text[256];
	u32 len, at;
	void (*done)(struct tui *t, const char *text);
	bool is_predicate;
	bool is_offer;  /* the text is a proposal: what is typed replaces it, other keys edit it */
	bool has_caret; /* the error is about what is at caret */
	u32 caret;
};

struct tui {
	struct recorded *r;
	struct timeline timeline;
	struct terminal terminal;
	bool quits;
	enum tui_view view;
	struct tui_prompt prompt;
	char message[512]; /* above the last line, until the next key */
	/* the table */
	char filter[256], filter_typed[256], order[64];
	struct matches matches;
	bool awaits_matches, is_descending;
	struct job sorting; /* of a struct tui_order */
	u64 at, top;        /* places in what is shown */
	u64 next_number;    /* of the next store_next(); ~0: not known */
	struct tui_row *rows;
	u32 n_rows, rows_room;
	bool is_stale;
	u32 first_row, table_rows; /* where the table is on the screen */
	/* the strip: from, to: what it shows */
	u64 from, to;
	struct tui_strip strip;
	u64 a, b; /* markers, or 0 */
	/* the other views */
	struct tui_lines lines;
	struct job chart;
	bool awaits_chart;
	char chart_title[512];
	struct tui_flame flame;
	enum tui_view back; /* from the text */
	struct {
		char from[128], to[128]; /* events, as typed last */
	} latency;
};

/* ---- tui.c */
/* Until the user quits; the terminal is open. */
void tui_run(struct recorded *r, struct terminal *terminal);

/* ---- lines.c */
FORMAT(2, 3) void tui_say(struct tui *t, const char *fmt, ...);
/* Forgets the lines; the title of the next ones. */
void tui_lines_begin(struct tui *t, const char *title);
/* Appends the text's lines. */
void tui_lines_text(struct tui *t, const char *text);
void tui_show_text(struct tui *t);

/* ---- table.c */
/* How many events are shown. */
u64 tui_n(const struct tui *t);
/* The event at that place; false: there is none (yet). It is valid until the next one is read. */
bool tui_read(struct tui *t, u64 place, struct trace_event *e);
/* The place of the first event at or after that time. */
u64 tui_place_at(struct tui *t, u64 time);
void tui_draw_table(struct tui *t, u32 row);
/* Of the chosen event; 0: there is none. */
u64 tui_time(struct tui *t);
void tui_set_filter(struct tui *t, const char *text);
void tui_add_filter(struct tui *t, const char *predicate);
void tui_set_order(struct tui *t, const char *text);
void tui_release_rows(struct tui *t);

/* ---- strip.c */
u32 tui_draw_strip(struct tui *t); /* the rows that it took */
void tui_zoom(struct tui *t, double by);
/* Milliseconds or microseconds, as is best: "1.5 ms". */
const char *tui_span(u64 ns, char *buf, size_t len);

/* ---- detail.c */
void tui_show_event(struct tui *t);
const char *tui_field(const struct tui *t);

/* ---- order.c */
enum { TUI_ORDER_MOST = 100000 };
struct tui_order {
	u64 n_seen;
	u32 n; /* of numbers; 0 until it is done */
	u64 numbers[TUI_ORDER_MOST];
};
void tui_sort(struct tui *t);

/* ---- chart.c */
void tui_show_sums(struct tui *t);
void tui_show_histogram(struct tui *t, const char *expr);
/* key: what both events have, "tid" or "pid,next_pid". */
void tui_show_latency(struct tui *t, const char *from, const char *to, const char *key);
/* Shows what the child has printed, when it is done. */
void tui_chart_done(struct tui *t);

/* ---- flame.c */
void tui_show_flame(struct tui *t, bool off_cpu);
/* Shows it, when the child is done. */
void tui_flame_done(struct tui *t);
void tui_draw_flame(struct tui *t);
/* What is chosen: its caller, the widest of what it calls, the frame beside it. */
void tui_flame_outwards(struct tui *t);
void tui_flame_inwards(struct tui *t);
void tui_flame_beside(struct tui *t, int by);
/* What is chosen is as wide as the terminal; all is again: false if it was. */
void tui_flame_zoom(struct tui *t);
bool tui_flame_unzoom(struct tui *t);
void tui_release_flame(struct tui *t);

/* ---- complete.c */
/* Completes the name before the cursor; what else it could be is a message. */
void tui_complete(struct tui *t);

#endif
