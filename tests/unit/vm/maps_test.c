/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreter's maps, ring, stacks and helpers, as programs and the session see them. */
#include <errno.h>

#include "bpf_asm.h"
#include "tap.h"
#include "type/agg.h"
#include "vm/vm.h"

enum { NOEXIST = 1, EXIST = 2 };

static struct arena arena;
static struct program prog;
static struct vm_world world;
static u32 hash, percpu, lru, array, data, ring, stacks, global, count, traces;

static int read_memory(void *ctx, void *dst, u32 len, u64 addr, bool user)
{
	static const char text[] = "/etc/passwd\0secret";

	if (addr < 0x7000 || addr + len > 0x7000 + sizeof text)
		return -EFAULT;
	memcpy(dst, text + (addr - 0x7000), len);
	return 0;
}

static int walk(void *ctx, u64 *ips, u32 max, u64 flags)
{
	u32 n = MIN(max, 5u);

	for (u32 i = 0; i < n; i++)
		ips[i] = 0x1000 * (flags & BPF_F_USER_STACK ? 2 : 1) + i;
	return (int)n;
}

static u64 now(void *ctx, u32 clock)
{
	return 1000 + clock;
}

static void make_maps(void)
{
	static const struct type scalar = { .kind = TY_INT, .size = 8, .align = 8 };
	static const struct type counter = { .kind = TY_COUNT, .size = 8, .align = 8 };
	struct map_desc *d;

	hash = asm_map(&prog, "@h", MAP_USER, BPF_MAP_TYPE_HASH, 8, 8, 3);
	percpu = asm_map(&prog, "@p", MAP_USER, BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 16);
	lru = asm_map(&prog, "@l", MAP_USER, BPF_MAP_TYPE_LRU_HASH, 8, 8, 2);
	array = asm_map(&prog, "@a", MAP_SET, BPF_MAP_TYPE_ARRAY, 4, 8, 4);
	data = asm_map(&prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 256, 1);
	ring = asm_map(&prog, ".ring", MAP_RING, BPF_MAP_TYPE_RINGBUF, 0, 0, 4096);
	stacks = asm_map(&prog, ".stacks", MAP_STACKS, BPF_MAP_TYPE_HASH, 8, 80, 8);
	traces = asm_map(&prog, ".traces", MAP_SET, BPF_MAP_TYPE_STACK_TRACE, 4, 80, 64);
	global = asm_map(&prog, "@g", MAP_GLOBAL, 0, 0, 0, 0);
	d = &prog.maps.v[global];
	d->value = &scalar;
	d->data_off = 8;
	count = asm_map(&prog, "@c", MAP_GLOBAL, 0, 0, 0, 0);
	d = &prog.maps.v[count];
	d->value = &counter;
	d->data_off = 64;
	d->n_slots = 2;
	d->slot_size = 64;
	prog.maps.v[hash].value = &scalar;
	prog.maps.v[percpu].value = &counter;
	prog.data_map = data;
	prog.ring_map = ring;
	prog.data_size = 256;
	prog.data = arena_alloc(&arena, 256);
	prog.data[0] = 42;
}

static u32 add(const struct bpf_insn *insns, u32 n)
{
	asm_func(&prog, BPF_PROG_TYPE_KPROBE, insns, n);
	return prog.funcs.n - 1;
}
#define FUNC(...)                                                                                  \
	({                                                                                         \
		const struct bpf_insn insns_[] = { __VA_ARGS__ };                                  \
		add(insns_, ARRAY_SIZE(insns_));                                                   \
	})

static u64 run(struct vm *vm, u32 func, u64 a, u64 b)
{
	u64 ctx[2] = { a, b }, ret = ~0ull;
	struct err err = { 0 };

	if (vm_run(vm, func, ctx, sizeof ctx, &ret, &err) < 0)
		note("%s", err.text);
	err_release(&err);
	return ret;
}

