/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a program is attached, as data: providers resolve a probe to sites, engines attach them. */
#ifndef SONDE_TYPE_SITE_H
#define SONDE_TYPE_SITE_H

#include "base/base.h"

enum site_kind { /* what an engine can attach to: engine/kernel has one function for each */
		 SITE_ONCE,            /* begin, end: run by hand */
		 SITE_SIGNAL,          /* self:signal:NAME: run by hand when the signal arrives */
		 SITE_PERF_TRACEPOINT, /* perf event of a tracepoint id */
		 /* raw tracepoint by name (untyped args or tp_btf by the profile) */
		 SITE_RAW_TRACEPOINT,
		 /* perf event type/config with a sample period, on each CPU (or of a pid) */
		 SITE_PERF_SOFTWARE,
		 SITE_PERF_TIMER, /* cpu-clock: profile on each CPU, interval on the first */
		 SITE_KPROBE,     /* symbol (+offset) or address, entry or return */
		 SITE_UPROBE,     /* file, offset, entry or return */
		 SITE_TRAMPOLINE, /* fentry, fexit, lsm: btf_id in the profile */
		 SITE_WATCHPOINT,
		 SITE_ITER,
};

struct site {
	enum site_kind kind;
	u32 index;         /* in program.sites: what TY_PROBE values and cookies hold */
	const char *probe; /* canonical full name, as `probe` shows it */
	const char *func;  /* traced function's name or NULL */
	bool is_return;
	/* by kind */
	u32 perf_type;
	u64 perf_config;
	u64 period; /* sample period, or frequency in Hz when is_freq, or ns for timers */
	bool is_freq, one_cpu; /* one_cpu: interval */
	const char *tp_name;   /* raw tracepoint name */
	/* trampoline in place of a kprobe: when the kernel refuses it, the kprobe it is */
	bool is_substitute;
	/* uprobe: file to open; kprobe: module or NULL; trampoline: module of a function whose name
	 * the kernel itself has, too, else NULL */
	const char *path;
	bool is_deferred; /* uprobe, usdt: nothing yet: a place for files that come later */
	/* where a uprobe sits, how a kprobe is attached, and why, for -v; or NULL */
	const char *note;
	const char *symbol; /* kprobe */
	/* kprobe: by the script, not found in the list of functions: others may have the name,
	 * too */
	bool named;
	u64 offset, address; /* uprobe file offset; kprobe symbol+offset or absolute */
	u64 ref_ctr_offset;  /* USDT semaphore, file offset */
	/* of an entry: the return of the same function, when one program serves both; NULL */
	const struct site *twin;
	int signal;
	u64 wp_addr;
	u32 wp_len, wp_type;
	s32 pid; /* attach to this process only; -1: all */
};

#endif
