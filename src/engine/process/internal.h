/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the process engine. */
#ifndef SONDE_ENGINE_PROCESS_INTERNAL_H
#define SONDE_ENGINE_PROCESS_INTERNAL_H

#include "base/err.h"
#include "base/hash.h"
#include "engine/in_vm.h"
#define SONDE_LAYOUT
#include "sonde/sonde.h"

/* ---- memory.c: memory of the process; false: not everything was read or written. */
bool process_read(u32 pid, u64 address, void *to, size_t size);
bool process_write(u32 pid, u64 address, const void *from, size_t size);

/* ---- survivor.c: runs f to its end even if this process is killed, and returns its result; -EINTR
 * if the survivor was killed. */
int survivor_run(int (*f)(void *ctx), void *ctx);

/* ---- patch.c: inserts and removes jumps in the code of the process, with all threads stopped.
 * Both return 0 or -errno; the first one is all or nothing. */
struct patch {
	u64 at, to; /* in the process: address of five bytes, and the target of their jump */
	u64 before; /* the target of an existing jump; 0: none */
	u8 was[5];
	u8 displaced; /* as in struct area_patch */
	bool is_enabled;
	bool is_new;   /* the jump that was put in or taken out last was none of a killed run */
	u64 semaphore; /* which counts tracers of the tracepoint, two bytes; 0: none */
	u64 module;    /* of a tracepoint: the address of its struct sonde_module; else 0 */
	/* Instructions other than the first that the jump overwrites: offsets from `at`, and of
	 * their copies from `to`. */
	u8 n_inner, inner[4];
	u32 copy[4];
};

/* ---- points.c: rings that the tracepoints of a program or library write. The process would map
 * them at its first record, but a seccomp filter may forbid that, and only root may map another
 * process's memfd. */
struct point_rings {
	u64 module;             /* address of its struct sonde_module */
	u32 n_rings, ring_size; /* in: requested; out: existing */
	int fd;                 /* of their memory, to be closed; -1: not mapped */
};
struct stopped;
/* Called while all threads are stopped. 0 or -errno. */
int points_map(struct point_rings *v, u32 n, const struct stopped *s, struct err *err);

struct procmaps;
/* The address at which the process maps an offset of a file; 0: none. */
u64 find_mapped(const struct procmaps *maps, const char *path, u64 offset);
struct area;
/* Patches in a process, and what they need. */
struct patched {
	u32 pid;
	struct patch *v;
	u32 n;
	const struct area *areas; /* unmapped when no thread executes in them */
	u32 n_areas;
	/* of functions: offset of the thread ID from the thread pointer; -1: unknown */
	s32 tid_offset;
	struct point_rings *points; /* to be mapped by patch_enable() */
	u32 n_points;
	u64 stood_ns; /* how long threads were stopped */
};
/* Fills in points, an array of n, for the patches' modules whose rings are not in `have`. */
struct rings;
void points_list(struct patched *p, const struct rings *have, u32 n_rings, u32 ring_size);
/* Moves them to `to` unless ret, which it returns, is an error; closes their descriptors. */
int points_add(const struct patched *p, struct rings *to, int ret, struct err *err);
int patch_enable(struct patched *p, struct err *err);
/* Whether a process has this jump. */
bool patch_is_in(u32 pid, const struct patch *p);
/*
 * Tries for `ms` milliseconds (LEAVE_MS if somebody waits). PATCH_LEFT: the jumps are out, but
 * areas are mapped, because a thread was in one or could not be stopped. It is not an error if the
 * process has ended.
 */
enum { PATCH_LEFT = 1, LEAVE_MS = 1000 };
int patch_disable(struct patched *p, u32 ms, struct err *err);

/* ---- changed.c: struct engine, find_changed */
void find_changed(const struct site *const *sites, u32 n, u32 *pids);

/* ---- watcher.c: a process that removes the jumps after this one has ended. Returns its id, or
 * -errno. */
int watcher_start(const struct patched *p, struct err *err);
/* Ends it; *watcher becomes 0. */
void watcher_stop(s32 *watcher);

/* ---- reads.c: members of contexts that programs read. */
/* Registers of struct pt_regs that some function may read, numbered as in instructions. */
u32 reads_registers(const struct program *prog);
/* What a function needs but the record of a function's entry lacks, or NULL. */
const char *reads_why_not(const struct bpf_func *f);
/* The same if it does not run in the process: what it may read there only at the event. */
const char *reads_why_not_recorded(const struct bpf_func *f);

/* ---- functions.c: entries and returns of functions get stubs (stub.h), in areas of the process
 * (area.h). */
struct functions;
struct compiled;
/* regs: registers that records have, as in struct recorder. compiled: programs that may run in the
 * process (compiled.h), borrowed; NULL: none. */
struct functions *functions_new(u32 pid, u32 regs, u32 n_rings, u32 ring_size,
				struct compiled *compiled, bool in_children);
void functions_free(struct functions *f);
/* Whether a function of the program runs in the process, at entries of functions or at the
 * tracepoint `point`; else records are written. */
bool functions_compile(struct functions *f, u32 func, const struct site *point);
/* Finds the thread-local data of the process; must be called before the functions below. 0 or
 * -errno. */
int functions_look(struct functions *f, struct err *err);
u32 functions_n_rings(const struct functions *f);
/* Whether the process is in another pid namespace: ids in records are those of tids.c. */
bool functions_is_elsewhere(const struct functions *f);
/* Why the site can neither run a function of the program in the process nor write records for it;
 * NULL: it can. */
