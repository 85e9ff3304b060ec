/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text and bytes of traced programs in system calls, escaped as strace does. */
#ifndef SONDE_TRACE_CALL_QUOTE_H
#define SONDE_TRACE_CALL_QUOTE_H

#include "trace/call_style.h"
#include "trace/names.h"

/* "text\n", with quotes. */
void put_quoted(struct buf *b, const u8 *p, u32 n, enum call_hex hex);
/* "</etc/passwd>", after a descriptor; nothing if it is not known. */
void put_file(struct buf *b, const struct names *names, s32 fd, bool is_arg);
/* "<cat>" after the number of a process. */
void put_comm(struct buf *b, const struct call_style *style, s64 pid);
/* A row of a dump: the n bytes, at most CALL_DUMP_ROW, that are `at` bytes after p. */
enum { CALL_DUMP_ROW = 16 };
void put_dump_row(struct buf *b, const u8 *p, u32 at, u32 n);

#endif
