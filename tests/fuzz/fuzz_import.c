/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other tools: the input is the file. Compressed files of perf are unpacked, too. */
#include <unistd.h>
#include "import/import.h"
#include "import/perf_zstd.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void import(const struct importer *x, const u8 *data, size_t size)
{
	struct buf damage = { 0 };
	struct err err = { 0 };
	struct store *s = import_bytes(x, data, size, "input", &damage, &err);
	struct trace_event e;

	while (s && store_next(s, &e))
		;
	store_close(s);
	buf_release(&damage);
	err_release(&err);
}

static void unpack(const u8 *data, size_t size)
{
	int fd = perf_unpacked(data, size, -1);

	if (fd >= 0)
		close(fd);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	for (u32 i = 0; importers[i] && size >= 16; i++)
		if (importers[i]->knows(data, size))
			import(importers[i], data, size);
	if (size >= 16 && import_perf.knows(data, size))
		unpack(data, size);
	return 0;
}
