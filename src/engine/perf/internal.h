/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the perf engine. Formats: include/uapi/linux/perf_event.h, enum
 * perf_event_type.
 */
#ifndef SONDE_ENGINE_PERF_INTERNAL_H
#define SONDE_ENGINE_PERF_INTERNAL_H

#include <linux/perf_event.h>
#include "arch/arch.h"
#include "base/err.h"
#include "base/hash.h"
#include "sym/unwind_sample.h"
#include "type/fetch.h"
#include "type/site.h"

/* ---- record.c: the bytes of a record. False: incomplete. */

/* What every record has with sample_id_all and PERF_SAMPLE_IDENTIFIER | TID | TIME. */
enum { RECORD_TRAILER = 24 };
struct record_id {
	u64 event; /* the event that wrote it */
	u64 time;  /* CLOCK_MONOTONIC, ns */
	u32 pid, tid;
};
enum { PERF_SAMPLE_ALWAYS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
bool record_id(const struct perf_event_header *h, struct record_id *id);

/*
 * PERF_RECORD_SAMPLE of an event with this sample_type, with any of the parts below, in this order.
 * They point into the record and are not aligned.
 */
struct sample {
	const u8 *frames; /* PERF_SAMPLE_CALLCHAIN: u64 each, PERF_CONTEXT_* between */
	u64 n_frames;
	const void *raw; /* PERF_SAMPLE_RAW */
	u32 raw_len;
	struct unwind_sample user; /* PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER */
	const u8 *regs;            /* PERF_SAMPLE_REGS_INTR; if the event has none, user.regs */
};
/* Properties from the attributes of its event. */
struct sample_layout {
	u64 type, user_regs, intr_regs;
};
bool record_sample(const struct perf_event_header *h, const struct sample_layout *l,
		   struct sample *s);

/* PERF_RECORD_FORK and COMM; comm is NULL or points into the record. */
struct task_record {
	u32 pid, tid, parent_tid;
	const char *comm;
};
bool record_task(const struct perf_event_header *h, struct task_record *t);
/* PERF_RECORD_LOST: events lost before it because the ring was full. */
bool record_lost(const struct perf_event_header *h, u64 *lost);

/* ---- rings.c: a ring for each processor; their records in the order of time */

struct perf_ring {
	u32 cpu;
	struct perf_event_mmap_page *page;
	const u8 *data;
	u64 size;                             /* of the data, a power of two */
	u64 tail, head;                       /* the unread part */
	u64 key;                              /* merge key: the time of the next record */
	struct record_id id;                  /* of the next record, which is at `next` */
	const struct perf_event_header *next; /* NULL: not read yet, or none */
	u8 *whole;                            /* copy of a record that wraps */
	u64 n_malformed;                      /* places from which on records were not readable */
};
struct perf_rings {
	struct perf_ring *v;
	u32 n;
	u64 limit; /* records up to this time are returned */
	u64 now;   /* the time of the newest record returned */
};
/* page: mapped by the caller, 1 page and data of size bytes. */
void perf_rings_add(struct perf_rings *rs, u32 cpu, struct perf_event_mmap_page *page,
		    const u8 *data, u64 size);
/* Reads the heads of all rings. Records of the last HOLD_NS are held back unless `all`: another
 * processor may still write an older one. */
void perf_rings_look(struct perf_rings *rs, u64 now, bool all);
/* The ring with the oldest record, until perf_ring_done(); NULL: none is left. */
struct perf_ring *perf_rings_next(struct perf_rings *rs);
void perf_ring_done(struct perf_ring *r);
/* The sum of n_malformed. */
u64 perf_rings_malformed(const struct perf_rings *rs);
/* Some are held back. */
bool perf_rings_hold(const struct perf_rings *rs);
void perf_rings_release(struct perf_rings *rs);

/* ---- tasks.c: the names and processes of threads, in the order of the records */

struct tasks {
	struct arena arena;
	struct hash by_tid;
};
void tasks_init(struct tasks *t);
void tasks_release(struct tasks *t);
/* Adds all existing threads. */
void tasks_read(struct tasks *t);
void tasks_record(struct tasks *t, const struct task_record *r);
/* Stores at most 16 bytes; "" for an unknown thread. */
void tasks_comm(struct tasks *t, u32 tid, u32 cpu, char comm[16]);
/* 0: not known. */
u32 tasks_process(const struct tasks *t, u32 tid);

/* ---- fetch.c: dynamic events that fetch memory which a function reads through pointers */

struct tp_field;
struct fetched {
	const struct fetches *fetches;         /* NULL: nothing is fetched */
	u32 id;                                /* of the event */
	const struct tp_field **value, **test; /* by fetch */
	const struct tp_field *arg[ARCH_SYSCALL_ARGS];
	/* number of a system call, as in struct site; 0: not a system call */
	s32 call;
	const char *file, *remove; /* the line that removes it */
};
/* Defines one for a SITE_UPROBE, SITE_KPROBE or the entry of a system call; t's contents are in the
 * arena. 0 or -errno. */
int fetch_define(struct fetched *t, struct arena *a, const struct fetches *f, const struct site *s,
		 struct err *err);
/* Called after its perf events are closed. */
void fetch_remove(struct fetched *t);
/* Removes the events of killed processes. */
void fetch_remove_left(void);
/* The record of the system call. */
void fetch_record(const struct fetched *t, const struct sample *s, u8 *record);
/* Memory as it was at the event of the sample, with these registers (struct pt_regs) or this
 * record. 0 or -EFAULT. */
int fetch_read(const struct fetched *t, const struct sample *s, const u8 *regs, void *to, u32 len,
	       u64 address);

/* ---- events.c: perf events of sites */

struct handler {
	u32 func;
	const struct fetches *fetches;
	u64 cookie; /* index of its site */
	s32 call;   /* for raw_syscalls: only the call of this number + 1; 0: all */
};
/* What the samples of an event must have. */
struct sample_parts {
	u64 type;  /* PERF_SAMPLE_CALLCHAIN, REGS_USER, STACK_USER, REGS_INTR */
	u32 stack; /* bytes of the user stack */
};
/* Sites that one event serves: the functions run in the order of the script. */
struct event_source {
	struct site site; /* the first of them */
	struct sample_layout layout;
	struct sample_parts parts;
	struct fetched fetched; /* of the only handler */
	VEC(struct handler) handlers;
	VEC(int) fds;
	bool is_calls;      /* raw_syscalls for many calls, each with its handlers */
	bool is_user_only;  /* the kernel permits only user space */
	const char *filter; /* applied by the kernel; NULL: none */
	u64 lost;           /* by PERF_RECORD_LOST */
};
struct events {
	struct arena arena;
	const u32 *pids; /* events are of these processes and their descendants; NULL: of all */
	u32 n_pids;
	VEC(struct event_source *) sources;
	struct hash by_id; /* struct event_source by the id of an event */
	struct perf_rings rings;
	VEC(int) ring_fds; /* by ring */
	s64 calls_enter,
		calls_exit;    /* ids of raw_syscalls' events; 0: not looked up, -1: unknown */
	u64 rings_size;        /* bytes of all together, if more than the default */
	int epoll_fd;          /* readable when a ring is half full */
	bool wants_maps;       /* the rings also report mappings, and exec() */
	bool wants_stacks;     /* samples have bytes of stacks, to be unwound */
	bool counts_lost;      /* PERF_FORMAT_LOST, Linux 6.0 */
	VEC(const char *) how; /* lines for -v */
};
/* Opens the rings, once pids, rings_size and the wants are set. 0 or -errno. */
int events_open(struct events *e, struct err *err);
void events_release(struct events *e);
void events_disable(struct events *e);
/* Bytes of user stack that a sample may have so that a ring holds many; timer: of a timer. */
u32 events_stack_bytes(const struct events *e, bool timer);
bool events_serve(enum site_kind kind);
/* parts: what the function needs. 0 or -errno. */
int events_attach(struct events *e, struct handler h, const struct site *s,
		  const struct sample_parts *parts, struct err *err);
/* Whether the event of all calls suits this system call, one of a function's n calls, better: if n
 * is large, or if the function reads the kernel stack, which events of single calls lack. */
bool events_share_calls(struct events *e, const struct site *s, u32 n,
			const struct sample_parts *parts);
/* The same for such a call. */
int events_attach_call(struct events *e, struct handler h, const struct site *s,
		       const struct sample_parts *parts, struct err *err);
/* Sets kernel filters for calls that no handler takes. Called once all are attached. */
void events_filter_calls(struct events *e);
/* Events of a source that were lost because the ring was full. */
u64 events_lost(struct events *e, const struct event_source *s);

#endif
