/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde sched map: a line for each switch, a column for each processor with a short name for the
 * thread on it, a star where the switch was:
 *
 *	  *A0        3835.814150 secs A0 => sh:32585
 *	   A0 *B0    3835.818264 secs B0 => cc1:32567
 */
#include "cli/sched/sched.h"
#include "trace/value.h"

static void name_short(struct sched *s, struct sched_thread *t)
{
	u32 n;

	if (t->short_name[0])
		return;
	if (!t->tid) {
		memcpy(t->short_name, ". ", 3);
		return;
	}
	n = s->n_named++;
	t->short_name[0] = (char)('A' + n % 26);
	t->short_name[1] = (char)('0' + n / 26 % 10);
}

/* Of all processors, with --compact of those that have had a switch, as they came: a column stays
 * where it is. */
static void put_columns(struct sched *s, u32 cpu)
{
	bool is_compact = s->c->own.sched.compact;

	for (u32 k = 0; k < (is_compact ? s->seen.n : s->n_cpus); k++) {
		u32 i = is_compact ? s->seen.v[k] : k;
		const struct sched_thread *t = i < s->running.n ? s->running.v[i] : NULL;

		if (!sched_shows_cpu(s, i))
			continue;
		buf_printf(&s->sink->out, "%c%2s ", i == cpu ? '*' : ' ', t ? t->short_name : "  ");
	}
}

static void on_switch(struct sched *s, const struct sched_event *e)
{
	struct sched_thread *t = e->next;
	struct buf *b = &s->sink->out;
	u32 cpu = e->e->cpu;
	u64 time = e->e->time;
	bool is_new;

	s->n_cpus = MAX(s->n_cpus, cpu + 1);
	is_new = !sched_runs(s, cpu, t);
	if (is_new)
		vec_push(&s->arena, &s->seen, cpu);
	if (!sched_shows_cpu(s, cpu))
		return;
	name_short(s, t);
	buf_puts(b, "  ");
	put_columns(s, cpu);
	buf_printf(b, "  %5llu.%06llu secs ", (unsigned long long)time / 1000000000,
		   (unsigned long long)time / 1000 % 1000000);
	if (t->tid && strcmp(t->shown_comm, t->comm)) {
		memcpy(t->shown_comm, t->comm, sizeof t->comm);
		buf_printf(b, "%s => ", t->short_name);
		put_foreignz(b, s->names, t->comm);
		buf_printf(b, ":%u", t->tid);
	}
	if (is_new && s->c->own.sched.compact)
		buf_printf(b, " (CPU %u)", cpu);
	buf_putc(b, '\n');
	sink_item(s->sink);
}

const struct sched_view sched_map = { .name = "map", .by_waking = true, .on_switch = on_switch };
