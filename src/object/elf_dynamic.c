/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .dynamic, .dynsym and the relocations of functions. Sources: gabi, "Dynamic Linking"; elf.h. */
#include "object/elf_dynamic.h"
#include "object/elf_file.h"

#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

static int each_entry(const struct elf *e, int (*f)(void *ctx, s64 tag, const char *text),
		      void *ctx)
{
	struct elf_section s, strings;
	int stop = 0;

	if (e->own_header || !elf_section(e, ".dynamic", &s) || !s.bytes ||
	    !elf_section(e, ".dynstr", &strings) || !strings.bytes)
		return 0;
	for (u64 at = 0; at + sizeof(Elf64_Dyn) <= s.size && !stop; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;

		memcpy(&d, (const u8 *)s.bytes + at, sizeof d);
		if (d.d_tag == DT_NULL)
			break;
		stop = f(ctx, d.d_tag, elf_string(strings.bytes, strings.size, d.d_un.d_val));
	}
	return stop;
}

static int see_entry(void *ctx, s64 tag, const char *text)
{
	struct elf_dynamic *d = ctx;

	if (tag == DT_SONAME)
		d->soname = text;
	else if (tag == DT_RPATH)
		d->rpath = text;
	else if (tag == DT_RUNPATH)
		d->runpath = text;
	return 0;
}

void elf_dynamic(const struct elf *e, struct elf_dynamic *out)
{
	*out = (struct elf_dynamic){ 0 };
	each_entry(e, see_entry, out);
}

struct needed {
	int (*f)(void *ctx, const char *name);
	void *ctx;
};

static int see_needed(void *ctx, s64 tag, const char *text)
{
	const struct needed *n = ctx;

	return tag == DT_NEEDED && text ? n->f(n->ctx, text) : 0;
}

int elf_each_needed(const struct elf *e, int (*f)(void *ctx, const char *name), void *ctx)
{
	struct needed n = { f, ctx };

	return each_entry(e, see_needed, &n);
}

static const char *name_of(const struct elf_table *t, u64 i)
{
	const char *name;

	if (i >= t->n || t->sym[i].st_name >= t->strings_len)
		return NULL;
	name = t->strings + t->sym[i].st_name;
	return *name ? name : NULL;
}

int elf_each_export(const struct elf *e, int (*f)(void *ctx, const struct elf_symbol *s), void *ctx)
{
	const struct elf_table *t = &e->table[1];
	int stop = 0;

	for (u32 i = 0; i < t->n && !stop; i++) {
		const Elf64_Sym *s = &t->sym[i];
		struct elf_symbol out = { .name = name_of(t, i),
					  .value = s->st_value,
					  .size = s->st_size,
					  .type = ELF64_ST_TYPE(s->st_info),
					  .bind = ELF64_ST_BIND(s->st_info),
					  .section = s->st_shndx };

		if (out.name && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS &&
		    (out.type == STT_FUNC || out.type == STT_GNU_IFUNC))
			stop = f(ctx, &out);
	}
	return stop;
}

int elf_each_import(const struct elf *e, int (*f)(void *ctx, const char *name), void *ctx)
{
	const struct elf_table *t = &e->table[1];
	int stop = 0;

	for (u32 i = 0; i < t->n && !stop; i++) {
		u8 type = ELF64_ST_TYPE(t->sym[i].st_info);
		const char *name = name_of(t, i);

		if (name && t->sym[i].st_shndx == SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC))
			stop = f(ctx, name);
	}
	return stop;
}

static bool is_function_slot(const struct elf *e, u64 type)
{
	if (elf_machine(e) == EM_AARCH64)
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

int elf_each_slot(const struct elf *e, int (*f)(void *ctx, u64 address, const char *name),
		  void *ctx)
{
	struct elf_relocations at = { 0 };
	Elf64_Rela r;
	int stop = 0;

	while (!stop && elf_relocation_next(e, &at, &r)) {
		const char *name = is_function_slot(e, ELF64_R_TYPE(r.r_info)) ?
					   name_of(&e->table[1], ELF64_R_SYM(r.r_info)) :
					   NULL;

		if (name)
			stop = f(ctx, r.r_offset, name);
	}
	return stop;
}

const char *elf_interpreter(const struct elf *e)
{
	for (u32 i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segment[i];
		const char *path = p->p_type == PT_INTERP ? elf_at(e, p->p_offset, p->p_filesz) :
							    NULL;

		if (path && p->p_filesz && !path[p->p_filesz - 1])
			return path;
	}
	return NULL;
}

bool elf_span(const struct elf *e, u64 *lo, u64 *hi)
{
	u64 first = UINT64_MAX, end = 0;

	for (u32 i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		if (p->p_type != PT_LOAD || p->p_vaddr + p->p_memsz < p->p_vaddr)
			continue;
		first = MIN(first, p->p_vaddr & ~0xfffull);
		end = MAX(end, p->p_vaddr + p->p_memsz);
	}
	if (first >= end)
		return false;
	*lo = first;
	*hi = end;
	return true;
}
