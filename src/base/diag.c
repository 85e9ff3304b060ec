/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics: a list in the arena that grows while the compiler runs, rendered as text or JSON.
 *
 *	file.bt:3:17-23: ERROR: message [E0203]
 *	    kprobe:f { @x = foo(1); }
 *	                    ~~~~~~
 *	  help: did you mean "bar"?
 *	file.bt:1:1-4: note: declared here
 *	    ...
 *
 * A report that is not stored (muted, a duplicate, over the limit) still returns an object that
 * takes help and notes, which are never shown. Columns count bytes, as in editors' jump-to-error;
 * the underline counts characters, with tabs shown as four spaces. A long line is cut to the part
 * around the error.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/visible.h"
#include "base/json.h"

const struct diag_row diag_rows[N_DIAG] = {
#define D(name, num, sev, fmt, doc, example) { #name, num, sev, fmt, doc, example, false },
#define R(name, num, sev, fmt, doc, example) { #name, num, sev, fmt, doc, example, true },
#include "base/diag.def"
#undef D
};

/* The help of a message whose reporter gave none. */
static const char *const remedies[N_DIAG] = {
#define D(name, num, sev, fmt, doc, example)
#define H(name, help) [D_##name] = help,
#include "base/diag.def"
#undef D
};

u32 diag_n_helps(const struct diag *diag)
{
	return diag->help.n ? diag->help.n : remedies[diag->id] != NULL;
}

const char *diag_nth_help(const struct diag *diag, u32 i)
{
	return diag->help.n ? diag->help.v[i] : remedies[diag->id];
}

static const struct look {
	const char *label, *json, *color;
	char letter;
} looks[] = {
	[SEV_ERROR] = { "ERROR", "error", "\033[1;31m", 'E' },
	[SEV_WARNING] = { "WARNING", "warning", "\033[1;33m", 'W' },
	[SEV_NOTE] = { "note", "note", "\033[1;36m", 'N' },
};

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
enum { INDENT = 4, TAB = 4, FIRST_OF_PROBES = 500 /* diag.def */ };

void diags_init(struct diags *d, struct arena *arena, struct sources *sources)
{
	*d = (struct diags){ .arena = arena, .sources = sources };
}

static bool is_generated(const struct position *p)
{
	return p->file && p->file->is_generated;
}

/* Clauses that a command makes for its events have the same mistakes. */
static bool same(const struct diags *d, const struct diag *a, const struct diag *b)
{
	if (a->id != b->id || !streq(a->text, b->text))
		return false;
	if (a->span.off == b->span.off && a->span.len == b->span.len)
		return true;

	struct position at = sources_find(d->sources, a->span);
	struct position other = sources_find(d->sources, b->span);

	return is_generated(&at) && is_generated(&other);
}

static bool is_kept(const struct diags *d, const struct diag *diag)
{
	for (u32 i = 0; i < d->list.n; i++)
		if (same(d, d->list.v[i], diag))
			return true;
	return false;
}

static void keep(struct diags *d, struct diag *diag)
{
	if (is_kept(d, diag))
		return;
	switch (diag->severity) {
	case SEV_ERROR:
		if (d->n_errors++ >= DIAG_MAX_ERRORS)
			return;
		break;
	case SEV_WARNING: d->n_warnings++; break;
	case SEV_NOTE: break;
	}
	vec_push(d->arena, &d->list, diag);
}

bool diags_are_refusals(const struct diags *d)
{
	u32 n = 0;

	for (u32 i = 0; i < d->list.n; i++) {
		const struct diag_row *row = &diag_rows[d->list.v[i]->id];

		if (d->list.v[i]->severity == SEV_ERROR && !row->is_refusal)
			return false;
		n += d->list.v[i]->severity == SEV_ERROR;
	}
	return n > 0;
}

struct diag *diag_vreport(struct diags *d, struct span span, enum diag_id id, va_list ap)
{
	const struct diag_row *row = &diag_rows[id];
	struct diag *diag = arena_new(d->arena, struct diag);

	diag->id = id;
	diag->severity = row->severity;
	diag->span = span;
	diag->text = "";
	if (d->muted || (d->no_warnings && row->severity == SEV_WARNING))
		return diag;
	diag->text = arena_vprintf(d->arena, row->fmt, ap);
	keep(d, diag);
	return diag;
}

struct diag *diag_report(struct diags *d, struct span span, enum diag_id id, ...)
{
	va_list ap;

	va_start(ap, id);
	struct diag *diag = diag_vreport(d, span, id, ap);

	va_end(ap);
	return diag;
}

void diag_help(struct diags *d, struct diag *diag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *text = arena_vprintf(d->arena, fmt, ap);

	va_end(ap);
	vec_push(d->arena, &diag->help, text);
}

