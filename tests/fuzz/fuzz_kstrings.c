/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of tracefs's printk_formats: strings by address, as the kernel lists them. */
#include <stdlib.h>
#include "sym/tracefs.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct arena a;
	struct tracefs_strings *s;
	char *text = xcalloc(
		1, size + 1); /* alone in memory of its size: what is read behind it is seen */

	memcpy(text, data, size);
	arena_init(&a);
	s = tracefs_parse_strings(&a, text);
	for (const char *p = text; (p = strstr(p, "0x")); p++) {
		const char *found = tracefs_string(s, strtoull(p, NULL, 16));

		if (found && strlen(found) > size)
			abort();
	}
	arena_release(&a);
	free(text);
	return 0;
}
