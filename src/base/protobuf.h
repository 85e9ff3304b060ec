/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes protocol buffers (protobuf.dev/programming-guides/encoding): a message is a run of fields,
 * each a tag, which is the field's number and the kind of what follows, and a value.
 */
#ifndef SONDE_BASE_PROTOBUF_H
#define SONDE_BASE_PROTOBUF_H

#include "base/buf.h"

void pb_number(struct buf *b, u32 field, u64 v);
void pb_bytes(struct buf *b, u32 field, const void *bytes, size_t len);
/* Appends a message that was built in `from`, which is empty then. */
void pb_message(struct buf *b, u32 field, struct buf *from);
/* A message that is built in place, below 256 MB: fields after pb_begin() belong to it until
 * pb_end(), which takes what pb_begin() returned. */
size_t pb_begin(struct buf *b, u32 field);
void pb_end(struct buf *b, size_t begin);

#endif
