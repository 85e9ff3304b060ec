/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results as ltrace(1) prints them. */
#ifndef SONDE_CLI_LTRACE_VALUES_H
#define SONDE_CLI_LTRACE_VALUES_H

#include "cli/ltrace/ltrace.h"

/* Bytes that a record has of what a pointer leads to; bytes NULL: none. */
struct ltrace_memory {
	const u8 *bytes;
	u32 len;
};

/* The data of a call. Memory by the word that leads to it; the last one is the result's. */
struct ltrace_values {
	u64 word[LTRACE_WORDS];
	u32 n_words; /* that the record has */
	struct ltrace_memory memory[LTRACE_WORDS + 1];
	u64 result[2];
};

/* "abc", 3: the parameters [from, to); a separator first, if from is not 0. */
void ltrace_put_args(struct buf *b, const struct ltrace *lt, const struct ltrace_func *f,
		     const struct ltrace_values *v, u32 from, u32 to);
void ltrace_put_result(struct buf *b, const struct ltrace *lt, const struct ltrace_func *f,
		       const struct ltrace_values *v);
/* The first parameter that is known at the return only; their number if there is none. */
u32 ltrace_first_out(const struct proto *p);

#endif
