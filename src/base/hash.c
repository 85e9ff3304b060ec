/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing with linear probing, at most three quarters full. Nothing is ever removed, so a
 * search ends at the first free slot. The hash reads eight bytes at a time and mixes each word by a
 * multiplication and a shift (as in MurmurHash64A). It is the same in every run, so that iteration
 * order is deterministic.
 */
#include <stdlib.h>

#include "base/hash.h"

#define MIX 0x9fb21c651e98df25ull

#if defined(SONDE_HOSTILE) && SONDE_HOSTILE
enum { FIRST_CAP = 4 };
#else
enum { FIRST_CAP = 16 };
#endif

static u64 mix(u64 h, u64 word)
{
	h = (h ^ word) * MIX;
	return h ^ h >> 32;
}

u32 hash_bytes(const void *bytes, size_t len)
{
	const u8 *p = bytes;
	u64 h = mix(0x2545f4914f6cdd1dull, len), word;

	for (; len >= sizeof word; p += sizeof word, len -= sizeof word) {
		memcpy(&word, p, sizeof word);
		h = mix(h, word);
	}
	if (len) {
		word = 0;
		memcpy(&word, p, len);
		h = mix(h, word);
	}
	h = mix(h, h >> 29);
	return (u32)h;
}

void hash_release(struct hash *h)
{
	free(h->slot);
	*h = (struct hash){ 0 };
}

/* The slot of the key, or the free slot where it belongs. The table must have a free slot. */
static struct hash_slot *find(const struct hash *h, const void *key, size_t len, u32 hash)
{
	for (u32 i = hash;; i++) {
		struct hash_slot *s = &h->slot[i & (h->cap - 1)];

		if (!s->key)
			return s;
		if (s->hash == hash && s->len == len && memcmp(s->key, key, len) == 0)
			return s;
	}
}

static void resize(struct hash *h, u32 cap)
{
	struct hash old = *h;

	h->cap = cap;
	h->slot = xcalloc(h->cap, sizeof *h->slot);
	for (u32 i = 0; i < old.cap; i++) {
		const struct hash_slot *s = &old.slot[i];

		if (s->key)
			*find(h, s->key, s->len, s->hash) = *s;
	}
	free(old.slot);
}

static void grow(struct hash *h)
{
	if (h->cap > UINT32_MAX / 2)
		oom();
	resize(h, h->cap ? h->cap * 2 : FIRST_CAP);
}

void hash_reserve(struct hash *h, u32 n)
{
	u32 cap = FIRST_CAP;

	while (n > cap - cap / 4 && cap <= UINT32_MAX / 2)
		cap *= 2;
	if (cap > h->cap)
		resize(h, cap);
}

void *hash_get(const struct hash *h, const void *key, size_t len)
{
	return h->n ? find(h, key, len, hash_bytes(key, len))->value : NULL;
}

/* The key's slot; if the key is new, a free slot is claimed and its value is NULL. */
static struct hash_slot *claim(struct hash *h, const void *key, size_t len)
{
	if (!key || len > UINT32_MAX)
		BUG("bad key for a hash table");
	if (h->n >= h->cap - h->cap / 4)
		grow(h);

	u32 hash = hash_bytes(key, len);
	struct hash_slot *s = find(h, key, len, hash);

	if (!s->key) {
		*s = (struct hash_slot){ .key = key, .len = (u32)len, .hash = hash };
		h->n++;
	}
	return s;
}

void *hash_put(struct hash *h, const void *key, size_t len, void *value)
{
	if (!value)
		BUG("a hash table cannot hold NULL");

	struct hash_slot *s = claim(h, key, len);
	void *old = s->value;

	/* The key is often part of the value: the old key may be freed with the old value. */
	s->key = key;
	s->value = value;
	return old;
}

void intern_init(struct intern *in)
{
	arena_init(&in->arena);
	in->table = (struct hash){ 0 };
}

void intern_release(struct intern *in)
{
	hash_release(&in->table);
	arena_release(&in->arena);
}

const char *intern(struct intern *in, const char *s, size_t len)
{
	struct hash_slot *slot = claim(&in->table, s, len);

	if (!slot->value)
		slot->key = slot->value = arena_strndup(&in->arena, s, len);
	return slot->value;
}
