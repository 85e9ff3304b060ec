/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source text of an import: a file, or the files of a folder. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "session/import.h"

char *import_join_path(const char *from, const char *path)
{
	const char *slash = strrchr(from, '/');

	if (path[0] == '/' || !slash)
		return xstrdup(path);
	return xasprintf("%.*s/%s", (int)(slash - from), from, path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder, by name; not hidden ones. */
static char **list_folder(const char *path)
{
	DIR *dir = opendir(path);
	char **list = xcalloc(1, sizeof *list);
	size_t n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		list = xrealloc(list, (n + 2) * sizeof *list);
		list[n++] = xasprintf("%s/%s", path, e->d_name);
		list[n] = NULL;
	}
	if (dir)
		closedir(dir);
	qsort(list, n, sizeof *list, by_name);
	return list;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Next to the importing file, else in the folders of -I; from NULL: only there. */
static char *find_import(const struct env *env, const char *from, const char *path)
{
	char *full = from ? import_join_path(from, path) : xstrdup(path);

	if (path[0] == '/' || (from && exists(full)))
		return full;
	for (u32 i = 0; env->request->script.include_dirs && env->request->script.include_dirs[i];
	     i++) {
		char *in = xasprintf("%s/%s", env->request->script.include_dirs[i], path);

		if (exists(in)) {
			free(full);
			return in;
		}
		free(in);
	}
	return full;
}

void import_read(struct env *env, const char *from, const char *path, struct import_source *found)
{
	char *full = find_import(env, from, path);
	struct buf text = { 0 };
	struct stat st;

	*found = (struct import_source){ .path = full, .id = realpath(full, NULL) };
	if (!found->id || stat(full, &st))
		found->why = strerror(errno);
	else if (st.st_mode & S_IWOTH)
		found->why = "everyone may write to it";
	else if (S_ISDIR(st.st_mode))
		found->entries = list_folder(full);
	else if (buf_read_file(&text, full))
		found->why = "it cannot be read";
	else
		found->text = buf_steal(&text);
}
