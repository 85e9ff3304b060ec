/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tail calls by the code of files. In: two functions, the second entered at the place of the first
 * with its return address. Out: whether the first may have jumped there.
 */
#include <stdlib.h>
#include "cli/flow/flow.h"
#include "object/elf.h"
#include "provider/uret.h"

static struct elf *elf_of(struct flow *f, const char *path)
{
	struct err err = { 0 };
	struct elf *e;

	for (u32 i = 0; i < f->tails.files.n; i++)
		if (streq(elf_path(f->tails.files.v[i]), path))
			return f->tails.files.v[i];
	e = elf_open(path, &err);
	err_release(&err);
	if (e)
		vec_push(&f->t.c->line.arena, &f->tails.files, e);
	return e;
}

/* "main"; "0x1a40" in stripped files. */
static bool find(struct elf *e, const char *symbol, struct elf_symbol *out)
{
	return elf_find(e, symbol, out) ||
	       (starts_with(symbol, "0x") && elf_frame_at(e, strtoull(symbol, NULL, 16), out));
}

static bool may_jump(struct flow *f, const struct flow_function *from,
		     const struct flow_function *to)
{
	struct elf *e = from->file && to->file ? elf_of(f, from->file) : NULL;
	struct elf_symbol first, second;

	if (!e || !find(e, from->symbol, &first))
		return true;
	if (!streq(from->file, to->file))
		return uret_may_continue_as(e, &first, NULL);
	return !find(e, to->symbol, &second) || uret_may_continue_as(e, &first, &second);
}

bool flow_may_jump(struct flow *f, u32 from, u32 to)
{
	static const char yes, no;
	struct {
		u32 from, to;
	} key = { from, to };
	const char *known = hash_get(&f->tails.known, &key, sizeof key);

	if (!known) {
		known = may_jump(f, &f->known.v[from - 1], &f->known.v[to - 1]) ? &yes : &no;
		hash_put(&f->tails.known, arena_dup(&f->t.c->line.arena, &key, sizeof key),
			 sizeof key, (void *)(uintptr_t)known);
	}
	return known == &yes;
}

void flow_release_tails(struct flow *f)
{
	for (u32 i = 0; i < f->tails.files.n; i++)
		elf_close(f->tails.files.v[i]);
	hash_release(&f->tails.known);
}
