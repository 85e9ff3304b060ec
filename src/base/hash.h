/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash: bytes -> pointer, open addressing, on malloc. Keys are not copied: they must outlive the
 * table. intern: one copy of each string, so that equal names are equal pointers.
 */
#ifndef SONDE_BASE_HASH_H
#define SONDE_BASE_HASH_H

#include "base/arena.h"

struct hash_slot {
	const void *key;
	u32 len, hash;
	void *value;
};

struct hash {
	struct hash_slot *slot;
	u32 n, cap; /* cap is a power of two or 0; a slot with key NULL is free */
};

u32 hash_bytes(const void *bytes, size_t len);
void hash_release(struct hash *h);
/* Room for n keys without a further resize. */
void hash_reserve(struct hash *h, u32 n);
/* The value, or NULL. */
void *hash_get(const struct hash *h, const void *key, size_t len);
/* Sets the value; returns the old one, or NULL. value must not be NULL. */
void *hash_put(struct hash *h, const void *key, size_t len, void *value);
static inline void *hash_gets(const struct hash *h, const char *s)
{
	return hash_get(h, s, strlen(s));
}
static inline void *hash_puts(struct hash *h, const char *s, void *value)
{
	return hash_put(h, s, strlen(s), value);
}

struct intern {
	struct arena arena;
	struct hash table;
};

void intern_init(struct intern *in);
void intern_release(struct intern *in);
const char *intern(struct intern *in, const char *s, size_t len);
static inline const char *interns(struct intern *in, const char *s)
{
	return intern(in, s, strlen(s));
}

#endif