/* r2 = &key on the stack, from the context's first word; r3 = &value, from its second */
#define KEY_VALUE                                                                                  \
	LDX(DW, R0, R1, 0), STX(DW, R10, -8, R0), LDX(DW, R0, R1, 8), STX(DW, R10, -16, R0),       \
		MOVR(R2, R10), ALU(ADD, R2, -8), MOVR(R3, R10), ALU(ADD, R3, -16)
#define UPDATE(map, flags) KEY_VALUE, LDMAP(R1, map), MOV(R4, flags), CALL(2), EXIT
#define LOOKUP(map)                                                                                \
	KEY_VALUE, LDMAP(R1, map), CALL(1), JMP(JEQ, R0, 0, 2), LDX(DW, R0, R0, 0), EXIT,          \
		MOV(R0, -1), EXIT
#define DELETE(map) KEY_VALUE, LDMAP(R1, map), CALL(3), EXIT

static void test_hash(struct vm *vm)
{
	u32 set = FUNC(UPDATE(hash, 0)), new = FUNC(UPDATE(hash, NOEXIST)),
	    old = FUNC(UPDATE(hash, EXIST)), get = FUNC(LOOKUP(hash)), del = FUNC(DELETE(hash));

	is_int(run(vm, get, 1, 0), -1, "a missing key");
	is_int(run(vm, set, 1, 10), 0, "insert");
	is_int(run(vm, get, 1, 0), 10, "and find");
	is_int(run(vm, new, 1, 11), -EEXIST, "NOEXIST of one that exists");
	is_int(run(vm, old, 2, 11), -ENOENT, "EXIST of one that does not");
	is_int(run(vm, old, 1, 11), 0, "EXIST of one that does");
	is_int(run(vm, get, 1, 0), 11, "has changed it");
	run(vm, set, 2, 20);
	run(vm, set, 3, 30);
	is_int(run(vm, set, 4, 40), -E2BIG, "a full map");
	is_int(run(vm, del, 2, 0), 0, "delete");
	is_int(run(vm, del, 2, 0), -ENOENT, "delete again");
	is_int(run(vm, set, 4, 40), 0, "room again");
	is_int(run(vm, get, 4, 0), 40, "and found");
}

static void test_other_maps(struct vm *vm)
{
	u32 set = FUNC(UPDATE(lru, 0)), get = FUNC(LOOKUP(lru)), a_set = FUNC(UPDATE(array, 0)),
	    a_get = FUNC(LOOKUP(array)), a_new = FUNC(UPDATE(array, NOEXIST)),
	    a_del = FUNC(DELETE(array));

	run(vm, set, 1, 10);
	run(vm, set, 2, 20);
	run(vm, get, 1, 0);
	is_int(run(vm, set, 3, 30), 0, "a full LRU map takes more");
	is_int(run(vm, get, 2, 0), -1, "and loses what was not used");
	is_int(run(vm, get, 1, 0), 10, "and keeps what was");
	is_int(run(vm, a_get, 3, 0), 0, "arrays begin as zeroes");
	is_int(run(vm, a_get, 4, 0), -1, "and end");
	is_int(run(vm, a_set, 3, 33), 0, "array update");
	is_int(run(vm, a_get, 3, 0), 33, "array lookup");
	is_int(run(vm, a_set, 4, 33), -E2BIG, "array update beyond the end");
	is_int(run(vm, a_new, 0, 33), -EEXIST, "array elements exist");
	is_int(run(vm, a_del, 0, 0), -EINVAL, "and cannot be deleted");
}

static u64 row(struct vm *vm, u32 map, u32 i, u32 *n)
{
	struct table t = { 0 };
	struct arena a;
	u64 v = 0;

	arena_init(&a);
	is_int(vm_map_read(vm, map, &a, &t), 0, "reading %s", prog.maps.v[map].name);
	*n = t.rows.n;
	if (i < t.rows.n)
		memcpy(&v, t.rows.v[i].value, sizeof v);
	arena_release(&a);
	return v;
}

