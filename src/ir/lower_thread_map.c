/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps whose only key is the running thread: thread slots (type/thread_slot.h) before the kernel's
 * hash. For @start[tid] = nsecs at an entry, read and deleted at the return, the hash takes a lock,
 * a search and an element from a list each time; a slot takes a few loads and stores and one atomic
 * instruction.
 *
 *	p = slot of tid
 *	if p->owner == tid + 1 goto mine
 *	(a store: if p->owner == 0 && tid != 0 && xchg 0 -> tid + 1 gives 0 or tid + 1 goto mine)
 *	...with the hash, as lower_map.c
 *	goto out
 * mine:
 *	...with p->state, p->value
 * out:
 *
 * Idle threads all have the number 0 and run concurrently: their value is always in the hash.
 */
#include "ir/state.h"
#include "type/thread_slot.h"

enum { MAX_USES = 64 /* each is a branch or two, of the 8192 pending paths of verifiers */ };

struct thread_access {
	struct opnd id, slot, owner; /* tid + 1; address; its value on entry */
	struct ir_block *mine, *other, *out;
	u32 values; /* mark: values of the branches are known in them only */
};

bool lower_wants_threads(struct lower *l, const struct map *m, const struct map_desc *d)
{
	return !m->decl_kind && !m->max_entries && !m->other_uses && m->thread_uses <= MAX_USES &&
	       d->key_size == sizeof(u32) && type_is_scalar(d->value) &&
	       d->value->size == sizeof(u64) && l->env->config.max_map_keys >= THREAD_SLOTS &&
	       feature_has(l->features, FEAT_ATOMIC_FETCH);
}

u32 lower_thread_slots(struct lower *l)
{
	u32 size = sizeof(struct thread_slot), line = 2 * size;

	return ALIGN_UP(lower_data(l, THREAD_SLOTS * size + line, NULL), line);
}

/* Ends in a branch to `mine` or `other`; the caller places them, and ends with leave(). */
static struct thread_access enter(struct lower *l, u32 map, struct node *n)
{
	struct opnd base = o_data(lower_internal_map(l, MAP_DATA),
				  l->prog->maps.v[map].threads_off),
		    tid, at;
	struct thread_access p = { .mine = ir_block_new(l),
				   .other = ir_block_new(l),
				   .out = ir_block_new(l) };

	tid = lower_scalar(l, n->a);
	/* thread_slot_index() * sizeof(struct thread_slot) */
	at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, tid, o_imm(THREAD_SLOT_HALF - 1)), o_imm(6));
	at = ir_op2(l, IR_ADD, at, ir_op2(l, IR_AND, ir_op2(l, IR_SHR, tid, o_imm(6)), o_imm(32)));
	p.id = ir_op2(l, IR_ADD, tid, o_imm(1));
	p.slot = ir_op2(l, IR_ADD, ir_addr(l, base), at);
	p.values = vn_mark(l);
	p.owner = ir_load(l, opnd_plus(p.slot, THREAD_OWNER), 8, false);
	ir_branch(l, CC_EQ, p.owner, p.id, p.mine, p.other);
	return p;
}

static void leave(struct lower *l, struct thread_access *p)
{
	ir_jump(l, p->out);
	ir_place(l, p->out);
	vn_truncate(l, p->values);
}

static struct opnd state_of(struct lower *l, const struct thread_access *p)
{
	return ir_load(l, opnd_plus(p->slot, THREAD_STATE), 8, false);
}

static struct opnd value_of_var(struct lower *l, u32 v)
{
	return ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(v) } });
}

/* The value, 0 if there is none; *has: whether there is one. */
struct opnd lower_thread_read(struct lower *l, u32 map, struct node *n, struct opnd *has)
{
	u32 v = ir_var(l), there = has ? ir_var(l) : 0;
	struct thread_access p = enter(l, map, n);
	struct ir_block *have = ir_block_new(l);
	struct opnd odd, r;

