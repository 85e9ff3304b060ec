/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random IR that terminates and never uses an address as a value: nested ifs, counted loops,
 * temporaries visible where their definition dominates, variables, slots of inner scopes, calls.
 * Its computations are folded into the result, which exposes any wrong value.
 */
#ifndef TESTS_UNIT_TARGET_IR_GEN_H
#define TESTS_UNIT_TARGET_IR_GEN_H

#include "ir/pass.h"

enum { GEN_CTX = 64, GEN_DATA = 1024, GEN_SLOT_MAX = 40, GEN_VARS = 4, GEN_DEPTH = 4 };

struct gen {
	struct arena *a;
	struct ir_unit *u;
	struct ir_func *f;
	struct ir_block *block;
	u64 seed;
	bool real;  /* calls are of helpers that the kernel has, results unused */
	u32 budget; /* instructions still to be made */
	u32 depth, loops;
	u32 vars[GEN_VARS];
	VEC(u32) seen;  /* temporaries visible here */
	VEC(u32) slots; /* slots visible here */
};

static u32 rnd(struct gen *g, u32 n)
{
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(g->seed >> 33) % n;
}

/* Subfunctions have no context and call no others. */
static bool in_entry(const struct gen *g)
{
	return g->f == g->u->funcs.v[0];
}

static u32 gen_temp(struct gen *g, bool is_var)
{
	vec_push(g->a, &g->f->temps, (struct ir_temp){ .is_var = is_var });
	return g->f->temps.n - 1;
}

static struct ir_insn *gen_out(struct gen *g, struct ir_insn in)
{
	if (g->budget)
		g->budget--;
	vec_push(g->a, &g->block->insns, in);
	return vec_last(&g->block->insns);
}

static s64 gen_number(struct gen *g)
{
	static const s64 odd[] = { 0,          1,          -1,
				   2,          7,          8,
				   63,         64,         255,
				   256,        65535,      0x7fffffff,
				   0x80000000, 0xffffffff, 0x100000000,
				   INT64_MIN,  INT64_MAX,  -128,
				   -32768,     4096,       (s64)0xff00ff00ff00ff00,
				   10,         1000,       INT32_MIN };

	return rnd(g, 3) ? odd[rnd(g, ARRAY_SIZE(odd))] : (s64)rnd(g, 100);
}

static struct opnd gen_value(struct gen *g)
{
	u32 k = rnd(g, 10);

	if (k < 3)
		return o_imm(gen_number(g));
	if (k < 5 || !g->seen.n)
		return o_temp(g->vars[rnd(g, GEN_VARS)]);
	return o_temp(g->seen.v[rnd(g, 3) ? g->seen.n - 1 - rnd(g, MIN(g->seen.n, 6u)) :
					    rnd(g, g->seen.n)]);
}

/* The address of len bytes, aligned to align, in a slot or the data map. */
static struct opnd gen_place(struct gen *g, u32 len, u32 align)
{
	struct opnd o;
	u32 room = GEN_DATA, id = 0;

	if (g->slots.n && rnd(g, 2)) {
		id = g->slots.v[rnd(g, g->slots.n)];
		room = g->f->slots.v[id].size;
	}
	if (room < len)
		room = GEN_DATA;
	o = room == GEN_DATA ? o_data(0, 0) : o_slot(id, 0);
	o.imm = (s64)(rnd(g, (room - len) / align + 1) * align);
	if (rnd(g, 5) == 0) {
		u32 t = gen_temp(g, false);

		gen_out(g, (struct ir_insn){ .op = IR_ADDR, .dst = t, .arg = { o } });
		return o_temp(t);
	}
	if (rnd(g, 8) == 0 && o.imm >= 8 && room == GEN_DATA) { /* pointer + bounded index */
		u32 p = gen_temp(g, false), i = gen_temp(g, false), q = gen_temp(g, false);

		gen_out(g, (struct ir_insn){ .op = IR_ADDR, .dst = p, .arg = { o_data(0, 0) } });
		gen_out(g, (struct ir_insn){
				   .op = IR_AND, .dst = i, .arg = { gen_value(g), o_imm(0x1f8) } });
		gen_out(g, (struct ir_insn){
				   .op = IR_ADD, .dst = q, .arg = { o_temp(p), o_temp(i) } });
		return o_at(q, rnd(g, 8) * 8);
	}
	return o;
}

static u32 gen_dst(struct gen *g)
{
	u32 t;

	if (rnd(g, 6) == 0)
		return g->vars[rnd(g, GEN_VARS)];
	t = gen_temp(g, false);
	return t;
}

