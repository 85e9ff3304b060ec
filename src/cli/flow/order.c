/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If the process engine serves functions, the kernel serves those that it cannot, and sends a
 * record at each of their entries and returns, because it does not know whether a thread is inside
 * FUNC. Both engines give times of the same clock. In: records as they come: the kernel's first, of
 * a time at which those of the process engine have not been read yet. Out: by time; and which are
 * of threads inside FUNC, as the script decides it.
 *
 * The order of the records of a thread is exact if the times differ by less than the kernel's trap
 * takes: it reads the clock within the trap, a third of a microsecond or more from the instruction
 * before and after it. The clocks are corrected every 10 ms and differ by less than that.
 */
#include <stdlib.h>
#include "cli/flow/flow.h"

/* Waits until records of the process engine up to its time have come. */
void flow_wait(struct flow *f, const struct flow_waiting *w)
{
	struct flow_queue *q = &f->split.waiting;
	u32 i;

	if (q->first == q->n)
		q->first = q->n = 0;
	if (q->n == q->cap && q->first) {
		memmove(q->v, q->v + q->first, (q->n - q->first) * sizeof *q->v);
		q->n -= q->first;
		q->first = 0;
	}
	if (q->n == q->cap) {
		q->cap = q->cap ? 2 * q->cap : 1024;
		q->v = xrealloc(q->v, q->cap * sizeof *q->v);
	}
	for (i = q->n++; i > q->first && q->v[i - 1].ns > w->ns; i--)
		q->v[i] = q->v[i - 1];
	q->v[i] = *w;
}

bool flow_next_waiting(struct flow *f, u64 until, struct flow_waiting *w)
{
	struct flow_queue *q = &f->split.waiting;

	if (q->first == q->n || q->v[q->first].ns > until)
		return false;
	*w = q->v[q->first++];
	return true;
}

void flow_release_waiting(struct flow *f)
{
	struct flow_queue *q = &f->split.waiting;

	for (; q->first < q->n; q->first++)
		free(q->v[q->first].value);
	free(q->v);
}

/* As IS_OUTSIDE of script.c. */
static bool is_outside(const struct flow_thread *th, u64 sp)
{
	return sp - th->in - 1 < FLOW_OUTSIDE;
}

bool flow_is_inside(struct flow_thread *th, enum flow_split_kind kind, u64 sp)
{
	bool is_elsewhere = kind >= SPLIT_ELSEWHERE, is_return;

	if (is_elsewhere && !th->elsewhere) /* the stack of another program */
		th->in = 0;
	th->elsewhere |= is_elsewhere;
	if (is_elsewhere)
		kind = (enum flow_split_kind)(kind - SPLIT_ELSEWHERE);
	is_return = kind == SPLIT_LEAVE || kind == SPLIT_KERNEL_LEAVE;
	if ((kind == SPLIT_BEGIN || kind == SPLIT_KERNEL_BEGIN) && (!th->in || is_outside(th, sp)))
		th->in = sp;
	if (!th->in || is_outside(th, sp))
		return false;
	if (is_return && sp == th->in)
		th->in = 0;
	return true;
}
