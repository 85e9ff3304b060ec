/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a tool: reading its head and its options ends, and the texts that help prints are
 * strings of what was there, none longer than the whole.
 */
#include <stdlib.h>

#include "cli/tool.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t n);

static void must(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t n)
{
	struct tool *t = tool_new("tool", "tool.bt", (const char *)bytes, n);

	must(t && strlen(t->words) <= n && strlen(t->brief) <= n);
	must(strlen(t->doc) <= 2 * n && strlen(t->example) <= n);
	for (u32 i = 0; i < t->options.rows.n; i++)
		must(script_option_find(&t->options, t->options.rows.v[i].name,
					strlen(t->options.rows.v[i].name)) != NULL);
	tool_free(t);
	return 0;
}
