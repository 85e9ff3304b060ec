/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bump allocator. Chunk sizes double from 4 KiB to 64 KiB, then are 256 KiB, and 2 MiB after
 * the first 2 MiB. An object of more than half the next chunk gets its own chunk, linked after the
 * current one, which stays the one being filled:
 *
 *	arena.chunk -> | next | grow | objects ... at --- clean ... end |
 *	                  '-> | next | 0 | one big object |
 *
 * A chunk is zeroed as it is used, one step ahead of the objects, so that a small script never
 * touches pages that it does not need. Large chunks come from calloc, which knows when memory is
 * fresh from the kernel and already zero.
 *
 * Chunks of CHUNK_MAX that are given back wait in a pool for the next arena: each function of a
 * script has arenas of its own, and fresh pages cost more than zeroing used ones. The pool's first
 * chunks are pieces of one huge page where available: one page fault instead of hundreds.
 *
 * The hostile build has chunks of 64 bytes, so that nearly every object has its own neighbors.
 * Under ASan the free part of a chunk is poisoned and each object is followed by a gap.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/arena.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define hide(p, len) ASAN_POISON_MEMORY_REGION(p, len)
#define show(p, len) ASAN_UNPOISON_MEMORY_REGION(p, len)
enum { GAP = 8, CLEAN_FROM = 1 };
#else
#define hide(p, len) ((void)(p), (void)(len))
#define show(p, len) ((void)(p), (void)(len))
/* CLEAN_FROM: chunk size in bytes from which malloc uses mmap. */
enum { GAP = 0, CLEAN_FROM = 128 << 10 };
#endif

#if defined(SONDE_HOSTILE) && SONDE_HOSTILE
enum { CHUNK_MIN = 64, CHUNK_MAX = 64, VEC_MIN = 1 };
#else
enum { CHUNK_MIN = 4 << 10, CHUNK_MAX = 256 << 10, VEC_MIN = 8 };
#endif

enum {
	ALIGNMENT = 8,
	CLEAN_STEP = 1 << 10,
	VEC_BIG = 64,
	LONG_COMPILATION = 2 << 20,
	CHUNK_HUGE = 2 << 20,
	POOL_MAX = 2 << 20
};

struct arena_chunk {
	struct arena_chunk *next;
	size_t grow; /* size of the chunk after this one; 0 for a big object's chunk */
	size_t size;
	bool lasts; /* a piece of a larger mapping */
	bool used;
	_Alignas(ALIGNMENT) char bytes[];
};

static struct {
	pthread_mutex_t lock;
	struct arena_chunk *chunks;
	size_t bytes;
	bool begun;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under ASan each arena's memory is its own. */
static bool is_pooled(size_t size)
{
	return !GAP && (int)CHUNK_MAX >= (int)CLEAN_FROM && size == CHUNK_MAX;
}

static bool give_to_pool(struct arena_chunk *c)
{
	bool taken;

	if (!is_pooled(c->size))
		return false;
	pthread_mutex_lock(&pool.lock);
	taken = c->lasts || pool.bytes < POOL_MAX;
	if (taken) {
		c->next = pool.chunks;
		pool.chunks = c;
		pool.bytes += c->size;
	}
	pthread_mutex_unlock(&pool.lock);
	return taken;
}

/*
 * Page faults are a third of the time of a long compilation, so its memory comes in huge pages
 * where available, populated at once. Kernels before 5.14 fault in small pages.
 */
static void *map_huge(void)
{
	size_t room = 2 * (size_t)CHUNK_HUGE;
	char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *start;

	if (p == MAP_FAILED)
		oom();
	start = (char *)ALIGN_UP((uintptr_t)p, (uintptr_t)CHUNK_HUGE);
	if (start > p)
		munmap(p, (size_t)(start - p));
	if (start + CHUNK_HUGE < p + room)
		munmap(start + CHUNK_HUGE, (size_t)(p + room - start) - CHUNK_HUGE);
	(void)madvise(start, CHUNK_HUGE, MADV_HUGEPAGE);
	return start;
}

/* Under the lock. */
static void fill_pool(void)
{
	char *p = map_huge();

	for (size_t at = 0; at < CHUNK_HUGE; at += CHUNK_MAX) {
		struct arena_chunk *c = (struct arena_chunk *)(void *)(p + at);

		*c = (struct arena_chunk){ .next = pool.chunks, .size = CHUNK_MAX, .lasts = true };
		pool.chunks = c;
	}
	pool.bytes += CHUNK_HUGE;
	pool.begun = true;
}

static struct arena_chunk *take_from_pool(size_t size)
{
	struct arena_chunk *c = NULL;

