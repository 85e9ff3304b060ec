/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of ltrace(1), in their order, to struct ltrace_options. */
#include "cli/ltrace/ltrace.h"
#include "cli/option.h"

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
	return f ? 0 : 1;
}

static const struct {
	char key;
	int (*read)(struct ltrace *lt, const char *value);
} options[] = {
	{ 'e', read_calls },
	{ 'l', read_library },
	{ 'x', read_entries },
};

static int read_option(struct ltrace *lt, char key, const char *value)
{
	for (u32 i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].key == key)
			return options[i].read(lt, value);
	return 0;
}

int ltrace_read_options(struct ltrace *lt)
{
	struct cli *c = lt->c;
	int ret = 0;

	for (u32 i = 0; i < c->n_given && !ret; i++)
		if (c->given[i].row->command == &command_ltrace)
			ret = read_option(lt, c->given[i].row->key, c->given[i].value);
	return ret;
}
