/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program: the contract between the compiler and every engine. Plain data, no pointers into the
 * compiler except types and spans; everything lives in the compilation's arena.
 *
 *	program
 *	  maps[]      user maps and our own: ring, data, scratch, stacks
 *	  funcs[]     BPF functions with relocations and a span for each instruction
 *	  events[]    what a ring-buffer record with a given id means
 *	  sites[]     names of the attach points (TY_PROBE values are indexes)
 *	  strings[]   literal strings that records refer to
 *	  losses[]    one counter in the data map for each statement that can lose something
 */
#ifndef SONDE_TYPE_PROGRAM_H
#define SONDE_TYPE_PROGRAM_H

#include <linux/bpf.h>
#include "base/source.h"
#include "type/type.h"

enum map_role {
	MAP_USER,         /* a map of the script, keyed: its own kernel map */
	MAP_GLOBAL,       /* a keyless map of the script: lives in the data map at data_off */
	MAP_RING,         /* ring buffer of events */
	MAP_DATA,         /* one array element: keyless maps, loss counters, constants */
	MAP_SCRATCH,      /* per-CPU array: big temporaries */
	MAP_HUGE_SCRATCH, /* array: temporaries of more than a per-CPU value may have */
	MAP_STACKS,       /* hash: u64 -> u64 ip[limit] */
	MAP_SET,          /* small internal tables: syscall sets, pid sets for --follow */
	MAP_PROGS,        /* programs that another one jumps to, by number */
};

struct map_desc {
	const char *name; /* "@x", "@" for the script's; ".ring" and so on for ours */
	enum map_role role;
	u32 bpf_type; /* BPF_MAP_TYPE_*; unused for MAP_GLOBAL */
	u32 key_size, value_size, max_entries, flags;
	const struct type *key, *value; /* the script's maps: value type; key NULL when keyless */
	/* MAP_GLOBAL: where in the data map. Scalars: u64 is_set, then the value. */
	u32 data_off;
	/* Aggregations: n_slots copies of slot_size bytes, one for each cpu & (n_slots - 1). Copies of a MAP_GLOBAL
	 * are padded to 64 bytes. */
	u32 n_slots, slot_size;
	u32 threads_off; /* MAP_USER: its thread slots in the data map (type/thread_slot.h); 0: none */
	u32 normal;      /* normalize(): printed values are divided by it; 0: no */
	bool zeroed; /* zero(): an aggregation without a key is shown although there is nothing in it */
	struct span span; /* first mention */
};

enum reloc_kind {
	RELOC_MAP,       /* ld_imm64: map fd (BPF_PSEUDO_MAP_FD) of maps[index] */
	RELOC_MAP_VALUE, /* ld_imm64: address in the element (BPF_PSEUDO_MAP_VALUE), offset add */
	RELOC_FUNC, /* ld_imm64 BPF_PSEUDO_FUNC or call BPF_PSEUDO_CALL: functions of one program are
			    concatenated; the insn's imm is already relative, nothing to do when loading */
	RELOC_KFUNC, /* call: imm becomes the BTF id of names[index] */
	RELOC_BOUND, /* jump: imm bounds the turns of the loop of losses[index]; may be lowered, to 1 */
};

struct reloc {
	u32 insn; /* index of the first slot */
	enum reloc_kind kind;
	u32 index, add;
};

/* Where a subprogram begins (for func_info); subprog 0 is the entry. */
struct subprog {
	u32 insn;
	const char *name;
	bool callback; /* long (*)(u32, void *) and friends: needs static BTF func_info */
	bool shared; /* numbers in, a number out: global in BTF, so that verifiers follow it once for all calls */
	u8 n_params; /* of a shared one */
};

struct bpf_func {
	const char *name;  /* sanitised probe name and number: "kprobe_vfs_read_1" */
	u32 prog_type;     /* BPF_PROG_TYPE_* */
	u32 attach_type;   /* expected_attach_type */
	u32 attach_btf_id; /* tp_btf, fentry, iter */
	const char
		*attach_module; /* whose BTF that id is of; NULL: the kernel's, or attach_prog's */
	u32 attach_prog;        /* id of a BPF program to trace, 0: none */
	u32 prog_flags;
	u8 cookie_shift; /* where in the attach cookie the site's index is: bit 0, or 32 of one for entry and return */
	struct bpf_insn *insns;
	struct span *spans; /* one per instruction slot */
	u32 n_insns;
	struct reloc *relocs;
	u32 n_relocs;
	struct subprog *subprogs;
	u32 n_subprogs;
	u32 stack_size;
	struct span span; /* the clause */
	/* A program that is jumped to: index + 1 of the function that is attached in its place (0: it is attached
	 * itself), the map of programs from which that one takes it, and its places there. */
	u32 dispatcher, jump_map;
	const u32 *slots;
	u32 n_slots;
};

struct action; /* trace/action.h: what user space does with a record */

struct event_field {
	const struct type *type;
	u32 offset;      /* in the record, from its start */
	bool is_literal; /* text of the script itself: a terminal gets it as it is */
};

/* A record begins with u32 event index, u32 speculation (0: none); fields follow at their offsets. */
struct record_head {
	u32 event;
	u32 speculation; /* waits for commit() of that number */
};