static void gen_result(struct gen *g, struct ir_insn in)
{
	in.dst = gen_dst(g);
	gen_out(g, in);
	if (!g->f->temps.v[in.dst].is_var)
		vec_push(g->a, &g->seen, in.dst);
}

static void gen_slot(struct gen *g)
{
	u32 size = 8 * (1 + rnd(g, GEN_SLOT_MAX / 8)), id = g->f->slots.n;

	if (id > 7)
		return;
	vec_push(g->a, &g->f->slots, (struct ir_slot){ .size = size, .align = 8, .name = "x" });
	gen_out(g, (struct ir_insn){ .op = IR_ZERO, .imm = size, .arg = { o_slot(id, 0) } });
	vec_push(g->a, &g->slots, id);
}

static void gen_memory(struct gen *g)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	u8 size = sizes[rnd(g, 4)], wide = rnd(g, 2) ? 4 : 8;
	struct opnd to, from;
	u32 len;

	switch (rnd(g, 9)) {
	case 0:
		if (!in_entry(g))
			return;
		gen_result(g, (struct ir_insn){ .op = IR_LOAD,
						.size = size,
						.is_signed = rnd(g, 2),
						.arg = { o_ctx(rnd(g, GEN_CTX / 8) * 8) } });
		break;
	case 1:
	case 2:
		to = gen_place(g, size, size);
		gen_result(g, (struct ir_insn){ .op = IR_LOAD,
						.size = size,
						.is_signed = rnd(g, 2),
						.arg = { to } });
		break;
	case 3:
	case 4:
		to = gen_place(g, size, size);
		gen_out(g, (struct ir_insn){
				   .op = IR_STORE, .size = size, .arg = { to, gen_value(g) } });
		break;
	case 5:
		to = gen_place(g, wide, wide);
		gen_result(g,
			   (struct ir_insn){ .op = rnd(g, 2) ? IR_ATOMIC_FETCH_ADD : IR_ATOMIC_XCHG,
					     .size = wide,
					     .arg = { to, gen_value(g) } });
		break;
	case 6:
		to = gen_place(g, wide, wide);
		gen_out(g,
			(struct ir_insn){ .op = (u8[]){ IR_ATOMIC_ADD, IR_ATOMIC_OR, IR_ATOMIC_AND,
							IR_ATOMIC_XOR }[rnd(g, 4)],
					  .size = wide,
					  .arg = { to, gen_value(g) } });
		break;
	case 7:
		to = gen_place(g, wide, wide);
		gen_result(g, (struct ir_insn){ .op = IR_ATOMIC_CMPXCHG,
						.size = wide,
						.arg = { to, gen_value(g), gen_value(g) } });
		break;
	default:
		len = rnd(g, 12) ? 1 + rnd(g, 24) : 1 + rnd(g, 400);
		to = o_data(0, rnd(g, 16) * 4);
		from = gen_place(g, len, rnd(g, 2) ? 4 : 1);
		if (rnd(g, 3) == 0)
			gen_out(g, (struct ir_insn){ .op = IR_ZERO, .imm = len, .arg = { to } });
		else if (from.kind == O_SLOT || (from.kind == O_DATA && from.imm >= 64 + len))
			gen_out(g,
				(struct ir_insn){ .op = IR_COPY, .imm = len, .arg = { to, from } });
	}
}

static void gen_compute(struct gen *g)
{
	static const u8 ops[] = { IR_MOVE, IR_ADD,  IR_ADD,  IR_SUB,  IR_MUL,   IR_UDIV, IR_UMOD,
				  IR_SDIV, IR_SMOD, IR_AND,  IR_OR,   IR_XOR,   IR_SHL,  IR_SHR,
				  IR_SAR,  IR_NEG,  IR_SEXT, IR_ZEXT, IR_BSWAP, IR_SET,  IR_SET };
	struct ir_insn in = { .op = ops[rnd(g, ARRAY_SIZE(ops))] };

	for (u32 i = 0; i < ir_n_args(&in); i++)
		in.arg[i] = gen_value(g);
	if (ir_has_size(in.op))
		in.size = (u8[]){ 2, 4, 8, 1 }[rnd(g, in.op == IR_BSWAP ? 3 : 4)];
	if (in.op == IR_SET)
		in.cc = (u8)rnd(g, CC_SET + 1);
	gen_result(g, in);
}

