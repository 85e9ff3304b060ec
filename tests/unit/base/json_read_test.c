/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_read.h"
#include "tap.h"

static struct arena a;

static struct json *rd(const char *text)
{
	return json_read(&a, text, strlen(text), NULL);
}

static void values(void)
{
	const struct json *j = rd(" [1, -2.5e3, \"x\", true, false, null, {}, [ ] ] ");

	ok(j && j->kind == JSON_ARRAY, "an array");
	j = j->first;
	is_int(j->number, 1, "a number");
	is_str(j->str, "1", "as it is written");
	j = j->next;
	is_int(j->number, -2500, "a fraction and an exponent");
	is_str(j->next->str, "x", "a string");
	ok(j->next->next->truth && !j->next->next->next->truth, "true and false");
	is_int(j->next->next->next->next->kind, JSON_NULL, "null");
}

static void strings(void)
{
	static const struct {
		const char *text, *want;
	} good[] = {
		{ "\"\"", "" },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "\"\\ud83d!\"", "\xef\xbf\xbd!" },
		{ "\"\\ude00\"", "\xef\xbf\xbd" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(good); i++) {
		const struct json *j = rd(good[i].text);

		ok(j && j->kind == JSON_STRING, "%s is a string", good[i].text);
		is_str(j ? j->str : NULL, good[i].want, "%s", good[i].text);
	}
	is_int(rd("\"a\\u0000b\"")->len, 3, "a NUL counts");
}

static void refused(void)
{
	static const char *const bad[] = {
		"",           " ",
		"{",          "[",
		"]",          "[1,]",
		"{\"a\"}",    "{\"a\":}",
		"{\"a\":1,}", "{a:1}",
		"01",         "1.",
		"1e",         "-",
		"+1",         ".5",
		"tru",        "nul",
		"\"",         "\"\\\"",
		"\"\\x\"",    "\"\\u12\"",
		"\"a\nb\"",   "1 2",
		"[1 2]",      "{\"a\":1 \"b\":2}",
	};
	char deep[400];
	size_t where;

	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!rd(bad[i]), "refused: %s", bad[i]);
	memset(deep, '[', 399);
	deep[399] = '\0';
	ok(!rd(deep), "too deep");
	memset(deep + 100, ']', 100);
	deep[200] = '\0';
	ok(rd(deep) != NULL, "deep");
	json_read(&a, "[1, x]", 6, &where);
	is_int(where, 4, "where it goes wrong");
}

static void paths(void)
{
	const struct json *j =
		rd("{\"a\": {\"b\": \"c\", \"n\": 7, \"m\": -1, \"b\": \"d\"}, \"ab\": 1}");

	is_str(json_text(j, "a.b"), "c", "the first of two counts");
	is_int(json_int(j, "a.n"), 7, "a number");
	is_int(json_int(j, "a.m"), -1, "a negative number");
	is_int(json_int(j, "a.b"), -1, "a string is no number");
	ok(!json_text(j, "a.x.y") && !json_text(NULL, "a") && !json_text(j, "a"),
	   "what is not there");
	ok(json_get(j, "ab") && !json_get(j, "abc"), "a name is whole");
}

int main(void)
{
	arena_init(&a);
	values();
	strings();
	refused();
	paths();
	arena_release(&a);
	return done();
}
