/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses and damage of a recording, in sentences for the user. */
#ifndef SONDE_STORE_GAPS_H
#define SONDE_STORE_GAPS_H

#include "store/read.h"

/* A line for each reason for which events were lost, and one if the file is damaged so far. path:
 * for the lines, which are valid during the call. */
void store_tell_gaps(const struct store *s, const char *path,
		     void (*tell)(void *ctx, const char *line), void *ctx);

#endif