	if (!is_pooled(size))
		return NULL;
	pthread_mutex_lock(&pool.lock);
	if (!pool.begun)
		fill_pool();
	if (pool.chunks) {
		c = pool.chunks;
		pool.chunks = c->next;
		pool.bytes -= size;
	}
	pthread_mutex_unlock(&pool.lock);
	return c;
}

void arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

void arena_release(struct arena *a)
{
	struct arena_chunk *c = a->chunk;

	while (c) {
		struct arena_chunk *next = c->next;

		if (c->size == CHUNK_HUGE)
			munmap(c, CHUNK_HUGE);
		else if (!give_to_pool(c))
			free(c);
		c = next;
	}
	arena_init(a);
}

/*
 * Not in the hostile build, nor under ASan, which finds leaks only in memory of its own allocator.
 */
static bool has_huge(const struct arena *a)
{
	return (int)CHUNK_MAX >= (int)CLEAN_FROM && !GAP && a->used >= LONG_COMPILATION;
}

static void *alloc_big(struct arena *a, size_t len, size_t room)
{
	struct arena_chunk *c = xcalloc(1, sizeof *c + room);
	struct arena_chunk **link = a->chunk ? &a->chunk->next : &a->chunk;

	hide(c->bytes, room);
	c->size = 0;
	c->next = *link;
	*link = c;
	a->used += room;
	show(c->bytes, len);
	return c->bytes;
}

static size_t chunk_size(size_t wanted)
{
	return is_pooled(CHUNK_MAX) && wanted > CHUNK_MAX / 4 ? (size_t)CHUNK_MAX : wanted;
}

static void start_chunk(struct arena *a, size_t size)
{
	struct arena_chunk *c = take_from_pool(size);
	bool clean = c ? !c->used : size >= CLEAN_FROM;

	if (!c) {
		c = size == CHUNK_HUGE ? map_huge() : clean ? xcalloc(1, size) : xmalloc(size);
		c->lasts = false;
	}
	c->used = true;
	c->size = size;
	c->grow = has_huge(a) ? (size_t)CHUNK_HUGE : MIN(chunk_size(size * 2), (size_t)CHUNK_MAX);
	c->next = a->chunk;
	a->chunk = c;
	a->at = c->bytes;
	a->end = a->at + (size - sizeof *c);
	a->clean = clean ? a->end : a->at;
	hide(a->at, size - sizeof *c);
}

void arena_reset(struct arena *a)
{
	size_t used = a->used;

	if (a->chunk && (a->chunk->next || !a->chunk->grow)) {
		arena_release(a);
		start_chunk(a, chunk_size(ALIGN_UP(used + used / 4, (size_t)CHUNK_MIN)));
	} else if (a->chunk) {
		a->at = a->clean = a->chunk->bytes;
		hide(a->at, (size_t)(a->end - a->at));
	}
	a->used = 0;
}

static void clean(struct arena *a, char *to)
{
	size_t n =
		MIN(MAX((size_t)(to - a->clean), (size_t)CLEAN_STEP), (size_t)(a->end - a->clean));

	show(a->clean, n);
	memset(a->clean, 0, n);
	hide(a->clean, n);
	a->clean += n;
}

void *arena_alloc(struct arena *a, size_t len)
{
	if (len > SIZE_MAX / 2)
		oom();

	size_t room = ALIGN_UP(MAX(len, (size_t)1), (size_t)ALIGNMENT) + GAP;

	if (room > (size_t)(a->end - a->at)) {
		size_t next = a->chunk && a->chunk->grow ? a->chunk->grow : CHUNK_MIN;

		if (room > next / 2 && room < CHUNK_MAX / 2)
			next = chunk_size(2 * room);
		if (room > next / 2)
			return alloc_big(a, len, room);
		start_chunk(a, next);
	}

	char *p = a->at;

	a->at += room;
	a->used += room;
	if (a->at > a->clean)
		clean(a, a->at);
	show(p, len);
	return p;
}

void *arena_dup(struct arena *a, const void *bytes, size_t len)
{
	void *p = arena_alloc(a, len);

	if (len)
		memcpy(p, bytes, len);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (len)
		memcpy(p, s, len);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_dup(a, s, strlen(s) + 1);
}

FORMAT(2, 0) char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(small, sizeof small, fmt, ap);

	if (n < 0)
		BUG("cannot format \"%s\"", fmt);

	char *s = arena_alloc(a, (size_t)n + 1);

	if ((size_t)n < sizeof small)
		memcpy(s, small, (size_t)n + 1);
	else
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = arena_vprintf(a, fmt, ap);

	va_end(ap);
	return s;
}

/* The last allocation may grow in place. */
static bool extend(struct arena *a, void *p, size_t len, size_t to)
{
	size_t was = ALIGN_UP(len, (size_t)ALIGNMENT), more = ALIGN_UP(to, (size_t)ALIGNMENT) - was;

	if (GAP > 0 || (char *)p + was != a->at || more > (size_t)(a->end - a->at))
		return false;
	arena_alloc(a, more);
	return true;
}

void *vec_move(struct arena *a, const void *old, u32 n, u32 cap, size_t size)
{
	void *v = arena_alloc(a, cap * size);

	if (n)
		memcpy(v, old, n * size);
	return v;
}

void *vec_grow(struct arena *a, void *old, u32 *cap, u32 n, size_t size)
{
	if (*cap > UINT32_MAX / 2)
		oom();

	u32 grown = *cap ? *cap * 2 : size > VEC_BIG ? MIN(VEC_MIN, 2) : VEC_MIN;
	void *v;

	if (n && extend(a, old, *cap * size, grown * size)) {
		*cap = grown;
		return old;
	}
	v = vec_move(a, old, n, grown, size);
	*cap = grown;
	return v;
}
