/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enumerators in the print format of an event that the kernel has not replaced by their values.
 * Only the machine knows them, so a recording has the values:
 *
 *	__print_symbolic(REC->mode, { HRTIMER_MODE_REL, "REL" })  ->  ... { 1, "REL" })
 */
#ifndef SONDE_TRACE_EVENT_CONSTANTS_H
#define SONDE_TRACE_EVENT_CONSTANTS_H

#include "trace/names.h"
#include "type/event_format.h"

/* In the print format and the text of the format file, which are in a afterwards. */
void event_set_constants(struct arena *a, struct event_format *f, const struct names *names);

#endif
