/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of all forms of the grammar, and diagnostics for other text. */
#include "lang/parse.h"
#include "lang_test.h"

static struct fixture f;

/* One expression in the compact form (op a b). */
static void show(struct buf *b, const struct node *n);

static void show_list(struct buf *b, const struct node *n)
{
	for (; n; n = n->next) {
		buf_putc(b, ' ');
		show(b, n);
	}
}

static void show_type(struct buf *b, const struct type_ref *t)
{
	if (!t)
		return;
	buf_printf(b, " <%s%s", t->tag ? (char[]){ (char)t->tag, ' ', 0 } : "",
		   t->name ? t->name : "typeof");
	if (t->of)
		show_list(b, t->of);
	show_type(b, t->of_type);
	for (u32 i = 0; i < t->suffix.n; i++)
		if (t->suffix.v[i] == -1)
			buf_putc(b, '*');
		else
			buf_printf(b, "[%lld]", (long long)t->suffix.v[i]);
	buf_putc(b, '>');
}

static void show_head(struct buf *b, const struct node *n)
{
	static const char *const words[N_NODE_KINDS] = {
		[N_COND] = "?",
		[N_INDEX] = "[]",
		[N_CAST] = "cast",
		[N_SIZEOF] = "sizeof",
		[N_OFFSETOF] = "offsetof",
		[N_FIELD_EXISTS] = "field_exists",
		[N_TYPEINFO] = "typeinfo",
		[N_COMPTIME] = "comptime",
		[N_TUPLE] = "tuple",
		[N_RECORD] = "record",
		[N_TYPE] = "type",
		[N_BLOCK_EXPR] = "value",
		[N_EXPR] = "do",
		[N_ASSIGN] = "set",
		[N_LET] = "let",
		[N_IF] = "if",
		[N_BLOCK] = "block",
	};

	if (n->kind == N_UNARY || n->kind == N_BINARY || n->kind == N_INCDEC)
		buf_puts(b, op_text(n->op));
	else if (n->kind == N_CALL || n->kind == N_NAMED)
		buf_printf(b, "%s%s", n->name, n->kind == N_NAMED ? "=" : "");
	else if (n->kind == N_FIELD)
		n->name ? buf_printf(b, ".%s", n->name) :
			  buf_printf(b, ".%lld", (long long)n->value);
	else if (n->kind == N_MAP)
		buf_printf(b, "@%s", n->name);
	else
		buf_puts(b, words[n->kind] ? words[n->kind] : "OTHER");
}

static void show(struct buf *b, const struct node *n)
{
	switch ((int)n->kind) {
	case N_INT: buf_printf(b, "%lld", (long long)n->value); return;
	case N_BOOL: buf_puts(b, n->value ? "true" : "false"); return;
	case N_STR: buf_printf(b, "\"%s\"", n->str); return;
	case N_IDENT: buf_puts(b, n->name); return;
	case N_VAR: buf_printf(b, "$%s", n->name); return;
	case N_PARAM: buf_printf(b, "$%lld", (long long)n->value); return;
	case N_MAP:
		if (!n->a) {
			buf_printf(b, "@%s", n->name);
			return;
		}
		break;
	default: break;
	}
	buf_putc(b, '(');
	show_head(b, n);
	show_type(b, n->tref);
	show_list(b, n->a);
	show_list(b, n->b);
	show_list(b, n->c);
	buf_putc(b, ')');
}

static void expr(const char *text, const char *want)
{
	fixture_begin(&f);

	struct source *src = fixture_source(&f, text);
	struct node *n = parse_expression_range(&f.lang, src, 0, src->len);

	buf_puts(&f.out, "");
	if (n)
		show(&f.out, n);
	else
		fixture_names(&f);
	is_str(f.out.s, want, "expression %s", text);
	fixture_end(&f);
}

static void test_operators(void)
{
	expr("1 + 2 * 3", "(+ 1 (* 2 3))");
	expr("1 - 2 - 3", "(- (- 1 2) 3)");
	expr("a || b && c | d ^ e & f == g < h << i + j * k",
	     "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))");
	expr("-$x * !~$y", "(* (- $x) (! (~ $y)))");
	expr("*$p.x", "(* (.x $p))");
	expr("&$x + &@m[1]", "(+ (& $x) (& (@m 1)))");
	expr("- -$x", "(- (- $x))");
	expr("$x++ + ++@a[1]", "(+ (++ $x) (++ (@a 1)))");
	expr("a ? b : c ? d : e", "(? a b (? c d e))");
	expr("a ?: b", "(? a b)");
	expr("(1 + 2) * 3", "(* (+ 1 2) 3)");
	expr("a / b / c", "(/ (/ a b) c)");
}

