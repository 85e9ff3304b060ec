/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores hits that are unwound later (struct unwind_raw): those in code that is not in the tables
 * yet.
 */
#include "builtin/unwind_walk.h"

#define RAW(name) (u32) offsetof(struct unwind_raw, name)

enum {
	LARGE_ROOM = UNWIND_LARGE_SIZE - (int)sizeof(struct unwind_raw),
	SMALL_ROOM = UNWIND_SMALL_SIZE - (int)sizeof(struct unwind_raw)
};

/* v, at most `most`; verifiers only follow the case that v is less, because it comes from memory
 * and is unknown to them. */
static struct opnd below(const struct walk *w, struct opnd v, s64 most, struct ir_block *otherwise)
{
	struct lower *l = w->l;
	struct ir_block *good = ir_block_new(l);
	u32 copy = ir_var(l);

	walk_put(w, ST_RETURN, v);
	ir_var_set(l, copy, walk_get(w, ST_RETURN));
	ir_branch(l, CC_ULE, o_temp(copy), o_imm(most), good, otherwise);
	walk_place(l, good);
	return o_temp(copy);
}

static struct opnd least(struct lower *l, struct opnd a, struct opnd b)
{
	struct ir_block *over = ir_block_new(l), *out = ir_block_new(l);
	u32 v = ir_var(l);

	ir_var_set(l, v, a);
	ir_branch(l, CC_UGT, o_temp(v), b, over, out);
	walk_place(l, over);
	ir_var_set(l, v, b);
	ir_jump(l, out);
	walk_place(l, out);
	return o_temp(v);
}

/* Bytes from the hit's sp to the start of the process's stack, or to the data of a thread that has
 * its own; the limit if neither is above. */
static void find_stack_bytes(const struct walk *w)
{
	struct lower *l = w->l;
	struct opnd sp = walk_get(w, ST_FIRST);
	struct opnd len = ir_op2(l, IR_SUB, walk_get(w, ST_START_STACK), sp);
	struct walk_offsets p;

	if (walk_find_offsets(l, &p) && p.has_thread_pointer)
		len = least(l, len,
			    ir_op2(l, IR_SUB, walk_kernel_word(l, walk_task(l), p.thread_pointer),
				   sp));
	walk_put(w, ST_BYTES, least(l, len, o_imm(LARGE_ROOM)));
}

/* Copies the stack from the hit's sp on, page by page; those that are not resident are left out. */
static void copy_stack(const struct walk *w, struct opnd raw)
{
	enum { PIECES = LARGE_ROOM / UNWIND_RAW_PAGE + 2 };
	struct lower *l = w->l;
	struct ir_block *out = ir_block_new(l);
	u32 done = ir_var(l);

	ir_var_set(l, done, o_imm(0));
	for (u32 i = 0; i < PIECES; i++) {
		struct ir_block *good = ir_block_new(l), *missing = ir_block_new(l),
				*next = ir_block_new(l);
		struct opnd at = ir_op2(l, IR_ADD, walk_get(w, ST_FIRST), o_temp(done)), len, ret,
			    bits = opnd_plus(raw, RAW(missing));

		len = ir_op2(l, IR_SUB, walk_get(w, ST_BYTES), o_temp(done));
		len = least(l, len,
			    ir_op2(l, IR_SUB, o_imm(UNWIND_RAW_PAGE),
				   ir_op2(l, IR_AND, at, o_imm(UNWIND_RAW_PAGE - 1))));
		len = below(w, len, UNWIND_RAW_PAGE, out);
		at = ir_op2(l, IR_ADD, walk_get(w, ST_FIRST), o_temp(done));
		ret = ir_call(l, BPF_FUNC_probe_read_user, false, 3,
			      opnd_plus(ir_op2(l, IR_ADD, raw, o_temp(done)), RAW(stack)), len, at);
		ir_var_set(l, done,
			   below(w, ir_op2(l, IR_ADD, o_temp(done), len),
				 (s64)(i + 1) * UNWIND_RAW_PAGE, out));
		ir_branch(l, CC_EQ, ret, o_imm(0), good, missing);
		walk_place(l, missing);
		ir_store(l, bits, 8, ir_op2(l, IR_OR, ir_load(l, bits, 8, false), o_imm(1 << i)));
		ir_jump(l, next);
		walk_place(l, good);
		ir_store(l, opnd_plus(raw, RAW(len)), 4, o_temp(done));
		ir_jump(l, next);
		walk_place(l, next);
	}
	ir_jump(l, out);
	walk_place(l, out);
}

