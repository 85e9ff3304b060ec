/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.html, the page of -f html: what comes before its data, NUL, what comes after, NUL
 * (build-aux/gen-page), a block of LZ4. */
#ifndef SONDE_OUTPUT_PAGE_H
#define SONDE_OUTPUT_PAGE_H

#include "base/base.h"

extern const size_t page_size, page_packed_size;
extern const u8 page_packed[];

#endif
