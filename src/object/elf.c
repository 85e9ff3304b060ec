/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF64 files over a mapping: header, sections, segments, and the file with the debug symbols.
 * Formats: the System V gABI; build ids and debug links as defined by binutils and gdb. Every
 * offset and count comes from the file and is checked (elf_at) before use, because traced processes
 * may map untrusted files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/fd.h"
#include "object/elf_file.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_DATA ELFDATA2LSB
#else
#define OUR_DATA ELFDATA2MSB
#endif

const void *elf_at(const struct elf *e, u64 offset, u64 len)
{
	if (offset > e->len || len > e->len - offset)
		return NULL;
	return e->bytes + offset;
}

const char *elf_string(const char *table, u64 table_len, u64 offset)
{
	if (offset >= table_len || !memchr(table + offset, '\0', table_len - offset))
		return NULL;
	return table + offset;
}

/* ---- opening */

/* A table of n entries, or NULL if it is not fully inside the file or is misaligned. */
static const void *table_at(const struct elf *e, u64 offset, u64 n, u64 entry, u64 want)
{
	if (entry != want || offset % 8 || n > UINT32_MAX)
		return NULL;
	return elf_at(e, offset, n * entry);
}

static void find_names(struct elf *e, u64 index)
{
	const Elf64_Shdr *s = index < e->n_sections ? &e->section[index] : NULL;

	e->names = s ? elf_at(e, s->sh_offset, s->sh_size) : NULL;
	e->names_len = e->names ? s->sh_size : 0;
}

/* Counts that do not fit in 16 bits are in the first section header. */
static void find_sections(struct elf *e)
{
	const Elf64_Ehdr *h = e->header;
	const Elf64_Shdr *first = table_at(e, h->e_shoff, 1, h->e_shentsize, sizeof *first);
	u64 n = h->e_shnum, names = h->e_shstrndx;

	if (!h->e_shoff || !first)
		return;
	if (!n)
		n = first->sh_size;
	if (names == SHN_XINDEX)
		names = first->sh_link;
	e->section = table_at(e, h->e_shoff, n, h->e_shentsize, sizeof *first);
	if (!e->section)
		return;
	e->n_sections = (u32)n;
	find_names(e, names);
}

static int check_header(struct elf *e, struct err *err)
{
	const Elf64_Ehdr *h = elf_at(e, 0, sizeof(Elf32_Ehdr));

	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG))
		return err_set(err, -ENOEXEC, "not an ELF file");
	if (h->e_ident[EI_DATA] != OUR_DATA)
		return err_set(err, -ENOEXEC, "an ELF file in reverse byte order");
	if (h->e_ident[EI_CLASS] == ELFCLASS32 && elf32_header(e)) {
		elf32_segments(e);
		elf32_sections(e);
		find_names(e, e->header->e_shstrndx);
		return 0;
	}
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, -ENOEXEC, "not an ELF file");
	if (!elf_at(e, 0, sizeof *h))
		return err_set(err, -ENOEXEC, "not an ELF file");
	e->header = h;
	e->segment = table_at(e, h->e_phoff, h->e_phnum, h->e_phentsize, sizeof *e->segment);
	e->n_segments = e->segment ? h->e_phnum : 0;
	find_sections(e);
	return 0;
}

struct elf *elf_from_bytes(const void *bytes, size_t len, struct err *err)
{
	struct elf *e = xcalloc(1, sizeof *e);

	e->bytes = bytes;
	e->len = len;
	if ((uintptr_t)bytes % 8 || check_header(e, err) < 0) {
		if ((uintptr_t)bytes % 8)
			err_set(err, -EINVAL, "ELF bytes are not aligned");
		elf_close(e);
		return NULL;
	}
	elf_find_tables(e);
	return e;
}

/*
 * A path under /proc/self/fd uses that descriptor: reopening the file would block on a process that
 * watches opens (fanotify), which may be another sonde that waits for us.
 */
static int open_file(const char *path)
{
	static const char own[] = "/proc/self/fd/";
	int fd = starts_with(path, own) ? atoi(path + strlen(own)) : -1,
	    flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	if (flags >= 0 && !(flags & O_PATH))
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* The file that was closed last, with what is known of it: a script may name 5,000 functions of a
 * file one by one, and each opens it. Only the main thread opens files. */
static struct elf *kept;

static bool is_kept(const char *path, const struct stat *st)
{
	const struct stat *was = kept ? &kept->mapped.st : NULL;

	return was && was->st_dev == st->st_dev && was->st_ino == st->st_ino &&
	       was->st_size == st->st_size && was->st_mtim.tv_sec == st->st_mtim.tv_sec &&
	       was->st_mtim.tv_nsec == st->st_mtim.tv_nsec &&
	       was->st_ctim.tv_sec == st->st_ctim.tv_sec &&
	       was->st_ctim.tv_nsec == st->st_ctim.tv_nsec && streq(kept->mapped.path, path);
}

struct elf *elf_open(const char *path, struct err *err)
{
	_fd int fd = open_file(path);
	struct elf *e;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, "open %s", path);
		return NULL;
	}
	if (is_kept(path, &st)) {
		e = kept;
		kept = NULL;
		return e;
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		err_set(err, -ENOEXEC, "%s: not an ELF file", path);
		return NULL;
	}
	/*
	 * shared: the kernel writes uprobe breakpoints into private mappings (uprobes.c: valid_vma)
	 */
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		err_sys(err, "map %s", path);
		return NULL;
	}
	e = elf_from_bytes(map, (size_t)st.st_size, err);
	if (!e) {
		munmap(map, (size_t)st.st_size);
		err_wrap(err, "%s", path);
		return NULL;
	}
	e->mapped.is = true;
	e->mapped.path = xstrdup(path);
	e->mapped.st = st;
	return e;
}

