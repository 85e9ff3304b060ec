/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds user stacks of programs without frame pointers, by the tables of type/unwind.h. For each
 * frame:
 *
 *	rule of pc		from a cache, else by the process's mappings and the file's rows
 *	CFA = sp or fp + N	the caller's sp
 *	pc, fp			read from the stack at offsets from the CFA
 *
 * The stack is copied in pieces of at most 2 KB that never cross a page, because a copy costs 30 to
 * 50 ns regardless of its length, and one that faults a microsecond.
 *
 * The walk is a function that verifiers follow once and that unwinds STEP_FRAMES frames; the
 * program calls it in a loop. Its state is in scratch, because such functions only take numbers
 * (ir/lower_func.c). Indexes come from memory or are masked after an unknown zero was added, so
 * that verifiers do not follow each value of them.
 */
#include "builtin/unwind_walk.h"

enum {
	STEP_FRAMES = 8,
	FIND_STOP = 0,
	FIND_AGAIN = 2, /* the state is that of the caller */
};

u32 unwind_head(void)
{
	return ST_FRAMES;
}

bool unwind_serves(struct lower *l)
{
	struct walk_offsets p;

	if (l->inst->jump && !feature_has(l->features, FEAT_TAIL_CALL_FUNCS))
		return false;
	return feature_has(l->features, FEAT_MAPPED_ARRAYS) && walk_find_offsets(l, &p);
}

/* ---- the rule of an address */

/* Index of the mapping that may contain the address: the last that begins at or below it. */
static struct opnd find_area(struct lower *l, struct opnd process, struct opnd address)
{
	u32 at = ir_var(l);

	ir_var_set(l, at,
		   ir_op2(l, IR_AND,
			  ir_load(l, opnd_plus(process, offsetof(struct unwind_process, zero)), 8,
				  false),
			  o_imm(UNWIND_AREAS - 1)));
	for (u32 step = UNWIND_AREAS / 2; step; step /= 2) {
		struct ir_block *above = ir_block_new(l), *next = ir_block_new(l);
		struct opnd t = ir_op2(l, IR_AND, ir_op2(l, IR_ADD, o_temp(at), o_imm(step)),
				       o_imm(UNWIND_AREAS - 1)),
			    p = ir_op2(l, IR_ADD, process, ir_op2(l, IR_SHL, t, o_imm(3)));

		ir_branch(l, CC_ULE,
			  ir_load(l, opnd_plus(p, offsetof(struct unwind_process, start)), 8,
				  false),
			  address, above, next);
		walk_place(l, above);
		ir_var_set(l, at, t);
		ir_jump(l, next);
		walk_place(l, next);
	}
	return o_temp(at);
}

/* Where a file's rows are searched: in `part` if the tables have several elements. */
struct search {
	struct lower *l;
	struct opnd part, end, low, zero;
	u32 at; /* variable: index of a row */
};

static struct opnd row_at(const struct search *s, struct opnd index)
{
	struct lower *l = s->l;
	bool whole = walk_is_whole(l);
	struct opnd at =
		ir_op2(l, IR_AND, index, o_imm((whole ? UNWIND_N_ROWS : UNWIND_PART_ROWS) - 1));

	return ir_op2(l, IR_ADD, whole ? ir_addr(l, o_data(walk_tables(l), UNWIND_ROWS)) : s->part,
		      ir_op2(l, IR_SHL, at, o_imm(2)));
}

/* One step of the search for the last row below the end that is at or below the address. */
static void row_step(const struct search *s, u32 step)
{
	struct lower *l = s->l;
	struct ir_block *inside = ir_block_new(l), *above = ir_block_new(l),
			*next = ir_block_new(l);
	struct opnd t = ir_op2(l, IR_ADD, o_temp(s->at), o_imm(step)), row;

	ir_branch(l, CC_ULT, t, s->end, inside, next);
	walk_place(l, inside);
	row = ir_load(l, row_at(s, t), 2, false);
	ir_branch(l, CC_ULE, row, s->low, above, next);
	walk_place(l, above);
	ir_var_set(l, s->at, t);
	ir_jump(l, next);
	walk_place(l, next);
	/* what verifiers know about it depends on the path: forget it */
	ir_var_set(l, s->at,
		   ir_op2(l, IR_AND, ir_op2(l, IR_ADD, o_temp(s->at), s->zero),
			  o_imm(UNWIND_N_ROWS - 1)));
}

