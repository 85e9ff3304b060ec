/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bump allocator: many objects, one lifetime, one release. Memory is zeroed and aligned to 8.
 * Out of memory ends the program (oom()), so calls never fail.
 */
#ifndef SONDE_BASE_ARENA_H
#define SONDE_BASE_ARENA_H

#include <stdarg.h>
#include "base/base.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk; /* newest first */
	char *at, *end;
	char *clean; /* zeroed up to here */
	size_t used; /* bytes allocated, for statistics */
};

void arena_init(struct arena *a); /* allocates nothing yet */
void arena_release(struct arena *a);
/* Frees all objects but keeps their memory for later allocations. */
void arena_reset(struct arena *a);
void *arena_alloc(struct arena *a, size_t len); /* len: bytes, 0 allowed */
void *arena_dup(struct arena *a, const void *bytes, size_t len);
char *arena_strdup(struct arena *a, const char *s);
/* At most len bytes of s, and a NUL. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) FORMAT(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/*
 * A vector that grows in an arena: struct { T *v; u32 n, cap; }. The old copy is not freed, so the
 * waste is bounded by the final size.
 */
#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *v;                                                                              \
		u32 n, cap;                                                                        \
	}
#define vec_push(a, vec, ...)                                                                      \
	do {                                                                                       \
		if ((vec)->n == (vec)->cap)                                                        \
			(vec)->v =                                                                 \
				vec_grow((a), (vec)->v, &(vec)->cap, (vec)->n, sizeof(*(vec)->v)); \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                                              \
	} while (0)
/* Room for n elements in all at once, where their number is nearly known. */
#define vec_reserve(a, vec, most)                                                                  \
	do {                                                                                       \
		if ((vec)->cap < (most)) {                                                         \
			(vec)->v = vec_move((a), (vec)->v, (vec)->n, (most), sizeof(*(vec)->v));   \
			(vec)->cap = (most);                                                       \
		}                                                                                  \
	} while (0)
#define vec_last(vec) (&(vec)->v[(vec)->n - 1])
void *vec_grow(struct arena *a, void *old, u32 *cap, u32 n, size_t size);
void *vec_move(struct arena *a, const void *old, u32 n, u32 cap, size_t size);

#endif
