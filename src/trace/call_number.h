/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls that are no names: addresses, modes, devices, times, ports, as strace
 * spells them. */
#ifndef SONDE_TRACE_CALL_NUMBER_H
#define SONDE_TRACE_CALL_NUMBER_H

#include <string.h>
#include "base/buf.h"
#include "trace/call_style.h"
#include "type/call.h"

/* An unaligned word of 1 to 8 bytes, without its sign. */
static inline u64 word_at(const u8 *p, u32 size)
{
	u64 v = 0;

	memcpy(&v, p, MIN(size, (u32)sizeof v));
	return v;
}

/* The value of a view, with its sign. */
static inline s64 number_of(const struct call_view *v, const u8 *p)
{
	u64 n = word_at(p, v->size);
	u32 unused = 64 - 8 * MIN(v->size, 8u);

	return v->is_signed && v->size ? (s64)(n << unused) >> unused : (s64)n;
}

/* In the base of the view; base 0: hex with all leading zeros. */
void put_number(struct buf *b, const struct call_view *v, s64 n);
/* NULL for 0 */
void put_address(struct buf *b, u64 v);
/* A user or group; -1 */
void put_id(struct buf *b, u64 id);
/* 0644 */
void put_mode(struct buf *b, u64 mode);
/* S_IFREG|0644 */
void put_file_mode(struct buf *b, u64 mode);
/* -ENOENT */
void put_error(struct buf *b, s32 number);
/* RLIM64_INFINITY, 8192*1024 */
void put_limit(struct buf *b, u64 n, u32 size);
/* SIG_IGN */
void put_handler(struct buf *b, u64 handler);
/* A timespec or timeval, and the date as a comment. */
void put_dated(struct buf *b, const struct call_view *v, const u8 *p);
/* The date as a comment, in local time; digits: of the fraction. */
void put_date(struct buf *b, s64 seconds, u64 fraction, int digits);
/* 2020-01-01T00:00:00+0000, in local time */
void put_bare_date(struct buf *b, s64 seconds);
/* makedev(0x8, 0x1) */
void put_device(struct buf *b, u64 dev);
/* inet_addr("127.0.0.1") */
void put_inet(struct buf *b, const u8 *p, bool six, enum call_hex hex);
/* Likewise of an address as text; name: of the member, which inet_pton() has; NULL: none. */
void put_inet_text(struct buf *b, const char *text, bool six, const char *name, enum call_hex hex);
/* 00:1b:21 */
void put_hardware(struct buf *b, const u8 *p, u32 n);
/* htons(80) */
void put_port(struct buf *b, const struct call_view *v, u64 n);
/* KERNEL_VERSION(6, 1, 0) */
/* With by_name as the interface of this network namespace, if there is one with the index. */
void put_interface(struct buf *b, u32 index, bool by_name);
void put_version(struct buf *b, u32 v);
/* IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4) */
void put_priority(struct buf *b, u32 v);

#endif
