/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The image of the kernel with debug information: lines and variables are found in it as in a
 * program; what is defined is relative to a symbol, because the kernel that runs is loaded
 * elsewhere.
 */
#include <stdlib.h>
#include <sys/utsname.h>
#include "cli/probe/probe.h"
#include "object/debuginfod.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "sym/kimage.h"

/* A malloc'ed path as one of the command line; NULL stays NULL. */
static const char *keep(struct probe *p, char *path)
{
	const char *kept = path ? arena_strdup(p->arena, path) : NULL;

	free(path);
	return kept;
}

static const char *fetch(struct probe *p)
{
	u32 len = 0;
	u8 *id = kimage_build_id(&len);
	const char *path = id ? keep(p, debuginfod_fetch(id, len)) : NULL;

	free(id);
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

const char *probe_image(struct probe *p)
{
	return keep(p, kimage_find());
}

int probe_use_image(struct probe *p, const char *what)
{
	const char *given = p->c->own.probe.vmlinux;
	struct utsname u;

	if (p->module)
		return say_usage(
			p->c,
			"%s: lines and variables of modules are not read: -m takes functions and offsets",
			what);
	p->file = given ? keep(p, realpath(given, NULL)) : probe_image(p);
	if (!p->file && !given)
		p->file = fetch(p);
	p->is_kernel = true;
	p->is_of_other = given && p->file && !kimage_is_running(p->file);
	if (p->file)
		return 0;
	if (given)
		return say_usage(p->c, "-k %s: no such file", given);
	uname(&u);
	return refuse(p, what, u.release);
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
