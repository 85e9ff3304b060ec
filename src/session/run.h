/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run in progress: the state that its files share.
 */
#ifndef SONDE_SESSION_RUN_H
#define SONDE_SESSION_RUN_H

#include <signal.h>
#include "session/engines.h"
#include "session/freezer.h"
#include "session/session.h"
#include "trace/action.h"

struct sites_of;
struct usyms;
struct usermaps;

/* Reasons to restart the run in another way before anything was shown. */
struct run_again {
	bool too_big; /* a program is more than the verifier follows: with compact ones */
	/* a trampoline in place of a kprobe, or a name of BTF: without them */
	bool substitute_refused;
	bool direct_load_refused;
};

/* child.c: the command of -c. */
struct child_process {
	s32 pid;   /* 0: none */
	bool held; /* stopped as our tracee, until it may run */
	int fd;    /* pidfd; -1 */
	int tells; /* pipe: why it could not be executed; -1 */
	const char *path;
};

/* command.c: system() runs one command at a time. */
struct system_command {
	s32 pid;
	int out;          /* its output, -1: none runs */
	struct span span; /* of the call */
	struct buf text;  /* what it printed so far */
	/* A pipe for the errors of all commands: our end, theirs; -1: errors need no escapes. */
	int err, err_end;
};

/* names.c: processes that may not be inspected. */
struct unseen_processes {
	u32 pid; /* the first of them, 0: none */
	bool more;
	bool no_proc; /* /proc is not mounted: no user symbol has a name */
};

struct kernel_symbols_state {
	bool are_new;           /* read since the programs were loaded */
	bool asked, are_hidden; /* whether one that was wanted is not shown to us */
};

/* deferred.c: probes in files that appear during the run. */
struct deferred_state {
	struct file_watch *watch; /* NULL: no file is waited for */
	u32 n_sites, n_watches;   /* probes that came; how often watching began again */
	u64 first_watch_ns;
	bool too_many; /* reported */
};

/* follow.c: the set of processes at the start. */
struct follow_state {
	u32 at;        /* whose children are being added */
	u32 n_threads; /* that were found this time */
	int error;
	bool lists; /* what is found goes to: */
	VEC(u32) list;
};

/* Attachments that each traced process has of its own: alone.c */
struct alone_sites {
	const struct used_engine *engine;
	struct attach_request request;
};

struct alone_state {
	VEC(u32) pids, executed; /* executed: those that have the sites elsewhere */
	VEC(struct alone_sites) sites, elsewhere;
	/* processes that ran before they had them, and the longest time; the same of those that
	 * executed the program */
	struct alone_late {
		u32 n;
		u64 longest_ns;
	} late, late_elsewhere;
	u64 begun_ns; /* when code was in the named processes (CLOCK_MONOTONIC) */
};

/* attach.c */
struct attaching {
	struct sites_of *sites; /* by engine and function */
	struct run_again again;
	bool has_started;  /* all is attached */
	bool skipped_some; /* probes that the kernel refused and others do without */
};

/* Why and how the run ends. */
struct run_end {
	bool exiting;    /* exit() was called, a signal arrived, or the target has ended */
	bool had_enough; /* the time of --duration is over, or the output has what it wanted */
	bool has_ended;  /* the command and all processes of -p */
	/* by the script: records after it are not shown, except those of end clauses */
	bool exit_called;
	bool in_end_clauses; /* they run */
	int exit_code;
};

/* loop.c */
struct event_loop {
	int epoll_fd, signal_fd;
	int error; /* why it can no longer wait */
};

/* records.c */
struct records {
	struct buf backlog; /* records that wait: u32 len, bytes, padded to 8 */
	bool holding;       /* records go to the backlog: nothing is shown before "attached" */
	bool in_record;     /* a record is being shown, not a map */
	u64 drain_began, drain_before; /* this drain and the one before it: CLOCK_MONOTONIC */
	u64 *loss_seen;                /* what was reported of each prog.losses */
};

/* speculate.c: records that wait for commit() */
struct speculations {
	struct speculation *first;
	u64 bytes; /* of all */
};

