/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde fmt: layouts; a second run changes nothing, and the tree stays the same. */
#include "lang_test.h"

static char *format(const char *text)
{
	struct fixture f;
	struct buf out = { 0 };

	fixture_begin(&f);
	buf_puts(&out, "");
	if (!format_script(&f.lang, fixture_source(&f, text), &out))
		buf_puts(&out, fixture_messages(&f));
	fixture_end(&f);
	return buf_steal(&out);
}

static char *tree(const char *text)
{
	struct fixture f;
	char *s;

	fixture_parse(&f, text);
	s = xstrdup(fixture_dump(&f));
	fixture_end(&f);
	return s;
}

static void same(const char *text)
{
	char *once = format(text), *twice = format(once), *before = tree(text), *after = tree(once);

	is_str(twice, once, "twice is once");
	is_str(after, before, "the tree stays");
	free(once);
	free(twice);
	free(before);
	free(after);
}

static void layout(const char *text, const char *want)
{
	char *got = format(text);

	is_str(got, want, "layout of: %s", text);
	free(got);
	same(text);
}

static void body(const char *text, const char *want)
{
	struct buf in = { 0 }, out = { 0 };

	buf_printf(&in, "begin{%s}", text);
	buf_printf(&out, "begin\n{\n\t%s\n}\n", want);
	layout(in.s, out.s);
	buf_release(&in);
	buf_release(&out);
}

static void test_items(void)
{
	layout("", "");
	layout("BEGIN{@=count()}", "BEGIN\n{\n\t@ = count();\n}\n");
	layout("a:b,c:d/pid==1/{exit()}", "a:b,\nc:d\n/pid == 1/\n{\n\texit();\n}\n");
	layout("begin{}end{}", "begin\n{}\n\nend\n{}\n");
	layout("#!/bin/x\n#define A 1\nstruct a { int x; }\n\n\n\nbegin{}",
	       "#!/bin/x\n#define A 1\nstruct a { int x; }\n\nbegin\n{}\n");
	layout("config={a=b;c=\"d\"}begin{}",
	       "config = {\n\ta = b;\n\tc = \"d\";\n}\n\nbegin\n{}\n");
	layout("import \"x\";let @m=hash(5);begin{}",
	       "import \"x\";\nlet @m = hash(5);\n\nbegin\n{}\n");
	layout("macro m($a,@b,c){$a+c}begin{}", "macro m($a, @b, c) { $a + c }\n\nbegin\n{}\n");
	layout("fn f($a:int64):string[8]{return \"\"}",
	       "fn f($a: int64): string[8] {\n\treturn \"\";\n}\n");
	layout("n=uprobe:/a:\"b c\"{}", "n=uprobe:/a:\"b c\"\n{}\n");
}

static void test_statements(void)
{
	body("$x=1;$y+=2;$z++;--@a[1,2]", "$x = 1;\n\t$y += 2;\n\t$z++;\n\t--@a[1, 2];");
	body("if($x){a()}else if $y{b();}else{c()}",
	     "if ($x) {\n\t\ta();\n\t} else if $y {\n\t\tb();\n\t} else {\n\t\tc();\n\t}");
	body("for($kv:@m){print($kv.0)}", "for ($kv : @m) {\n\t\tprint($kv.0);\n\t}");
	body("for $i:0..10{}", "for $i : 0..10 {}");
	body("while(1){break}", "while (1) {\n\t\tbreak;\n\t}");
	body("let $x:struct foo* =0;let $y;_=f()",
	     "let $x: struct foo * = 0;\n\tlet $y;\n\t_ = f();");
	body("$x=if $c{1}else{2}", "$x = if $c { 1 } else { 2 };");
	body("$x={let $a=1;$a}", "$x = {\n\t\tlet $a = 1;\n\t\t$a\n\t};");
	body(";;$x=1;;", "$x = 1;");
	body("return", "return;");
}

static void test_expressions(void)
{
	body("$x=-$y*!$z+~1- -2", "$x = -$y * !$z + ~1 - -2;");
	body("$x=(uint8)-$y+(struct foo*)$z", "$x = (uint8)-$y + (struct foo *)$z;");
	body("$x=*(int32 *)$p&(x)-1", "$x = *(int32 *)$p & (x) - 1;");
	body("$x=$a?$b:$c?:$d", "$x = $a ? $b : $c ?: $d;");
	body("$x=(1,);$y=(a=1,b=(2,3));$z=()", "$x = (1,);\n\t$y = (a=1, b=(2, 3));\n\t$z = ();");
	body("print(@m,5,sort=\"key\",pct=(50,99.9))",
	     "print(@m, 5, sort=\"key\", pct=(50, 99.9));");
	body("$x=args . a -> b [ 1 ]", "$x = args.a->b[1];");
	body("$x=- - $y", "$x = - -$y;");
	body("print($a.0.1 .2);", "print($a.0.1.2);");
	body("$x=sizeof( struct foo )+offsetof(struct foo,a . b)",
	     "$x = sizeof(struct foo) + offsetof(struct foo, a.b);");
	layout("a:b / *$x==1/{}", "a:b\n/ *$x == 1/\n{}\n");
}

static void test_comments(void)
{
	layout("// head\nbegin{// one\n$x=1;// two\n/* three */\n$y=2 /* four */}// five\n// six",
	       "// head\nbegin\n{ // one\n\t$x = 1; // two\n\t/* three */\n\t$y = 2; /* four */\n} // five\n\n// six\n");
	layout("begin{}\n// about end\nend{}", "begin\n{}\n\n// about end\nend\n{}\n");
	layout("begin{f(1,\n  2, // note\n3)}", "begin\n{\n\tf(1,\n\t\t2, // note\n\t\t3);\n}\n");
	layout("begin{$x=1;\n\n\n\n$y=2}", "begin\n{\n\t$x = 1;\n\n\t$y = 2;\n}\n");
}

static void test_files(void)
{
	static const char *const files[] = {
		"tests/fuzz/corpus/parse/all-forms.bt",
		"tests/fuzz/corpus/parse/old-style.bt",
		"tests/fuzz/corpus/parse/comments.bt",
	};

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		struct buf b = { 0 };

		if (buf_read_file(&b, files[i]))
			skip("%s is not here", files[i]);
		else
			same(b.s);
		buf_release(&b);
	}
}

static void test_errors(void)
{
	struct fixture f;
	struct buf out = { 0 };

	fixture_begin(&f);
	ok(!format_script(&f.lang, fixture_source(&f, "begin { $x = ; }"), &out) && !out.len,
	   "a script with mistakes is left alone");
	is_str(fixture_names(&f), "EXPECTED_EXPR", "and they are reported");
	fixture_end(&f);
	buf_release(&out);
}

int main(void)
{
	test_items();
	test_statements();
	test_expressions();
	test_comments();
	test_files();
	test_errors();
	return done();
}
