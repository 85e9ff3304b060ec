/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and values of LTTng's kernel tracer where they are not those of tracefs. Trace Compass
 * knows events and fields by them.
 */
#ifndef SONDE_TRACE_LTTNG_H
#define SONDE_TRACE_LTTNG_H

#include "base/arena.h"

/* "net:netif_rx" -> "net_if_rx". Not for system calls. */
const char *lttng_event_name(struct arena *a, const char *name);
/* "net_if_rx" -> "net", "netif_rx"; "syscall_entry_read" -> "syscalls", "sys_enter_read". */
void lttng_kernel_event(struct arena *a, const char *name, const char **system, const char **event);

/* A field of "syscall_entry_mmap", or of any other event by tracefs's name "sched:sched_switch". */
const char *lttng_field_name(struct arena *a, const char *event, const char *field);

/* How a field's values differ. */
enum lttng_value {
	LTTNG_SAME,
	LTTNG_PRIO,    /* 0 is the kernel's 100 */
	LTTNG_STATE,   /* lttng_state() */
	LTTNG_REQUEST, /* numbers instead of letters: lttng_request() */
};
/* By tracefs's names: "sched:sched_switch", "prev_prio". */
enum lttng_value lttng_value_of(const char *event, const char *field);

enum {
	LTTNG_PRIO_BASE = 100,
	LTTNG_DEAD = 64, /* Trace Compass: a thread has ended. LTTng itself has the kernel's bits */
	LTTNG_PREEMPTED = 256,
};

/* The state of a thread that leaves its processor, so that views show what it does: they know 0,
 * runnable, 1 and 2, waiting, and LTTNG_DEAD. */
u64 lttng_state(u64 kernel);
/* "WS" <-> flags. */
u32 lttng_request(const char *rwbs, size_t len);
enum { RWBS_SIZE = 12 };
void lttng_request_text(u32 flags, char rwbs[RWBS_SIZE]);

#endif
