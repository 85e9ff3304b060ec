/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsed signatures of builtin rows; lang/env.h describes their text. */
#ifndef SONDE_LANG_SIG_H
#define SONDE_LANG_SIG_H

#include "base/arena.h"

enum arg_kind {
	AK_INT = 1 << 0,
	AK_UINT = 1 << 1,
	AK_BOOL = 1 << 2,
	AK_STRING = 1 << 3,
	AK_PTR = 1 << 4,
	AK_ARRAY = 1 << 5,
	AK_STRUCT = 1 << 6,
	AK_BUFFER = 1 << 7,
	AK_STACK = 1 << 8,
	AK_MAP = 1 << 9,         /* a map by name, keyed or not */
	AK_SCALAR_MAP = 1 << 10, /* the same, without keys */
	AK_ANY = 1 << 11,
	AK_ENUM = 1 << 12,
	AK_TUPLE = 1 << 13,
	AK_FLOAT = 1 << 14,
	AK_TYPE = 1 << 15,
	AK_STACK_MODE = 1 << 16,
	AK_TIMESTAMP_MODE = 1 << 17,
	AK_NAME = 1 << 18, /* a bare word, not resolved */
	AK_VAR = 1 << 19,
	AK_INET = 1 << 20,
};

struct sig_arg {
	const char *name;
	/* lit_kinds: those of kinds that must be compile-time constants */
	u32 kinds, lit_kinds;
	bool has_default;
	const char *dflt; /* text after '=' */
};

struct sig {
	struct sig_arg *args;
	u32 n_args, n_required;
	bool is_variadic, has_parens;
	const char *result; /* "" for none */
};

/* False: *error is the reason (static text). Everything is allocated in a. */
bool sig_parse(struct arena *a, const char *text, struct sig *sig, const char **error);
/* "string|int", for messages. */
const char *sig_kinds_text(struct arena *a, u32 kinds);

#endif
