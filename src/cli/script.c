/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From words to the input of a session: the script's text, its parameters, and the sink. With -e
 * every word is a parameter; without it the first word is the file ("-": standard input) or a tool.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "base/fd.h"
#include "builtin/builtin.h"
#include "cli/cli.h"
#include "cli/script_options.h"
#include "cli/tool.h"
#include "output/output.h"

static int read_all(int fd, struct buf *b)
{
	char piece[16384];
	ssize_t n;

	while ((n = read(fd, piece, sizeof piece))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		buf_add(b, piece, (size_t)n);
	}
	return 0;
}

int script_read_file(struct cli *c, const char *path, struct buf *text)
{
	bool is_stdin = streq(path, "-");
	int ret = is_stdin ? read_all(STDIN_FILENO, text) : buf_read_file(text, path);

	buf_puts(text, "");
	if (!ret)
		return 0;
	say(c, "failed to open file '%s': %s", is_stdin ? "stdin" : path, strerror(-ret));
	return 1;
}

/* A word that is not a file may be a tool: the one that "run" found, or the argument of another
 * command. */
static struct tool *tool_of(struct cli *c, const char *word)
{
	if (!c->tool && access(word, F_OK) && c->command != &command_run)
		c->tool = tool_open(word);
	return c->tool;
}

static int no_script(const struct cli *c, const char *word)
{
	const char *tool = c->line.drop_in ? NULL : tool_near(word),
		   *near = tool || c->line.drop_in ? tool : command_near(word);

	if (near)
		say(c, "there is no script \"%s\": did you mean \"%s %s\"?", word, c->line.program,
		    near);
	else if (strchr(word, '{'))
		say(c, "there is no script \"%s\": a program on the command line follows -e", word);
	else if (!c->line.drop_in && !strpbrk(word, "./"))
		say(c, "there is no script \"%s\": \"%s run --list\" shows those included", word,
		    c->line.program);
	else
		say(c, "failed to open file '%s': %s", word, strerror(ENOENT));
	return 1;
}

bool script_is_missing(const struct cli *c, const char *word)
{
	return !streq(word, "-") && access(word, F_OK) && no_script(c, word);
}

/* In PATH. */
static bool is_program(const char *word)
{
	const char *path = getenv("PATH");
	bool found = false;

	for (const char *s = path ? path : ""; *s && !found;) {
		size_t n = strcspn(s, ":");
		struct buf b = { 0 };

		buf_add(&b, s, n);
		buf_printf(&b, "/%s", word);
		found = !access(b.s, X_OK);
		buf_release(&b);
		s += n + (s[n] != '\0');
	}
	return found;
}

bool script_is_named(const char *word)
{
	struct tool *t;

	if (ends_with(word, ".bt"))
		return true;
	t = strchr(word, '/') || is_program(word) ? NULL : tool_open(word);
	tool_free(t);
	return t;
}

/* Files that are not text: one message instead of one for each byte. */
static int refuse_other_file(const struct cli *c, const char *word)
{
	const char *s = c->script.s;

	if (!strncmp(s,
		     "\x7f"
		     "ELF",
		     4))
		say(c,
		    "%s is a program, not a script: \"%s list 'uprobe:%s:*'\" lists its functions, -c runs it",
		    word, c->line.program, word);
	else if (!strncmp(s, "\xff\xfe", 2) || !strncmp(s, "\xfe\xff", 2))
		say(c, "%s is UTF-16: scripts are UTF-8", word);
	else
		return 0;
	return 1;
}

static int script_take(struct cli *c, const char *word)
{
	const struct tool *t = streq(word, "-") ? NULL : tool_of(c, word);

	if (!streq(word, "-"))
		c->request.script.name = word;
	if (t) {
		c->request.script.name = t->path;
		c->request.script.text = t->text;
		c->request.script.len = t->len;
		return 0;
	}
	if ((!strpbrk(word, "/.-") || strchr(word, '{')) && access(word, F_OK))
		return no_script(c, word);
	if (script_read_file(c, word, &c->script) || refuse_other_file(c, word))
		return 1;
	c->request.script.text = c->script.s;
	c->request.script.len = c->script.len;
	return 0;
}

/* ---- the words after "--" */

static bool takes_params(const struct cli *c)
{
	struct script_options found = { 0 };
	struct arena a;
	bool takes;

	arena_init(&a);
	script_options_read(&found, &a, c->request.script.name, c->request.script.text,
			    c->request.script.len);
	takes = found.n_words || found.any_words;
	arena_release(&a);
	return takes;
}

/*
 * Index in c->line.after of the command's first word; n_after: there is none.
 *
 *	-- [--NAME=VALUE]... CMD ARG...			a script that takes no $1, or got it before the --
 *	-- [--NAME=VALUE | PARAM]... -- CMD ARG...	any script
 *	-- [--NAME=VALUE | PARAM]...			bpftrace's form: no command
 */
