/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: the files of the traced processes (cli/libraries.c). Out: objects, with the names that they
 * define and need. */
#include <stdlib.h>
#include "cli/ltrace/ltrace.h"
#include "sym/procs.h"

static int add_export(void *ctx, const struct elf_symbol *s)
{
	struct ltrace_object *o = ctx;
	struct ltrace_export *e = xcalloc(1, sizeof *e);

	e->symbol = *s;
	e->next = hash_puts(&o->exports, s->name, e);
	return 0;
}

static int add_import(void *ctx, const char *name)
{
	struct ltrace_object *o = ctx;

	hash_puts(&o->imports, name, o);
	return 0;
}

static bool is_late(const struct ltrace *lt, const struct library *lib)
{
	for (u32 i = 0; i < lt->late.n; i++)
		if (lt->late.v[i] == lib)
			return true;
	return false;
}

static void add_object(struct ltrace *lt, const struct library *lib)
{
	struct ltrace_object *o = arena_new(&lt->c->line.arena, struct ltrace_object);

	o->elf = lib->elf;
	o->path = lib->path;
	o->name = lib->name;
	o->is_main = !lt->objects.n;
	o->is_late = is_late(lt, lib);
	o->is_loader = starts_with(o->name, "ld-") || starts_with(o->name, "ld.");
	elf_each_export(o->elf, add_export, o);
	elf_each_import(o->elf, add_import, o);
	vec_push(&lt->c->line.arena, &lt->objects, o);
	hash_puts(&lt->by_path, o->path, o);
}

static int add_command(struct ltrace *lt)
{
	struct cli *c = lt->c;
	const char *path = path_find_program(&c->line.arena, c->line.after[0]);

	if (!path) {
		say(c, "%s: no such program", c->line.after[0]);
		return 1;
	}
	libraries_of_program(&lt->files, path);
	return 0;
}

static int add_process(struct ltrace *lt, u32 pid)
{
	struct err err = { 0 };
	int ret = libraries_of_process(&lt->files, pid, &err);

	if (ret < 0)
		say_err(lt->c, &err);
	err_release(&err);
	return ret < 0;
}

static bool has_library(const struct ltrace *lt, const char *name)
{
	for (u32 i = 0; i < lt->files.list.n; i++)
		if (streq(lt->files.list.v[i]->name, name) ||
		    streq(lt->files.list.v[i]->path, name))
			return true;
	return false;
}

/* A library of -l that the program does not have yet. */
static void add_late(struct ltrace *lt, const char *name)
{
	const struct library *lib = has_library(lt, name) ? NULL : libraries_add(&lt->files, name);

	if (lib)
		vec_push(&lt->c->line.arena, &lt->late, lib);
	else if (!has_library(lt, name))
		say_note(lt->c, "-l %s: not a library of the program, and no library has that name",
			 name);
}

int ltrace_find_objects(struct ltrace *lt)
{
	const struct traced *t = &lt->c->request.traced;
	int ret = 0;

	lt->files.arena = &lt->c->line.arena;
	if (t->command)
		ret = add_command(lt);
	for (u32 i = 0; i < t->n_pids && !ret; i++)
		ret = add_process(lt, t->pids[i]);
	for (u32 i = 0; i < lt->o.library_names.n && !ret; i++)
		add_late(lt, lt->o.library_names.v[i]);
	for (u32 i = 0; i < lt->files.list.n; i++)
		add_object(lt, lt->files.list.v[i]);
	return ret;
}

static void release_exports(struct hash *exports)
{
	for (u32 i = 0; i < exports->cap; i++) {
		struct ltrace_export *e = exports->slot[i].key ? exports->slot[i].value : NULL;

		while (e) {
			struct ltrace_export *next = e->next;

			free(e);
			e = next;
		}
	}
	hash_release(exports);
}

void ltrace_release_objects(struct ltrace *lt)
{
	for (u32 i = 0; i < lt->objects.n; i++) {
		struct ltrace_object *o = lt->objects.v[i];

		release_exports(&o->exports);
		hash_release(&o->imports);
		hash_release(&o->slots);
		hash_release(&o->stubs);
	}
	libraries_release(&lt->files);
	hash_release(&lt->by_path);
	hash_release(&lt->by_place);
}
