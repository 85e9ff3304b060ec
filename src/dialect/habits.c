/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Habits from C, Python, awk, DTrace and shells, recognized by the text at which a parser stopped.
 * A row has what it found and, if the same text means different things in different places, what it
 * expected. Input: both, and the text before. Output: a hint.
 */
#include "dialect/hints.h"

#include "base/base.h"

#define A_LOOP "a loop is for ($i : 0..10) { ... }, for ($kv : @map) { ... } or while (...) { ... }"
#define IN_A_LOOP "write a colon for \"in\": for ($kv : @map), for ($i : 0..10)"
#define A_TYPED "a variable is declared with let $x: int32 = ...;"
#define A_VARIABLE "a variable is declared with let $x = ...;"
#define A_STRING "a variable is declared with let $x = \"text\";"
#define A_FUNCTION "a function is written fn name($x: int64): int64 { ... }"
#define AN_ELSE_IF "write else if (...) { ... }"
#define TO_PRINT "write print(VALUE), or printf(\"%d\\n\", VALUE)"
#define TO_COMPARE "\"=\" assigns; to compare, write \"==\""
#define TO_MATCH                                                                                   \
	"strings are compared with == and !=; strcontains(TEXT, PART) and glob(PATTERN, TEXT) search"

static const struct found {
	const char *text;     /* a word, or the first characters of a sign */
	const char *expected; /* NULL: whatever was expected */
	const char *help;
} found[] = {
	{ "and", NULL, "write && for \"and\"" },
	{ "or", NULL, "write || for \"or\"" },
	{ "is", NULL, "to compare, write \"==\"" },
	{ "eq", NULL, "to compare, write \"==\"" },
	{ "ne", NULL, "to compare, write \"!=\"" },
	{ "mod", NULL, "the remainder of a division is written %" },
	{ "in", "variable", IN_A_LOOP },
	{ "in", "':'", IN_A_LOOP },
	{ "in", NULL, "has_key(@map, KEY) tells whether a map has a key" },
	{ "as", NULL, "a cast is written before the value: (uint64)$x" },
	{ "like", NULL, TO_MATCH },
	{ "matches", NULL, TO_MATCH },
	{ "contains", NULL, TO_MATCH },
	{ "startswith", NULL, TO_MATCH },
	{ "when", "'{'", "a probe's predicate is enclosed in slashes: /pid == 1/ { ... }" },
	{ "where", "'{'", "a probe's predicate is enclosed in slashes: /pid == 1/ { ... }" },
	{ "if", "'{'", "a probe's predicate is enclosed in slashes: /pid == 1/ { ... }" },
	{ "if", NULL, "a choice between two values is written CONDITION ? A : B" },
	{ ":=", NULL, "assign with \"=\"" },
	{ "===", NULL, "to compare, write \"==\"" },
	{ "=~", NULL, TO_MATCH },
	{ "~", NULL, TO_MATCH },
	{ "=", "expression", TO_COMPARE },
	{ "<>", NULL, "to compare, write \"!=\"" },
	{ ">>>", NULL, "write \">>\": it fills with zeros if the value is unsigned" },
	{ "[", "expression", "a list of values is a tuple: (1, 2)" },
	{ "return", "expression", "the result of a function is retval" },
	{ "#", "expression", "comments begin with \"//\"" },
	{ ";", "'{'", "a body is enclosed in braces: { ... }" },
	{ ":", "'{'", "a body is enclosed in braces: { ... }" },
	{ ":", "']'", "substr(TEXT, START, LENGTH) is a part of a string" },
	{ ")", "';'", "it closes no \"(\"" },
	{ ",", "';'", "several values are a tuple: (1, 2); a number has no commas: 1000" },
	{ ",", "':'",
	  "a loop has one variable: for ($kv : @map), where $kv.0 is the key, $kv.1 the value" },
	{ "{", "';'", "a block follows if, else, for, while and unroll only" },
	{ "\"", "')'", "a comma is missing, or use str_concat(A, B) to join strings" },
	{ "\"", "field", "str_concat(A, B) joins strings" },
	{ "\"", "';'",
	  "an operator is missing; text with values in it is printed: printf(\"%d\", $x)" },
	{ ":", "')'", A_LOOP },
	{ "(", "')'",
	  "values have no functions of their own: strlen(TEXT), strcontains(TEXT, PART)" },
	{ ".", "','", "the field is an argument of its own: offsetof(struct NAME, FIELD)" },
	/* whatever was found */
	{ "", "')'", "is a \")\", an operator or a comma missing before it?" },
	{ "", "']'", "is a \"]\", an operator or a comma missing before it?" },
	{ "", "'{' or 'if'", "a body is enclosed in braces: { ... }" },
	{ "", "string after 'import'", "builtins need no import; a file is named in quotes" },
};

