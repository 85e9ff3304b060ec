/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document that an editor holds, and questions about a place in it: the first two bytes say
 * where. */
#include <stdlib.h>
#include "cli/lsp/lsp.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

static void (*const questions[])(struct lsp *l) = {
	lsp_complete,       lsp_hover,  lsp_definition, lsp_references, lsp_highlights,
	lsp_prepare_rename, lsp_rename, lsp_signature,  lsp_symbols,    lsp_format
};

static void ask(struct lsp *l, u32 line, u32 character)
{
	char *text = arena_printf(&l->arena,
				  "{\"params\":{\"textDocument\":{\"uri\":\"file:///x\"},"
				  "\"position\":{\"line\":%u,\"character\":%u},\"newName\":\"n\"}}",
				  line, character);

	l->message = json_read(&l->arena, text, strlen(text), NULL);
	for (u32 i = 0; i < ARRAY_SIZE(questions); i++) {
		buf_clear(&l->out);
		questions[i](l);
		if (l->out.len && !json_read(&l->arena, l->out.s, l->out.len, NULL))
			BUG("the answer is no JSON: %s", l->out.s);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	static struct lsp l; /* its lists of probes are kept */

	if (len < 2)
		return 0;
	arena_init(&l.arena);
	document_open(&l, "file:///x", (const char *)data + 2, len - 2);
	buf_clear(&l.out);
	lsp_diagnostics(&l, l.documents);
	ask(&l, data[0] % 8, data[1]);
	document_close(&l, "file:///x");
	arena_release(&l.arena);
	return 0;
}
