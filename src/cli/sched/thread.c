/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What views ask about threads and processors. */
#include "cli/sched/sched.h"
#include "trace/value.h"

const char *sched_name(struct sched *s, const struct sched_thread *t)
{
	struct buf b = { 0 };
	const char *text;

	put_foreignz(&b, s->names, *t->comm ? t->comm : ":");
	if (t->pid && t->pid != t->tid)
		buf_printf(&b, "[%u/%u]", t->tid, t->pid);
	else if (t->tid)
		buf_printf(&b, "[%u]", t->tid);
	text = arena_strdup(&s->arena, b.s);
	buf_release(&b);
	return text;
}

struct sched_thread *sched_runs(struct sched *s, u32 cpu, struct sched_thread *t)
{
	struct sched_thread *was;

	while (s->running.n <= cpu)
		vec_push(&s->arena, &s->running, NULL);
	was = s->running.v[cpu];
	s->running.v[cpu] = t;
	return was;
}

bool sched_shows_cpu(const struct sched *s, u32 cpu)
{
	return !s->shown || (cpu < SCHED_CPUS && s->shown[cpu]);
}
