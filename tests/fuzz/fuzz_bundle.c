/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The payload of a stand-alone tool, and the executable that one is built from. */
#include "cli/bundle.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

static void try_payload(const char *bytes, size_t len)
{
	struct bundle t = { .name = "t" };

	arena_init(&t.arena);
	if (bundle_parse(&t, bytes, len) == 0)
		for (u32 i = 0; i < t.files.n; i++)
			if (strlen(t.files.v[i].text) != t.files.v[i].len)
				BUG("a text is shorter than its length");
	arena_release(&t.arena);
}

static void try_executable(const char *bytes, size_t len)
{
	struct buf file = { 0 }, payload = { 0 };
	struct err err = { 0 };

	buf_add(&file, bytes, len);
	bundle_put_count(&payload, 0);
	bundle_join(&file, &payload, &err);
	err_release(&err);
	buf_release(&payload);
	buf_release(&file);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	try_payload((const char *)data, len);
	try_executable((const char *)data, len);
	return 0;
}
