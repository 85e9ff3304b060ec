/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract of an engine, which runs programs. The session uses engines only through this. Each
 * engine is a folder of this room and a line in index.h. A run may use several: the session asks
 * each one about each site, and merges their records, maps and losses.
 *
 *	serves(site)? -> open -> create_maps -> load(func) for each -> run(begin)
 *	-> attach(func, sites) -> start -> drain in a loop -> detach_all -> run(end) -> close
 *
 * The comment of an optional operation gives the meaning of NULL. features, serves, open, close,
 * run, drain and the operations on maps and data words are mandatory. self is the result of open().
 */
#ifndef SONDE_ENGINE_H
#define SONDE_ENGINE_H

#include "base/err.h"
#include "trace/map_event.h"
#include "trace/table.h"
#include "type/features.h"
#include "type/fetch.h"
#include "type/program.h"
#include "type/site.h"
#include "type/traced.h"
#include "type/unwind.h"

struct btf;
struct recorded_kernel;
struct trace_event;

/* Stores at most max frames of a user stack, the last of which may be an enum unwind_reason;
 * returns their number. Mappings that the engine reported until now are taken into account. */
typedef u32 (*unwind_fn)(void *ctx, const struct unwind_raw *raw, u64 *ips, u32 max);

struct engine_options {
	u64 ring_size; /* bytes, a power of two; 0: depends on the memory of the machine */
	bool verbose;
	u32 log_size; /* bytes of verifier log to keep on failure */
	/* Returns -E2BIG at once if the program exceeds a verifier's limits: the caller then
	 * compiles it in another form. */
	bool again_if_big;
	const char *license;
	struct btf *btf; /* the session's, borrowed; NULL: opened on first need */
	/* True ends attaching to many sites early; called between sites. NULL: never. */
	bool (*stop)(void);
	bool wait_detach; /* close() returns after everything is detached */
	/* For a recording: at most this long from its beginning; only this range. 0: all of it. */
	u64 duration_ns, from_ns, to_ns;
	const struct traced *traced;
	/* Its existing processes, including the waiting command, parents before children. */
	const u32 *pids;
	u32 n_pids;
	const struct fetch_table *fetches; /* borrowed; functions may be added */
	/* For events that are past when programs run: unwinds their user stacks, from registers and
	 * bytes of the stack; 0 frames: not now. */
	unwind_fn unwind;
	void *unwind_ctx;
};

/* The answer of an engine about a site. */
struct engine_answer {
	u32 price_ns;        /* approximate cost of an event; the cheapest engine is chosen */
	const char *why_not; /* the reason if it does not serve the site */
};
enum { PRICE_LAST_RESORT = 1u << 31 }; /* chosen only if no other engine serves the site */

/* A process "sonde-detach", without terminal and pipes, does slow detaching. */
struct leaving {
	s32 pid;
	u32 n;  /* attachments whose removal takes long enough to be reported; 0: none */
	u64 ms; /* estimate */
};

/* Offsets of kernel members: task_struct.thread_pid, pid.level, pid.numbers, upid.ns; and
 * sizeof(struct upid). */
struct pid_ns_offsets {
	u32 thread_pid, level, numbers, ns, upid_size;
};

struct engine_clock {
	u64 boot_ns;      /* now, by the clock of nsecs */
	s64 boot_to_real; /* boot_ns + boot_to_real is the time of day */
};

struct engine_code { /* an address in a user stack */
	u32 pid;
	u64 address;
	bool is_return;
	s32 depth; /* of the functions that debug information has there, as in names.source; -1: the
		    * symbol */
};

/* How many programs a site takes. */
struct program_room {
	u32 most;  /* are attached by themselves; more are jumped to (session/chain.c) */
	u32 limit; /* 0: no limit at all */
};
enum { PROGRAMS_NO_LIMIT = 1u << 30 };

typedef void (*map_event_fn)(void *ctx, const struct map_event *e);

typedef void (*refused_fn)(void *ctx, const struct site *site, const struct err *err);
/* One function and the sites to attach it to. */
struct attach_request {
	u32 func;
	const struct site *const *sites;
	u32 n;
	refused_fn
		refused; /* called for each refused site, which is skipped; NULL: the first one ends the call */
	void *ctx; /* of refused */
};

/* The record is valid during the call only. Nonzero ends draining: this record is consumed, later
 * ones stay. */
typedef int (*record_fn)(void *ctx, const void *record, u32 len);

/* A ring buffer of one page, used as a signal: fd is readable when it has records. */
struct bell {
	int fd; /* borrowed */
	u64 *consumer;
	const u64 *producer;
};

static inline void bell_silence(const struct bell *b)
{
	__atomic_store_n(b->consumer, __atomic_load_n(b->producer, __ATOMIC_ACQUIRE),
			 __ATOMIC_SEQ_CST);
}

