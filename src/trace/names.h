/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lookups made while printing: symbols, users, stacks, times. The session implements them with sym/
 * and the engine. Except for prog, each member may be NULL.
 */
#ifndef SONDE_TRACE_NAMES_H
#define SONDE_TRACE_NAMES_H

#include "type/agg.h"
#include "type/program.h"

struct symbol {
	const char *name;   /* valid until the next call; NULL: unknown */
	u64 offset;         /* from the symbol's start */
	const char *module; /* kernel module, or path of the mapped file; may be NULL */
	u64 file_offset;    /* of the address in that file; only of recordings */
	const char *file;   /* source file or NULL */
	u32 line;
	bool inlined;
	const u8 *build_id; /* of the file; only of recordings; NULL: not known */
	u32 build_id_len;
};

/* A process as it was at a time (CLOCK_MONOTONIC; 0: now): programs and libraries come and go. */
struct process_at {
	u32 pid;
	u64 time;
};

struct frame_at {
	bool user;      /* of the process; else of the kernel */
	bool is_return; /* ip is a return address */
	struct process_at of;
	u64 ip;
};

#define NAMES_REST "\001"
struct call_style;

struct names {
	void *ctx;
	bool (*ksym)(void *ctx, u64 addr, struct symbol *out);
	/* The value of a kernel enumerator. */
	bool (*constant)(void *ctx, const char *name, s64 *value);
	/* The constant kernel string at addr, which events print by address (tracefs:
	 * printk_formats), or NULL. */
	const char *(*kstring)(void *ctx, u64 addr);
	bool (*usym)(void *ctx, struct process_at at, u64 addr, struct symbol *out);
	/* User name such as "root", or NULL. */
	const char *(*user)(void *ctx, u32 uid);
	/* cgroup path in the hierarchies that match filter (NULL: all), or NULL */
	const char *(*cgroup)(void *ctx, u64 id, const char *filter);
	/* Frames of a stack; returns their number, 0 if the stack is lost. *time: of a user stack,
	 * as in struct process_at. */
	u32 (*stack)(void *ctx, const struct stack_value *v, bool user, u32 limit, u64 *ips,
		     u64 *time);
	/* Programs need not keep it any more: they store it again when it occurs. */
	void (*forget_stack)(void *ctx, const struct stack_value *v);
	/*
	 * Source position of a frame from debug information: the depth-th function whose code is
	 * there, from the innermost inlined one to the one in the symbol table; false after that.
	 * NULL: source lines are disabled.
	 */
	bool (*source)(void *ctx, const struct frame_at *at, u32 depth, struct symbol *out);
	/* Wall-clock ns of a timestamp. */
	u64 (*wall_ns)(void *ctx, const struct timestamp_value *ts);
	/* "<hex build id>" and the offset in the file, for ustack(build_id); may be NULL. */
	bool (*build_id)(void *ctx, struct process_at at, u64 addr, const char **id, u64 *offset);
	/*
	 * What a descriptor in argstr is: "/etc/passwd"; is_arg: an argument, else in memory or a
	 * result. After NAMES_REST is more about it, which is shown as it is. NULL: descriptors are
	 * shown as numbers.
	 */
	const char *(*file)(void *file_ctx, s32 fd, bool is_arg);
	void *file_ctx;
	const struct call_style *style; /* of argstr (trace/call_text.h); NULL: the usual one */
	const struct program *prog;     /* sites, strings */
	u32 max_strlen;                 /* strings that fill their capacity get the trailer */
	u32 argstr_bytes, argstr_hex;   /* configuration */
	const char *trunc_trailer;      /* ".." */
	bool lines;                     /* maps keyed by stacks: frames are lines of functions */
	bool visible; /* escape control characters of traced text: the output is a terminal */
};

#endif
