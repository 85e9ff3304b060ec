/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recursive-descent JSON parser (RFC 8259) with bounded depth, one pass over the text. */
#include <stdlib.h>
#include "base/json_read.h"

struct reader {
	struct arena *a;
	const char *at, *end;
	u32 depth;
	bool bad;
};

static struct json *read_value(struct reader *r);

static void skip_blank(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_blank(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool is_digit(const struct reader *r)
{
	return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

/* ---- strings */

static char *put_utf8(char *to, u32 c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

static u32 read_hex(struct reader *r)
{
	u32 v = 0;

	for (u32 i = 0; i < 4; i++) {
		char c = r->at < r->end ? *r->at++ : 0;

		if (c >= '0' && c <= '9')
			v = v << 4 | (u32)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v << 4 | (u32)((c | 32) - 'a' + 10);
		else
			r->bad = true;
	}
	return v;
}

/* After "\u": characters beyond 16 bits are a surrogate pair. */
static u32 read_unicode(struct reader *r)
{
	u32 high = read_hex(r), low;

	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
		return 0xfffd;
	r->at += 2;
	low = read_hex(r);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static char *read_escape(struct reader *r, char *to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	char c = r->at < r->end ? *r->at++ : 0;
	const char *name = c ? strchr(names, c) : NULL;

	if (c == 'u')
		return put_utf8(to, read_unicode(r));
	if (!name) {
		r->bad = true;
		return to;
	}
	*to++ = values[name - names];
	return to;
}

/* After the opening quote. Text only gets shorter: an escape of six bytes makes three. */
static const char *read_string(struct reader *r, size_t *len)
{
	const char *s = r->at;
	char *text, *to;

	while (s < r->end && *s != '"')
		s += *s == '\\' && s + 1 < r->end ? 2 : 1;
	if (s >= r->end) {
		r->bad = true;
		return "";
	}
	to = text = arena_alloc(r->a, (size_t)(s - r->at) + 1);
	while (r->at < s && !r->bad) {
		if ((u8)*r->at < ' ')
			r->bad = true;
		else if (*r->at == '\\' && ++r->at)
			to = read_escape(r, to);
		else
			*to++ = *r->at++;
	}
	r->at = s + 1;
	*len = (size_t)(to - text);
	return text;
}

/* ---- numbers, words, containers */

static void read_number(struct reader *r, struct json *j)
{
	const char *start = r->at;

	j->kind = JSON_NUMBER;
	r->at += *r->at == '-';
	if (!is_digit(r) ||
	    (*r->at == '0' && r->end - r->at > 1 && r->at[1] >= '0' && r->at[1] <= '9'))
		r->bad = true;
	while (is_digit(r))
		r->at++;
	if (r->at < r->end && *r->at == '.') {
		r->at++;
		r->bad |= !is_digit(r);
		while (is_digit(r))
			r->at++;
	}
	if (r->at < r->end && (*r->at | 32) == 'e') {
		r->at++;
		if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
			r->at++;
		r->bad |= !is_digit(r);
		while (is_digit(r))
			r->at++;
	}
	j->len = (size_t)(r->at - start);
	j->str = arena_strndup(r->a, start, j->len);
	j->number = strtod(j->str, NULL);
}

static bool read_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n))
		return false;
	r->at += n;
	return true;
}

static void read_members(struct reader *r, struct json *j, char close)
{
	struct json **end = &j->first;
	size_t len;

	if (take(r, close))
		return;
	do {
		const char *key = NULL;

		if (close == '}') {
			if (!take(r, '"')) {
				r->bad = true;
				return;
			}
			key = read_string(r, &len);
			r->bad |= !take(r, ':');
		}
		*end = read_value(r);
		if (r->bad)
			return;
		(*end)->key = key;
		end = &(*end)->next;
	} while (take(r, ','));
	r->bad |= !take(r, close);
}

static struct json *read_value(struct reader *r)
{
	struct json *j = arena_new(r->a, struct json);

	skip_blank(r);
	if (r->at == r->end || ++r->depth > JSON_MAX_DEPTH) {
		r->bad = true;
		return j;
	}
	switch (*r->at) {
	case '{':
	case '[':
		j->kind = *r->at == '{' ? JSON_OBJECT : JSON_ARRAY;
		r->at++;
		read_members(r, j, j->kind == JSON_OBJECT ? '}' : ']');
		break;
	case '"':
		j->kind = JSON_STRING;
		r->at++;
		j->str = read_string(r, &j->len);
		break;
	case 't':
	case 'f':
		j->kind = JSON_BOOL;
		j->truth = *r->at == 't';
		r->bad |= !read_word(r, j->truth ? "true" : "false");
		break;
	case 'n': r->bad |= !read_word(r, "null"); break;
	default: read_number(r, j); break;
	}
	r->depth--;
	return j;
}

struct json *json_read(struct arena *a, const char *text, size_t len, size_t *where)
{
	struct reader r = { .a = a, .at = text, .end = text + len };
	struct json *j = read_value(&r);

	skip_blank(&r);
	if (where)
		*where = (size_t)(MIN(r.at, r.end) - text);
	return r.bad || r.at != r.end ? NULL : j;
}

/* ---- lookup */

static const struct json *member(const struct json *j, const char *key, size_t len)
{
	if (!j || j->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *m = j->first; m; m = m->next)
		if (strlen(m->key) == len && !memcmp(m->key, key, len))
			return m;
	return NULL;
}

const struct json *json_get(const struct json *j, const char *key)
{
	return member(j, key, strlen(key));
}

const struct json *json_path(const struct json *j, const char *path)
{
	while (j && *path) {
		size_t n = strcspn(path, ".");

		j = member(j, path, n);
		path += n + (path[n] == '.');
	}
	return j;
}

const char *json_text(const struct json *j, const char *path)
{
	const struct json *at = json_path(j, path);

	return at && at->kind == JSON_STRING ? at->str : NULL;
}

s32 json_int(const struct json *j, const char *path)
{
	const struct json *at = json_path(j, path);

	if (!at || at->kind != JSON_NUMBER || !(at->number >= 0 && at->number <= INT32_MAX))
		return -1;
	return (s32)at->number;
}
