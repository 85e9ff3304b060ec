/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps of each kind are read whole and merged, cleared, zeroed. */
#include <errno.h>
#include <time.h>
#include "handmade.h"
#include "type/agg.h"

enum { MANY = 100000 };

static struct map_desc hash_map(const char *name, u32 type, const struct type *value,
				u32 value_size, u32 max)
{
	return (struct map_desc){ .name = name,
				  .role = MAP_USER,
				  .bpf_type = type,
				  .key_size = 8,
				  .value_size = value_size,
				  .max_entries = max,
				  .key = &ty_u64,
				  .value = value };
}

static void fill(struct handmade *h, u32 map, u32 n, bool per_cpu)
{
	int fd = h->k->map_fd[map];
	u32 copies = per_cpu ? cpus_possible() : 1;
	u64 *value = xcalloc(copies, 8);

	for (u64 key = 0; key < n; key++) {
		for (u32 c = 0; c < copies; c++)
			value[c] = key + c;
		if (bpf_map_update(fd, &key, value, BPF_ANY) < 0)
			break;
	}
	free(value);
}

static u64 read_time(struct handmade *h, u32 map, struct arena *a, struct table *t)
{
	struct timespec x, y;

	*t = (struct table){ 0 };
	clock_gettime(CLOCK_MONOTONIC, &x);
	ok(kernel_map_read(h->k, map, a, t) == 0, "read %s", h->prog.maps.v[map].name);
	clock_gettime(CLOCK_MONOTONIC, &y);
	return (u64)(y.tv_sec - x.tv_sec) * 1000000000u + (u64)y.tv_nsec - (u64)x.tv_nsec;
}

static void big(struct handmade *h, u32 map, bool per_cpu)
{
	u64 add = per_cpu ? (u64)cpus_possible() * (cpus_possible() - 1) / 2 : 0;
	u64 times = per_cpu ? cpus_possible() : 1;
	struct arena a;
	struct table t;
	u8 *seen = xcalloc(1, MANY);
	u32 wrong = 0, twice = 0;

	arena_init(&a);
	fill(h, map, MANY, per_cpu);
	u64 ns = read_time(h, map, &a, &t);

	is_int(t.rows.n, MANY, "all keys");
	for (u32 i = 0; i < t.rows.n; i++) {
		u64 key, value;

		memcpy(&key, t.rows.v[i].key, 8);
		memcpy(&value, t.rows.v[i].value, 8);
		wrong += key >= MANY || value != key * times + add;
		if (key < MANY)
			twice += seen[key]++;
	}
	is_int(wrong, 0, "right values");
	is_int(twice, 0, "each once");
	note("%u keys in %.2f ms, %.1f MB", t.rows.n, (double)ns / 1e6, (double)a.used / 1e6);
	arena_release(&a);
	free(seen);
}

static void small(struct handmade *h, u32 map, bool per_cpu)
{
	struct arena a;
	struct table t;
	u64 sum = 0;

	arena_init(&a);
	is_int(kernel_map_clear(h->k, map), 0, "clear");
	read_time(h, map, &a, &t);
	is_int(t.rows.n, 0, "empty after clear");
	fill(h, map, 10, per_cpu);
	is_int(kernel_map_zero(h->k, map), 0, "zero");
	read_time(h, map, &a, &t);
	is_int(t.rows.n, 10, "keys stay after zero");
	for (u32 i = 0; i < t.rows.n; i++)
		sum += *(const u64 *)t.rows.v[i].value;
	is_int(sum, 0, "values do not");
	arena_release(&a);
}

static void global(struct handmade *h, u32 scalar, u32 counts)
{
	u64 *at = (u64 *)(void *)h->k->data;
	struct arena a;
	struct table t = { 0 };

	arena_init(&a);
	is_int(kernel_map_read(h->k, scalar, &a, &t), 0, "a scalar");
	is_int(t.rows.n, 0, "not set yet");
	at[0] = 1;
	at[1] = 99;
	kernel_map_read(h->k, scalar, &a, &t);
	is_int(t.rows.n, 1, "set");
	ok(!t.rows.v[0].key && *(const u64 *)t.rows.v[0].value == 99, "its value, no key");
	kernel_map_zero(h->k, scalar);
	kernel_map_read(h->k, scalar, &a, &t);
	ok(t.rows.n == 1 && *(const u64 *)t.rows.v[0].value == 0, "zero keeps it set");
	kernel_map_clear(h->k, scalar);
	kernel_map_read(h->k, scalar, &a, &t);
	is_int(t.rows.n, 0, "clear does not");
	kernel_map_read(h->k, counts, &a, &t);
	is_int(t.rows.n, 0, "a count that never counted");
	at[64 / 8] = 3;
	at[128 / 8] = 4;
	kernel_map_read(h->k, counts, &a, &t);
	ok(t.rows.n == 1 && *(const u64 *)t.rows.v[0].value == 7, "slots are added up");
	arena_release(&a);
}

static void stacks(struct handmade *h, u32 map)
{
	u64 ips[4] = { 1, 2, 3, 99 }, got[8] = { 0 }, time = 0;
	struct stack_value v = { .hash = 0x1234, .n = 3 };

	is_int(kernel_set_add(h->k, map, &v.hash, ips), 0, "a stack");
	is_int(kernel_stack(h->k, &v, 8, got, &time), 3, "its frames");
	ok(got[0] == 1 && got[2] == 3, "in order");
	is_int(time, 99, "its time");
	is_int(kernel_stack(h->k, &v, 2, got, &time), 2, "or the first two");
	v.hash = 0;
	is_int(kernel_stack(h->k, &v, 8, got, &time), 0, "the empty one");
	v.hash = 5;
	is_int(kernel_stack(h->k, &v, 8, got, &time), 0, "an unknown one");
}

int main(void)
{
	struct handmade h;
	u32 plain, percpu, scalar, counts, ips;

	if (!may_test())
		return done();
	handmade_init(&h);
	add_data(&h, 256);
	plain = add_map(&h, hash_map("@plain", BPF_MAP_TYPE_HASH, &ty_u64, 8, MANY));
	percpu = add_map(&h, hash_map("@", BPF_MAP_TYPE_PERCPU_HASH, &ty_count, 8, MANY));
	scalar = add_map(
		&h, (struct map_desc){
			    .name = "@s", .role = MAP_GLOBAL, .value = &ty_u64, .data_off = 0 });
	counts = add_map(&h, (struct map_desc){ .name = "@c",
						.role = MAP_GLOBAL,
						.value = &ty_count,
						.data_off = 64,
						.n_slots = 2,
						.slot_size = 64 });
	ips = add_map(&h, (struct map_desc){ .name = ".stacks",
					     .role = MAP_STACKS,
					     .bpf_type = BPF_MAP_TYPE_HASH,
					     .key_size = 8,
					     .value_size = 32,
					     .max_entries = 16 });
	handmade_open(&h, 0);
	good(&h, kernel_create_maps(h.k, &h.err));
	big(&h, plain, false);
	big(&h, percpu, true);
	small(&h, plain, false);
	small(&h, percpu, true);
	global(&h, scalar, counts);
	stacks(&h, ips);
	handmade_release(&h);
	return done();
}
