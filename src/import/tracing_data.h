/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The descriptions of events in a perf.data and at the beginning of a trace.dat. */
#ifndef SONDE_IMPORT_TRACING_DATA_H
#define SONDE_IMPORT_TRACING_DATA_H

#include "base/cursor.h"
#include "import/import.h"

struct tracing_data {
	const char *version; /* "0.6" of perf, "6" of trace-cmd */
	u32 page_size;
};

bool tracing_data_is(const u8 *bytes, size_t len);
/* From the magic to the page size: what precedes everything else. */
bool tracing_data_read_head(struct cursor *c, struct tracing_data *t);
/* The rest, up to printk_formats: they and the formats are added to the recording, which has begun.
 * symbols: NULL, or is set to the text of kallsyms. False: it ends too early; what is before is
 * added. */
bool tracing_data_read(struct importing *to, struct cursor *c, struct cursor *symbols);

/* Parts of it, which are sections of their own in version 7: formats of the tracers' own records,
 * formats by system, kallsyms, printk_formats. */
void tracing_data_read_own(struct importing *to, struct cursor *c);
void tracing_data_read_formats(struct importing *to, struct cursor *c);
struct cursor tracing_data_symbols(struct cursor *c);
void tracing_data_read_strings(struct importing *to, struct cursor *c);

#endif
