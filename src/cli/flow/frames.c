/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open calls of each thread. In: entries and returns. Out: calls of lines.c and sums.c, each
 * ended once. */
#include <stdlib.h>
#include "cli/flow/flow.h"
#include "session/system.h"

struct flow_thread *flow_thread(struct flow *f, u32 tid)
{
	struct flow_thread *th = hash_get(&f->threads, &tid, sizeof tid);

	if (th)
		return th;
	th = xcalloc(1, sizeof *th);
	th->tid = tid;
	hash_put(&f->threads, &th->tid, sizeof th->tid, th);
	return th;
}

static struct flow_frame *top_of(struct flow_thread *th)
{
	return th->open.n ? &th->open.v[th->open.n - 1] : NULL;
}

static void push(struct flow_frames *to, const struct flow_frame *frame)
{
	if (to->n == to->cap) {
		to->cap = to->cap ? 2 * to->cap : 64;
		to->v = xrealloc(to->v, to->cap * sizeof *to->v);
	}
	to->v[to->n++] = *frame;
}

static bool is_other_stack(u64 a, u64 b)
{
	return (a > b ? a - b : b - a) > FLOW_OTHER_STACK;
}

static void end_top(struct flow *f, struct flow_thread *th, const struct flow_end *end)
{
	struct flow_frame *top = top_of(th);
	u64 took = end->ns - top->ns;

	if (f->shows.lines)
		flow_put_end(f, th, end);
	flow_sum_end(f, th, end->ns);
	free(top->args);
	th->open.n--;
	if (th->open.n)
		top_of(th)->inner_ns += took;
}

/* ---- coroutines */

/* The frame on top stays on a stack that is left; its line shows where. */
static void set_aside(struct flow *f, struct flow_thread *th)
{
	if (f->shows.lines)
		flow_put_begun(f, th);
	top_of(th)->was_aside = true;
	push(&th->aside, top_of(th));
	th->open.n--;
}

/* Something of a stack is seen: the frames of it that were set aside are open again. */
static void bring_back(struct flow *f, struct flow_thread *th, u64 sp)
{
	struct flow_frames *aside = &th->aside;
	u32 kept = 0;

	for (u32 i = aside->n; i--;) { /* the innermost was set aside first */
		if (is_other_stack(aside->v[i].sp, sp))
			continue;
		if (th->open.n && f->shows.lines)
			flow_put_begun(f, th);
		push(&th->open, &aside->v[i]);
	}
	for (u32 i = 0; i < aside->n; i++)
		if (is_other_stack(aside->v[i].sp, sp))
			aside->v[kept++] = aside->v[i];
	aside->n = kept;
}

/* ---- what has ended */

/* The thread is in user code: it has left the kernel. */
static void end_kernel(struct flow *f, struct flow_thread *th, u64 ns)
{
	struct flow_end end = { .ns = ns, .unseen = true };

	while (th->open.n && top_of(th)->in_kernel)
		end_top(f, th, &end);
}

/* The first frame from the top of the stack with sp that is still there: below sp, all have
 * gone. */
static void end_gone(struct flow *f, struct flow_thread *th, u64 sp, u64 ns)
{
	struct flow_end end = { .ns = ns, .unseen = true };

	while (th->open.n && top_of(th)->sp < sp && !is_other_stack(top_of(th)->sp, sp))
		end_top(f, th, &end);
}

/* Those that went on as the frame that has ended have ended with it. */
static void end_jumped(struct flow *f, struct flow_thread *th, u64 sp, u64 ns)
{
	struct flow_end end = { .ns = ns };

	while (th->open.n && top_of(th)->is_tail && top_of(th)->sp == sp)
		end_top(f, th, &end);
}

/* At the place of the frame on top: it has jumped to this function, unless this is a new call. A
 * loop calls from one place. */