static void test_tables(struct vm *vm)
{
	u32 set = FUNC(UPDATE(percpu, 0)), get = FUNC(LOOKUP(percpu)), n;
	u32 global_set = FUNC(LDVALUE(R2, data, 8), ST(DW, R2, 0, 1), LDX(DW, R3, R1, 0),
			      STX(DW, R2, 8, R3), MOV(R0, 0), EXIT);
	u32 slot = FUNC(LDX(DW, R2, R1, 0), LDVALUE(R3, data, 64), ALUR(ADD, R3, R2), MOV(R4, 3),
			ATOMIC(DW, BPF_ADD, R3, 0, R4), MOV(R0, 0), EXIT);

	run(vm, set, 7, 5);
	vm_world(vm)->cpu = 1;
	is_int(run(vm, get, 7, 0), 0, "another CPU has its own value");
	run(vm, set, 7, 6);
	vm_world(vm)->cpu = 0;
	is_int(run(vm, get, 7, 0), 5, "and does not change this one's");
	is_int(row(vm, percpu, 0, &n), 11, "readers add them up");
	is_int(n, 1, "one key");
	row(vm, hash, 0, &n);
	is_int(n, 3, "rows of a hash");
	vm_map_zero(vm, percpu);
	is_int(row(vm, percpu, 0, &n), 0, "zero keeps the key");
	is_int(n, 1, "one key");
	vm_map_clear(vm, percpu);
	row(vm, percpu, 0, &n);
	is_int(n, 0, "clear does not");

	is_int(vm_data_u64(vm, 0), 42, "data is there from the start");
	row(vm, global, 0, &n);
	is_int(n, 0, "a scalar that was never set");
	run(vm, global_set, 99, 0);
	is_int(row(vm, global, 0, &n), 99, "one that was");
	vm_map_zero(vm, global);
	is_int(row(vm, global, 0, &n), 0, "zeroed");
	is_int(n, 1, "it is still set");
	vm_map_clear(vm, global);
	row(vm, global, 0, &n);
	is_int(n, 0, "cleared it is not");
	row(vm, count, 0, &n);
	is_int(n, 0, "a count that never counted");
	run(vm, slot, 0, 0);
	run(vm, slot, 64, 0);
	is_int(row(vm, count, 0, &n), 6, "slots are added up");
}

struct seen {
	u32 n, stop_at;
	u64 last;
};

static int see(void *ctx, const void *record, u32 len)
{
	struct seen *s = ctx;

	memcpy(&s->last, record, sizeof s->last);
	return ++s->n == s->stop_at;
}