/* The number of the rule of a byte of a file's code. */
static struct opnd find_rule_number(const struct walk *w, struct opnd first_page,
				    struct opnd offset, struct opnd zero)
{
	enum { FEW = 16, MOST = 256, PART_SHIFT = __builtin_ctz(UNWIND_PART_ROWS) };
	struct lower *l = w->l;
	struct opnd page = ir_op2(l, IR_ADD, first_page,
				  ir_op2(l, IR_SHR, offset, o_imm(UNWIND_PAGE_SHIFT))),
		    first;
	u32 n_pages = walk_is_whole(l) ? UNWIND_N_PAGES : UNWIND_PART_PAGES;
	struct ir_block *many = ir_block_new(l), *few = ir_block_new(l);
	struct search s = { .l = l,
			    .low = ir_op2(l, IR_AND, offset, o_imm(0xffff)),
			    .zero = zero,
			    .at = ir_var(l) };

	first = ir_load(l, walk_table_at(w, UNWIND_PAGES, page, n_pages, 2), 4, false);
	s.end = ir_load(
		l, walk_table_at(w, UNWIND_PAGES, ir_op2(l, IR_ADD, page, o_imm(1)), n_pages, 2), 4,
		false);
	ir_var_set(l, s.at, ir_op2(l, IR_SUB, first, o_imm(1)));
	if (!walk_is_whole(l))
		s.part = walk_part(w, ir_op2(l, IR_ADD, ir_op2(l, IR_SHR, first, o_imm(PART_SHIFT)),
					     o_imm(UNWIND_ROWS / UNWIND_PART)));
	ir_branch(l, CC_UGT, ir_op2(l, IR_SUB, s.end, first), o_imm(FEW - 1), many, few);
	walk_place(l, many);
	for (u32 step = MOST / 2; step >= FEW; step /= 2)
		row_step(&s, step);
	ir_jump(l, few);
	walk_place(l, few);
	for (u32 step = FEW / 2; step; step /= 2)
		row_step(&s, step);
	return ir_load(l, opnd_plus(row_at(&s, o_temp(s.at)), 2), 2, false);
}

/* ---- the slow path: no rule in the cache */

static void at_special(const struct walk *w, struct opnd pages, struct ir_block *again)
{
	struct lower *l = w->l;
	struct ir_block *no;

	no = walk_if(l, pages, UNWIND_RETURNS);
	walk_step_return_probe(w);
	walk_else(l, no, again);
	no = walk_if(l, pages, UNWIND_NO_ROOM);
	walk_push_this(w);
	walk_put(w, ST_WHY, o_imm(UNWIND_WHY_NO_ROOM));
	ir_jump(l, w->stop);
	walk_place(l, no);
	walk_step_by_fp(w,
			ir_op2(l, IR_ADD, ir_op2(l, IR_SUB, pages, o_imm(UNWIND_BY_FP)),
			       o_imm(UNWIND_WHY_NO_FP)),
			again);
}

/*
 * A return address outside of the known mappings: a return probe's, whose page the kernel maps when
 * the first one is hit; or not a return address, which after a step by frame pointers means that
 * the code has none. 0 is where threads without call frame information begin; after a step by frame
 * pointers only if the frame pointer is 0, too (System V ABI, "Process Initialization").
 */
static void demand_code(const struct walk *w, struct opnd page, struct opnd n_pages,
			struct ir_block *again)
{
	struct lower *l = w->l;
	struct ir_block *good = ir_block_new(l), *bad = ir_block_new(l), *some = ir_block_new(l),
			*first = ir_block_new(l), *by_fp = ir_block_new(l);

	ir_branch(l, CC_ULT, page, n_pages, good, bad);
	walk_place(l, bad);
	ir_branch(l, CC_EQ, walk_get(w, ST_PC), o_imm(0), first, some);
	walk_place(l, first);
	ir_branch(l, CC_EQ, walk_get(w, ST_FP), o_imm(0), w->stop, by_fp);
	walk_place(l, by_fp);
	walk_put(w, ST_WHY, walk_get(w, ST_BY_FP));
	ir_jump(l, w->stop);
	walk_place(l, some);
	walk_step_return_probe(w);
	ir_jump(l, again);
	walk_place(l, good);
}

