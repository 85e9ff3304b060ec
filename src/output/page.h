/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.html, the page of -f html: what comes before its data, NUL, what comes after, NUL
 * (build-aux/gen-page). */
#ifndef SONDE_OUTPUT_PAGE_H
#define SONDE_OUTPUT_PAGE_H

#include "base/packed.h"

extern const struct packed_data page_packed;

#endif
