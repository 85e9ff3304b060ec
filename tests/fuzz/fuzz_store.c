/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings: the input is the file, with right checksums. */
#include "export/ctf.h"
#include "store_mend.h"
#include "trace/event_line.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct store *s = mended_store(data, size);
	struct trace_event e;
	struct buf line = { 0 };
	struct arena a;

	arena_init(&a);
	for (u32 i = 0; s && i < 2000 && store_next(s, &e); i++) {
		buf_clear(&line);
		event_line_perf(&line, &a, NULL, &e, 0);
		event_line_ftrace(&line, &a, NULL, &e);
		ctf_put_fields(&line, &(struct ctf_event){ .format = e.format }, &e);
	}
	store_close(s);
	buf_release(&line);
	arena_release(&a);
	return 0;
}
