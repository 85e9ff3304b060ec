/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, and lines of an event or a text. */
#include "base/visible.h"
#include "cli/tui/tui.h"

void tui_say(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof t->message, fmt, ap);
	va_end(ap);
}

/* ---- lines of an event or a text */

void tui_lines_begin(struct tui *t, const char *title)
{
	arena_release(&t->lines.arena);
	t->lines = (struct tui_lines){ 0 };
	arena_init(&t->lines.arena);
	snprintf(t->lines.title, sizeof t->lines.title, "%s", title);
}

void tui_lines_text(struct tui *t, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		struct buf b = { 0 };

		buf_add(&b, text, len);
		buf_visible(&b, 0, VISIBLE_NAME);
		vec_push(&t->lines.arena, &t->lines.lines,
			 (struct tui_line){ .text = arena_strdup(&t->lines.arena, b.s) });
		buf_release(&b);
		text += len + (text[len] == '\n');
	}
}

void tui_show_text(struct tui *t)
{
	t->back = t->view == VIEW_TEXT ? t->back : t->view == VIEW_FLAME ? VIEW_FLAME : VIEW_TABLE;
	t->view = VIEW_TEXT;
}
