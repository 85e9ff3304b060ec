/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the process engine share. */
#ifndef SONDE_ENGINE_PROCESS_INTERNAL_H
#define SONDE_ENGINE_PROCESS_INTERNAL_H

#include "base/err.h"
#include "engine/in_vm.h"
#define SONDE_LAYOUT
#include "sonde/sonde.h"

/* ---- patch.c: enables and disables tracepoints. All threads of the process are stopped meanwhile.
 * Both return 0 or -errno, and have changed nothing or all. */
struct tracepoint {
	u64 nop5, cold_path, module; /* addresses in the process */
	bool is_enabled;
};
int patch_enable(u32 pid, struct tracepoint *v, u32 n, u32 n_rings, u32 ring_size, struct err *err);
/* A process that is gone is no error. */
int patch_disable(u32 pid, struct tracepoint *v, u32 n, struct err *err);

/* ---- watcher.c: a process that disables tracepoints when this one is gone. Returns its id, or -errno. */
int watcher_start(u32 pid, struct tracepoint *v, u32 n, struct err *err);
/* Ends it; *watcher becomes 0. */
void watcher_stop(s32 *watcher);

/* ---- rings.c: the records of one process, in the order of their times. */
struct rings;
struct rings *rings_new(u32 pid);
/* Of memory that rings lie in already, which the caller frees after it. */
struct rings *rings_over(void *at, u32 n_rings, u32 ring_size);
void rings_free(struct rings *r);
/* Reads the rings of the struct sonde_module at that address, too, from what is written next. */
void rings_add(struct rings *r, u64 module);
/* Maps rings that the process has made since. */
void rings_look(struct rings *r);
/* A copy of the oldest record, or NULL; valid until the next call. cpu may be NULL. */
const struct sonde_record *rings_next(struct rings *r, u32 *cpu);
/* Records that found no room, and memory that is not as it should be. */
u64 rings_lost(const struct rings *r);

/* The context of a program: words of strings are addresses in text. */
struct record_context {
	struct sonde_record r;
	char text[SONDE_TEXT_MAX + 16]; /* each with its NUL */
};
/* strings: bit i: argument i is one. A word that is none of this record becomes 0. */
void record_context(struct record_context *c, const struct sonde_record *r, u64 strings);

/* ---- tsc.c: time stamp counter to nanoseconds of the boot clock. */
struct tsc {
	u64 tick, ns;     /* at the first look */
	u64 tick_2, ns_2; /* at the last */
};
/* Whether the counter runs at one rate on all processors. */
bool tsc_is_usable(void);
void tsc_look(struct tsc *t);
u64 tsc_to_ns(const struct tsc *t, u64 tick);

#endif
