/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash tables against what was put in; the spread of the hash; interning. */
#include "base/hash.h"
#include "tap.h"

enum { N = 5000 };

static void test_put_get(void)
{
	struct hash h = { 0 };
	struct arena a;
	const char *keys[N];
	bool fresh = true, found = true, replaced = true;

	arena_init(&a);
	ok(!hash_gets(&h, "x"), "an empty table has nothing");
	for (int i = 0; i < N; i++) {
		keys[i] = arena_printf(&a, "sys_%d", i);
		fresh &= !hash_puts(&h, keys[i], &keys[i]);
	}
	for (int i = 0; i < N; i++)
		found &= hash_gets(&h, arena_printf(&a, "sys_%d", i)) == &keys[i];
	ok(fresh, "new keys have no former value");
	ok(found, "every key is found by its bytes");
	is_int(h.n, N, "number of keys");
	ok(!hash_gets(&h, "sys_") && !hash_gets(&h, "sys_99999"), "others are not found");
	for (int i = 0; i < N; i++)
		replaced &= hash_puts(&h, keys[i], &keys[0]) == &keys[i];
	ok(replaced, "putting again returns the former value");
	is_int(h.n, N, "and adds no key");
	ok(!hash_puts(&h, "", &a) && hash_gets(&h, "") == &a, "the empty key is a key");
	hash_release(&h);
	ok(!hash_gets(&h, "sys_1"), "a released table is empty");
	arena_release(&a);
}

static void test_binary_keys(void)
{
	struct hash h = { 0 };
	static u64 keys[N];
	bool found = true;

	for (u64 i = 0; i < N; i++) {
		keys[i] = i << 32;
		hash_put(&h, &keys[i], sizeof keys[i], &keys[i]);
	}
	for (u64 i = 0; i < N; i++)
		found &= hash_get(&h, &(u64){ i << 32 }, 8) == &keys[i];
	ok(found, "keys with zero bytes");
	ok(!hash_get(&h, &keys[1], 7), "a shorter key is another key");
	hash_release(&h);
}

static void test_spread(void)
{
	enum { BUCKETS = 1024 };
	u32 count[BUCKETS] = { 0 }, most = 0;

	for (u64 i = 0; i < BUCKETS * 4; i++)
		count[hash_bytes(&(u64){ i * 4096 }, 8) % BUCKETS]++;
	for (int i = 0; i < BUCKETS; i++)
		most = MAX(most, count[i]);
	ok(most <= 20, "page addresses spread over the buckets (at most %u of 4)", most);
	ok(hash_bytes("a", 1) != hash_bytes("a\0", 2), "trailing NULs matter");
	ok(hash_bytes("abcdefgh1", 9) != hash_bytes("abcdefgh2", 9), "the tail matters");
}

static void test_intern(void)
{
	struct intern in;
	char text[] = "comm,comm";

	intern_init(&in);
	const char *a = intern(&in, text, 4), *b = intern(&in, text + 5, 4);

	text[0] = 'x';
	ok(a == b, "equal strings are one");
	is_str(a, "comm", "copied");
	ok(interns(&in, "com") != a, "a prefix is another");
	ok(interns(&in, "") == intern(&in, "x", 0), "the empty string");

	char name[16];
	bool same = true;

	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "n%d", i);
		const char *first = interns(&in, name);

		same &= interns(&in, name) == first;
	}
	ok(same && interns(&in, "comm") == a, "pointers stay while the table grows");
	intern_release(&in);
}

int main(void)
{
	test_put_get();
	test_binary_keys();
	test_spread();
	test_intern();
	return done();
}
