/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface of the builtins: the table of themes, and functions that several themes share. A
 * theme is a file and its line in index.h. */
#ifndef SONDE_BUILTIN_H
#define SONDE_BUILTIN_H

#include "ir/lower.h"
#include "trace/action.h"
#include "trace/value.h"

#define T(name) extern const struct builtin_theme builtin_##name;
#include "builtin/index.h"
#undef T

/* NULL-terminated. */
extern const struct builtin_theme *const builtin_themes[];

/* Format strings: printf and similar. The arguments are sent as fields of one record. fmt_arg:
 * index of the argument that is the format string. */
const struct type *check_format(struct check *c, struct node *call, u32 fmt_arg);
struct ir_val lower_format(struct lower *l, struct node *call);
/* builtin/seq.c: printf in pinned iterators, where the kernel formats. */
const struct type *check_seq_printf(struct check *c, struct node *call);
struct ir_val lower_seq_printf(struct lower *l, struct node *call);
/* Appends the formatted text of such a record to out. */
void format_record(struct actor *a, struct event_desc *e, const void *record, struct buf *out);

/* Closes the files that skboutput() opened; call it at the end of a run. */
void action_files_close(struct actor *a);

/* To be called after checking: reports script options (after --) that no getopt() reads. False:
 * there were some. */
bool builtin_check_options(struct env *env, struct diags *diags);

/* Nanoseconds since boot; includes suspend if the kernel has bpf_ktime_get_boot_ns() (5.8). */
struct opnd boot_clock(struct lower *l);

#endif
