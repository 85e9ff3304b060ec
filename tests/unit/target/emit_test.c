/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code selected for a few lines of IR: what clang -O2 would write, for old and new kernels.
 * random_test.c and emit_kernel_test.c test that code means what it should.
 */
#include <errno.h>

#include "tap.h"
#include "target/mach.h"

static struct arena arena;

static struct program *program(void)
{
	static const struct map_desc maps[] = {
		{ .name = ".data", .role = MAP_DATA, .value_size = 4096 },
		{ .name = "@x", .role = MAP_USER, .key_size = 16, .value_size = 8 },
	};
	struct program *p = arena_new(&arena, struct program);

	p->arena = &arena;
	for (u32 i = 0; i < ARRAY_SIZE(maps); i++)
		vec_push(&arena, &p->maps, maps[i]);
	vec_push(&arena, &p->kfuncs, "bpf_rcu_read_lock");
	return p;
}

static int emit(const char *text, bool modern, struct bpf_func *f, struct program *p)
{
	const char *error = NULL;
	struct features ft = { 0 };
	struct ir_unit *u = ir_parse(&arena, p, text, &error);
	static const struct limits limits = { ALL_REGS, FAR };

	if (!u) {
		note("%s", error);
		return -EINVAL;
	}
	memset(ft.known, modern ? 1 : -1, sizeof ft.known);
	ir_optimize(u, NULL);
	return target_emit_with(u, &ft, f, &limits);
}

static void gives(const char *body, bool modern, const char *want, const char *what)
{
	struct program *p = program();
	struct bpf_func f = { 0 };
	struct buf b = { 0 };
	int r = emit(arena_printf(&arena, "func f params 0\n%s", body), modern, &f, p);

	for (u32 i = 0; i < f.n_insns && !r; buf_putc(&b, '\n'))
		i += target_disasm(&b, p, &f, i);
	is_str(r ? "refused" : b.s, want, "%s", what);
	buf_release(&b);
}

static void test_typical(void)
{
	gives("  slot s0 size 16 align 8 key\n  slot s1 size 8 align 8 value\n"
	      "b0:\n  t1 = call 14()\n  t2 = shr t1, 32\n  branch eq t2, 4711 -> b5 else b1\n"
	      "b1:\n  call 16(s0, 16)\n  t4 = call 1(map1, s0)\n  branch ne t4, 0 -> b2 else b3\n"
	      "b2:\n  atomic_add8 t4, 1\n  jump b5\n"
	      "b3:\n  store8 s1, 1\n  t5 = call 2(map1, s0, s1, 1)\n  branch eq t5, 0 -> b5 else b4\n"
	      "b4:\n  atomic_add8 data0+64, 1\n  jump b5\n"
	      "b5:\n  return 0\n",
	      true,
	      "call bpf_get_current_pid_tgid#14\n"
	      "r0 >>= 32\n"
	      "if r0 == 0x1267 goto pc+27\n"
	      "r1 = r10\n"
	      "r1 += -16\n"
	      "r2 = 16\n"
	      "call bpf_get_current_comm#16\n"
	      "r1 = map[@x] ll\n"
	      "r2 = r10\n"
	      "r2 += -16\n"
	      "call bpf_map_lookup_elem#1\n"
	      "if r0 == 0x0 goto pc+3\n"
	      "r5 = 1\n"
	      "lock *(u64 *)(r0 +0) += r5\n"
	      "goto pc+14\n"
	      "*(u64 *)(r10 -24) = 1\n"
	      "r1 = map[@x] ll\n"
	      "r2 = r10\n"
	      "r2 += -16\n"
	      "r3 = r10\n"
	      "r3 += -24\n"
	      "r4 = 1\n"
	      "call bpf_map_update_elem#2\n"
	      "if r0 == 0x0 goto pc+4\n"
	      "r0 = map[.data][0]+64 ll\n"
	      "r5 = 1\n"
	      "lock *(u64 *)(r0 +0) += r5\n"
	      "r0 = 0\n"
	      "exit\n",
	      "count by key");
	gives("b0:\n  t1 = load8 ctx+8\n  t2 = call 5()\n  t3 = load8 ctx+16\n  t4 = sub t2, t1\n"
	      "  store8 data0, t4\n  store4 data0+8, t3\n  return 0\n",
	      true,
	      "r6 = r1\n"
	      "r7 = *(u64 *)(r6 +8)\n"
	      "call bpf_ktime_get_ns#5\n"
	      "r5 = *(u64 *)(r6 +16)\n"
	      "r0 -= r7\n"
	      "r4 = map[.data][0]+0 ll\n"
	      "*(u64 *)(r4 +0) = r0\n"
	      "*(u32 *)(r4 +8) = r5\n"
	      "r0 = 0\n"
	      "exit\n",
	      "context and values across a call; one address for two stores");
}

