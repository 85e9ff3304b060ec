/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The regular expression of --probe-filter. */
#ifndef SONDE_SESSION_FILTER_H
#define SONDE_SESSION_FILTER_H

#include <regex.h>
#include "base/err.h"

/* 0, and the caller calls regfree(); or an error about the command line. */
int probe_filter_make(regex_t *filter, const char *text, struct err *err);

#endif
