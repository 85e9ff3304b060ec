/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How system calls are shown, and constants in these styles. */
#ifndef SONDE_TRACE_CALL_STYLE_H
#define SONDE_TRACE_CALL_STYLE_H

#include "base/buf.h"

/* How constants are shown: O_RDONLY, 0, 0 with the name as a comment. */
enum call_constants { CALL_ABBREV, CALL_RAW, CALL_VERBOSE };
/* Values of argstr_hex: no hex; strings with unprintable characters; all; escapes in hex. */
enum call_hex { CALL_HEX_NONE, CALL_HEX_NON_ASCII, CALL_HEX_ALL, CALL_HEX_ESCAPES };

/* Memory that a value of argstr does not have. Bytes are those at `at` of call_more. */
struct call_piece {
	u64 address;
	u32 len, at;
	bool out; /* at the return of the call */
};

struct call_more {
	struct call_piece *v;
	u32 n, room;
	struct buf bytes;
	bool is_all; /* with it, all is there that could be read */
};

/* Of names->style; NULL is all zero. */
struct call_style {
	enum call_constants constants;
	bool whole;     /* structures with all members, and the environment */
	bool addresses; /* of structures, instead of these */
	bool arg_names; /* fd=3 */
	/* The command name of a process, or NULL. */
	const char *(*comm)(void *comm_ctx, u32 pid);
	void *comm_ctx;
	const struct call_more *more; /* or NULL */
};

enum call_number { CALL_AS_SIGNED, CALL_AS_UNSIGNED, CALL_AS_OCTAL, CALL_AS_HEX };
/* The name of a constant, which is in b from `start` on, becomes what the style makes of it: the
 * number, or both. */
void call_restyle(struct buf *b, const struct call_style *style, size_t start, enum call_number how,
		  u64 v);

#endif
