/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps keyed by stacks: each key as one line of frames from the outermost to the innermost, and the
 * tree of all of them.
 *
 * The order in a line does not depend on that of the key:
 *
 *	@[comm, ustack, kstack]		words in their order, user frames, kernel frames
 *	@[(comm, pid), ustack]		a tuple without a stack is one word: "bash 4711"
 *	@[ustack, (comm, kstack)]	a tuple with a stack is another line, which follows in reverse, from the
 *					innermost frame to the words (a thread's stack, then that of the thread
 *					that woke it up)
 *
 * A user function without a symbol has the name of its file: "[libz.so.1.2.13]". Where the debug
 * information says that functions are inlined, each of them is a frame. A line in reverse ends
 * where an interrupt began, because what was interrupted has no part in it; it is left out if it
 * has no frames.
 */
#ifndef SONDE_OUTPUT_STACKS_H
#define SONDE_OUTPUT_STACKS_H

#include "base/hash.h"
#include "trace/sink.h"

enum frame_kind {
	FRAME_WORD, /* a part of the key that is no stack, such as comm */
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_REASON,  /* why the user stack is not complete, in brackets */
	FRAME_INLINED, /* a function, inlined into that of the next frame outwards */
	N_FRAME_KINDS
};

struct stack_frame {
	enum frame_kind kind;
	const char *name, *module; /* module: as of frame_module(); "" for words and reasons */
	/* From debug information: a source file, as the compiler was given it, and the line that
	 * runs; "" and 0: unknown. The line is 0 in trees whose frames are functions. */
	const char *file;
	u32 line;
};

/* Frames that are kept apart. */
enum frame_detail {
	FRAMES_BY_FUNCTION, /* or, with the configuration variable stack_lines, by label */
	FRAMES_BY_LINE,     /* frames are functions with a line */
};

/* The frame's name, with stack_lines "heavy@shop.c:12" where the line is known. */
void put_frame_label(struct buf *b, const struct names *names, const struct stack_frame *f);
/* "malloc (libc.so.6)" */
void put_frame(struct buf *b, const struct stack_frame *f);
/* No word and no reason. */
bool frame_is_function(const struct stack_frame *f);

/* Whether the rows are stacks with numbers. */
bool stacks_are_keys(const struct table *t);
/* The text for a key without frames: a hit in user mode, if only kernel stacks are used. */
const struct stack_frame *stacks_frame_of_none(const struct type *key);
/* Calls f for the frames of a key; what the frame points to is valid during the call. */
void stacks_walk(const struct names *names, const struct type *key, const void *p,
		 void (*f)(void *ctx, const struct stack_frame *frame), void *ctx);

/* ---- the tree */

struct tree_node {
	u32 parent, frame; /* indexes; a parent's is lower than that of its children */
	u64 self, total;   /* of stacks that end here; of those that pass */
};

struct tree {
	const char *name; /* of the map: "@us" */
	const char
		*unit; /* what the numbers count: the map's name, "samples" of a map without one */
	VEC(struct stack_frame) frames;
	VEC(struct tree_node) nodes; /* 0: the root, whose total is that of the map */
	struct hash frame_ids, children;
	u32 n_left_out; /* rows whose number is negative */
	enum frame_detail detail;
	const struct names *names;
	struct arena *arena;
};

/* Copies the rows of a table into the arena. */
void tree_init(struct tree *t, struct arena *a, const struct names *names,
	       const struct table *table, enum frame_detail detail);
void tree_release(struct tree *t);

/* The unit in full where it is one of time or bytes ("microseconds" of @us), else other. */
const char *tree_unit(const struct tree *t, const char *other);

/* A frame in all of its stacks. */
struct tree_function {
	u32 frame;
	u64 self, total; /* total: a stack in which it recurses counts once */
};
/* One for each frame, by its index. */
struct tree_function *tree_functions(const struct tree *t, struct arena *a);

#endif