static struct opnd lookup_address(struct lower *l, struct opnd pc, struct opnd exact)
{
	return ir_op2(l, IR_SUB, ir_op2(l, IR_ADD, pc, exact), o_imm(1));
}

/* In the cache an entry is (address ^ salt) << 16 | rule. */
static struct opnd cache_tag(struct lower *l, struct opnd address, struct opnd salt)
{
	return ir_op2(l, IR_SHL, ir_op2(l, IR_XOR, address, salt), o_imm(16));
}

static struct opnd cache_at(const struct walk *w, struct opnd tag)
{
	struct lower *l = w->l;

	return walk_table_at(w, UNWIND_CACHE,
			     ir_op2(l, IR_SHR,
				    ir_op2(l, IR_MUL, tag, o_imm((s64)0x9e3779b97f4a7c15ull)),
				    o_imm(40)),
			     UNWIND_N_CACHED, 3);
}

/*
 * Finds the rule of the state's pc: returns a simple rule; applies any other rule and returns
 * FIND_AGAIN; or returns FIND_STOP at the end of the stack, with the reason.
 */
static struct opnd find_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct opnd process, address, area, pages, offset, rule, simple, tag, zero;
	struct ir_block *again = ir_block_new(l), *file = ir_block_new(l),
			*special = ir_block_new(l), *is_simple = ir_block_new(l),
			*odd = ir_block_new(l), *ret = ir_block_new(l), *has_rule = ir_block_new(l),
			*no_rule = ir_block_new(l);
	u32 v = ir_var(l);

	process = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2, o_map(walk_processes(l)),
			  opnd_plus(w.at, ST_PID));
	walk_demand(&w, CC_NE, process, o_imm(0), UNWIND_WHY_NEW);
	zero = ir_load(l, opnd_plus(process, offsetof(struct unwind_process, zero)), 8, false);
	address = lookup_address(l, walk_get(&w, ST_PC), walk_get(&w, ST_EXACT));
	area = opnd_plus(ir_op2(l, IR_ADD, process,
				ir_op2(l, IR_SHL, find_area(l, process, address), o_imm(4))),
			 offsetof(struct unwind_process, area));
	offset = ir_op2(l, IR_SUB, address, ir_load(l, area, 8, false));
	pages = ir_load(l, opnd_plus(area, offsetof(struct unwind_area, pages)), 4, false);
	demand_code(&w, ir_op2(l, IR_SHR, offset, o_imm(UNWIND_PAGE_SHIFT)),
		    ir_load(l, opnd_plus(area, offsetof(struct unwind_area, n_pages)), 4, false),
		    again);
	ir_branch(l, CC_UGE, pages, o_imm(UNWIND_SPECIAL), special, file);
	walk_place(l, special);
	at_special(&w, pages, again);
	walk_place(l, file);
	rule = walk_table_at(&w, UNWIND_RULES, find_rule_number(&w, pages, offset, zero),
			     UNWIND_N_RULES, 5);
	simple = RULE_FIELD(l, rule, simple);
	ir_branch(l, CC_NE, simple, o_imm(0), is_simple, odd);
	walk_place(l, odd);
	ir_branch(l, CC_NE, RULE_FIELD(l, rule, cfa_kind), o_imm(0), has_rule, no_rule);
	walk_place(l, no_rule);
	walk_step_by_fp(&w, o_imm(UNWIND_WHY_NO_RULE), again);
	walk_place(l, has_rule);
	walk_step_odd(&w, rule);
	ir_jump(l, again);
	walk_place(l, is_simple);
	tag = cache_tag(l, address, walk_get(&w, ST_SALT));
	ir_store(l, cache_at(&w, tag), 8,
		 ir_op2(l, IR_OR, tag, ir_op2(l, IR_AND, simple, o_imm(0xffff))));
	ir_var_set(l, v, simple);
	ir_jump(l, ret);
	walk_place(l, again);
	ir_var_set(l, v, o_imm(FIND_AGAIN));
	ir_jump(l, ret);
	walk_place(l, ret);
	return walk_end(&w, o_temp(v));
}

static const struct shared_func find_func = { .name = "unwind_find",
					      .n_args = 1,
					      .body = find_body };

