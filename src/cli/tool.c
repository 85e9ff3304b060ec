/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tools are found, and the comment at their head; tool.h describes its form. A name never
 * means a file of the working directory: that is what a path is for.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/diag.h"
#include "cli/tool.h"

/* ---- the head */

struct lines {
	const char *at;
	bool in_block; /* after a slash and star */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* " * text" of a block comment: the text before the star and the end of the comment are removed. */
static bool next_of_block(struct lines *l, const char **text, size_t *len)
{
	const char *s = l->at, *end = s + strcspn(s, "\n"), *over = strstr(s, "*/");

	if (!*s)
		return false; /* the comment never ends */
	l->at = end + (*end == '\n');
	if (over && over < end + 1) {
		l->in_block = false;
		l->at = "";
		end = over;
	}
	while (s < end && is_blank(*s))
		s++;
	if (s < end && *s == '*')
		s++;
	s += s < end && *s == ' ';
	while (end > s && is_blank(end[-1]))
		end--;
	*text = s;
	*len = (size_t)(end - s);
	return true;
}

/* The text of the next line of the comment, without marks and end; false: the comment is over. */
static bool next_line(struct lines *l, const char **text, size_t *len)
{
	size_t n = strcspn(l->at, "\n");

	if (!l->in_block && starts_with(l->at, "/*")) {
		l->in_block = true;
		l->at += 2;
		if (l->at[0] == '*')
			l->at++;
	}
	if (l->in_block)
		return next_of_block(l, text, len);

	if (n < 2 || memcmp(l->at, "//", 2))
		return false;
	*text = l->at + 2;
	*len = n - 2;
	if (*len && **text == ' ')
		++*text, --*len;
	l->at += n + (l->at[n] == '\n');
	return true;
}

static bool line_is(const char *text, size_t len, const char *what)
{
	return len == strlen(what) && !memcmp(text, what, len);
}

/* "NAME WORDS - BRIEF", "NAME.bt   BRIEF" */
static void take_title(struct tool *t, const char *text, size_t len)
{
	char *line = arena_strndup(&t->arena, text, len), *dash = strstr(line, " - ");
	size_t n = strcspn(line, " \t"), gap = strspn(line + n, " \t");

	t->brief = line;
	if (dash) {
		t->brief = dash + 3;
		*dash = '\0';
		t->words = line + MIN(n + gap, strlen(line));
	} else if (gap > 1 || (n > 3 && !memcmp(line + n - 3, ".bt", 3))) {
		t->brief = line + n + gap;
	}
}

/* Lines of a paragraph become one. */
static void add_doc(struct buf *doc, const char *text, size_t len)
{
	if (!len) {
		if (doc->len && !ends_with(doc->s, "\n\n"))
			buf_puts(doc, "\n\n");
		return;
	}
	if (doc->len && !ends_with(doc->s, "\n"))
		buf_putc(doc, ' ');
	buf_add(doc, text, len);
}

static void add_example(struct buf *example, const char *text, size_t len)
{
	u32 indent = 0;

	while (indent < 2 && indent < len && text[indent] == ' ')
		indent++;
	buf_printf(example, "%s%.*s", example->len ? "\n" : "", (int)(len - indent), text + indent);
}

static const char *take_text(struct arena *a, struct buf *b)
{
	while (b->len && b->s[b->len - 1] == '\n')
		b->s[--b->len] = '\0';

	const char *text = arena_strdup(a, b->s ? b->s : "");

	buf_release(b);
	return text;
}

static void read_head(struct tool *t)
{
	struct lines l = { .at = t->text };
	struct buf doc = { 0 }, example = { 0 };
	bool in_example = false;
	const char *text;
	size_t len;

	if (starts_with(l.at, "#!"))
		l.at += strcspn(l.at, "\n");
	l.at += strspn(l.at, " \t\r\n");
	while (next_line(&l, &text, &len)) {
		if (starts_with(text, "SPDX-") || starts_with(text, "Copyright") ||
		    (!t->brief && !len))
			continue;
		if (!t->brief)
			take_title(t, text, len);
		else if (line_is(text, len, "Example:"))
			in_example = true;
		else
			(in_example ? add_example : add_doc)(in_example ? &example : &doc, text,
							     len);
	}
	t->words = t->words ? t->words : "";
	t->brief = t->brief ? t->brief : "";
	t->doc = take_text(&t->arena, &doc);
	t->example = take_text(&t->arena, &example);
}

/* ---- one tool */

struct tool *tool_new(const char *name, const char *path, const char *text, size_t len)
{
	struct tool *t = xcalloc(1, sizeof *t);

	arena_init(&t->arena);
	t->name = arena_strdup(&t->arena, name);
	t->path = arena_strdup(&t->arena, path);
	t->text = arena_strndup(&t->arena, text, len);
	t->len = len;
	read_head(t);
	script_options_read(&t->options, &t->arena, t->path, t->text, t->len);
	return t;
}

void tool_free(struct tool *t)
{
	if (!t)
		return;
	arena_release(&t->arena);
	free(t);
}

static struct tool *read_tool(const char *name, const char *path)
{
	struct buf text = { 0 };
	struct tool *t = NULL;

