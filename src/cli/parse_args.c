/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words to a struct cli, as getopt_long(3) reads them: options may be anywhere, short ones may be
 * joined (-lv, -ve PROGRAM), a value may be joined to its option (-fjson, --format=json), long
 * names may be shortened while they stay unambiguous. After a lone "--" nothing is an option: words
 * like --NAME=VALUE are the script's named parameters, others are parameters, or a command to run
 * and its arguments (script.c: take_after). A first word that is a command's name is one; a file of
 * that name is written ./NAME. A first word that is a tool's name and not a file's is "run NAME".
 * After "run NAME" the script's own options count before sonde's.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fd.h"
#include "cli/option.h"
#include "cli/peer.h"
#include "cli/tool.h"
#include "output/output.h"

struct args {
	struct cli *c;
	char **v;
	int n, at;
	bool all_words; /* after "--" */
};

/* A word of perf or trace-cmd that the command does not have. 1: it was answered. */
static int take_peer(const struct args *a, const struct peer_word *peer, const char *word)
{
	if (!peer->answer)
		return 0;
	say(a->c, "%s %s: %s", a->c->named_command->name, word, peer->answer);
	return 1;
}

/*
 * An option that the named command does not have may be one of its model; so may one whose value,
 * which follows, is none of ours: -B of perf stat has none.
 */
static bool is_of_peer(const struct args *a, const struct option_row *row, const char *word,
		       const char *value, struct peer_word *peer)
{
	const struct command *cmd = a->c->named_command;
	bool is_own, is_ours;

	if (!cmd)
		return false;
	value = value ? value : a->at < a->n ? a->v[a->at] : "";
	/* rows without a set are of all commands: -l, -b */
	is_own = row && option_applies(row, cmd) && (row->sets || row->group == GROUP_HIDDEN);
	is_ours = !row || !row->choices || row->optional || option_is_choice(row, value);
	if (is_own && is_ours)
		return false;
	*peer = peer_word(cmd, word, strcspn(word, "="));
	return peer->is_known;
}

/* help and version take effect at once; the rest of the line is ignored */
static bool is_decided(const struct cli *c)
{
	return c->command == &command_usage || c->command == &command_version ||
	       c->command == &command_tool_help;
}

/* A stand-alone tool has the options of sonde for a run; it may be built with any option. */
static bool is_there(const struct args *a, const struct option_row *row)
{
	return row && (!a->c->bundle || a->at <= 1 + (int)a->c->line.n_built_in ||
		       (option_is_for_tools(row->group) && !row->not_for_tools));
}

/* "opensnop --failed": the option is unknown because the script is; prints that. */
static bool lacks_script(const struct cli *c)
{
	return (!c->command || c->command == &command_run) && !c->tool && !c->request.script.text &&
	       c->line.n_words && script_is_missing(c, c->line.words[0]);
}

static int unknown(const struct args *a, const char *word, size_t len)
{
	struct near near;
	char *name;
	int ret;

	if (lacks_script(a->c))
		return 1;
	name = xstrndup(word, len);

	near_init(&near, name);
	for (u32 i = 0; a->c->tool && i < a->c->tool->options.rows.n; i++)
		near_try(&near, a->c->tool->options.rows.v[i].name);
	for (u32 i = 0; i < n_option_rows; i++)
		if (is_there(a, &option_rows[i]) &&
		    (!a->c->named_command || option_applies(&option_rows[i], a->c->named_command)))
			near_try(&near, option_rows[i].name);
	ret = say_bad_option(a->c, near_best(&near), "unrecognized option '--%s'", word);
	free(name);
	return ret;
}

/* Options that choose a command set it. Whether it takes the others is checked at the end. */
static int take(struct args *a, const struct option_row *row, const char *value)
{
	if (a->c->tool && row->command == &command_usage) {
		a->c->command = &command_tool_help;
		return 0;
	}
	a->c->line.given[a->c->line.n_given++] = (struct given){ row, value };
	return row->take(a->c, row, value);
}

static const char *next_word(struct args *a)
{
	return a->at < a->n ? a->v[a->at++] : NULL;
}

/* The next word, if it is the value of an option that may have none. */
static const char *following_value(struct args *a, const struct option_row *row)
{
	const char *word = a->at < a->n ? a->v[a->at] : NULL;

	return row->may_follow && word && option_is_choice(row, word) ? next_word(a) : NULL;
}

