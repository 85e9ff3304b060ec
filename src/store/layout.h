/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a recording; doc/recording.md describes them for other readers.
 *
 *	file_head | chunk_head body | ... | chunk_head counts | chunk_head index | file_end
 *
 * Counts and index are split into several chunks if there are very many rows.
 *
 * Numbers are little-endian. Nothing refers forward: a file that ends anywhere is readable up to
 * its last whole chunk. Only a file that was closed has an index and a file_end.
 */
#ifndef SONDE_STORE_LAYOUT_H
#define SONDE_STORE_LAYOUT_H

#include "base/base.h"

#define STORE_MAGIC "SONDEREC"
#define STORE_END_MAGIC "SONDEEND"
enum {
	STORE_VERSION = 2,
	STORE_PLAIN = 1,          /* the version of files whose events have no stacks */
	CHUNK_MAGIC = 0x4b4e4843, /* "CHNK" */
	CHUNK_NO_CPU = 0xffff,
	CHUNK_MOST = 64 << 20, /* bytes of a body, as stored and as it was */
	COMM_SIZE = 16,
	NAME_MOST = 1024, /* bytes of the name of an event or a text */
	FRAMES_MOST = 1024,
	STACK_REASONS = 64,    /* a lower frame is none */
	STACKS_MOST = 1 << 22, /* different ones in a file */
};

enum chunk_kind {
	CHUNK_TEXTS = 1, /* named texts: the kernel, the command ... */
	CHUNK_FORMATS,   /* formats of events, as tracefs has them */
	CHUNK_TASKS,     /* threads at the start */
	CHUNK_EVENTS,    /* of one processor */
	CHUNK_LOST,
	CHUNK_CLOCKS, /* the boot clock beside the time of day */
	CHUNK_INDEX,
	CHUNK_GONE, /* what was overwritten: its bytes are a hole; any length */
	CHUNK_STACKS,
	CHUNK_MAPPINGS,  /* of code in processes */
	CHUNK_FUNCTIONS, /* of the kernel, which stacks have */
	CHUNK_COUNTS,    /* how many events of each format chunks have */
	N_CHUNK_KINDS
};

enum chunk_codec { CODEC_STORED, CODEC_LZ4 };

struct file_head { /* 64 bytes */
	char magic[8];
	u16 version, size; /* size: of this head; chunks begin after it */
	u32 page_size;
	u8 boot_id[16]; /* /proc/sys/kernel/random/boot_id: symbols are those of this boot */
	u64 start_ns;   /* of the boot clock */
	s64 to_real;    /* what to add to a time for nanoseconds since 1970 */
	u32 n_cpus, recorder_pid;
	u32 scope; /* 0: of the whole machine, 1: of some processes */
	u32 crc;   /* CRC-32 of the bytes before it */
};

struct chunk_head { /* 64 bytes */
	u32 magic;
	u8 kind, codec;
	u16 cpu;
	u32 count;      /* events, or rows of a table */
	u32 stored_len; /* bytes of the body in the file */
	u32 raw_len;    /* bytes of the body after decompression */
	u32 n_rows;     /* CHUNK_EVENTS: different events */
	u64 t0, t1;     /* the earliest and latest time in it; 0: it has none */
	u64 number;     /* counted from 0 */
	u32 reserved[2];
	u32 body_crc; /* CRC-32 of the body as stored */
	u32 crc;      /* CRC-32 of the bytes before it */
};

/*
 * Body of CHUNK_EVENTS. An event that was in the chunk before is only a time and a number.
 *
 *	events_head | row ... (rows_len bytes) | (varint zigzag(time - time before), varint row) ...
 *
 * A row is an event_row, a row_stacks if the head says so, and `len` bytes of the record, whose
 * first 8 are the kernel's common fields: u16 type, u8 flags, u8 preempt_count, s32 pid (the
 * thread).
 */
struct events_head { /* 16 bytes */
	u64 base;    /* the first time is relative to it */
	u32 rows_len;
	u32 stacks_len; /* bytes that each row has for stacks: 0 or sizeof(struct row_stacks) */
};

struct event_row { /* 24 bytes */
	u16 format, len;
	u32 pid;
	char comm[COMM_SIZE];
};

enum stack_side { STACK_KERNEL, STACK_USER, N_STACK_SIDES };

struct row_stacks {
	u32 number[N_STACK_SIDES]; /* of a stack_row; 0: none */
};

struct common_fields { /* struct trace_entry of the kernel */
	u16 type;
	u8 flags, preempt_count;
	u32 tid;
};

/* Rows of tables: each is a head and then its bytes, without padding. */
struct text_row {
	u32 name_len, len; /* name, text */
};
struct format_row {
	u32 id, name_len, len; /* "sched:sched_switch", the format file */
};
struct task_row {
	u32 tid, pid, ppid, reserved;
	char comm[COMM_SIZE];
};
struct lost_row {
	u64 time, count;
	u32 len; /* why */
};
struct clock_row {
	u64 time;
	s64 to_real;
};
/* Frames, u64 each, follow: the innermost first. The last one of a user stack that is not complete
 * is below 64: why (UNWIND_REASONS of type/unwind.h). */
struct stack_row {
	u32 number; /* from 1 on */
	u32 n;
};
/* A change of the code that a process maps; the path follows. */
struct mapping_row { /* 80 bytes */
	u64 time;
	u64 start, end, offset, inode; /* of MAPPING_ADDED */
	u32 pid;
	u32 parent; /* of MAPPING_FORKED: whose mappings it has */
	u32 dev_major, dev_minor;
	u8 kind, build_id_len;
	u16 path_len;
	u8 build_id[20];
};
enum mapping_kind {
	MAPPING_ADDED,
	MAPPING_CLEARED, /* the process executes another program */
	MAPPING_FORKED,  /* a new process */
	N_MAPPING_KINDS
};
/* A function of the kernel, of that address to the next row's; its name and that of its module
 * follow. Without a name: an address in a stack that belongs to none. */
struct function_row {
	u64 address;
	u16 name_len, module_len;
	u32 reserved;
};
struct index_row { /* 48 bytes */
	u64 offset, t0, t1, number;
	u32 count;
	u16 cpu;
	u8 kind, reserved;
	u32 first_count, n_counts; /* of CHUNK_EVENTS: its rows among those of all CHUNK_COUNTS */
};
/* The counts of a chunk add up to its events. None: a reader counts them. */
struct store_count {
	u32 format; /* of a format_row */
	u32 n;
};

struct file_end {         /* 16 bytes */
	u64 index_offset; /* of the first CHUNK_INDEX; all others follow it */
	char magic[8];
};

#endif