const char *functions_refuse(const struct functions *f, const struct site *s, u32 func,
			     bool is_compiled);
/* The reason of the last refusal. */
const char *functions_why_not(const struct functions *f);
/* A function of the program, and the index of its site. */
struct handler {
	u32 func;
	u64 cookie;
	bool is_compiled; /* it runs in the process */
};
enum { CODE_MAX = 32 }; /* bytes of code that jumps and their copies may need */
/* One position: `at` is an address of the process. */
struct entry {
	u64 at;
	u32 index;                /* for the caller's use */
	const struct site *point; /* a tracepoint, whose nop5 is at `at`; NULL: an entry or exit */
	const char *path;         /* of an entry or exit: the file that has its code at `offset` */
	u64 offset;
	u8 code[CODE_MAX];       /* set by codes_read() */
	bool is_exit;            /* the function's return is `back` bytes after `at` */
	u8 back, go_check;       /* struct site */
	u64 cold_path, module;   /* of the tracepoint: writes its record; struct sonde_module */
	u64 semaphore;           /* of the tracepoint, or 0 */
	const struct patch *old; /* the existing patch, or NULL */
	const struct handler *handlers; /* that run there, in this order */
	u32 n_handlers;
	const char *why_not; /* set if it cannot be patched, else `patch` is */
	struct patch patch;
};
/* codes.c: sets `code`, or why_not if the process has other instructions there than its file; waits
 * a little for breakpoints of tracers that have just ended. */
void codes_read(u32 pid, struct entry *v, u32 n);
/* Makes stubs for the entries. 0, or -errno if none can be made. */
int functions_prepare(struct functions *f, struct entry *v, u32 n, struct err *err);
/* The areas so far, and struct patched's tid_offset. */
const struct area *functions_areas(const struct functions *f, u32 *n, s32 *tid_offset);
/* The rings, once there are some, mapped here: the caller unmaps them. NULL: refused. */
void *functions_map_rings(const struct functions *f, struct err *err);
enum { PT_REGS_WORDS = 21 };
/* Stores the registers of a record in struct pt_regs; the probed instruction is `back` bytes after
 * its site. */
void functions_registers(const struct functions *f, const struct sonde_record *r, u64 site, u8 back,
			 u64 regs[PT_REGS_WORDS]);
/* Splits a record's word into the site and, if it has one, the processor. */
u64 functions_split_site(const struct functions *f, u64 site, u32 *cpu);

/* ---- tids.c: ids and names of threads. */
struct tids {
	struct arena *arena;
	u32 pid;
	char comm[16];            /* of the process */
	struct hash known, names; /* by the thread's own id, by ours */
};
void tids_init(struct tids *t, struct arena *a, u32 pid);
/* Adds the existing threads. */
void tids_look(struct tids *t);
/* Our ID of the thread with ID `inner` in its namespace; 0: it ended before. */
u32 tids_ours(struct tids *t, u32 inner);
/* The name at the first call; if the thread has ended by then, that of the process. 16 bytes. */
const char *tids_comm(struct tids *t, u32 tid);
void tids_release(struct tids *t);

/* ---- launch.c: the command of -c, held before the first instruction of its program. */
struct launched {
	u32 pid; /* 0: there is none */
	u64 entry;
	u8 was[2];
};
/* release(): lets it execute the program. 0 or -errno. */
int launch(struct launched *l, s32 pid, int (*release)(void *ctx, struct err *err), void *ctx,
	   struct err *err);
/* Lets it run. */
void launch_go(const struct launched *l);

/* ---- rings.c: the records of one process, in time order. */
struct rings;
struct rings *rings_new(u32 pid);
/* Of memory with existing rings, which the caller frees later. */
struct rings *rings_over(void *at, u32 n_rings, u32 ring_size);
void rings_free(struct rings *r);
/* Of memory that was mapped for it, which it unmaps. */
void rings_add_mapped(struct rings *r, void *at, u32 n_rings, u32 ring_size);
/* Whether rings of this module's tracepoints were added. */
bool rings_have(const struct rings *r, u64 module);
/* 0 or -errno. */
int rings_add_points(struct rings *r, const struct point_rings *of, struct err *err);
/* Reads counters of the process that are outside of rings. */
void rings_look(struct rings *r);
/* A copy of the oldest record, or NULL: none is as old as `until`, by the time stamp counter. Valid
 * until the next call. cpu may be NULL. */
const struct sonde_record *rings_next(struct rings *r, u64 until, u32 *cpu);
/* The payload that a program in the process sent in that record, or NULL. */
const void *rings_sent(const struct sonde_record *r, u32 *len);
/* Records lost because a ring was full, and damaged ones. */
u64 rings_lost(const struct rings *r);

/* The context of a program: words of strings are addresses in text. */
struct record_context {
	struct sonde_record r;
	char text[SONDE_TEXT_MAX + 16]; /* each with its NUL */
};
/* strings: bit i: argument i is one. An offset outside the record becomes 0. */
void record_context(struct record_context *c, const struct sonde_record *r, u64 strings);

/* ---- tsc.c: time stamp counter to nanoseconds of the boot clock. */
struct tsc {
	u64 tick, ns;     /* at the first reading */
	u64 tick_2, ns_2; /* at the last one */
};
/* Whether the counter runs at one rate on all processors. */
bool tsc_is_usable(void);
void tsc_look(struct tsc *t);
u64 tsc_to_ns(const struct tsc *t, u64 tick);
u64 tsc_from_ns(const struct tsc *t, u64 ns);

#endif