/* ---- the fast path */

struct registers { /* variables */
	u32 sp, fp, pc, exact, n;
};

static void load_registers(const struct walk *w, const struct registers *r)
{
	ir_var_set(w->l, r->sp, walk_get(w, ST_SP));
	ir_var_set(w->l, r->fp, walk_get(w, ST_FP));
	ir_var_set(w->l, r->pc, walk_get(w, ST_PC));
	ir_var_set(w->l, r->exact, walk_get(w, ST_EXACT));
	ir_var_set(w->l, r->n, walk_get(w, ST_N));
}

static void save_registers(const struct walk *w, const struct registers *r)
{
	walk_put(w, ST_SP, o_temp(r->sp));
	walk_put(w, ST_FP, o_temp(r->fp));
	walk_put(w, ST_PC, o_temp(r->pc));
	walk_put(w, ST_EXACT, o_temp(r->exact));
	walk_put(w, ST_N, o_temp(r->n));
}

/* From a simple rule: the number that tells where fp is saved, and the distance below the CFA. */
static struct opnd saved_number(struct lower *l, struct opnd rule)
{
	return ir_op2(l, IR_AND, ir_op2(l, IR_SHR, rule, o_imm(11)), o_imm(31));
}

static struct opnd below_cfa(struct lower *l, struct opnd n)
{
	return ir_op2(l, IR_SHL, ir_op2(l, IR_ADD, n, o_imm(1)), o_imm(3));
}

/*
 * With a link register: the caller's fp and, above it, the return address are `size` below the CFA.
 * If sp is lost, fp points to them: functions that save them set it so.
 */
static void step_record(const struct walk *w, const struct registers *r, struct opnd rule, u32 cfa,
			struct opnd size)
{
	struct lower *l = w->l;
	struct ir_block *lost = ir_block_new(l), *by_sp = ir_block_new(l), *known = ir_block_new(l);
	struct opnd at;

	ir_branch(l, CC_NE, walk_get(w, ST_LOST), o_imm(0), lost, known);
	walk_place(l, lost);
	walk_put(w, ST_LOST, o_imm(0));
	ir_branch(l, CC_SET, rule, o_imm(1), known, by_sp);
	walk_place(l, by_sp);
	ir_var_set(l, cfa, ir_op2(l, IR_ADD, o_temp(r->fp), size));
	ir_jump(l, known);
	walk_place(l, known);
	walk_demand(w, CC_UGT, o_temp(cfa), o_temp(r->sp), UNWIND_WHY_BACKWARDS);
	at = ir_op2(l, IR_SUB, o_temp(cfa), size);
	ir_var_set(l, r->fp, walk_read_word(w, at));
	ir_var_set(l, r->pc, walk_address(l, walk_read_word(w, ir_op2(l, IR_ADD, at, o_imm(8)))));
}

/* The return address is in the link register, which only the innermost frame has. */
static void step_leaf(const struct walk *w, const struct registers *r, u32 cfa)
{
	struct lower *l = w->l;

	walk_demand(w, CC_NE, o_temp(r->exact), o_imm(0), UNWIND_WHY_NO_RULE);
	walk_demand(w, CC_UGE, o_temp(cfa), o_temp(r->sp), UNWIND_WHY_BACKWARDS);
	ir_var_set(l, r->pc, walk_address(l, walk_get(w, ST_LINK)));
}

static void step_with_link(const struct walk *w, const struct registers *r, struct opnd rule,
			   u32 cfa, struct opnd offset)
{
	struct lower *l = w->l;
	struct ir_block *leaf = ir_block_new(l), *saved = ir_block_new(l), *last = ir_block_new(l),
			*sized = ir_block_new(l), *up = ir_block_new(l);
	struct opnd n = saved_number(l, rule);
	u32 size = ir_var(l);

	ir_branch(l, CC_EQ, n, o_imm(0), leaf, saved);
	walk_place(l, leaf);
	step_leaf(w, r, cfa);
	ir_jump(l, up);
	walk_place(l, saved);
	ir_var_set(l, size, below_cfa(l, n));
	ir_branch(l, CC_EQ, n, o_imm(UNWIND_SAVED_LAST), last, sized);
	walk_place(l, last);
	ir_var_set(l, size, offset);
	ir_jump(l, sized);
	walk_place(l, sized);
	step_record(w, r, rule, cfa, o_temp(size));
	ir_jump(l, up);
	walk_place(l, up);
}

