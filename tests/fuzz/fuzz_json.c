/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON from an editor: whatever is accepted can be walked, and strings are as long as they say. */
#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

static void walk(const struct json *j)
{
	if (j->kind == JSON_STRING && strlen(j->str) > j->len)
		BUG("a string is longer than it says");
	for (const struct json *m = j->first; m; m = m->next)
		walk(m);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct arena a;
	const struct json *j;

	arena_init(&a);
	j = json_read(&a, (const char *)data, len, NULL);
	if (j) {
		walk(j);
		json_text(j, "params.textDocument.uri");
		json_int(j, "params.position.line");
	}
	arena_release(&a);
	return 0;
}
