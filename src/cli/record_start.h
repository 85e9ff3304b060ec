/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning and the end of a recording: data from before the run, the file, the summary. */
#ifndef SONDE_CLI_RECORD_START_H
#define SONDE_CLI_RECORD_START_H

#include <sys/utsname.h>
#include "cli/cli.h"
#include "output/recording.h"

struct record_start {
	struct cli *c;
	struct recording_plan plan;
	struct recorded_text texts[8];
	struct buf file[2]; /* owns the texts */
	u32 n_files;
	struct utsname uname;
	VEC(struct task_row) tasks;
	u32 pid; /* whose threads are noted */
};

/* Fills the plan: the machine, and the threads that are there already. Allocates in
 * c->words_arena. */
void record_start_make(struct record_start *s, struct cli *c);
void record_start_release(struct record_start *s);

/* An old file is kept as .old, as perf record keeps it. Both return 0, or the exit status after a
 * message. */
int record_keep_old(struct cli *c, const char *path);
/* Makes the empty file c->output.file, with mode 0600: its contents may be secret. */
int record_make_file(struct cli *c);
/* The run failed: a file that is still empty goes, and the old one gets its name back. */
void record_drop_empty(struct cli *c);
/* "42 events in FILE, 3 KB" */
void record_tell(const struct cli *c, const struct recording *r, const char *path);

#endif