/* Without a link register: the return address is below the CFA. */
static void step_without_link(const struct walk *w, const struct registers *r, struct opnd rule,
			      u32 cfa)
{
	struct lower *l = w->l;
	struct ir_block *saved = ir_block_new(l), *up = ir_block_new(l);
	struct opnd n;

	walk_demand(w, CC_UGT, o_temp(cfa), o_temp(r->sp), UNWIND_WHY_BACKWARDS);
	n = saved_number(l, rule);
	ir_branch(l, CC_NE, n, o_imm(0), saved, up);
	walk_place(l, saved);
	n = ir_op2(l, IR_SUB, o_temp(cfa), below_cfa(l, n));
	ir_var_set(l, r->fp, walk_read_word(w, n));
	ir_jump(l, up);
	walk_place(l, up);
	ir_var_set(l, r->pc, walk_read_word(w, ir_op2(l, IR_SUB, o_temp(cfa), o_imm(8))));
}

/* Applies a simple rule. */
static void step_simple(const struct walk *w, const struct registers *r, struct opnd rule)
{
	struct lower *l = w->l;
	struct ir_block *by_fp = ir_block_new(l), *known = ir_block_new(l);
	u32 cfa = ir_var(l);
	struct opnd n;

	walk_push(w, o_temp(r->n), o_temp(r->pc));
	ir_var_set(l, r->n, ir_op2(l, IR_ADD, o_temp(r->n), o_imm(1)));
	walk_put(w, ST_N, o_temp(r->n));
	ir_var_set(l, cfa, o_temp(r->sp));
	ir_branch(l, CC_SET, rule, o_imm(1), by_fp, known);
	walk_place(l, by_fp);
	ir_var_set(l, cfa, o_temp(r->fp));
	ir_jump(l, known);
	walk_place(l, known);
	n = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, ir_op2(l, IR_SHR, rule, o_imm(1)), o_imm(1023)),
		   o_imm(3));
	ir_var_set(l, cfa, ir_op2(l, IR_ADD, o_temp(cfa), n));
	if (UNWIND_HAS_LINK)
		step_with_link(w, r, rule, cfa, n);
	else
		step_without_link(w, r, rule, cfa);
	ir_var_set(l, r->sp, o_temp(cfa));
	ir_var_set(l, r->exact, o_imm(0));
}

/* Unwinds STEP_FRAMES frames, at most arg[1] in all; returns 1 if there may be more. */
static struct opnd step_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct registers r = { ir_var(l), ir_var(l), ir_var(l), ir_var(l), ir_var(l) };
	struct ir_block *head = ir_block_new(l), *more = ir_block_new(l), *body = ir_block_new(l),
			*hit = ir_block_new(l), *miss = ir_block_new(l), *found = ir_block_new(l),
			*again = ir_block_new(l), *next = ir_block_new(l), *out = ir_block_new(l),
			*ended = ir_block_new(l), *deep = ir_block_new(l);
	u32 i = ir_var(l), rule = ir_var(l);
	struct opnd tag, got;

	load_registers(&w, &r);
	ir_var_set(l, i, o_imm(0));
	ir_jump(l, head);
	walk_place(l, head);
	ir_branch(l, CC_UGE, o_temp(i), o_imm(STEP_FRAMES), out, more);
	walk_place(l, more);
	ir_branch(l, CC_UGE, o_temp(r.n), arg[1], deep, body);
	walk_place(l, deep);
	walk_put(&w, ST_WHY, o_imm(UNWIND_WHY_DEPTH));
	ir_jump(l, w.stop);
	walk_place(l, body);
	tag = cache_tag(l, lookup_address(l, o_temp(r.pc), o_temp(r.exact)), walk_get(&w, ST_SALT));
	ir_var_set(l, rule, ir_op2(l, IR_XOR, ir_load(l, cache_at(&w, tag), 8, false), tag));
	ir_branch(l, CC_ULE, o_temp(rule), o_imm(0xffff), hit, miss);
	walk_place(l, miss);
	save_registers(&w, &r);
	got = lower_call_shared(l, &find_func, most, (struct opnd[]){ walk_get(&w, ST_SELF) });
	ir_var_set(l, rule, got);
	ir_branch(l, CC_EQ, o_temp(rule), o_imm(FIND_STOP), w.stop, found);
	walk_place(l, found);
	ir_branch(l, CC_EQ, o_temp(rule), o_imm(FIND_AGAIN), again, hit);
	walk_place(l, again);
	load_registers(&w, &r);
	ir_jump(l, next);
	walk_place(l, hit);
	step_simple(&w, &r, o_temp(rule));
	ir_jump(l, next);
	walk_place(l, next);
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), o_imm(1)));
	ir_jump(l, head);
	walk_place(l, out);
	save_registers(&w, &r);
	ir_jump(l, ended);
	walk_place(l, ended);
	return walk_end(&w, o_imm(1));
}

