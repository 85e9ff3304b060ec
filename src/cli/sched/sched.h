/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde sched: events of the scheduler, live or of a recording. A view is fed with the events in
 * the order of time. Its rules are those of perf sched, so that figures can be compared:
 * doc/howto/perf.md.
 */
#ifndef SONDE_CLI_SCHED_SCHED_H
#define SONDE_CLI_SCHED_SCHED_H

#include "base/hash.h"
#include "cli/cli.h"
#include "cli/sched/timehist.h"

/* A thread, as far as views know it. Times: ns of the boot clock; 0: none. */
struct sched_thread {
	u32 tid, pid; /* pid 0: not known */
	char comm[17];
	/* latency */
	enum { THREAD_NEW, THREAD_SLEEPS, THREAD_WAITS, THREAD_RUNS } state;
	u64 since, n_delays, delays, max_delay, max_start, max_end, runtime, entered;
	u32 n_merged;
	struct timehist_thread hist;
	/* map */
	char short_name[3];
	char shown_comm[17];
};

enum { SCHED_CPUS = 1024 };

struct sched_view;

struct sched {
	struct cli *c;
	const struct sched_view *view;
	struct sink *sink;
	const struct names *names;
	struct arena arena;
	struct hash by_tid;
	VEC(struct sched_thread *) threads; /* as they come */
	VEC(u64) switched;                  /* by processor: time of the last switch; 0: none */
	VEC(struct sched_thread *) running; /* by processor */
	VEC(struct sched_thread *) idle;    /* by processor: timehist */
	u32 n_cpus, n_named;
	bool by_waking;    /* wake-ups are sched_waking's, not sched_wakeup's */
	bool has_runtimes; /* sched_stat_runtime; else runs are from switch to switch */
	bool has_head;
	u8 *shown;     /* by processor: -C; NULL: all */
	VEC(u32) seen; /* processors that had a switch: map */
	/* timehist */
	VEC(u32) tids, pids; /* -t, and -p of a recording; empty: all */
	bool has_skipped;    /* threads that are not among them */
	struct {
		u64 from, to;    /* --time; 0: without an end */
		u64 first, last; /* switches in it */
	} window;
};

/* An event that views know, taken apart. */
struct sched_event {
	const struct trace_event *e;
	struct sched_thread *thread; /* that switches away, wakes up or ran */
	struct sched_thread *next;   /* of a switch */
	s64 state;                   /* of a switch */
	u64 runtime;                 /* ns */
	s64 from_cpu, to_cpu;        /* of a migration */
};

struct sched_view {
	const char *name;
	bool by_waking;  /* where there are both */
	bool has_window; /* it also needs what was before --time */
	/* NULL: the view does without. */
	void (*on_switch)(struct sched *s, const struct sched_event *e);
	void (*on_wakeup)(struct sched *s, const struct sched_event *e);
	void (*on_runtime)(struct sched *s, const struct sched_event *e);
	void (*on_migration)(struct sched *s, const struct sched_event *e);
	void (*end)(struct sched *s);
};
extern const struct sched_view sched_latency, sched_timehist, sched_map;

/* "bash[12/10]" of thread 12 in process 10 */
const char *sched_name(struct sched *s, const struct sched_thread *t);
/* latency.c: whether each word of "max,avg" is a column to order by. */
bool sched_is_sort_list(const char *list);
/* Whether -C has the processor. */
bool sched_shows_cpu(const struct sched *s, u32 cpu);
/* t runs on a processor from now on; returns the thread before it, if recorded. */
struct sched_thread *sched_runs(struct sched *s, u32 cpu, struct sched_thread *t);

#endif
