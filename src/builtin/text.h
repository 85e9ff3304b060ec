/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the string functions share. A text is a string in our own memory that verifiers let us index:
 * its room is a power of two, so a masked index stays inside.
 */
#ifndef SONDE_BUILTIN_TEXT_H
#define SONDE_BUILTIN_TEXT_H

#include "builtin/builtin.h"

enum { TEXT_SLACK = 8 }; /* behind the room: a separator is compared as a whole */

struct text {
	struct opnd at;    /* the first byte */
	struct opnd place; /* text_copy() and text_in_scratch(): the same as a place in scratch */
	u32 cap;           /* bytes of the string's type, the NUL included */
	u32 room;          /* bytes at `at`: a power of two, at least cap */
	struct opnd len;   /* without the NUL; text_copy() only */
};

u32 power_of_two(u32 n); /* the smallest that is not below n */
/* A copy of our own, its length known. */
struct text text_copy(struct lower *l, struct node *n);
/* To look at only; read in place where it can be. */
struct text text_view(struct lower *l, struct node *n);
/* To look at only, for a shared function. */
struct text text_in_scratch(struct lower *l, struct node *n);
/* In such a function: the text at an offset. */
struct text text_shared(struct lower *l, struct opnd offset, u32 room);
/* Copies a string of at most cap bytes, a power of two, to our own memory; what cannot be read is empty. How many bytes that
 * were, the NUL included. */
struct opnd text_append(struct lower *l, struct opnd to, u32 cap, struct opnd string,
			enum space space);
/* Writes the string at src to dst, which lower_dest() gave: the value of the call. */
struct ir_val text_result(struct lower *l, struct node *call, struct opnd dst, bool canonical,
			  struct opnd src);

/*
 * The loop of a text function: i counts up to bound, `step` bytes a turn, because each turn costs
 * verifiers more than its instructions. The only other way out is at the end of a turn, and the jump is
 * the way on: verifiers follow the way out first, find it known, and hold one turn at a time.
 *
 *	head: if i >= bound goto out; ...; i += step; if x cc y goto head; out:
 */
struct byte_loop {
	struct ir_block *head, *out;
	u32 i, mark, step;
};
void byte_loop_begin(struct lower *l, struct byte_loop *b, u32 bound);
void byte_loop_while(struct lower *l, struct byte_loop *b, enum ir_cond cc, struct opnd x,
		     struct opnd y);
/* The byte at an index that is bounded by the room. */
struct opnd text_byte(struct lower *l, const struct text *t, struct opnd index);
/* In a loop: byte k of this turn. */
struct opnd turn_byte(struct lower *l, const struct text *t, const struct byte_loop *b, u32 k);
/* 1 where x is zero, else 0; without a branch. */
struct opnd is_zero(struct lower *l, struct opnd x);
/* x = y where c is 1, unchanged where it is 0; without a branch. */
void choose(struct lower *l, u32 x, struct opnd c, struct opnd y);

/* An offset in the data map where these bytes are; the same bytes are kept once. */
u32 data_table(struct lower *l, const void *bytes, u32 len);

#endif
