/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common definitions: fixed-width types, a few macros, and the fatal exits. BUG() is for errors in
 * sonde itself; oom() for an allocation that failed.
 */
#ifndef SONDE_BASE_H
#define SONDE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ALIGN_UP(n, to) (((n) + (to)-1) & ~((typeof(n))(to)-1))
#define FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

/* Prints file, line, text and a request to report it; aborts. */
void bug_at(const char *file, int line, const char *fmt, ...) NORETURN FORMAT(3, 4);
/* Prints "out of memory" and ends with status 255. */
void oom(void) NORETURN;

/* malloc family that ends the program when out of memory; release with free(). */
void *xmalloc(size_t len);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *old, size_t len);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xasprintf(const char *fmt, ...) FORMAT(1, 2);

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}
static inline bool is_one_of(const char *const *words, u32 n, const char *s)
{
	for (u32 i = 0; i < n; i++)
		if (streq(words[i], s))
			return true;
	return false;
}

/* Whether the word, of len bytes, is one of those that blanks separate. */
static inline bool lists_word(const char *words, const char *word, size_t len)
{
	for (const char *s = words; *s;) {
		size_t n = strcspn(s, " ");

		if (n == len && !memcmp(s, word, n))
			return true;
		s += n + strspn(s + n, " ");
	}
	return false;
}

/* The last part of a path. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static inline bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static inline bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

#endif
