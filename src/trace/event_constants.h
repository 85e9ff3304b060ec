/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enumerators in the print format of an event that the kernel has not replaced by their values.
 * Only the machine knows them, so a recording has the values:
 *
 *	__print_symbolic(REC->mode, { HRTIMER_MODE_REL, "REL" })  ->  ... { 1, "REL" })
 */
#ifndef SONDE_TRACE_EVENT_CONSTANTS_H
#define SONDE_TRACE_EVENT_CONSTANTS_H

#include "base/buf.h"
#include "trace/names.h"

/* Appends the text of an event's format file with values. */
void event_put_constants(struct buf *b, const char *format, const struct names *names);

#endif
