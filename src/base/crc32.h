/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32 of IEEE 802.3, as of zlib and PNG: polynomial 0xedb88320. */
#ifndef SONDE_BASE_CRC32_H
#define SONDE_BASE_CRC32_H

#include "base/base.h"

u32 crc32_of(const void *bytes, size_t len);

#endif
