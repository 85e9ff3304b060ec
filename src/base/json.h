/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON text into a buf. The caller writes the structure; these functions write escaped values. */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include "base/buf.h"

/*
 * "..." with \" \\ \n \r \t and \u00XX for other controls; bytes that are not UTF-8 become U+FFFD.
 */
void json_str(struct buf *b, const char *s, size_t len);
void json_strz(struct buf *b, const char *s);
/* Only the escaped characters, without the surrounding quotes. */
void json_escape(struct buf *b, const char *s, size_t len);
/* Integers that a double cannot hold exactly are quoted. */
void json_u64(struct buf *b, u64 v);

#endif
