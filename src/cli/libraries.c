/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a program or a process. Out: its files. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/libraries.h"
#include "object/elf_dynamic.h"
#include "sym/procmaps.h"
#include "sym/procs.h"

/* ---- one file */

static const struct library *known(const struct libraries *all, const char *path)
{
	return hash_gets(&all->by_path, path);
}

/* open_path: where the file can be opened. NULL: it is no ELF file of this machine's kind. */
static const struct library *add_file(struct libraries *all, const char *path,
				      const char *open_path)
{
	struct err err = { 0 };
	struct elf *e = elf_open(open_path, &err);
	struct elf_dynamic d;
	struct library *lib;

	err_release(&err);
	if (!e)
		return NULL;
	lib = arena_new(all->arena, struct library);
	elf_dynamic(e, &d);
	lib->elf = e;
	lib->path = arena_strdup(all->arena, path);
	lib->name = d.soname ? d.soname : strrchr(lib->path, '/') + 1;
	vec_push(all->arena, &all->list, lib);
	hash_puts(&all->by_path, lib->path, lib);
	return lib;
}

/* ---- as the dynamic linker finds them */

struct search {
	struct libraries *all;
	const struct library *from; /* that needs the library */
};

/* "$ORIGIN/../lib": what ld.so(8) calls dynamic string tokens. */
static const char *expand(struct search *s, const char *folder, size_t len)
{
	struct arena *a = s->all->arena;
	const char *text = arena_strndup(a, folder, len), *dollar, *slash;

	while ((dollar = strchr(text, '$'))) {
		size_t n = starts_with(dollar, "${ORIGIN}") ? 9 : 7;

		if (!starts_with(dollar, "$ORIGIN") && n != 9)
			return "";
		slash = strrchr(s->from->path, '/');
		text = arena_printf(a, "%.*s%.*s%s", (int)(dollar - text), text,
				    (int)(slash - s->from->path), s->from->path, dollar + n);
	}
	return text;
}

static bool fits(const struct search *s, const char *path)
{
	struct err err = { 0 };
	struct elf *e = access(path, R_OK) == 0 ? elf_open(path, &err) : NULL;
	bool same = e && elf_machine(e) == elf_machine(s->from->elf) &&
		    elf_is32(e) == elf_is32(s->from->elf);

	err_release(&err);
	elf_close(e);
	return same;
}

static const char *in_folders(struct search *s, const char *folders, const char *name)
{
	while (folders && *folders) {
		size_t n = strcspn(folders, ":;");
		const char *path =
			arena_printf(s->all->arena, "%s/%s", expand(s, folders, n), name);

		if (path[0] == '/' && fits(s, path))
			return path;
		folders += n + (folders[n] != '\0');
	}
	return NULL;
}

static const char *find(struct search *s, const char *name)
{
	struct elf_dynamic d, of_main;
	const char *path = NULL;

	if (strchr(name, '/'))
		return name;
	elf_dynamic(s->from->elf, &d);
	elf_dynamic(s->all->list.v[0]->elf, &of_main);
	if (!d.runpath) {
		path = in_folders(s, d.rpath, name);
		path = path || of_main.runpath ? path : in_folders(s, of_main.rpath, name);
	}
	path = path ? path : in_folders(s, getenv("LD_LIBRARY_PATH"), name);
	path = path ? path : in_folders(s, d.runpath, name);
	return path ? path : path_find_library(s->all->arena, name);
}

static int add_needed(void *ctx, const char *name)
{
	struct search *s = ctx;
	const char *found = find(s, name);
	char *real = found ? realpath(found, NULL) : NULL;

	if (real && !known(s->all, real))
		add_file(s->all, real, real);
	free(real);
	return 0;
}

static void add_preloaded(struct search *s)
{
	const char *list = getenv("LD_PRELOAD");

	while (list && *list) {
		size_t n = strcspn(list, ": ");

		if (n)
			add_needed(s, arena_strndup(s->all->arena, list, n));
		list += n + (list[n] != '\0');
	}
}

static void add_needed_from(struct libraries *all, u32 first)
{
	struct search s = { .all = all };

	for (u32 i = first; i < all->list.n; i++) {
		s.from = all->list.v[i];
		elf_each_needed(s.from->elf, add_needed, &s);
	}
}

static void add_closure(struct libraries *all, const char *path)
{
	struct search s = { .all = all };
	char *real = realpath(path, NULL);

	if (real)
		s.from = add_file(all, real, real);
	free(real);
	if (!s.from)
		return;
	add_preloaded(&s);
	add_needed_from(all, 0);
	if (elf_interpreter(all->list.v[0]->elf))
		add_needed(&s, elf_interpreter(all->list.v[0]->elf));
}

/* The interpreter of a script, "#!/bin/sh -e", or the program itself. */
static const char *program_of(struct arena *a, const char *path)
{
	char head[256];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
	const char *at;

	if (f)
		fclose(f);
	head[n] = '\0';
	if (n < 3 || head[0] != '#' || head[1] != '!')
		return path;
	at = head + 2 + strspn(head + 2, " \t");
	return arena_strndup(a, at, strcspn(at, " \t\n"));
}

const struct library *libraries_add(struct libraries *all, const char *name)
{
	struct search s = { .all = all };
	u32 first = all->list.n;

	if (!first)
		return NULL;
	s.from = all->list.v[0];
	add_needed(&s, name);
	add_needed_from(all, first);
	return all->list.n > first ? all->list.v[first] : NULL;
}

void libraries_of_program(struct libraries *all, const char *path)
{
	add_closure(all, program_of(all->arena, path));
}

int libraries_of_process(struct libraries *all, u32 pid, struct err *err)
{
	struct procmaps maps = { 0 };
	int ret = procmaps_read(&maps, pid, err);

	for (u32 i = 0; ret >= 0 && i < maps.list.n; i++) {
		const struct mapping *m = &maps.list.v[i];

		if (m->exec && m->path[0] == '/' && !known(all, m->path))
			add_file(all, m->path,
				 proc_in_other_mnt_ns(pid) ?
					 arena_printf(all->arena, "/proc/%u/root%s", pid, m->path) :
					 m->path);
	}
	procmaps_release(&maps);
	return ret < 0 ? ret : 0;
}

void libraries_release(struct libraries *all)
{
	for (u32 i = 0; i < all->list.n; i++)
		elf_close(all->list.v[i]->elf);
	hash_release(&all->by_path);
}