	if (!buf_read_file(&text, path)) {
		buf_puts(&text, "");
		t = tool_new(name, path, text.s, text.len);
	}
	buf_release(&text);
	return t;
}

struct tool *tool_open_file(const char *path)
{
	const char *base = base_name(path);
	char *name = xstrndup(base, strlen(base) - (ends_with(base, ".bt") ? 3 : 0));
	struct tool *t = read_tool(name, path);

	free(name);
	return t;
}

/* ---- where they are */

/* Calls f with each directory that is looked at, in order, until it returns true. */
static bool each_dir(bool (*f)(void *ctx, const char *dir), void *ctx)
{
	static const char *const beside[] = { "tools", "../tools", "../share/sonde/tools" };
	const char *path = getenv("SONDE_PATH");
	char dir[4096];
	ssize_t n;

	for (const char *s = path; s && *s;) {
		size_t len = strcspn(s, ":");

		snprintf(dir, sizeof dir, "%.*s", (int)len, s);
		if (len && f(ctx, dir))
			return true;
		s += len + (s[len] == ':');
	}
	n = readlink("/proc/self/exe", dir, sizeof dir - 32);
	while (n > 0 && dir[n - 1] != '/')
		n--;
	for (u32 i = 0; n > 0 && i < ARRAY_SIZE(beside); i++) {
		memcpy(dir + n, beside[i], strlen(beside[i]) + 1);
		if (f(ctx, dir))
			return true;
	}
	return false;
}

static bool is_name(const char *name)
{
	for (const char *s = name; *s; s++)
		if (!isalnum((u8)*s) && *s != '_' && *s != '-')
			return false;
	return *name && *name != '-';
}

struct wanted {
	const char *name;
	struct tool *found;
};

static bool look_in(void *ctx, const char *dir)
{
	struct wanted *w = ctx;
	char *path = xasprintf("%s/%s.bt", dir, w->name), *real = realpath(path, NULL);

	w->found = real ? read_tool(w->name, real) : NULL;
	free(real);
	free(path);
	return w->found != NULL;
}

/* ---- the program's own */

struct own_tool {
	const char *name, *text;
};

/* The first tool. Texts are unpacked once and stay. */
static struct own_tool first_own(void)
{
	static char *texts;

	if (!texts)
		texts = unpack(&tools_packed);
	return (struct own_tool){ texts, texts + strlen(texts) + 1 };
}

/* After the last one: an empty name. */
static struct own_tool next_own(struct own_tool t)
{
	const char *name = t.text + strlen(t.text) + 1;

	return (struct own_tool){ name, *name ? name + strlen(name) + 1 : name };
}

struct tool *tool_open(const char *name)
{
	struct wanted w = { .name = name };

	if (!is_name(name))
		return NULL;
	if (each_dir(look_in, &w))
		return w.found;
	for (struct own_tool t = first_own(); *t.name; t = next_own(t))
		if (streq(t.name, name)) {
			char *path = xasprintf("%s.bt", name);

			w.found = tool_new(name, path, t.text, strlen(t.text));
			free(path);
		}
	return w.found;
}

/* ---- all of them */

struct names {
	struct arena arena;
	VEC(const char *) v;
};

static void add_name(struct names *n, const char *name, size_t len)
{
	for (u32 i = 0; i < n->v.n; i++)
		if (!strncmp(n->v.v[i], name, len) && !n->v.v[i][len])
			return;
	vec_push(&n->arena, &n->v, arena_strndup(&n->arena, name, len));
}

static bool names_in(void *ctx, const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (ends_with(e->d_name, ".bt"))
			add_name(ctx, e->d_name, strlen(e->d_name) - 3);
	if (d)
		closedir(d);
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_read(struct names *n)
{
	*n = (struct names){ 0 };
	arena_init(&n->arena);
	each_dir(names_in, n);
	for (struct own_tool t = first_own(); *t.name; t = next_own(t))
		add_name(n, t.name, strlen(t.name));
	if (n->v.n)
		qsort(n->v.v, n->v.n, sizeof *n->v.v, by_name);
}

void tools_each(void (*f)(void *ctx, const struct tool *t), void *ctx)
{
	struct names n;

	names_read(&n);
	for (u32 i = 0; i < n.v.n; i++) {
		struct tool *t = tool_open(n.v.v[i]);

		if (t)
			f(ctx, t);
		tool_free(t);
	}
	arena_release(&n.arena);
}

const char *tool_near(const char *word)
{
	static char name[128];
	struct names n;
	struct near near;

	names_read(&n);
	near_init(&near, word);
	for (u32 i = 0; i < n.v.n; i++)
		near_try(&near, n.v.v[i]);
	snprintf(name, sizeof name, "%s", near_best(&near) ? near_best(&near) : "");
	arena_release(&n.arena);
	return *name ? name : NULL;
}