struct engine {
	const char *name, *brief;
	bool by_name_only;   /* used only if requested by name */
	bool has_substitute; /* if requested by name, other engines serve what it does not */
	bool reads_records;  /* sites of sonde.h's tracepoints are SITE_RECORD */
	/* The context of tracepoints and system calls is the perf record of each: there are no raw
	 * ones. */
	bool by_perf_record;
	bool takes_filters; /* it supports site.event.filter */
	bool has_events;    /* sites fire on their own: a run waits for records */
	/* It traces the running kernel, so symbols and ways to attach are those of this machine. */
	bool on_this_kernel;

	/* ---- before a run */
	/* The kernel features that its programs may use. */
	struct features *(*features)(void);
	/* Opens the file of its events, before anything else. 0 or -errno; a second call in the
	 * same run does nothing. NULL: it reads no file. */
	int (*select)(const char *path, struct err *err);
	/* The events of that file. NULL: tracefs has the formats of events. */
	const struct recorded_kernel *(*formats)(void);
	/* The data that its source of events lacks for programs to call the BPF helper; NULL: they
	 * can. memory: to read memory other than the program's own. NULL: the machine has all
	 * data. */
	const char *(*lacks)(u32 helper, bool memory);
	/* For programs whose context is registers: whether events have the memory near the address
	 * in the register at that offset. NULL: none. */
	bool (*has_memory_near)(u32 offset);
	/* Its events are past when programs run: memory that registers point to is fetched with the
	 * event (struct fetch), user stacks are unwound by engine_options.unwind, and it has the
	 * helpers for past events (type/bpf_isa.h). */
	bool has_past;
	const char *source, *source_has; /* for messages about lacks() */
	/* 0, or an error if this process may not use the engine. NULL: every process may. */
	int (*check_rights)(struct err *err);
	/* Whether this process may trace in general: then a refusal is specific. NULL: yes. */
	bool (*has_rights)(void);
	/* Whether this process may trace only some processes, and all events are of those in t and
	 * their descendants. NULL: never. */
	bool (*is_own)(const struct traced *t);
	/* The name of an engine that may serve a script if this process may not use this one. NULL:
	 * none. */
	const char *instead;
	/* True with a price, or false with why_not. */
	bool (*serves)(const struct site *s, struct engine_answer *a);
	/* After compiling: why a function cannot run at the site although serves() returned true,
	 * or NULL. NULL: all can. */
	const char *(*cannot_run)(const struct bpf_func *f, const struct site *s);
	/* The reason why a site will not fire although it is attached, or NULL. NULL: all sites
	 * fire. */
	const char *(*in_vain)(const struct site *s);

	/* For each site: a process whose code this engine, of any run, has changed there, so that a
	 * breakpoint would break it; 0: none. NULL: it changes no code. */
	void (*find_changed)(const struct site *const *sites, u32 n, u32 *pids);

	/* NULL: any number of programs. */
	struct program_room (*room)(const struct site *s);

	/* ---- opening and closing */
	/* NULL with err set on failure. */
	void *(*open)(struct program *prog, const struct engine_options *o, struct err *err);
	/* NULL: open() creates them. */
	int (*create_maps)(void *self, struct err *err);
	/* Functions, and data from data_from on, were added to the program: allocates for both and
	 * stores the new data. -E2BIG: the maps are full. NULL: functions are not added during a
	 * run. */
	int (*extend)(void *self, u32 data_from);
	/* Stores the address of our pid namespace at DATA_PID_NS and its level at DATA_PID_LEVEL.
	 * NULL: pids are the same for all processes. */
	int (*find_pid_namespace)(void *self, const struct pid_ns_offsets *at);
	/* Drops privileges that an attached run does not need, and appends a line for -v to how.
	 * NULL: none are dropped. */
	bool (*drop_rights)(bool kills_child, struct buf *how);
	/* Stops events at once; objects are closed later. NULL: nothing is attached. */
	void (*detach_all)(void *self);
	struct leaving (*close)(void *self);

	/* ---- functions and sites, which may be added during a run */
	/* Loads prog->funcs[func]. first: the first of its sites, or NULL. On failure err->log is
	 * the verifier log (malloc'ed); -E2BIG: the verifier gave up. NULL: nothing needs
	 * loading. */
	int (*load)(void *self, u32 func, const struct site *first, struct err *err);
	/* Loads both functions as one program. at: a site of the entry, with its twin. False: load
	 * each by itself; NULL means the same. */
	bool (*load_session)(void *self, u32 entry, u32 ret, const struct site *at);
	/* After load(): the value of a RELOC_BOUND. */
	u32 (*loop_turns)(const void *self, u32 func, u32 insn);
	/* Instructions that a verifier processed; 0: not known. NULL: there is no verifier. */
	u64 (*followed)(void *self, u32 func);
	/* Returns the number of attached sites, or -errno. NULL: sites never fire. */
	int (*attach)(void *self, const struct attach_request *a, struct err *err);
	/* The command of -c waits in process pid; release() lets it execute its program. Returns
	 * when the program may run because its sites are attached. NULL: attach() attaches them. */
	int (*launch)(void *self, s32 pid, int (*release)(void *ctx, struct err *err), void *ctx,
		      struct err *err);
	/* Called when all sites known at the start are attached. NULL: a site fires as soon as it
	 * is attached. */
	void (*start)(void *self);
	/* For -v: how attachment i was made; NULL after the last. */
	const char *(*how)(const void *self, u32 i);
	/* Runs a SITE_ONCE or SITE_SIGNAL function now; *ret may be NULL. */
	int (*run)(void *self, u32 func, s32 *value, struct err *err);
	/* Runs it `times` times and stores the total time in *ns. */
	int (*time)(void *self, u32 func, u64 times, u64 *ns, s32 *value, struct err *err);
	/* Returns a descriptor; reading it runs a SITE_ITER function over all objects. The caller
	 * closes it. */
	int (*iter_open)(void *self, u32 func, struct err *err);