static void free_file(struct elf *e)
{
	if (!e)
		return;
	free_file(e->debug);
	free_file(e->mini);
	if (e->extra.of)
		e->extra.release(e->extra.of);
	if (e->mapped.is)
		munmap((void *)(uintptr_t)e->bytes, e->len);
	for (u32 i = 0; i < ARRAY_SIZE(e->table); i++)
		elf_chains_release(&e->table[i]);
	free(e->code);
	free(e->frame);
	free(e->frame_names);
	free(e->own_header);
	free(e->own_segment);
	free(e->own_section);
	free(e->own_symbols[0]);
	free(e->own_symbols[1]);
	free(e->unpacked);
	free(e->mapped.path);
	free(e);
}

void elf_unmap_pages(struct elf *e)
{
	if (e->mapped.is)
		madvise((void *)(uintptr_t)e->bytes, e->len, MADV_DONTNEED);
	if (e->debug)
		elf_unmap_pages(e->debug);
}

void elf_close(struct elf *e)
{
	struct elf *old = kept;

	if (!e || !e->mapped.is) {
		free_file(e);
		return;
	}
	kept = e;
	free_file(old);
}

void *elf_extra(struct elf *e, void *(*make)(void), void (*release)(void *extra))
{
	if (!e->extra.of)
		e->extra = (struct elf_extra){ make(), release };
	return e->extra.of;
}

u16 elf_machine(const struct elf *e)
{
	return e->header->e_machine;
}

u16 elf_type(const struct elf *e)
{
	return e->header->e_type;
}

bool elf_is32(const struct elf *e)
{
	return e->own_header;
}

u64 elf_entry(const struct elf *e)
{
	return e->header->e_entry;
}

const char *elf_path(const struct elf *e)
{
	return e->mapped.path;
}

const void *elf_bytes(const struct elf *e, size_t *len)
{
	*len = e->len;
	return e->bytes;
}

/* ---- sections and segments */

u32 elf_n_sections(const struct elf *e)
{
	return e->n_sections;
}

bool elf_section_at(const struct elf *e, u32 index, struct elf_section *out)
{
	const Elf64_Shdr *s;
	const char *name;

	if (index >= e->n_sections)
		return false;
	s = &e->section[index];
	name = e->names ? elf_string(e->names, e->names_len, s->sh_name) : NULL;
	*out = (struct elf_section){
		.name = name ? name : "",
		.type = s->sh_type,
		.flags = s->sh_flags,
		.address = s->sh_addr,
		.offset = s->sh_offset,
		.size = s->sh_size,
		.bytes = s->sh_type == SHT_NOBITS ? NULL : elf_at(e, s->sh_offset, s->sh_size),
	};
	return true;
}

static bool next_relocated_section(const struct elf *e, struct elf_relocations *at)
{
	at->next = 0;
	while (!e->own_header && elf_section_at(e, at->n_sections, &at->of)) {
		at->n_sections++;
		if (at->of.type == SHT_RELA && at->of.flags & SHF_ALLOC && at->of.bytes)
			return true;
	}
	at->of.size = 0;
	return false;
}

bool elf_relocation_next(const struct elf *e, struct elf_relocations *at, Elf64_Rela *out)
{
	while (at->next + sizeof *out > at->of.size)
		if (!next_relocated_section(e, at))
			return false;
	memcpy(out, (const u8 *)at->of.bytes + at->next, sizeof *out);
	at->next += sizeof *out;
	return true;
}

bool elf_stored_address(const struct elf *e, u64 at, u64 *out)
{
	struct elf_relocations all = { 0 };
	Elf64_Rela r;

	while (elf_relocation_next(e, &all, &r))
		if (r.r_offset == at && ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE) {
			*out = (u64)r.r_addend;
			return true;
		}
	return false;
}

bool elf_section(const struct elf *e, const char *name, struct elf_section *out)
{
	struct elf_section s;

	for (u32 i = 0; elf_section_at(e, i, &s); i++) {
		if (streq(s.name, name)) {
			*out = s;
			return true;
		}
	}
	return false;
}

bool elf_section_around(const struct elf *e, u64 address, const char *prefix,
			struct elf_section *out)
{
	for (u32 i = 0; elf_section_at(e, i, out); i++)
		if (starts_with(out->name, prefix) && address - out->address < out->size)
			return true;
	return false;
}

bool elf_code_segment(const struct elf *e, u32 index, struct elf_section *out)
{
	for (u32 i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || index--)
			continue;
		*out = (struct elf_section){
			.name = "",
			.address = p->p_vaddr,
			.offset = p->p_offset,
			.size = p->p_filesz,
			.bytes = elf_at(e, p->p_offset, p->p_filesz),
		};
		return true;
	}
	return false;
}

bool elf_address_to_offset(const struct elf *e, u64 address, u64 *offset)
{
	for (u32 i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz) {
			*offset = address - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}

/* A data segment may share a file page with the code before it: code wins. */
bool elf_offset_to_address(const struct elf *e, u64 offset, u64 *address)
{
	bool found = false;

	for (u32 i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segment[i];

		if (p->p_type != PT_LOAD || offset < p->p_offset ||
		    offset - p->p_offset >= p->p_filesz || (found && !(p->p_flags & PF_X)))
			continue;
		*address = offset - p->p_offset + p->p_vaddr;
		found = true;
	}
	return found;
}

u64 elf_load_address(const struct elf *e)
{
	for (u32 i = 0; i < e->n_segments; i++)
		if (e->segment[i].p_type == PT_LOAD)
			return e->segment[i].p_vaddr & ~0xfffULL;
	return 0;
}
