/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arena objects are zeroed, aligned and apart; vectors keep what was pushed. */
#include "base/arena.h"
#include "tap.h"

static bool all_zero(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

static void test_alloc(void)
{
	struct arena a;
	bool aligned = true, zero = true, apart = true;
	char *blocks[2000];

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		size_t len = i * 7 % 300;

		blocks[i] = arena_alloc(&a, len);
		aligned &= (uintptr_t)blocks[i] % 8 == 0;
		zero &= all_zero(blocks[i], len);
		memset(blocks[i], (int)i, len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		for (size_t j = 0; j < i * 7 % 300; j++)
			apart &= blocks[i][j] == (char)i;
	ok(aligned, "blocks are aligned to 8");
	ok(zero, "blocks are zeroed");
	ok(apart, "blocks do not overlap");
	ok(a.used >= 2000 * 8, "used counts what was handed out");

	char *small = arena_alloc(&a, 1), *big = arena_alloc(&a, 1 << 20);

	ok(all_zero(big, 1 << 20), "a big block is zeroed");
	memset(big, 1, 1 << 20);
	ok(!*small, "a big block is apart");
	arena_release(&a);
	ok(!a.chunk && !a.used, "a released arena is empty");
	arena_release(&a);
	big = arena_alloc(&a, 1 << 20);
	ok(big && arena_alloc(&a, 0), "a released arena can be used again, big block first");
	arena_release(&a);
}

static void test_strings(void)
{
	struct arena a;
	char long_text[1000];

	arena_init(&a);
	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	is_str(arena_strdup(&a, "probe"), "probe", "strdup");
	is_str(arena_strdup(&a, ""), "", "strdup of nothing");
	is_str(arena_strndup(&a, "probe", 3), "pro", "strndup");
	is_mem(arena_dup(&a, "a\0b", 3), "a\0b", 3, "dup");
	ok(arena_dup(&a, NULL, 0), "dup of nothing");
	is_str(arena_printf(&a, "%s:%d", "f", 7), "f:7", "printf");
	is_str(arena_printf(&a, "%s", long_text), long_text, "long printf");
	long_text[256] = '\0';
	is_str(arena_printf(&a, "%s", long_text), long_text, "printf of 256 bytes");
	long_text[255] = '\0';
	is_str(arena_printf(&a, "%s", long_text), long_text, "printf of 255 bytes");
	arena_release(&a);
}

struct pair {
	u32 x, y;
};

static void test_vec(void)
{
	struct arena a;
	VEC(u32) v = { 0 };
	VEC(struct pair) pairs = { 0 };
	bool same = true;

	arena_init(&a);
	for (u32 i = 0; i < 10000; i++)
		vec_push(&a, &v, i * 3);
	for (u32 i = 0; i < v.n; i++)
		same &= v.v[i] == i * 3;
	is_int(v.n, 10000, "vector length");
	ok(same && v.cap >= v.n && v.cap < 4 * v.n, "vector holds what was pushed");
	is_int(*vec_last(&v), 29997, "last of a vector");
	vec_push(&a, &pairs, (struct pair){ 1, 2 });
	is_int(vec_last(&pairs)->y, 2, "a vector of structs");
	arena_release(&a);
}

/* Memory of a task is used again by the next one, and is zero. */
static void test_reset(void)
{
	struct arena a;
	char *first[4] = { 0 }, zero[200] = { 0 };
	bool is_zero = true;

	arena_init(&a);
	arena_reset(&a);
	for (u32 round = 0; round < 4; round++) {
		for (u32 i = 0; i < 3000; i++) {
			char *p = arena_alloc(&a, i % sizeof zero + (i == 7) * 70000);

			first[round] = i ? first[round] : p;
			is_zero &= !memcmp(p, zero, i % sizeof zero);
			memset(p, 'x', i % sizeof zero);
		}
		arena_reset(&a);
	}
	ok(is_zero, "memory is zero after each reset");
	is_int(a.used, 0, "nothing is used");
	ok(first[2] == first[3], "a task has the memory of the one before it");
	arena_release(&a);
}

/* More at a time than the pool holds, of sizes around those of chunks; then once more. */
static void test_many(void)
{
	enum { N_ARENAS = 6, N_OBJECTS = 12 };
	static const char zero[200000];
	struct arena a[N_ARENAS];
	bool is_zero = true, own = true;

	for (u32 round = 0; round < 2; round++) {
		u8 *p[N_ARENAS][N_OBJECTS];
		size_t len[N_OBJECTS];

		for (u32 i = 0; i < N_ARENAS; i++)
			arena_init(&a[i]);
		for (u32 i = 0; i < N_ARENAS * N_OBJECTS; i++) {
			u32 k = i / N_ARENAS;

			len[k] = MIN((size_t)3000 << k % 8, sizeof zero) - k;
			p[i % N_ARENAS][k] = arena_alloc(&a[i % N_ARENAS], len[k]);
			is_zero &= !memcmp(p[i % N_ARENAS][k], zero, len[k]);
			memset(p[i % N_ARENAS][k], (int)i + 1, len[k]);
		}
		for (u32 i = 0; i < N_ARENAS * N_OBJECTS; i++) {
			u8 *x = p[i % N_ARENAS][i / N_ARENAS];

			own &= x[0] == i + 1 && x[len[i / N_ARENAS] - 1] == i + 1;
		}
		for (u32 i = 0; i < N_ARENAS; i++)
			arena_release(&a[i]);
	}
	ok(is_zero, "memory of many arenas is zero, also when it is used again");
	ok(own, "no two objects share memory");
}

int main(void)
{
	test_alloc();
	test_strings();
	test_vec();
	test_reset();
	test_many();
	return done();
}
