/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compiled program: the contract between the compiler and every engine. Plain data, no pointers
 * into the compiler except types and spans; everything is in the compilation's arena.
 *
 *	program
 *	  maps[]      user maps and internal ones: ring, data, scratch, stacks
 *	  funcs[]     BPF functions with relocations and a span for each instruction
 *	  events[]    meaning of a ring-buffer record with a given id
 *	  sites[]     names of the attach points (TY_PROBE values are indexes)
 *	  strings[]   string literals that records refer to
 *	  losses[]    one counter in the data map for each statement and loss reason
 */
#ifndef SONDE_TYPE_PROGRAM_H
#define SONDE_TYPE_PROGRAM_H

#include <linux/bpf.h>
#include "base/source.h"
#include "type/call.h"
#include "type/loc.h"
#include "type/type.h"

enum map_role {
	MAP_USER,             /* a map of the script, keyed: its own kernel map */
	MAP_GLOBAL,           /* a keyless map of the script: in the data map at data_off */
	MAP_RING,             /* ring buffer of events */
	MAP_DATA,             /* one array element: keyless maps, loss counters, constants */
	MAP_SCRATCH,          /* per-CPU array: large temporaries */
	MAP_HUGE_SCRATCH,     /* array: temporaries that exceed the limit of a per-CPU value */
	MAP_STACKS,           /* hash: u64 -> u64 ip[limit] */
	MAP_SET,              /* small internal tables: syscall sets, pid sets for --follow */
	MAP_PROGS,            /* program array for tail calls, by number */
	MAP_UNWIND,           /* array of one element, mapped: unwind tables (type/unwind.h) */
	MAP_UNWIND_PROCESSES, /* hash: process -> struct unwind_process */
	MAP_UNWIND_BELL,      /* ring buffer of one page: wakes sonde when a hit is kept */
};

struct map_desc {
	const char *name; /* the script's: "@x", "@"; internal: ".ring" ... */
	enum map_role role;
	u32 bpf_type; /* BPF_MAP_TYPE_*; unused for MAP_GLOBAL */
	u32 key_size, value_size, max_entries, flags;
	const struct type *key, *value; /* the script's maps: value type; key NULL when keyless */
	/* MAP_GLOBAL: offset in the data map. Scalars: u64 is_set, then the value. */
	u32 data_off;
	/*
	 * Aggregations: n_slots copies of slot_size bytes, indexed by cpu & (n_slots - 1). Copies
	 * of a MAP_GLOBAL are padded to 64 bytes.
	 */
	u32 n_slots, slot_size;
	bool is_followed; /* MAP_SET: the processes of --follow */
	u32 threads_off;  /* MAP_USER: thread slots in the data map (type/thread_slot.h); 0: none */
	u32 normal;       /* normalize(): divisor of printed values; 0: none */
	/* a value is set, not only added to: values of two keys that print the same have no sum */
	bool is_assigned;
	bool zeroed;      /* zero(): a keyless aggregation is shown even if empty */
	struct span span; /* first mention */
};

enum reloc_kind {
	RELOC_MAP,       /* ld_imm64: map fd (BPF_PSEUDO_MAP_FD) of maps[index] */
	RELOC_MAP_VALUE, /* ld_imm64: address in the element (BPF_PSEUDO_MAP_VALUE), offset add */
	/*
	 * ld_imm64 BPF_PSEUDO_FUNC or call BPF_PSEUDO_CALL. The functions of a program are
	 * concatenated and imm is already relative: no action at load time.
	 */
	RELOC_FUNC,
	RELOC_KFUNC, /* call: imm becomes the BTF id of names[index] */
	/* jump: imm is the iteration bound of losses[index]'s loop; may be lowered, to 1 */
	RELOC_BOUND,
};

struct reloc {
	u32 insn; /* index of the first slot */
	enum reloc_kind kind;
	u32 index, add;
};

/* Start of a subprogram (for func_info); subprog 0 is the entry. */
struct subprog {
	u32 insn;
	const char *name;
	bool callback; /* long (*)(u32, void *) and similar: needs static BTF func_info */
	/* Scalar parameters and result: a global function in BTF, verified once for all calls. */
	bool shared;
	u8 n_params; /* if shared */
};