	ir_place(l, p.mine);
	odd = ir_op2(l, IR_AND, state_of(l, &p), o_imm(1));
	r = ir_load(l, opnd_plus(p.slot, THREAD_VALUE), 8, false);
	ir_var_set(l, v, ir_op2(l, IR_AND, r, ir_op2(l, IR_SUB, o_imm(0), odd)));
	if (has)
		ir_var_set(l, there, odd);
	ir_jump(l, p.out);
	ir_place(l, p.other);
	vn_truncate(l, p.values);
	ir_var_set(l, v, o_imm(0));
	if (has)
		ir_var_set(l, there, o_imm(0));
	r = ir_call(l, BPF_FUNC_map_lookup_elem, false, 2, o_map(map), lower_key(l, n));
	ir_branch(l, CC_NE, r, o_imm(0), have, p.out);
	ir_place(l, have);
	ir_var_set(l, v, ir_load(l, r, 8, false));
	if (has)
		ir_var_set(l, there, o_imm(1));
	leave(l, &p);
	if (has)
		*has = value_of_var(l, there);
	return value_of_var(l, v);
}

/*
 * Claims a free slot for the thread: jumps to mine, or continues in a block where another one owns
 * it.
 */
static void claim(struct lower *l, const struct thread_access *p)
{
	struct ir_block *try = ir_block_new(l), *free = ir_block_new(l), *inner = ir_block_new(l),
			*hash = ir_block_new(l);
	struct opnd old;

	ir_branch(l, CC_EQ, p->owner, o_imm(0), free, hash);
	ir_place(l, free);
	ir_branch(l, CC_EQ, p->id, o_imm(1), hash, try); /* idle */
	ir_place(l, try);
	old = ir_emit(l, (struct ir_insn){
				 .op = IR_ATOMIC_CMPXCHG,
				 .size = 8,
				 .arg = { opnd_plus(p->slot, THREAD_OWNER), o_imm(0), p->id } });
	ir_branch(l, CC_EQ, old, o_imm(0), p->mine, inner);
	ir_place(l, inner);
	ir_branch(l, CC_EQ, old, p->id, p->mine, hash);
	ir_place(l, hash);
}

/* Returns the previous state: an unexpected one if a nested program changed the slot. */
static struct opnd next_state(struct lower *l, const struct thread_access *p, struct opnd state)
{
	struct opnd at = opnd_plus(p->slot, THREAD_STATE),
		    next = ir_op2(l, IR_ADD, state, o_imm(1));

	return ir_emit(l, (struct ir_insn){
				  .op = IR_ATOMIC_CMPXCHG, .size = 8, .arg = { at, state, next } });
}

static void store_in_slot(struct lower *l, struct thread_access *p, struct opnd value)
{
	struct ir_block *make = ir_block_new(l);
	struct opnd state = state_of(l, p);

	ir_store(l, opnd_plus(p->slot, THREAD_VALUE), 8, value);
	ir_branch(l, CC_EQ, ir_op2(l, IR_AND, state, o_imm(1)), o_imm(0), make, p->out);
	ir_place(l, make);
	next_state(l, p, state);
}

void lower_thread_store(struct lower *l, u32 map, struct node *n, struct opnd value)
{
	struct opnd temp = lower_temp(l, 8, 8, "value");
	struct thread_access p = enter(l, map, n);

	ir_place(l, p.other);
	claim(l, &p);
	ir_store(l, temp, 8, value);
	map_update_checked(l, n, map, lower_key(l, n), temp);
	ir_jump(l, p.out);
	ir_place(l, p.mine);
	vn_truncate(l, p.values);
	store_in_slot(l, &p, value);
	leave(l, &p);
}

/* 0, or non-zero if there was no value. */
struct opnd lower_thread_delete(struct lower *l, u32 map, struct node *n)
{
	struct thread_access p = enter(l, map, n);
	struct ir_block *drop = ir_block_new(l);
	struct opnd state;
	u32 ret = ir_var(l);

	ir_place(l, p.mine);
	state = state_of(l, &p);
	ir_var_set(l, ret, o_imm(1));
	ir_branch(l, CC_EQ, ir_op2(l, IR_AND, state, o_imm(1)), o_imm(0), p.out, drop);
	ir_place(l, drop);
	ir_var_set(l, ret, ir_op2(l, IR_SUB, next_state(l, &p, state), state));
	ir_jump(l, p.out);
	ir_place(l, p.other);
	vn_truncate(l, p.values);
	ir_var_set(l, ret,
		   ir_call(l, BPF_FUNC_map_delete_elem, false, 2, o_map(map), lower_key(l, n)));
	leave(l, &p);
	return value_of_var(l, ret);
}
