/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that copies one piece of memory into the value of argstr: between lower_snapshot.c, which
 * has the format, and lower_snapshot_rows.c. */
#ifndef SONDE_IR_LOWER_PIECE_H
#define SONDE_IR_LOWER_PIECE_H

#include "ir/state.h"
#include "type/call.h"

struct snapping {
	struct lower *l;
	const struct snapshot *s;
	struct opnd value, arg[CALL_MAX_ARGS], result;
	u32 protocol;             /* variable, if s->has_messages: of the netlink socket, and 1 */
	u32 copied;               /* variable, if is_half: tid if the entry could copy everything */
	u32 at[SNAPSHOT_MAX_OPS]; /* variables: where the piece of an op is, if others need it */
	/* if s->is_rows: variable, the number of the row of the call; rows in the data map */
	u32 row, row_mask, rows;
	struct ir_block *skip[SNAPSHOT_MAX_OPS + 1]; /* by the op after it; NULL: not needed yet */
};

/* Continues with op `to` unless the condition is true. */
void piece_leave_unless(struct snapping *g, u32 to, enum ir_cond cc, struct opnd a, struct opnd b);
/* An offset in the value that was in memory or a variable: bounds it for verifiers. */
struct opnd piece_bounded(struct snapping *g, u32 to, struct opnd offset, u32 room);
void piece_put_head(struct snapping *g, struct opnd piece, struct opnd ptr, struct opnd len);
/* Counts a read that failed. */
void piece_count_failed(struct snapping *g, struct opnd ret, struct opnd ptr);
void piece_take_part(struct snapping *g, u32 to, u32 cap, struct opnd piece, struct opnd ptr,
		     struct opnd ret);
/* Moves used past the piece; where the piece was. */
struct opnd piece_take(struct snapping *g, struct opnd piece);

/* lower_snapshot_rows.c */
void snapshot_find_row(struct snapping *g);
struct opnd snapshot_row_args(struct snapping *g);
void snapshot_copy_row(struct snapping *g);

#endif
