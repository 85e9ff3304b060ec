/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros: hygiene, overloads, errors, limits. */
#include "check_kit.h"
#include "tap.h"

static void is_said(const char *text, const char *want)
{
	kit_check(text);
	if (!is_str(kit_said(), want, "%s", text))
		kit_show();
}

static void test_hygiene(void)
{
	is_said("macro m(e) { $t = e + 1; $t } begin { $t = \"a\"; $y = m(5); print($t); }", "");
	is_str(kit_var_type("t"), "string[2]", "the caller's variable is untouched");
	is_str(kit_var_type("y"), "int8", "the value of the body");
	is_said("macro m($v) { $v = \"longer\"; } begin { $a = \"b\"; m($a); }", "");
	is_str(kit_var_type("a"), "string[7]", "a variable may be changed");
	is_said("macro m(@m, k) { @m[k] = 1; } begin { m(@z, comm); }", "");
	is_str(kit_map("@z", true), "string[16]", "a map may be changed");
	is_said("macro m() { @x = 1; } begin { m(); }", "UNHYGIENIC_MAP");
	is_said("macro m(a) { let $q = a; { $q } } begin { $q = 1; print(m($q)); print(m($q)); }",
		"");
	is_said("macro m(a) { $unknown + a } begin { print(m(1)); }", "UNDEFINED_VAR");
	ok(strstr(kit_text(), ": $unknown") != NULL, "the name is shown as written");
	ok(strstr(kit_text(), "expanded from m here") != NULL, "and where it comes from");
}

static void test_choice(void)
{
	is_said("macro m() { 42 } begin { $a = m; $b = m(); }", "");
	is_said("macro f(x) { x } macro f(x, y) { \"s\" } begin { $a = f(1); $b = f(1, 2); }", "");
	is_str(kit_var_type("a"), "int8", "one argument");
	is_str(kit_var_type("b"), "string[2]", "two arguments");
	is_said("macro f(x) { 1 } macro f($x) { \"v\" } begin { $v = 1; $a = f($v); $b = f(2); }",
		"");
	is_str(kit_var_type("a"), "string[2]", "a variable is preferred as one");
	is_str(kit_var_type("b"), "int8", "an expression");
	is_said("macro f(x) { x } begin { f(1, 2); }", "MACRO_NO_MATCH");
	is_said("macro f(@m) { @m = 1; } begin { f(1); }", "MACRO_ARG");
	is_said("macro f($v) { $v = 1; } begin { f(@x); }", "MACRO_ARG");
	is_said("macro f(a) { 1 } macro f(a) { 2 } begin { $x = f(1); }", "REDEFINED");
	is_said("macro strlen(a) { 7 } begin { $x = strlen(5); $y = strlen(1); }", "");
	is_said("macro strlen(a, b) { 7 } begin { $x = strlen(\"a\"); }", "");
}

static void test_types(void)
{
	is_said("macro sz(t) { sizeof(t) } begin { $a = sz(typeof(uint32)); $b = sz(comm); }", "");
	is_said("macro as(t, v) { (t)v } begin { $a = as(typeof(uint16), 5); }", "");
	is_str(kit_var_type("a"), "uint16", "a cast to a type argument");
}

static void test_recursion(void)
{
	is_said("macro m(a) { m(a) } begin { m(1); }", "RECURSIVE_MACRO");
	is_said("macro a(x) { b(x) } macro b(x) { a(x) } begin { a(1); }", "RECURSIVE_MACRO");
	is_said("macro m(a) { a + 1 } begin { print(m(m(m(1)))); }", "");
	is_said("macro d(a) { a + a } begin { print(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(pid)))))))))))))))))))))"
		"; }",
		"MACRO_LIMIT");
}

static void test_depth(void)
{
	struct buf b = { 0 };

	buf_puts(&b, "macro m(a) { a");
	for (u32 i = 0; i < 400; i++)
		buf_puts(&b, " + pid");
	buf_puts(&b, " } begin { $x = ");
	for (u32 i = 0; i < 10; i++)
		buf_puts(&b, "m(");
	buf_puts(&b, "1)))))))))); }");
	kit_check(b.s);
	is_str(kit_said(), "MACRO_LIMIT", "deep expansions end");
	buf_release(&b);
}

static void test_functions(void)
{
	is_said("fn f($a: int64): int64 { return $a + 1; } begin { $x = f(f(2)); $a = \"s\"; }",
		"");
	is_str(kit_var_type("x"), "int64", "the result of a function");
	is_said("fn f($a: int32): uint8 { if ($a > 5) { return 1; } return $a; } begin { $x = f(pid); }",
		"");
	is_str(kit_var_type("x"), "uint8", "integers are cut to the declared result");
	is_said("fn f(): int64 { for $i : 0..9 { while (pid) { return 5; } } return 3; } begin { $x = f(); }",
		"OLD_WHILE");
	is_said("fn f($a: int64): void { print($a); } begin { f(5); }", "");
	is_said("fn f($a: int64): void { print($a); } begin { $x = f(5); }", "NO_VALUE");
	is_said("fn f($a: int64): int64 { return f($a); } begin { f(1); }", "RECURSIVE_FN");
	is_said("fn f($a: string): int64 { return 1; } begin { $x = f(5); }", "FN_ARG");
	is_said("fn f($a: int64): int64 { return $a; } begin { $x = f(); }", "ARG_COUNT");
}

int main(void)
{
	test_depth();
	test_functions();
	test_hygiene();
	test_choice();
	test_types();
	test_recursion();
	kit_end();
	return done();
}