static const struct shared_func step_func = { .name = "unwind_step",
					      .n_args = 2,
					      .body = step_body };

/* ---- the beginning */

/* 1 if `process` is the current one: since exec() it would have another stack. */
static void demand_same(const struct walk *w, struct opnd process, struct opnd start_stack)
{
	struct lower *l = w->l;

	walk_demand(w, CC_NE, process, o_imm(0), UNWIND_WHY_NEW);
	walk_demand(w, CC_EQ,
		    ir_load(l, opnd_plus(process, offsetof(struct unwind_process, start_stack)), 8,
			    false),
		    start_stack, UNWIND_WHY_NEW);
	walk_put(w, ST_SALT,
		 ir_load(l, opnd_plus(process, offsetof(struct unwind_process, salt)), 8, false));
}

/* Finds the process, or its parent if it has just been forked: then its memory is the same. */
static struct opnd begin_body(struct lower *l, const struct opnd *arg, const u32 most[2])
{
	struct walk w = walk_begin(l, arg, most);
	struct ir_block *known = ir_block_new(l), *parent = ir_block_new(l),
			*has_mm = ir_block_new(l);
	u32 process = ir_var(l);
	struct opnd mm, start_stack;
	struct walk_offsets p;

	walk_find_offsets(l, &p);
	mm = walk_kernel_word(l, walk_task(l), p.mm);
	ir_branch(l, CC_NE, mm, o_imm(0), has_mm, w.stop); /* a kernel thread */
	walk_place(l, has_mm);
	if (UNWIND_HAS_LINK) {
		struct ir_block *has_tables = ir_block_new(l);

		ir_branch(l, CC_EQ, walk_get(&w, ST_WHY), o_imm(0), has_tables, w.stop);
		walk_place(l, has_tables);
	}
	start_stack = walk_kernel_word(l, mm, p.start_stack);
	walk_put(&w, ST_START_STACK, start_stack);
	ir_var_set(l, process, walk_process(&w));
	ir_branch(l, CC_NE, o_temp(process), o_imm(0), known, parent);
	walk_place(l, parent);
	ir_store(l, opnd_plus(w.at, ST_PID), 4,
		 lower_read_scalar(l, &ty_u32,
				   ir_op2(l, IR_ADD,
					  walk_kernel_word(l, walk_task(l), p.real_parent),
					  o_imm(p.tgid)),
				   SPACE_KERNEL));
	ir_var_set(l, process, walk_process(&w));
	ir_jump(l, known);
	walk_place(l, known);
	demand_same(&w, o_temp(process), start_stack);
	return walk_end(&w, o_imm(1));
}

static const struct shared_func begin_func = { .name = "unwind_begin",
					       .n_args = 1,
					       .body = begin_body };

static bool registers_in_context(const struct lower *l)
{
	return l->profile->regs.are_users && l->profile->load.prog_type == BPF_PROG_TYPE_KPROBE;
}

/* 1 if the hit is in 32-bit code (arch/x86/include/asm/segment.h: __USER32_CS;
 * arch/arm64/include/asm/ptrace.h: PSR_MODE32_BIT). */
static struct opnd is_32bit(struct lower *l)
{
	enum { USER32_CS = 0x23, MODE32 = 0x10 };
	s64 mask = UNWIND_HAS_LINK ? MODE32 : 0xffff, is = UNWIND_HAS_LINK ? MODE32 : USER32_CS;
	struct walk_offsets p;
	struct opnd mode;

