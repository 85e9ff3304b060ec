/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files with debug information: the program itself, or the separate file that its build id or debug
 * link refers to (elf_fetch_debug_file). Unwind information, needed for frame-relative variables,
 * is the program's own: separate files have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "object/dwarf_file.h"
#include "object/elf.h"

#if SONDE_HAVE_LIBDW

static struct dwarf *opened; /* never closed: types refer to them */

static bool same_file(const struct dwarf *d, const struct stat *st)
{
	return d->dev == st->st_dev && d->ino == st->st_ino && d->mtime == (u64)st->st_mtime;
}

static enum dwarf_language language_of(const struct dwarf *d, Dwarf_Die *unit)
{
	u64 n = 0;

	die_number(d, unit, DW_AT_language, &n);
	switch (n) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11: return LANGUAGE_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14: return LANGUAGE_CXX;
	case DW_LANG_Rust: return LANGUAGE_RUST;
	case DW_LANG_Go: return LANGUAGE_GO;
	}
	return LANGUAGE_OTHER;
}

static void list_units(struct dwarf *d)
{
	Dwarf_CU *cu = NULL;
	uint8_t kind;
	struct unit u = { 0 };

	while (d->f->dwarf_get_units(d->dw, cu, &cu, NULL, &kind, &u.die, &u.body) == 0) {
		if (kind == DW_UT_type || kind == DW_UT_split_type) {
			vec_push(&d->arena, &d->type_units, u.die);
			continue; /* type units are found by signature */
		}
		u.is_missing = kind == DW_UT_skeleton && !u.body.addr;
		if (kind != DW_UT_skeleton || !u.body.addr)
			u.body = u.die;
		u.language = language_of(d, &u.body);
		vec_push(&d->arena, &d->units, u);
	}
}

/* The file that has the debug information: this one, or the one it refers to; NULL: none. */
static struct elf *debug_of(struct elf *e)
{
	struct elf_section s;

	if (elf_section(e, ".debug_info", &s) || elf_section(e, ".zdebug_info", &s))
		return e;
	return elf_fetch_debug_file(e);
}

/* Opens the file by its name; -1: the name now refers to another file, or to none. */
static int open_by_name(const struct elf *e)
{
	enum { SAME_BYTES = 1024 }; /* headers and, in most files, the build id */
	const char *path = elf_path(e);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	const void *bytes;
	char begin[SAME_BYTES];
	struct stat st;
	size_t len;

	if (fd < 0)
		return -1;
	bytes = elf_bytes(e, &len);
	if (fstat(fd, &st) == 0 && (u64)st.st_size == len && len >= sizeof begin &&
	    pread(fd, begin, sizeof begin, 0) == sizeof begin &&
	    !memcmp(begin, bytes, sizeof begin))
		return fd;
	close(fd);
	return -1;
}

/* Opens by name, because files of dwz and split debug information are found relative to it; a
 * deleted file is read from its bytes. */
static bool begin(struct dwarf *d, const struct elf *debug)
{
	size_t len;
	const void *bytes = elf_bytes(debug, &len);

	d->debug_fd = open_by_name(debug);
	if (d->debug_fd >= 0) {
		d->dw = d->f->dwarf_begin(d->debug_fd, DWARF_C_READ);
		return d->dw;
	}
	d->image = d->f->elf_memory((char *)(uintptr_t)bytes, len);
	d->dw = d->image ? d->f->dwarf_begin_elf(d->image, DWARF_C_READ, NULL) : NULL;
	return d->dw;
}

static int open_debug(struct dwarf *d, struct err *err)
{
	struct elf *debug = debug_of(d->file);

	if (debug && begin(d, debug))
		return 0;
	err_set(err, -ENODATA, "%s has no debug information", d->path ? d->path : "the file");
	err_help(
		err,
		"build it with -g, install its -dbgsym (-dbg, -debuginfo) package, or set DEBUGINFOD_URLS");
	return -ENODATA;
}

static void open_frames(struct dwarf *d)
{
	d->elf = d->f->elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	d->cfi = d->elf ? d->f->dwarf_getcfi_elf(d->elf) : NULL;
	d->debug_cfi = d->f->dwarf_getcfi(d->dw); /* belongs to dw */
}

