/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User memory in pages that the process has not touched. bpf_probe_read_user() and its variants
 * never fault a page in. Programs on user-space probes may sleep since Linux 6.0
 * (kernel/trace/bpf_trace.c: bpf_prog_run_array_uprobe()), and there bpf_copy_from_user() does. It
 * is off the main path, a page at a time, so that memory past the end of a string is not touched:
 *
 *		ret = probe_read_user_str(dst, size, addr)
 *		if ret >= 0 goto done
 *		if copy_from_user(&nowhere, 1, addr) != 0 goto done
 *		ret = probe_read_user_str(dst, size, addr)
 *		if ret >= 0 goto done
 *		if copy_from_user(&nowhere, 1, the next page) != 0 goto done
 *		ret = probe_read_user_str(dst, size, addr)
 *	done:
 *
 * A record that is held in the ring blocks all later ones, so it is not held while the program
 * sleeps: it is discarded, its content is read on trial into a dummy buffer, and it is filled once
 * more:
 *
 *		tried = 0
 *	again:	r = ringbuf_reserve(...)
 *		ret = probe_read_user_str(r + 8, size, addr)
 *		if ret < 0 && tried == 0 goto missing
 *		ringbuf_submit(r)
 *		...
 *	missing: ringbuf_discard(r)
 *		the same reads as above, into nowhere, waiting
 *		tried = 1
 *		goto again
 *
 * A counter of attempts for each read would be less code, but verifiers follow all its values
 * through the code after it: eight such strings were too much for 6.1.
 */
#include "ir/state.h"

enum {
	PAGE_SHIFT = 12, /* the smallest page size of the processor */
	PAGE = 1 << PAGE_SHIFT,
	/* in one program, which grows by each: further reads are tried once */
	MOST_FETCHES = 64,
};

bool lower_may_sleep(struct lower *l)
{
	const struct profile *p = l->profile;

	return p->kind == PROFILE_PT_REGS && p->regs.are_users && !l->inst->guarded &&
	       feature_has(l->features, FEAT_UPROBE_SLEEP);
}

/*
 * In a walk over a map the current element might be freed while we sleep; the words that a call
 * leaves on the stack are always present.
 */
static bool may_fetch(struct lower *l)
{
	const struct record_held *h = &l->s->held;

	return !l->s->walks_map && !l->s->reads_stack && l->unit->n_fetches < MOST_FETCHES &&
	       (!h->is_held || h->again) && lower_may_sleep(l);
}

/* ---- records */

void lower_hold(struct lower *l, bool repeatable)
{
	struct record_held *h = &l->s->held;

	*h = (struct record_held){ .is_held = true };
	if (!repeatable || !lower_may_sleep(l))
		return;
	h->tried = ir_var(l);
	h->again = ir_block_new(l);
	h->missing = ir_block_new(l);
	ir_var_set(l, h->tried, o_imm(0));
	ir_jump(l, h->again);
	ir_place(l, h->again);
	if (!l->env->request->compile.extra_warnings)
		return;
	h->unread = ir_var(l);
	ir_var_set(l, h->unread, o_imm(0));
}

void lower_release(struct lower *l)
{
	if (l->s->held.unread)
		lower_losses(l, LOSS_UNREADABLE, o_temp(l->s->held.unread));
	l->s->held.is_held = false;
}

/* Memory of at least size bytes that is never read: a part of the data map, shared by all CPUs. */
static struct opnd room_nowhere(struct lower *l, u32 size)
{
	struct ir_unit *u = l->unit;

	if (u->nowhere_size < size) {
		u->nowhere_size = size;
		u->nowhere = lower_data(l, size, NULL);
	}
	return o_data(lower_internal_map(l, MAP_DATA), u->nowhere);
}

struct opnd lower_trial_begin(struct lower *l, u32 size)
{
	struct record_held *h = &l->s->held;

	ir_place(l, h->missing);
	ir_emit(l, (struct ir_insn){ .op = IR_CALL,
				     .imm = BPF_FUNC_ringbuf_discard,
				     .n_args = 2,
				     .arg = { h->record, o_imm(BPF_RB_NO_WAKEUP) } });
	h->is_trial = true;
	return ir_addr(l, room_nowhere(l, size));
}

