/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF and CTF sections of programs (gcc -gbtf, -gctf): types without DWARF. */
#include <stdlib.h>
#include "sym/btf_file.h"
#include "object/ctf.h"
#include "object/elf.h"

struct program_btf {
	struct program_btf *next;
	char *path;
	struct elf *elf; /* owns the bytes of the types */
	struct arena arena;
	struct btf *btf;
};

static struct program_btf *opened;

static struct ctf_table table_of(struct elf *e, const char *symbols, const char *strings)
{
	struct elf_section y = { 0 }, s = { 0 };

	elf_section(e, symbols, &y);
	elf_section(e, strings, &s);
	return (struct ctf_table){ y.bytes, y.bytes ? y.size : 0, s.bytes, s.bytes ? s.size : 0 };
}

static struct btf *from_ctf(struct program_btf *p, struct err *err)
{
	struct ctf_table plain = table_of(p->elf, ".symtab", ".strtab"),
			 dynamic = table_of(p->elf, ".dynsym", ".dynstr");
	struct elf_section s;
	struct btf *b = NULL;
	size_t len = 0;
	void *bytes;

	if (!elf_section(p->elf, ".ctf", &s) || !s.bytes)
		return NULL;
	bytes = ctf_to_btf(s.bytes, s.size, &plain, &dynamic, &len);
	if (bytes)
		b = btf_from_bytes(&p->arena, arena_dup(&p->arena, bytes, len), len, NULL, err);
	free(bytes);
	return b;
}

static struct btf *read_section(struct program_btf *p)
{
	struct elf_section s;
	struct err err = { 0 };
	struct btf *b = NULL;

	if (p->elf && elf_section(p->elf, ".BTF", &s) && s.bytes && !((uintptr_t)s.bytes % 4))
		b = btf_from_bytes(&p->arena, s.bytes, s.size, NULL, &err);
	else if (p->elf && elf_section(p->elf, ".BTF", &s) &&
		 s.bytes) /* the section may be misaligned */
		b = btf_from_bytes(&p->arena, arena_dup(&p->arena, s.bytes, s.size), s.size, NULL,
				   &err);
	if (!b && p->elf)
		b = from_ctf(p, &err);
	if (b)
		b->is_user = true;
	err_release(&err);
	return b;
}

struct btf *btf_of_program(const char *path)
{
	struct err err = { 0 };
	struct program_btf *p;

	for (p = opened; p; p = p->next)
		if (streq(p->path, path))
			return p->btf;
	p = xcalloc(1, sizeof *p);
	p->path = xstrdup(path);
	arena_init(&p->arena);
	p->elf = elf_open(path, &err);
	err_release(&err);
	p->btf = read_section(p);
	p->next = opened;
	opened = p;
	return p->btf;
}
