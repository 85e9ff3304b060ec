/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps in shared memory, changed by compiled code: the same answers and contents as the
 * interpreter's own maps, and as the interpreter on that memory; exact sums when threads change
 * them at once.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "jit/jit.h"
#include "run.h"
#include "tests/unit/bpf_asm.h"
#include "tests/unit/tap.h"
#include "type/bpf_isa.h"
#include "vm/vm.h"

#ifdef __x86_64__
RUN_DEFINE

enum { COUNT, UPDATE, DELETE, ARG0 = 112, ARG1 = 104, ARG2 = 96, DI = 14, SI = 13, DX = 12 };
enum { THREADS = 4, TURNS = 200000, KEYS = 50 };

struct fixture {
	struct program prog;
	struct arena a;
	u32 hash, array;
	struct native n;
	struct vm *own, *shared;
};

static void put(struct bpf_insn *v, u32 *n, const struct bpf_insn *from, u32 count)
{
	memcpy(v + *n, from, count * sizeof *from);
	*n += count;
}
#define PUT(...)                                                                                   \
	do {                                                                                       \
		const struct bpf_insn put_[] = { __VA_ARGS__ };                                    \
		put(v, &n, put_, ARRAY_SIZE(put_));                                                \
	} while (0)

/* The key is arg0, 3 * arg0, 5 * arg0 ...; the operation is arg1; flags are arg2. r0 goes to
 * data[0]. */
static void make_program(struct fixture *f, u32 key_size)
{
	struct bpf_insn v[200];
	s32 key = -(s32)ALIGN_UP(key_size, 8u) - 16;
	u32 n = 0, to_update, to_delete, to_end;

	PUT(LDX(DW, R6, R1, ARG0), LDX(DW, R7, R1, ARG1), LDX(DW, R8, R1, ARG2));
	for (s32 i = key, k = 1; i < -16; i += 8, k += 2)
		PUT(MOVR(R0, R6), ALU(MUL, R0, k), STX(DW, R10, i, R0));
	PUT(STX(DW, R10, -8, R6), LDMAP(R1, f->hash), MOVR(R2, R10), ALU(ADD, R2, key));
	to_update = n;
	PUT(JMP(JEQ, R7, UPDATE, 0));
	to_delete = n;
	PUT(JMP(JEQ, R7, DELETE, 0));
	PUT(CALL(BPF_FUNC_map_lookup_elem), JMP(JNE, R0, 0, 14), LDMAP(R1, f->hash), MOVR(R2, R10),
	    ALU(ADD, R2, key), LDVALUE(R3, f->prog.data_map, 64), MOV(R4, BPF_NOEXIST),
	    CALL(BPF_FUNC_map_update_elem), LDMAP(R1, f->hash), MOVR(R2, R10), ALU(ADD, R2, key),
	    CALL(BPF_FUNC_map_lookup_elem), JMP(JEQ, R0, 0, 3), MOV(R5, 1),
	    ATOMIC(DW, BPF_ADD, R0, 0, R5), MOV(R0, 0));
	to_end = n;
	PUT(JA(0));
	v[to_update].off = (s16)(n - to_update - 1);
	PUT(MOVR(R3, R10), ALU(ADD, R3, -8), MOVR(R4, R8), CALL(BPF_FUNC_map_update_elem), JA(1));
	v[to_delete].off = (s16)(n - to_delete - 1);
	PUT(CALL(BPF_FUNC_map_delete_elem));
	v[to_end].off = (s16)(n - to_end - 1);
	PUT(MOVR(R6, R0), ST(W, R10, -8, 1), LDMAP(R1, f->array), MOVR(R2, R10), ALU(ADD, R2, -8),
	    CALL(BPF_FUNC_map_lookup_elem), JMP(JEQ, R0, 0, 3), LDX(DW, R1, R0, 0), ALU(ADD, R1, 1),
	    STX(DW, R0, 0, R1), LDVALUE(R1, f->prog.data_map, 0), STX(DW, R1, 0, R6), MOV(R0, 0),
	    EXIT);
	asm_func(&f->prog, BPF_PROG_TYPE_KPROBE, v, n);
}

