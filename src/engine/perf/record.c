/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a perf ring (include/uapi/linux/perf_event.h, enum perf_event_type), as events with
 * PERF_SAMPLE_ALWAYS and sample_id_all write them:
 *
 *	sample	header, u64 event, u32 pid, tid, u64 time, the parts of sample_type
 *	others	header, their fields, u32 pid, tid, u64 time, u64 event
 */
#include "engine/perf/internal.h"

struct words {
	const u8 *at, *end;
};

static bool take(struct words *w, void *to, size_t len)
{
	if ((size_t)(w->end - w->at) < len)
		return false;
	memcpy(to, w->at, len);
	w->at += len;
	return true;
}

static struct words body(const struct perf_event_header *h)
{
	return (struct words){ (const u8 *)(h + 1), (const u8 *)h + h->size };
}

static bool take_task_and_time(struct words *w, struct record_id *id)
{
	return take(w, &id->pid, 4) && take(w, &id->tid, 4) && take(w, &id->time, 8);
}

bool record_id(const struct perf_event_header *h, struct record_id *id)
{
	struct words w;

	if (h->size < sizeof *h + RECORD_TRAILER)
		return false;
	w = body(h);
	if (h->type == PERF_RECORD_SAMPLE)
		return take(&w, &id->event, 8) && take_task_and_time(&w, id);
	w.at = w.end - RECORD_TRAILER;
	return take_task_and_time(&w, id) && take(&w, &id->event, 8);
}

/* u32 size, the bytes. */
static bool take_raw(struct words *w, struct sample *s)
{
	if (!take(w, &s->raw_len, 4) || s->raw_len > (size_t)(w->end - w->at))
		return false;
	s->raw = w->at;
	w->at += s->raw_len;
	return true;
}

/* u64 n, the frames. */
static bool take_frames(struct words *w, struct sample *s)
{
	if (!take(w, &s->n_frames, 8) || s->n_frames > (size_t)(w->end - w->at) / 8)
		return false;
	s->frames = w->at;
	w->at += s->n_frames * 8;
	return true;
}

/* u64 size; if it is not 0, the bytes and u64 the number of valid bytes. */
static bool take_stack(struct words *w, struct sample *s)
{
	u64 size, used;

	if (!take(w, &size, 8) || size > (size_t)(w->end - w->at))
		return false;
	s->user.stack = w->at;
	w->at += size;
	if (!size)
		return true;
	if (!take(w, &used, 8))
		return false;
	s->user.stack_len = MIN(size, used);
	return true;
}

/* u64 abi; unless it is PERF_SAMPLE_REGS_ABI_NONE, the registers of the mask. */
static bool take_regs(struct words *w, u64 mask, u64 *abi, const u8 **regs)
{
	size_t len = (size_t)__builtin_popcountll(mask) * 8;

	if (!take(w, abi, 8))
		return false;
	if (!*abi)
		return true;
	if (len > (size_t)(w->end - w->at))
		return false;
	*regs = w->at;
	w->at += len;
	return true;
}

bool record_sample(const struct perf_event_header *h, const struct sample_layout *l,
		   struct sample *s)
{
	struct record_id id;
	struct words w = body(h);
	const u8 *intr = NULL;
	u64 abi;

	*s = (struct sample){ 0 };
	if (h->type != PERF_RECORD_SAMPLE || h->size < sizeof *h + RECORD_TRAILER)
		return false;
	w.at += RECORD_TRAILER;
	if (!(record_id(h, &id) && (!(l->type & PERF_SAMPLE_CALLCHAIN) || take_frames(&w, s)) &&
	      (!(l->type & PERF_SAMPLE_RAW) || take_raw(&w, s)) &&
	      (!(l->type & PERF_SAMPLE_REGS_USER) ||
	       take_regs(&w, l->user_regs, &s->user.abi, &s->user.regs)) &&
	      (!(l->type & PERF_SAMPLE_STACK_USER) || take_stack(&w, s)) &&
	      (!(l->type & PERF_SAMPLE_REGS_INTR) || take_regs(&w, l->intr_regs, &abi, &intr))))
		return false;
	s->user.mask = l->user_regs;
	s->regs = intr ? intr : s->user.regs;
	return true;
}

bool record_task(const struct perf_event_header *h, struct task_record *t)
{
	struct words w = body(h);
	u32 parent;

	*t = (struct task_record){ 0 };
	if (h->size < sizeof *h + RECORD_TRAILER)
		return false;
	w.end -= RECORD_TRAILER;
	if (h->type == PERF_RECORD_FORK)
		return take(&w, &t->pid, 4) && take(&w, &parent, 4) && take(&w, &t->tid, 4) &&
		       take(&w, &t->parent_tid, 4);
	if (h->type != PERF_RECORD_COMM || !take(&w, &t->pid, 4) || !take(&w, &t->tid, 4))
		return false;
	t->comm = (const char *)w.at;
	return memchr(w.at, 0, (size_t)(w.end - w.at)) != NULL;
}

bool record_lost(const struct perf_event_header *h, u64 *lost)
{
	struct words w = body(h);
	u64 id;

	if (h->type != PERF_RECORD_LOST || h->size < sizeof *h + RECORD_TRAILER)
		return false;
	w.end -= RECORD_TRAILER;
	return take(&w, &id, 8) && take(&w, lost, 8);
}