static void test_ring(struct vm *vm)
{
	u32 emit = FUNC(LDX(DW, R6, R1, 0), LDMAP(R1, ring), MOV(R2, 24), MOV(R3, 0), CALL(131),
			JMP(JEQ, R0, 0, 6), STX(DW, R0, 0, R6), MOVR(R1, R0), MOV(R2, 0), CALL(132),
			MOV(R0, 1), EXIT, MOV(R0, 0), EXIT);
	u32 drop = FUNC(LDMAP(R1, ring), MOV(R2, 24), MOV(R3, 0), CALL(131), MOVR(R1, R0),
			MOV(R2, 0), CALL(133), MOV(R0, 1), EXIT);
	u32 leak = FUNC(LDMAP(R1, ring), MOV(R2, 24), MOV(R3, 0), CALL(131), MOV(R0, 1), EXIT);
	u32 beyond = FUNC(LDMAP(R1, ring), MOV(R2, 24), MOV(R3, 0), CALL(131), ST(DW, R0, 24, 0),
			  MOV(R0, 1), EXIT);
	u32 after = FUNC(LDMAP(R1, ring), MOV(R2, 24), MOV(R3, 0), CALL(131), MOVR(R6, R0),
			 MOVR(R1, R0), MOV(R2, 0), CALL(132), ST(DW, R6, 0, 0), MOV(R0, 1), EXIT);
	u32 output = FUNC(ST(DW, R10, -8, 77), LDMAP(R1, ring), MOVR(R2, R10), ALU(ADD, R2, -8),
			  MOV(R3, 8), MOV(R4, 0), CALL(130), EXIT);
	struct seen s = { 0 }, one = { .stop_at = 1 };
	struct err err = { 0 };
	u64 ctx[2] = { 0 };
	u32 n = 0;

	run(vm, emit, 1, 0);
	run(vm, drop, 0, 0);
	run(vm, emit, 2, 0);
	is_int(vm_drain(vm, see, &one), 1, "a reader that stops");
	is_int(vm_drain(vm, see, &s), 1, "goes on later; what was discarded is not seen");
	is_int(s.last, 2, "the second record");
	while (run(vm, emit, 100 + n, 0) == 1)
		n++;
	is_int(n, 4096 / 32 - 1, "records until the ring is full: a byte stays free");
	s.n = 0;
	is_int(vm_drain(vm, see, &s), n, "all are read, across the ring's end");
	is_int(s.last, 100 + n - 1, "the last is whole");
	is_int(run(vm, output, 0, 0), 0, "output");
	vm_drain(vm, see, &s);
	is_int(s.last, 77, "has the bytes");
	ok(vm_run(vm, leak, ctx, 16, NULL, &err) < 0 && strstr(err.text, "reserved"),
	   "a leak is a fault");
	ok(vm_run(vm, beyond, ctx, 16, NULL, &err) < 0 && strstr(err.text, "24-byte"), "%s",
	   err.text);
	ok(vm_run(vm, after, ctx, 16, NULL, &err) < 0 && strstr(err.text, "not reserved"), "%s",
	   err.text);
	is_int(vm_drain(vm, see, &s), 1, "what a fault left behind is discarded");
	err_release(&err);
}

static void test_world(struct vm *vm)
{
	u32 pid = FUNC(CALL(14), EXIT), ns = FUNC(CALL(5), EXIT), boot = FUNC(CALL(125), EXIT);
	u32 comm = FUNC(MOVR(R1, R10), ALU(ADD, R1, -16), MOV(R2, 16), CALL(16),
			LDX(DW, R0, R10, -16), EXIT);
	u32 str = FUNC(LDX(DW, R3, R1, 0), LDX(DW, R2, R1, 8), LDVALUE(R1, data, 192), CALL(114),
		       EXIT);
	u32 mem = FUNC(LDX(DW, R3, R1, 0), LDVALUE(R1, data, 192), MOV(R2, 8), CALL(113), EXIT);
	u32 stack = FUNC(LDVALUE(R2, data, 192), MOV(R3, 32), MOV(R4, 0x101), CALL(67), EXIT);
	u32 id = FUNC(LDMAP(R2, traces), MOV(R3, 0), CALL(27), EXIT);
	u32 kill = FUNC(MOV(R1, 9), CALL(109), EXIT);
	const u32 *signals;

	is_int(run(vm, pid, 0, 0), 0x1200000034, "pid_tgid");
	is_int(run(vm, ns, 0, 0), 1000 + TS_MONOTONIC, "monotonic clock");
	is_int(run(vm, boot, 0, 0), 1000 + TS_BOOT, "boot clock");
	is_int(run(vm, comm, 0, 0), 'c' | 'a' << 8 | 't' << 16, "comm");
	is_int(run(vm, str, 0x7000, 64), 12, "length of a string with its NUL");
	is_int(run(vm, str, 0x7000, 5), 5, "a string that is cut");
	is_int(run(vm, str, 0x10, 8), -EFAULT, "an unreadable string");
	is_int(vm_data_u64(vm, 192), 0, "leaves zeroes");
	is_int(run(vm, mem, 0x7000, 0), 0, "probe_read");
	is_int(vm_data_u64(vm, 192), 0x7361702f6374652f, "has read");
	is_int(run(vm, mem, 0x9000, 0), -EFAULT, "probe_read of nothing");
	is_int(run(vm, stack, 0, 0), 32, "user stack: bytes");
	is_int(vm_data_u64(vm, 192), 0x2001, "one frame was skipped");
	is_int(run(vm, id, 0, 0), run(vm, id, 0, 0), "equal stacks have equal ids");
	run(vm, kill, 0, 0);
	is_int(vm_signals(vm, &signals), 1, "a signal is recorded");
	is_int(signals[0], 9, "its number");
}

