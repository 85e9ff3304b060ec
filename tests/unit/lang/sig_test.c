/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures of builtin rows: the parsed arguments, and the errors that are detected. */
#include "lang/sig.h"
#include "tap.h"

static struct arena arena;

static struct sig parse(const char *text)
{
	struct sig sig;
	const char *error = "";

	if (!sig_parse(&arena, text, &sig, &error))
		ok(false, "%s: %s", text, error);
	return sig;
}

static void is_error(const char *text, const char *want)
{
	struct sig sig;
	const char *error = "";

	ok(!sig_parse(&arena, text, &sig, &error), "%s is refused", text);
	is_str(error, want, "why");
}

static void test_good(void)
{
	struct sig s = parse("pid -> u32");

	is_int(s.n_args, 0, "a variable has no arguments");
	ok(!s.has_parens, "and no parentheses");
	is_str(s.result, "u32", "its type");
	s = parse("str(addr: ptr|int|string|array, len: int = 0) -> string");
	is_int(s.n_args, 2, "str has two arguments");
	is_int(s.n_required, 1, "one of them required");
	is_int(s.args[0].kinds, AK_PTR | AK_INT | AK_STRING | AK_ARRAY, "kinds of the first");
	ok(s.args[1].has_default, "the second has a default");
	is_str(s.args[1].dflt, "0", "which is 0");
	s = parse("printf(fmt: lit string, ...)");
	ok(s.is_variadic && s.args[0].lit_kinds == s.args[0].kinds, "a literal, then any number");
	is_str(s.result, "", "no result");
	s = parse("print(what: any|map, top: lit int = 0, div: lit int = 0)");
	is_int(s.args[0].kinds, AK_ANY | AK_MAP, "any or map");
	s = parse("join(a: ptr, sep: lit string = \", (x)\") -> void");
	is_str(s.args[1].dflt, "\", (x)\"", "a default with a comma and a parenthesis in quotes");
	is_int(s.n_args, 2, "is one default");
	s = parse("f ( ) -> struct task_struct *");
	is_str(s.result, "struct task_struct *", "a result of several words");
	s = parse("nsecs(clock: name = boot) -> u64");
	is_int(s.args[0].kinds, AK_NAME, "a bare word");
}

static void test_bad(void)
{
	is_error("", "expected a name");
	is_error("f(a)", "an argument needs ':' and a kind");
	is_error("f(a: what)", "unknown kind of argument");
	is_error("f(a: int = 1, b: int)", "an argument without default after one with");
	is_error("f(..., a: int)", "nothing may follow '...'");
	is_error("f(a: int", "expected ',' or ')'");
	is_error("f() ->", "expected a type after '->'");
	is_error("f() u32", "unexpected text at the end");
	is_error("f(: int)", "an argument needs a name");
}

int main(void)
{
	test_good();
	test_bad();
	is_str(sig_kinds_text(&arena, AK_INT | AK_STRING), "int or string", "kinds in words");
	arena_release(&arena);
	return done();
}
