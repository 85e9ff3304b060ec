/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for numbers, asked while printing: symbols, users, stacks, times. The session fills this in
 * from sym/ and the engine; a replayed trace fills it from its own tables.
 */
#ifndef SONDE_TRACE_NAMES_H
#define SONDE_TRACE_NAMES_H

#include "type/agg.h"
#include "type/program.h"

struct symbol {
	const char *name;   /* valid until the next call; NULL: unknown */
	u64 offset;         /* from the symbol's start */
	const char *module; /* kernel module, or path of the file mapped; may be NULL */
	const char *file;   /* source file or NULL */
	u32 line;
	bool inlined;
};

struct names {
	void *ctx;
	bool (*ksym)(void *ctx, u64 addr, struct symbol *out);
	/* The value of an enumerator of the kernel; may be NULL. */
	bool (*constant)(void *ctx, const char *name, s64 *value);
	/* The kernel's constant string at addr that its events print by address (tracefs's printk_formats), or NULL. */
	const char *(*kstring)(void *ctx, u64 addr);
	bool (*usym)(void *ctx, u32 pid, u64 addr, struct symbol *out);
	/* "root", or NULL */
	const char *(*user)(void *ctx, u32 uid);
	/* cgroup path in the hierarchies that match filter (NULL: all), or NULL */
	const char *(*cgroup)(void *ctx, u64 id, const char *filter);
	/* Frames of a stack; returns their number, 0 when it is lost. */
	u32 (*stack)(void *ctx, const struct stack_value *v, bool user, u32 limit, u64 *ips);
	/*
	 * What debug information says about a user frame: the depth-th function whose text is there, from the
	 * innermost inlined one to the one that symbol knows, false behind that. is_return: ip is where a call
	 * returns to. NULL: lines are not wanted.
	 */
	bool (*source)(void *ctx, u32 pid, u64 ip, bool is_return, u32 depth, struct symbol *out);
	/* Wall-clock ns of a timestamp. */
	u64 (*wall_ns)(void *ctx, const struct timestamp_value *ts);
	/* "<hex build id>" and the offset in the file, for ustack(build_id); may be NULL. */
	bool (*build_id)(void *ctx, u32 pid, u64 addr, const char **id, u64 *offset);
	const struct program *prog; /* sites, strings */
	u32 max_strlen;             /* strings that fill their capacity get the trailer */
	const char *trunc_trailer;  /* ".." */
	bool visible; /* control characters of traced text are escaped: a terminal would obey them */
};

#endif
