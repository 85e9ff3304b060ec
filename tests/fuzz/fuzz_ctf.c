/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a CTF section: no types, or BTF that is read as any other. The last 64 bytes are
 * strings and symbols. */
#include <stdlib.h>
#include "sym/btf.h"
#include "object/ctf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(void *bytes, size_t len)
{
	struct btf_param p[8];
	struct arena a;
	struct err err = {};
	struct btf *b;

	arena_init(&a);
	b = btf_from_bytes(&a, bytes, len, NULL, &err);
	for (u32 i = 0; b && i < btf_n_types(b) && i < 4096; i++)
		type_str(&a, type_complete(btf_type(b, i)));
	if (b)
		btf_func(b, "f", p, ARRAY_SIZE(p), NULL, NULL);
	if (b)
		btf_close(b);
	err_release(&err);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t tail = size > 64 ? 64 : 0, len = 0;
	u8 *section = malloc(size - tail + 1), *rest = malloc(tail + 1); /* exact bounds */
	struct ctf_table table = { rest, tail, (const char *)rest, tail };
	void *bytes;

	memcpy(section, data, size - tail);
	memcpy(rest, data + size - tail, tail);
	bytes = ctf_to_btf(section, size - tail, &table, &table, &len);
	if (bytes)
		ask(bytes, len);
	free(bytes);
	free(rest);
	free(section);
	return 0;
}
