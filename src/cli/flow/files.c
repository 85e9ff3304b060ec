/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose functions are shown. In: the program, -l. Out: the program, and those of its libraries that
 * match. */
#include "base/glob.h"
#include "cli/flow/flow.h"
#include "cli/libraries.h"

static bool is_wanted(const struct flow *f, const struct library *lib)
{
	const char *const *patterns = f->t.c->own.flow.libraries;
	const char *file = strrchr(lib->path, '/') + 1;

	for (u32 i = 0; patterns[i]; i++)
		if (glob_match(patterns[i], lib->name) || glob_match(patterns[i], file) ||
		    glob_match(patterns[i], lib->path))
			return true;
	return false;
}

static int list_libraries(const struct flow *f, struct libraries *all)
{
	const struct traced *t = &f->t.c->request.traced;
	struct err err = { 0 };
	int ret = 0;

	if (t->n_pids)
		ret = libraries_of_process(all, t->pids[0], &err);
	else
		libraries_of_program(all, f->binary);
	if (ret < 0)
		say_err(f->t.c, &err);
	err_release(&err);
	return ret < 0 ? STATUS_REFUSED : 0;
}

/* "libc.so.6, libz.so.1" */
static const char *names_of(struct arena *a, const struct libraries *all)
{
	const char *names = NULL;

	for (u32 i = 1; i < all->list.n; i++)
		names = names ? arena_printf(a, "%s, %s", names, all->list.v[i]->name) :
				all->list.v[i]->name;
	return names ? names : "none";
}

int flow_find_files(struct flow *f)
{
	struct arena *a = &f->t.c->line.arena;
	struct libraries all = { .arena = a };
	int ret;

	if (!f->binary)
		return 0;
	vec_push(a, &f->files, f->binary);
	if (!f->t.c->own.flow.libraries)
		return 0;
	ret = list_libraries(f, &all);
	for (u32 i = 1; i < all.list.n && !ret; i++) /* the first is the program */
		if (is_wanted(f, all.list.v[i]))
			vec_push(a, &f->files, all.list.v[i]->path);
	if (!ret && f->files.n == 1)
		ret = say_usage(f->t.c, "-l %s: no library of the program; it has %s",
				f->t.c->own.flow.libraries[0], names_of(a, &all));
	libraries_release(&all);
	return ret;
}
