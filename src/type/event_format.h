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
	bool is_pid;    /* pid_t: the number of a thread */
	bool is_common; /* part of every event; shown only if print_fmt uses it */
	/* 1: u32 (len << 16 | offset from the record); 2: offset from the u32's end */
	u8 data_loc;
};

struct event_format {
	const char *name; /* "sched:sched_switch" */
	u32 id;           /* the kernel's number of the event */
	struct event_member *members;
	u32 n_members;
	bool wants_pid;        /* print_fmt uses common_pid */
	const char *print_fmt; /* C text: "\"fd=%d\", REC->fd" */
	const char *text;      /* the format file it is from, or NULL */
	u32 fixed_size;        /* bytes before dynamic data */
	bool is_dynamic;       /* there may be dynamic data */
	const char *reads;     /* the text reads:NAME of the recording; NULL: it has none */
	void *parsed;          /* private to trace/event_text.c */
	u32 stored;            /* private to the writer or exporter of its events */
};

/* By name; NULL: there is none. */
const struct event_member *event_member(const struct event_format *f, const char *name);
/* Bytes of the members, which dynamic data follow; computed. */
u32 event_fixed_size(const struct event_format *e);
/* Bytes of a record of which `len` are there: up to the end of its last dynamic data. */
u32 event_length(const struct event_format *e, const void *record, u32 len);

#endif