/* "--top 5" and "--top=5" after a tool that has this option: a named parameter, as after "--". */
static int take_own(struct args *a, const struct script_option *own, const char *word)
{
	struct cli *c = a->c;
	const char *value;

	if (strchr(word, '=') || own->kind == SCRIPT_FLAG) {
		add_named(c, word);
		return 0;
	}
	value = next_word(a);
	if (!value)
		return say_usage(c, "--%s needs a value", own->name);
	c->named[c->request.script.n_named++] = (struct script_arg){ own->name, value };
	return 0;
}

static int take_long(struct args *a, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct script_option *own =
		a->c->tool ? script_option_find(&a->c->tool->options, word, len) : NULL;
	const struct option_row *row = option_by_name(a->c->named_command, word, len);
	const char *value = word[len] ? word + len + 1 : NULL;
	struct peer_word peer;

	if (own)
		return take_own(a, own, word);
	if (is_of_peer(a, row, word - 2, value, &peer)) {
		if (!value && peer.takes_value && !peer.answer)
			next_word(a);
		return take_peer(a, &peer, word - 2);
	}
	if (!is_there(a, row))
		return unknown(a, word, len);
	if (value && !row->arg)
		return say_bad_option(a->c, NULL, "option '--%s' doesn't allow an argument",
				      row->name);
	if (!value)
		value = following_value(a, row);
	if (!value && row->arg && !row->optional && !(value = next_word(a)))
		return say_bad_option(a->c, NULL, "option '--%s' requires an argument", row->name);
	return take(a, row, value);
}

static int take_short(struct args *a, const char *keys)
{
	for (; *keys; keys++) {
		const struct option_row *row = option_by_key(a->c->named_command, *keys);
		const char *value = NULL;
		struct peer_word peer;
		int ret;

		if (is_of_peer(a, row, (char[]){ '-', *keys, 0 }, keys[1] ? keys + 1 : NULL,
			       &peer)) {
			ret = take_peer(a, &peer, (char[]){ '-', *keys, 0 });
			if (!ret && peer.takes_value && !keys[1])
				next_word(a);
			if (ret || peer.takes_value)
				return ret;
			continue;
		}
		if (!is_there(a, row))
			return lacks_script(a->c) ?
				       1 :
				       say_bad_option(a->c, NULL, "invalid option -- '%c'", *keys);
		if (row->arg && !row->optional) {
			value = keys[1] ? keys + 1 : next_word(a);
			if (!value)
				return say_bad_option(a->c, NULL,
						      "option requires an argument -- '%c'", *keys);
		} else if (row->may_follow) {
			value = keys[1] ? keys + 1 : following_value(a, row);
		}
		ret = take(a, row, value);
		if (ret || value || is_decided(a->c))
			return ret;
	}
	return 0;
}

/* The first word is a command, unless -e or an option that selects a command precedes it. */
static bool is_command(const struct args *a)
{
	const struct cli *c = a->c;

	return !c->line.drop_in && !c->bundle && !a->all_words && !c->command &&
	       !c->request.script.text && !c->line.n_words;
}

/* "sonde help -p" describes the option. */
static bool is_asked_about(const struct args *a, const char *word)
{
	const struct option_row *row;

	if (a->c->command != &command_help || word[0] != '-')
		return false;
	row = word[1] == '-' ? option_by_name(NULL, word + 2, strcspn(word + 2, "=")) : NULL;
	return !row || row->command != &command_help;
}

/* "run NAME": from here on its own options are known. A path has some too. */
static void take_script(struct cli *c, const char *word)
{
	struct stat st;

	c->tool = tool_open(word);
	if (!c->tool && !stat(word, &st) && S_ISREG(st.st_mode))
		c->tool = tool_open_file(word);
}

/* The command that the first word names. NULL: it names none, or a tool, which is run at once. */
static const struct command *take_first(struct cli *c, const char *word)
{
	const struct command *named = command_find(word);
	struct tool *t = named || !access(word, F_OK) ? NULL : tool_open(word);

	if (named || t)
		c->command = c->named_command = named ? named : &command_run;
	c->line.is_run = c->command == &command_run;
	c->tool = t;
	return named;
}

/* No word from here on is an option. */
static void take_rest(struct args *a, int from)
{
	a->all_words = true;
	a->c->line.after = a->v + from;
	a->c->line.n_after = (u32)(a->n - from);
	a->c->line.n_before_named = a->c->request.script.n_named;
}

/* "record stop NAME" */
static bool is_verb(const struct cli *c, const char *word)
{
	const char *const *verb = c->command->verbs;

	if (!verb || c->line.n_words)
		return verb && c->line.n_words == 1;
	while (*verb && !streq(*verb, word))
		verb++;
	return *verb;
}

