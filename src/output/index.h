/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outputs: one line each. -f chooses by name; help and manual print the rows. */
#ifndef SONDE_OUTPUT_INDEX_H
#define SONDE_OUTPUT_INDEX_H

#include "trace/sink.h"

extern const struct output output_text, output_json, output_folded;

extern const struct output *const outputs[]; /* NULL-terminated */
/* NULL: no such output. */
const struct output *output_find(const char *name);

#endif
