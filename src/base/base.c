/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fatal exits and a malloc family that never returns NULL. oom() neither allocates nor runs exit
 * handlers, which may need memory too.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "sonde: BUG at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\nThis is a mistake in sonde, not in your script. Please report it.\n", stderr);
	abort();
}

void oom(void)
{
	static const char text[] = "sonde: out of memory\n";

	ssize_t n UNUSED = write(STDERR_FILENO, text, sizeof text - 1);

	_exit(255);
}

static void *must(void *p)
{
	if (!p)
		oom();
	return p;
}

void *xmalloc(size_t len)
{
	return must(malloc(len ? len : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return must(n && size ? calloc(n, size) : calloc(1, 1));
}

void *xrealloc(void *old, size_t len)
{
	return must(realloc(old, len ? len : 1));
}

char *xstrdup(const char *s)
{
	return must(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return must(strndup(s, len));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		oom();
	va_end(ap);
	return s;
}