static void test_postfix(void)
{
	expr("args.a.b->c", "(.c (.b (.a args)))");
	expr("$x.0.1", "(.1 (.0 $x))");
	expr("args.config", "(.config args)");
	expr("$a[1][2].x", "(.x ([] ([] $a 1) 2))");
	expr("@a[1, \"x\"]", "(@a 1 \"x\")");
	expr("@a[(1, 2)]", "(@a (tuple 1 2))");
	expr("@[kstack]", "(@ kstack)");
	expr("@x[1][2]", "([] (@x 1) 2)");
	expr("f(1, a=2, b=(50, 99.9))", "(f 1 (a= 2) (b= (tuple 50 \"99.9\")))");
	expr("f()", "(f)");
	expr("config()", "(config)");
	expr("f(struct foo, int32 *, typeof($x))",
	     "(f (type <s foo>) (type <int32*>) (type <typeof $x>))");
}

static void test_parens(void)
{
	expr("()", "(tuple)");
	expr("(1,)", "(tuple 1)");
	expr("(1, 2,)", "(tuple 1 2)");
	expr("(a=1, b=(c=2))", "(record (a= 1) (b= (record (c= 2))))");
	expr("(a == 1)", "(== a 1)");
	expr("(uint8)x", "(cast <uint8> x)");
	expr("(uint8)-1", "(cast <uint8> (- 1))");
	expr("(x) - 1", "(- x 1)");
	expr("(x) & 1", "(& x 1)");
	expr("(size_t)*$p", "(cast <size_t> (* $p))");
	expr("(x)", "x");
	expr("(struct foo *)x", "(cast <s foo*> x)");
	expr("(struct foo **)$x->y", "(cast <s foo**> (.y $x))");
	expr("((struct foo *)x)->y", "(.y (cast <s foo*> x))");
	expr("(foo *)-1", "(cast <foo*> (- 1))");
	expr("(int32[4])$x", "(cast <int32[4]> $x)");
	expr("(int8[])$x", "(cast <int8[-2]> $x)");
	expr("(string[16])$x", "(cast <string[16]> $x)");
	expr("(enum e)5", "(cast <e e> 5)");
	expr("(unsigned long)x", "(cast <uint64> x)");
	expr("(typeof($x))5", "(cast <typeof $x> 5)");
	expr("(uint64)(a)", "(cast <uint64> a)");
	expr("(uint8)(uint16)x", "(cast <uint8> (cast <uint16> x))");
}

static void test_meta(void)
{
	expr("sizeof(struct foo)", "(sizeof <s foo>)");
	expr("sizeof(x[1])", "(sizeof <x[1]>)");
	expr("sizeof((x)[1])", "(sizeof ([] x 1))");
	expr("sizeof($x + 1)", "(sizeof (+ $x 1))");
	expr("sizeof(uint64)", "(sizeof <uint64>)");
	expr("sizeof(param)", "(sizeof param)");
	expr("offsetof(struct foo, a.b)", "(offsetof <s foo> (.b a))");
	expr("offsetof($x, a)", "(offsetof $x a)");
	expr("field_exists(struct foo, a.b)", "(field_exists <s foo> (.b a))");
	expr("typeinfo(int32)", "(typeinfo <int32>)");
	expr("comptime 1 + 2", "(+ (comptime 1) 2)");
	expr("if a { 1 } else { 2 }", "(? a (value 1) (value 2))");
	expr("if a { 1 } else if b { 2 } else { 3 }", "(? a (value 1) (? b (value 2) (value 3)))");
	expr("if a { 1 }", "(? a (value 1) (value))");
	expr("{ $x = 1; $x }", "(value (set $x 1) $x)");
	expr("{ if a { 1 } else { 2 } }", "(value (? a (value 1) (value 2)))");
	expr("{ if a { 1 } else { 2 }; }", "(value (if a (block (do 1)) (block (do 2))))");
	expr("{ $x = 1; }", "(value (set $x 1))");
}

