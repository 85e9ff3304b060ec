/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the fields of a format file to what formats a record: no BTF, so it serves recordings of
 * other machines, too. */
#ifndef SONDE_SYM_EVENT_LAYOUT_H
#define SONDE_SYM_EVENT_LAYOUT_H

#include "sym/tracefs.h"
#include "type/event_format.h"

/* Allocates in a and keeps pointers into f. */
struct event_format *event_layout(struct arena *a, const struct tp_format *f);

#endif
