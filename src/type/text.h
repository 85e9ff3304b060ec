/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures that are text to people: std::string, Rust's &str and String, Go's string and error. */
#ifndef SONDE_TYPE_TEXT_H
#define SONDE_TYPE_TEXT_H

#include "type/type.h"

struct text_layout { /* offsets of the address of the bytes and of their number, both words */
	u32 data, length;
	bool is_terminated; /* there is no number: the bytes end in NUL */
	bool is_boxed;      /* the offsets are in what the word at `box` points to */
	u32 box;
};

/* False: t is not a structure of such a kind. */
bool type_text_layout(const struct type *t, struct text_layout *out);

#endif
