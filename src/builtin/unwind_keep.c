/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps hits that are unwound afterwards (struct unwind_raw): those in code that the tables do not
 * have yet.
 */
#include "builtin/unwind_walk.h"

#define RAW(name) (u32) offsetof(struct unwind_raw, name)

/* Copies a piece of the stack; the code after it runs if that succeeds. */
static void copy_piece(const struct walk *w, struct opnd raw, struct opnd done, struct opnd len,
		       struct ir_block *failed)
{
	struct lower *l = w->l;
	struct ir_block *good = ir_block_new(l);
	struct opnd to = opnd_plus(ir_op2(l, IR_ADD, raw, done), RAW(stack)), ret;

	ret = ir_call(l, BPF_FUNC_probe_read_user, false, 3, to, len,
		      ir_op2(l, IR_ADD, walk_get(w, ST_FIRST), done));
	ir_branch(l, CC_EQ, ret, o_imm(0), good, failed);
	walk_place(l, good);
	ir_store(l, opnd_plus(raw, RAW(len)), 4, ir_op2(l, IR_ADD, done, len));
}

/* From the hit's sp on, page by page. */
static void copy_stack(const struct walk *w, struct opnd raw)
{
	enum { ROOM = UNWIND_RAW_SIZE - (int)sizeof(struct unwind_raw) };
	struct lower *l = w->l;
	struct ir_block *out = ir_block_new(l);
	struct opnd first = ir_op2(l, IR_SUB, o_imm(USER_PAGE),
				   ir_op2(l, IR_AND, walk_get(w, ST_FIRST), o_imm(USER_PAGE - 1)));

	copy_piece(w, raw, o_imm(0), first, out);
	for (s64 done = 0; done + USER_PAGE < ROOM; done += USER_PAGE)
		copy_piece(w, raw, ir_op2(l, IR_ADD, first, o_imm(done)),
			   o_imm(MIN(USER_PAGE, ROOM - USER_PAGE - done)), out);
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
	at = walk_table_at(l, UNWIND_BUDGETS, ir_op2(l, IR_SHR, who, o_imm(40)), UNWIND_N_BUDGETS,
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

/* A free entry; stops if there is none. */
static struct opnd take_raw(const struct walk *w)
{
	struct lower *l = w->l;
	u32 map = walk_tables(l);
	struct opnd n = ir_emit(l,
				(struct ir_insn){ .op = IR_ATOMIC_FETCH_ADD,
						  .size = 8,
						  .arg = { ir_addr(l, o_data(map, UNWIND_NEXT_RAW)),
							   o_imm(1) } }),
		    raw = ir_op2(l, IR_ADD, ir_addr(l, o_data(map, UNWIND_RAW)),
				 ir_op2(l, IR_MUL, ir_op2(l, IR_AND, n, o_imm(UNWIND_N_RAW - 1)),
					o_imm(UNWIND_RAW_SIZE)));

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
		{ RAW(start_stack), 8, walk_get(w, ST_START_STACK) },
		{ RAW(sp), 8, walk_get(w, ST_FIRST) },
		{ RAW(fp), 8, walk_get(w, ST_FIRST + 8) },
		{ RAW(pc), 8, walk_get(w, ST_FIRST + 16) },
		{ RAW(entered), 8, walk_get(w, ST_ENTERED) },
		{ RAW(shown), 8, ir_op2(l, IR_SUB, walk_get(w, ST_FIRST + 16), ip_delta) },
	};

	for (u32 i = 0; i < ARRAY_SIZE(field); i++)
		ir_store(l, opnd_plus(raw, field[i].to), field[i].size, field[i].v);
}

/* Keeps the hit: returns its id, or 0. */
static struct opnd keep_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct ir_block *known = ir_block_new(l), *take = ir_block_new(l);
	struct opnd process = walk_process(&w), raw, time, id;

	ir_branch(l, CC_NE, process, o_imm(0), known, take);
	walk_place(l, known);
	ir_branch(l, CC_EQ,
		  ir_load(l, opnd_plus(process, offsetof(struct unwind_process, settled)), 8,
			  false),
		  o_imm(0), take, w.stop);
	walk_place(l, take);
	demand_budget(&w);
	raw = take_raw(&w);
	time = ir_call(l, BPF_FUNC_ktime_get_ns, false, 0);
	id = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, time, o_imm(8)), walk_get(&w, ST_OWN_PID));
	id = ir_op2(l, IR_SHL, ir_op2(l, IR_MUL, id, o_imm((s64)0x9e3779b97f4a7c15ull)), o_imm(1));
	fill_raw(&w, raw, arg[1], time, id);
	copy_returns(&w, raw);
	copy_stack(&w, raw);
	ir_store(l, opnd_plus(raw, RAW(state)), 8, o_imm(UNWIND_RAW_FULL));
	return walk_end(&w, id);
}

static const struct shared_func keep_func = { .name = "unwind_keep",
					      .n_args = 2,
					      .body = keep_body };

void walk_keep_if_new(struct lower *l, struct opnd buffer, u32 id, const u32 most[2])
{
	struct ir_block *other = ir_block_new(l), *keep = ir_block_new(l), *out = ir_block_new(l);
	struct opnd why = ir_load(l, opnd_plus(buffer, ST_WHY), 8, false);
	s64 delta = l->profile->user_regs ? l->profile->ip_delta : 0;

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
