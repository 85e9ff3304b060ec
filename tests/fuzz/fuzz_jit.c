/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What just-in-time compilers report: a jitdump file, read in two pieces, and a perf map. */
#include <stdlib.h>
#include "sym/jitdump.h"
#include "sym/perfmap.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void see(void *ctx, const struct jit_code *code)
{
	if (strlen(code->name) > *(const size_t *)ctx)
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *copy = xmalloc(size + !size); /* alone in memory of its size */
	struct perfmap *p;
	u64 at = 0, offset;

	memcpy(copy, data, size);
	if (jitdump_parse(copy, size / 2, size, &at, see, &size) && at < size)
		jitdump_parse(copy + at, size - at, size, &at, see, &size);
	p = perfmap_parse((const char *)copy, size);
	for (u64 address = 0; address < 0x4000; address += 0x100)
		perfmap_lookup(p, address, &offset);
	perfmap_close(p);
	free(copy);
	return 0;
}
