/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a process in pages that it has not touched. bpf_probe_read_user() and its like never wait for a page;
 * programs on user-space probes may sleep since Linux 6.0 (kernel/trace/bpf_trace.c: bpf_prog_run_array_uprobe()),
 * and there bpf_copy_from_user() has the kernel fetch it. It is beside the way:
 *
 *	again:	rc = probe_read_user_str(dst, size, addr)
 *		if rc >= 0 goto done
 *		turn += 1, as long as the read has turns left; else goto done
 *		at = addr
 *	scan:	if probe_read_user(&byte, 1, at) == 0 { at = the next page; goto scan }
 *		if copy_from_user(&byte, 1, at) == 0 goto again
 *	done:
 *
 * Only the first page that is missing is asked for: what lies behind the end of a string stays untouched.
 *
 * The records behind one that is held in the ring wait for it, so it is not held while we wait: it is discarded, and
 * all is filled once more. What was read stays read, and what cannot be read must not be tried for ever: the reads of
 * a record have numbers of their own, one behind the other, and turn never falls behind them. It
 * grows with each attempt, by which verifiers see that there is an end.
 */
#include "ir/state.h"

enum { RINGBUF_DISCARD = 133, COPY_FROM_USER = 148 };
enum {
	PAGE = 4096,	   /* of the processor's sizes the smallest */
	SPARE_TURNS = 1,   /* a page that was there may have gone */
	MOST_FETCHES = 64, /* in one program, which grows by each: further reads are made once */
	MOST_TURNS = 64,   /* of one record: verifiers follow each of them */
	MOST_PAGES = 16,
};

bool lower_may_sleep(struct lower *l)
{
	const struct profile *p = l->profile;

	return p->kind == PROFILE_PT_REGS && p->user_regs && feature_has(l->features, FEAT_UPROBE_SLEEP);
}

void lower_hold(struct lower *l, bool repeatable)
{
	struct record_held *h = &l->s->held;

	*h = (struct record_held){ .is_held = true };
	if (!repeatable || !lower_may_sleep(l))
		return;
	h->turn = ir_var(l);
	h->again = ir_block_new(l);
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
	l->s->held = (struct record_held){ 0 };
}

/* Pages that so many bytes may lie in. */
static u32 pages_of(u32 size)
{
	return MIN((size + 2 * PAGE - 2) / PAGE, (u32)MOST_PAGES);
}

struct attempts { /* turns of one read: from first on, given up at last */
	struct ir_block *again, *unread;
	u32 turn;
	s64 first, last;
};

/* In a walk over a map the element that is shown might go while we wait. */
static bool may_fetch(struct lower *l, u32 turns)
{
	const struct record_held *h = &l->s->held;

	if (l->s->walks_map || l->unit->n_fetches == MOST_FETCHES)
		return false;
	if (h->is_held && (!h->again || h->turns + turns > MOST_TURNS))
		return false;
	return lower_may_sleep(l);
}

static struct attempts plan_attempts(struct lower *l, u32 turns)
{
	struct record_held *h = &l->s->held;
	struct attempts t = { .again = h->again, .unread = ir_block_new(l), .turn = h->turn, .first = h->turns };

	if (h->is_held) {
		h->turns += turns;
	} else {
		t = (struct attempts){ .again = ir_block_new(l), .unread = t.unread, .turn = ir_var(l) };
		ir_var_set(l, t.turn, o_imm(0));
		ir_jump(l, t.again);
		ir_place(l, t.again);
	}
	t.last = t.first + turns;
	return t;
}

static void next_turn(struct lower *l, const struct attempts *t)
{
	struct ir_block *left = ir_block_new(l), *behind = ir_block_new(l), *go = ir_block_new(l);

	ir_branch(l, CC_UGE, o_temp(t->turn), o_imm(t->last), t->unread, left);
	ir_place(l, left);
	if (t->first) {
		ir_branch(l, CC_ULT, o_temp(t->turn), o_imm(t->first), behind, go);
		ir_place(l, behind);
		ir_var_set(l, t->turn, o_imm(t->first));
		ir_jump(l, go);
		ir_place(l, go);
	}
	ir_var_set(l, t->turn, ir_op2(l, IR_ADD, o_temp(t->turn), o_imm(1)));
}