static void test_bad_expressions(void)
{
	expr("1 +", "EXPECTED_EXPR");
	expr("(1", "EXPECTED");
	expr("1 2", "EXPECTED");
	expr("f(1", "EXPECTED");
	expr("(a = 1, 2)", "EXPECTED");
	expr("@x[]", "EMPTY_KEY");
	expr("pid++", "NEEDS_LVALUE");
	expr("&5", "ADDRESS_OF");
	expr("1.5", "FLOAT_LITERAL");
	expr("$x.0x1", "INDEX_DIGITS");
	expr("$x = 1", "EXPECTED");
	expr("", "EXPECTED_EXPR");
}

static void dumps(const char *text, const char *want)
{
	if (!ok(fixture_parse(&f, text), "parses: %s", text))
		note("%s", fixture_messages(&f));
	is_str(fixture_dump(&f), want, "tree of: %s", text);
	fixture_end(&f);
}

static void test_statements(void)
{
	dumps("begin { let $x: uint8 = 1; $x += 2; _ = $x; @a++ }",
	      "probe begin\n  block\n    let\n      as uint8\n      var $x\n      int 1\n    assign +=\n"
	      "      var $x\n      int 2\n    discard\n      var $x\n    expr\n      step ++\n        map @a\n");
	dumps("begin { for ($kv : @m) { break; } for $i : 0..10 { continue } while (1) { return } }",
	      "probe begin\n  block\n    for\n      var $kv\n      map @m\n      block\n        break\n    for\n"
	      "      var $i\n      int 0\n      block\n        continue\n      int 10\n    while\n      int 1\n"
	      "      block\n        return\n");
	dumps("begin { if $x { } else if ($y) { } unroll 5 { } { $z = 1 } }",
	      "probe begin\n  block\n    if\n      var $x\n      block\n      if\n        var $y\n        block\n"
	      "    unroll\n      int 5\n      block\n    block\n      assign =\n        var $z\n        int 1\n");
	dumps("begin { if (5 == $x) { } if foo(1) { } if @m[1] { } }",
	      "probe begin\n  block\n    if\n      binary ==\n        int 5\n        var $x\n      block\n    if\n"
	      "      call foo\n        int 1\n      block\n    if\n      map @m\n        int 1\n      block\n");
}

static const struct attach *attach_of(const char *text)
{
	static const struct attach none;
	static const char *const params[] = { "10", "/bin/sh" };
	static const struct request request = { .script.params = params, .script.n_params = 2 };

	fixture_begin(&f);
	f.env.request = &request;
	if (!ok(parse_script(&f.lang, fixture_source(&f, text)), "parses: %s", text))
		note("%s", fixture_messages(&f));
	return f.lang.script->clauses ? f.lang.script->clauses->attaches : &none;
}

static void attach(const char *text, const char *want)
{
	is_str(attach_of(text)->text, want, "attach point of: %s", text);
	fixture_end(&f);
}

static void test_attach(void)
{
	attach("BEGIN{}", "BEGIN");
	attach("BEGIN/1/{}", "BEGIN");
	attach("uprobe:/bin/sh:f{}", "uprobe:/bin/sh:f");
	attach("uprobe:/bin/sh:f /pid/ {}", "uprobe:/bin/sh:f");
	attach("uprobe:/a:\"f(int, {})\" {}", "uprobe:/a:\"f(int, {})\"");
	attach("uprobe:/a:\"q\\\"x\" {}", "uprobe:/a:\"q\\\"x\"");
	attach("interval:s:$1 {}", "interval:s:10");
	attach("uprobe:$2:\"$1\"{}", "uprobe:/bin/sh:\"$1\"");
	attach("interval:s:$# {}", "interval:s:2");
	attach("tracepoint:sched:*, {}", "tracepoint:sched:*");
	attach("*ware:* {}", "*ware:*");
	attach("uprobe:/bin/a@/src/f.c:12 {}", "uprobe:/bin/a@/src/f.c:12");
	attach("hardware:cycles: {}", "hardware:cycles:");
	attach("kprobe:f/pid == 1/{}", "kprobe:f");
	attach("kprobe:f/pid==1 / {}", "kprobe:f");
	attach("uprobe:/bin/sh:f/pid == 1/{}", "uprobe:/bin/sh:f");
	attach("uprobe:/bin/sh /pid == 1/{}", "uprobe:/bin/sh");
	attach("uprobe:./a/b:f /pid/ {}", "uprobe:./a/b:f");
	attach("uprobe:a/b:f /pid/ {}", "uprobe:a/b:f");
	attach("uprobe:/bin/sh@src/a.c:12 /pid/ {}", "uprobe:/bin/sh@src/a.c:12");

	is_str(attach_of("me=kprobe:f {}")->user_name, "me", "a probe's own name");
	fixture_end(&f);
	is_str(attach_of("a:b, // c\n c:d /1/ {}")->next->text, "c:d", "the second of a list");
	fixture_end(&f);
}

