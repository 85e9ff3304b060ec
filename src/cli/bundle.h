/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-alone tool, made by "sonde build": sonde's own executable with a script appended.
 *
 *	| ELF file up to its last segment; the struct bundle_mark in it is filled in | payload |
 *
 *	payload:  u32 number of words, each u32 length and bytes: sonde's options, read before the user's
 *		  u32 number of files, each a name and a text as above: the script, then its imports
 *
 * Numbers are little endian. The mark says where the payload is and what the file's bytes sum to,
 * so that a plain sonde reads no file and a damaged tool is refused.
 */
#ifndef SONDE_CLI_BUNDLE_H
#define SONDE_CLI_BUNDLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct env;
struct import_source;

struct bundle_file {
	const char *name, *text;
	size_t len;
};

struct bundle {
	struct arena arena;
	const char *name; /* the executable's, without folders */
	VEC(const char *) words;
	VEC(struct bundle_file) files;
};

/* ---- reading */
/* Whether the running program is a tool. */
bool bundle_is(void);
/* The running tool, texts in t->arena. 0 or -errno with a text. */
int bundle_open(struct bundle *t, struct err *err);
void bundle_release(struct bundle *t);
/* 0, or -EBADMSG. The bytes must stay: t points into them. */
int bundle_parse(struct bundle *t, const char *bytes, size_t len);
/* The hook for imports of the tool whose script runs. */
void bundle_read_import(struct env *env, const char *from, const char *path,
			struct import_source *found);

/* At the end of a name: another spelling of a file's path, whose name is the text; a folder, whose
 * text is the paths of its files, a line each. */
enum { BUNDLE_ALIAS = '=', BUNDLE_FOLDER = '/' };

/* ---- writing */
void bundle_put_text(struct buf *payload, const char *s, size_t len);
void bundle_put_count(struct buf *payload, u32 n);
/* Appends the payload to an executable of sonde. 0 or -errno with a text. */
int bundle_join(struct buf *executable, const struct buf *payload, struct err *err);

#endif
