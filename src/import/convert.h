/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that another program has to convert before an importer reads them, and where copies are
 * kept. */
#ifndef SONDE_IMPORT_CONVERT_H
#define SONDE_IMPORT_CONVERT_H

#include "base/err.h"

/* A new file in TMPDIR without a name; -1 with err set. */
int convert_file(struct err *err);
/*
 * Runs trace-cmd(1) on the compressed trace.dat of that descriptor. Returns a descriptor of an
 * uncompressed copy without a name, or -1: trace-cmd is not there, or it cannot read the file.
 */
int convert_trace_dat(int fd);
/* Runs babeltrace2(1) on the CTF trace in that folder. Returns a descriptor of what import/ctf.c
 * reads, or -1 with err set. */
int convert_ctf(const char *folder, struct err *err);

#endif