/* Counts the hit; stops if the process has used up its budget. */
static void demand_budget(const struct walk *w)
{
	enum { COUNT = 0xffff, TAG_SHIFT = 16 };
	struct lower *l = w->l;
	struct ir_block *other = ir_block_new(l), *known = ir_block_new(l);
	struct opnd who = ir_op2(l, IR_XOR, walk_get(w, ST_START_STACK),
				 ir_op2(l, IR_XOR, walk_get(w, ST_SALT), walk_get(w, ST_OWN_PID))),
		    tag, at, used;
	u32 v = ir_var(l);

	who = ir_op2(l, IR_MUL, who, o_imm((s64)0x9e3779b97f4a7c15ull));
	tag = ir_op2(l, IR_AND, who, o_imm(~(s64)COUNT));
	at = walk_table_at(w, UNWIND_BUDGETS, ir_op2(l, IR_SHR, who, o_imm(40)), UNWIND_N_BUDGETS,
			   3);
	ir_var_set(l, v, ir_load(l, at, 8, false));
	ir_branch(l, CC_EQ, ir_op2(l, IR_SHR, ir_op2(l, IR_XOR, o_temp(v), tag), o_imm(TAG_SHIFT)),
		  o_imm(0), known, other);
	walk_place(l, other);
	ir_var_set(l, v, tag);
	ir_jump(l, known);
	walk_place(l, known);
	used = ir_op2(l, IR_AND, o_temp(v), o_imm(COUNT));
	walk_demand(w, CC_ULT, used, o_imm(UNWIND_BUDGET), UNWIND_WHY_NEW);
	ir_store(l, at, 8, ir_op2(l, IR_ADD, o_temp(v), o_imm(1)));
}

/* Counts the hit among those whose keys may be in maps. */
static struct opnd count_kept(const struct walk *w)
{
	struct lower *l = w->l;
	struct opnd at = walk_tables_at(w, UNWIND_KEPT);

	walk_demand(w, CC_ULT, ir_load(l, at, 8, false), o_imm(UNWIND_MAX_KEPT), UNWIND_WHY_NEW);
	return at;
}

/* The number of the processor's next hit: modulo the number of entries, no other processor has
 * it. */
static struct opnd next_turn(const struct walk *w)
{
	struct lower *l = w->l;
	struct opnd cpu = ir_call(l, BPF_FUNC_get_smp_processor_id, true, 0), at, turn;

	walk_demand(w, CC_ULT, cpu, o_imm(UNWIND_N_TURNS), UNWIND_WHY_NEW);
	at = walk_table_at(w, UNWIND_TURNS, cpu, UNWIND_N_TURNS, 3);
	turn = ir_load(l, at, 8, false);
	ir_store(l, at, 8, ir_op2(l, IR_ADD, turn, o_imm(1)));
	return ir_op2(l, IR_ADD, ir_op2(l, IR_MUL, turn, o_imm(lower_cpu_slots())), cpu);
}

struct entries {
	s64 counter, at;
	u32 n, size;
};

/* The offset of the next entry of a size. */
static struct opnd next_raw(const struct walk *w, const struct entries *e)
{
	struct lower *l = w->l;
	bool numbered = walk_numbers_hits(l);
	struct ir_insn count = { .op = numbered ? IR_ATOMIC_FETCH_ADD : IR_ATOMIC_ADD,
				 .size = 8,
				 .arg = { walk_tables_at(w, e->counter), o_imm(1) } };
	struct opnd i = ir_emit(l, count);

	if (!numbered)
		i = next_turn(w);
	i = ir_op2(l, IR_AND, i, o_imm(e->n - 1));
	return ir_op2(l, IR_ADD, ir_op2(l, IR_MUL, i, o_imm(e->size)), o_imm(e->at - UNWIND_SMALL));
}

/* The entry at an offset; verifiers must know that all of copy_stack()'s writes are in bounds. */
static struct opnd raw_at(const struct walk *w, struct opnd offset)
{
	enum {
		LAST = UNWIND_LARGE + UNWIND_LARGE_SIZE * (UNWIND_N_LARGE - 1) - UNWIND_SMALL,
		LAST_OF_PART = UNWIND_PART - 2 * UNWIND_LARGE_SIZE,
		SHIFT = __builtin_ctz(UNWIND_PART)
	};
	struct lower *l = w->l;
	struct opnd part;

	if (walk_is_whole(l))
		return ir_op2(l, IR_ADD, walk_tables_at(w, UNWIND_SMALL),
			      below(w, offset, LAST, w->stop));
	part = walk_part(w, ir_op2(l, IR_ADD, ir_op2(l, IR_SHR, offset, o_imm(SHIFT)),
				   o_imm(UNWIND_SMALL / UNWIND_PART)));
	return ir_op2(l, IR_ADD, part,
		      below(w, ir_op2(l, IR_AND, offset, o_imm(UNWIND_PART - 1)), LAST_OF_PART,
			    w->stop));
}

