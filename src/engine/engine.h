/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An engine: where a program runs. session knows engines by this contract alone; each is a folder of this room and a
 * line in index.c. A run may use several: each is asked about each site, and session merges what they give back.
 *
 *	serves(site)? -> open -> create_maps -> load(func) for each -> run(begin) -> attach(func, sites) -> start
 *	-> drain in a loop -> detach_all -> run(end) -> close
 *
 * An operation that may be NULL says what that means; features, serves, open, close, run, drain and those on maps and words
 * are always there. self is what open() gave.
 */
#ifndef SONDE_ENGINE_H
#define SONDE_ENGINE_H

#include "base/err.h"
#include "trace/table.h"
#include "type/features.h"
#include "type/program.h"
#include "type/site.h"

struct btf;

struct engine_options {
	s32 pid;       /* -p or -1 */
	u64 ring_size; /* bytes, power of two; 0: by memory */
	bool verbose;
	u32 log_size;      /* verifier log bytes on failure */
	bool again_if_big; /* what verifiers do not follow to its end is -E2BIG at once, for it is compiled in another way then */
	const char *license;
	struct btf *btf; /* the session's, borrowed; NULL: opened on first need */
	bool (*stop)(
		void); /* true: attaching to many sites one by one ends early; NULL: it does not */
	bool wait_detach; /* close() returns when everything has been detached */
};

/* What an engine says about a site. */
struct engine_answer {
	u32 price_ns;        /* of an event, roughly: engines are compared by it */
	const char *why_not; /* when it does not serve the site */
};
enum { PRICE_LAST_RESORT = 1u << 31 }; /* whoever else serves the site is better */

/* What is slow to detach is held for its time by a process "sonde-detach" without terminal or pipes. */
struct leaving {
	s32 pid;
	u32 n;  /* attachments that take long enough to be told; 0: none */
	u64 ms; /* about so long */
};

/* Offsets of members of the kernel's: task_struct.thread_pid, pid.level, pid.numbers, upid.ns, and sizeof(struct upid). */
struct pid_ns_place {
	u32 thread_pid, level, numbers, ns, upid_size;
};

struct engine_clock {
	u64 boot_ns;      /* now, by the clock of nsecs */
	s64 boot_to_real; /* added to it: the time of day */
};

/* What processes map, for the symbols of those that end before anybody asks. */
struct map_event {
	enum { PROC_MAPPED, PROC_EXEC, PROC_FORK } kind;
	u32 pid, parent; /* parent: of PROC_FORK */
	u64 time;
	/* PROC_MAPPED: code, as struct mapping in sym/procmaps.h */
	u64 start, end, offset, inode;
	u32 dev_major, dev_minor;
	const char *path; /* valid during the call */
};
typedef void (*map_event_fn)(void *ctx, const struct map_event *e);

typedef void (*refused_fn)(void *ctx, const struct site *site, const struct err *err);
/* The record is valid during the call only. Non-zero ends draining: that record is consumed, those after it stay. */
typedef int (*record_fn)(void *ctx, const void *record, u32 len);

struct engine {
	const char *name, *brief;
	bool by_name_only; /* used when it is asked for by name, never chosen */
	bool has_events;   /* sites fire by themselves: a run waits for records */
	bool on_this_kernel; /* what it sees of a kernel is the one that runs here: symbols, ways to attach */

	/* ---- before a run */
	struct features *(*features)(void); /* what its programs may use */
	/* 0, or why this process may not use it. NULL: whoever */
	int (*check_rights)(struct err *err);
	/* Whether this process may do here what engines like this do: then a refusal is a rule for one thing. NULL: yes */
	bool (*has_rights)(void);
	/* Yes, at a price; or no, with why_not set. */
	bool (*serves)(const struct site *s, struct engine_answer *a);
	/* Why a site that is attached will not fire all the same, or NULL. NULL: it will. */
	const char *(*in_vain)(const struct site *s);

	/* ---- opening and closing; NULL with err: it cannot be */
	void *(*open)(struct program *prog, const struct engine_options *o, struct err *err);
	int (*create_maps)(void *self, struct err *err); /* NULL: open() did */
	/* The program has more functions than before, and its data are longer than data_from: room for them, and their
	 * first bytes. -E2BIG: the maps have none. NULL: functions do not come later. */
	int (*extend)(void *self, u32 data_from);
	/* Has the address of our own pid namespace put into DATA_PID_NS, its level into DATA_PID_LEVEL. NULL: pids are the same
	 * for all. */
	int (*find_pid_namespace)(void *self, const struct pid_ns_place *at);
	/* Gives up what an attached run no longer needs, appends a line for -v to how. NULL: nothing. */
	bool (*drop_rights)(bool kills_child, struct buf *how);
	void (*detach_all)(
		void *self); /* events stop at once, objects are closed later; NULL: nothing is attached */
	struct leaving (*close)(void *self);

