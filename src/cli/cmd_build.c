/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde build: one executable from a script: sonde itself, the script, what it imports, and the
 * options given here. The tool compiles the script each time it starts, in less than a millisecond,
 * for the kernel that it finds: so it runs wherever sonde runs. Also here: what a tool does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/fd.h"
#include "builtin/builtin.h"
#include "cli/bundle.h"
#include "cli/option.h"
#include "cli/front.h"
#include "cli/tool.h"
#include "engine/kernel/kernel.h"
#include "session/import.h"

/* ---- what goes in */

struct packed {
	const char *id, *name; /* of the same file, however its path is spelled */
};

struct parcel {
	struct arena arena;
	VEC(struct packed) known;
	struct buf files;
	u32 n_files;
};

/* The parcel that is being packed: the import hook has no context argument. */
static struct parcel *packing;

static void add_file(struct parcel *p, const char *name, const char *text, size_t len)
{
	bundle_put_text(&p->files, name, strlen(name));
	bundle_put_text(&p->files, text, len);
	p->n_files++;
}

static const char *known_as(const struct parcel *p, const char *id)
{
	for (u32 i = 0; i < p->known.n; i++)
		if (streq(p->known.v[i].id, id))
			return p->known.v[i].name;
	return NULL;
}

static void add_alias(struct parcel *p, const char *asked, const char *name)
{
	char *alias = xasprintf("%s%c", asked, BUNDLE_ALIAS);

	add_file(p, alias, name, strlen(name));
	free(alias);
}

static void pack_file(struct parcel *p, const char *asked, const struct import_source *found)
{
	const char *name = known_as(p, found->id);
	struct packed new = { arena_strdup(&p->arena, found->id),
			      arena_strdup(&p->arena, found->path) };

	if (!name) {
		vec_push(&p->arena, &p->known, new);
		add_file(p, found->path, found->text, strlen(found->text));
	} else if (!streq(name, found->path)) {
		add_alias(p, found->path, name);
	}
	if (!streq(asked, found->path)) /* found in a folder of -I */
		add_alias(p, asked, name ? name : found->path);
}

static void pack_folder(struct parcel *p, const struct import_source *found)
{
	char *name = xasprintf("%s%c", found->path, BUNDLE_FOLDER);
	struct buf list = { 0 };

	for (char **e = found->entries; *e; e++)
		buf_printf(&list, "%s\n", *e);
	add_file(p, name, list.s ? list.s : "", list.len);
	buf_release(&list);
	free(name);
}

static void read_and_pack(struct env *env, const char *from, const char *path,
			  struct import_source *found)
{
	char *asked = from ? import_join_path(from, path) : xstrdup(path);

	import_read(env, from, path, found);
	if (found->entries)
		pack_folder(packing, found);
	else if (found->text)
		pack_file(packing, asked, found);
	free(asked);
}

static bool goes_along(const struct option_row *row)
{
	switch (row->group) {
	case GROUP_WHAT:
	case GROUP_OUTPUT:
	case GROUP_CHECKS:
	case GROUP_COMPILER: return !streq(row->name, "execute") && !streq(row->name, "output");
	case GROUP_HIDDEN: return !row->command;
	case GROUP_ASK:
	case GROUP_COMPAT:
	case N_GROUPS: return false;
	}
	return false;
}

static void put_words(struct buf *payload, const struct cli *c)
{
	u32 n = 0;

	for (u32 i = 0; i < c->line.n_given; i++)
		n += goes_along(c->line.given[i].row);
	bundle_put_count(payload, n);
	for (u32 i = 0; i < c->line.n_given; i++) {
		const struct given *g = &c->line.given[i];
		struct buf word = { 0 };

		if (!goes_along(g->row))
			continue;
		buf_printf(&word, "--%s%s%s", g->row->name, g->value ? "=" : "",
			   g->value ? g->value : "");
		bundle_put_text(payload, word.s, word.len);
		buf_release(&word);
	}
}

/* Compiles the script, unless the result depends on parameters that only a run has. */
static int pack(struct cli *c, struct buf *payload)
{
	struct parcel p = { 0 };
	struct script_options own = { 0 };
	struct front f;
	int ret;

	arena_init(&p.arena);
	add_file(&p, c->request.script.name, c->request.script.text, c->request.script.len);
	packing = &p;
	front_init(&f, c);
	f.env.read_import = read_and_pack;
	script_options_take(&own, &f);
	ret = lang_prepare(&f.lang) && !f.diags.n_errors ? 0 : 1;
	if (ret)
		say_diags(c, &f.diags);
	else if (!own.n_words)
		ret = script_check(c);
	front_release(&f);
	packing = NULL;
	put_words(payload, c);
	bundle_put_count(payload, p.n_files);
	buf_add(payload, p.files.s, p.files.len);
	buf_release(&p.files);
	arena_release(&p.arena);
	return ret;
}

/* ---- where it goes */

