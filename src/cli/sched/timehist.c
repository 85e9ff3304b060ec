/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde sched timehist: a line for each time that a thread has run, or a processor was idle, at its
 * end: how long the thread was off before its wake-up, how long it waited then for the processor,
 * how long it ran.
 */
#include "cli/sched/sched.h"

/* ---- which */

static bool has(const u32 *list, u32 n, u32 number)
{
	for (u32 i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return !n;
}

/* A thread of which no event of its own has come yet is taken for a process. */
static bool is_chosen(const struct sched *s, const struct sched_thread *t)
{
	return has(s->tids.v, s->tids.n, t->tid) &&
	       has(s->pids.v, s->pids.n, t->pid ? t->pid : t->tid);
}

static bool is_in_window(const struct sched *s, u64 time)
{
	return time >= s->window.from && (!s->window.to || time <= s->window.to);
}

/* ---- lines */

static const struct sched_options *options(const struct sched *s)
{
	return &s->c->own.sched;
}

/* The processors as columns: of a switch 's', 'i' if it was idle; of a migration 'm'. */
static void put_visual(struct sched *s, u32 cpu, char c)
{
	if (!options(s)->visual)
		return;
	for (u32 i = 0; i < s->n_cpus; i++)
		buf_putc(&s->sink->out, i == cpu ? c : ' ');
	buf_puts(&s->sink->out, "  ");
}

static void put_head(struct sched *s)
{
	struct buf *b = &s->sink->out;

	if (s->has_head)
		return;
	s->has_head = true;
	for (u32 row = 0; row < 3; row++) {
		static const char *const first[] = { "           time    cpu  ",
						     "                        ",
						     "--------------- ------  " };
		static const char *const second[] = {
			"task name                       wait time  sch delay   run time",
			"[tid/pid]                          (msec)     (msec)     (msec)",
			"------------------------------  ---------  ---------  ---------"
		};

		buf_puts(b, first[row]);
		for (u32 i = 0; options(s)->visual && i < s->n_cpus; i++)
			buf_putc(b, row == 0 ? (char)('0' + i % 10) : row == 1 ? ' ' : '-');
		buf_puts(b, options(s)->visual ? "  " : "");
		buf_puts(b, second[row]);
		if (options(s)->state)
			buf_puts(b, row == 0 ? "  state" : row == 1 ? "" : "  -----");
		buf_putc(b, '\n');
	}
}

/* Fractions of a microsecond are dropped, as perf does. */
static void put_line(struct sched *s, u64 time, u32 cpu, char mark, const char *name)
{
	put_head(s);
	buf_printf(&s->sink->out, "%8llu.%06llu [%04u]  ", (unsigned long long)time / 1000000000,
		   (unsigned long long)time / 1000 % 1000000, cpu);
	put_visual(s, cpu, mark);
	buf_printf(&s->sink->out, "%-30s", name);
}

/* The letters of TASK_REPORT; a thread that was preempted could go on. */
static char state_letter(const struct sched_thread *t, s64 state)
{
	static const char letters[] = "SDTtXZPI";

	if (!t->tid)
		return 'I';
	for (u32 i = 0; i < sizeof letters - 1; i++)
		if (!(state & 0x100) && state & 1u << i)
			return letters[i];
	return 'R';
}

static void put_run(struct sched *s, const struct sched_event *e, struct sched_thread *t, u64 now)
{
	const struct timehist_times *last = &t->hist.last;
	u64 three[] = { last->sleep + last->iowait + last->preempt, last->delay, last->run };
	struct buf *b = &s->sink->out;

	put_line(s, now, e->e->cpu, t->tid ? 's' : 'i', t->tid ? sched_name(s, t) : "<idle>");
	for (u32 i = 0; i < ARRAY_SIZE(three); i++) {
		buf_puts(b, "  ");
		timehist_put_ms(b, 5, three[i]);
	}
	if (options(s)->state)
		buf_printf(b, "  %5c", state_letter(t, e->state));
	if (options(s)->next)
		buf_printf(b, "  next: %s", e->next->tid ? sched_name(s, e->next) : "<idle>");
	buf_putc(b, '\n');
	sink_item(s->sink);
}

static void put_other(struct sched *s, const struct sched_event *e, char mark)
{
	const struct sched_thread *t = hash_get(&s->by_tid, &e->e->tid, sizeof e->e->tid);

	put_line(s, e->e->time, e->e->cpu, mark, t && t->tid ? sched_name(s, t) : "<idle>");
	buf_printf(&s->sink->out, "%33s  ", "");
}

/* ---- switches */

/* The thread 0 is another one on each processor. */
static struct sched_thread *idle_of(struct sched *s, u32 cpu)
{
	while (s->idle.n <= cpu)
		vec_push(&s->arena, &s->idle, arena_new(&s->arena, struct sched_thread));
	return s->idle.v[cpu];
}

/* With -I, only how long processors were idle: each time counts for the thread that left. */
static void add_idle(struct sched_thread *idle, u64 since, u64 now)
{
	struct sched_thread *before = idle->hist.before;

	if (!before)
		return;
	timehist_add(&before->hist, since, now);
	before->hist.last = (struct timehist_times){ 0 };
	idle->hist.before = NULL;
}

static bool is_skipped(struct sched *s, const struct sched_event *e, const struct sched_thread *t)
{
	if (is_chosen(s, t))
		return options(s)->idle && e->thread->tid && e->next->tid;
	s->has_skipped = true;
	return true;
}

/* From `since` to the switch, as far as they are in the range. The end in it. */
static u64 run_ends(struct sched *s, const struct sched_event *e, struct sched_thread *t, u64 since)
{
	bool is_shown = sched_shows_cpu(s, e->e->cpu), was_left = t->hist.before;
	u64 now = e->e->time;

	if (now < s->window.from || (s->window.to && since > s->window.to) ||
	    (!since && (s->window.from || s->window.to)))
		return now;
	if (since)
		since = MAX(since, s->window.from);
	if (s->window.to)
		now = MIN(now, s->window.to);
	if (is_shown && (!options(s)->idle || !t->tid))
		timehist_add(&t->hist, since, now);
	if (options(s)->idle && !t->tid)
		add_idle(t, since, now);
	if (!options(s)->summary && is_shown && (!options(s)->idle || t->tid || was_left))
		put_run(s, e, t, now);
	return now;
}

static void note_window(struct sched *s, u64 now)
{
	if (!s->window.first && now >= s->window.from)
		s->window.first = now;
	if (!s->window.to || now <= s->window.to)
		s->window.last = now;
}

static void on_switch(struct sched *s, const struct sched_event *e)
{
	u32 cpu = e->e->cpu;
	u64 now = e->e->time;
	struct sched_thread *idle = idle_of(s, cpu), *t = e->thread->tid ? e->thread : idle;

	s->n_cpus = MAX(s->n_cpus, cpu + 1);
	while (s->switched.n <= cpu)
		vec_push(&s->arena, &s->switched, 0);
	if (t != idle)
		idle->hist.before = t;
	if (!is_skipped(s, e, t)) {
		now = run_ends(s, e, t, s->switched.v[cpu]);
		t->hist.left = e->e->time;
		t->hist.state = state_letter(t, e->state);
		t->hist.ready = 0;
	}
	note_window(s, now);
	s->switched.v[cpu] = e->e->time;
}

/* ---- what else is shown */

static bool shows_other(const struct sched *s, const struct sched_event *e)
{
	const struct sched_thread *t = hash_get(&s->by_tid, &e->e->tid, sizeof e->e->tid);

	return !options(s)->summary && !options(s)->idle && is_in_window(s, e->e->time) &&
	       sched_shows_cpu(s, e->e->cpu) && (is_chosen(s, e->thread) || (t && is_chosen(s, t)));
}

static void on_wakeup(struct sched *s, const struct sched_event *e)
{
	if (!e->thread->hist.ready)
		e->thread->hist.ready = e->e->time;
	if (!options(s)->wakeups || !shows_other(s, e))
		return;
	put_other(s, e, ' ');
	buf_printf(&s->sink->out, "awakened: %s\n", sched_name(s, e->thread));
	sink_item(s->sink);
}

static void on_migration(struct sched *s, const struct sched_event *e)
{
	if (!options(s)->migrations)
		return;
	e->thread->hist.migrations++;
	if (!shows_other(s, e))
		return;
	put_other(s, e, 'm');
	buf_printf(&s->sink->out, "migrated: %s cpu %lld => %lld\n", sched_name(s, e->thread),
		   (long long)e->from_cpu, (long long)e->to_cpu);
	sink_item(s->sink);
}

static void end(struct sched *s)
{
	if (options(s)->summary || options(s)->with_summary)
		timehist_put_sums(s);
}

const struct sched_view sched_timehist = { .name = "timehist",
					   .by_waking = true,
					   .has_window = true,
					   .on_switch = on_switch,
					   .on_wakeup = on_wakeup,
					   .on_migration = on_migration,
					   .end = end };
