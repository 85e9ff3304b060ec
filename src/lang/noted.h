/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads of the machine in a checked tree: type/noted.h. Recording, they are found and rewritten
 * once the types are known (noting.c); over a recording, the checker replaces them before it looks
 * at them (noted.c), so that nothing of the kernel's or the program's types is needed. Both know
 * them by their text (noted_text.c).
 */
#ifndef SONDE_LANG_NOTED_H
#define SONDE_LANG_NOTED_H

#include "lang/check_internal.h"
#include "type/noted.h"

struct noted_text {
	const char *key, *bound; /* bound: with its place */
	bool is_bound;           /* it has variables, maps, macros or parameters */
	bool is_arg;             /* args.NAME */
};

/* The text of an expression as the parser made it. */
struct noted_text noted_text_of(struct check *c, const struct node *n);
/* args itself, of which a member may be read. */
bool noted_is_args(struct check *c, const struct node *n);
/* Whether a call reads from the machine: the row of its name, or NULL. */
bool noted_is_asked(const struct builtin *row, const struct node *call);

/* noting.c: remembers the text of a node before it is checked for the first time. */
void noting_see(struct check *c, struct node *n);
/* field_exists(args, NAME) of the recorded probe: 1 or 0; -1: the recording does not tell. */
int noted_has_arg(struct check *c, const struct node *query);
/* One node became another, of which it is a copy. */
void noting_move(struct check *c, const struct node *to, const struct node *from);
/* Rewrites the instances, whose types are known. */
void noting_rewrite(struct check *c, struct instance **instances, u32 n);

/* noted.c: replaces a node that was recorded. False after the report that it was not, though it had
 * to be. */
bool noted_replace(struct check *c, struct node *n);

#endif
