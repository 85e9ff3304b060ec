/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Diagnostics: the rows, what is kept, and the two renderings. */
#include "base/diag.h"
#include "tap.h"

static const char script[] = "BEGIN { }\n"
			     "\tx = \"\xc3\xa9\";\ty\n"
			     "kprobe:f { @x = foo(1); }\n";

static struct arena arena;
static struct sources sources;
static struct diags diags;

static void start(void)
{
	arena_release(&arena);
	sources_init(&sources, &arena);
	sources_add(&sources, "f.bt", script, sizeof script - 1);
	diags_init(&diags, &arena, &sources);
}

static struct span span_of(const char *what)
{
	return (struct span){ (u32)(strstr(script, what) - script) + 1, (u32)strlen(what) };
}

static void is_text(bool color, const char *want, const char *name)
{
	struct buf b = { 0 };

	diags_render_text(&diags, &b, color);
	is_str(b.s ? b.s : "", want, "%s", name);
	buf_release(&b);
}

static void test_rows(void)
{
	char code[8];

	is_str(diag_code(D_SYNTAX, code), "E0100", "code of an error");
	for (u32 i = 0; i < N_DIAG; i++) {
		const struct diag_row *row = &diag_rows[i];
		bool unique = true;

		for (u32 j = 0; j < i; j++)
			unique &= row->num != diag_rows[j].num;
		ok(unique, "%s has a number of its own", row->name);
		ok(row->num && row->num < 10000 && *row->fmt && *row->doc && row->example,
		   "%s is complete", row->name);
		ok(!ends_with(row->fmt, "\n"), "%s ends without a newline", row->name);
	}
}

static void test_text(void)
{
	start();
	is_text(false, "", "nothing to say");

	struct diag *d = diag_report(&diags, span_of("foo(1)"), D_SYNTAX, "bad call");

	diag_help(&diags, d, "did you mean \"%s\"?", "bar");
	diag_help(&diags, d, "or not");
	diag_note(&diags, d, span_of("BEGIN"), "declared %s", "here");
	diag_note(&diags, d, (struct span){ 0 }, "no place");
	is_text(false,
		"f.bt:3:17-23: ERROR: syntax: bad call [E0100]\n"
		"    kprobe:f { @x = foo(1); }\n"
		"                    ~~~~~~\n"
		"  help: did you mean \"bar\"?\n"
		"  help: or not\n"
		"f.bt:1:1-6: note: declared here\n"
		"    BEGIN { }\n"
		"    ~~~~~\n"
		"note: no place\n",
		"an error with help and notes");

	start();
	diag_report(&diags, span_of("y"), D_SYNTAX, "tabs");
	diag_report(&diags, span_of("\xc3\xa9"), D_SYNTAX, "utf-8");
	diag_report(&diags, span_of("x = \""), D_SYNTAX, "%s");
	is_text(false,
		"f.bt:2:2-7: ERROR: syntax: %s [E0100]\n"
		"        x = \"\xc3\xa9\";    y\n"
		"        ~~~~~\n"
		"f.bt:2:7-9: ERROR: syntax: utf-8 [E0100]\n"
		"        x = \"\xc3\xa9\";    y\n"
		"             ~\n"
		"f.bt:2:12-13: ERROR: syntax: tabs [E0100]\n"
		"        x = \"\xc3\xa9\";    y\n"
		"                    ~\n",
		"sorted by place; tabs and UTF-8 are aligned");

	start();
	diag_report(&diags, (struct span){ sizeof script, 0 }, D_SYNTAX, "end");
	diag_report(&diags, (struct span){ 7, 8 }, D_SYNTAX, "lines");
	diag_report(&diags, (struct span){ 0 }, D_SYNTAX, "nowhere");
	is_text(false,
		"ERROR: syntax: nowhere [E0100]\n"
		"f.bt:1-2: ERROR: syntax: lines [E0100]\n"
		"    BEGIN { }\n"
		"        x = \"\xc3\xa9\";    y\n"
		"f.bt:4:1-2: ERROR: syntax: end [E0100]\n"
		"    \n"
		"    ~\n",
		"nowhere, two lines, end of file");

	start();
	diag_report(&diags, span_of("BEGIN"), D_SYNTAX, "x");
	is_text(true,
		"f.bt:1:1-6: \033[1;31mERROR:\033[0m \033[1msyntax: x\033[0m [E0100]\n"
		"    BEGIN { }\n"
		"    \033[1;31m~~~~~\033[0m\n",
		"color");
}

