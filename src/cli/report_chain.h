/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains of the rows of sonde report --stdio: a tree of functions, and its drawing. */
#ifndef SONDE_CLI_REPORT_CHAIN_H
#define SONDE_CLI_REPORT_CHAIN_H

#include "base/arena.h"
#include "base/hash.h"
#include "trace/names.h"

struct chain_frame {                     /* one of each function; without a name, of each address */
	const char *symbol, *dso, *path; /* dso: the last part of path */
	u64 offset;                      /* without a name: in the file, if that is known */
	bool is_kernel, has_name;
};

struct chain_step {
	const struct chain_frame *frame;
	u64 ip;
};

struct chain { /* the innermost first */
	u32 n;
	const struct chain_step *v;
};

struct chain_node {
	const struct chain_frame *frame; /* NULL: the root */
	u64 hits, sum;                   /* that end here; with those below */
	struct chain_node *children, *next;
	u32 n_children;
};

/* --call-graph, -g */
struct chain_style {
	enum { CHAIN_NONE, CHAIN_GRAPH, CHAIN_FOLDED } how;
	bool callers_first, order_given;
	bool hides_first; /* the row begins with the function */
	double least;     /* percent */
};

/* "graph,0.5,caller"; false: it has an unknown word. */
bool chain_style_read(struct chain_style *style, const char *text);
/* The n steps from v on, in the direction of by: 1 or -1. */
void chain_add(struct chain_node *root, struct arena *a, const struct chain_step *v, u32 n, int by,
	       u64 period);
/* total: of all samples; own: of the row. */
void chain_put(struct buf *b, const struct names *names, struct chain_node *root,
	       const struct chain_style *style, u64 total, u64 own);

#endif