/* Takes a free entry; stops if there is none. */
static struct opnd take_raw(const struct walk *w)
{
	struct lower *l = w->l;
	/* entries in a separate element: the last ones are too close to its end */
	u32 part = walk_is_whole(l) ? 1 : 2;
	const struct entries few = { UNWIND_NEXT_SMALL, UNWIND_SMALL, UNWIND_N_SMALL / part,
				     UNWIND_SMALL_SIZE },
			     big = { UNWIND_NEXT_LARGE, UNWIND_LARGE, UNWIND_N_LARGE / part,
				     UNWIND_LARGE_SIZE };
	struct ir_block *small = ir_block_new(l), *large = ir_block_new(l), *out = ir_block_new(l);
	u32 offset = ir_var(l);
	struct opnd raw;

	ir_branch(l, CC_ULE, walk_get(w, ST_BYTES), o_imm(SMALL_ROOM), small, large);
	walk_place(l, small);
	ir_var_set(l, offset, next_raw(w, &few));
	ir_jump(l, out);
	walk_place(l, large);
	ir_var_set(l, offset, next_raw(w, &big));
	ir_jump(l, out);
	walk_place(l, out);
	raw = raw_at(w, o_temp(offset));
	walk_demand(w, CC_EQ, ir_load(l, opnd_plus(raw, RAW(state)), 8, false),
		    o_imm(UNWIND_RAW_FREE), UNWIND_WHY_NEW);
	ir_store(l, opnd_plus(raw, RAW(state)), 8, o_imm(UNWIND_RAW_BEGUN));
	return raw;
}

/* Copies the list that returns_body() searches. */
static void copy_returns(const struct walk *w, struct opnd raw)
{
	struct lower *l = w->l;
	struct ir_block *head = ir_block_new(l), *body = ir_block_new(l), *got = ir_block_new(l),
			*out = ir_block_new(l);
	u32 i = ir_var(l), ri = ir_var(l);
	struct opnd ret, to, size = o_imm(sizeof(struct unwind_return));
	struct walk_offsets p;

	ir_zero(l, opnd_plus(raw, RAW(returns)), UNWIND_RAW_RETURNS * (u32)size.imm);
	if (!walk_find_offsets(l, &p) || !p.has_returns)
		return;
	ir_var_set(l, i, o_imm(0));
	ir_var_set(l, ri,
		   walk_kernel_word(l, walk_kernel_word(l, walk_task(l), p.utask), p.returns));
	ir_jump(l, head);
	walk_place(l, head);
	ir_branch(l, CC_UGE, o_temp(i), o_imm(UNWIND_RAW_RETURNS), out, body);
	walk_place(l, body);
	ret = ir_call(l, BPF_FUNC_probe_read_kernel, false, 3, opnd_plus(w->at, ST_RETURN),
		      o_imm(p.ri_size), o_temp(ri));
	ir_branch(l, CC_EQ, ret, o_imm(0), got, out);
	walk_place(l, got);
	to = ir_op2(l, IR_ADD, raw,
		    ir_op2(l, IR_MUL, ir_op2(l, IR_AND, o_temp(i), o_imm(UNWIND_RAW_RETURNS - 1)),
			   size));
	to = opnd_plus(to, RAW(returns));
	ir_store(l, to, 8, walk_get(w, ST_RETURN + p.ri_stack));
	ir_store(l, opnd_plus(to, offsetof(struct unwind_return, address)), 8,
		 walk_get(w, ST_RETURN + p.ri_addr));
	ir_var_set(l, ri, walk_get(w, ST_RETURN + p.ri_next));
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), o_imm(1)));
	ir_jump(l, head);
	walk_place(l, out);
}

static void fill_raw(const struct walk *w, struct opnd raw, struct opnd ip_delta, struct opnd time,
		     struct opnd id)
{
	struct lower *l = w->l;
	const struct {
		u32 to, size;
		struct opnd v;
	} field[] = {
		{ RAW(id), 8, id },
		{ RAW(time), 8, time },
		{ RAW(pid), 4, walk_get(w, ST_OWN_PID) },
		{ RAW(len), 4, o_imm(0) },
		{ RAW(missing), 8, o_imm(0) },
		{ RAW(start_stack), 8, walk_get(w, ST_START_STACK) },
		{ RAW(sp), 8, walk_get(w, ST_FIRST) },
		{ RAW(fp), 8, walk_get(w, ST_FIRST + 8) },
		{ RAW(pc), 8, walk_get(w, ST_FIRST + 16) },
		{ RAW(link), 8, UNWIND_HAS_LINK ? walk_get(w, ST_FIRST + 24) : walk_link(l) },
		{ RAW(entered), 8, walk_get(w, ST_ENTERED) },
		{ RAW(word), 8, walk_get(w, ST_WORD) },
		{ RAW(shown), 8, ir_op2(l, IR_SUB, walk_get(w, ST_FIRST + 16), ip_delta) },
	};

