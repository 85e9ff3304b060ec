/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System errors: a negative errno and a text, passed up the call chain and printed only by cli/.
 *	return err_sys(err, "open %s", path);	// uses errno; returns -errno
 */
#ifndef SONDE_BASE_ERR_H
#define SONDE_BASE_ERR_H

#include "base/base.h"

struct err {
	int code;              /* negative errno, 0 if nothing failed */
	char text[512];        /* what was tried, on what, and why it failed */
	char help[512];        /* what to do, one or more lines; may be empty */
	char *log;             /* verifier log or similar, malloc'ed, may be NULL */
	bool is_usage;         /* the command line is wrong, not the system */
	bool log_is_explained; /* help covers the log: it need not be shown */
};

/* Uses errno; text becomes "<fmt>: <strerror>". Returns -errno. */
int err_sys(struct err *e, const char *fmt, ...) FORMAT(2, 3);
/* Returns code, which must be negative. */
int err_set(struct err *e, int code, const char *fmt, ...) FORMAT(3, 4);
/* For a request that cannot be met: is_usage separates it from a refusal by the system. */
int err_usage(struct err *e, int code, const char *fmt, ...) FORMAT(3, 4);
/* Prefixes "<fmt>: " and returns e->code. */
int err_wrap(struct err *e, const char *fmt, ...) FORMAT(2, 3);
void err_help(struct err *e, const char *fmt, ...) FORMAT(2, 3);
void err_release(struct err *e);

#endif