static void test_arithmetic(void)
{
	gives("b0:\n  t1 = load4 ctx\n  t2 = sext4 t1\n  t3 = bswap4 t1\n  t4 = add t2, t3\n  return t4\n",
	      true, "r0 = *(u32 *)(r1 +0)\nr5 = (s32)r0\nr0 = bswap32 r0\nr0 += r5\nexit\n",
	      "extensions, new");
	gives("b0:\n  t1 = load4 ctx\n  t2 = sext4 t1\n  t3 = bswap4 t1\n  t4 = add t2, t3\n  return t4\n",
	      false,
	      "r0 = *(u32 *)(r1 +0)\nr5 = r0\nr5 <<= 32\nr5 s>>= 32\nr0 = be32 r0\nr0 += r5\nexit\n",
	      "extensions, old");
	gives("b0:\n  t1 = load8 ctx\n  t2 = sdiv t1, 10\n  return t2\n", true,
	      "r0 = *(u64 *)(r1 +0)\nr0 s/= 10\nexit\n", "signed division, new");
	gives("b0:\n  t1 = load8 ctx\n  t2 = sdiv t1, 10\n  return t2\n", false,
	      "r0 = *(u64 *)(r1 +0)\n"
	      "r5 = r0\n"
	      "r5 s>>= 63\n"
	      "r0 ^= r5\n"
	      "r0 -= r5\n"
	      "r0 /= 10\n"
	      "r0 ^= r5\n"
	      "r0 -= r5\n"
	      "exit\n",
	      "signed division, old");
	gives("b0:\n  t1 = load8 ctx\n  t2 = load8 ctx+8\n  t3 = smod t1, t2\n  return t3\n", true,
	      "r0 = *(u64 *)(r1 +0)\n"
	      "r5 = *(u64 *)(r1 +8)\n"
	      "if r5 == 0xffffffff goto pc+2\n"
	      "r0 s%= r5\n"
	      "goto pc+1\n"
	      "r0 = 0\n"
	      "exit\n",
	      "signed remainder never sees -1");
	gives("b0:\n  t1 = load8 ctx\n  t2 = and t1, 4294967295\n  t3 = or t2, 81985529216486895\n  return t3\n",
	      true, "r0 = *(u64 *)(r1 +0)\nw0 = w0\nr5 = 0x123456789abcdef ll\nr0 |= r5\nexit\n",
	      "wide constants");
	gives("b0:\n  t1 = load8 ctx\n  t2 = set ult t1, 10\n  t3 = set slt t1, 0\n  t4 = add t2, t3\n"
	      "  return t4\n",
	      true,
	      "r0 = *(u64 *)(r1 +0)\n"
	      "r5 = 1\n"
	      "if r0 < 0xa goto pc+1\n"
	      "r5 = 0\n"
	      "r0 >>= 63\n"
	      "r0 += r5\n"
	      "exit\n",
	      "comparisons as values");
}

