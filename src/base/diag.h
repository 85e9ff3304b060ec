/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics about the user's script: many per run, collected, rendered as text or JSON. Reporting
 * and failing are one step: callers return a value that the rest of the compiler treats as "already
 * reported". The rows (id, severity, text, explanation, example) are in base/diag.def.
 */
#ifndef SONDE_BASE_DIAG_H
#define SONDE_BASE_DIAG_H

#include <stdarg.h>
#include "base/buf.h"
#include "base/source.h"

enum severity { SEV_ERROR, SEV_WARNING, SEV_NOTE };

/* D(name, number, severity, format, explanation, example); R likewise */
enum diag_id {
#define D(name, num, sev, fmt, doc, example) D_##name,
#include "base/diag.def"
#undef D
	N_DIAG
};

struct diag_row {
	const char *name;
	u16 num; /* E0123, W0042, N0007: letter from severity */
	enum severity severity;
	const char *fmt, *doc, *example;
	bool is_refusal; /* by the system; the script is correct */
};
extern const struct diag_row diag_rows[N_DIAG];

struct diag_note { /* a second relevant position: "declared here" */
	struct span span;
	const char *text;
};

struct diag {
	enum diag_id id;
	enum severity severity;
	struct span span;
	const char *text;
	VEC(const char *) help; /* each printed as "help: ..."; if empty, the H row's */
	VEC(struct diag_note) notes;
};

struct diags {
	struct arena *arena;
	struct sources *sources;
	VEC(struct diag *) list;
	u32 n_errors, n_warnings;
	bool muted; /* reports return a scratch diag and are not stored (fixpoint passes) */
	bool no_warnings;
};

enum { DIAG_MAX_ERRORS = 20 };

void diags_init(struct diags *d, struct arena *arena, struct sources *sources);
/* Never NULL; duplicates of (id, span, text) are stored once. The format is the row's. */
struct diag *diag_report(struct diags *d, struct span span, enum diag_id id, ...);
struct diag *diag_vreport(struct diags *d, struct span span, enum diag_id id, va_list ap);
void diag_help(struct diags *d, struct diag *diag, const char *fmt, ...) FORMAT(3, 4);
void diag_note(struct diags *d, struct diag *diag, struct span span, const char *fmt, ...)
	FORMAT(4, 5);
/* The help that is printed: the report's, or the remedy of its row. */
u32 diag_n_helps(const struct diag *diag);
const char *diag_nth_help(const struct diag *diag, u32 i);
/* "E0123" into buf of at least 8 bytes. */
const char *diag_code(enum diag_id id, char *buf);
/* Renders all, errors first, sorted by position within a severity; color adds ANSI sequences. */
void diags_render_text(const struct diags *d, struct buf *out, bool color);
/* There are errors, and all are refusals by the system. */
bool diags_are_refusals(const struct diags *d);
/* One JSON object per line: id, severity, file, line, col, endcol, message, help[]. */
void diags_render_json(const struct diags *d, struct buf *out);

/* The nearest candidate to word by edit distance, or NULL when none is near (for suggestions). */
struct near {
	const char *word, *best;
	u32 best_cost;
};
void near_init(struct near *n, const char *word);
void near_try(struct near *n, const char *candidate);
const char *near_best(const struct near *n);

#endif
