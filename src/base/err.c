/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System errors as values. Texts are formatted into a temporary first, because an argument may be
 * the text that is replaced. A new failure drops the help of the previous one, but keeps help that
 * was given before the first.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

/* Text too long for dst is truncated. */
static void put(char *dst, size_t size, const char *a, const char *b)
{
	size_t n = strnlen(a, size - 1), m = strnlen(b, size - 1 - n);

	memmove(dst, a, n);
	memcpy(dst + n, b, m);
	dst[n + m] = '\0';
}

static FORMAT(4, 0) int fail(struct err *e, int code, const char *cause, const char *fmt,
			     va_list ap)
{
	char text[sizeof e->text];

	vsnprintf(text, sizeof text, fmt, ap);
	if (e->code)
		e->help[0] = '\0';
	e->code = code;
	e->is_usage = false;
	put(e->text, sizeof e->text, text, cause);
	return code;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int why = errno ? errno : EIO;
	char cause[128];
	va_list ap;

	errno = why;
	snprintf(cause, sizeof cause, ": %m");
	va_start(ap, fmt);
	fail(e, -why, cause, fmt, ap);
	va_end(ap);
	return -why;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (code >= 0)
		BUG("error code %d is not negative", code);
	va_start(ap, fmt);
	fail(e, code, "", fmt, ap);
	va_end(ap);
	return code;
}

int err_usage(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(e, code, "", fmt, ap);
	va_end(ap);
	e->is_usage = true;
	return code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char text[sizeof e->text], was[sizeof e->text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	put(was, sizeof was, ": ", e->text);
	put(e->text, sizeof e->text, text, was);
	return e->code;
}

void err_help(struct err *e, const char *fmt, ...)
{
	char text[sizeof e->help];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	put(e->help, sizeof e->help, text, "");
}

void err_release(struct err *e)
{
	free(e->log);
	e->log = NULL;
}