static void gen_real_call(struct gen *g)
{
	static const u8 helpers[] = { BPF_FUNC_ktime_get_ns, BPF_FUNC_get_prandom_u32,
				      BPF_FUNC_get_smp_processor_id,
				      BPF_FUNC_get_current_pid_tgid };

	gen_out(g, (struct ir_insn){ .op = IR_CALL, .imm = helpers[rnd(g, 4)] });
}

static void gen_call(struct gen *g)
{
	struct ir_insn in = { .op = IR_CALL, .imm = rnd(g, 60) };

	if (g->real && rnd(g, 2)) {
		gen_real_call(g);
		return;
	}

	if (in.imm == 113)
		in.imm = 5;
	in.n_args = (u8)(in.imm % 6);
	if (g->u->funcs.n > 1 && in_entry(g) && (g->real || rnd(g, 3) == 0)) {
		in.op = IR_CALLSUB;
		in.imm = 1;
		in.n_args = (u8)g->u->funcs.v[1]->n_params;
	}
	if (g->real && in.op == IR_CALL)
		return;
	for (u32 i = 0; i < in.n_args; i++)
		in.arg[i] = gen_value(g);
	gen_result(g, in);
}

static struct ir_block *gen_block(struct gen *g)
{
	struct ir_block *b = arena_new(g->a, struct ir_block);

	b->loop_depth = g->loops;
	return b;
}

static void gen_place_block(struct gen *g, struct ir_block *b)
{
	b->id = g->f->blocks.n;
	vec_push(g->a, &g->f->blocks, b);
	g->block = b;
}

/* Targets are not numbered yet: imm and arg[4].imm hold pointers until gen_link(). */
static void gen_branch(struct gen *g, struct ir_insn in, struct ir_block *yes, struct ir_block *no)
{
	struct ir_insn *out = gen_out(g, in);

	out->imm = (s64)(uintptr_t)yes;
	out->arg[4].imm = (s64)(uintptr_t)no;
}

static void gen_jump(struct gen *g, struct ir_block *to)
{
	gen_branch(g, (struct ir_insn){ .op = IR_JUMP }, to, to);
}

static void gen_stmts(struct gen *g, u32 n);

static void gen_scope(struct gen *g, u32 n)
{
	u32 seen = g->seen.n, slots = g->slots.n;

	g->depth++;
	if (rnd(g, 3) == 0)
		gen_slot(g);
	gen_stmts(g, n);
	g->depth--;
	g->seen.n = seen;
	g->slots.n = slots;
}

static struct ir_insn gen_condition(struct gen *g)
{
	struct ir_insn in = { .op = IR_BRANCH, .cc = (u8)rnd(g, CC_SET + 1) };

	in.arg[0] = gen_value(g);
	in.arg[1] = gen_value(g);
	if (rnd(g, 4) == 0) { /* a comparison's result */
		u32 t = gen_temp(g, false);
		struct ir_insn set = in;

		set.op = IR_SET;
		set.dst = t;
		gen_out(g, set);
		in.cc = rnd(g, 2) ? CC_NE : CC_EQ;
		in.arg[0] = o_temp(t);
		in.arg[1] = o_imm(0);
	}
	return in;
}

static void gen_if(struct gen *g)
{
	struct ir_block *yes = gen_block(g), *no = gen_block(g), *join = gen_block(g);
	struct ir_insn c = gen_condition(g);

	gen_branch(g, c, yes, rnd(g, 2) ? no : join);
	gen_place_block(g, yes);
	gen_scope(g, rnd(g, 6));
	gen_jump(g, join);
	gen_place_block(g, no);
	gen_scope(g, rnd(g, 4));
	gen_jump(g, join);
	gen_place_block(g, join);
}

static void gen_loop(struct gen *g)
{
	struct ir_block *head, *body, *out = gen_block(g);
	u32 i = gen_temp(g, true);

	gen_out(g, (struct ir_insn){ .op = IR_MOVE, .dst = i, .arg = { o_imm(0) } });
	g->loops++;
	head = gen_block(g);
	body = gen_block(g);
	gen_jump(g, head);
	gen_place_block(g, head);
	gen_branch(g,
		   (struct ir_insn){
			   .op = IR_BRANCH, .cc = CC_ULT, .arg = { o_temp(i), o_imm(rnd(g, 5)) } },
		   body, out);
	gen_place_block(g, body);
	vec_push(g->a, &g->seen, i);
	gen_scope(g, 1 + rnd(g, 6));
	if (rnd(g, 3) == 0) {
		struct ir_block *on = gen_block(g);
		struct ir_insn c = gen_condition(g);

		gen_branch(g, c, out, on);
		gen_place_block(g, on);
	}
	gen_out(g, (struct ir_insn){ .op = IR_ADD, .dst = i, .arg = { o_temp(i), o_imm(1) } });
	gen_jump(g, head);
	g->loops--;
	/* invisible outside: other paths may not define it */
	for (u32 k = 0; k < g->seen.n; k++)
		if (g->seen.v[k] == i) {
			g->seen.n = k;
			break;
		}
	gen_place_block(g, out);
}

