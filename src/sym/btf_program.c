/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF sections of programs (gcc -gbtf): the types of those that have no other debug information. */
#include <stdlib.h>
#include "sym/btf_file.h"
#include "sym/elf.h"

struct program_btf {
	struct program_btf *next;
	char *path;
	struct elf *elf; /* whose bytes the types are read from */
	struct arena arena;
	struct btf *btf;
};

static struct program_btf *opened;

static struct btf *read_section(struct program_btf *p)
{
	struct elf_section s;
	struct err err = {};
	struct btf *b = NULL;

	if (p->elf && elf_section(p->elf, ".BTF", &s) && s.bytes && !((uintptr_t)s.bytes % 4))
		b = btf_from_bytes(&p->arena, s.bytes, s.size, NULL, &err);
	else if (p->elf && elf_section(p->elf, ".BTF", &s) && s.bytes) /* linkers need not align it */
		b = btf_from_bytes(&p->arena, arena_dup(&p->arena, s.bytes, s.size), s.size, NULL, &err);
	if (b)
		b->is_user = true;
	err_release(&err);
	return b;
}

struct btf *btf_of_program(const char *path)
{
	struct err err = {};
	struct program_btf *p;

	for (p = opened; p; p = p->next)
		if (streq(p->path, path))
			return p->btf;
	p = xcalloc(1, sizeof(*p));
	p->path = xstrdup(path);
	arena_init(&p->arena);
	p->elf = elf_open(path, &err);
	err_release(&err);
	p->btf = read_section(p);
	p->next = opened;
	opened = p;
	return p->btf;
}
