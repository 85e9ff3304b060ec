/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of perf, trace-cmd, uftrace, LTTng and others that sonde's commands do not have: one line
 * says what does the same, or they are taken without effect because sonde does that anyway.
 */
#ifndef SONDE_CLI_PEER_H
#define SONDE_CLI_PEER_H

#include "cli/cli.h"

struct peer_word {
	bool is_known;
	bool takes_value; /* the next word belongs to it */
	/* NULL: it has no effect */
	const char *answer;
};

/* A command of another tool: "diff". */
struct peer_word peer_command(const char *word);
/* A word or an option of a command of that name: "record" of stat, "-D" or "--dump-raw-trace". */
struct peer_word peer_word(const struct command *cmd, const char *word, size_t len);
/* All of them, as markdown. */
void peer_put_table(struct buf *b);

#endif
