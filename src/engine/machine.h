/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this machine has, what this process may do there, and perf events: shared by engine/kernel
 * and other engines of the running kernel.
 */
#ifndef SONDE_ENGINE_MACHINE_H
#define SONDE_ENGINE_MACHINE_H

#include <linux/perf_event.h>
#include "engine/engine.h"

/* cpus.c */
u32 cpus_possible(void);            /* copies in a per-CPU map */
u32 cpus_online(u32 *cpu, u32 max); /* their numbers; returns how many there are */
/* A small number in a file of sysfs; -1 with errno. */
s64 file_number(const char *path);

/* permission.c */
/* Lifts the limit of locked memory, once; before the first map or program, feature probes
 * included. */
bool raise_memlock(void);
/* 0, or the errno with which the kernel refuses an empty tracing program, or a counter of all
 * processes. */
int bpf_right(void);
int perf_right(void);
/* 0, or the errno with which it refuses a counter of this process in user space. */
int perf_own_right(void);
/* kernel.perf_event_paranoid; -1 also if unknown. */
s64 perf_paranoid(void);
/* The lockdown state in securityfs; "": not mounted. */
const char *lockdown_file(void);
/* capabilities.c; numbers of capabilities(7) */
u64 effective_capabilities(void);
bool has_capability(u32 number);
/* rights.c */
/* The reason and the remedy: the help of an error about rights. */
void help_rights(struct err *err, bool perf);
/* The same of an error about perf events alone: what the kernel permits instead, and which setting
 * or capability permits more. */
void help_perf(struct err *err);
/* perf_event_open(2), with PERF_FLAG_FD_CLOEXEC. */
int perf_event_open(struct perf_event_attr *attr, s32 pid, s32 cpu, int group, unsigned long flags);

/* perf_attr.c: type, config and period of an empty one. */
void perf_attr_software(struct perf_event_attr *attr,
			const struct site *s); /* also hardware events */
void perf_attr_timer(struct perf_event_attr *attr, const struct site *s);
void perf_attr_watchpoint(struct perf_event_attr *attr, const struct site *s);

/* pmu.c: makes it an event of that PMU ("kprobe", "uprobe") for entries or returns; the caller sets
 * the address. 0, or -errno: the kernel has no such PMU. */
int pmu_probe(struct perf_event_attr *attr, const char *pmu, const struct site *s);

/* ---- mappings of processes, for symbols of those that end before their stacks are printed */
struct map_watch;
/* Of all processes, from now on. prompt: readable after each event, not only after many. NULL: the
 * kernel refuses. */
struct map_watch *map_watch_open(bool prompt);
/* Without rings: the caller passes on records of its own rings. h->size is at least that of a
 * header; trailer: bytes at the end that do not belong to the record. */
struct map_watch *map_watch_new(void);
void map_watch_record(struct map_watch *w, const struct perf_event_header *h, u32 trailer,
		      u64 time);
void map_watch_close(struct map_watch *w);
int map_watch_fd(const struct map_watch *w);
/* Calls f for each new event, in order. Costs one load per processor if there is none. */
void map_watch_read(struct map_watch *w, map_event_fn f, void *ctx);

#endif
