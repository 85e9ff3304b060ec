/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a process, in the order in which the dynamic linker looks names up: the program,
 * LD_PRELOAD, then what these need, breadth first. Of a command, which has not been executed, found as
 * ld.so(8) finds them: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the folders of libraries. Of
 * a process, its mappings.
 */
#include <stdlib.h>
#include <unistd.h>
#include "cli/ltrace/ltrace.h"
#include "sym/procmaps.h"
#include "sym/procs.h"

/* ---- one file */

static int add_export(void *ctx, const struct elf_symbol *s)
{
	struct ltrace_object *o = ctx;
	struct ltrace_export *e = xcalloc(1, sizeof(*e));

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

static struct ltrace_object *known(const struct ltrace *lt, const char *path)
{
	return hash_gets(&lt->by_path, path);
}

/* open_path: where the file can be opened. NULL: it is no ELF file of this machine's kind. */
static struct ltrace_object *add_object(struct ltrace *lt, const char *path, const char *open_path)
{
	struct err err = { 0 };
	struct elf *e = elf_open(open_path, &err);
	struct ltrace_object *o;
	struct elf_dynamic d;

	err_release(&err);
	if (!e)
		return NULL;
	o = arena_new(&lt->c->words_arena, struct ltrace_object);
	elf_dynamic(e, &d);
	o->elf = e;
	o->path = arena_strdup(&lt->c->words_arena, path);
	o->name = d.soname ? d.soname : strrchr(o->path, '/') + 1;
	o->is_main = !lt->objects.n;
	o->is_loader = starts_with(o->name, "ld-") || starts_with(o->name, "ld.");
	elf_each_export(e, add_export, o);
	elf_each_import(e, add_import, o);
	vec_push(&lt->c->words_arena, &lt->objects, o);
	hash_puts(&lt->by_path, o->path, o);
	return o;
}

/* ---- as the dynamic linker finds them */

struct search {
	struct ltrace *lt;
	const struct ltrace_object *from; /* that needs the library */
};

/* "$ORIGIN/../lib": what ld.so(8) calls dynamic string tokens. */
static const char *expand(struct search *s, const char *folder, size_t len)
{
	struct arena *a = &s->lt->c->words_arena;
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
			arena_printf(&s->lt->c->words_arena, "%s/%s", expand(s, folders, n), name);

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
	elf_dynamic(s->lt->objects.v[0]->elf, &of_main);
	if (!d.runpath) {
		path = in_folders(s, d.rpath, name);
		path = path || of_main.runpath ? path : in_folders(s, of_main.rpath, name);
	}
	path = path ? path : in_folders(s, getenv("LD_LIBRARY_PATH"), name);
	path = path ? path : in_folders(s, d.runpath, name);
	return path ? path : path_find_library(&s->lt->c->words_arena, name);
}

static int add_needed(void *ctx, const char *name)
{
	struct search *s = ctx;
	const char *found = find(s, name);
	char *real = found ? realpath(found, NULL) : NULL;

	if (real && !known(s->lt, real))
		add_object(s->lt, real, real);
	free(real);
	return 0;
}

static void add_preloaded(struct search *s)
{
	const char *list = getenv("LD_PRELOAD");

	while (list && *list) {
		size_t n = strcspn(list, ": ");

		if (n)
			add_needed(s, arena_strndup(&s->lt->c->words_arena, list, n));
		list += n + (list[n] != '\0');
	}
}

static int add_closure(struct ltrace *lt, const char *path)
{
	struct search s = { .lt = lt };
	char *real = realpath(path, NULL);

	if (real)
		s.from = add_object(lt, real, real);
	free(real);
	if (!s.from)
		return 0;
	add_preloaded(&s);
	for (u32 i = 0; i < lt->objects.n; i++) {
		s.from = lt->objects.v[i];
		elf_each_needed(s.from->elf, add_needed, &s);
	}
	if (elf_interpreter(lt->objects.v[0]->elf))
		add_needed(&s, elf_interpreter(lt->objects.v[0]->elf));
	return 0;
}

/* The interpreter of a script, "#!/bin/sh -e", or the program itself. */
static const char *program_of(struct ltrace *lt, const char *path)
{
	struct arena *a = &lt->c->words_arena;
	char head[256];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(head, 1, sizeof(head) - 1, f) : 0;
	const char *at;

	if (f)
		fclose(f);
	head[n] = '\0';
	if (n < 3 || head[0] != '#' || head[1] != '!')
		return path;
	at = head + 2 + strspn(head + 2, " \t");
	return arena_strndup(a, at, strcspn(at, " \t\n"));
}

static int add_command(struct ltrace *lt)
{
	struct cli *c = lt->c;
	const char *path = path_find_program(&c->words_arena, c->after[0]);

	if (!path) {
		say(c, "%s: no such program", c->after[0]);
		return 1;
	}
	add_closure(lt, program_of(lt, path));
	return 0;
}

/* ---- of a process */

static int add_mappings(struct ltrace *lt, u32 pid)
{
	struct procmaps maps = { 0 };
	struct err err = { 0 };

	if (procmaps_read(&maps, pid, &err) < 0) {
		say_err(lt->c, &err);
		err_release(&err);
		return 1;
	}
	for (u32 i = 0; i < maps.list.n; i++) {
		const struct mapping *m = &maps.list.v[i];

		if (m->exec && m->path[0] == '/' && !known(lt, m->path))
			add_object(lt, m->path,
				   proc_in_other_mnt_ns(pid) ?
					   arena_printf(&lt->c->words_arena, "/proc/%u/root%s", pid,
							m->path) :
					   m->path);
	}
	procmaps_release(&maps);
	return 0;
}

int ltrace_find_objects(struct ltrace *lt)
{
	const struct traced *t = &lt->c->request.traced;
	int ret = 0;

	if (t->command)
		ret = add_command(lt);
	for (u32 i = 0; i < t->n_pids && !ret; i++)
		ret = add_mappings(lt, t->pids[i]);
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
		elf_close(o->elf);
	}
	hash_release(&lt->by_path);
	hash_release(&lt->by_place);
}