static void end_replaced(struct flow *f, struct flow_thread *th, const struct flow_frame *frame)
{
	struct flow_end end = { .ns = frame->ns, .unseen = true };

	if (!th->open.n || top_of(th)->sp != frame->sp)
		return;
	if (top_of(th)->back == frame->back &&
	    flow_may_jump(f, top_of(th)->function, frame->function)) {
		top_of(th)->is_tail = true;
		return;
	}
	end_top(f, th, &end);
	end_jumped(f, th, frame->sp, frame->ns);
}

/* ---- events */

void flow_enter(struct flow *f, struct flow_thread *th, const struct flow_frame *frame)
{
	struct flow_frame new = *frame;

	th->last_ns = frame->ns;
	if (new.in_kernel) {
		new.sp = th->open.n ? top_of(th)->sp : 0;
	} else {
		end_kernel(f, th, new.ns);
		bring_back(f, th, new.sp);
		end_gone(f, th, new.sp, new.ns);
		end_replaced(f, th, &new);
	}
	if (th->open.n && f->shows.lines)
		flow_put_begun(f, th);
	push(&th->open, &new);
	flow_sum_enter(f, th);
}

/* The index of the frame that returns, or th->open.n: its entry was not seen. A frame is where the
 * return address is. */
static u32 find(const struct flow_thread *th, const struct flow_frame *frame)
{
	for (u32 i = th->open.n; i--;) {
		const struct flow_frame *at = &th->open.v[i];

		if (at->function == frame->function && (at->in_kernel || at->sp == frame->sp))
			return i;
	}
	return th->open.n;
}

/* A frame above one that returns has gone, or is of a coroutine. */
static void leave_top(struct flow *f, struct flow_thread *th, u64 sp, u64 ns)
{
	struct flow_end gone = { .ns = ns, .unseen = true };

	if (is_other_stack(top_of(th)->sp, sp))
		set_aside(f, th);
	else
		end_top(f, th, &gone);
}

void flow_return(struct flow *f, struct flow_thread *th, const struct flow_frame *frame,
		 const struct flow_end *end)
{
	u32 i;
	u64 sp;

	th->last_ns = end->ns;
	if (!frame->in_kernel) {
		end_kernel(f, th, end->ns);
		bring_back(f, th, frame->sp);
	}
	i = find(th, frame);
	if (i == th->open.n)
		return;
	sp = th->open.v[i].sp;
	while (th->open.n > i + 1)
		leave_top(f, th, sp, end->ns);
	end_top(f, th, end);
	end_jumped(f, th, sp, end->ns);
}

static struct flow_thread *next_thread(const struct flow *f, u32 *i)
{
	while (*i < f->threads.cap) {
		const struct hash_slot *slot = &f->threads.slot[(*i)++];

		if (slot->key)
			return slot->value;
	}
	return NULL;
}

static void end_thread(struct flow *f, struct flow_thread *th)
{
	u64 took;

	for (u32 k = 0; k < th->open.n && f->shows.lines; k++)
		flow_put_unfinished(f, th, k);
	while (th->open.n) {
		took = th->last_ns - top_of(th)->ns;
		flow_sum_end(f, th, th->last_ns);
		free(top_of(th)->args);
		th->open.n--;
		if (th->open.n)
			top_of(th)->inner_ns += took;
	}
}

void flow_end(struct flow *f)
{
	struct flow_thread *th;
	u32 i = 0;

	while ((th = next_thread(f, &i)))
		end_thread(f, th);
}

void flow_release(struct flow *f)
{
	struct flow_thread *th;
	u32 i = 0;

	while ((th = next_thread(f, &i))) {
		for (u32 k = 0; k < th->aside.n; k++)
			free(th->aside.v[k].args);
		buf_release(&th->text);
		free(th->aside.v);
		free(th->open.v);
		free(th);
	}
	flow_release_waiting(f);
	flow_release_tails(f);
	hash_release(&f->threads);
	hash_release(&f->functions_by_symbol);
	hash_release(&f->signatures);
	hash_release(&f->reached);
	system_release(&f->system);
}