void diag_note(struct diags *d, struct diag *diag, struct span span, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *text = arena_vprintf(d->arena, fmt, ap);

	va_end(ap);
	vec_push(d->arena, &diag->notes, (struct diag_note){ span, text });
}

const char *diag_code(enum diag_id id, char *buf)
{
	const struct diag_row *row = &diag_rows[id];

	snprintf(buf, 8, "%c%04u", looks[row->severity].letter, row->num);
	return buf;
}

static bool comes_before(const struct diag *a, const struct diag *b)
{
	if (a->severity != b->severity)
		return a->severity < b->severity;
	return a->span.off < b->span.off;
}

/*
 * A sorted copy of the list. Insertion sort is stable, and fast because most reports come in order.
 */
static struct diag **sorted(const struct diags *d)
{
	struct diag **v = xmalloc(d->list.n * sizeof *v);

	for (u32 i = 0; i < d->list.n; i++) {
		u32 j = i;

		for (; j && comes_before(d->list.v[i], v[j - 1]); j--)
			v[j] = v[j - 1];
		v[j] = d->list.v[i];
	}
	return v;
}

struct text {
	const struct diags *diags;
	struct buf *out;
	bool color;
};

static void paint(const struct text *t, const char *sequence)
{
	if (t->color)
		buf_puts(t->out, sequence);
}

/* An empty span, such as the end of the file, is shown one column wide. */
static u32 shown_end(const struct position *p)
{
	return MAX(p->end_col, p->col + 1);
}

/* Messages contain symbol and file names from traced programs. */
static void put_foreign(struct buf *out, const char *text)
{
	size_t start = out->len;

	buf_puts(out, text);
	buf_visible(out, start, VISIBLE_TEXT);
}

static void put_position(struct buf *out, const struct position *p)
{
	if (!p->file || p->file->is_generated)
		return;
	put_foreign(out, p->file->name);
	buf_printf(out, ":%u", p->line);
	if (p->line == p->end_line)
		buf_printf(out, ":%u-%u: ", p->col, shown_end(p));
	else
		buf_printf(out, "-%u: ", p->end_line);
}

/* The bytes of a line that are shown: of a long line, those around the error. */
struct window {
	u32 from, to, len;
};

static const char cut[] = "...";

static bool inside_character(const char *s, u32 at)
{
	return ((u8)s[at] & 0xc0) == 0x80; /* UTF-8 continuation byte */
}

static struct window window_of(const struct position *p, u32 line, const char *s, u32 len)
{
	enum { LONG = 160, SHOWN = 120, BEFORE = 40 };
	u32 start = line == p->line ? MIN(p->col - 1, len) : 0;
	struct window w = { 0, len, len };

	if (len <= LONG)
		return w;
	w.from = start > BEFORE ? MIN(start - BEFORE, len - SHOWN) : 0;
	w.to = w.from + SHOWN;
	while (w.from > 0 && inside_character(s, w.from))
		w.from--;
	while (w.to < len && inside_character(s, w.to))
		w.to++;
	return w;
}

/* Control characters are replaced: a terminal would obey them. */
static void put_line(struct buf *out, const char *s, const struct window *w)
{
	buf_pad(out, ' ', INDENT);
	if (w->from)
		buf_puts(out, cut);
	for (u32 from = w->from, i; from < w->to; from = i + 1) {
		for (i = from; i < w->to && s[i] != '\t';)
			i++;
		buf_add_blanked(out, s + from, i - from);
		buf_pad(out, ' ', i < w->to ? TAB : 0);
	}
	if (w->to < w->len)
		buf_puts(out, cut);
	buf_putc(out, '\n');
}

/* Screen columns of the bytes in [from, to). */
static u32 width(const char *s, u32 from, u32 to)
{
	u32 n = 0;

	for (u32 i = from; i < to; i++) {
		if (s[i] == '\t')
			n += TAB;
		else if (!inside_character(s, i))
			n++;
	}
	return n;
}

static void put_underline(const struct text *t, const struct position *p, const char *s,
			  const struct window *w, const struct look *look)
{
	u32 from = MIN(p->col - 1, w->to), to = MIN(p->end_col - 1, w->to);

	buf_pad(t->out, ' ', INDENT + (w->from ? strlen(cut) : 0) + width(s, w->from, from));
	paint(t, look->color);
	buf_pad(t->out, '~', MAX(width(s, from, to), 1u));
	paint(t, PLAIN);
	buf_putc(t->out, '\n');
}

