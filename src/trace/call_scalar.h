/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls whose text depends on the bytes around them, or on the style. */
#ifndef SONDE_TRACE_CALL_SCALAR_H
#define SONDE_TRACE_CALL_SCALAR_H

#include "trace/call_memory.h"

/* 1<<CAP_CHOWN, of two words of 32 bits. */
void put_capabilities(struct buf *b, struct bytes at);
/* A number of two words, by VIEW_PAIR. */
void put_pair(struct buf *b, const struct call_view *v, struct bytes at);
/* Seconds, and the date. */
void put_date_word(struct buf *b, const struct call_view *v, struct bytes at);
/* -X: what is in the buffer from `start` on becomes a number, or gets one. */
void call_restyle_view(const struct shown *s, const struct call_view *v, const u8 *p, size_t start);

#endif
