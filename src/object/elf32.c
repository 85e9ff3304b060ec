/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 32-bit ELF files: header, segments, sections and symbols are converted to their 64-bit structures
 * once; all other code reads only those. Formats: the System V gABI.
 */
#include <stdlib.h>
#include "object/elf_file.h"

/* n 32-bit records at an offset, of any alignment; NULL: not all in the file. */
static const u8 *records(const struct elf *e, u64 offset, u64 n, u64 entry, u64 want)
{
	return entry == want && n <= UINT32_MAX ? elf_at(e, offset, n * entry) : NULL;
}

bool elf32_header(struct elf *e)
{
	const Elf32_Ehdr *from = elf_at(e, 0, sizeof *from);
	Elf64_Ehdr *to = from ? xcalloc(1, sizeof *to) : NULL;

	if (!from)
		return false;
	memcpy(to->e_ident, from->e_ident, sizeof to->e_ident);
	to->e_type = from->e_type;
	to->e_machine = from->e_machine;
	to->e_entry = from->e_entry;
	to->e_phoff = from->e_phoff;
	to->e_shoff = from->e_shoff;
	to->e_phentsize = from->e_phentsize;
	to->e_phnum = from->e_phnum;
	to->e_shentsize = from->e_shentsize;
	to->e_shnum = from->e_shnum;
	to->e_shstrndx = from->e_shstrndx;
	e->header = e->own_header = to;
	return true;
}

void elf32_segments(struct elf *e)
{
	const Elf64_Ehdr *h = e->header;
	const u8 *at = records(e, h->e_phoff, h->e_phnum, h->e_phentsize, sizeof(Elf32_Phdr));
	Elf64_Phdr *to;

	if (!at || !h->e_phnum)
		return;
	to = xcalloc(h->e_phnum, sizeof *to);
	for (u32 i = 0; i < h->e_phnum; i++) {
		Elf32_Phdr p;

		memcpy(&p, at + i * sizeof p, sizeof p);
		to[i] = (Elf64_Phdr){ .p_type = p.p_type,
				      .p_flags = p.p_flags,
				      .p_offset = p.p_offset,
				      .p_vaddr = p.p_vaddr,
				      .p_paddr = p.p_paddr,
				      .p_filesz = p.p_filesz,
				      .p_memsz = p.p_memsz,
				      .p_align = p.p_align };
	}
	e->segment = e->own_segment = to;
	e->n_segments = h->e_phnum;
}

void elf32_sections(struct elf *e)
{
	const Elf64_Ehdr *h = e->header;
	const u8 *at = h->e_shoff ? records(e, h->e_shoff, h->e_shnum, h->e_shentsize,
					    sizeof(Elf32_Shdr)) :
				    NULL;
	Elf64_Shdr *to;

	if (!at || !h->e_shnum)
		return;
	to = xcalloc(h->e_shnum, sizeof *to);
	for (u32 i = 0; i < h->e_shnum; i++) {
		Elf32_Shdr s;

		memcpy(&s, at + i * sizeof s, sizeof s);
		to[i] = (Elf64_Shdr){ .sh_name = s.sh_name,
				      .sh_type = s.sh_type,
				      .sh_flags = s.sh_flags,
				      .sh_addr = s.sh_addr,
				      .sh_offset = s.sh_offset,
				      .sh_size = s.sh_size,
				      .sh_link = s.sh_link,
				      .sh_info = s.sh_info,
				      .sh_addralign = s.sh_addralign,
				      .sh_entsize = s.sh_entsize };
	}
	e->section = e->own_section = to;
	e->n_sections = h->e_shnum;
}

const Elf64_Sym *elf32_symbols(struct elf *e, u32 table, const Elf64_Shdr *s, u32 *n)
{
	const u8 *at = s->sh_entsize == sizeof(Elf32_Sym) ? elf_at(e, s->sh_offset, s->sh_size) :
							    NULL;
	Elf64_Sym *to;

	*n = at ? (u32)(s->sh_size / sizeof(Elf32_Sym)) : 0;
	if (!*n || e->own_symbols[table])
		return NULL;
	to = xcalloc(*n, sizeof *to);
	for (u32 i = 0; i < *n; i++) {
		Elf32_Sym sym;

		memcpy(&sym, at + i * sizeof sym, sizeof sym);
		to[i] = (Elf64_Sym){ .st_name = sym.st_name,
				     .st_info = sym.st_info,
				     .st_other = sym.st_other,
				     .st_shndx = sym.st_shndx,
				     .st_value = sym.st_value,
				     .st_size = sym.st_size };
	}
	return e->own_symbols[table] = to;
}
