/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel engine: loads a program, attaches sites, drains rings, reads maps. It owns all
 * kernel objects in one list, released newest first. Nothing is pinned: everything vanishes
 * with the process.
 *
 *	kernel_open -> kernel_create_maps -> kernel_load(func) for each -> kernel_attach(site, func)
 *	-> kernel_drain in a loop -> kernel_detach_all -> kernel_close
 */
#ifndef SONDE_ENGINE_KERNEL_H
#define SONDE_ENGINE_KERNEL_H

#include "engine/machine.h"

struct kernel;

/* Whether this process may load tracing programs and open counters of all processes; if not,
 * err->help names what is missing. Lockdown: "none", "integrity", "confidentiality", or "" if
 * unknown. */
bool kernel_may_load(struct err *err);
bool kernel_may_count(struct err *err);
/*
 * Drops, for this thread and its descendants, the capabilities that a run no longer needs once it
 * is attached, and the means to regain them (no_new_privs, SECBIT_NOROOT). It keeps those for
 * reading files and mappings of traced processes, for BPF maps and programs and, with kills_child,
 * for killing a child of another user. false: nothing to drop, or the system refuses. Appends a
 * line for -v to how.
 */
bool rights_drop(bool kills_child, struct buf *how);
const char *kernel_lockdown(void);
/* Fails if this process lacks a capability that every program in the kernel needs. */
int kernel_check_rights(struct err *err);
/* Whether this process may load programs and open perf events: then a refusal is specific. */
bool kernel_has_rights(void);
/* Whether the kernel's switch for kprobes affects such a site; the message if it is off, or
 * NULL. */
bool kernel_may_disarm(const struct site *s);
const char *kernel_disarmed(void);
/* Forgets the cache (sonde info --refresh). */
void kernel_features_refresh(struct features *f);
/* Writes what was learned to the cache; also done by kernel_close() and at exit. */
void kernel_features_save(struct features *f);

struct kernel *kernel_open(struct program *prog, const struct engine_options *o);
/* Detaches, closes, frees; a separate process detaches slow objects: see release.c. */
struct leaving kernel_close(struct kernel *k);

int kernel_create_maps(struct kernel *k, struct err *err);
/* Functions, and data from data_from on, were added to the program: allocates for both and stores
 * the new data. -E2BIG: the maps are full. */
int kernel_extend(struct kernel *k, u32 data_from);
/* first: of the sites that the function will be attached to; it decides how the function is loaded.
 * Called before kernel_load(). */
void kernel_plan(struct kernel *k, u32 func, const struct site *first);
/* Loads prog->funcs[func]. On refusal err->log holds the verifier's log (malloc'ed). */
int kernel_load(struct kernel *k, u32 func, struct err *err);
/*
 * Both functions as one program, for a session of the kernel; at: one of the entry's sites, with
 * its twin. False: load each separately. kernel_attach_many() of the entry, whose sites have twins,
 * then attaches both.
 */
bool kernel_load_session(struct kernel *k, u32 entry, u32 ret, const struct site *at);
u64 kernel_followed(struct kernel *k,
		    u32 func); /* instructions that the verifier processed; 0: not known (5.16) */
u32 kernel_loop_turns(const struct kernel *k, u32 func,
		      u32 insn); /* once loaded: what a RELOC_BOUND became */
int kernel_attach(struct kernel *k, u32 func, const struct site *site, struct err *err);
/*
 * Attaches one function to many sites in as few calls as the kernel allows (one uprobe or
 * kprobe multi link for each run of sites of the same file, direction and process: keep them
 * together). Returns how many were attached or -errno. Attach cookies hold site->index.
 */
int kernel_attach_many(struct kernel *k, const struct attach_request *a, struct err *err);
/* A descriptor whose reading runs an attached SITE_ITER function over all its objects; the caller
 * closes it. */
int kernel_iter_open(struct kernel *k, u32 func, struct err *err);
/* Runs a SITE_ONCE/SITE_SIGNAL program now. Its return value goes to *ret (may be NULL). */
int kernel_run(struct kernel *k, u32 func, s32 *value, struct err *err);
/* Runs one n times, after one untimed run; *ns: total time of the n runs. */
int kernel_time(struct kernel *k, u32 func, u64 times, u64 *ns, s32 *value, struct err *err);
/* Stores the address of our own pid namespace at DATA_PID_NS, its level at DATA_PID_LEVEL. 0, or -1
 * with errno. */
int kernel_find_pid_namespace(struct kernel *k, const struct pid_ns_offsets *at);
/* Stops events at once (the programs no longer run when it returns), objects are closed later. */
void kernel_detach_all(struct kernel *k);
/* For -v: how a site was attached ("raw tracepoint sys_enter, one program for 352
 * calls"). */
const char *kernel_how(const struct kernel *k, u32 attachment);
u32 kernel_n_attached(const struct kernel *k);

/* ---- events */
/* A descriptor to poll for readability. */
int kernel_event_fd(const struct kernel *k);
/* Calls f for each waiting record, merged by ring, in place; returns how many. */
int kernel_drain(struct kernel *k, record_fn f, void *ctx);
/* Whether the last drain took more than a quarter of the ring: the next one should follow at
 * once. */
bool kernel_drained_much(const struct kernel *k);
/* Whether it took all records that were there when it began. */
bool kernel_drained_all(const struct kernel *k);
u32 kernel_fill(const struct kernel *k); /* fill level of the ring, in 1/256 */

/* ---- maps */
/* Reads and merges a script map into t (rows allocated in a). 0 or -errno. */
int kernel_map_read(struct kernel *k, u32 map, struct arena *a, struct table *t);
int kernel_map_clear(struct kernel *k, u32 map);
int kernel_map_zero(struct kernel *k, u32 map);
/*
 * Merges the value of a key with that of another and removes the first, for maps keyed by user
 * stacks (move.c). replace: a value that cannot be summed becomes that of the first. Returns 1 if
 * the second was absent, else 0. -EOPNOTSUPP: the key stays; -ENOENT: no such key; -ENOSPC: no
 * space for the second.
 */
int kernel_map_move(struct kernel *k, u32 map, const void *from, const void *to, bool replace);
int kernel_map_delete(struct kernel *k, u32 map, const void *key); /* 0 or -errno */
/* Frames of a stack from the stacks map; returns their number. *time as in engine/engine.h. */
u32 kernel_stack(struct kernel *k, const struct stack_value *v, u32 limit, u64 *ips, u64 *time);
/* A mapped array, mapped here until the end of the process; NULL: refused. */
void *kernel_map_memory(struct kernel *k, u32 map);
/* Adds a key to a MAP_SET (--follow's pids); value NULL: zeros. 0 or -errno. */
int kernel_set_add(struct kernel *k, u32 map, const void *key, const void *value);
/* The data map's bytes, mapped (or read): loss counters and keyless maps. */
u64 kernel_data_u64(struct kernel *k, u32 offset);
void kernel_set_data_u64(struct kernel *k, u32 offset, u64 value);
/* Events that a program missed, before any predicate, because it was already running on their
 * processor (recursion_misses): recursively or, where tracepoints may be preempted (7.x), for
 * another task. */
u64 kernel_recursion_misses(struct kernel *k, u32 func);

#endif
