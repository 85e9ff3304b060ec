/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses in records as text, as %p and its letters print them (lib/vsprintf.c). */
#ifndef SONDE_TRACE_EVENT_ADDRESS_H
#define SONDE_TRACE_EVENT_ADDRESS_H

#include "base/buf.h"

/* 4 bytes: 1.2.3.4 */
void put_ip4(struct buf *b, const u8 *p);
/* 16 bytes; the longest run of zero groups is "::". */
void put_ip6(struct buf *b, const u8 *p);
/* All groups, all digits; between is ":" or "" (%pi6). */
void put_ip6_whole(struct buf *b, const u8 *p, const char *between);
/* Nothing if n is less than 16. little: the first three groups are reversed. */
void put_uuid(struct buf *b, const u8 *p, u32 n, bool little);

#endif