static void test_memory(void)
{
	gives("  slot s0 size 24 align 8 x\nb0:\n  zero s0+4, 18\n  t1 = load4s s0+4\n  return t1\n",
	      true,
	      "*(u32 *)(r10 -20) = 0\n"
	      "*(u64 *)(r10 -16) = 0\n"
	      "*(u32 *)(r10 -8) = 0\n"
	      "*(u16 *)(r10 -4) = 0\n"
	      "r0 = *(s32 *)(r10 -20)\n"
	      "exit\n",
	      "zeroing keeps to alignment");
	gives("b0:\n  zero data0, 512\n  return 0\n", true,
	      "r1 = map[.data][0]+0 ll\nr2 = 512\nr3 = 0\ncall bpf_probe_read_kernel#113\nr0 = 0\nexit\n",
	      "much zeroing is a call");
	gives("b0:\n  t1 = fetch_add8 data0, 2\n  t2 = xchg8 data0+8, t1\n  t3 = cmpxchg8 data0+16, t2, 7\n"
	      "  return t3\n",
	      true,
	      "r5 = map[.data][0]+0 ll\n"
	      "r0 = 2\n"
	      "r0 = atomic64_fetch_add((u64 *)(r5 +0), r0)\n"
	      "r0 = atomic64_xchg((u64 *)(r5 +8), r0)\n"
	      "r4 = 7\n"
	      "r0 = atomic64_cmpxchg((u64 *)(r5 +16), r0, r4)\n"
	      "exit\n",
	      "atomics");
	gives("  slot s0 size 8 align 8 a\n  slot s1 size 8 align 8 b\n"
	      "b0:\n  store8 s0, 1\n  call 1(map1, s0)\n  store8 s1, 2\n  call 1(map1, s1)\n  return 0\n",
	      true,
	      "*(u64 *)(r10 -8) = 1\n"
	      "r1 = map[@x] ll\n"
	      "r2 = r10\n"
	      "r2 += -8\n"
	      "call bpf_map_lookup_elem#1\n"
	      "*(u64 *)(r10 -8) = 2\n"
	      "r1 = map[@x] ll\n"
	      "r2 = r10\n"
	      "r2 += -8\n"
	      "call bpf_map_lookup_elem#1\n"
	      "r0 = 0\n"
	      "exit\n",
	      "slots that do not live together share bytes");
}

static void test_functions(void)
{
	struct program *p = program();
	struct bpf_func f = { 0 };
	struct buf b = { 0 };
	int r = emit(
		"func entry params 0\n  slot s0 size 8 align 8 c\n"
		"b0:\n  store8 s0, 0\n  t1 = call 181(10, f2, s0, 0)\n  t2 = callsub 3(t1, 4)\n"
		"  kcall 0()\n  return t2\n"
		"func unused params 0\nb0:\n  return 1\n"
		"func body params 2 callback\nb0:\n  store8 t2, t1\n  return 0\n"
		"func sum params 2\nb0:\n  t3 = add t1, t2\n  return t3\n",
		true, &f, p);

	target_dump(&b, p, &f);
	is_str(r ? "refused" : b.s,
	       "program: 21 instructions, 64 bytes of stack\n"
	       "   0: *(u64 *)(r10 -8) = 0\n"
	       "   1: r1 = 10\n"
	       "   2: r2 = func[body] ll\n"
	       "   4: r3 = r10\n"
	       "   5: r3 += -8\n"
	       "   6: r4 = 0\n"
	       "   7: call bpf_loop#181\n"
	       "   8: r1 = r0\n"
	       "   9: r2 = 4\n"
	       "  10: call pc+7 ; sum\n"
	       "  11: r6 = r0\n"
	       "  12: call bpf_rcu_read_lock\n"
	       "  13: r0 = r6\n"
	       "  14: exit\n"
	       "body (callback):\n"
	       "  15: *(u64 *)(r2 +0) = r1\n"
	       "  16: r0 = 0\n"
	       "  17: exit\n"
	       "sum:\n"
	       "  18: r0 = r1\n"
	       "  19: r0 += r2\n"
	       "  20: exit\n",
	       "functions that are referred to, behind each other");
	is_int(f.insns[2].imm, 15 - 3, "address of a callback is relative");
	is_int(f.n_subprogs, 3, "an unused function is left out");
	is_int(f.relocs[0].kind, RELOC_FUNC, "first relocation");
	buf_release(&b);
}

static void test_frame(void)
{
	struct program *p = program();
	struct bpf_func f = { 0 };

	is_int(emit("func f params 0\n  slot s0 size 520 align 8 big\n"
		    "b0:\n  store8 s0, 0\n  return 0\n",
		    true, &f, p),
	       -E2BIG, "a frame of 520 bytes");
	is_int(emit("func f params 0\n  slot s0 size 504 align 8 big\nb0:\n  store8 s0, 0\n"
		    "  t1 = callsub 1()\n  return t1\n"
		    "func g params 0\nb0:\n  return 0\n",
		    true, &f, p),
	       -E2BIG, "512 bytes and a call");
}

int main(void)
{
	test_typical();
	test_arithmetic();
	test_memory();
	test_functions();
	test_frame();
	arena_release(&arena);
	return done();
}
