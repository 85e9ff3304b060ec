/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to sonde view: whatever is accepted has texts that end, and no more bytes than there
 * are. */
#include <stdlib.h>
#include "cli/view/http.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	char *bytes = xrealloc(NULL, len + 1); /* its end is found by the sanitizer */
	struct http_request r;
	struct buf text = { 0 };
	int n;

	memcpy(bytes, data, len);
	bytes = xrealloc(bytes, len ? len : 1);
	n = http_parse(bytes, len, &r);
	if (n > (int)len || strlen(r.target) >= sizeof r.target || strlen(r.host) >= sizeof r.host)
		BUG("a request is longer than it is");
	if (n > 0) {
		const char *query = strchr(r.target, '?') ? strchr(r.target, '?') + 1 : "";

		http_number(query, "level");
		if (http_text(query, "filter", &text) && text.len && strlen(text.s) != text.len)
			BUG("a NUL in a text");
		buf_release(&text);
	}
	free(bytes);
	return 0;
}
