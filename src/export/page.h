/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of the time line, which build-aux/gen-view makes of view/. */
#ifndef SONDE_EXPORT_PAGE_H
#define SONDE_EXPORT_PAGE_H

#include "base/base.h"

extern const u8 view_page[]; /* gzip */
extern const u32 view_page_len;
/* A document with the page and its data: before them, after them. */
extern const char view_before[], view_after[];
/* The Content-Security-Policy of the page when it is served. */
extern const char view_policy[];

#endif
