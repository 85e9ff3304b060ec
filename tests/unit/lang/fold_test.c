/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constant folding: values, types, overflow, dead branches. */
#include "check_kit.h"
#include "tap.h"

/* The initial value of $x in `begin { $x = EXPR; }` after the check. */
static struct node *folded(const char *expr)
{
	static char text[512];

	snprintf(text, sizeof text, "begin { $x = %s; }", expr);
	if (!kit_check(text)) {
		ok(false, "%s: %s", expr, kit_text());
		return NULL;
	}
	return kit_instances[0]->body->a->b;
}

static void is_folded(const char *expr, s64 value, const char *type)
{
	const struct node *n = folded(expr);

	if (!n)
		return;
	ok(n->kind == N_INT || n->kind == N_BOOL, "%s is a constant", expr);
	is_int(n->value, value, "%s", expr);
	is_str(type_str(&kit_arena, n->type), type, "type of %s", expr);
}

static void is_said(const char *expr, const char *want)
{
	static char text[512];

	snprintf(text, sizeof text, "begin { $x = %s; }", expr);
	kit_check(text);
	is_str(kit_said(), want, "%s", expr);
}

static void test_ints(void)
{
	is_folded("1 + 2 * 3", 7, "int8");
	is_folded("100 + 100", 200, "int16");
	is_folded("-5", -5, "int8");
	is_folded("-9223372036854775808", INT64_MIN, "int64");
	is_folded("0x7fffffffffffffff + 1", INT64_MIN, "uint64");
	is_folded("0xffffffffffffffff", -1, "uint64");
	is_folded("-7 / 2", -3, "int8");
	is_folded("-7 % 3", -1, "int8");
	is_folded("1 << 63", INT64_MIN, "uint64");
	is_folded("1 << 40", 1ll << 40, "int64");
	is_folded("~0 << 12", -4096, "uint64");
	is_folded("-3 << 62", 1ll << 62, "int64");
	is_folded("2 << 63", 0, "int8");
	is_folded("-8 >> 1", -4, "int8");
	is_folded("-8 >> 70", -1, "int8");
	is_folded("~0", -1, "uint64");
	is_folded("(uint8)257", 1, "uint8");
	is_folded("(int8)200", -56, "int8");
	is_folded("(uint64)3 + 4", 7, "uint64");
	is_folded("(uint64)3 - 4", -1, "int64");
	is_folded("(uint64)3 + (int64)-1", 2, "int64");
	is_folded("~(uint32)0", 0xffffffff, "uint64");
	is_folded("6 & 3 | 8 ^ 1", 11, "int8");
	is_folded("sizeof(uint32) * 2", 8, "uint64");
	is_folded("offsetof(struct task_struct, parent)", 24, "uint64");
	is_folded("(1 + 2) * (3 + 4)", 21, "int8");
	is_folded("SIGKILL + 1", 10, "int8");
}

static void test_bools(void)
{
	is_folded("1 < 2", 1, "bool");
	is_folded("-1 < 0xffffffffffffffff", 1, "bool");
	is_folded("!5", 0, "bool");
	is_folded("0 && pid", 0, "bool");
	is_folded("1 || nonsense", 1, "bool");
	is_folded("\"a\" == \"a\"", 1, "bool");
	is_folded("\"a\" != \"ab\"", 1, "bool");
	is_folded("1 && 2", 1, "bool");
	is_folded("true ? 3 : nonsense", 3, "int8");
	is_folded("field_exists(struct task_struct, parent)", 1, "bool");
	is_folded("field_exists(struct task_struct, parent.parent.nonsense)", 0, "bool");
	is_folded(
		"field_exists(struct task_struct, nonsense) ? ((struct task_struct *)0).nonsense : 3",
		3, "int8");
	is_folded("!field_exists(struct task_struct, nonsense) ? (int64)3 : nonsense", 3, "int64");
}

static void test_faults(void)
{
	is_said("0xffffffffffffffff * 2", "CONST_OVERFLOW");
	is_said("0xffffffffffffffff + 1", "CONST_OVERFLOW");
	is_said("-9223372036854775808 - 1", "CONST_OVERFLOW");
	is_said("1 / 0", "DIV_ZERO");
	is_folded("1 / 0", 0, "int8");
	is_folded("7 % 0", 7, "int8");
	is_said("pid / 0", "DIV_ZERO");
	is_said("(1 + nonsense) * 2", "UNKNOWN_NAME");
}

static void test_params(void)
{
	static const char *const words[] = { "12", "abc", "-3", "0x10" };

	kit_params = words;
	kit_n_params = 4;
	is_folded("$1 + 1", 13, "int8");
	is_folded("$3", -3, "int8");
	is_folded("$4", 16, "int8");
	is_folded("$#", 4, "int8");
	is_folded("$2 == \"abc\"", 1, "bool");
	is_folded("$1 == \"12\"", 1, "bool");
	is_folded("$9 == \"\"", 1, "bool");
	is_said("$9", "PARAM_UNSET");
	is_folded("$9", 0, "int8");
	is_str(folded("str($1)")->str, "12", "str() of a numeric parameter is its text");
	is_str(folded("$2 + 1")->str, "bc", "skipping characters of a parameter");
	kit_n_params = 0;
}

static void test_branches(void)
{
	ok(!kit_check("begin { if (1 == 2) { nonsense; } else { $y = 1; } }"),
	   "dead branches are checked");
	ok(kit_check("begin { if (1 == 2) { $y = 2; } else { $y = 1; } }"), "they may be right");
	ok(!kit_instances[0]->body->a->b->a, "and empty afterwards");
	ok(kit_check("begin { if comptime (is_str(comm)) { $y = 1; } else { nonsense; } }"),
	   "those of comptime are not");
	ok(!kit_check("begin { if comptime (pid == 1) { $y = 1; } }"), "comptime needs a constant");
	is_str(kit_said(), "NOT_CONST", "and says so");
}

int main(void)
{
	test_ints();
	test_bools();
	test_faults();
	test_params();
	test_branches();
	kit_end();
	return done();
}
