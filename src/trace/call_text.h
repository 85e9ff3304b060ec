/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of a system call as text: the value of argstr, as strace prints it. */
#ifndef SONDE_TRACE_CALL_TEXT_H
#define SONDE_TRACE_CALL_TEXT_H

#include "base/buf.h"
#include "trace/names.h"

/* value: of TY_CALL, size bytes, which are not trusted. */
void call_text(struct buf *b, const struct names *names, const void *value, u32 size);
/* The arguments as words in hex: 0xffffff9c, 0x7ffd1000, 0 */
void call_raw_text(struct buf *b, const struct names *names, const void *value, u32 size);
/* "</etc/passwd>", after a descriptor; nothing if it is not known. */
void put_file(struct buf *b, const struct names *names, s32 fd, bool is_arg);
/* The result of a call that has succeeded, with what it means: 0x8002 (flags O_RDWR|O_LARGEFILE),
 * 1 ([{fd=3, revents=POLLIN}]). */
void call_result_text(struct buf *b, const struct names *names, const void *value, u32 size,
		      s64 result);

#endif
