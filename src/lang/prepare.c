/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between parsing and checking: applies all declarations but probes. In: a parsed script. Out:
 * imports are part of the script (import.c), C text is types and constants, the config block is in
 * env->config, and declared maps exist.
 */
#include "lang/cdecl/cdecl.h"
#include "lang/import.h"
#include "lang/parse.h"

/* ---- the compilation */

void lang_init(struct lang *l, struct arena *arena, struct intern *names, struct sources *sources,
	       struct diags *diags, struct env *env)
{
	static const struct request nothing;

	if (!env->request)
		env->request = &nothing;
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

/* ---- C text */

static struct source *source_of(struct lang *l, struct span span)
{
	struct position pos = sources_find(l->sources, span);

	for (u32 i = 0; i < l->sources->files.n; i++)
		if (l->sources->files.v[i] == pos.file)
			return l->sources->files.v[i];
	return NULL;
}

/* Headers of the command line come first, as if they began the script. */
static bool read_includes(struct lang *l, struct cdecl *c)
{
	const char *const *includes = l->env->request->script.includes;
	bool good = true;

	for (u32 i = 0; includes && includes[i]; i++) {
		struct import_source found = { 0 };

		l->env->read_import(l->env, "", includes[i], &found);
		if (found.text) {
			const char *name = interns(l->names, found.path);
			struct source *src =
				sources_add(l->sources, name, found.text, strlen(found.text));

			cdecl_read(c, src, 0, src->len);
		} else if (!cdecl_needs_no_file(includes[i])) {
			diag_report(l->diags, (struct span){ 0, 0 }, D_IMPORT_MISSING, includes[i],
				    found.why ? found.why : "it is a folder");
			good = false;
		}
		import_source_release(&found);
	}
	return good;
}

static bool prepare_c(struct lang *l, const struct headers *headers, struct cdecl *c)
{
	bool good = read_includes(l, c);

	for (u32 i = 0; i < headers->files.n; i++)
		cdecl_read(c, headers->files.v[i], 0, headers->files.v[i]->len);
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
	if (!config_from_environment(&l->env->config, &e)) { /* the environment wins */
		diag_report(l->diags, (struct span){ 0, 0 }, D_CONFIG_VALUE, e.name, e.why);
		good = false;
	}
	return good;
}

/* ---- maps */

enum { MAX_MAP_ENTRIES = INT32_MAX };

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
		diag_help(c->lang->diags, diag_report(c->lang->diags, e->span, D_MAP_ENTRIES_CONST),
			  "the number of keys must be a constant");
		return false;
	}
	if (*n >= 1 && *n <= MAX_MAP_ENTRIES)
		return true;
	diag_help(c->lang->diags, diag_report(c->lang->diags, e->span, D_MAP_ENTRIES),
		  "a map has 1 to %u keys", MAX_MAP_ENTRIES);
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
	struct headers headers = { 0 };
	struct cdecl c;
	bool good = prepare_config(l); /* determines what may be imported */

	good &= import_scripts(l, &headers);
	cdecl_init(&c, l);
	good &= prepare_c(l, &headers, &c);
	good &= prepare_maps(l, &c);
	cdecl_release(&c);
	return good;
}
