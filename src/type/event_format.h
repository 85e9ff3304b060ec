/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a trace event's record looks and is printed, as plain data: a tracefs format file, read. */
#ifndef SONDE_TYPE_EVENT_FORMAT_H
#define SONDE_TYPE_EVENT_FORMAT_H

#include "base/base.h"

struct event_member {
	const char *name;
	u32 offset, size; /* bytes in the record */
	u32 elem;         /* bytes of an array's element, else size */
	bool is_signed;
	bool is_array;  /* fixed */
	bool is_char;   /* of char: a string */
	bool is_common; /* of every event: shown only where print_fmt says so */
	u8 data_loc; /* 1: a u32 (len << 16 | offset from the record's start); 2: from the u32's end */
};

struct event_format {
	const char *name; /* "sched:sched_switch" */
	struct event_member *members;
	u32 n_members;
	bool wants_pid;        /* print_fmt shows the common field common_pid */
	const char *print_fmt; /* C text: "\"fd=%d\", REC->fd" */
	void *parsed;          /* trace/event_text.c's */
};

#endif
