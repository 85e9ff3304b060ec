/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a recording to a file of another tool: what sonde export and sonde record -o FILE.SUFFIX
 * share. */
#ifndef SONDE_CLI_EXPORT_FILE_H
#define SONDE_CLI_EXPORT_FILE_H

#include "cli/recording.h"
#include "export/export.h"

/* NULL: there is none of that name. */
const struct exporter *exporter_find(const char *name);
/* By the suffix of the path, which may be all of its name but the dot: perf.data. NULL: no format
 * has it. */
const struct exporter *exporter_by_suffix(const char *path);
/* The exit status; after a message about the error. */
int export_file(struct recorded *r, const struct exporter *x, const char *path);

#endif