static void release(struct dwarf *d)
{
	if (d->dw)
		d->f->dwarf_end(d->dw);
	if (d->image)
		d->f->elf_end(d->image);
	if (!d->file_is_borrowed)
		elf_close(d->file);
	if (d->fd >= 0)
		close(d->fd);
	if (d->debug_fd >= 0)
		close(d->debug_fd);
	hash_release(&d->types.known);
	hash_release(&d->inlined.names);
	arena_release(&d->arena);
	free(d->path);
	free(d);
}

static struct dwarf *open_new(const char *path, const struct stat *st, const struct dw *f,
			      struct err *err)
{
	struct dwarf *d = xcalloc(1, sizeof *d);

	d->f = f;
	d->path = xstrdup(path);
	d->dev = st->st_dev;
	d->ino = st->st_ino;
	d->mtime = (u64)st->st_mtime;
	d->debug_fd = -1;
	arena_init(&d->arena);
	d->fd = open(path, O_RDONLY | O_CLOEXEC);
	d->file = elf_open(path, err);
	if (d->fd < 0 || !d->file || open_debug(d, err) < 0) {
		release(d);
		return NULL;
	}
	list_units(d);
	open_frames(d);
	return d;
}

/* A cache of files without debug information: they are asked for again for each function of a
 * pattern. */
static struct without {
	struct without *next;
	u64 dev, ino, mtime;
	struct err err;
} * without;

static bool is_known_without(const struct stat *st, struct err *err)
{
	for (const struct without *w = without; w; w = w->next)
		if (w->dev == st->st_dev && w->ino == st->st_ino && w->mtime == (u64)st->st_mtime) {
			*err = w->err;
			return true;
		}
	return false;
}

static void remember_without(const struct stat *st, const struct err *err)
{
	struct without *w = xcalloc(1, sizeof *w);

	*w = (struct without){ without, st->st_dev, st->st_ino, (u64)st->st_mtime, *err };
	w->err.log = NULL;
	without = w;
}

struct dwarf *dwarf_of(const char *path, const struct dwarf_registers *regs, struct err *err)
{
	const struct dw *f = dw_load(err);
	struct dwarf *d;
	struct stat st;

	if (!f)
		return NULL;
	if (stat(path, &st) < 0) {
		err_sys(err, "open %s", path);
		return NULL;
	}
	for (d = opened; d; d = d->next)
		if (same_file(d, &st)) {
			if (!d->regs)
				d->regs = regs;
			return d;
		}
	if (is_known_without(&st, err))
		return NULL;
	d = open_new(path, &st, f, err);
	if (!d) {
		remember_without(&st, err);
		return NULL;
	}
	d->regs = regs;
	d->next = opened;
	return opened = d;
}

struct dwarf *dwarf_open(struct elf *e, struct err *err)
{
	const struct dw *f = dw_load(err);
	struct dwarf *d;

	if (!f)
		return NULL;
	d = xcalloc(1, sizeof *d);
	d->f = f;
	d->fd = d->debug_fd = -1;
	d->file = e;
	d->file_is_borrowed = true;
	arena_init(&d->arena);
	if (open_debug(d, err) < 0) {
		release(d);
		return NULL;
	}
	list_units(d);
	return d;
}

void dwarf_close(struct dwarf *d)
{
	if (d)
		release(d);
}

size_t dwarf_memory(const struct dwarf *d)
{
	enum { ROW_BYTES = 48 }; /* libdw's Dwarf_Line and the pointer to it */

	return d->arena.used + d->n_rows * ROW_BYTES;
}

#else /* without libdw */

struct dwarf *dwarf_of(const char *path, const struct dwarf_registers *regs, struct err *err)
{
	dw_load(err);
	return NULL;
}

struct dwarf *dwarf_open(struct elf *e, struct err *err)
{
	dw_load(err);
	return NULL;
}

void dwarf_close(struct dwarf *d)
{
}

size_t dwarf_memory(const struct dwarf *d)
{
	return 0;
}

#endif
