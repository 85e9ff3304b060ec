/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports: the files that a script names become part of it. In: a parsed script and
 * env->read_import, which finds files. Out: the script with the declarations of all imported
 * scripts before its own, so that their begin probes run first; C headers as a list. A file is read
 * once, however its path is spelled.
 */
#include <stdlib.h>

#include "lang/import.h"
#include "lang/parse.h"

void import_source_release(struct import_source *found)
{
	for (char **e = found->entries; e && *e; e++)
		free(*e);
	free(found->entries);
	free(found->id);
	free(found->path);
	free(found->text);
	*found = (struct import_source){ 0 };
}

enum { MAX_IMPORT_DEPTH = 16 };

struct importer {
	struct lang *lang;
	struct script all; /* declarations of imported scripts */
	struct hash seen;  /* resolved path -> itself */
	struct headers *headers;
	u32 depth;
	bool failed;
};

#define APPEND(list, more)                                                                         \
	do {                                                                                       \
		typeof(&(list)) link_ = &(list);                                                   \
		while (*link_)                                                                     \
			link_ = &(*link_)->next;                                                   \
		*link_ = (more);                                                                   \
	} while (0)

static void append_script(struct script *to, const struct script *from)
{
	APPEND(to->c_texts, from->c_texts);
	APPEND(to->map_decls, from->map_decls);
	APPEND(to->macros, from->macros);
	APPEND(to->functions, from->functions);
	APPEND(to->clauses, from->clauses);
}

static void fail(struct importer *im, struct span span, enum diag_id id, const char *path)
{
	diag_report(im->lang->diags, span, id, path);
	im->failed = true;
}

static void import_all(struct importer *im, const struct script *s);

static void import_script(struct importer *im, struct source *src)
{
	struct script s = { 0 };

	if (!parse_source(im->lang, src, &s, NULL))
		im->failed = true;
	if (s.config)
		fail(im, s.config->span, D_IMPORT_CONFIG, NULL);
	import_all(im, &s);
	append_script(&im->all, &s);
}

static void import_text(struct importer *im, const char *path, const char *text)
{
	struct source *src = sources_add(im->lang->sources, path, text, strlen(text));

	if (ends_with(path, ".h"))
		vec_push(im->lang->arena, &im->headers->files, src);
	else
		import_script(im, src);
}

static const char *importing_file(struct importer *im, struct span span)
{
	struct position pos = sources_find(im->lang->sources, span);

	return pos.file ? pos.file->name : "";
}

static bool is_script_or_header(const char *path)
{
	return ends_with(path, ".bt") || ends_with(path, ".h");
}

static bool can_import(struct importer *im, struct span span, const char *path)
{
	if (im->depth >= MAX_IMPORT_DEPTH) {
		diag_report(im->lang->diags, span, D_IMPORT_DEPTH, MAX_IMPORT_DEPTH);
		im->failed = true;
		return false;
	}
	if (!ends_with(path, ".c") && !ends_with(path, ".o"))
		return true;
	fail(im, span, D_IMPORT_C, path);
	return false;
}

static void import_from(struct importer *im, struct span span, const char *from, const char *path);

/* All scripts and headers of a folder. */
static void import_folder(struct importer *im, struct span span, char *const *entries)
{
	for (; *entries; entries++)
		if (is_script_or_header(*entries))
			import_from(im, span, "", *entries);
}

static void import_source(struct importer *im, struct span span, const char *path,
			  const struct import_source *found)
{
	if (found->entries) {
		import_folder(im, span, found->entries);
	} else if (!found->text) {
		diag_report(im->lang->diags, span, D_IMPORT_MISSING, path, found->why);
		im->failed = true;
	} else {
		import_text(im, interns(im->lang->names, found->path), found->text);
	}
}

static void import_from(struct importer *im, struct span span, const char *from, const char *path)
{
	struct env *env = im->lang->env;
	struct import_source found = { .why = "nothing can be imported here" };

	if (!can_import(im, span, path))
		return;
	if (env->read_import)
		env->read_import(env, from, path, &found);
	if (!found.id || !hash_puts(&im->seen, interns(im->lang->names, found.id), &im->seen)) {
		im->depth++;
		import_source(im, span, path, &found);
		im->depth--;
	}
	import_source_release(&found);
}

/* The standard library of bpftrace is built in. */
static bool is_builtin_import(const char *path)
{
	return streq(path, "stdlib") || starts_with(path, "stdlib/");
}

static void import_one(struct importer *im, struct span span, const char *path)
{
	if (!is_builtin_import(path))
		import_from(im, span, importing_file(im, span), path);
}

static bool import_statement(struct node *n, void *ctx)
{
	struct importer *im = ctx;
	u8 level = im->lang->env->config.unstable[UNSTABLE_import_statement];

	if (n->kind != N_IMPORT || is_builtin_import(n->str))
		return true;
	if (!level) {
		fail(im, n->span, D_IMPORT_IN_BLOCK, n->str);
		return true;
	}
	if (level == 1)
		diag_report(im->lang->diags, n->span, D_UNSTABLE_WARN, "import",
			    "unstable_import_statement");
	import_one(im, n->span, n->str);
	return true;
}

/* Imports at the top level first, then those inside bodies, in the order of the text. */
static void import_all(struct importer *im, const struct script *s)
{
	for (const struct import *i = s->imports; i; i = i->next)
		import_one(im, i->span, i->path);
	for (const struct macro *m = s->macros; m; m = m->next)
		ast_walk(m->body, import_statement, im);
	for (const struct function *f = s->functions; f; f = f->next)
		ast_walk(f->body, import_statement, im);
	for (const struct clause *c = s->clauses; c; c = c->next)
		ast_walk(c->body, import_statement, im);
}

bool import_scripts(struct lang *l, struct headers *headers)
{
	struct importer im = { .lang = l, .headers = headers };

	import_all(&im, l->script);
	append_script(&im.all, l->script);
	im.all.config = l->script->config;
	im.all.imports = l->script->imports;
	*l->script = im.all;
	hash_release(&im.seen);
	return !im.failed;
}