void lower_trial_end(struct lower *l)
{
	struct record_held *h = &l->s->held;

	ir_var_set(l, h->tried, o_imm(1));
	ir_jump(l, h->again);
	*h = (struct record_held){ 0 };
}

bool lower_wants_trial(const struct lower *l)
{
	return l->s->held.n_missing;
}

/* ---- reads */

struct user_read {
	u32 helper, cap;
	struct opnd dst, size, addr;
};

/* Verifiers forget a bound of the size if it is spilled in between. */
static struct opnd attempt(struct lower *l, const struct user_read *r)
{
	struct opnd size = r->size.kind == O_IMM ? r->size : ir_at_most(l, r->size, r->cap);

	return ir_call(l, r->helper, false, 3, r->dst, size, r->addr);
}

/*
 * The first page is unmapped. Verifiers must not derive a range of the address from this, because
 * it may be used again and they would follow both paths to the end.
 */
static void leave_nulls(struct lower *l, struct opnd addr, struct ir_block *unread)
{
	struct ir_block *some = ir_block_new(l);

	ir_branch(l, CC_EQ, ir_op2(l, IR_SHR, addr, o_imm(PAGE_SHIFT)), o_imm(0), unread, some);
	ir_place(l, some);
}

static struct opnd read_into_record(struct lower *l, const struct user_read *r)
{
	struct record_held *h = &l->s->held;
	struct ir_block *failed = ir_block_new(l), *done = ir_block_new(l);
	struct opnd ret = attempt(l, r);
	u32 values = vn_mark(l);

	h->n_missing++;
	ir_branch(l, CC_SLT, ret, o_imm(0), failed, done);
	ir_place(l, failed);
	leave_nulls(l, r->addr, done);
	ir_branch(l, CC_EQ, o_temp(h->tried), o_imm(0), h->missing, done);
	vn_truncate(l, values);
	ir_place(l, done);
	return ret;
}

/* Continues if the page is present. */
static void wait_for_page(struct lower *l, struct opnd addr, struct ir_block *unread)
{
	struct ir_block *there = ir_block_new(l);
	struct opnd nowhere = o_data(lower_internal_map(l, MAP_DATA), DATA_NOWHERE), ret;

	ret = ir_call(l, BPF_FUNC_copy_from_user, false, 3, nowhere, o_imm(1), addr);
	ir_branch(l, CC_EQ, ret, o_imm(0), there, unread);
	ir_place(l, there);
}

/* Continues if the read failed. */
static void try_again(struct lower *l, const struct user_read *r, u32 ret, struct ir_block *done)
{
	struct ir_block *failed = ir_block_new(l);

	ir_var_set(l, ret, attempt(l, r));
	ir_branch(l, CC_SLT, o_temp(ret), o_imm(0), failed, done);
	ir_place(l, failed);
}

static struct opnd read_waiting(struct lower *l, const struct user_read *r)
{
	struct ir_block *done = ir_block_new(l);
	u32 ret = ir_var(l), values;

	try_again(l, r, ret, done);
	values = vn_mark(l);
	leave_nulls(l, r->addr, done);
	wait_for_page(l, r->addr, done);
	try_again(l, r, ret, done);
	wait_for_page(l, ir_op2(l, IR_ADD, ir_op2(l, IR_OR, r->addr, o_imm(PAGE - 1)), o_imm(1)),
		      done);
	try_again(l, r, ret, done);
	if (r->cap > PAGE) { /* more than two pages: all of it */
		struct user_read copy = *r;

		copy.helper = BPF_FUNC_copy_from_user;
		attempt(l, &copy);
		ir_var_set(l, ret, attempt(l, r));
	}
	ir_jump(l, done);
	vn_truncate(l, values);
	ir_place(l, done);
	return o_temp(ret);
}

struct opnd lower_user_read(struct lower *l, u32 helper, struct opnd dst, struct opnd size, u32 cap,
			    struct opnd addr)
{
	struct user_read r = { helper, cap, dst, size, addr };

	if (!may_fetch(l))
		return ir_call(l, helper, false, 3, dst, size, addr);
	l->unit->n_fetches++;
	return l->s->held.is_held ? read_into_record(l, &r) : read_waiting(l, &r);
}
