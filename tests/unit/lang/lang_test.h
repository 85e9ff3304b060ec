/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixture: a compilation of one text, for tests of the parser. */
#ifndef TESTS_UNIT_LANG_TEST_H
#define TESTS_UNIT_LANG_TEST_H

#include "base/buf.h"
#include "lang/lang.h"
#include "tap.h"

struct fixture {
	struct arena arena;
	struct intern names;
	struct sources sources;
	struct diags diags;
	struct env env;
	struct lang lang;
	struct buf out;
};

static inline void fixture_begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	arena_init(&f->arena);
	intern_init(&f->names);
	sources_init(&f->sources, &f->arena);
	diags_init(&f->diags, &f->arena, &f->sources);
	config_defaults(&f->env.config);
	lang_init(&f->lang, &f->arena, &f->names, &f->sources, &f->diags, &f->env);
}

static inline void fixture_end(struct fixture *f)
{
	buf_release(&f->out);
	lang_release(&f->lang);
	intern_release(&f->names);
	arena_release(&f->arena);
}

static inline struct source *fixture_source(struct fixture *f, const char *text)
{
	return sources_add(&f->sources, "t.bt", text, strlen(text));
}

static inline bool fixture_parse(struct fixture *f, const char *text)
{
	fixture_begin(f);
	return parse_script(&f->lang, fixture_source(f, text));
}

static inline const char *fixture_dump(struct fixture *f)
{
	buf_clear(&f->out);
	buf_puts(&f->out, "");
	ast_dump(&f->out, f->lang.script);
	return f->out.s;
}

static inline const char *fixture_messages(struct fixture *f)
{
	buf_clear(&f->out);
	buf_puts(&f->out, "");
	diags_render_text(&f->diags, &f->out, false);
	return f->out.s;
}

/* The names of the diagnostics, in order of report, separated by spaces. */
static inline const char *fixture_names(struct fixture *f)
{
	buf_clear(&f->out);
	buf_puts(&f->out, "");
	for (u32 i = 0; i < f->diags.list.n; i++)
		buf_printf(&f->out, "%s%s", i ? " " : "", diag_rows[f->diags.list.v[i]->id].name);
	return f->out.s;
}

#endif
