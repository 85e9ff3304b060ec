/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ready scripts, found by name: those of tools/, which the program carries, and people's own. The
 * help of a tool is the comment at its head:
 *
 *	#!/usr/bin/env -S sonde run
 *	// SPDX-License-Identifier: ...
 *	// NAME WORDS - what it shows, in one line (WORDS: its parameters, if it has some)
 *	//
 *	// Paragraphs with details.
 *	//
 *	// Example:
 *	//   # sonde run NAME --option
 *	//   what it prints
 *
 * (or the same in one block comment), and its options are its calls of getopt().
 */
#ifndef SONDE_CLI_TOOL_H
#define SONDE_CLI_TOOL_H

#include "base/packed.h"
#include "cli/script_options.h"

/* Names and texts of the program's own tools: build-aux/gen-tools. */
extern const struct packed_data tools_packed;

struct tool {
	struct arena arena; /* everything below */
	const char *name;   /* "execsnoop" */
	const char *path;   /* for messages: its file, or "execsnoop.bt" */
	const char *text;
	size_t len;
	const char *words, *brief, *doc, *example; /* "" if the head has none */
	struct script_options options;
};

/*
 * By name: in the directories of SONDE_PATH, beside the program (../tools of a build directory,
 * ../share/sonde/tools of an installed one), then in the program itself. NULL: there is none.
 */
struct tool *tool_open(const char *name);
/* A script by its path, with its options; NULL: it cannot be read. */
struct tool *tool_open_file(const char *path);
/* A script whose text is at hand; path is what messages call it. */
struct tool *tool_new(const char *name, const char *path, const char *text, size_t len);
void tool_free(struct tool *t);
/* All that tool_open() finds, by name, each once. */
void tools_each(void (*f)(void *ctx, const struct tool *t), void *ctx);
/* The most similar name, in static memory, or NULL. */
const char *tool_near(const char *word);

/* "opensnoop", unless a program has the name; "x.bt". */
bool script_is_named(const char *word);
struct cli;
/* Prints that there is neither a file nor a tool of this name. False: there is one. */
bool script_is_missing(const struct cli *c, const char *word);

#endif