/* at: the address where to look first; then of the first byte in a page that is missing, or in the last page. */
static void find_missing(struct lower *l, struct opnd byte, u32 at, u32 n_pages)
{
	struct ir_block *scan = ir_block_new(l), *there = ir_block_new(l), *more = ir_block_new(l), *out = ir_block_new(l);
	bool many = n_pages > 2;
	u32 page = many ? ir_var(l) : 0;
	struct opnd rc;

	if (many)
		ir_var_set(l, page, o_imm(2));
	ir_jump(l, scan);
	ir_place(l, scan);
	rc = ir_call(l, BPF_FUNC_probe_read_user, false, 3, byte, o_imm(1), o_temp(at));
	ir_branch(l, CC_EQ, rc, o_imm(0), there, out);
	ir_place(l, there);
	ir_var_set(l, at, ir_op2(l, IR_ADD, ir_op2(l, IR_OR, o_temp(at), o_imm(PAGE - 1)), o_imm(1)));
	if (many) {
		ir_branch(l, CC_UGE, o_temp(page), o_imm(n_pages), out, more);
		ir_place(l, more);
		ir_var_set(l, page, ir_op2(l, IR_ADD, o_temp(page), o_imm(1)));
	}
	ir_jump(l, many ? scan : out);
	ir_place(l, out);
}

static void let_go(struct lower *l)
{
	if (l->s->held.is_held)
		ir_emit(l, (struct ir_insn){ .op = IR_CALL, .imm = RINGBUF_DISCARD, .n_args = 2,
					     .arg = { l->s->held.record, o_imm(BPF_RB_NO_WAKEUP) } });
}

/* Where nothing is to be had the record, which is gone, is filled again without. */
static void give_up(struct lower *l, const struct attempts *t)
{
	if (l->s->held.is_held)
		ir_var_set(l, t->turn, o_imm(t->last));
	ir_jump(l, l->s->held.is_held ? t->again : t->unread);
}

static void fetch(struct lower *l, struct opnd addr, u32 size, const struct attempts *t)
{
	struct ir_block *some = ir_block_new(l), *in_vain = ir_block_new(l);
	struct temp_mark temps = temps_mark(l);
	struct opnd byte = lower_temp(l, 1, 1, "byte"), rc;
	u32 values = vn_mark(l), at = ir_var(l);

	ir_branch(l, CC_EQ, addr, o_imm(0), t->unread, some);
	ir_place(l, some);
	next_turn(l, t);
	ir_var_set(l, at, addr);
	find_missing(l, byte, at, pages_of(size));
	let_go(l);
	rc = ir_call(l, COPY_FROM_USER, false, 3, byte, o_imm(1), o_temp(at));
	ir_branch(l, CC_EQ, rc, o_imm(0), t->again, in_vain);
	ir_place(l, in_vain);
	give_up(l, t);
	vn_truncate(l, values);
	temps_release(l, temps);
}

struct opnd lower_user_read(struct lower *l, u32 helper, struct opnd dst, struct opnd size, u32 cap, struct opnd addr)
{
	u32 turns = pages_of(cap) + SPARE_TURNS;
	struct ir_block *failed;
	struct attempts t;
	struct opnd rc;

	if (!may_fetch(l, turns))
		return ir_call(l, helper, false, 3, dst, size, addr);
	l->unit->n_fetches++;
	failed = ir_block_new(l);
	t = plan_attempts(l, turns);
	if (size.kind != O_IMM) /* what verifiers know of it they forget in the loop where it lies on the stack */
		size = ir_at_most(l, size, cap);
	rc = ir_call(l, helper, false, 3, dst, size, addr);
	ir_branch(l, CC_SLT, rc, o_imm(0), failed, t.unread);
	ir_place(l, failed);
	fetch(l, addr, cap, &t);
	ir_place(l, t.unread);
	return rc;
}
