/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: an address of the running kernel. Out: the functions there, with their lines. The kernel may
 * be loaded at another address than its image has (KASLR): both know where _text is.
 */
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/buf.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "sym/kallsyms.h"
#include "sym/kimage.h"
#include "sym/places.h"

#define NOTES "/sys/kernel/notes"

/* ---- the build id of the kernel that runs */

u8 *kimage_build_id(u32 *len)
{
	struct buf notes = { 0 };
	const u8 *id;
	u8 *copy = NULL;

	buf_read_file(&notes, NOTES);
	id = notes.s ? elf_notes_build_id(notes.s, notes.len, len) : NULL;
	if (id) {
		copy = xmalloc(*len);
		memcpy(copy, id, *len);
	}
	buf_release(&notes);
	return copy;
}

bool kimage_is_running(const char *path)
{
	struct err err = { 0 };
	struct elf *elf = elf_open(path, &err);
	u32 len = 0, n = 0;
	u8 *id = elf ? kimage_build_id(&len) : NULL;
	const u8 *other = elf ? elf_build_id(elf, &n) : NULL;
	bool is_same = id && other && n == len && !memcmp(id, other, len);

	free(id);
	elf_close(elf);
	err_release(&err);
	return is_same;
}

/* ---- the file */

static const char *const folders[][2] = {
	{ "/usr/lib/debug/boot/vmlinux-", "" },
	{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
	{ "/boot/vmlinux-", "" },
	{ "/lib/modules/", "/build/vmlinux" },
	{ "/lib/modules/", "/vmlinux" },
};

char *kimage_find(void)
{
	struct utsname u;

	uname(&u);
	for (u32 i = 0; i < ARRAY_SIZE(folders); i++) {
		char *path = xasprintf("%s%s%s", folders[i][0], u.release, folders[i][1]);

		if (!access(path, R_OK) && kimage_is_running(path))
			return path;
		free(path);
	}
	return NULL;
}

/* ---- source lines */

struct kimage {
	char *path;
	struct elf *elf; /* NULL: none */
	struct dwarf *dwarf;
	struct places *places;
	u64 slide; /* a running address minus that in the image */
	bool is_tried;
};

struct kimage *kimage_new(const char *path)
{
	struct kimage *k = xcalloc(1, sizeof *k);

	k->path = path ? xstrdup(path) : NULL;
	return k;
}

void kimage_free(struct kimage *k)
{
	if (!k)
		return;
	dwarf_close(k->dwarf);
	elf_close(k->elf);
	if (k->places)
		places_free(k->places);
	free(k->path);
	free(k);
}

static void open_image(struct kimage *k, struct kallsyms *symbols)
{
	struct err err = { 0 };
	struct elf_symbol text;
	struct ksym running;

	k->is_tried = true;
	if (!k->path)
		k->path = kimage_find();
	k->elf = k->path ? elf_open(k->path, &err) : NULL;
	if (k->elf && elf_find(k->elf, "_text", &text) &&
	    kallsyms_find(symbols, "_text", NULL, &running)) {
		k->slide = running.address - text.value;
		k->dwarf = dwarf_open(k->elf, &err);
		k->places = places_new();
	}
	err_release(&err);
}

static struct dwarf *dwarf_of_image(struct kimage *k)
{
	struct err err = { 0 };

	if (dwarf_memory(k->dwarf) <= DWARF_MOST_BYTES)
		return k->dwarf;
	dwarf_close(k->dwarf);
	k->dwarf = dwarf_open(k->elf, &err);
	err_release(&err);
	return k->dwarf;
}

/* C needs no demangling. */
static const char *as_it_is(void *ctx, const char *name)
{
	return name;
}

bool kimage_source(struct kimage *k, struct kallsyms *symbols, u64 address, bool is_return,
		   u32 depth, struct usource *out)
{
	const struct place_list *list;
	u64 pc;

	if (!k->is_tried)
		open_image(k, symbols);
	if (!k->dwarf || !kallsyms_is_fixed(symbols, address))
		return false;
	pc = address - k->slide - is_return;
	list = places_find(k->places, 0, pc);
	if (!list)
		list = places_add(k->places, 0, pc, dwarf_of_image(k), as_it_is, NULL);
	if (depth >= list->n)
		return false;
	*out = list->at[depth];
	return true;
}
