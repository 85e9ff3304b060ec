/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the string functions: strings in BPF memory, loops over their bytes, tables in the data
 * map.
 *
 * The room of a struct text is a power of two, so a masked index is in bounds for verifiers.
 */
#ifndef SONDE_BUILTIN_TEXT_H
#define SONDE_BUILTIN_TEXT_H

#include "builtin/builtin.h"

enum {
	TEXT_SLACK = 8,     /* bytes after the room: a separator is compared as a whole */
	SCRATCH_ROOM = 128, /* the least room: larger than a stack object */
};

struct text {
	struct opnd at;      /* address of the first byte */
	struct opnd scratch; /* text_copy() and text_in_scratch(): the same as a scratch operand */
	u32 cap;             /* size of the string's type, the NUL included */
	u32 room;            /* bytes at `at`: a power of two, at least cap */
	struct opnd len;     /* without the NUL; text_copy() only */
};

u32 power_of_two(u32 n); /* the smallest power of two that is at least n */
/* A copy that may be modified; its length is known. */
struct text text_copy(struct lower *l, struct node *n);
/* Read-only; not copied where possible. */
struct text text_view(struct lower *l, struct node *n);
/* Read-only, in scratch, for a shared function. */
struct text text_in_scratch(struct lower *l, struct node *n);
/* Inside a shared function: the text at an offset in scratch. */
struct text text_shared(struct lower *l, struct opnd offset, u32 room);
/* Copies a string of at most cap bytes from BPF memory; returns its length without the NUL. */
struct opnd text_move(struct lower *l, struct opnd dst, u32 cap, struct opnd src);
/* Copies a string of at most cap bytes (a power of two) to `to`; an unreadable string becomes
 * empty. Returns the number of bytes, the NUL included. */
struct opnd text_append(struct lower *l, struct opnd to, u32 cap, struct opnd string,
			enum space space);
/* Writes the string at src to dst (from lower_dest()); returns the value of the call. */
struct ir_val text_result(struct lower *l, struct node *call, struct opnd dst, bool canonical,
			  struct opnd src);

/*
 * The loop of a text function: i counts up to bound in steps of `step` bytes, because each
 * iteration costs verifiers more than its instructions. The only other exit is at the end of an
 * iteration, where the taken branch continues the loop: verifiers follow the exit first, prune it,
 * and keep the state of one iteration at a time.
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
/* The byte at an index, which must be below the room. */
struct opnd text_byte(struct lower *l, const struct text *t, struct opnd index);
/* In a loop: byte k of this iteration. */
struct opnd loop_byte(struct lower *l, const struct text *t, const struct byte_loop *b, u32 k);
/* 1 if x is zero, else 0; without a branch. */
struct opnd is_zero(struct lower *l, struct opnd x);
/* If c is 1, x = y; if c is 0, x does not change. Without a branch. */
void choose(struct lower *l, u32 x, struct opnd c, struct opnd y);

/* Stores bytes in the data map, once for equal contents; returns their offset. */
u32 data_table(struct lower *l, const void *bytes, u32 len);

#endif
