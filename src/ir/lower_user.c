/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a process in pages that it has not touched. bpf_probe_read_user() and its like never wait for a page;
 * programs on user-space probes may sleep since Linux 6.0 (kernel/trace/bpf_trace.c: bpf_prog_run_array_uprobe()),
 * and there bpf_copy_from_user() has the kernel fetch it. It is beside the way, a page at a time, so that what lies
 * behind the end of a string stays untouched:
 *
 *		rc = probe_read_user_str(dst, size, addr)
 *		if rc >= 0 goto done
 *		if copy_from_user(&nowhere, 1, addr) != 0 goto done
 *		rc = probe_read_user_str(dst, size, addr)
 *		if rc >= 0 goto done
 *		if copy_from_user(&nowhere, 1, the next page) != 0 goto done
 *		rc = probe_read_user_str(dst, size, addr)
 *	done:
 *
 * The records behind one that is held in the ring wait for it, so it is not held while we wait: it is discarded, what
 * fills it is tried with a place where nobody looks, and it is filled once more:
 *
 *		turn = 0
 *	again:	r = ringbuf_reserve(...)
 *		rc = probe_read_user_str(r + 8, size, addr)
 *		if rc < 0 && turn == 0 goto missing
 *		ringbuf_submit(r)
 *		...
 *	missing: ringbuf_discard(r)
 *		the same reads as above, into nowhere, waiting
 *		turn = 1
 *		goto again
 *
 * A counter of attempts for each read would be less code, but verifiers follow all its values through what comes
 * behind: eight such strings were too much for 6.1.
 */
#include "ir/state.h"

enum {
	PAGE_SHIFT = 12, /* of the processor's sizes the smallest */
	PAGE = 1 << PAGE_SHIFT,
	MOST_FETCHES = 64, /* in one program, which grows by each: further reads are made once */
};

bool lower_may_sleep(struct lower *l)
{
	const struct profile *p = l->profile;

	return p->kind == PROFILE_PT_REGS && p->user_regs && !l->inst->guarded &&
	       feature_has(l->features, FEAT_UPROBE_SLEEP);
}

/* In a walk over a map the element that is shown might go while we wait; the words that a call leaves on the stack are there. */
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
	h->turn = ir_var(l);
	h->again = ir_block_new(l);
	h->missing = ir_block_new(l);
	ir_var_set(l, h->turn, o_imm(0));
	ir_jump(l, h->again);
	ir_place(l, h->again);
	if (!l->env->extra_warnings)
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

/* Memory of at least so many bytes that nobody reads: a part of the data map, for all CPUs alike. */
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

	ir_var_set(l, h->turn, o_imm(1));
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

/* Verifiers forget a bound of the size where it lies on the stack meanwhile. */
static struct opnd attempt(struct lower *l, const struct user_read *r)
{
	struct opnd size = r->size.kind == O_IMM ? r->size : ir_at_most(l, r->size, r->cap);

	return ir_call(l, r->helper, false, 3, r->dst, size, r->addr);
}

/* Nothing is in the first page. Verifiers must learn nothing of the address, which may be used again: they would follow
 * both ways to the end. */
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
	struct opnd rc = attempt(l, r);
	u32 values = vn_mark(l);

	h->n_missing++;
	ir_branch(l, CC_SLT, rc, o_imm(0), failed, done);
	ir_place(l, failed);
	leave_nulls(l, r->addr, done);
	ir_branch(l, CC_EQ, o_temp(h->turn), o_imm(0), h->missing, done);
	vn_truncate(l, values);
	ir_place(l, done);
	return rc;
}

/* Goes on where the page is there. */
static void wait_for_page(struct lower *l, struct opnd addr, struct ir_block *unread)
{
	struct ir_block *there = ir_block_new(l);
	struct opnd nowhere = o_data(lower_internal_map(l, MAP_DATA), DATA_NOWHERE), rc;

	rc = ir_call(l, BPF_FUNC_copy_from_user, false, 3, nowhere, o_imm(1), addr);
	ir_branch(l, CC_EQ, rc, o_imm(0), there, unread);
	ir_place(l, there);
}

/* Goes on where the read failed. */
static void try_again(struct lower *l, const struct user_read *r, u32 rc, struct ir_block *done)
{
	struct ir_block *failed = ir_block_new(l);

	ir_var_set(l, rc, attempt(l, r));
	ir_branch(l, CC_SLT, o_temp(rc), o_imm(0), failed, done);
	ir_place(l, failed);
}

static struct opnd read_waiting(struct lower *l, const struct user_read *r)
{
	struct ir_block *done = ir_block_new(l);
	u32 rc = ir_var(l), values;

	try_again(l, r, rc, done);
	values = vn_mark(l);
	leave_nulls(l, r->addr, done);
	wait_for_page(l, r->addr, done);
	try_again(l, r, rc, done);
	wait_for_page(l, ir_op2(l, IR_ADD, ir_op2(l, IR_OR, r->addr, o_imm(PAGE - 1)), o_imm(1)),
		      done);
	try_again(l, r, rc, done);
	if (r->cap > PAGE) { /* more than two pages: all of it */
		struct user_read copy = *r;

		copy.helper = BPF_FUNC_copy_from_user;
		attempt(l, &copy);
		ir_var_set(l, rc, attempt(l, r));
	}
	ir_jump(l, done);
	vn_truncate(l, values);
	ir_place(l, done);
	return o_temp(rc);
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