static void test_walk(struct vm *vm)
{
	u32 sum = FUNC(ST(DW, R10, -8, 0), LDMAP(R1, hash), LDFUNC(R2, 9), MOVR(R3, R10),
		       ALU(ADD, R3, -8), MOV(R4, 0), CALL(164), LDX(DW, R1, R10, -8),
		       ALUR(ADD, R0, R1), EXIT, MOV(R0, 0) /* never */, LDX(DW, R5, R3, 0),
		       LDX(DW, R0, R4, 0), ALUR(ADD, R0, R5), STX(DW, R4, 0, R0), MOV(R0, 0), EXIT);
	u32 key = FUNC(LDMAP(R1, hash), LDFUNC(R2, 5), MOV(R3, 0), MOV(R4, 0), CALL(164), EXIT,
		       ST(DW, R2, 0, 0), MOV(R0, 0), EXIT);
	struct err err = { 0 };

	is_int(run(vm, sum, 0, 0), 11 + 30 + 40 + 3, "for_each: values and number of calls");
	ok(vm_run(vm, key, NULL, 0, NULL, &err) < 0 && strstr(err.text, "writes to the key"), "%s",
	   err.text);
	err_release(&err);
}

static void test_stacks(struct vm *vm)
{
	u64 frames[10] = { 5, 6, 7 }, hash_of = 0xabc, ips[4] = { 0 }, time = 0;
	struct stack_value v = { .hash = 0xabc, .n = 3 };

	is_int(vm_set_add(vm, stacks, &hash_of, frames), 0, "a stack is kept");
	is_int(vm_stack(vm, &v, 4, ips, &time), 3, "its frames");
	is_int(ips[2], 7, "the last");
	is_int(vm_stack(vm, &v, 2, ips, &time), 2, "a limit");
	v.hash = 1;
	is_int(vm_stack(vm, &v, 4, ips, &time), 0, "a stack that is lost");
}

static void test_many(void)
{
	struct program p;
	struct arena a;
	struct vm *vm;
	bool good = true;
	u32 m;

	asm_program(&p, &a);
	m = asm_map(&p, "@many", MAP_USER, BPF_MAP_TYPE_HASH, 8, 12, 100000);
	vm = vm_new(&p, &world);
	for (u64 i = 0; i < 100000; i++)
		good &= vm_set_add(vm, m, &i, (u64[]){ i * 3, 0 }) == 0;
	ok(good, "a hundred thousand keys");
	is_int(vm_set_add(vm, m, &(u64){ 100000 }, (u64[]){ 0, 0 }), -E2BIG, "and no more");
	vm_free(vm);
	arena_release(&a);
}

int main(void)
{
	struct vm *vm;

	world = (struct vm_world){ .pid_tgid = 0x1200000034,
				   .comm = "cat",
				   .n_cpus = 2,
				   .now_ns = now,
				   .read = read_memory,
				   .stack = walk };
	asm_program(&prog, &arena);
	make_maps();
	vm = vm_new(&prog, &world);
	test_hash(vm);
	test_other_maps(vm);
	test_tables(vm);
	test_ring(vm);
	test_world(vm);
	test_walk(vm);
	test_stacks(vm);
	test_many();
	vm_free(vm);
	arena_release(&arena);
	return done();
}
