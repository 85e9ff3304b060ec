/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.html, the page of -f html: what comes before and after its data (build-aux/gen-page). */
#ifndef SONDE_OUTPUT_PAGE_H
#define SONDE_OUTPUT_PAGE_H

extern const char page_before[], page_after[];

#endif
