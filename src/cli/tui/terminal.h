/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal as lines of text: those that change are written again. Sequences: ECMA-48, which all
 * terminals of today have, and xterm's 1049, 25 and 7; so no table of terminals is needed.
 */
#ifndef SONDE_CLI_TUI_TERMINAL_H
#define SONDE_CLI_TUI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>
#include "base/buf.h"
#include "base/err.h"

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_CHOSEN, /* reversed */
	/* plain without color */
	STYLE_DIM,
	STYLE_GOOD,
	STYLE_BAD,
	N_STYLES
};

/* Keys: characters are their code, Ctrl-A is 1. */
enum key {
	KEY_NONE = 0, /* the time is over, or the window has another size */
	KEY_ENTER = '\r',
	KEY_TAB = '\t',
	KEY_ESCAPE = 27,
	KEY_BACKSPACE = 127,
	KEY_UP = 0x110000,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_HOME,
	KEY_END,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_DELETE,
	KEY_OTHER, /* a sequence that means nothing here */
	KEY_CLOSED /* the terminal is gone, or a signal ends the program */
};

struct terminal { /* terminal_open(), terminal_close() */
	int in, out;
	struct termios before;
	bool is_open, has_color, has_utf8;
	u32 rows, columns;
	struct buf *shown; /* by row: what is on the screen */
	u32 n_shown;
	struct buf line, to_write; /* the line that is composed */
	u32 row, column;           /* where it is */
	u8 typed[256];
	u32 n_typed;
};

/* 0, or -errno with err set: it is no terminal, or one that cannot move its cursor. */
int terminal_open(struct terminal *t, bool color, struct err *err);
void terminal_close(struct terminal *t);
/* Takes the window's size, where SIGWINCH is held back: whether it is another one. */
bool terminal_fit(struct terminal *t);
/* Begins a line; what does not fit is cut. */
void terminal_line(struct terminal *t, u32 row);
/* Text that is foreign is escaped before: base/visible.h. */
void terminal_put(struct terminal *t, enum style style, const char *text);
FORMAT(3, 4) void terminal_printf(struct terminal *t, enum style style, const char *fmt, ...);
/* Blanks up to that column. */
void terminal_pad(struct terminal *t, enum style style, u32 column);
void terminal_end_line(struct terminal *t);
/* Lines from that row on are empty. */
void terminal_clear_from(struct terminal *t, u32 row);
void terminal_flush(struct terminal *t);
/* The next key, after at most ms; -1: no limit. */
u32 terminal_key(struct terminal *t, int ms);

#endif