struct event_desc {
	const struct action *action;
	struct span span;
	const char *text; /* format string or NULL */
	struct event_field *fields;
	u32 n_fields;
	u32 size;         /* of the whole record, a multiple of 8 */
	u32 func;         /* which of the program's funcs sends it */
	u32 map;          /* print, clear, zero: index into maps, else NO_INDEX */
	s64 arg[4];       /* constants of the statement: top, div, helper id … */
	bool immediate;   /* never held back by speculate() */
	const char *site; /* name for messages: function name, e.g. "printf" */
	void *cache;      /* the action's own: parsed format */
};
#define NO_INDEX (~0u)

/* Fixed offsets in the data map; the session writes them. */
enum {
	DATA_RING_FLAGS =
		0, /* u64: flags of every ring-buffer submit: BPF_RB_NO_WAKEUP while the reader
				is awake, BPF_RB_FORCE_WAKEUP while it sleeps */
	DATA_START_NS = 8, /* u64: boot-clock start of the run, for elapsed */
	DATA_CPID = 16,    /* u64: -c child */
	DATA_BOOT_TO_TAI =
		24, /* u64: added to the boot clock where the kernel gives no TAI clock */
	DATA_SPECULATION = 32, /* u64: numbers that speculation() has given away */
	DATA_PID_NS =
		48, /* u64: struct pid_namespace of ours, where it is not the first; see builtin/process.c */
	DATA_PID_LEVEL = 56, /* u64: how deep it is */
	DATA_NOWHERE = 40,   /* u64: bytes that nobody reads, see ir/lower_user.c */
	DATA_HEAD = 64,
};

/* Scratch: entry i of the per-CPU array is nesting level i; u64 busy (its key + 1), then the temporaries. */
enum {
	SCRATCH_LEVELS = 4,
	SCRATCH_HEAD = 8,
	SCRATCH_MAX = 32 << 10, /* bytes of a per-CPU value: PCPU_MIN_UNIT_SIZE of the kernel */
	LONG_KEY =
		512, /* bytes of a key that every kernel takes: MAX_BPF_STACK; see FEAT_LONG_KEYS */
	HUGE_LEVELS = 2, /* of an array with entries for each CPU */
};

enum loss_reason {
	LOSS_RING_FULL,   /* reserve failed */
	LOSS_MAP_FULL,    /* map update failed: full */
	LOSS_MAP_MEMORY,  /* map update failed: the kernel had no memory for an element */
	LOSS_SCRATCH,     /* scratch busy: nested probe */
	LOSS_NESTED,      /* within a helper of another program of ours, see ir/lower_guard.c */
	LOSS_STACKS,      /* stacks map full */
	LOSS_UNREADABLE,  /* a string or memory could not be read (counted, not lost) */
	LOSS_DIV_ZERO,    /* division by zero: run-time warning */
	LOSS_BOUNDS,      /* array index out of bounds: run-time warning */
	LOSS_MISSING_KEY, /* delete of a missing key: run-time warning */
	LOSS_NO_KEY,      /* read of a missing key, with -k: run-time warning */
	LOSS_NO_PROCESS,  /* comm(pid) of a pid that nobody has: run-time warning */
	LOSS_LOOP,        /* a loop hit its bound */
	LOSS_CUT,         /* more strings than join() sends: run-time warning */
	LOSS_DEEP,        /* more directories than path() climbs: run-time warning */
	LOSS_SKIPPED, /* the kernel did not run the program, which ran on that processor already */
	LOSS_SKIPPED_ANY, /* the same, and what a predicate or --follow would have passed over is among them */
};

struct loss {
	struct span span;
	enum loss_reason reason;
	u32 data_off;      /* u64 counter in the data map */
	const char *where; /* map or function name, turns of a loop; may be NULL */
	u32 prev;          /* index + 1 of another with the same hash: the compiler's */
};

enum { LOSS_BUCKETS = 256 };

struct site_name {
	const char *probe; /* "tracepoint:sched:sched_switch" */
	const char *func;
};

struct program {
	struct arena *arena;
	struct sources *sources;
	VEC(struct map_desc) maps;
	VEC(struct bpf_func *) funcs;
	VEC(struct event_desc *) events;
	VEC(struct loss) losses;
	u32 loss_head[LOSS_BUCKETS]; /* index + 1 of the newest: the compiler's */
	VEC(struct site_name) sites;
	VEC(const char *) strings;
	VEC(const struct type *)
	calls;                    /* records of TY_CALL values: the arguments of a system call */
	VEC(const char *) kfuncs; /* RELOC_KFUNC names */
	u32 data_map, ring_map, scratch_map, huge_scratch_map; /* indexes into maps or NO_INDEX */
	bool wants_pid_ns;                                     /* DATA_PID_NS, DATA_PID_LEVEL */
	bool has_user_symbols; /* of processes that may be gone when they are printed */
	u32 guard; /* in the data map: a word for each processor, see ir/lower_guard.c; 0: none */
	u32 spare_sites; /* sites that may be added while it runs */
	u32 spare_data;  /* bytes that functions compiled while it runs may add to the data map */
	u32 func_table,
		func_room; /* in the data map: u32 for each site, the first of the same func; room 0: none */
	u32 data_size;
	u8 *data; /* initial bytes of the data map: data_init_len of them, zeroes behind */
	u32 data_init_len, data_room; /* data_room: bytes at data, the compiler's */
	/* in the data map: the names of sites, a power of two of them, each of site_text_len bytes; 0: none */
	u32 site_text_off, site_text_len, site_text_rows;
	u32 zero_off, zero_len; /* a stretch of the data map that is never written */
};

#endif
