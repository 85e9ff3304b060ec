/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print fmt texts and records: the input is a format up to a NUL, then the record's bytes, which
 * lie alone in memory of exactly their size. The members of the record are the same for all.
 */
#include <stdlib.h>
#include "trace/event_text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static struct event_member members[] = {
	{ .name = "a", .offset = 8, .size = 4, .elem = 4, .is_signed = true },
	{ .name = "b", .offset = 12, .size = 8, .elem = 8 },
	{ .name = "c", .offset = 20, .size = 16, .elem = 1, .is_array = true, .is_char = true },
	{ .name = "d", .offset = 36, .size = 4, .elem = 2, .data_loc = 1 },
	{ .name = "e", .offset = 40, .size = 4, .elem = 1, .data_loc = 2 },
	{ .name = "f", .offset = 44, .size = 1, .elem = 1 },
};

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct event_format f = { .members = members, .n_members = ARRAY_SIZE(members) };
	size_t text = strnlen((const char *)data, size), at = MIN(text + 1, size);
	struct arena a;
	struct buf b = {};
	u8 *record;

	arena_init(&a);
	f.print_fmt = arena_strndup(&a, (const char *)data, text);
	record = xcalloc(1, size - at + 1);
	memcpy(record, data + at, size - at);
	event_text(&b, &a, NULL, &f, record, (u32)(size - at));
	free(record);
	buf_release(&b);
	arena_release(&a);
	return 0;
}