static void test_predicates(void)
{
	dumps("a:b / 4 / 2 == 2 / { }",
	      "probe a:b\n  predicate\n    binary ==\n      binary /\n        int 4\n        int 2\n      int 2\n"
	      "  block\n");
	dumps("a:b /pid/ // note\n { $x = 4 / 2 }",
	      "probe a:b\n  predicate\n    ident pid\n  block\n    assign =\n      var $x\n      binary /\n"
	      "        int 4\n        int 2\n");
}

static void test_old_type(void)
{
	dumps("a:b { let $x: struct s *= 0 }",
	      "probe a:b\n  block\n    let\n      as struct s*\n      var $x\n      int 0\n");
}

static void test_head(void)
{
	dumps("#!/usr/bin/env sonde\n#define A 1\nstruct x { int y; }\nconfig = { a = b; c = 5; d = \"e\" }\n"
	      "import \"i.bt\";\nlet @m = hash(10)\nbegin { }",
	      "C #define A 1\nC struct x { int y; }\nconfig a = b\nconfig c = 5\nconfig d = e\nimport i.bt\n"
	      "map @m = hash\n  int 10\nprobe begin\n  block\n");
	fixture_parse(&f, "config = { a = 1 b = 2 } begin { }");
	is_str(fixture_names(&f), "MISSING_SEMICOLON", "config keys are separated");
	fixture_end(&f);
}

static void test_items(void)
{
	dumps("macro m($a, @b, c) { $a + c } fn f($x: int64): string[8] { return \"\"; }",
	      "macro m $a @b c\n  block-value\n    binary +\n      var $a\n      ident c\nfn f\n  let\n"
	      "    as int64\n    var $x\n  as string[8]\n  block\n    return\n      string \"\"\n");
	fixture_parse(&f, "macro m() { } begin { } macro n() { }");
	ok(f.lang.script->macros->next != NULL && f.lang.script->clauses,
	   "declarations in any order");
	fixture_end(&f);
}

static void bad(const char *text, const char *want)
{
	bool good = fixture_parse(&f, text);

	is_str(fixture_names(&f), want, "mistakes in: %s", text);
	ok(!good, "and it is refused");
	fixture_end(&f);
}

static void test_errors(void)
{
	bad("begin { $x = 1\n $y = 2; }", "MISSING_SEMICOLON");
	bad("begin { printf(\"a\" 1); $x = ; print(2) }", "EXPECTED EXPECTED_EXPR");
	bad("begin { print(1;\n print(2; }", "EXPECTED EXPECTED");
	bad("begin { if ($x = 1) { print(\"\\q\"); } }", "EXPECTED BAD_ESCAPE");
	bad("begin { if $x == 1 { } }", "EXPECTED");
	bad("begin { if (1) {\n print(1);\n", "MISSING_BRACE");
	bad("begin {\n print(1);\nkprobe:f { $x = ; }\n", "MISSING_BRACE EXPECTED_EXPR");
	bad("begin {\n if (1) {\n print(1);\nend { $x = ; }\n", "MISSING_BRACE EXPECTED_EXPR");
	bad("begin { } }", "STRAY_BRACE");
	bad("begin { pid = 1; $x.0 = 2; }", "ASSIGN_TARGET ASSIGN_PART");
	bad("begin { for ($i : 10) { } }", "FOR_OVER");
	bad("begin { else { } }", "LONE_ELSE");
	bad("a:b /pid = 1/ { $x = ; }", "EXPECTED EXPECTED_EXPR");
	bad("a:b c:d { } begin { $x = ; }", "EXPECTED EXPECTED_EXPR");
	bad(", { } begin { $x = ; }", "EXPECTED_PROBE EXPECTED_EXPR");
	bad("begin { } struct x { int y; };", "C_ORDER");
	bad("begin { }\n#include <x.h>\n", "C_ORDER");
	bad("begin { } config = { a = 1 }", "CONFIG_ORDER");
	bad("config = { a = 1 } config = { a = 1 } begin { }", "CONFIG_TWICE");
	bad("begin { } import \"x\";", "IMPORT_ORDER");
	bad("let $x = 1; begin { }", "ROOT_LET");
	bad("macro m(1) { } begin { $x = ; }", "MACRO_PARAM EXPECTED_EXPR");
	bad("interval:s:$1 { }", "ATTACH_PARAM");
	bad("struct x { int y; ", "C_UNFINISHED");
	bad("begin { $x = \"abc }\n end { }", "UNTERMINATED_STRING");
	bad("begin { $x = \"abc }\nend { $x = ; }", "UNTERMINATED_STRING EXPECTED_EXPR");
}