static void test_kept(void)
{
	start();
	struct diag *d = diag_report(&diags, span_of("y"), D_SYNTAX, "a");
	struct diag *again = diag_report(&diags, span_of("y"), D_SYNTAX, "a");

	ok(again && again != d, "a repetition returns an object of its own");
	diag_help(&diags, again, "unseen");
	is_int(diags.n_errors, 1, "a repetition is not counted");
	diag_report(&diags, span_of("y"), D_SYNTAX, "b");
	is_int(diags.n_errors, 2, "another text is");
	is_int(d->help.n, 0, "help for the repetition goes nowhere");

	diags.muted = true;
	d = diag_report(&diags, span_of("x"), D_SYNTAX, "c");
	diag_note(&diags, d, span_of("x"), "unseen");
	diags.muted = false;
	ok(diags.n_errors == 2 && diags.list.n == 2, "muted reports are not kept");

	for (u32 i = 1; i <= 30; i++)
		diag_report(&diags, (struct span){ i, 1 }, D_SYNTAX, "many");
	is_int(diags.n_errors, 32, "all errors are counted");
	is_int(diags.list.n, DIAG_MAX_ERRORS, "no more than the limit are kept");

	struct buf b = { 0 };

	diags_render_text(&diags, &b, false);
	ok(ends_with(b.s, "\n12 more errors\n"), "the rest is mentioned");
	buf_release(&b);
}

/* Whether up to four strings are what the format wants. */
static bool wants_strings(const char *fmt)
{
	u32 n = 0;

	while ((fmt = strchr(fmt, '%')))
		if (*++fmt != 's' || ++n > 4)
			return false;
	return true;
}

static void test_warnings(void)
{
	enum diag_id id = 0;

	while (id < N_DIAG &&
	       (diag_rows[id].severity != SEV_WARNING || !wants_strings(diag_rows[id].fmt)))
		id++;
	if (id == N_DIAG) {
		skip("no row is a plain warning yet");
		return;
	}
	start();
	diag_report(&diags, span_of("BEGIN"), id, "a", "b", "c", "d");
	diag_report(&diags, span_of("y"), D_SYNTAX, "later");
	ok(diags.n_warnings == 1 && diags.n_errors == 1, "warnings are counted apart");

	struct buf b = { 0 };

	diags_render_text(&diags, &b, false);
	ok(starts_with(b.s, "f.bt:2:") && strstr(b.s, "f.bt:1:1-6: WARNING: "), "errors first");
	buf_release(&b);

	start();
	diags.no_warnings = true;
	diag_report(&diags, span_of("BEGIN"), id, "a", "b", "c", "d");
	ok(!diags.list.n && !diags.n_warnings, "no warnings when not wanted");
}

static void test_json(void)
{
	struct buf b = { 0 };

	start();
	struct diag *d = diag_report(&diags, span_of("foo"), D_SYNTAX, "\"foo\"");

	diag_help(&diags, d, "one");
	diag_help(&diags, d, "two");
	diag_report(&diags, (struct span){ 0 }, D_SYNTAX, "nowhere");
	diag_report(&diags, (struct span){ 7, 8 }, D_SYNTAX, "lines");
	diags_render_json(&diags, &b);
	is_str(b.s,
	       "{\"id\":\"E0100\",\"severity\":\"error\",\"file\":null,\"line\":null,\"col\":null,"
	       "\"endcol\":null,\"message\":\"syntax: nowhere\",\"help\":[]}\n"
	       "{\"id\":\"E0100\",\"severity\":\"error\",\"file\":\"f.bt\",\"line\":1,\"col\":7,"
	       "\"endcol\":10,\"message\":\"syntax: lines\",\"help\":[]}\n"
	       "{\"id\":\"E0100\",\"severity\":\"error\",\"file\":\"f.bt\",\"line\":3,\"col\":17,"
	       "\"endcol\":20,\"message\":\"syntax: \\\"foo\\\"\",\"help\":[\"one\",\"two\"]}\n",
	       "json");
	buf_release(&b);
}

int main(void)
{
	test_rows();
	test_text();
	test_kept();
	test_warnings();
	test_json();
	arena_release(&arena);
	return done();
}
