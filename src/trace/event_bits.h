/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes and bits of a record as the kernel's print functions show them (lib/vsprintf.c, lib/bitmap-str.c). */
#ifndef SONDE_TRACE_EVENT_BITS_H
#define SONDE_TRACE_EVENT_BITS_H

#include "base/buf.h"

/* "0a 1b"; between '\0': "0a1b" */
void put_hex_bytes(struct buf *b, const u8 *p, u32 n, char between);
/* Numbers of the bits that are set: "0-3,7". */
void put_bit_list(struct buf *b, const u8 *p, u32 n_bits);
/* Words of 32 bits, the highest first, which has as many digits as its bits need: "3,00000001". */
void put_bit_words(struct buf *b, const u8 *p, u32 n_bits);

#endif