static void test_limits(void)
{
	struct buf b = { 0 };

	buf_puts(&b, "begin { $x = ");
	buf_pad(&b, '(', 100000);
	bad(b.s, "TOO_DEEP");
	buf_clear(&b);
	buf_puts(&b, "begin ");
	buf_pad(&b, '{', 100000);
	bad(b.s, "TOO_DEEP");
	buf_clear(&b);
	buf_puts(&b, "begin { $x = 1");
	for (u32 i = 0; i < 5000; i++)
		buf_puts(&b, " + 1");
	buf_puts(&b, " }");
	bad(b.s, "TOO_LONG");
	buf_clear(&b);
	buf_puts(&b, "begin { $x = $y");
	for (u32 i = 0; i < 5000; i++)
		buf_puts(&b, ".a");
	buf_puts(&b, " }");
	bad(b.s, "TOO_LONG");
	buf_clear(&b);
	buf_puts(&b, "begin { $x = 1");
	for (u32 i = 0; i < 900; i++)
		buf_puts(&b, " + 1");
	buf_puts(&b, " }");
	ok(fixture_parse(&f, b.s), "900 additions are fine");
	fixture_end(&f);
	buf_release(&b);
}

static void test_many_errors(void)
{
	struct buf b = { 0 };

	buf_puts(&b, "begin {");
	for (u32 i = 0; i < 1000; i++)
		buf_puts(&b, " $x = ;");
	buf_puts(&b, " }");
	fixture_parse(&f, b.s);
	is_int(f.diags.n_errors, DIAG_MAX_ERRORS, "the parser stops after many errors");
	fixture_end(&f);
	buf_release(&b);
}

static void test_messages(void)
{
	fixture_parse(&f, "begin {\n  if $x == 1 { }\n}");
	is_str(fixture_messages(&f),
	       "t.bt:2:9-11: ERROR: syntax: expected '{' [E0120]\n"
	       "      if $x == 1 { }\n"
	       "            ~~\n"
	       "  help: found \"==\" after the condition\n"
	       "  help: put the whole condition in parentheses\n",
	       "a condition without parentheses");
	fixture_end(&f);
	fixture_parse(&f, "tracepoint:a:b { print(args->x, args->y); }");
	is_str(fixture_names(&f), "OLD_ARROW", "one note about old spelling");
	fixture_end(&f);
}

/* Every example of the rows that the parser reports provokes its row. */
static void test_rows(void)
{
	for (u32 i = 0; i < N_DIAG; i++) {
		const struct diag_row *row = &diag_rows[i];
		bool found = false;

		if (row->num <= 100 || row->num > 199 || !*row->example)
			continue;
		if (fixture_parse(&f, row->example))
			lang_prepare(&f.lang);
		for (u32 k = 0; k < f.diags.list.n; k++)
			found |= f.diags.list.v[k]->id == i;
		if (!ok(found, "example of %s: %.60s", row->name, row->example))
			note("%s", fixture_messages(&f));
		fixture_end(&f);
	}
}

int main(void)
{
	test_rows();
	test_operators();
	test_postfix();
	test_parens();
	test_meta();
	test_bad_expressions();
	test_statements();
	test_attach();
	test_predicates();
	test_old_type();
	test_head();
	test_items();
	test_errors();
	test_limits();
	test_many_errors();
	test_messages();
	return done();
}
