/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types as text, with all that is needed to show a value of theirs on a machine that does not have
 * them: sizes, members, enumerators. Of a pointer only the name of what it points to.
 *
 *	struct point { int x, y; }	S8,4"point"{"x"0,0,0i4"int""y"4,0,0i4"int"}
 */
#ifndef SONDE_TYPE_LAYOUT_H
#define SONDE_TYPE_LAYOUT_H

#include "type/type.h"

/* Appends the text. False: values of the type have no meaning of their own, or not all is in their
 * bytes. */
bool layout_put(struct buf *b, const struct type *t);
/* NULL: the text is none, or its parts do not fit. */
const struct type *layout_parse(struct arena *a, const char *text);

/* A value that has a meaning only where it was read, a user id, arguments of a call: what prints it
 * looks names up. */
static inline bool type_is_shown(const struct type *t)
{
	return t->kind == TY_USERNAME || t->kind == TY_CGROUP_PATH || t->kind == TY_CALL ||
	       t->kind == TY_EVENT;
}

#endif
