/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations of a file's thread-local variables, x86-64. The thread pointer (fs) is the end of the
 * static TLS block that is allocated with the thread; "ELF Handling For Thread-Local Storage",
 * Ulrich Drepper, variant II; glibc's elf/dl-tls.c.
 *
 * A program's own block comes first: it ends at the thread pointer. The location of a library's
 * block is known when it is loaded, and relocations write it into the library's data, because its
 * code needs it:
 *
 *	R_X86_64_TPOFF64    offset of a variable from the thread pointer (addend: offset in the
 *			    file's block)
 *	R_X86_64_DTPMOD64   module id of the library, an index into the thread's vector (fs:8);
 *			    glibc: vector[-1] length, vector[n] { address, -1 until it is needed; ... }
 */
#include "object/elf_file.h"

static const Elf64_Phdr *find_segment(const struct elf *e, u32 type)
{
	for (u32 i = 0; i < e->n_segments; i++)
		if (e->segment[i].p_type == type)
			return &e->segment[i];
	return NULL;
}

struct dynamic {
	bool is_pie, has_name, is_musl;
};

static struct dynamic read_dynamic(const struct elf *e)
{
	struct dynamic d = { 0 };
	struct elf_section s, strings;
	const char *name;
	Elf64_Dyn entry;

	if (!elf_section(e, ".dynamic", &s) || !s.bytes)
		return d;
	if (!elf_section(e, ".dynstr", &strings) || !strings.bytes)
		strings = (struct elf_section){ 0 };
	for (u64 at = 0; at + sizeof entry <= s.size; at += sizeof entry) {
		memcpy(&entry, (const u8 *)s.bytes + at, sizeof entry);
		d.is_pie |= entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE;
		d.has_name |= entry.d_tag == DT_SONAME;
		name = entry.d_tag == DT_NEEDED && strings.bytes ?
			       elf_string(strings.bytes, strings.size, entry.d_un.d_val) :
			       NULL;
		d.is_musl |= name && starts_with(name, "libc.musl");
	}
	return d;
}

static u64 below_thread_pointer(const Elf64_Phdr *p)
{
	u64 align = p->p_align ? p->p_align : 1, first = -p->p_vaddr & (align - 1);

	return ALIGN_UP(p->p_memsz - first, align) + first;
}

/* 2: certainly the file's own; 1: possibly another file's of the same name; 0: another file's. */
static u32 worth(const struct elf *e, u64 symbol)
{
	const struct elf_table *t = &e->table[1];

	if (!symbol)
		return 2;
	if (symbol >= t->n || t->sym[symbol].st_shndx == SHN_UNDEF)
		return 0;
	return ELF64_ST_BIND(t->sym[symbol].st_info) == STB_LOCAL ||
			       ELF64_ST_VISIBILITY(t->sym[symbol].st_other) ?
		       2 :
		       1;
}

static void see_relocation(const struct elf *e, const Elf64_Rela *r, u32 *best, struct elf_tls *out)
{
	u64 symbol = ELF64_R_SYM(r->r_info);
	u32 type = ELF64_R_TYPE(r->r_info), value = 0;

	if (type == R_X86_64_TPOFF64)
		/* prefer TPOFF64, which is cheaper */
		value = 2 * worth(e, symbol) + (worth(e, symbol) > 0);
	else if (type == R_X86_64_DTPMOD64)
		value = 2 * worth(e, symbol);
	if (value <= *best)
		return;
	*best = value;
	*out = (struct elf_tls){ .how = type == R_X86_64_TPOFF64 ? TLS_DISTANCE : TLS_MODULE,
				 .slot = r->r_offset };
	out->distance = (u64)r->r_addend + (symbol ? e->table[1].sym[symbol].st_value : 0);
}

static bool find_slot(const struct elf *e, struct elf_tls *out)
{
	struct elf_relocations at = { 0 };
	Elf64_Rela r;
	u32 best = 0;

	while (elf_relocation_next(e, &at, &r))
		see_relocation(e, &r, &best, out);
	return best;
}

const char *elf_tls(const struct elf *e, struct elf_tls *out)
{
	const Elf64_Phdr *tls = find_segment(e, PT_TLS);
	struct dynamic d = read_dynamic(e);

	if (elf_machine(e) != EM_X86_64 || e->own_header)
		return "it is thread-local, which sonde supports only on x86-64";
	if (!tls)
		return "it is thread-local, and the file has no thread-local storage";
	if (elf_type(e) == ET_EXEC || d.is_pie || (find_segment(e, PT_INTERP) && !d.has_name)) {
		*out = (struct elf_tls){ .how = TLS_BELOW, .distance = below_thread_pointer(tls) };
		return NULL;
	}
	if (d.is_musl || !find_slot(e, out))
		return "it is thread-local, and the library's data does not show where threads have it";
	return NULL;
}
