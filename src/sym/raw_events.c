/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows: tracepoint, argument, kind, fields of the record (include/trace/events/sched.h,
 * syscalls.h). */
#include "sym/raw_events.h"

/* The state that the kernel prints as R+, and the states of ended tasks
 * (include/trace/events/sched.h, __trace_sched_switch_state; include/linux/sched.h: EXIT_DEAD,
 * EXIT_ZOMBIE). */
enum { PREEMPTED = 0x100, ENDED = 0x30 };

static const struct row {
	const char *event, *arg;
	enum raw_kind kind;
	const char *value, *comm, *state, *prio;
} rows[] = {
	{ "sched_switch", "preempt", RAW_PREEMPTED, "prev_state", NULL, NULL, NULL },
	{ "sched_switch", "prev", RAW_TASK, "prev_pid", "prev_comm", "prev_state", "prev_prio" },
	{ "sched_switch", "next", RAW_TASK, "next_pid", "next_comm", NULL, "next_prio" },
	{ "sched_waking", "p", RAW_TASK, "pid", "comm", NULL, "prio" },
	{ "sched_wakeup", "p", RAW_TASK, "pid", "comm", NULL, "prio" },
	{ "sched_wakeup_new", "p", RAW_TASK, "pid", "comm", NULL, "prio" },
	{ "sched_migrate_task", "p", RAW_TASK, "pid", "comm", NULL, "prio" },
	{ "sched_migrate_task", "dest_cpu", RAW_NUMBER, "dest_cpu", NULL, NULL, NULL },
	{ "sched_process_fork", "parent", RAW_TASK, "parent_pid", "parent_comm", NULL, NULL },
	{ "sched_process_fork", "child", RAW_TASK, "child_pid", "child_comm", NULL, NULL },
	{ "sched_process_exec", "old_pid", RAW_NUMBER, "old_pid", NULL, NULL, NULL },
	{ "sched_process_exit", "p", RAW_TASK, "pid", "comm", NULL, "prio" },
	{ "sched_process_free", "p", RAW_TASK, "pid", "comm", NULL, "prio" },
	{ "sched_stat_runtime", "tsk", RAW_TASK, "pid", "comm", NULL, NULL },
	{ "sched_stat_runtime", "runtime", RAW_NUMBER, "runtime", NULL, NULL, NULL },
	{ "sys_enter", "id", RAW_NUMBER, "id", NULL, NULL, NULL },
	{ "sys_exit", "ret", RAW_NUMBER, "ret", NULL, NULL, NULL },
};

static struct raw_place place_of(const struct tp_format *f, const char *name)
{
	const struct tp_field *field = name ? tp_format_field(f, name) : NULL;

	return field ? (struct raw_place){ field->offset, field->size, field->is_signed } :
		       (struct raw_place){ 0 };
}

/* False: this kernel's record has no such field. */
static bool add(struct raw_event *e, const struct tp_format *f, const struct row *r, u32 n_tasks)
{
	struct raw_arg *a = &e->arg[e->n];

	*a = (struct raw_arg){ .name = r->arg,
			       .kind = r->kind,
			       .index = r->kind == RAW_TASK ? n_tasks : e->n,
			       .value = place_of(f, r->value),
			       .comm = place_of(f, r->comm),
			       .state = place_of(f, r->state),
			       .prio = place_of(f, r->prio) };
	e->n += a->value.size != 0;
	return a->value.size;
}

const struct raw_event *raw_event(struct arena *arena, const struct tp_format *f)
{
	struct raw_event *e = arena_new(arena, struct raw_event);
	u32 n_tasks = 0;

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].event, f->name) && add(e, f, &rows[i], n_tasks))
			n_tasks += rows[i].kind == RAW_TASK;
	return e->n ? e : NULL;
}

/* ---- values */

struct record {
	const u8 *bytes;
	u32 len;
};

static u64 number_at(const struct record *r, const struct raw_place *p)
{
	u64 v = 0;

	if (!p->size || p->size > sizeof v || p->offset > r->len || p->size > r->len - p->offset)
		return 0;
	memcpy(&v, r->bytes + p->offset, p->size);
	if (p->is_signed && p->size < sizeof v && v >> (8 * p->size - 1) & 1)
		v |= ~0ull << 8 * p->size;
	return v;
}

static void fill_comm(struct raw_task *t, const struct record *r, const struct raw_place *p)
{
	u32 n = MIN(p->size, (u32)sizeof t->comm);

	if (p->offset <= r->len && n <= r->len - p->offset)
		memcpy(t->comm, r->bytes + p->offset, n);
	t->comm[sizeof t->comm - 1] = '\0';
}

static void fill_task(struct raw_task *t, const struct raw_arg *a, const struct record *r)
{
	u32 state = (u32)number_at(r, &a->state);

	*t = (struct raw_task){ .pid = (s32)number_at(r, &a->value),
				.state = state & ~(u32)(PREEMPTED | ENDED),
				.exit_state = state & ENDED,
				.prio = (s32)number_at(r, &a->prio) };
	fill_comm(t, r, &a->comm);
}

void raw_context_fill(struct raw_context *to, const struct raw_event *e, const void *record,
		      u32 len, u32 (*tgid_of)(void *ctx, u32 tid), void *ctx)
{
	struct record r = { record, len };

	for (u32 i = 0; i < e->n; i++) {
		const struct raw_arg *a = &e->arg[i];
		u64 v = number_at(&r, &a->value);

		if (a->kind != RAW_TASK) {
			to->word[a->index] = a->kind == RAW_PREEMPTED ? (v & PREEMPTED) != 0 : v;
			continue;
		}
		fill_task(&to->task[a->index], a, &r);
		to->task[a->index].tgid = (s32)tgid_of(ctx, (u32)v);
	}
}
