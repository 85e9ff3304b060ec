/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a program is attached, as data: providers resolve a probe to sites, engines attach them. */
#ifndef SONDE_TYPE_SITE_H
#define SONDE_TYPE_SITE_H

#include "base/base.h"

/* What an engine can attach to: engine/kernel has one function for each. */
enum site_kind {
	SITE_ONCE,            /* begin, end: run by hand */
	SITE_SIGNAL,          /* self:signal:NAME: run by hand when the signal arrives */
	SITE_PERF_TRACEPOINT, /* perf event of a tracepoint id */
	SITE_RAW_TRACEPOINT,  /* by name; untyped args or tp_btf by the profile */
	/* perf event type and config with a period, on each CPU (or of a pid) */
	SITE_PERF_SOFTWARE,
	SITE_PERF_TIMER, /* cpu-clock: profile on each CPU, interval on the first */
	SITE_KPROBE,     /* symbol (+offset) or address, entry or return */
	SITE_UPROBE,     /* file, offset, entry or return */
	SITE_RECORD,     /* of a process: a tracepoint that writes records (include/sonde) */
	SITE_TRAMPOLINE, /* fentry, fexit, lsm: btf_id in the profile */
	SITE_WATCHPOINT,
	SITE_ITER,
};

/* Offset of the arguments in struct sonde_record (include/sonde/sonde.h), 8 bytes each. */
enum { RECORD_WORDS = 24 };

struct loc;
struct site {
	enum site_kind kind;
	u32 index;         /* in program.sites: what TY_PROBE values and cookies hold */
	const char *probe; /* canonical full name, as `probe` shows it */
	const char *func;  /* traced function's name or NULL */
	/* for -v: where a uprobe sits, how a kprobe is attached, and why; or NULL */
	const char *note;
	s32 pid;            /* attach to this process only; -1: all; 0: is_of_command */
	bool is_of_command; /* pid is that of the command of -c; 0 until it is known */
	bool is_return;
	/* Cheaper than the probe that the script names, which is used if the kernel refuses
	 * this. */
	bool is_substitute;
	bool is_deferred; /* uprobe, usdt: of files that do not exist yet */
	/* of an entry: the return of the same function if one program serves both; else NULL */
	const struct site *twin;
	/* By kind: no other member of the union may be read. */
	union {
		int signal;             /* SIGNAL: its number */
		const char *pin;        /* ITER: path in bpffs; NULL: not pinned */
		const char *tracepoint; /* RAW_TRACEPOINT */
		struct {                /* PERF_TRACEPOINT, PERF_SOFTWARE, PERF_TIMER */
			u32 type;
			u64 config;   /* id of the tracepoint */
			u64 period;   /* events between samples, ns of a timer, Hz if is_freq */
			bool is_freq; /* period is a rate */
			bool one_cpu; /* interval: only on the first CPU */
			/* PERF_TRACEPOINT of a system call: its number + 1, of its return
			 * negative; else 0 */
			s32 call;
			/* PERF_TRACEPOINT: what of its predicate the kernel can decide, "":
			 * nothing; NULL: no predicate, or it is not the only one on the event */
			const char *filter;
		} event;
		struct {                    /* KPROBE, TRAMPOLINE */
			const char *symbol; /* NULL: by address alone */
			/* of the function; NULL: the kernel's own. Trampolines have it only if the
			 * kernel has a function of that name, too. */
			const char *module;
			u64 offset, address; /* of the symbol; absolute, 0: not known */
			/* The script has the name: other functions may have it, too. */
			bool named;
		} kernel;
		struct { /* UPROBE */
			const char *path;
			u64 offset;         /* in the file */
			u64 ref_ctr_offset; /* USDT semaphore, in the file; 0: none */
			/* Of the function's entry from the start of the file's mappings, and the
			 * length of these; 0: not known */
			u64 distance, span;
			/* The process engine may put a jump there (provider_env.attach.records);
			 * else why not, or NULL: it is no function's entry. */
			bool takes_jump;
			const char *no_jump;
			/* `offset` is that of a return of a function; its jump begins `back` bytes
			 * before. */
			bool is_exit;
			u8 back;
			/* Of a function of Go: how many bytes at its entry ask for stack; the probe
			 * is after them. */
			u8 go_check;
		} user;
		struct { /* RECORD; addresses as in the file */
			const char *path;
			u64 offset, address; /* of its nop1 */
			u64 cold_path, module;
			u64 semaphore; /* address in the file; 0: none */
			const u64 *
				sites; /* that its records name: those of all tracepoints of this name */
			u32 n_sites;
			u64 strings; /* bit i: argument i is one */
			/* Where the arguments are at nop1, as they are at LOC_REG, LOC_STACK and
			 * LOC_CONST; other kinds: known only to the tracepoint itself */
			const struct loc *operands;
			u32 n_operands;
		} record;
		struct { /* WATCHPOINT */
			u64 address;
			u32 len, type; /* HW_BREAKPOINT_* */
		} watch;
	};
};

#endif