/* names.c */
struct naming {
	struct names names;
	struct usyms *usyms;
	struct usermaps *usermaps; /* NULL: the script prints no user symbols */
	struct unseen_processes unseen;
	struct kernel_symbols_state ksyms;
	struct kimage *kimage;            /* lines of kernel stacks; NULL: not used yet */
	struct tracefs_strings *kstrings; /* NULL: not read yet */
	struct buf text;                  /* strings that lookups return */
};

struct run {
	const struct request *request;
	const struct session_host *host;
	struct sink *sink; /* the host's; capture.c replaces it for a while */
	struct compiled c;
	struct used_engines engines;
	struct actor actor;
	struct arena scratch;
	struct naming naming;
	struct attaching attach;
	struct run_end end;
	struct child_process child;
	struct watched_process *processes; /* processes.c; NULL: not watched yet */
	struct event_loop loop;
	sigset_t signals_before; /* signals.c */
	struct system_command command;
	struct records records;
	struct speculations speculations;
	struct deferred_state deferred;
	struct screen *screen; /* screen.c: sonde top; NULL otherwise */
	struct follow_state follow;
	struct alone_state alone;
	struct freezer freezer;
};

/* ---- child.c */
/* Forks the command, stopped before exec. */
int child_start(struct run *r, struct err *err);
int child_release(struct run *r, struct err *err); /* lets it run */
void child_look(struct run *r);                    /* ends the run when it has ended */
void child_end(struct run *r);                     /* terminates and reaps it, if it ends */
/* Why it was not executed, if it should have been. */
int child_verdict(struct run *r, struct err *err);

/* ---- command.c: the command of system() */
/* span: the statement. */
void command_start(struct run *r, struct span span, const char *command);
/* Waits for some of its output and shows it when it has ended: true. */
bool command_read(struct run *r);
void command_errors(struct run *r); /* shows what commands wrote to stderr */
void command_release(struct run *r);

/* ---- alone.c: probes in the traced processes alone */
/* Attaches sites as the engine's operation does, and again for each process that alone_add()
 * adds. */
int alone_attach(struct run *r, const struct used_engine *u, const struct attach_request *a,
		 struct err *err);
bool alone_has(const struct alone_state *alone, u32 pid);
void alone_add(struct run *r, u32 pid); /* one of the traced processes; nothing if it is known */
void alone_start(struct run *r);        /* all engines have attached */
void alone_report(struct run *r);       /* processes that ran before they had theirs */
/* mono_ns: when. Nothing if the parent is not traced. */
void alone_forked(struct run *r, u32 parent, u32 pid, u64 mono_ns);
/* A process has mapped code of a file. */
void alone_mapped(struct run *r, const struct map_event *e);

/* ---- processes.c */
void processes_open(struct run *r); /* begins to watch the processes of -p */
/* Readable when the i-th has ended; -1: polled instead. */
int processes_fd(const struct run *r, u32 i);
void processes_look(struct run *r);       /* ends the run when all have ended */
bool processes_live(const struct run *r); /* one has not ended at the last look */
/* fd is readable: one of them may have ended. */
void processes_event(struct run *r, int fd);
void processes_release(struct run *r);

/* ---- names.c */
void names_init(struct run *r);
/* Before events come: what their formats name is looked up. */
void names_prepare_events(const struct names *names);
void names_release(struct naming *n);
void names_report(struct run *r); /* what could not be named, and why */

/* ---- usermaps.c: mappings of processes, read before they end */
void usermaps_start(struct run *r);
void usermaps_turn(struct run *r); /* does a part of the pending work; cheap if there is none */
/* Nothing is attached any more: gives each stack one key in maps. */
void usermaps_settle(struct run *r);
/* When a change of mappings was read last (CLOCK_MONOTONIC). */
u64 usermaps_changed(const struct usermaps *m);
/* Frames of a stack that is unwound afterwards, by the id of its struct unwind_raw, and its
 * time. */
u32 usermaps_raw_stack(struct run *r, u64 id, u32 limit, u64 *ips, u64 *time);
/* unwind_fn of engine/engine.h, for the struct run, at the time of the event: mappings that the
 * engine reports later are not there yet. */