	/* ---- records */
	/* A descriptor to poll for readability; -1 or NULL: none. */
	int (*event_fd)(const void *self);
	/* The time of the oldest waiting record, by the clock of nsecs; 0: none. NULL: not known;
	 * its records count as older than those of other engines. */
	u64 (*next)(void *self);
	/* Calls f for each waiting record in order; with next(): for records up to `until`. Without
	 * it, later ones may stay. Returns their number. */
	int (*drain)(void *self, u64 until, record_fn f, void *ctx);
	/* Whether the last drain passed on all records, up to `until`, that were there when it
	 * began. NULL: each one does. */
	bool (*has_all)(const void *self);
	/* Copies the stacks of the recorded event whose records are being drained to the event made
	 * from a record. NULL: it has none. */
	void (*recorded_stacks)(void *self, struct trace_event *e);
	/* The next drain should follow immediately. NULL: never. */
	bool (*drained_much)(const void *self);
	/* Fill level of its ring, in 1/256; a forked process may call this, too. NULL: it has no
	 * ring. */
	u32 (*fill)(const void *self);
	/* No more records will come. NULL: never over. */
	bool (*is_over)(const void *self);
	/* Events that the function missed, before any predicate. NULL: none. */
	u64 (*skipped)(void *self, u32 func);
	enum loss_reason misses; /* the reason; 0: LOSS_SKIPPED, or _ANY */
	/* At the end of a run: reports what its source of events lacks, line by line. NULL:
	 * nothing. */
	void (*tell_gaps)(const void *self, void (*tell)(void *ctx, const char *line), void *ctx);

	/* ---- maps: each engine has its own copy of all maps of the program. 0 or -errno. */
	/* Merged across processors. */
	int (*map_read)(void *self, u32 map, struct arena *a, struct table *t);
	int (*map_clear)(void *self, u32 map);
	int (*map_zero)(void *self, u32 map);
	int (*map_set)(void *self, u32 map, const void *key, const void *value);
	int (*map_delete)(void *self, u32 map, const void *key);
	/* As kernel_map_move() of engine/kernel/kernel.h. NULL: keys of stacks never change. */
	int (*map_move)(void *self, u32 map, const void *from, const void *to, bool replace);
	/* The memory of a mapped array other than the data map; NULL: none; so is a NULL
	 * operation. */
	void *(*map_memory)(void *self, u32 map);
	/* The map of role MAP_UNWIND_BELL, by which programs wake sonde; false or NULL: none. */
	bool (*bell)(void *self, struct bell *out);
	/* Copies at most `limit` frames to ips; returns their number. *time: of a user stack, when
	 * it was first hit (CLOCK_MONOTONIC). */
	u32 (*stack)(void *self, const struct stack_value *v, u32 limit, u64 *ips, u64 *time);
	/* Words of the data map: loss counters, and what the session passes to programs. */
	u64 (*data_u64)(void *self, u32 offset);
	void (*set_data_u64)(void *self, u32 offset, u64 value);

	/* ---- the system that its events come from; NULL: this machine, now */
	void (*clock)(void *self, struct engine_clock *now);
	bool (*ksym)(void *self, u64 addr, struct symbol *out);
	/* False with out->module: the file is known, the function is not. */
	bool (*usym)(void *self, const struct engine_code *at, struct symbol *out);
	/* Reports mappings of processes from now on. prompt: maps_fd() is readable after each
	 * event, not only after many. 0 or -errno. */
	int (*maps_open)(void *self, bool prompt);
	int (*maps_fd)(const void *self);
	/* Calls f for each new event, in order. Costs one load per processor if there is none. */
	void (*maps_read)(void *self, map_event_fn f, void *ctx);
};

/* NULL-terminated. The features of the first one resolve probes. */
extern const struct engine *const engines[];
/* Those that --engine=NAME accepts. */
extern const struct engine *const named_engines[];
/* NULL: no engine has this name. */
const struct engine *engine_find(const char *name);

/* ---- questions about this machine, independent of the engine */
/* The features of the running kernel: probed on demand and cached until reboot in a private file
 * below /run. */
struct features *kernel_features(void);
/* Size in bytes of a ring for many events, and of a ring of `pages` pages: a power of two, at most
 * 2 GB. */
u64 kernel_ring_size(void);
u64 kernel_ring_pages(u64 pages);
/* The reason for EPERM of fanotify_init(2). */
const char *why_no_fanotify(void);

#endif
