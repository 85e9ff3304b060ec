/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data with compressed records. */
#ifndef SONDE_IMPORT_PERF_ZSTD_H
#define SONDE_IMPORT_PERF_ZSTD_H

#include "base/base.h"

/* A descriptor of a file without a name that has the same records without compression; where the
 * compression is damaged, the rest as it is. -1: the file has none, or cannot be unpacked here.
 * See struct importer. */
int perf_unpacked(const u8 *bytes, size_t len, int fd);

#endif
