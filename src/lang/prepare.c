/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between parsing and checking: what stands around the probes takes effect. Imports are read and
 * become part of the script (their clauses first, so that their begin probes run first), C text
 * becomes types and constants, the config block changes env->config, and declared maps are made.
 */
#include <stdlib.h>

#include "lang/cdecl/cdecl.h"
#include "lang/parse.h"

/* ---- the compilation */

void lang_init(struct lang *l, struct arena *arena, struct intern *names, struct sources *sources,
	       struct diags *diags, struct env *env)
{
	*l = (struct lang){
		.arena = arena,
		.names = names,
		.sources = sources,
		.diags = diags,
		.env = env,
		.script = arena_new(arena, struct script),
	};
}

void lang_release(struct lang *l)
{
	hash_release(&l->types);
	hash_release(&l->constants);
	hash_release(&l->maps);
	hash_release(&l->patterns);
}

/* ---- imports */

enum { MAX_IMPORT_DEPTH = 16, MAX_MAP_ENTRIES = INT32_MAX };

struct importer {
	struct lang *lang;
	struct script all; /* what imported scripts bring */
	struct hash seen;  /* resolved path -> itself */
	VEC(struct source *) headers;
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
	struct script s = {};

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
		vec_push(im->lang->arena, &im->headers, src);
	else
		import_script(im, src);
}

static const char *importing_file(struct importer *im, struct span span)
{
	struct place place = sources_find(im->lang->sources, span);

	return place.file ? place.file->name : "";
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

/* What the standard library of others declares is built in here. */
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

/* Roots first, then statements inside of bodies, in the order of the text. */
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

/* ---- C text */

static struct source *source_of(struct lang *l, struct span span)
{
	struct place place = sources_find(l->sources, span);

	for (u32 i = 0; i < l->sources->files.n; i++)
		if (l->sources->files.v[i] == place.file)
			return l->sources->files.v[i];
	return NULL;
}

/* Headers of the command line come first, as if the script began with them. */
static bool read_includes(struct lang *l, struct cdecl *c)
{
	bool good = true;

	for (u32 i = 0; l->env->includes && l->env->includes[i]; i++) {
		struct import_source found = {};

		l->env->read_import(l->env, "", l->env->includes[i], &found);
		if (found.text) {
			const char *name = interns(l->names, found.path);
			struct source *src =
				sources_add(l->sources, name, found.text, strlen(found.text));

			cdecl_read(c, src, 0, src->len);
		} else if (!cdecl_needs_no_file(l->env->includes[i])) {
			diag_report(l->diags, (struct span){ 0, 0 }, D_IMPORT_MISSING,
				    l->env->includes[i], found.why ? found.why : "it is a folder");
			good = false;
		}
		import_source_release(&found);
	}
	return good;
}

static bool prepare_c(struct lang *l, const struct importer *im, struct cdecl *c)
{
	bool good = read_includes(l, c);

	for (u32 i = 0; i < im->headers.n; i++)
		cdecl_read(c, im->headers.v[i], 0, im->headers.v[i]->len);
	for (const struct c_text *t = l->script->c_texts; t; t = t->next) {
		struct source *src = source_of(l, t->span);

		if (src)
			cdecl_read(c, src, t->span.off - src->base,
				   t->span.off - src->base + t->span.len);
	}
	return cdecl_end(c) && good;
}

/* ---- config */

static bool prepare_config(struct lang *l)
{
	struct config_error e;
	bool good = true;

	for (const struct config_item *i = l->script->config; i; i = i->next) {
		const char *why = NULL;

		if (!config_set(&l->env->config, i->key, i->value, &why)) {
			struct diag *d = diag_report(l->diags, i->span, D_CONFIG_VALUE, i->key,
						     why ? why : "bad value");
			const char *near = config_near(i->key);

			if (near && !streq(near, i->key))
				diag_help(l->diags, d, "did you mean \"%s\"?", near);
			good = false;
		} else if (why) {
			diag_report(l->diags, i->span, D_CONFIG_NOTE, i->key, why);
		}
	}
	if (!config_from_environment(&l->env->config, &e)) { /* which wins */
		diag_report(l->diags, (struct span){ 0, 0 }, D_CONFIG_VALUE, e.name, e.why);
		good = false;
	}
	return good;
}

/* ---- maps */

static const struct map_kind {
	const char *name;
	u32 bpf_type; /* enum bpf_map_type of linux/bpf.h */
} map_kinds[] = {
	{ "hash", 1 },
	{ "percpuhash", 5 },
	{ "lruhash", 9 },
	{ "percpulruhash", 10 },
};

static u32 map_kind(struct lang *l, const struct map_decl *m)
{
	for (u32 i = 0; i < ARRAY_SIZE(map_kinds); i++)
		if (streq(map_kinds[i].name, m->kind))
			return map_kinds[i].bpf_type;

	struct diag *d = diag_report(l->diags, m->span, D_MAP_DECL_KIND, m->kind);

	diag_help(l->diags, d, "the kinds are hash, lruhash, percpuhash and percpulruhash");
	return 0;
}

static bool max_entries(struct cdecl *c, const struct map_decl *decl, s64 *n)
{
	const struct node *e = decl->max_entries;

	if (!ceval(c, e, false, n)) {
		diag_report(c->lang->diags, e->span, D_MAP_ENTRIES_CONST);
		return false;
	}
	if (*n >= 1 && *n <= MAX_MAP_ENTRIES)
		return true;
	diag_report(c->lang->diags, e->span, D_MAP_ENTRIES, MAX_MAP_ENTRIES);
	return false;
}

static bool declare_map(struct lang *l, struct cdecl *c, const struct map_decl *decl)
{
	const char *name = interns(l->names, arena_printf(l->arena, "@%s", decl->map));
	const struct map *before = hash_gets(&l->maps, name);
	struct map *m = arena_new(l->arena, struct map);
	s64 entries;

	if (before) {
		struct diag *d = diag_report(l->diags, decl->span, D_MAP_DECL_TWICE, decl->map);

		diag_note(l->diags, d, before->first, "the first declaration");
		return false;
	}
	m->name = name;
	m->first = decl->span;
	m->key = m->value = &ty_unknown;
	m->has_decl = true;
	m->decl_kind = map_kind(l, decl);
	if (!max_entries(c, decl, &entries))
		return false;
	m->max_entries = (u32)entries;
	hash_puts(&l->maps, name, m);
	vec_push(l->arena, &l->map_list, m);
	return m->decl_kind != 0;
}

static bool prepare_maps(struct lang *l, struct cdecl *c)
{
	bool good = true;

	for (const struct map_decl *m = l->script->map_decls; m; m = m->next)
		good &= declare_map(l, c, m);
	return good;
}

bool lang_prepare(struct lang *l)
{
	struct importer im = { .lang = l };
	struct cdecl c;
	bool good = prepare_config(l); /* which says what may be imported */

	import_all(&im, l->script);
	append_script(&im.all, l->script);
	im.all.config = l->script->config;
	im.all.imports = l->script->imports;
	*l->script = im.all;
	good &= !im.failed;
	cdecl_init(&c, l);
	good &= prepare_c(l, &im, &c);
	good &= prepare_maps(l, &c);
	cdecl_release(&c);
	hash_release(&im.seen);
	return good;
}
