/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel is asked to report for a pattern of files.
 *
 * A folder that is named is watched for its own files only: for executions and, if libraries are
 * wanted, for reads (FAN_ACCESS_PERM: the dynamic linker reads a file before it maps it, so
 * creating or writing a file never waits). For a pattern with wildcards in its folders the file
 * systems are watched, for "*" all of them, including those that are mounted later; if libraries
 * are wanted, for all openings. An ignore mark there (FAN_MARK_IGNORED_MASK) suppresses further
 * events of a file until it is modified, so that each file costs once. A file that replaces a
 * probed one is reported by inotify on its folder (without holds), and its opener does not wait.
 */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include "base/fd.h"
#include "base/glob.h"
#include "session/deferred_patterns.h"

#ifndef FAN_OPEN_EXEC_PERM
#define FAN_OPEN_EXEC_PERM 0x00040000
#endif

static void add_mark(struct watch_patterns *p, const char *path, u32 flags, u64 mask)
{
	p->mark = xrealloc(p->mark, (p->n_marks + 1) * sizeof *p->mark);
	p->mark[p->n_marks++] =
		(struct hold_mark){ .path = xstrdup(path), .flags = flags, .mask = mask };
}

/* Reports the first one. */
void patterns_miss(struct watch_patterns *p, const char *folder, int why)
{
	if (p->missed)
		return;
	p->missed = xstrdup(folder);
	p->missed_why = why;
}

static void add_place(struct watch_patterns *p, const char *folder, const char *name, bool holds,
		      bool libraries)
{
	char *real = realpath(folder, NULL);

	if (!real) {
		patterns_miss(p, folder, -errno);
		return;
	}
	p->watched = xrealloc(p->watched, (p->n_watched + 1) * sizeof *p->watched);
	p->watched[p->n_watched++] = (struct watched_name){ real, xstrdup(name), holds };
	if (holds)
		add_mark(p, real, 0,
			 FAN_OPEN_EXEC_PERM | FAN_EVENT_ON_CHILD |
				 (libraries ? FAN_ACCESS_PERM : 0));
	else if (inotify_add_watch(p->notify_fd, real, IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
		patterns_miss(p, real, -errno);
}

/* The folder above the first wildcard: "/opt" of "/opt/x*\/bin/y". */
static void mark_base(struct watch_patterns *p, const char *pattern)
{
	char *base = xstrdup(pattern), *slash;

	base[strcspn(base, "*?[{")] = '\0';
	slash = strrchr(base, '/');
	if (slash)
		slash[slash == base] = '\0';
	add_mark(p, base, FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC_PERM);
	free(base);
}

static bool looks_like_library(const char *pattern, const char *slash)
{
	return strstr(pattern, ".so") || (slash && starts_with(slash + 1, "lib"));
}

static void mark_pattern(struct watch_patterns *p, const char *pattern, bool holds, bool libraries)
{
	const char *slash = strrchr(pattern, '/');
	char *folder;
	glob_t g;

	if (!slash) {
		p->everywhere = true;
		p->all_opens |= libraries;
		return;
	}
	libraries |= looks_like_library(pattern, slash);
	folder = slash == pattern ? xstrdup("/") :
				    xasprintf("%.*s", (int)(slash - pattern), pattern);
	if (!glob_has_wildcard(folder)) {
		add_place(p, folder, slash + 1, holds, libraries);
	} else {
		char *folders = xasprintf("%s/", folder); /* with the slash, only folders match */

		mark_base(p, pattern);
		if (libraries && glob(folders, 0, NULL, &g) == 0) {
			for (size_t i = 0; i < g.gl_pathc; i++)
				add_place(p, g.gl_pathv[i], slash + 1, true, true);
			globfree(&g);
		}
		free(folders);
	}
	free(folder);
}

void patterns_add(struct watch_patterns *p, const char *pattern, bool holds, bool libraries)
{
	p->pattern = xrealloc(p->pattern, (p->n_patterns + 1) * sizeof *p->pattern);
	p->pattern[p->n_patterns++] = xstrdup(pattern);
	mark_pattern(p, pattern, holds, libraries);
}

bool patterns_want(const void *ctx, const char *path)
{
	const struct watch_patterns *all = ctx;
	const char *slash = strrchr(path, '/');

	for (u32 i = 0; slash && i < all->n_watched; i++) {
		const struct watched_name *p = &all->watched[i];

		if (strlen(p->folder) == (size_t)(slash - path) &&
		    !memcmp(p->folder, path, (size_t)(slash - path)) &&
		    fnmatch(p->name, slash + 1, 0) == 0)
			return true;
	}
	for (u32 i = 0; i < all->n_patterns; i++)
		if (streq(all->pattern[i], "*") ||
		    fnmatch(all->pattern[i], path, FNM_PATHNAME) == 0)
			return true;
	return false;
}

void patterns_release(struct watch_patterns *p)
{
	for (u32 i = 0; i < p->n_watched; i++) {
		free(p->watched[i].folder);
		free(p->watched[i].name);
	}
	for (u32 i = 0; i < p->n_patterns; i++)
		free(p->pattern[i]);
	for (u32 i = 0; i < p->n_marks; i++)
		free(p->mark[i].path);
	free(p->watched);
	free(p->pattern);
	free(p->mark);
	free(p->missed);
	fd_close(&p->notify_fd);
}
