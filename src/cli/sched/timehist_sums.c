/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde sched timehist -s and -S: a row for each thread: its runs, with --state what it waited for,
 * with -I how long processors were idle after it had left them; then how long each processor was
 * idle. The figures are those of perf sched timehist.
 */
#include "base/root.h"
#include "cli/sched/sched.h"

typedef unsigned long long ull;

static void add_times(struct timehist_times *to, const struct timehist_times *t)
{
	to->run += t->run;
	to->delay += t->delay;
	to->sleep += t->sleep;
	to->iowait += t->iowait;
	to->preempt += t->preempt;
}

/* Welford's method, as perf has it. */
static void add_run(struct timehist_thread *t, u64 run)
{
	double before = (double)run - t->mean;

	t->n++;
	t->mean += before / (double)t->n;
	t->squares += before * ((double)run - t->mean);
	t->min = t->n > 1 ? MIN(t->min, run) : run;
	t->max = MAX(t->max, run);
}

void timehist_add(struct timehist_thread *t, u64 since, u64 now)
{
	u64 wait = since && t->left && t->left <= since ? since - t->left : 0;

	t->last = (struct timehist_times){
		.run = since ? now - MIN(since, now) : 0,
		.delay = since && t->ready && t->ready <= since ? since - t->ready : 0,
	};
	*(t->state == 'R' ? &t->last.preempt :
	  t->state == 'D' ? &t->last.iowait :
			    &t->last.sleep) = wait;
	add_run(t, t->last.run);
	add_times(&t->total, &t->last);
}

/* ---- the tables */

void timehist_put_ms(struct buf *b, u32 width, u64 ns)
{
	buf_printf(b, "%*llu.%03llu", (int)width, (ull)ns / 1000000, (ull)ns / 1000 % 1000);
}

/* Of the mean, in percent. */
static double deviation(const struct timehist_thread *t)
{
	return t->n > 1 && t->mean > 0 ?
		       100 * square_root(t->squares / (double)(t->n - 1) / (double)t->n) / t->mean :
		       0;
}

static void put_head(struct sched *s)
{
	struct buf *b = &s->sink->out;

	if (s->c->own.sched.idle)
		buf_puts(
			b,
			"\nIdle-time summary\n"
			"                          comm  sched-out    idle-time   min-idle    avg-idle    max-idle  stddev  migrations\n"
			"                                  (count)       (msec)     (msec)      (msec)      (msec)       %\n");
	else if (s->c->own.sched.state)
		buf_puts(
			b,
			"\nWait-time summary\n"
			"                          comm   sched-in     run-time      sleep      iowait     preempt       delay\n"
			"                                  (count)       (msec)     (msec)      (msec)      (msec)      (msec)\n");
	else
		buf_puts(
			b,
			"\nRuntime summary\n"
			"                          comm   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations\n"
			"                                  (count)       (msec)     (msec)      (msec)      (msec)       %\n");
	for (u32 i = 0; i < 109; i++)
		buf_putc(b, '-');
	buf_putc(b, '\n');
}

static void put_thread(struct sched *s, const struct sched_thread *thread)
{
	const struct timehist_thread *t = &thread->hist;
	bool has_waits = s->c->own.sched.state && !s->c->own.sched.idle;
	u64 four[] = { has_waits ? t->total.sleep : t->min,
		       has_waits ? t->total.iowait : (u64)t->mean,
		       has_waits ? t->total.preempt : t->max, t->total.delay };
	struct buf *b = &s->sink->out;

	buf_printf(b, "%30s  %9llu ", sched_name(s, thread), (ull)t->n);
	timehist_put_ms(b, 8, t->total.run);
	buf_puts(b, "  ");
	for (u32 i = 0; i < (has_waits ? 4u : 3u); i++) {
		timehist_put_ms(b, 6, four[i]);
		buf_puts(b, "  ");
	}
	if (!has_waits)
		buf_printf(b, "%6.2f   %5llu", deviation(t), (ull)t->migrations);
	buf_trim_end(b);
	buf_putc(b, '\n');
}

/* How often processors were idle. */
static u64 put_processors(struct sched *s, u64 all)
{
	struct buf *b = &s->sink->out;
	u64 n = 0;

	buf_puts(b, "\nIdle stats:\n");
	for (u32 cpu = 0; cpu < s->n_cpus; cpu++) {
		const struct timehist_thread *t = cpu < s->idle.n ? &s->idle.v[cpu]->hist : NULL;

		if (!sched_shows_cpu(s, cpu))
			continue;
		buf_printf(b, "    CPU %2u ", cpu);
		if (!t || !t->n) {
			buf_puts(b, cpu < s->switched.n && s->switched.v[cpu] ?
					    "never idle\n" :
					    "not known: no switch\n");
			continue;
		}
		n += t->n;
		buf_puts(b, "idle for ");
		timehist_put_ms(b, 6, t->total.run);
		buf_printf(b, "  msec  (%6.2f%%)\n",
			   all ? 100 * (double)t->total.run / (double)all : 0.0);
	}
	return n;
}

void timehist_put_sums(struct sched *s)
{
	u64 all = s->window.last - MIN(s->window.first, s->window.last), run = 0, switches = 0;
	struct buf *b = &s->sink->out;
	u32 n = 0;

	put_head(s);
	for (u32 i = 0; i < s->threads.n; i++) {
		const struct sched_thread *t = s->threads.v[i];

		if (!t->hist.n || !t->tid)
			continue;
		put_thread(s, t);
		run += t->hist.total.run;
		switches += t->hist.n;
		n++;
	}
	if (!n)
		buf_puts(b, "<no tasks>\n");
	if (!s->has_skipped || s->c->own.sched.idle)
		switches += put_processors(s, all);
	buf_printf(b, "\n    Total number of unique tasks: %u\n", n);
	buf_printf(b, "Total number of context switches: %llu\n", (ull)switches);
	buf_puts(b, s->c->own.sched.idle ? "          Total idle time (msec): " :
					   "           Total run time (msec): ");
	timehist_put_ms(b, 2, run);
	buf_puts(b, "\n    Total scheduling time (msec): ");
	timehist_put_ms(b, 2, all);
	buf_printf(b, "  (x %u)\n", s->n_cpus);
}