static bool open_fixture(struct fixture *f, u32 type, u32 key_size, u32 max_entries)
{
	const struct jit_site site = { .free = 1u << X10 | 1u << X11 };
	bool is_percpu = type == BPF_MAP_TYPE_PERCPU_HASH;
	struct vm_world world = { .n_cpus = 4 };
	struct err err = { 0 };
	int ret;

	*f = (struct fixture){ 0 };
	asm_program(&f->prog, &f->a);
	f->prog.data_map = asm_map(&f->prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 256, 1);
	f->prog.data_size = 256;
	f->prog.data = arena_alloc(&f->a, 256);
	f->hash = asm_map(&f->prog, "@h", MAP_USER, type, key_size, 8, max_entries);
	f->array = asm_map(&f->prog, "@a", MAP_SET,
			   is_percpu ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_ARRAY, 4, 8, 3);
	make_program(f, key_size);
	ret = native_open(&f->n, &f->prog, 4, &err);
	if (ret >= 0)
		ret = native_compile(&f->n, &f->prog, 0, &site, (struct jit_world){ 0 }, &err);
	if (ret < 0)
		note("%s", err.text);
	err_release(&err);
	f->own = vm_new(&f->prog, &world);
	world.shared = &f->n.maps;
	world.block = f->n.block;
	f->shared = vm_new(&f->prog, &world);
	return ret >= 0;
}

static void close_fixture(struct fixture *f)
{
	vm_free(f->own);
	vm_free(f->shared);
	native_close(&f->n);
	arena_release(&f->a);
}

/* Unlike memory of the interpreter's own, rows are in the order of slots. */
static u32 key_of(const struct table *t, u32 row)
{
	u32 k;

	memcpy(&k, t->rows.v[row].key, sizeof k);
	return k;
}

/* Both tables have the same rows; the value of per-CPU maps is that of the copies together. */
static u64 sum_of(const struct table *t, u32 row, u32 n_copies)
{
	u64 sum = 0, one;

	for (u32 i = 0; i < n_copies; i++) {
		memcpy(&one, (u8 *)t->rows.v[row].value + 8 * i, sizeof one);
		sum += one;
	}
	return sum;
}

static bool same_tables(const struct table *a, const struct table *b)
{
	u32 n = 0;

	for (u32 i = 0; i < a->rows.n; i++)
		for (u32 k = 0; k < b->rows.n; k++)
			n += key_of(a, i) == key_of(b, k) && sum_of(a, i, 1) == sum_of(b, k, 1);
	return a->rows.n == b->rows.n && n == a->rows.n;
}

static bool same_maps(struct fixture *f, u32 map)
{
	struct table a = { 0 }, b = { 0 };
	struct arena arena;
	bool same;

	arena_init(&arena);
	same = vm_map_read(f->own, map, &arena, &a) >= 0 &&
	       vm_map_read(f->shared, map, &arena, &b) >= 0 && same_tables(&a, &b);
	if (!same)
		note("%u rows, %u rows", a.rows.n, b.rows.n);
	arena_release(&arena);
	return same;
}

/* The interpreter's maps and those that compiled code and an interpreter change in turns. */
static void test_same(u32 type, u32 key_size, const char *what)
{
	u32 n_bad = 0, state = 1;
	struct fixture f;

	if (!ok(open_fixture(&f, type, key_size, 20), "%s, keys of %u bytes: compiled", what,
		key_size))
		return;
	for (u32 i = 0; i < 20000 && !n_bad; i++) {
		struct registers regs = { { 0 } };
		struct err err = { 0 };
		u64 answer;

		state = state * 1103515245 + 12345;
		regs.v[DI] = state >> 16 & 31;
		regs.v[SI] = (state >> 8) % 5 % 3;
		regs.v[DX] = (state >> 24) % 3;
		vm_run(f.own, 0, &regs, sizeof regs, NULL, &err);
		if (type == BPF_MAP_TYPE_HASH && state & 1 << 30)
			vm_run(f.shared, 0, &regs, sizeof regs, NULL, &err);
		else
			n_bad += native_run(&f.n, &regs, 1u << 6 | 1u << 7);
		answer = vm_data_u64(f.shared, 0);
		if (vm_data_u64(f.own, 0) != answer) {
			note("operation %llu of %llu, flags %llu: %lld, %lld",
			     (unsigned long long)regs.v[SI], (unsigned long long)regs.v[DI],
			     (unsigned long long)regs.v[DX], (long long)vm_data_u64(f.own, 0),
			     (long long)answer);
			n_bad++;
		}
		err_release(&err);
	}
	is_int(n_bad, 0, "%s, keys of %u bytes: the same answers", what, key_size);
	if (type == BPF_MAP_TYPE_HASH) {
		ok(same_maps(&f, f.hash), "%s, keys of %u bytes: the same contents", what,
		   key_size);
		ok(same_maps(&f, f.array), "and the same array");
	}
	close_fixture(&f);
}