	walk_find_offsets(l, &p);
	mode = registers_in_context(l) ? ir_load(l, lower_ctx(l, p.mode), 8, false) :
					 walk_kernel_word(l, walk_registers(l, &p), p.mode);
	return ir_set(l, CC_EQ, ir_op2(l, IR_AND, mode, o_imm(mask)), o_imm(is));
}

static void store_registers(struct lower *l, struct opnd buffer)
{
	bool in_context = registers_in_context(l);
	struct walk_offsets p;
	struct opnd regs = o_imm(0), v;

	walk_find_offsets(l, &p);
	if (!in_context)
		regs = walk_registers(l, &p);
	for (u32 i = 0; i < 3u + UNWIND_HAS_LINK; i++) {
		u32 from = (const u32[]){ p.sp, p.fp, p.pc, p.link }[i];

		v = in_context ? ir_load(l, lower_ctx(l, from), 8, false) :
				 walk_kernel_word(l, regs, from);
		ir_store(l, opnd_plus(buffer, i < 3 ? ST_SP + 8 * i : (u32)ST_LINK), 8, v);
		ir_store(l, opnd_plus(buffer, ST_FIRST + 8 * i), 8, v);
	}
}

/* On arm64 no table describes 32-bit code: its stacks end after one frame. */
static void store_word(struct lower *l, struct opnd buffer)
{
	enum { WORD = 8, WORD32 = 4 };
	struct opnd is32 = is_32bit(l);

	if (UNWIND_HAS_LINK) {
		ir_store(l, opnd_plus(buffer, ST_WORD), 8, o_imm(WORD));
		ir_store(l, opnd_plus(buffer, ST_WHY), 8,
			 ir_op2(l, IR_MUL, is32, o_imm(UNWIND_WHY_NO_RULE)));
		return;
	}
	ir_store(l, opnd_plus(buffer, ST_WORD), 8,
		 ir_op2(l, IR_SUB, o_imm(WORD), ir_op2(l, IR_MUL, is32, o_imm(WORD - WORD32))));
	ir_store(l, opnd_plus(buffer, ST_MASK), 8,
		 ir_op2(l, IR_SHR, o_imm(-1), ir_op2(l, IR_MUL, is32, o_imm(32))));
}

/* Without tables one frame is certain. */
static void only_this(struct lower *l, struct opnd buffer, u32 n)
{
	struct ir_block *user = ir_block_new(l), *out = ir_block_new(l);
	struct opnd why = ir_load(l, opnd_plus(buffer, ST_WHY), 8, false);

	ir_branch(l, CC_NE, why, o_imm(0), user, out);
	ir_place(l, user);
	ir_store(l, opnd_plus(buffer, ST_FRAMES), 8,
		 ir_load(l, opnd_plus(buffer, ST_PC), 8, false));
	ir_var_set(l, n, o_imm(1));
	ir_jump(l, out);
	ir_place(l, out);
}

/* After steps by frame pointers, an address without code means that the code has none, unless it
 * was new code (unwind_keep.c). */
static void explain_no_code(struct lower *l, struct opnd buffer, u32 why)
{
	struct ir_block *no_code = ir_block_new(l), *by_fp = ir_block_new(l),
			*out = ir_block_new(l);
	struct opnd fp;

	ir_branch(l, CC_EQ, o_temp(why), o_imm(UNWIND_WHY_NOT_CODE), no_code, out);
	ir_place(l, no_code);
	fp = ir_load(l, opnd_plus(buffer, ST_BY_FP), 8, false);
	ir_branch(l, CC_NE, fp, o_imm(0), by_fp, out);
	ir_place(l, by_fp);
	ir_var_set(l, why, fp);
	ir_jump(l, out);
	ir_place(l, out);
}

/* The last frame is the reason why the stack ends. */
static void end_with_reason(struct lower *l, struct opnd buffer, u32 n, u32 room)
{
	struct ir_block *has = ir_block_new(l), *out = ir_block_new(l);
	struct walk w = { .l = l, .at = ir_addr(l, buffer), .room = room };
	u32 why = ir_var(l);

	ir_var_set(l, why, ir_load(l, opnd_plus(buffer, ST_WHY), 8, false));
	ir_branch(l, CC_NE, o_temp(why), o_imm(0), has, out);
	ir_place(l, has);
	explain_no_code(l, buffer, why);
	walk_push(&w, o_temp(n), o_temp(why));
	ir_var_set(l, n, ir_op2(l, IR_ADD, o_temp(n), o_imm(1)));
	ir_jump(l, out);
	ir_place(l, out);
}