struct bpf_func {
	const char *name; /* sanitized probe name and number: "kprobe_vfs_read_1" */
	struct load_kind load;
	u32 prog_flags;
	/* bit position of the site index in the cookie: 0, or 32 if joined (entry and return) */
	u8 cookie_shift;
	struct bpf_insn *insns;
	struct span *spans; /* one per instruction slot */
	u32 n_insns;
	struct reloc *relocs;
	u32 n_relocs;
	struct subprog *subprogs;
	u32 n_subprogs;
	u32 stack_size;
	struct span span; /* the clause */
	/*
	 * Tail-call target: index + 1 of the function attached in its place (0: this one is
	 * attached), the program array of that one, and the indexes in it.
	 */
	u32 dispatcher, jump_map;
	const u32 *slots;
	u32 n_slots;
	bool in_chain; /* its site has several programs: one is attached, each jumps to the next */
};

struct action; /* trace/action.h: handles a record in user space */

struct event_field {
	const struct type *type;
	u32 offset;      /* in the record */
	bool is_literal; /* the script's own text: printed unescaped */
};

/*
 * A record begins with u32 event index, u32 speculation (0: none); fields follow at their offsets.
 */
struct record_head {
	u32 event;
	u32 speculation; /* held until commit() of this number */
};

struct event_desc {
	const struct action *action;
	struct span span;
	const char *text; /* format string or NULL */
	u32 text_len;     /* of a format: it may have NULs */
	struct event_field *fields;
	u32 n_fields;
	u32 size;         /* of the whole record, a multiple of 8 */
	u32 func;         /* index of the sending function */
	u32 map;          /* print, clear, zero: index into maps, else NO_INDEX */
	s64 arg[4];       /* constants of the statement: top, div, helper id ... */
	bool immediate;   /* exempt from speculate() */
	const char *site; /* name for messages: function name, e.g. "printf" */
	void *cache;      /* private to the action: parsed format */
};
#define NO_INDEX (~0u)

/* Fixed offsets in the data map, which the session writes. All are u64. */
enum {
	/*
	 * Flags of every ring-buffer submit: BPF_RB_NO_WAKEUP while the reader is awake,
	 * BPF_RB_FORCE_WAKEUP while it sleeps.
	 */
	DATA_RING_FLAGS = 0,
	DATA_START_NS = 8,     /* boot-clock start of the run, for elapsed */
	DATA_CPID = 16,        /* pid of the -c child */
	DATA_BOOT_TO_TAI = 24, /* offset from the boot clock if the kernel has no TAI clock */
	DATA_SPECULATION = 32, /* last number that speculation() returned */
	/* our struct pid_namespace if not the initial one; builtin/process.c */
	DATA_PID_NS = 48,
	DATA_PID_LEVEL = 56, /* its nesting level */
	DATA_NOWHERE = 40,   /* target for bytes that are not used; ir/lower_user.c */
	DATA_HEAD = 64,
};

/*
 * Scratch: entry i of the per-CPU array is nesting level i: u64 busy (its key + 1), then
 * temporaries.
 */
enum {
	SCRATCH_LEVELS = 4,
	SCRATCH_HEAD = 8,
	SCRATCH_MAX = 32 << 10, /* bytes of a per-CPU value: the kernel's PCPU_MIN_UNIT_SIZE */
	/* bytes of a key that every kernel accepts: MAX_BPF_STACK; FEAT_LONG_KEYS */
	LONG_KEY = 512,
	HUGE_LEVELS = 2, /* nesting levels of MAP_HUGE_SCRATCH, for each CPU */
};