/* ---- threads */

struct thread {
	pthread_t thread;
	struct fixture *f;
	u32 seed;
};

static void call_with(const void *code, u64 di, u64 si, u64 dx)
{
	__asm__ volatile("subq $256, %%rsp\n\tcall *%[code]\n\taddq $256, %%rsp"
			 : "+D"(di), "+S"(si), "+d"(dx)
			 : [code] "r"(code)
			 : "r10", "r11", "memory", "cc");
}

static void *count_keys(void *arg)
{
	struct thread *t = arg;

	for (u32 i = 0; i < TURNS; i++) {
		t->seed = t->seed * 1103515245 + 12345;
		call_with(t->f->n.code, (t->seed >> 16) % KEYS, COUNT, 0);
	}
	return NULL;
}

static void *count_first(void *arg)
{
	call_with(((struct thread *)arg)->f->n.code, 0, COUNT, 0);
	return NULL;
}

static u64 sum_of_copies(struct fixture *f)
{
	const struct shared_map *m = &f->n.maps.v[f->hash];
	u64 sum = 0, one;

	for (u32 c = 0; c < m->n_slots * m->n_copies; c++) {
		memcpy(&one, f->n.block + m->values + 8ul * c, sizeof one);
		sum += one;
	}
	return sum;
}

static void test_threads(u32 type, const char *what)
{
	struct thread t[THREADS];
	struct table table = { 0 };
	struct arena arena;
	struct fixture f;

	open_fixture(&f, type, 16, 2 * KEYS);
	for (u32 i = 0; i < THREADS; i++) {
		t[i] = (struct thread){ .f = &f, .seed = i + 1 };
		pthread_create(&t[i].thread, NULL, count_keys, &t[i]);
	}
	for (u32 i = 0; i < THREADS; i++)
		pthread_join(t[i].thread, NULL);
	arena_init(&arena);
	vm_map_read(f.shared, f.hash, &arena, &table);
	is_int(table.rows.n, KEYS, "%s: %u threads made each key once", what, THREADS);
	is_int(sum_of_copies(&f), (u64)THREADS * TURNS, "%s: their counts are exact", what);
	arena_release(&arena);
	close_fixture(&f);
}

/* A thread that makes a key was preempted for 20 ms: the others wait, and no count is lost. */
static void test_preempted(u32 type, const char *what)
{
	struct fixture f;
	struct thread t = { .f = &f, .seed = 1 };
	u64 key[2] = { 0, 0 };
	bool is_new;
	int error;
	u32 slot, *tag;

	open_fixture(&f, type, 16, 2 * KEYS);
	slot = shared_insert(&f.n.maps.v[f.hash], f.n.block, key, &is_new, &error) - 1;
	tag = &((struct shared_hash *)(void *)(f.n.block + f.n.maps.v[f.hash].offset))->tag[slot];
	__atomic_store_n(tag, *tag ^ SHARED_STATE, __ATOMIC_RELEASE);
	pthread_create(&t.thread, NULL, count_first, &t);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	__atomic_store_n(tag, *tag ^ SHARED_STATE, __ATOMIC_RELEASE);
	pthread_join(t.thread, NULL);
	is_int(sum_of_copies(&f), 1, "%s: one who waits for a preempted thread counts", what);
	close_fixture(&f);
}

int main(void)
{
	static const u32 sizes[] = { 4, 8, 12, 16, 24, 32, 40, 72, 7 };

	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		test_same(BPF_MAP_TYPE_HASH, sizes[i], "hash");
	test_same(BPF_MAP_TYPE_PERCPU_HASH, 8, "hash per processor");
	test_threads(BPF_MAP_TYPE_HASH, "hash");
	test_threads(BPF_MAP_TYPE_PERCPU_HASH, "hash per processor");
	test_preempted(BPF_MAP_TYPE_HASH, "hash");
	test_preempted(BPF_MAP_TYPE_PERCPU_HASH, "hash per processor");
	return done();
}
#else
int main(void)
{
	ok(true, "compiled code is x86-64");
	return done();
}
#endif
