/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a script: parsed, prepared and checked against a small vocabulary and world. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/lang/check_kit.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	char *text = malloc(len + 1);
	struct buf out = {};

	memcpy(text, data, len);
	text[len] = '\0';
	kit_check(text);
	diags_render_text(&kit_diags, &out, false);
	for (u32 i = 0; i < kit_n; i++)
		ast_dump_node(&out, kit_instances[i]->body, 0);
	buf_release(&out);
	kit_end();
	kit_arena = (struct arena){};
	free(text);
	return 0;
}