u32 usermaps_unwind(void *run, const struct unwind_raw *raw, u64 *ips, u32 max);
/* How long at most before the next turn, of at most so many. */
int usermaps_wait_ms(const struct usermaps *m, int most);
/* Readable when usermaps_turn() is urgent; -1: the mappings that changed, and hits that wait for
 * them. */
int usermaps_fd(const struct run *r);
int usermaps_hits_fd(const struct usermaps *m);
/* usermaps_fd() was readable. On a busy machine processes that nobody asks for change hundreds of
 * times a second: usermaps_fd() does not matter again before the other function has said so,
 * once. */
void usermaps_told(struct usermaps *m);
bool usermaps_listens_again(struct usermaps *m);
void usermaps_note_gone(
	struct usermaps *m);         /* a process had ended before its symbols were asked for */
void usermaps_report(struct run *r); /* that such processes could not be followed, and why */
void usermaps_release(struct naming *n);
struct usyms *run_usyms(struct run *r);

/* ---- records.c */
void actor_init(struct run *r);
/* Acts on all waiting records; returns how many there were. */
u32 records_drain(struct run *r);
/* Acts on the records of the backlog. */
void records_release(struct run *r);
/* The command of system() has printed something or ended; then the records that waited follow. */
void records_command(struct run *r);
void records_command_wait(struct run *r); /* until no command runs */
void losses_report(struct run *r);
/* The program has more counters than the n of before. */
void losses_more(struct run *r, u32 n);
/* Does not report the losses so far: a benchmark causes them on purpose. */
void losses_forget(struct run *r);
void maps_print(struct run *r);
/* The largest first, and of each map that many at most; 0: all. */
void maps_print_top(struct run *r, u32 top);
/* Empties the maps that aggregate. */
void maps_restart(struct run *r);

/* ---- speculate.c */
/* Keeps a record for later; false when too much waits already. */
bool speculation_keep(struct speculations *all, u32 number, const void *record, u32 len);
/* Removes and returns all records of a number; the caller releases the buffer: u32 len, u32 0,
 * bytes, padded to 8. */
struct buf speculation_take(struct speculations *all, u32 number);
void speculations_release(struct speculations *all);

/* ---- screen.c: nothing happens unless request.redraw.interval_ns is set */
void screen_start(struct run *r);
void screen_tick(struct run *r);                    /* draws when it is time */
int screen_wait_ms(const struct screen *s, int ms); /* at most ms */
void screen_resized(struct run *r);
void screen_end(struct run *r); /* restores the terminal */

/* ---- selftest.c: the test: and bench: probes of --test and --bench */
int selftest_run(struct run *r, struct err *err);

/* ---- follow.c */
/* Fills the set with the processes that exist. */
int follow_start(struct run *r, struct err *err);
/* Finds what is there of the traced processes for follow.list, which is in the arena of r->c. */
void follow_list(struct run *r);

/* ---- deferred.c: probes in files that appear during the run */
void deferred_start(struct run *r);
int deferred_fd(
	const struct deferred_state *d); /* readable when deferred_poll() has something to do; -1 */
void deferred_poll(struct run *r);
void deferred_end(struct run *r); /* no opener is held from here on */

/* ---- attach.c */
/* The kernel refused what another attempt does without: nothing is reported, the run restarts. */
bool is_tried_again(const struct run_again *again);
int load_all(struct run *r, struct err *err);
/* internal: sonde's own clauses, else the script's. */
int attach_all(struct run *r, bool internal, struct err *err);

/* ---- iter.c */
bool iter_is_wanted(const struct compiled *c);
/* Runs or pins the iterators of the script; ends the run when there is nothing else in it. */
int iter_run_all(struct run *r, struct err *err);

/* ---- signals.c */
/* From the start of a run: Ctrl-C waits for the loop, which ends in order. */
void signals_hold(struct run *r);
void signals_restore(struct run *r, bool is_over);
bool signals_stop(void);               /* whether a pending one ends the run */
int signals_open(const struct run *r); /* a descriptor that reads them, or -1 */

/* ---- loop.c */
int loop_init(struct run *r, struct err *err);
void loop_run(struct run *r);
void loop_release(struct event_loop *l);

#endif
