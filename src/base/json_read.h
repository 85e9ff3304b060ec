/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON text (RFC 8259) to a tree in an arena. Strings become UTF-8, NUL-terminated; an unpaired
 * surrogate becomes U+FFFD. Of duplicate keys the first wins.
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
	const char *key;           /* in an object; a key with a NUL byte ends there */
	struct json *first, *next; /* elements, members */
};

/* NULL: invalid JSON, or nested deeper than JSON_MAX_DEPTH; *where (may be NULL) is the offset. */
struct json *json_read(struct arena *a, const char *text, size_t len, size_t *where);
/* A member by name, or NULL; j may be NULL or not an object. */
const struct json *json_get(const struct json *j, const char *key);
/* Follows a path: "params.textDocument.uri". */
const struct json *json_path(const struct json *j, const char *path);
/* The string at a path, or NULL. */
const char *json_text(const struct json *j, const char *path);
/* The integer at a path, or -1: missing, not a number, negative, or beyond 2^31. */
s32 json_int(const struct json *j, const char *path);

#endif
