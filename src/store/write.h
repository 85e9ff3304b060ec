/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording. Events of one processor are collected and become a chunk when there are many
 * or the first of them waits for CHUNK_NS; so what a killed recorder has not written is half a
 * second at most.
 *
 * After a failed write the file ends with the last whole chunk, and the writer does nothing more
 * (store_error()) but note at the end how many events are lost, and write the index.
 */
#ifndef SONDE_STORE_WRITE_H
#define SONDE_STORE_WRITE_H

#include "base/buf.h"
#include "store/layout.h"

#define CHUNK_NS 500000000ull

struct store_writer;

struct store_event {
	u64 time; /* ns, of the boot clock */
	u32 cpu, pid, tid;
	u32 format;               /* a number of store_format() */
	u16 type;                 /* the kernel's number of the event */
	const char *comm;         /* 16 bytes */
	const void *fields;       /* the record after the 8 bytes of the common fields */
	u32 len;                  /* of fields: at most 65000 bytes */
	struct row_stacks stacks; /* numbers of store_stack(); of a file of version 2 */
};

/* Writes the head to fd, which the caller closes. Sets magic, sizes and crc of the head. Its
 * version: 2 if events may have stacks, 1 or 0 if none has. */
struct store_writer *store_writer_new(int fd, const struct file_head *head);
void store_text(struct store_writer *w, const char *name, const void *bytes, size_t len);
/* id: the caller's, 0 to 65535. */
void store_format(struct store_writer *w, u32 id, const char *name, const char *text);
void store_task(struct store_writer *w, const struct task_row *row);
void store_clock(struct store_writer *w, u64 time, s64 to_real);
void store_lost(struct store_writer *w, u64 time, u64 count, const char *why);
/* The number of a stack in this file, the same for equal ones; 0: it cannot be kept. */
u32 store_stack(struct store_writer *w, const u64 *frames, u32 n);
/* build_id and lengths are set by the caller except path_len. */
void store_mapping(struct store_writer *w, const struct mapping_row *row, const char *path);
/* Once for each function. name NULL: the address has none. */
void store_function(struct store_writer *w, u64 address, const char *name, const char *module);
void store_event(struct store_writer *w, const struct store_event *e);
/* From here on only the last bytes or nanoseconds are kept (0: no such limit), and what events
 * need. */
void store_overwrite(struct store_writer *w, u64 most_bytes, u64 most_ns);
/* A chunk of another recording as it is. */
void store_chunk(struct store_writer *w, const struct chunk_head *h, const void *stored);
/* All events so far are in the file. */
void store_flush(struct store_writer *w);
/* Closes chunks that are old; now: of the boot clock. */
void store_tick(struct store_writer *w, u64 now);
/* 0, or -errno of the first write that failed. */
int store_error(const struct store_writer *w);
u64 store_events(const struct store_writer *w);         /* how many there are */
u64 store_events_written(const struct store_writer *w); /* how many of them are in the file */
u64 store_bytes(const struct store_writer *w);
/* The rest and the index; returns store_error(). */
int store_writer_end(struct store_writer *w);
void store_writer_free(struct store_writer *w);

#endif