static void walk_all(struct lower *l, struct opnd buffer, u32 limit, const u32 most[2])
{
	struct ir_block *head = ir_block_new(l), *body = ir_block_new(l), *many = ir_block_new(l),
			*out = ir_block_new(l);
	u32 i = ir_var(l);
	struct opnd more;

	ir_var_set(l, i, o_imm(0));
	ir_jump(l, head);
	ir_place(l, head);
	/* return probes take an iteration without adding a frame */
	ir_branch(l, CC_UGE, o_temp(i), o_imm(2 * limit / STEP_FRAMES + 4), many, body);
	ir_place(l, many);
	ir_store(l, opnd_plus(buffer, ST_WHY), 8, o_imm(UNWIND_WHY_DEPTH));
	ir_jump(l, out);
	ir_place(l, body);
	more = lower_call_shared(l, &step_func, most,
				 (struct opnd[]){ lower_scratch_offset(l, buffer), o_imm(limit) });
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), o_imm(1)));
	ir_branch(l, CC_NE, more, o_imm(0), head, out);
	ir_place(l, out);
}

static struct opnd return_slot(struct lower *l, struct opnd buffer)
{
	if (UNWIND_HAS_LINK) /* before the function sets up its frame, its caller is there */
		return o_imm(l->profile->regs.are_users && l->profile->func.caller.kind == LOC_REG);
	if (!l->profile->regs.are_users || !l->profile->func.return_at)
		return o_imm(0);
	return ir_op2(l, IR_ADD, ir_load(l, opnd_plus(buffer, ST_SP), 8, false),
		      o_imm(l->profile->func.return_at - 1));
}

struct unwound lower_unwind(struct lower *l, struct opnd buffer, u32 limit, u32 room)
{
	const u32 most[2] = { ST_FRAMES + room, 0 };
	struct ir_block *known = ir_block_new(l), *unknown = ir_block_new(l),
			*out = ir_block_new(l);
	u32 n = ir_var(l), id = ir_var(l), mark;
	struct opnd ok;

	ir_var_set(l, n, o_imm(0));
	store_registers(l, buffer);
	ir_store(l, opnd_plus(buffer, ST_EXACT), 8, o_imm(1));
	for (u32 at = ST_N; at <= ST_WINDOW_LEN; at += 8)
		ir_store(l, opnd_plus(buffer, at), 8, o_imm(0));
	store_word(l, buffer);
	ir_store(l, opnd_plus(buffer, ST_PID), 8, lower_own_pid(l));
	ir_store(l, opnd_plus(buffer, ST_OWN_PID), 8, lower_own_pid(l));
	ir_store(l, opnd_plus(buffer, ST_BY_FP), 8, o_imm(0));
	ir_store(l, opnd_plus(buffer, ST_LOST), 8, o_imm(0));
	ir_store(l, opnd_plus(buffer, ST_ENTERED), 8, return_slot(l, buffer));
	ir_store(l, opnd_plus(buffer, ST_SELF), 8, lower_scratch_offset(l, buffer));
	mark = lower_values_mark(l);
	ok = lower_call_shared(l, &begin_func, most,
			       (struct opnd[]){ lower_scratch_offset(l, buffer) });
	ir_branch(l, CC_NE, ok, o_imm(0), known, unknown);
	ir_place(l, unknown);
	only_this(l, buffer, n);
	ir_jump(l, out);
	ir_place(l, known);
	walk_all(l, buffer, limit, most);
	ir_var_set(l, n, ir_load(l, opnd_plus(buffer, ST_N), 8, false));
	ir_jump(l, out);
	ir_place(l, out);
	ir_var_set(l, id, o_imm(0));
	if (!l->env->counts_frames && !l->env->compares_stacks) /* frames are only known later */
		walk_keep_if_new(l, buffer, id, most);
	end_with_reason(l, buffer, n, room);
	lower_values_drop(l, mark);
	return (struct unwound){ o_temp(n), o_temp(id) };
}
