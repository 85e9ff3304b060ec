/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes and bits of a record, formatted as the kernel does (lib/vsprintf.c, lib/bitmap-str.c). */
#ifndef SONDE_TRACE_EVENT_BITS_H
#define SONDE_TRACE_EVENT_BITS_H

#include "base/buf.h"

/* "0a 1b"; between '\0': "0a1b" */
void put_hex_bytes(struct buf *b, const u8 *p, u32 n, char between);
/* Numbers of the set bits: "0-3,7". */
void put_bit_list(struct buf *b, const u8 *p, u32 n_bits);
/* 32-bit words in hexadecimal, highest first: "3,00000001". A partial highest word has a digit
 * for each 4 bits. */
void put_bit_words(struct buf *b, const u8 *p, u32 n_bits);

#endif