static int take_word(struct args *a, const char *word)
{
	struct cli *c = a->c;
	struct peer_word peer;

	if (c->command && c->command->own_options) {
		c->line.words[c->line.n_words++] = word;
		return 0;
	}
	if (a->all_words && c->command && (c->command->words_are_cmd || c->command->cmd_after))
		return 0; /* they are c->line.after */
	c->line.n_after_words += a->all_words && !starts_with(word, "--");
	if (a->all_words && starts_with(word, "--")) {
		add_named(c, word + 2);
		return 0;
	}
	if (a->all_words || word[0] != '-' || !word[1] || is_asked_about(a, word)) {
		bool is_first = is_command(a), named_none;

		if (is_first && take_first(c, word))
			return 0;
		named_none = is_first && !c->tool && access(word, F_OK);
		if (named_none && (peer = peer_command(word)).is_known) {
			say(c, "there is no command \"%s\": %s", word, peer.answer);
			return 1;
		}
		if (c->named_command && c->command == c->named_command && !c->line.n_words &&
		    !a->all_words && (peer = peer_word(c->command, word, strlen(word))).is_known)
			return take_peer(a, &peer, word);
		if (c->command && c->command->script_before_cmd &&
		    (c->line.has_script || (!c->line.n_words && script_is_named(word)))) {
			if (!c->line.has_script)
				take_script(c, word);
			c->line.has_script = true;
			c->line.words[c->line.n_words++] = word;
			return 0;
		}
		if (c->command && c->command->words_are_cmd && !is_verb(c, word)) {
			take_rest(a, a->at - 1);
			return 0;
		}
		if (c->line.is_run && !c->tool && !c->line.n_words && !c->request.script.text)
			take_script(c, word);
		c->line.words[c->line.n_words++] = word;
		return 0;
	}
	if (word[1] != '-')
		return take_short(a, word + 1);
	if (word[2])
		return take_long(a, word + 2);
	take_rest(a, a->at);
	return 0;
}

/*
 * An option of one command is refused by all others. One of a set is refused by a command that was
 * named and does not take the set; a command that an option selected (-l, --fmt) ignores it, as
 * bpftrace does.
 */
static int check_applies(struct cli *c, const struct option_row *row)
{
	struct buf takers = { 0 };
	int ret;

	if (option_applies(row, c->command))
		return 0;
	if (lacks_script(c))
		return 1;
	if (row->group == GROUP_HIDDEN && row->command)
		return say_usage(c, "--%s is an option of \"%s %s\"", row->name, c->line.program,
				 row->command->name);
	if (c->command != c->named_command && c->command != &command_run)
		return 0;
	option_takers(&takers, row);
	ret = say_usage(c, "\"%s %s\" does not take --%s%s%s", c->line.program, c->command->name,
			row->name, takers.len ? "; these commands do: " : "",
			takers.len ? takers.s : "");
	buf_release(&takers);
	return ret;
}

static int check_together(struct cli *c)
{
	int ret = 0;

	for (u32 i = 0; i < c->line.n_given && !ret; i++)
		ret = check_applies(c, c->line.given[i].row);
	if (ret)
		return ret;
	if (c->request.traced.command && c->request.traced.n_pids)
		return say_usage(c, "USAGE: Cannot use both -c and -p.");
	if (c->request.traced.command && c->request.from.file)
		return say_usage(c, "--from is what has been recorded: it excludes -c");
	if (c->request.compile.extra_warnings && c->request.compile.no_warnings)
		return say_usage(c, "USAGE: -k, --warnings conflicts with --no-warnings");
	return c->line.n_after && !c->line.drop_in ? 0 : follow_check(c); /* later: script.c */
}

int args_parse(struct cli *c, int argc, char **argv)
{
	struct args a = { .c = c, .v = argv, .n = argc, .at = 1 };
	const char *word;
	int ret;

	c->line.words = xcalloc((size_t)argc + 1, sizeof *c->line.words);
	c->named = xcalloc((size_t)argc + 1, sizeof *c->named);
	c->line.given = xcalloc((size_t)argc * 4 + 1, sizeof *c->line.given);
	c->request.script.named = c->named;
	if (argc < 2 && !c->bundle) {
		print_help(c, stderr);
		return 1;
	}
	while ((word = next_word(&a))) {
		ret = take_word(&a, word);
		if (ret || is_decided(c))
			return ret;
	}
	take_include_path(c, "CPATH");
	take_include_path(c, "C_INCLUDE_PATH");
	if (c->request.traced.command && !*c->request.traced.command)
		c->request.traced.command = NULL;
	if (!c->command)
		c->command = &command_run;
	if (!c->sink.output && c->output.file && !c->line.drop_in &&
	    (c->command->takes & SET_FORMAT))
		c->sink.output = output_by_suffix(c->output.file);
	return check_together(c);
}
