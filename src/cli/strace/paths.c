/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -P: only calls that name one of some files. In: the arguments of a call as text, with what its
 * descriptors are (-y). As strace(1), a path must be as the call has it, and only calls of %file
 * have paths; a descriptor is compared with the path of its file.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include "cli/strace/strace.h"
#include "sym/calls.h"

static bool is_one_of_paths(const struct strace_options *o, const char *s, size_t len)
{
	for (u32 i = 0; i < o->n_paths; i++)
		if (strlen(o->paths[i]) == len && !memcmp(o->paths[i], s, len))
			return true;
	return false;
}

bool strace_names_path(const struct strace_options *o, const struct strace_call *call,
		       const char *args)
{
	const char *event = call->nr < SYSCALL_MAX ? syscall_event_name(call->nr) : NULL;
	const struct call_desc *desc = event ? call_find(event) : NULL;
	bool has_paths = desc && call_in_group(desc, "file");
	u32 depth = 0; /* of brackets: the strings of argv are not paths */

	for (const char *s = args, *end; *s; s = end) {
		end = s + 1;
		if (*s == '"') {
			end = strace_after_string(s);
			if (has_paths && !depth && is_one_of_paths(o, s + 1, (size_t)(end - s) - 2))
				return true;
		} else if (*s == '<' && s > args && isdigit(s[-1])) {
			end = s + 1 + strcspn(s + 1, "<>");
			if (is_one_of_paths(o, s + 1, (size_t)(end - s) - 1))
				return true;
		} else if (*s == '[' || *s == '{') {
			depth++;
		} else if (*s == ']' || *s == '}') {
			depth--;
		}
	}
	return false;
}

static void add(struct strace *st, const char *path)
{
	struct strace_options *o = &st->o;

	if (o->n_paths % 8 == 0)
		o->paths = xrealloc(o->paths, (o->n_paths + 8) * sizeof *o->paths);
	o->paths[o->n_paths++] = arena_strdup(&st->c->line.arena, path);
}

/* Descriptors have the path without symbolic links. */
int strace_add_path(struct strace *st, const char *path)
{
	char real[PATH_MAX];

	add(st, path);
	if (realpath(path, real) && !streq(real, path)) {
		if (!(st->o.silent & MESSAGE_PATH))
			say_note(st->c, "-P: '%s' is '%s'; calls that name either are shown", path,
				 real);
		add(st, real);
	}
	return 0;
}
