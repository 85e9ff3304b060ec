/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an ELF file: refused, or all of it can be asked for. */
#include <stdlib.h>
#include "object/cfi.h"
#include "object/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum; /* so that nothing that is read is optimized away */

static int each_function(void *ctx, const struct elf_symbol *s)
{
	struct elf_symbol other;
	u64 off;

	sum += strlen(s->name);
	elf_symbol_at(ctx, s->value, &other);
	elf_frame_at(ctx, s->value, &other);
	sum += elf_symbol_within(ctx, s->value, s->value + 16);
	elf_address_to_offset(ctx, s->value, &off);
	return 0;
}

static int each_usdt(void *ctx, const struct elf_usdt *u)
{
	(void)ctx;
	sum += strlen(u->provider) + strlen(u->name) + strlen(u->args);
	return 0;
}

static void frames(struct elf *e)
{
	struct cfi_table t;

	if (!cfi_build(&t, e))
		return;
	for (u32 i = 0; i < t.n_rows && i < 1000; i++)
		sum += cfi_at(&t, t.rows[i].address)->cfa_kind;
	cfi_release(&t);
}

static void all(struct elf *e)
{
	struct elf_section s;
	const u8 *id;
	const char *link;
	u32 n;

	for (u32 i = 0; i < 100 && elf_section_at(e, i, &s); i++)
		sum += strlen(s.name) + (s.bytes && s.size ? ((const u8 *)s.bytes)[s.size - 1] : 0);
	elf_each_function(e, "*a*", each_function, e);
	for (u32 i = 0; i < 8 && elf_code_segment(e, i, &s); i++)
		sum += s.bytes && s.size ? ((const u8 *)s.bytes)[s.size - 1] : 0;
	elf_each_usdt(e, each_usdt, NULL);
	sum += !elf_tls(e, &(struct elf_tls){});
	id = elf_build_id(e, &n);
	for (u32 i = 0; id && i < n; i++)
		sum += id[i];
	link = elf_debuglink(e, &n);
	sum += link ? strlen(link) : 0;
	frames(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {};
	void *copy = malloc(size + 1);
	struct elf *e;

	memcpy(copy, data, size);
	elf_debug_dirs("");
	e = elf_from_bytes(copy, size, &err);
	if (e)
		all(e);
	elf_close(e);
	err_release(&err);
	free(copy);
	return 0;
}