/* biolatency.bt -> biolatency, in the working directory; NULL when that cannot be guessed. */
static char *guess_name(const struct cli *c)
{
	const char *base = base_name(c->request.script.name);
	size_t len = strlen(base);

	return ends_with(base, ".bt") && len > 3 ? xstrndup(base, len - 3) : NULL;
}

static bool is_script_itself(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Writes a temporary file and renames it: a running tool is not modified. */
static int write_tool(const char *path, const struct buf *file, struct err *err)
{
	char *beside = xasprintf("%s.%d", path, (int)getpid());
	_fd int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777);
	int ret;

	if (fd < 0) {
		ret = err_sys(err, "create %s", path);
		free(beside);
		return ret;
	}
	ret = write_all(fd, file->s, file->len);
	if (ret < 0) {
		errno = -ret;
		ret = err_sys(err, "write %s", path);
	} else if (rename(beside, path)) {
		ret = err_sys(err, "create %s", path);
	}
	if (ret < 0)
		unlink(beside);
	free(beside);
	return ret;
}

static int build_from(struct cli *c, const char *runtime, const char *path,
		      const struct buf *payload)
{
	struct err err = { 0 };
	struct buf file = { 0 };
	int ret = buf_read_file(&file, runtime);

	if (ret < 0) {
		errno = -ret;
		err_sys(&err, "read %s", runtime);
	} else if ((ret = bundle_join(&file, payload, &err)) < 0) {
		err_wrap(&err, "%s", runtime);
	} else {
		ret = write_tool(path, &file, &err);
	}
	say_err(c, &err);
	err_release(&err);
	buf_release(&file);
	return ret < 0 ? 255 : 0;
}

static int run(struct cli *c)
{
	char *guess = NULL;
	struct buf payload = { 0 };
	const char *path;
	int ret = script_read(c);

	if (ret)
		return ret;
	path = c->output.file ? c->output.file : (guess = guess_name(c));
	if (!path)
		ret = say_usage(c, "build needs -o TOOL: what the executable is called");
	else if (is_script_itself(path, c->request.script.name))
		ret = say_usage(c, "%s is the script itself: give the tool another name with -o",
				path);
	else
		ret = pack(c, &payload);
	if (!ret)
		ret = build_from(c, c->own.build.runtime ? c->own.build.runtime : "/proc/self/exe",
				 path, &payload);
	buf_release(&payload);
	free(guess);
	return ret;
}

const struct command command_build = {
	.name = "build",
	.args = "FILE",
	.brief = "build a stand-alone executable from a script",
	.doc = "-o TOOL names it; without that it is FILE's name without \".bt\". The tool is sonde itself with "
	       "the script, what the script imports and the options given here (--unsafe, -f json ...). It "
	       "needs no other file and no compiler: the script is compiled when the tool starts, for the "
	       "running kernel, which takes less than a millisecond. The script's getopt() "
	       "parameters are its options, --help shows them; words are $1, $2 ... A tool whose bytes were "
	       "changed reports this and exits. --runtime FILE embeds another sonde of the same version: "
	       "the static build for a system with an older C library, or one for another "
	       "architecture.",
	.example = "sonde build -o opensnoop opensnoop.bt",
	.takes = SETS_TRACE,
	.run = run,
};

/* ---- the tool itself */

static int bundle_version(struct cli *c)
{
	printf("%s (sonde %s)\n", c->line.program, SONDE_VERSION);
	return 0;
}

static const struct command command_bundle_version = { .name = "-V", .run = bundle_version };

/* The words that the tool was built with come before the user's. */
static int bundle_start(struct cli *c, const struct bundle *b, int argc, char **argv)
{
	char **all = xcalloc((size_t)argc + b->words.n + 1, sizeof *all);
	int n = 0, ret;

	all[n++] = argv[0];
	for (u32 i = 0; i < b->words.n; i++)
		all[n++] = arena_strdup(&c->line.arena, b->words.v[i]);
	for (int i = 1; i < argc; i++)
		all[n++] = argv[i];
	c->line.n_built_in = b->words.n;
	ret = args_parse(c, n, all);
	if (c->command == &command_version)
		c->command = &command_bundle_version;
	if (!ret)
		ret = c->command->run(c);
	free(all);
	return ret;
}

int bundle_main(struct cli *c, int argc, char **argv)
{
	struct bundle b;
	struct err err = { 0 };
	int ret = bundle_open(&b, &err);

	c->line.program = b.name;
	if (ret < 0) {
		say_err(c, &err);
		err_release(&err);
		bundle_release(&b);
		return 255;
	}
	c->bundle = &b;
	c->request.script.text = b.files.v[0].text;
	c->request.script.len = b.files.v[0].len;
	c->request.script.name = b.files.v[0].name;
	c->host.read_import = bundle_read_import;
	c->tool = tool_new(b.name, c->request.script.name, c->request.script.text,
			   c->request.script.len);
	ret = bundle_start(c, &b, argc, argv);
	bundle_release(&b);
	return ret;
}
