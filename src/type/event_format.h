/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout and print format of a trace event's record, parsed from a tracefs format file. */
#ifndef SONDE_TYPE_EVENT_FORMAT_H
#define SONDE_TYPE_EVENT_FORMAT_H

#include "base/base.h"

struct event_member {
	const char *name;
	u32 offset, size; /* bytes in the record */
	u32 elem;         /* element size of an array in bytes, else size */
	bool is_signed;
	bool is_array;  /* of fixed length */
	bool is_char;   /* array of char: a string */
	bool is_common; /* part of every event; shown only if print_fmt uses it */
	/* 1: u32 (len << 16 | offset from the record); 2: offset from the u32's end */
	u8 data_loc;
};

struct event_format {
	const char *name; /* "sched:sched_switch" */
	struct event_member *members;
	u32 n_members;
	bool wants_pid;        /* print_fmt uses common_pid */
	const char *print_fmt; /* C text: "\"fd=%d\", REC->fd" */
	void *parsed;          /* private to trace/event_text.c */
};

#endif
