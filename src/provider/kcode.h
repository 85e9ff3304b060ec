/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of the kernel. */
#ifndef SONDE_PROVIDER_KCODE_H
#define SONDE_PROVIDER_KCODE_H

#include "base/base.h"

/* Reads live code from /proc/kcore. Returns the number of bytes read; 0: not readable. */
u32 kernel_code_read(u64 address, u8 *to, u32 len);

#endif
