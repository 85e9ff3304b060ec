/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The image of the kernel with debug information: lines and variables are found in it as in a
 * program; what is defined is relative to a symbol, because the kernel that runs is loaded
 * elsewhere.
 */
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "cli/probe/probe.h"
#include "object/debuginfod.h"
#include "object/dwarf.h"
#include "object/elf.h"

#define NOTES "/sys/kernel/notes"

/* ---- the build id of the kernel that runs */

/* The description of the note of type NT_GNU_BUILD_ID; NULL: none. */
static const u8 *id_of_notes(const struct buf *b, u32 *len)
{
	for (size_t at = 0; at + 12 <= b->len;) {
		u32 head[3]; /* length of the name, of the description, type */

		memcpy(head, b->s + at, sizeof head);
		at += sizeof head + ((head[0] + 3ull) & ~3ull);
		if (at + head[1] > b->len)
			return NULL;
		if (head[2] == 3 && head[0] == 4 && !memcmp(b->s + at - 4, "GNU", 4)) {
			*len = head[1];
			return (const u8 *)b->s + at;
		}
		at += (head[1] + 3ull) & ~3ull;
	}
	return NULL;
}

static bool is_of_kernel(const char *path, const u8 *id, u32 len)
{
	struct err err = { 0 };
	struct elf *elf = elf_open(path, &err);
	u32 n = 0;
	const u8 *other = elf ? elf_build_id(elf, &n) : NULL;
	bool is_same = id && other && n == len && !memcmp(id, other, len);

	elf_close(elf);
	err_release(&err);
	return is_same;
}

/* ---- the file */

static const char *const places[] = {
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/boot/vmlinux-%s",
	"/lib/modules/%s/build/vmlinux",
	"/lib/modules/%s/vmlinux",
};

static const char *search(struct probe *p, const char *release, const u8 *id, u32 len)
{
	struct buf b = { 0 };
	const char *path;

	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		buf_clear(&b);
		for (const char *s = places[i]; *s; s += *s == '%' ? 2 : 1)
			if (*s == '%')
				buf_puts(&b, release);
			else
				buf_putc(&b, *s);
		path = arena_strdup(p->arena, b.s);
		if (!access(path, R_OK) && is_of_kernel(path, id, len)) {
			buf_release(&b);
			return path;
		}
	}
	buf_release(&b);
	return NULL;
}

static const char *fetch(struct probe *p, const u8 *id, u32 len)
{
	char *fetched = id ? debuginfod_fetch(id, len) : NULL;
	const char *path = fetched ? arena_strdup(p->arena, fetched) : NULL;

	free(fetched);
	return path;
}

static int refuse(struct probe *p, const char *what, const char *release)
{
	say(p->c, "%s: that needs the debug information of the kernel %s, which is not here", what,
	    release);
	say(p->c,
	    "help: a file vmlinux in /usr/lib/debug/boot, /boot or /lib/modules/%s/build (Debian: linux-image-%s-dbg), or -k FILE; "
	    "functions and their arguments need none",
	    release, release);
	return STATUS_WRONG;
}

static const char *real(struct probe *p, const char *given)
{
	char *path = realpath(given, NULL);
	const char *kept = path ? arena_strdup(p->arena, path) : NULL;

	free(path);
	return kept;
}

const char *probe_image(struct probe *p)
{
	struct utsname u;
	struct buf notes = { 0 };
	u32 len = 0;
	const char *path = NULL;

	uname(&u);
	buf_read_file(&notes, NOTES);
	if (notes.s) {
		const u8 *id = id_of_notes(&notes, &len);

		path = search(p, u.release, id, len);
	}
	buf_release(&notes);
	return path;
}

int probe_use_image(struct probe *p, const char *what)
{
	const char *given = p->c->own.probe.vmlinux;
	struct utsname u;
	struct buf notes = { 0 };
	u32 len = 0;
	const u8 *id;
	int ret = 0;

	if (p->module)
		return say_usage(
			p->c,
			"%s: lines and variables of modules are not read: -m takes functions and offsets",
			what);
	uname(&u);
	buf_read_file(&notes, NOTES);
	id = notes.s ? id_of_notes(&notes, &len) : NULL;
	p->file = given ? real(p, given) : search(p, u.release, id, len);
	if (!p->file && !given)
		p->file = fetch(p, id, len);
	p->is_kernel = true;
	p->is_of_other = p->file && !is_of_kernel(p->file, id, len);
	if (!p->file)
		ret = given ? say_usage(p->c, "-k %s: no such file", given) :
			      refuse(p, what, u.release);
	buf_release(&notes);
	return ret;
}

/* ---- addresses */

/* Whether another function has the name. */
static int count(void *ctx, const struct elf_symbol *s)
{
	++*(u32 *)ctx;
	return 0;
}

static bool is_alone(struct elf *elf, const char *name)
{
	u32 n = 0;

	elf_each_named(elf, name, count, &n);
	return n == 1;
}

bool probe_put_symbol(struct probe *p, u64 offset, struct buf *b)
{
	struct err err = { 0 };
	struct elf *elf = elf_open(p->file, &err);
	struct elf_symbol s;
	bool found = false;
	u64 at;

	if (elf && elf_offset_to_address(elf, offset, &at)) {
		found = (elf_symbol_at(elf, at, &s) && is_alone(elf, s.name)) ||
			elf_find(elf, "_text", &s);
		if (found)
			buf_printf(b, "%s+%llu", s.name, (unsigned long long)(at - s.value));
	}
	elf_close(elf);
	err_release(&err);
	return found;
}

bool probe_put_address(struct probe *p, const struct probe_data *data, struct buf *b)
{
	struct err err = { 0 };
	struct elf *elf = elf_open(p->file, &err);
	struct elf_symbol s;
	u64 at = 0;
	bool found = elf && (!data->is_relative || elf_offset_to_address(elf, data->site, &at));

	at += data->offset;
	if (found && elf_find(elf, data->name, &s) && s.value <= at &&
	    at - s.value < MAX(s.size, 1))
		buf_printf(b, "%s+%llu", s.name, (unsigned long long)(at - s.value));
	else if (found && (found = elf_find(elf, "_text", &s)) != 0)
		buf_printf(b, "_text%+lld", (long long)(at - s.value));
	elf_close(elf);
	err_release(&err);
	return found;
}
