/* SPDX-License-Identifier: GPL-2.0-or-later */
/* String-like structures: std::string, Rust's &str and String, Go's string and error. */
#ifndef SONDE_TYPE_TEXT_H
#define SONDE_TYPE_TEXT_H

#include "type/type.h"

struct text_layout { /* offsets of the data pointer and of the length, both words */
	u32 data, length;
	bool is_terminated; /* no length member: the bytes end in NUL */
	bool is_boxed;      /* the offsets apply to the target of the pointer at `box` */
	u32 box;
};

/* False: t is no string-like structure. */
bool type_text_layout(const struct type *t, struct text_layout *out);

#endif
