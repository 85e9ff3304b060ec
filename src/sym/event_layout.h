/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns the fields of a format file into what formats a record. It needs no BTF, so it works for
 * recordings of other machines. */
#ifndef SONDE_SYM_EVENT_LAYOUT_H
#define SONDE_SYM_EVENT_LAYOUT_H

#include "sym/tracefs.h"
#include "type/event_format.h"

/* Allocates in a and keeps pointers into f. */
struct event_format *event_layout(struct arena *a, const struct tp_format *f);

#endif