static struct source *file_of(const struct sources *s, const struct position *p)
{
	for (u32 i = 0; i < s->files.n; i++)
		if (s->files.v[i] == p->file)
			return s->files.v[i];
	return NULL;
}

static void put_excerpt(const struct text *t, const struct position *p, const struct look *look)
{
	struct source *f = file_of(t->diags->sources, p);

	for (u32 line = p->line; f && line <= p->end_line; line++) {
		u32 len;
		const char *s = source_line(f, line, &len);
		struct window w = window_of(p, line, s, len);

		put_line(t->out, s, &w);
		if (p->line == p->end_line)
			put_underline(t, p, s, &w, look);
	}
}

/*
 * The user of a command knows its conditions when they are shown; its probes and the rest of its
 * script only by the message.
 */
static bool has_excerpt(const struct position *p, const struct diag *diag)
{
	return !is_generated(p) || diag_rows[diag->id].num < FIRST_OF_PROBES;
}

/* One message at one position, without an excerpt; code may be NULL. */
static void put_message(const struct text *t, const struct position *p, const struct look *look,
			const char *message, const char *code)
{
	put_position(t->out, p);
	paint(t, look->color);
	buf_puts(t->out, look->label);
	buf_putc(t->out, ':');
	paint(t, PLAIN);
	buf_putc(t->out, ' ');
	paint(t, BOLD);
	put_foreign(t->out, message);
	paint(t, PLAIN);
	if (code)
		buf_printf(t->out, " [%s]", code);
	buf_putc(t->out, '\n');
}

static void put_diag(const struct text *t, const struct diag *diag)
{
	struct sources *sources = t->diags->sources;
	struct position p = sources_find(sources, diag->span);
	const struct look *look = &looks[diag->severity];
	char code[8];

	put_message(t, &p, look, diag->text, diag_code(diag->id, code));
	if (has_excerpt(&p, diag))
		put_excerpt(t, &p, look);
	for (u32 i = 0; i < diag_n_helps(diag); i++) {
		buf_puts(t->out, "  help: ");
		put_foreign(t->out, diag_nth_help(diag, i));
		buf_putc(t->out, '\n');
	}
	for (u32 i = 0; i < diag->notes.n; i++) {
		const struct diag_note *note = &diag->notes.v[i];

		p = sources_find(sources, note->span);
		put_message(t, &p, &looks[SEV_NOTE], note->text, NULL);
		if (has_excerpt(&p, diag))
			put_excerpt(t, &p, &looks[SEV_NOTE]);
	}
}

void diags_render_text(const struct diags *d, struct buf *out, bool color)
{
	struct text t = { d, out, color };
	struct diag **v = sorted(d);

	for (u32 i = 0; i < d->list.n; i++)
		put_diag(&t, v[i]);
	free(v);

	if (d->n_errors > DIAG_MAX_ERRORS) {
		u32 more = d->n_errors - DIAG_MAX_ERRORS;

		buf_printf(out, "%u more error%s\n", more, more == 1 ? "" : "s");
	}
}

static void json_number(struct buf *out, const char *key, u32 v, bool known)
{
	buf_printf(out, ",\"%s\":", key);
	if (known)
		json_u64(out, v);
	else
		buf_puts(out, "null");
}

/* There is no endline key: endcol of a span of several lines is the end of its first line. */
static u32 json_endcol(const struct diags *d, const struct position *p)
{
	struct source *f = file_of(d->sources, p);
	u32 len;

	if (!f || p->line == p->end_line)
		return shown_end(p);
	source_line(f, p->line, &len);
	return MAX(len + 1, p->col + 1);
}

static void json_diag(const struct diags *d, const struct diag *diag, struct buf *out)
{
	struct position p = sources_find(d->sources, diag->span);
	char code[8];

	buf_printf(out, "{\"id\":\"%s\",\"severity\":\"%s\",\"file\":", diag_code(diag->id, code),
		   looks[diag->severity].json);
	if (p.file)
		json_strz(out, p.file->name);
	else
		buf_puts(out, "null");
	json_number(out, "line", p.line, p.file);
	json_number(out, "col", p.col, p.file);
	json_number(out, "endcol", json_endcol(d, &p), p.file);
	buf_puts(out, ",\"message\":");
	json_strz(out, diag->text);
	buf_puts(out, ",\"help\":[");
	for (u32 i = 0; i < diag_n_helps(diag); i++) {
		if (i)
			buf_putc(out, ',');
		json_strz(out, diag_nth_help(diag, i));
	}
	buf_puts(out, "]}\n");
}

void diags_render_json(const struct diags *d, struct buf *out)
{
	struct diag **v = sorted(d);

	for (u32 i = 0; i < d->list.n; i++)
		json_diag(d, v[i], out);
	free(v);
}