	/* ---- functions and sites, which may come while it runs */
	/* Loads prog->funcs[func]; first: the first of the sites that it will be attached to, or NULL. On refusal err->log
	 * holds the log (malloc'ed), -E2BIG: it is too long to be followed. NULL: nothing need be loaded. */
	int (*load)(void *self, u32 func, const struct site *first, struct err *err);
	/* Both functions as one program; at: one of the entry's sites, with its twin. False: each by itself. NULL: likewise. */
	bool (*load_session)(void *self, u32 entry, u32 ret, const struct site *at);
	u32 (*loop_turns)(const void *self, u32 func,
			  u32 insn); /* once loaded: what a RELOC_BOUND became */
	/* How many instructions of it a verifier has processed; 0: that is not known. NULL: there is no verifier. */
	u64 (*followed)(void *self, u32 func);
	/* Attaches one function to many sites. Those that are refused are handed to `refused` and skipped; NULL: the first
	 * refusal ends it. How many, or -errno. NULL: sites never fire. */
	int (*attach)(void *self, u32 func, const struct site *const *sites, u32 n,
		      refused_fn refused, void *ctx, struct err *err);
	/* All sites of the beginning are attached. NULL: their events come from the moment at which each is attached. */
	void (*start)(void *self);
	const char *(*how)(const void *self,
			   u32 i); /* for -v: how the i-th was attached; NULL behind the last */
	/* Runs a SITE_ONCE or SITE_SIGNAL function now; *ret may be NULL. time(): once, and so many times for *ns. */
	int (*run)(void *self, u32 func, s32 *ret, struct err *err);
	int (*time)(void *self, u32 func, u64 times, u64 *ns, s32 *ret, struct err *err);
	/* A descriptor whose reading runs a SITE_ITER function over all objects; the caller closes it. */
	int (*iter_open)(void *self, u32 func, struct err *err);

	/* ---- records */
	int (*event_fd)(const void *self); /* to poll for readability; -1 or NULL: none */
	/* When the oldest record that waits was made, by the clock of nsecs; 0: none waits. NULL: it does not know, and
	 * its records count as older than those of others that wait. */
	u64 (*next)(void *self);
	/* Calls f for each waiting record, in their order; with next(): for those up to `until`. How many. */
	int (*drain)(void *self, u64 until, record_fn f, void *ctx);
	bool (*drained_much)(const void *self); /* the next drain should follow at once; NULL: no */
	bool (*is_over)(const void *self);      /* nothing comes any more; NULL: something may */
	/* Events that the function did not see, before any predicate. NULL: there are none. */
	u64 (*skipped)(void *self, u32 func);

	/* ---- maps: each engine has its own of all of the program's */
	int (*map_read)(void *self, u32 map, struct arena *a,
			struct table *t); /* merged across processors; 0 or -errno */
	int (*map_clear)(void *self, u32 map);
	int (*map_zero)(void *self, u32 map);
	int (*map_set)(void *self, u32 map, const void *key, const void *value);
	int (*map_delete)(void *self, u32 map, const void *key);
	u32 (*stack)(void *self, const struct stack_value *v, u32 limit,
		     u64 *ips); /* how many frames */
	u64 (*data_u64)(
		void *self,
		u32 offset); /* words of the data map: loss counters, what session tells programs */
	void (*set_data_u64)(void *self, u32 offset, u64 value);

	/* ---- the world that its events come from; NULL: this machine, now */
	void (*clock)(void *self, struct engine_clock *now);
	bool (*ksym)(void *self, u64 addr, struct symbol *out);
	/* What processes map from now on; prompt: readable at each event, not only when much waits. 0 or -errno. */
	int (*maps_open)(void *self, bool prompt);
	int (*maps_fd)(const void *self);
	/* Calls f for what came since the last time, in order. Costs a load for each processor when nothing came. */
	void (*maps_read)(void *self, map_event_fn f, void *ctx);
};

extern const struct engine
	*const engines[]; /* NULL-terminated; the first is the one whose features resolve probes */
const struct engine *engine_find(const char *name); /* or NULL */

/* ---- questions about this machine, whichever engine runs */
/* The features of the running kernel: lazily probed, cached per boot in a private file under /run. */
struct features *kernel_features(void);
/* Bytes of a ring for a flood of events; of a ring of so many pages: a power of two, 2 GB at most. */
u64 kernel_ring_size(void);
u64 kernel_ring_pages(u64 pages);
const char *why_no_fanotify(void); /* when it is EPERM */

#endif
