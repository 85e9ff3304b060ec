/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The row that a command line means: several commands have options of one spelling. */
#include "cli/option.h"

/* How much a command means this row where several have the same spelling. */
enum closeness { OF_ANOTHER, SHARED, APPLIES, OWN };

static enum closeness closeness(const struct option_row *row, const struct command *cmd)
{
	bool is_own = row->group == GROUP_HIDDEN && row->command;

	if (cmd && is_own && row->command == cmd)
		return OWN;
	if (cmd && option_applies(row, cmd))
		return APPLIES;
	return is_own ? OF_ANOTHER : SHARED;
}

static const struct option_row *closer(const struct option_row *a, const struct option_row *b,
				       const struct command *cmd)
{
	return !a || closeness(b, cmd) > closeness(a, cmd) ? b : a;
}

static bool has_key(const struct option_row *row, const struct command *cmd)
{
	return row->key && (!row->key_sets || (cmd && (row->key_sets & cmd->takes)));
}

const struct option_row *option_by_key(const struct command *cmd, char key)
{
	const struct option_row *found = NULL;

	for (u32 i = 0; i < n_option_rows; i++)
		if (option_rows[i].key == key && has_key(&option_rows[i], cmd))
			found = closer(found, &option_rows[i], cmd);
	return found;
}

static const struct option_row *by_whole_name(const struct command *cmd, const char *name,
					      size_t len)
{
	const struct option_row *found = NULL;

	for (u32 i = 0; i < n_option_rows; i++)
		if (!strncmp(option_rows[i].name, name, len) && !option_rows[i].name[len])
			found = closer(found, &option_rows[i], cmd);
	return found;
}

/* The only one that is as close as that, or NULL. */
static const struct option_row *by_beginning(const struct command *cmd, const char *name,
					     size_t len, enum closeness least)
{
	const struct option_row *found = NULL;
	u32 n = 0;

	for (u32 i = 0; i < n_option_rows; i++)
		if (!strncmp(option_rows[i].name, name, len) &&
		    closeness(&option_rows[i], cmd) >= least) {
			found = &option_rows[i];
			n++;
		}
	return n == 1 ? found : NULL;
}

const struct option_row *option_by_name(const struct command *cmd, const char *name, size_t len)
{
	const struct option_row *found = by_whole_name(cmd, name, len);

	if (!found)
		found = by_beginning(cmd ? cmd : &command_run, name, len, APPLIES);
	if (!found && !cmd)
		found = by_beginning(cmd, name, len, SHARED);
	return found ? found : by_beginning(cmd, name, len, OF_ANOTHER);
}

bool option_applies(const struct option_row *row, const struct command *cmd)
{
	if (row->group == GROUP_HIDDEN && row->command)
		return row->command == cmd;
	return !cmd->own_options && (!row->sets || (row->sets & cmd->takes));
}

bool option_is_listed(const struct option_row *row, const struct command *cmd)
{
	if (!option_applies(row, cmd) || row->group == GROUP_COMPAT ||
	    by_whole_name(cmd, row->name, strlen(row->name)) != row)
		return false;
	return row->group == GROUP_HIDDEN ? row->command != NULL : row->command == NULL;
}

void option_takers(struct buf *b, const struct option_row *row)
{
	u32 n = 0;

	for (u32 i = 0; commands[i]; i++)
		if (option_applies(row, commands[i]))
			buf_printf(b, "%s%s", n++ ? ", " : "", commands[i]->name);
}

void option_key_takers(struct buf *b, const struct option_row *row)
{
	u32 n = 0;

	for (u32 i = 0; row->key_sets && commands[i]; i++)
		if (option_applies(row, commands[i]) && has_key(row, commands[i]))
			buf_printf(b, "%s%s", n++ ? ", " : "", commands[i]->name);
}

char option_key(const struct option_row *row, const struct command *cmd)
{
	return has_key(row, cmd) && (!cmd || option_by_key(cmd, row->key) == row) ? row->key : 0;
}

void option_spelling(struct buf *b, const struct option_row *row, const struct command *cmd)
{
	if (option_key(row, cmd))
		buf_printf(b, "-%c, ", row->key);
	buf_printf(b, "--%s", row->name);
	if (row->arg)
		buf_printf(b, row->optional ? "[=%s]" : "=%s", row->arg);
}

bool option_is_choice(const struct option_row *row, const char *word)
{
	size_t n = strcspn(word, ",");

	for (const char *s = row->choices; s; s = strchr(s, '|') ? strchr(s, '|') + 1 : NULL)
		if (strcspn(s, "|") == n && !memcmp(s, word, n))
			return true;
	return false;
}
