/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The example of every row compiles: for the kernel that is here, or for the interpreter where the
 * row claims no kernel and where the kernel may not be asked. What the machine does not have (a
 * cgroup tree, a symbol, a probe) is skipped and said.
 */
#include <unistd.h>

#include "builtin/builtin.h"
#include "session/session.h"
#include "tests/unit/tap.h"

static bool is_about_the_machine(u32 id)
{
	switch ((enum diag_id)id) {
	case D_NO_MATCH:
	case D_NO_BINARY:
	case D_NO_CGROUP:
	case D_NO_KSYM:
	case D_NO_USYM:
	case D_PROBE_FEATURE:
	case D_PROBE_REFUSED:
	case D_MISSING_FEATURE:
	case D_NO_ATTACH_POINTS:
	case D_NO_KERNEL_TYPES:
	case D_NO_FUNC:
	case D_UNSUPPORTED_PROBE: return true;
	default: return false; /* a mistake in the example */
	}
}

static const char *machine_lacks(const struct compiled *c)
{
	for (u32 i = 0; i < c->diags.list.n; i++)
		if (is_about_the_machine(c->diags.list.v[i]->id))
			return c->diags.list.v[i]->text;
	return NULL;
}

static void test_example(const struct builtin *b, bool use_vm)
{
	struct request q = { .script.name = b->name,
			     .script.text = b->example,
			     .script.len = strlen(b->example),
			     .compile.unsafe = true,
			     .engine.name = use_vm ? "interpreter" : NULL,
			     .traced.command = "true",
			     .compile.no_warnings = true };
	struct session_host host = { .themes = builtin_themes };
	struct compiled c;
	struct err err = { 0 };
	int ret = session_compile(&c, &q, &host, &err);
	const char *lacks = ret == 1 ? machine_lacks(&c) : NULL;

	if (lacks)
		skip("%s: %s", b->name, lacks);
	else
		is_int(ret, 0, "%s compiles%s: %s", b->name, use_vm ? " for the interpreter" : "",
		       b->example);
	if (ret && !lacks) {
		struct buf text = { 0 };

		diags_render_text(&c.diags, &text, false);
		tap_text("says", text.s ? text.s : err.text);
		buf_release(&text);
	}
	err_release(&err);
	compiled_release(&c);
}

int main(void)
{
	for (u32 t = 0; builtin_themes[t]; t++)
		for (u32 i = 0; i < builtin_themes[t]->n; i++) {
			const struct builtin *b = &builtin_themes[t]->rows[i];

			if (!*b->example)
				continue;
			if (b->engines & ON_PROCESS && starts_with(b->example, "begin"))
				test_example(b, true);
			if (geteuid() == 0)
				test_example(b, false);
			else
				skip("%s: only root can ask the kernel", b->name);
		}
	return done();
}
