/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs: mount point, events, record layouts. The format of format files is that of
 * kernel/trace/trace_events.c, f_show().
 */
#ifndef SONDE_SYM_TRACEFS_H
#define SONDE_SYM_TRACEFS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "type/noted.h"

struct tp_field {
	const char *name;
	const char *type; /* C text without name and array: "const char *", "unsigned long", "u8" */
	const char *text; /* the kernel's text: "u8 addr[16]", "__data_loc char[] name" */
	u32 offset, size;
	u32 count; /* elements of an array; 0: not an array (or of unknown length) */
	bool is_signed;
	bool is_array;
	bool is_pointer;
	bool is_char;   /* elements are char: a string */
	u8 data_loc;    /* 1: __data_loc, 2: __rel_loc */
	bool is_common; /* common_type, common_pid, ... */
};

struct tp_format {
	const char *category, *name;
	u32 id;
	VEC(struct tp_field) fields; /* common fields first */
	const char *print_fmt;
	const char *text; /* the whole format file */
};

/* What a recording stores about its kernel, instead of tracefs. */
struct recorded_kernel {
	const char *file;
	const struct tp_format *const *v; /* an event's id is its index */
	u32 n;
	bool is_this_boot; /* addresses are those of the running kernel */
	/* Which events were recorded for a script: by index; NULL: not this one. */
	const struct noted_reads *const *noted;
	/* the recorded script (noted.h), whose other probes did not fire; 0: none */
	u32 script;
	u32 n_cpus;
	u32 cpid;             /* of the recorded command; 0: none */
	const char *kstrings; /* its printk_formats; never NULL */
};
/* A single call of the raw event: RECORDED_CALL | number << 16 | its index. */
enum { RECORDED_CALL = 1 << 30 };

/*
 * "/sys/kernel/tracing" without a trailing slash; mounts it if missing and allowed. NULL with err
 * (and help) set. The result is cached.
 */
const char *tracefs_path(struct err *err);
/* Writes to a file, named from the root of tracefs: "kprobe_events". flags: O_APPEND, O_TRUNC or 0.
 * Returns 0 or -errno, with the kernel's message from error_log. */
int tracefs_put(const char *file, const char *text, int flags, struct err *err);
/* A site's location in the syntax of kprobe_events and uprobe_events; path: the program of a
 * uprobe. */
struct site;
void tracefs_put_place(struct buf *to, const struct site *s, const char *path);
/* Sorted names, NULL-terminated; 0 or -errno. */
int tracefs_categories(struct arena *a, const char ***names, u32 *n, struct err *err);
int tracefs_events(struct arena *a, const char *category, const char ***names, u32 *n,
		   struct err *err);
/* The id of an event or -errno. -ENOENT: no such event. err is set. */
int tracefs_event_id(const char *category, const char *event, struct err *err);
/* Reads and parses one format file; NULL with err set. */
struct tp_format *tracefs_format(struct arena *a, const char *category, const char *event,
				 struct err *err);
/* Parses the text of a format file. NULL if it is invalid. */
struct tp_format *tracefs_parse_format(struct arena *a, const char *text, size_t len);
/*
 * Constant strings of the kernel, to which events refer by address: printk_formats
 * (kernel/trace/trace_printk.c, t_show()). Never NULL: empty if unreadable.
 */
struct tracefs_strings *tracefs_read_strings(struct arena *a);
struct tracefs_strings *tracefs_parse_strings(struct arena *a, const char *text);
const char *tracefs_string(const struct tracefs_strings *s, u64 addr); /* NULL: not listed */
const struct tp_field *tp_format_field(const struct tp_format *f, const char *name);

#endif
