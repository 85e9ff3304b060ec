/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip files (RFC 1952) whose data is stored and not compressed (RFC 1951, 3.2.4): readable by
 * every program that reads gzip. */
#ifndef SONDE_BASE_GZIP_H
#define SONDE_BASE_GZIP_H

#include "base/buf.h"

void gzip_store(struct buf *out, const void *bytes, size_t len);

#endif
