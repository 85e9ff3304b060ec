/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of a system call as text: the value of argstr, as strace prints it. */
#ifndef SONDE_TRACE_CALL_TEXT_H
#define SONDE_TRACE_CALL_TEXT_H

#include "base/buf.h"
#include "trace/call_style.h"
#include "trace/names.h"

/* value: of TY_CALL, size bytes, which are not trusted. */
void call_text(struct buf *b, const struct names *names, const void *value, u32 size);
/* The arguments as words in hex: 0xffffff9c, 0x7ffd1000, 0 */
void call_raw_text(struct buf *b, const struct names *names, const void *value, u32 size);
/*
 * The data of a call that has returned, of all buffers of its arguments, in hex:
 *
 *	 | 00000  68 65 6c 6c 6f                                    hello            |
 */
void call_dump_text(struct buf *b, const struct names *names, const void *value, u32 size);
/* The result of a call that has succeeded, with what it means: 0x8002 (flags O_RDWR|O_LARGEFILE),
 * 1 ([{fd=3, revents=POLLIN}]). */
void call_result_text(struct buf *b, const struct names *names, const void *value, u32 size,
		      s64 result);

#endif
