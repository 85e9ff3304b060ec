/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every file of the vocabulary includes. A theme is one file and one line in index.h. */
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

/* A format string and its arguments as one record: printf and everything like it. */
const struct type *check_format(struct check *c, struct node *call, u32 fmt_arg);
struct ir_val lower_format(struct lower *l, struct node *call);
/* builtin/seq.c: printf where the kernel formats, in pinned iterators. */
const struct type *check_seq_printf(struct check *c, struct node *call);
struct ir_val lower_seq_printf(struct lower *l, struct node *call);
/* The text of such a record, in out. */
void format_record(struct actor *a, struct event_desc *e, const void *record, struct buf *out);

/* At the end of a run. */
void action_files_close(struct actor *a);

/* After checking: reports options behind -- that no getopt() asks for. */
bool builtin_check_options(struct env *env, struct diags *diags);

/* Nanoseconds since boot, sleep included where the kernel has that clock. */
struct opnd boot_clock(struct lower *l);

#endif
