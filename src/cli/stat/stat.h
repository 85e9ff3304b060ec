/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde stat: how often events happen, without a record for each.
 *
 *	events.c	-e: names as perf and the language have them -> events
 *	pmu.c		PMU/TERM=VALUE,.../: units that sysfs describes
 *	targets.c	threads and processors, and the rows that they count in
 *	count.c		perf events: opened, read (perf_event_open(2))
 *	print.c		tables, lines of fields, JSON
 *
 * Probes of the language are counted by a script; all else needs no program in the kernel.
 */
#ifndef SONDE_CLI_STAT_STAT_H
#define SONDE_CLI_STAT_STAT_H

#include "cli/cli.h"

struct stat_value {
	u64 n;                /* as counted; of a clock ns */
	u64 enabled, running; /* ns; running 0: it was never counted */
};

/* The estimate if the event was multiplexed. */
static inline double stat_scaled(const struct stat_value *v)
{
	if (!v->running)
		return 0;
	return v->running < v->enabled ? (double)v->n * (double)v->enabled / (double)v->running :
					 (double)v->n;
}

enum stat_unit { UNIT_NONE, UNIT_HARDWARE, UNIT_CLOCK };

struct stat_event {
	const char *name;  /* as it is shown */
	const char *probe; /* of the language; NULL: a perf event */
	enum stat_unit unit;
	u32 type;
	u64 config[3];
	u32 leader; /* index of the first event of its group; its own: none */
	bool no_user, no_kernel, no_hypervisor, no_host, no_guest;
	u8 precise;
	bool is_supported;
	const char *filter; /* of a trace event, as the kernel takes it; NULL: none */
	VEC(int) fds;       /* by row of stat.targets; -1: not open */
	VEC(struct stat_value) now, before, shown; /* by row of stat.rows */
};

/* What an event is opened for, and the row of the table that it counts in. */
struct stat_target {
	s32 pid, cpu; /* -1: any; pid: the descriptor of a control group with -G */
	u32 row;
};

/* What has a row of its own. */
enum stat_by {
	STAT_BY_NONE,
	STAT_BY_CPU,
	STAT_BY_THREAD,
	STAT_BY_CORE,
	STAT_BY_DIE,
	STAT_BY_SOCKET,
	STAT_BY_NODE,
};

enum { STAT_COMM = 16, STAT_PID = 8 }; /* widths of the names of threads */

struct stat_row {
	const char *name;  /* "CPU0", "bash-12", "S0-D0-C1"; NULL: the only one */
	u32 indent, width; /* of the name in a table */
	u64 id;            /* the processor, the thread, or what topology calls it */
	u32 n_cpus;        /* of its targets */
};

/* Values of several runs. */
struct stat_runs {
	double sum, squares;
	u32 n;
};

struct counting {
	struct cli *c;
	VEC(struct stat_event) events;
	VEC(struct stat_target) targets;
	VEC(struct stat_row) rows;
	enum stat_by by;
	VEC(struct stat_runs) runs; /* by event and row; after all those the time */
	VEC(double) seconds;        /* of each run */
	s32 cgroup;                 /* -1: none */
	const char *of;             /* what is counted: for the title */
	bool has_probes, was_begun;
	bool is_delayed; /* -D: not enabled yet */
	u32 n_intervals; /* that were printed */
	u32 n_runs;
	u64 begin_ns, end_ns; /* monotonic */
	u64 shown_ns;         /* -I: when the last lines were */
	struct rusage usage;  /* of the command, if it ended */
	bool has_head;        /* -I: the line of titles is printed */
	int out;              /* descriptor of the results */
};

/* ---- events.c: 0, or 1 after a message */
int stat_read_events(struct counting *st, const char *list);

/* ---- pmu.c: "cpu/event=0x3c,umask=1/". 0, or -errno with err set. */
int stat_read_pmu(struct arena *a, const char *text, struct stat_event *e, struct err *err);

/* ---- targets.c: rows and targets; child: the command, 0: none. 0 or -errno. */
int stat_add_targets(struct counting *st, s32 child, struct err *err);

/* ---- count.c */
/* Opens all; disabled, but of a child alone until its execution without -D. 0 or -errno. */
int stat_open(struct counting *st, s32 child, struct err *err);
void stat_enable(struct counting *st, bool on);
/* The counts so far -> now, without those of probes. */
void stat_read(struct counting *st);
void stat_close(struct counting *st);

/* ---- print.c */
/* The counts since `before`, which becomes `now`. */
void stat_put_interval(struct counting *st, struct buf *b);
/* The counts so far become a run. */
void stat_add_run(struct counting *st);
void stat_put_all(struct counting *st, struct buf *b);

#endif
