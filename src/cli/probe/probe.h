/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of sonde probe: dynamic events of tracefs, which stay when sonde ends and
 * which other tools see. In: points as perf-probe(1) spells them; out: lines of kprobe_events and
 * uprobe_events (Documentation/trace/kprobetrace.rst, uprobetracer.rst).
 */
#ifndef SONDE_CLI_PROBE_H
#define SONDE_CLI_PROBE_H

#include "cli/front.h"
#include "provider/provider.h"

/* [NAME=]EXPR[:TYPE][@user] */
struct probe_arg {
	const char *text; /* as given, without @user */
	const char *name; /* NULL: from expr */
	const char *expr; /* "p->next->name", "$retval", "%di" */
	const char *type; /* "s32", "string"; NULL: as the expression is typed */
	bool is_user;     /* its pointers lead to memory of the process */
};

/* [[GROUP:]EVENT=]FUNC[@SRC][:RLN|+OFFS|%return|;PTN] [ARG...] and its other forms */
struct probe_point {
	const char *text, *where;  /* all of it; without arguments */
	const char *group, *event; /* NULL: not given */
	const char *func, *source; /* NULL: none */
	const char *pattern;       /* of lines */
	const char *offset;        /* "+16"; "" */
	u32 line;                  /* from the function's first line, or of source */
	bool has_line, is_return, is_usdt;
	const struct probe_arg *args;
	u32 n_args;
};

/* Where a point is. */
struct probe_place {
	const struct site *site;
	const struct profile *profile;
	const char *func;
};

struct probe {
	struct cli *c;
	struct arena *arena;       /* of the command line */
	const char *file, *module; /* NULL: the kernel */
	/* The file is the kernel's image; of another kernel than that which runs. */
	bool is_kernel, is_of_other;
	struct front front; /* of the point that is being resolved */
	struct provider_env env;
	VEC(struct probe_place) places;
};

/* ---- point.c: 0, or the exit status after a message */
int probe_parse(struct probe *p, const char *text, struct probe_point *out);
/* "10", "10-20", "10+5" after a colon: lines FIRST to LAST; NULL text: none. False: it is none. */
bool probe_range(const char *text, u32 *first, u32 *last);

/* ---- place.c */
/*
 * Finds the addresses of a point: p->places, valid until probe_done(). all: with every variable in
 * scope, else with those that its arguments name. 0, or the exit status after a message.
 */
int probe_resolve(struct probe *p, const struct probe_point *at, bool all);
void probe_done(struct probe *p);
struct dwarf;
struct elf;
/* Debug information of p->file and the file itself; both NULL, with err, if there is none. */
struct dwarf *probe_debug(struct probe *p, struct elf **elf, struct err *err);
/* Whether the path is SOURCE or ends in it; source: NULL: any. */
bool probe_is_of(const char *path, const char *source);
/* Whether the compiler has code for that very line; func: NULL: of any function. */
bool probe_has_code(struct dwarf *d, const char *func, const char *file, u32 line);
struct text_body;
/* The source text of a function, of SRC if it is given. False after a message. */
bool probe_body(struct probe *p, struct dwarf *d, const char *func, const char *source,
		struct text_body *out);

/* ---- image.c */
/* The kernel's points are found in its image from now on. what: for the message, if there is none.
 * 0, or the exit status. */
int probe_use_image(struct probe *p, const char *what);
/* That of the kernel that runs, where packages put it; NULL: it is not there. */
const char *probe_image(struct probe *p);
/* Appends "SYMBOL+OFFSET" of code at an offset of the image; of data at an address, or relative to
 * code. False: there is no symbol. */
bool probe_put_symbol(struct probe *p, u64 offset, struct buf *b);
struct probe_data {
	const char *name; /* of the variable, whose symbol it may have */
	u64 site;         /* an offset of code in the image */
	u64 offset;       /* an address, or from that code */
	bool is_relative;
};
bool probe_put_address(struct probe *p, const struct probe_data *data, struct buf *b);

/* ---- fetch.c */
/* It is of the kernel's own spelling: "%di". */
bool probe_is_raw(const struct probe_arg *arg);
/* Appends " NAME=FETCHARG:TYPE". 0, or the exit status after a message. */
int probe_put_arg(struct probe *p, const struct probe_place *at, const struct probe_arg *arg,
		  struct buf *line);

/* ---- events.c: what is defined */
struct probe_event {
	const char *file; /* kprobe_events, uprobe_events */
	const char *line; /* as the kernel lists it */
	const char *group, *name, *place;
	const char *args; /* "a=%di:u64 b=..."; "" */
	bool is_return;
};
struct probe_events {
	VEC(struct probe_event) v;
};
/* 0, or the exit status after a message. */
int probe_read(struct probe *p, struct probe_events *to);
const struct probe_event *probe_find(const struct probe_events *es, const char *group,
				     const char *name);
int probe_list(struct probe *p);
int probe_delete(struct probe *p, const char *const *patterns);

/* ---- define.c */
int probe_define(struct probe *p, const char *const *points, bool only_show);

/* ---- source.c: -L, -V, -F */
int probe_show_lines(struct probe *p, const char *what);
int probe_show_vars(struct probe *p, const char *what);
int probe_show_functions(struct probe *p, const char *pattern);

#endif
