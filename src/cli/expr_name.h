/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in the text of an expression that was typed without "args.": where each ends, and what it
 * may be. */
#ifndef SONDE_CLI_EXPR_NAME_H
#define SONDE_CLI_EXPR_NAME_H

#include "base/base.h"

/* 0: no name begins at s. */
size_t expr_name_length(const char *s);
/* Of a string, its quotes included; to the end of the text, if it has no end. */
size_t expr_quoted_length(const char *s);
/* Whether the n bytes at s in text are a name by themselves: "x.name", "p->name", "$name", "@name"
 * and "name(" are not. */
bool expr_is_alone(const char *text, const char *s, size_t n);

#endif
