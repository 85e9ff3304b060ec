/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effects of options: the functions of `take` in the rows of option.c. value is what
 * follows the option, NULL if it takes none. 0, or the exit status after a message.
 */
#ifndef SONDE_CLI_OPTION_TAKE_H
#define SONDE_CLI_OPTION_TAKE_H

#include "cli/option.h"

#define TAKE(name) int take_##name(struct cli *c, const struct option_row *row, const char *value)
TAKE(flag);
TAKE(text);
TAKE(given);
TAKE(number);    /* from 1 on, of at most six digits: u32 at row->at */
TAKE(count);     /* u64 at row->at */
TAKE(frequency); /* or "max": what the kernel permits */
TAKE(input);     /* a word among others */
TAKE(timeout);   /* milliseconds that the run lasts */
TAKE(from);
TAKE(engine);
TAKE(interpreter);
TAKE(list);
TAKE(event_filter); /* of the last -e before it */
TAKE(debuginfo);
TAKE(note);
TAKE(command);
TAKE(aot);
TAKE(object);
TAKE(run_mode);
TAKE(manual);
TAKE(text_choice);
TAKE(pid);
TAKE(tid);
TAKE(follow);
TAKE(dwarf_pid);
TAKE(traceable);
TAKE(time);
TAKE(short_time);
TAKE(format);
TAKE(buffering);
TAKE(escape);
TAKE(diag);
TAKE(warnings);
TAKE(dump);
TAKE(no_pass);
TAKE(no_feature);
TAKE(mode);
#undef TAKE

/* The processes of -p, each of which runs. */
int take_pids(struct cli *c, const char *value);

#endif
