/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a unit test needs, in the Test Anything Protocol.
 *
 *	int main(void)
 *	{
 *		ok(arena_alloc(&a, 8) != NULL, "a small block");
 *		is_int(vec_len(&v), 3, "length after %d pushes", 3);
 *		is_str(name, "openat", "name of call 257");
 *		return done();
 *	}
 *
 * Each macro is one numbered line of output and has the value of its condition. The plan comes last
 * (done), so nobody counts tests by hand; a program that dies before it is a failure. Nothing here
 * allocates, and arguments are evaluated once.
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_UNUSED __attribute__((unused))
#define TAP_PRINTF(f, a) __attribute__((unused, format(printf, f, a)))

static int tap_run, tap_failed;

static inline TAP_PRINTF(2, 0) void tap_line(bool good, const char *fmt, va_list ap)
{
	if (!tap_run)
		setvbuf(stdout, NULL, _IOLBF, 0); /* what was reached before a crash is seen */
	tap_run++;
	tap_failed += !good;
	printf("%sok %d - ", good ? "" : "not ", tap_run);
	vprintf(fmt, ap);
	putchar('\n');
}

static inline TAP_PRINTF(5, 6) bool tap_ok(bool good, const char *file, int line, const char *text,
					   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(good, fmt, ap);
	va_end(ap);
	if (!good)
		printf("# %s:%d: %s\n", file, line, text);
	return good;
}

static inline TAP_PRINTF(5, 6) bool tap_int(long long got, long long want, const char *file,
					    int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_line(got == want, fmt, ap);
	va_end(ap);
	if (got != want)
		printf("# %s:%d: got %lld (0x%llx), want %lld (0x%llx)\n", file, line, got,
		       (unsigned long long)got, want, (unsigned long long)want);
	return got == want;
}

/* A string in a comment of several lines: every line of it begins with '#'. */
static inline TAP_UNUSED void tap_text(const char *label, const char *s)
{
	printf("#   %s ", label);
	for (; s && *s; s++)
		*s == '\n' ? printf("\\n\n#      ") : putchar(*s);
	puts(s ? "" : "NULL");
}

static inline TAP_PRINTF(5, 6) bool tap_str(const char *got, const char *want, const char *file,
					    int line, const char *fmt, ...)
{
	bool good = got == want || (got && want && !strcmp(got, want));
	va_list ap;

	va_start(ap, fmt);
	tap_line(good, fmt, ap);
	va_end(ap);
	if (!good) {
		printf("# %s:%d:\n", file, line);
		tap_text("got ", got);
		tap_text("want", want);
	}
	return good;
}

static inline TAP_PRINTF(5, 6) bool tap_mem(const void *got, const void *want, size_t len,
					    const char *where, const char *fmt, ...)
{
	const unsigned char *g = got, *w = want;
	size_t i = 0;
	va_list ap;

	while (i < len && g[i] == w[i])
		i++;
	va_start(ap, fmt);
	tap_line(i == len, fmt, ap);
	va_end(ap);
	if (i < len)
		printf("# %s: byte %zu of %zu: got 0x%02x, want 0x%02x\n", where, i, len, g[i],
		       w[i]);
	return i == len;
}

#define TAP_STR_(x) #x
#define TAP_STR(x) TAP_STR_(x)

#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)
#define is_int(got, want, ...)                                                                     \
	tap_int((long long)(got), (long long)(want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_mem(got, want, len, ...)                                                                \
	tap_mem((got), (want), (len), __FILE__ ":" TAP_STR(__LINE__), __VA_ARGS__)

/* A remark in the output: shown when the test fails. */
static inline TAP_PRINTF(1, 2) void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

/* One test that cannot run here; the reason is printed and it counts as skipped. */
static inline TAP_PRINTF(1, 2) void skip(const char *fmt, ...)
{
	va_list ap;

	printf("ok %d - # SKIP ", ++tap_run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* Whether an emulator of programs runs us: the kernel is another machine's, "/" and the vdso are
 * not the process's own. */
static inline TAP_UNUSED bool under_emulator(void)
{
	return getenv("SONDE_EMULATED") != NULL;
}

/* The exit status of the test program. */
static inline TAP_UNUSED int done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