	for (u32 i = 0; i < ARRAY_SIZE(field); i++)
		ir_store(l, opnd_plus(raw, field[i].to), field[i].size, field[i].v);
}

/* Wakes sonde once the number of kept hits reaches UNWIND_RING_AT. If a stack is too deep to be
 * stored completely, wakes it at once, so that programs unwind the process's next hits. */
static void ring_bell(const struct walk *w)
{
	struct lower *l = w->l;
	struct ir_block *few = ir_block_new(l), *deep = ir_block_new(l), *ring = ir_block_new(l),
			*out = ir_block_new(l);
	struct opnd small = walk_tables_at(w, UNWIND_NEXT_SMALL),
		    large = opnd_plus(small, UNWIND_NEXT_LARGE - UNWIND_NEXT_SMALL),
		    ring_at = opnd_plus(small, UNWIND_RING_AT - UNWIND_NEXT_SMALL),
		    at = ir_load(l, ring_at, 8, false),
		    kept = ir_op2(l, IR_ADD, ir_load(l, small, 8, false),
				  ir_load(l, large, 8, false));

	ir_branch(l, CC_ULT, kept, at, few, ring);
	walk_place(l, few);
	ir_branch(l, CC_ULT, walk_get(w, ST_BYTES), o_imm(LARGE_ROOM), out, deep);
	walk_place(l, deep);
	ir_branch(l, CC_EQ, at, o_imm(-1), out, ring);
	walk_place(l, ring);
	ir_store(l, ring_at, 8, o_imm(-1));
	ir_call(l, BPF_FUNC_ringbuf_output, false, 4, o_map(walk_bell(l)), ring_at, o_imm(8),
		o_imm(BPF_RB_FORCE_WAKEUP));
	ir_jump(l, out);
	walk_place(l, out);
}

/* Stores the hit: returns its id, or 0. */
static struct opnd keep_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct ir_block *known = ir_block_new(l), *take = ir_block_new(l);
	struct opnd process = walk_process(&w), kept, raw, time, id;

	ir_branch(l, CC_NE, process, o_imm(0), known, take);
	walk_place(l, known);
	ir_branch(l, CC_EQ,
		  ir_load(l, opnd_plus(process, offsetof(struct unwind_process, settled)), 8,
			  false),
		  o_imm(0), take, w.stop);
	walk_place(l, take);
	kept = count_kept(&w);
	demand_budget(&w);
	find_stack_bytes(&w);
	raw = take_raw(&w);
	ir_atomic_add(l, kept, 8, o_imm(1));
	time = ir_call(l, BPF_FUNC_ktime_get_ns, false, 0);
	id = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, time, o_imm(8)), walk_get(&w, ST_OWN_PID));
	id = ir_op2(l, IR_SHL, ir_op2(l, IR_MUL, id, o_imm((s64)0x9e3779b97f4a7c15ull)), o_imm(1));
	fill_raw(&w, raw, arg[1], time, id);
	copy_returns(&w, raw);
	copy_stack(&w, raw);
	ir_store(l, opnd_plus(raw, RAW(state)), 8, o_imm(UNWIND_RAW_FULL));
	ring_bell(&w);
	return walk_end(&w, id);
}

static const struct shared_func keep_func = { .name = "unwind_keep",
					      .n_args = 2,
					      .body = keep_body };

void walk_keep_if_new(struct lower *l, struct opnd buffer, u32 id, const u32 most[2])
{
	struct ir_block *other = ir_block_new(l), *keep = ir_block_new(l), *out = ir_block_new(l);
	struct opnd why = ir_load(l, opnd_plus(buffer, ST_WHY), 8, false);
	s64 delta = l->profile->regs.are_users ? l->profile->func.ip_delta : 0;

	ir_branch(l, CC_EQ, why, o_imm(UNWIND_WHY_NEW), keep, other);
	ir_place(l, other);
	ir_branch(l, CC_EQ, why, o_imm(UNWIND_WHY_NOT_CODE), keep, out);
	ir_place(l, keep);
	ir_var_set(l, id,
		   lower_call_shared(l, &keep_func, most,
				     (struct opnd[]){ lower_scratch_offset(l, buffer),
						      o_imm(delta) }));
	ir_jump(l, out);
	ir_place(l, out);
}
