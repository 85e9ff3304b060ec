/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outputs. An output is one file and one line in index.h; help and manual print its row. */
#ifndef SONDE_OUTPUT_H
#define SONDE_OUTPUT_H

#include "trace/sink.h"

#define O(name) extern const struct output output_##name;
#include "output/index.h"
#undef O

/* Appends a value as output_json writes it. */
void json_value(struct buf *b, const struct names *names, const struct type *t, const void *p);

extern const struct output *const outputs[]; /* NULL-terminated */
/* NULL: no such output. */
const struct output *output_find(const char *name);
/* The output whose suffix a path has: "x.json", "x.pb.gz"; NULL: none. */
const struct output *output_by_suffix(const char *path);

#endif