/* First words of statements. */
static const struct first {
	const char *word, *help;
} firsts[] = {
	{ "do", A_LOOP },
	{ "loop", A_LOOP },
	{ "repeat", A_LOOP },
	{ "until", A_LOOP },
	{ "foreach", A_LOOP },
	{ "switch", "choose with if (...) { ... } else if (...) { ... }" },
	{ "case", "choose with if (...) { ... } else if (...) { ... }" },
	{ "elif", AN_ELSE_IF },
	{ "elsif", AN_ELSE_IF },
	{ "elseif", AN_ELSE_IF },
	{ "int", A_TYPED },
	{ "char", "a variable is declared with let $x: int8 = ...;" },
	{ "long", "a variable is declared with let $x: int64 = ...;" },
	{ "unsigned", "a variable is declared with let $x: uint32 = ...;" },
	{ "u32", "a variable is declared with let $x: uint32 = ...;" },
	{ "u64", "a variable is declared with let $x: uint64 = ...;" },
	{ "string", A_STRING },
	{ "str", A_STRING },
	{ "char*", A_STRING },
	{ "bool", "a variable is declared with let $x: bool = ...;" },
	{ "short", "a variable is declared with let $x: int16 = ...;" },
	{ "size_t", "a variable is declared with let $x: uint64 = ...;" },
	{ "uint32_t", "a variable is declared with let $x: uint32 = ...;" },
	{ "uint64_t", "a variable is declared with let $x: uint64 = ...;" },
	{ "var", A_VARIABLE },
	{ "auto", A_VARIABLE },
	{ "const", A_VARIABLE },
	{ "local", A_VARIABLE },
	{ "my", A_VARIABLE },
	{ "global", "a map needs no declaration: assign to @name" },
	{ "echo", TO_PRINT },
	{ "puts", TO_PRINT },
	{ "throw", "exit() ends the script; return leaves the probe" },
	{ "goto", "there are no jumps: return leaves the probe, break a loop" },
	{ "try", "nothing is thrown: what cannot be read is 0 or empty" },
	{ "new", "values are numbers, strings and tuples: (1, \"a\")" },
	{ "del", "delete(@map, KEY) removes an element" },
};

/* Text at the position of a probe. */
static const struct head {
	const char *prefix, *help;
} heads[] = {
	{ "def", A_FUNCTION },
	{ "func", A_FUNCTION },
	{ "function", A_FUNCTION },
	{ "int", A_FUNCTION },
	{ "void", A_FUNCTION },
	{ "static", A_FUNCTION },
	{ "sub", A_FUNCTION },
	{ "BPF_", "a map needs no declaration: assign to @name[KEY]" },
	{ "```", "this line frames code in a document: delete it" },
	{ "--", "comments begin with \"//\"" },
	{ "using", "nothing needs to be imported: builtins are always there" },
	{ "from", "nothing needs to be imported: builtins are always there" },
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Whether the text at which the parser stopped is the end of the sign, such as ">" of "<>". */
static bool ends_sign(const char *sign, const char *at, u32 before)
{
	u32 len = (u32)strlen(sign);

	return len > 1 && before >= len - 1 && strncmp(at - (len - 1), sign, len) == 0;
}

static bool matches(const struct found *row, const char *expected, const char *at, u32 before)
{
	const char *text = row->text;

	if (row->expected && !starts_with(expected, row->expected))
		return false;
	if (!*text)
		return true;
	if (!is_word(*text))
		return starts_with(at, text) || ends_sign(text, at, before);
	return starts_with(at, text) && !is_word(at[strlen(text)]);
}

/* What is before at without spaces, by its length. */
static u32 without_spaces(const char *at, u32 before)
{
	while (before && (at[-1] == ' ' || at[-1] == '\t'))
		before--, at--;
	return before;
}

/* Whether the last text before at, without spaces, is a word or sign. */
static bool follows(const char *word, const char *at, u32 before)
{
	u32 len = (u32)strlen(word), n = without_spaces(at, before);
	const char *start = at - (before - n) - len;

	return n >= len && strncmp(start, word, len) == 0 &&
	       (n == len || !is_word(*word) || !is_word(start[-1]));
}

const char *foreign_text(const char *expected, const char *at, u32 before)
{
	if (follows("not", at, before))
		return "write ! for \"not\"";
	for (u32 i = 0; i < ARRAY_SIZE(found); i++)
		if (matches(&found[i], expected, at, before))
			return found[i].help;
	if (starts_with(expected, "expression") && follows("%", at, before))
		return "\"%\" is the remainder of a division; a percentage is computed: 100 * A / B";
	return NULL;
}

const char *foreign_statement(const char *word)
{
	for (u32 i = 0; word && i < ARRAY_SIZE(firsts); i++)
		if (streq(firsts[i].word, word))
			return firsts[i].help;
	return NULL;
}

/* A prefix that ends in "_" may begin a longer word. */
static bool begins_with(const char *text, const char *prefix)
{
	char last = prefix[strlen(prefix) - 1];

	return starts_with(text, prefix) &&
	       (last == '_' || !is_word(last) || !is_word(text[strlen(prefix)]));
}

/* Beginnings of a copied command line. */
static const char *const prompts[] = { "$", "sonde", "bpftrace", "sudo" };

const char *foreign_head(const char *text)
{
	if (is_one_of(prompts, ARRAY_SIZE(prompts), text))
		return "this is a shell command: the script is the text between its quotes";

	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		if (begins_with(text, heads[i].prefix))
			return heads[i].help;
	return NULL;
}
