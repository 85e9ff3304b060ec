/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a trace event in memory: argstr and record() copy it. */
#ifndef SONDE_BUILTIN_RECORD_H
#define SONDE_BUILTIN_RECORD_H

#include "ir/lower.h"

/* Copies the event's record, of type t (TY_EVENT), to dst. The fields that programs must not read
 * are zero, except the pid if the event's text needs it. */
void lower_trace_record(struct lower *l, const struct type *t, struct opnd dst);

#endif
