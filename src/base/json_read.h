/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON text (RFC 8259) to a tree in an arena. Strings become UTF-8 with a NUL behind; a lone half of
 * a surrogate pair becomes U+FFFD. Of keys that stand twice the first counts.
 */
#ifndef SONDE_BASE_JSON_READ_H
#define SONDE_BASE_JSON_READ_H

#include "base/arena.h"

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum { JSON_MAX_DEPTH = 128 };

struct json {
	enum json_kind kind;
	bool truth;
	double number;
	const char *str; /* JSON_STRING; a number or word as written */
	size_t len;
	const char *key;           /* inside of an object; keys with NUL bytes end there */
	struct json *first, *next; /* elements, members */
};

/* NULL: no JSON, or nested deeper than JSON_MAX_DEPTH; *where (may be NULL) is then where. */
struct json *json_read(struct arena *a, const char *text, size_t len, size_t *where);
/* A member by name, or NULL; of NULL and of what is no object too. */
const struct json *json_get(const struct json *j, const char *key);
/* Down a path: "params.textDocument.uri". */
const struct json *json_path(const struct json *j, const char *path);
/* The string at a path, or NULL. */
const char *json_text(const struct json *j, const char *path);
/* The integer at a path, or -1: not there, no number, negative, or beyond 2^31. */
s32 json_int(const struct json *j, const char *path);

#endif
