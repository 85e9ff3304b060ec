/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the string functions share. A text is a string in our own memory that verifiers let us index:
 * its room is a power of two, so a masked index stays inside.
 */
#ifndef SONDE_BUILTIN_TEXT_H
#define SONDE_BUILTIN_TEXT_H

#include "builtin/builtin.h"

struct text {
	struct opnd at;	 /* the first byte */
	u32 cap;	 /* bytes of the string's type, the NUL included */
	u32 room;	 /* bytes at `at`: a power of two, at least cap */
	struct opnd len; /* without the NUL; text_copy() only */
};

u32 power_of_two(u32 n); /* the smallest that is not below n */
/* v, or max where v is more (or negative). */
struct opnd at_most(struct lower *l, struct opnd v, u32 max);
/* A copy of our own, its length known. */
struct text text_copy(struct lower *l, struct node *n);
/* To look at only; read in place where it can be. */
struct text text_view(struct lower *l, struct node *n);
/* Writes the string at src to where the value of the call is wanted. */
struct ir_val text_result(struct lower *l, struct node *call, struct opnd dst, bool canonical, struct opnd src);
/* Copies a string of at most cap bytes; its length without the NUL. */
struct opnd text_move(struct lower *l, struct opnd dst, u32 cap, struct opnd src);

/* The loop of a text function: i counts up to bound; the body branches to out or falls through. */
struct byte_loop {
	struct ir_block *head, *out;
	u32 i, mark;
};
void byte_loop_begin(struct lower *l, struct byte_loop *b, u32 bound);
void byte_loop_end(struct lower *l, struct byte_loop *b);
/* The byte at index (a counter, or bounded by the room) as a number. */
struct opnd text_byte(struct lower *l, const struct text *t, struct opnd index);
/* 1 where x is zero, else 0; without a branch. */
struct opnd is_zero(struct lower *l, struct opnd x);
/* x = y where c is 1, unchanged where it is 0; without a branch. */
void choose(struct lower *l, u32 x, struct opnd c, struct opnd y);
/* Keeps verifiers from knowing a number that each turn of a loop has differently. */
struct opnd forget(struct lower *l, struct opnd memory, struct opnd v);

/* An offset in the data map where these bytes are; the same bytes are kept once. */
u32 data_table(struct lower *l, const void *bytes, u32 len);

#endif
