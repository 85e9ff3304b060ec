/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of classic BPF (linux/filter.h) and of eBPF, as strace shows them. */
#ifndef SONDE_TRACE_CALL_FILTER_H
#define SONDE_TRACE_CALL_FILTER_H

#include "base/buf.h"

enum { FILTER_INSN = 8 }; /* bytes */

enum filter_kind { FILTER_CLASSIC, FILTER_SECCOMP, FILTER_EXTENDED };
/* [BPF_STMT(BPF_RET|BPF_K, 0)]: whole instructions of n bytes. */
void put_filter(struct buf *b, const u8 *p, u32 n, enum filter_kind kind);

#endif