static u32 find_command(const struct cli *c, bool has_params)
{
	bool params = !has_params && takes_params(c);

	for (u32 i = 0; i < c->line.n_after; i++) {
		if (streq(c->line.after[i], "--"))
			return i + 1;
		if (!starts_with(c->line.after[i], "--") && !params)
			return i;
	}
	return c->line.n_after;
}

/* Words as child.c splits them: each stays one. */
const char *join_command(struct cli *c, char *const *words, u32 n)
{
	struct buf b = { 0 };
	const char *text;

	for (u32 i = 0; i < n; i++) {
		bool plain = words[i][0] && !strpbrk(words[i], " \t\n'\"\\");

		buf_puts(&b, i ? " " : "");
		buf_puts(&b, plain ? "" : "'");
		for (const char *s = words[i]; *s; s++)
			*s == '\'' ? buf_puts(&b, "'\\''") : buf_putc(&b, *s);
		buf_puts(&b, plain ? "" : "'");
	}
	text = arena_strdup(&c->line.arena, b.s);
	buf_release(&b);
	return text;
}

void add_named(struct cli *c, const char *word)
{
	const char *eq = strchr(word, '=');
	struct script_arg arg = { word, NULL };

	if (eq) {
		arg.name = arena_strndup(&c->line.arena, word, (size_t)(eq - word));
		arg.value = eq + 1;
	}
	c->named[c->request.script.n_named++] = arg;
}

int follow_check(const struct cli *c)
{
	const struct traced *t = &c->request.traced;

	if (t->scope == SCOPE_TREE && !t->command && !t->n_pids && c->command == &command_run)
		return say_usage(c, "--follow needs -p or -c: whom to follow");
	return 0;
}

/*
 * "-- CMD ARG...": -c with words that are not split. The script decides whether a word is its
 * parameter. Called bpftrace, all of them are, as there.
 */
static int take_after(struct cli *c, bool script_is_word)
{
	u32 at, n = c->line.n_words - MIN(c->line.n_words, c->line.n_after_words);

	if (!c->line.n_after || c->line.drop_in || !(c->command->takes & SET_TARGET))
		return 0;
	at = find_command(c, n > script_is_word);
	if (at == c->line.n_after)
		return follow_check(c);
	if (c->request.traced.command && c->request.traced.command != c->line.after_command)
		return say_usage(c, "-c and a command after -- exclude each other");
	if (c->request.traced.n_pids && !c->command->cmd_times_pids)
		return say_usage(c, "USAGE: Cannot use both -c and -p.");
	c->line.n_words = n;
	c->request.script.n_named = c->line.n_before_named;
	for (u32 i = 0; i < at; i++)
		if (!starts_with(c->line.after[i], "--"))
			c->line.words[c->line.n_words++] = c->line.after[i];
		else if (c->line.after[i][2])
			add_named(c, c->line.after[i] + 2);
	c->request.traced.command = c->line.after_command =
		join_command(c, c->line.after + at, c->line.n_after - at);
	return 0;
}

int script_read(struct cli *c)
{
	bool is_word;

	if (!c->bundle)
		c->request.script.name = "stdin";
	if (!c->bundle && c->request.script.text && !*c->request.script.text)
		c->request.script.text = NULL;
	is_word = !c->request.script.text;
	if (is_word) {
		if (!c->line.n_words)
			return say_usage(c, "USAGE: filename or -e 'program' required.");
		if (script_take(c, c->line.words[0]))
			return 1;
	} else if (!c->bundle) {
		c->request.script.len = strlen(c->request.script.text);
	}
	if (take_after(c, is_word))
		return 1;
	c->request.script.params = c->line.words + is_word;
	c->request.script.n_params = c->line.n_words - is_word;
	c->host.themes = builtin_themes;
	c->request.diag.color = color_wanted(STDERR_FILENO);
	return 0;
}

/* After the first word, words that end in .bt are scripts; the others are parameters of all
 * scripts. */
static u32 count_scripts(const struct cli *c)
{
	u32 n = 1;

	while (n < c->line.n_words &&
	       (ends_with(c->line.words[n], ".bt") || streq(c->line.words[n], "-")))
		n++;
	return MIN(n, c->line.n_words);
}

static void forget_script(struct cli *c)
{
	buf_clear(&c->script);
	c->request.script.text = NULL;
	tool_free(c->tool);
	c->tool = NULL;
}

int each_script(struct cli *c, int (*f)(struct cli *c))
{
	const char **words = c->line.words;
	u32 n_words = c->line.n_words, n = c->request.script.text ? 0 : count_scripts(c);
	int ret = 0, one;

	if (n < 2)
		return (ret = script_read(c)) ? ret : f(c);
	for (u32 i = 0; i < n; i++) {
		const char *last = words[n - 1];

		words[n - 1] = words[i]; /* right before the parameters */
		c->line.words = words + n - 1;
		c->line.n_words = n_words - n + 1;
		one = script_read(c);
		one = one ? one : f(c);
		ret = MAX(ret, one);
		words[n - 1] = last;
		forget_script(c);
	}
	c->line.words = words;
	c->line.n_words = n_words;
	return ret;
}
