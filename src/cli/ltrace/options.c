/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of ltrace(1), in their order, to struct ltrace_options. */
#include <stdlib.h>
#include "base/packed.h"
#include "cli/ltrace/ltrace.h"
#include "cli/option_take.h"
#include "cli/traced_user.h"

enum { MOST_STRING = 4096, MOST_COLUMN = 1000, MOST_FRAMES = 127 };

static int read_filter(struct ltrace *lt, const char *value, const struct ltrace_filter **to)
{
	const struct ltrace_filter *f = ltrace_filter_parse(lt, value, *to);

	if (f)
		*to = f;
	return f ? 0 : 1;
}

static int read_calls(struct ltrace *lt, const char *value)
{
	return read_filter(lt, value, &lt->o.calls);
}

static int read_entries(struct ltrace *lt, const char *value)
{
	return read_filter(lt, value, &lt->o.entries);
}

static int read_library(struct ltrace *lt, const char *value)
{
	const struct ltrace_filter *f = ltrace_filter_library(lt, value, lt->o.libraries);

	if (f)
		lt->o.libraries = f;
	if (!strpbrk(value, "*?["))
		vec_push(&lt->c->line.arena, &lt->o.library_names, value);
	return f ? 0 : 1;
}

static int more_time(struct ltrace *lt, const char *value)
{
	return line_read_time(lt->c, &lt->o.clock, value);
}

static int read_relative(struct ltrace *lt, const char *value)
{
	return line_read_relative(lt->c, &lt->o.clock, value);
}

static int read_number(struct ltrace *lt, char key, const char *value, u32 most, u32 *to)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (end == value || *end || *value == '-')
		return say_usage(lt->c, "invalid -%c argument: '%s'", key, value);
	if (n > most)
		say_note(lt->c, "-%c %s: %u is the most", key, value, most);
	*to = (u32)MIN(n, most);
	return 0;
}

static int read_strings(struct ltrace *lt, const char *value)
{
	return read_number(lt, 's', value, MOST_STRING, &lt->o.strings);
}

static int read_indent(struct ltrace *lt, const char *value)
{
	return read_number(lt, 'n', value, 32, &lt->o.indent);
}

static int read_column(struct ltrace *lt, const char *value)
{
	return read_number(lt, 'a', value, MOST_COLUMN, &lt->o.column);
}

static int read_elements(struct ltrace *lt, const char *value)
{
	return read_number(lt, 'A', value, LTRACE_BYTES, &lt->o.elements);
}

static int read_frames(struct ltrace *lt, const char *value)
{
	return read_number(lt, 'w', value, MOST_FRAMES, &lt->o.frames);
}

static int read_all_frames(struct ltrace *lt, const char *value)
{
	lt->o.frames = MOST_FRAMES;
	return 0;
}

static int read_user(struct ltrace *lt, const char *value)
{
	if (!lt->c->request.traced.command)
		return say_usage(lt->c, "-u is for a command that sonde starts");
	return set_traced_user(lt->c, value);
}

/* Prototypes of a file come before those that sonde has. */
static int read_prototypes(struct ltrace *lt, const char *path)
{
	struct buf text = { 0 };
	int ret = buf_read_file(&text, path);
	const char *why = NULL;
	u32 line;

	if (ret < 0) {
		buf_release(&text);
		return say_usage(lt->c, "-F %s: %s", path, strerror(-ret));
	}
	line = proto_read(&lt->prototypes, text.s ? text.s : "", &why);
	if (line)
		say_note(lt->c, "%s:%u: %s; invalid lines are skipped", path, line, why);
	buf_release(&text);
	return 0;
}

#define FLAG(member) .flag = offsetof(struct ltrace_options, member)

static const struct {
	char key;
	int (*read)(struct ltrace *lt, const char *value);
	size_t flag; /* without read: a bool */
} options[] = {
	{ .key = 'a', .read = read_column },  { .key = 'A', .read = read_elements },
	{ .key = 'b', FLAG(no_signals) },     { .key = 'c', FLAG(summary) },
	{ .key = 'C', FLAG(demangle) },       { .key = 'e', .read = read_calls },
	{ .key = 'f', FLAG(other_programs) }, { .key = 'F', .read = read_prototypes },
	{ .key = 'i', FLAG(addresses) },      { .key = 'k', .read = read_all_frames },
	{ .key = 'l', .read = read_library }, { .key = 'L', FLAG(no_default) },
	{ .key = 'n', .read = read_indent },  { .key = 'r', .read = read_relative },
	{ .key = 's', .read = read_strings }, { .key = 'S', FLAG(system_calls) },
	{ .key = 't', .read = more_time },    { .key = 'T', FLAG(spent) },
	{ .key = 'u', .read = read_user },    { .key = 'w', .read = read_frames },
	{ .key = 'x', .read = read_entries },
};

static int read_option(struct ltrace *lt, char key, const char *value)
{
	for (u32 i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].key != key)
			continue;
		if (options[i].read)
			return options[i].read(lt, value);
		*(bool *)((char *)&lt->o + options[i].flag) = true;
		return 0;
	}
	return 0;
}

int ltrace_read_options(struct ltrace *lt)
{
	struct cli *c = lt->c;
	static char *builtin; /* the table has pointers into it */
	const char *why;
	int ret = 0;

	if (!builtin)
		builtin = unpack(&proto_builtin);
	lt->o = (struct ltrace_options){ .strings = 32, .column = 49, .elements = 4 };
	lt->prototypes.arena = &c->line.arena;
	if (proto_read(&lt->prototypes, builtin, &why))
		BUG("the table of prototypes is not understood: %s", why);
	lt->prototypes.is_users = true;
	for (u32 i = 0; i < c->line.n_given && !ret; i++)
		if (c->line.given[i].row->take == take_given)
			ret = read_option(lt, c->line.given[i].row->key, c->line.given[i].value);
	return ret;
}