static void gen_stmts(struct gen *g, u32 n)
{
	while (n-- && g->budget) {
		u32 k = rnd(g, 20);

		if (k < 9)
			gen_compute(g);
		else if (k < 14)
			gen_memory(g);
		else if (k < 16)
			gen_call(g);
		else if (k < 18 && g->depth < GEN_DEPTH)
			gen_if(g);
		else if (k < 19 && g->depth < GEN_DEPTH && g->loops < 3)
			gen_loop(g);
	}
}

static void gen_link(const struct ir_func *f)
{
	for (u32 i = 0; i < f->blocks.n; i++) {
		struct ir_insn *end = vec_last(&f->blocks.v[i]->insns);

		if (end->op == IR_RETURN)
			continue;
		end->target[0] = ((struct ir_block *)(uintptr_t)end->imm)->id;
		end->target[1] = end->op == IR_BRANCH ?
					 ((struct ir_block *)(uintptr_t)end->arg[4].imm)->id :
					 0;
		end->imm = end->arg[4].imm = 0;
	}
}

static void gen_return(struct gen *g)
{
	u32 sum = gen_temp(g, true);

	gen_out(g, (struct ir_insn){ .op = IR_MOVE, .dst = sum, .arg = { o_imm(17) } });
	for (u32 i = 0; i < GEN_VARS + g->seen.n; i++) {
		struct opnd o = o_temp(i < GEN_VARS ? g->vars[i] : g->seen.v[i - GEN_VARS]);

		if (i >= GEN_VARS && rnd(g, 2))
			continue;
		gen_out(g, (struct ir_insn){
				   .op = IR_MUL, .dst = sum, .arg = { o_temp(sum), o_imm(31) } });
		gen_out(g, (struct ir_insn){ .op = IR_XOR, .dst = sum, .arg = { o_temp(sum), o } });
	}
	gen_out(g, (struct ir_insn){ .op = IR_RETURN, .arg = { o_temp(sum) } });
}

static void gen_func(struct gen *g, struct ir_func *f, u32 n_params, u32 size)
{
	g->f = f;
	g->budget = 12 * size;
	g->seen.n = g->slots.n = 0;
	f->name = n_params ? "sub" : "entry";
	f->n_params = n_params;
	vec_push(g->a, &f->temps, (struct ir_temp){ 0 });
	for (u32 i = 0; i < n_params; i++) {
		u32 t = gen_temp(g, false);

		vec_push(g->a, &g->seen, t);
	}
	gen_place_block(g, gen_block(g));
	for (u32 i = 0; i < GEN_VARS; i++) {
		g->vars[i] = gen_temp(g, true);
		gen_out(g, (struct ir_insn){ .op = IR_MOVE,
					     .dst = g->vars[i],
					     .arg = { o_imm(rnd(g, 50)) } });
	}
	if (rnd(g, 2))
		gen_slot(g);
	gen_stmts(g, size);
	gen_return(g);
	gen_link(f);
}

static struct ir_unit *gen_unit(struct arena *a, u64 seed, u32 size, bool real)
{
	struct gen g = {
		.a = a, .u = arena_new(a, struct ir_unit), .seed = seed * 7919 + 1, .real = real
	};

	g.u->arena = a;
	g.u->prog = arena_new(a, struct program);
	g.u->prog->arena = a;
	vec_push(a, &g.u->prog->maps, (struct map_desc){ .name = ".data" });
	vec_push(a, &g.u->funcs, arena_new(a, struct ir_func));
	if (rnd(&g, 4) == 0) {
		vec_push(a, &g.u->funcs, arena_new(a, struct ir_func));
		gen_func(&g, g.u->funcs.v[1], 1 + rnd(&g, 5), size / 3 + 1);
	}
	gen_func(&g, g.u->funcs.v[0], 0, size);
	return g.u;
}

#endif
