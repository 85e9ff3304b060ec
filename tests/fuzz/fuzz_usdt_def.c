/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Provider definitions of any bytes: a header and an object, or an error with a line. */
#include "provider/usdt_def.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct buf out = { 0 };
	struct usdt_defs d;
	struct arena a;

	arena_init(&a);
	if (usdt_def_parse(&d, &a, arena_strndup(&a, (const char *)data, len))) {
		usdt_def_header(&d, "x.h", &out);
		usdt_def_object(&d, 62, &out);
	} else if (!d.error || !d.line) {
		__builtin_trap();
	}
	buf_release(&out);
	arena_release(&a);
	return 0;
}