enum loss_reason {
	LOSS_RING_FULL,   /* reserve failed */
	LOSS_MAP_FULL,    /* map update failed: full */
	LOSS_MAP_MEMORY,  /* map update failed: the kernel had no memory for an element */
	LOSS_SCRATCH,     /* scratch busy: nested probe */
	LOSS_CONTENDED,   /* other threads replaced the value at each try */
	LOSS_NESTED,      /* inside a helper called by another of our programs: ir/lower_guard.c */
	LOSS_STACKS,      /* stacks map full */
	LOSS_UNREADABLE,  /* a string or memory could not be read (counted, not lost) */
	LOSS_DIV_ZERO,    /* division by zero: run-time warning */
	LOSS_BOUNDS,      /* array index out of bounds: run-time warning */
	LOSS_MISSING_KEY, /* delete of a missing key: run-time warning */
	LOSS_NO_KEY,      /* read of a missing key, with -k: run-time warning */
	LOSS_NO_PROCESS,  /* comm(pid) of a pid that does not exist: run-time warning */
	LOSS_LOOP,        /* a loop reached its bound */
	LOSS_CUT,         /* more strings than join() sends: run-time warning */
	LOSS_DEEP,        /* more directories than path() climbs: run-time warning */
	LOSS_SKIPPED,     /* the kernel skipped the program: already running on that processor */
	/* likewise, including events that a predicate or --follow would filter out */
	LOSS_SKIPPED_ANY,
	LOSS_RECORDS, /* a process had no room for records of its tracepoints */
	LOSS_SAMPLES, /* the rings of perf events had no room, before any predicate */
};

struct loss {
	struct span span;
	enum loss_reason reason;
	u32 data_off;      /* u64 counter in the data map */
	const char *where; /* map or function name, iterations of a loop; may be NULL */
	u32 prev;          /* index + 1 of the next in the hash chain; used by the compiler */
};

enum { LOSS_BUCKETS = 256 };

struct site_name {
	const char *probe; /* "tracepoint:sched:sched_switch" */
	const char *func;
	u64 distance, span; /* as in struct site, user */
	u64 address;        /* of the probe in its file; 0 unless the script calls uaddr() */
};

/* A row of program.place_table. */
enum { PLACE_DISTANCE, PLACE_SPAN, PLACE_ADDRESS, PLACE_WORDS };

struct shared_code;
struct shared_bodies;

struct program {
	struct arena *arena;
	struct arena *scratch; /* of a pass over one unit, which empties it; NULL: none */
	struct sources *sources;
	VEC(struct map_desc) maps;
	VEC(struct bpf_func *) funcs;
	VEC(struct event_desc *) events;
	VEC(struct loss) losses;
	/* hash chains: index + 1 of the newest; used by the compiler */
	u32 loss_head[LOSS_BUCKETS];
	VEC(struct site_name) sites;
	VEC(const char *) strings;
	/* TY_CALL: how calls are shown, by number (SYSCALL_SET_BITS); NULL: none */
	const struct call_format **calls;
	struct shared_code *shared_code;           /* target/emit_shared.c */
	const struct shared_bodies *shared_bodies; /* ir/lower_func.c */
	bool whole_bodies;        /* the IR of each program has all functions: something reads it */
	VEC(const char *) kfuncs; /* RELOC_KFUNC names */
	u32 data_map, ring_map, scratch_map, huge_scratch_map; /* indexes into maps, or NO_INDEX */
	bool wants_pid_ns;                                     /* DATA_PID_NS, DATA_PID_LEVEL */
	bool has_user_symbols; /* processes may have exited before printing */
	/* offset in the data map of one word per processor, ir/lower_guard.c; 0: none */
	u32 guard;
	u32 followed; /* offset in the data map of slots of processes, ir/lower_follow.c; 0: none */
	u32 copied;   /* offset in the data map of slots of threads, ir/lower_snapshot.c; 0: none */
	u32 spare_sites; /* room for sites added during the run */
	u32 spare_data;  /* bytes of the data map for functions compiled during the run */
	/*
	 * Offset in the data map of func_room u32: for each site, the first site of the same
	 * function; room 0: none.
	 */
	u32 func_table, func_room;
	/* Likewise of place_room rows of PLACE_WORDS u64, of each site. */
	u32 place_table, place_room;
	u32 data_size;
	u8 *data; /* initial contents of the data map: data_init_len bytes, then zeroes */
	u32 data_init_len, data_room; /* data_room: allocated size, used by the compiler */
	/*
	 * Offset in the data map of the site names: a power of two rows of site_text_len bytes; 0:
	 * none.
	 */
	u32 site_text_off, site_text_len, site_text_rows;
	u32 zero_off, zero_len; /* a range of the data map that stays zero */
};

/* The first map of a role, or NO_INDEX. */
static inline u32 program_map_of(const struct program *p, enum map_role role)
{
	for (u32 i = 0; i < p->maps.n; i++)
		if (p->maps.v[i].role == role)
			return i;
	return NO_INDEX;
}

#endif
