/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens: kinds and values, numbers, escapes, and diagnostics for bad ones. */
#include "lang/lexer.h"
#include "lang_test.h"

static struct fixture f;
static struct lexer lx;

static struct token first(const char *text)
{
	struct token tok;

	fixture_begin(&f);
	lex_init(&lx, fixture_source(&f, text), &f.arena, &f.names, &f.diags);
	lex_next(&lx, &tok);
	return tok;
}

static void kinds(const char *text, const char *want)
{
	struct token tok = first(text);
	struct buf got = { 0 };

	buf_puts(&got, "");
	for (; tok.kind != TOK_EOF; lex_next(&lx, &tok))
		buf_printf(&got, "%s%s", got.len ? " " : "", token_text(tok.kind));
	is_str(got.s, want, "tokens of: %s", text);
	buf_release(&got);
	fixture_end(&f);
}

static void number(const char *text, u64 want)
{
	struct token tok = first(text);

	ok(tok.kind == TOK_INT && tok.value == want && !f.diags.n_errors, "%s is %llu (got %llu)",
	   text, (unsigned long long)want, (unsigned long long)tok.value);
	fixture_end(&f);
}

static void bad(const char *text, const char *want)
{
	struct token tok = first(text);

	while (tok.kind != TOK_EOF)
		lex_next(&lx, &tok);
	is_str(fixture_names(&f), want, "mistakes in: %s", text);
	fixture_end(&f);
}

static void string(const char *text, const char *want, u32 len)
{
	struct token tok = first(text);

	ok(tok.kind == TOK_STR && tok.str_len == len && memcmp(tok.str, want, len) == 0,
	   "string %s", text);
	fixture_end(&f);
}

static void test_kinds(void)
{
	kinds("a @ @b $c $# $12 1 \"s\"",
	      "a name a map a map a variable a positional parameter a positional parameter a number a string");
	kinds("<<= << <= < >>= ->-- -> ..5", "<<= << <= < >>= -> -- -> .. a number");
	kinds("0..10", "a number .. a number");
	kinds("if ifx config breaks for", "if a name config a name for");
	kinds("a/**/b//c\nd /* \n */ e", "a name a name a name a name");
	kinds("&&&=|||=^=!==", "&& &= || |= ^= != =");
	kinds("", "");
	kinds(" // only", "");
	kinds("@x1[", "a map [");
}

static void test_numbers(void)
{
	number("0", 0);
	number("1_000_000", 1000000);
	number("0x1F", 31);
	number("0XfF_fF", 65535);
	number("0755", 493);
	number("0b101", 5);
	number("1e6", 1000000);
	number("9E18", 9000000000000000000u);
	number("18446744073709551615", UINT64_MAX);
	number("0xffffffffffffffff", UINT64_MAX);
	number("10ns", 10);
	number("10us", 10000);
	number("10ms", 10000000);
	number("2s", 2000000000);
	number("3m", 180000000000);
	number("1h", 3600000000000);
	number("1d", 86400000000000);
	number("0s", 0);
	number("123UL", 123);
	number("5u", 5);
	number("5llU", 5);
	number("4294967295u", 4294967295);
	number("1e3ms", 1000000000);
	number("0x10d", 269);
}

static void test_bad_numbers(void)
{
	bad("1_", "NUMBER_UNDERSCORE");
	bad("1_ms", "NUMBER_UNDERSCORE");
	bad("12e3", "NUMBER_COEFFICIENT");
	bad("0e3", "NUMBER_COEFFICIENT");
	bad("10xyz", "NUMBER_SUFFIX");
	bad("0x", "NUMBER_SUFFIX");
	bad("10MS", "NUMBER_SUFFIX");
	bad("18446744073709551616", "NUMBER_OVERFLOW");
	bad("4294967296u", "NUMBER_OVERFLOW");
	bad("9223372036854775808l", "NUMBER_OVERFLOW");
	bad("1e20", "NUMBER_OVERFLOW");
	bad("300000d", "NUMBER_OVERFLOW");
	bad("089", "NUMBER_DIGIT");
	bad("0b12", "NUMBER_DIGIT");
	bad("$0", "PARAM_RANGE");
	bad("$9223372036854775808", "PARAM_RANGE");
}

static void test_strings(void)
{
	string("\"a\\n\\t\\r\\\"\\\\b\"", "a\n\t\r\"\\b", 7);
	string("\"\\101\\x41\\X42\\0\"", "AAB\0", 4);
	string("\"\\18\"", "\0018", 2);
	string("\"\"", "", 0);
	string("\"// no comment\"", "// no comment", 13);
	bad("\"abc", "UNTERMINATED_STRING");
	bad("\"abc\ndef", "UNTERMINATED_STRING");
	bad("\"abc\\", "BAD_ESCAPE UNTERMINATED_STRING");
	bad("\"\\q\"", "BAD_ESCAPE");
	bad("\"\\xg\"", "BAD_ESCAPE");
	bad("\"\\x\"", "BAD_ESCAPE");
	bad("\"\\400\"", "ESCAPE_RANGE");
	bad("'abc'", "SINGLE_QUOTES");
	bad("/* abc", "UNTERMINATED_COMMENT");
	bad("a \xe2\x80\x9cx\xe2\x80\x9d", "STRAY_BYTE STRAY_BYTE");
	bad("` \x01", "STRAY_BYTE STRAY_BYTE");
}

static void test_parse_int(void)
{
	u64 v = 0;
	s64 n = 0;

	ok(lex_parse_param(" +0x1f", &n) && n == 31 && lex_parse_param("\t-5", &n) && n == -5,
	   "white space and a sign before a parameter");
	ok(!lex_parse_param("", &n) && !lex_parse_param("+", &n) && !lex_parse_param("+ 5", &n) &&
		   !lex_parse_param("+-5", &n) && !lex_parse_param("5 ", &n),
	   "what is no number");
	ok(lex_parse_int("1_000ms", 7, &v) && v == 1000000000, "a number with a unit");
	ok(!lex_parse_int("", 0, &v) && !lex_parse_int("x", 1, &v) && !lex_parse_int("1 ", 2, &v),
	   "what is no number");
}

int main(void)
{
	test_kinds();
	test_numbers();
	test_bad_numbers();
	test_strings();
	test_parse_int();
	return done();
}
