/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as BTF: refused, or every type, field and name of it can be asked for. */
#include <stdlib.h>
#include "sym/btf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool visit(void *ctx, const char *name, u32 id)
{
	struct btf_param p[8];
	u32 found;

	btf_find(ctx, name, BTF_KIND_STRUCT);
	btf_func(ctx, name, p, ARRAY_SIZE(p), NULL, &found);
	if (starts_with(name, "btf_trace_"))
		btf_raw_tracepoint(ctx, name + 10, p, ARRAY_SIZE(p), &found);
	return id < 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct err err = {};
	struct btf *b;
	void *copy = malloc(size + 1); /* exact bounds, aligned */
	s64 value;

	arena_init(&a);
	memcpy(copy, data, size);
	b = btf_from_bytes(&a, copy, size, NULL, &err);
	for (u32 i = 0; b && i < btf_n_types(b) && i < 4096; i++) {
		const struct type *t = type_complete(btf_type(b, i));
		u32 at;

		if (t->n_fields)
			type_field(t, t->fields[t->n_fields - 1].name, &at);
		type_str(&a, t);
		if (i < 64)
			btf_definition(&a, b, i);
	}
	for (u32 kind = 0; b && kind < 20; kind++)
		btf_each(b, kind, visit, b);
	if (b) {
		btf_enumerator(b, "A", &value, NULL);
		btf_type_by_name(b, 0, "int");
	}
	btf_close(b);
	err_release(&err);
	arena_release(&a);
	free(copy);
	return 0;
}
