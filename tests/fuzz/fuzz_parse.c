/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a script: parsing must end, preparing must end, and what can be formatted must be
 * formatted for good: the second time changes nothing, and the tree stays the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "lang/lang.h"

struct world_of_one { /* all that one parse needs */
	struct arena arena;
	struct intern names;
	struct sources sources;
	struct diags diags;
	struct env env;
	struct lang lang;
};

static void begin(struct world_of_one *w)
{
	static const char *const params[] = { "1", "a", "f:g" };
	static const struct request request = { .script.params = params,
						.script.n_params = ARRAY_SIZE(params) };

	*w = (struct world_of_one){};
	arena_init(&w->arena);
	intern_init(&w->names);
	sources_init(&w->sources, &w->arena);
	diags_init(&w->diags, &w->arena, &w->sources);
	config_defaults(&w->env.config);
	w->env.request = &request;
	lang_init(&w->lang, &w->arena, &w->names, &w->sources, &w->diags, &w->env);
}

static void end(struct world_of_one *w)
{
	lang_release(&w->lang);
	intern_release(&w->names);
	arena_release(&w->arena);
}

static bool dump(const char *text, size_t len, struct buf *out)
{
	struct world_of_one w;

	begin(&w);
	bool good = parse_script(&w.lang, sources_add(&w.sources, "fuzz", text, len));

	if (good)
		ast_dump(out, w.lang.script);
	else
		diags_render_text(&w.diags, out, false);
	if (!good && !w.diags.n_errors)
		abort(); /* refused without a reason */
	lang_prepare(&w.lang);
	end(&w);
	return good;
}

static bool format(const char *text, size_t len, struct buf *out)
{
	struct world_of_one w;

	begin(&w);
	bool good = format_script(&w.lang, sources_add(&w.sources, "fuzz", text, len), out);

	end(&w);
	return good;
}

static void same(const struct buf *a, const struct buf *b, const char *what)
{
	if (a->len == b->len && (!a->len || memcmp(a->s, b->s, a->len) == 0))
		return;
	fprintf(stderr, "%s\n---- once:\n%s\n---- twice:\n%s\n", what, a->s ? a->s : "",
		b->s ? b->s : "");
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf tree = {}, once = {}, twice = {}, tree_once = {};
	const char *text = size ? (const char *)data : "";

	if (dump(text, size, &tree) && format(text, size, &once)) {
		if (!format(once.s ? once.s : "", once.len, &twice))
			buf_puts(&twice, "(syntax error)");
		same(&once, &twice, "format is not stable");
		dump(once.s ? once.s : "", once.len, &tree_once);
		same(&tree, &tree_once, "format changed the tree");
	}
	buf_release(&tree);
	buf_release(&once);
	buf_release(&twice);
	buf_release(&tree_once);
	return 0;
}
