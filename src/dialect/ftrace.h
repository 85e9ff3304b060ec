/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translation of ftrace's probe definitions to a script. */
#ifndef SONDE_DIALECT_FTRACE_H
#define SONDE_DIALECT_FTRACE_H

#include "base/arena.h"

/* The script consists of lines of kprobe_events and uprobe_events: "p:open do_sys_open %di". */
bool ftrace_spelled(const char *text, size_t len);
/* One definition. */
struct ftrace_probe {
	const char *probe;  /* "kprobe:do_sys_open" */
	const char *event;  /* its name: "myopen" */
	const char *format; /* of printf(), with a blank before each argument: " filename=\"%s\"" */
	const char *values; /* expressions of the language, a comma before each: ", str(...)" */
};

/* Translates one line; everything is allocated in a. NULL, or the error, whose offset is in *at. */
const char *ftrace_probe(struct arena *a, const char *text, size_t len, struct ftrace_probe *to,
			 u32 *at);
/* The translated script, allocated in a. NULL with *error and the offset of the error in *at. */
const char *ftrace_script(struct arena *a, const char *text, size_t len, const char **error,
			  u32 *at);

#endif
