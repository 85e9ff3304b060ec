/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the engine share. Outside this folder include engine/kernel/kernel.h.
 *
 * Each kernel object is a descriptor in one list, released newest first. Closing the last reference
 * to a `slow` one makes the kernel wait for grace periods (perf tracepoints 70 ms each, uprobes 105
 * ms, trampolines 130 ms): see release.c for the process that closes them.
 */
#ifndef SONDE_ENGINE_KERNEL_INTERNAL_H
#define SONDE_ENGINE_KERNEL_INTERNAL_H

#include "engine/kernel/bpf.h"
#include "engine/kernel/kernel.h"

struct kept {
	int fd;
	bool slow;
};

struct attachment {
	u32 func, n_sites;
	const char *how;
};

struct loaded {
	int fd; /* with this attach type: the function's own, or the one of a multi link */
	u32 type;
	int alt_fd; /* with alt_type: perf event where a multi link was refused, and so on */
	u32 alt_type;
	int session_fd; /* of an entry: one program with the return's function, partner */
	u32 partner;
	int iter_link; /* borrowed from the kept ones */
	bool uses_cookie;
	bool is_attached;  /* for programs reached by tail calls */
	u32 bounds_halved; /* how often the bounds of loops were halved */
};

struct ring {
	int fd;                 /* borrowed from map_fd */
	u64 size, drained_from; /* consumer position before the last drain */
	bool has_all;           /* the last drain took what was there when it began */
	volatile u64 *consumer, *producer;
	u8 *data;
	size_t page;
};

struct kernel {
	struct program *prog;
	struct engine_options o;
	struct arena arena;
	struct features *features;
	struct btf *btf; /* opened here on demand, unless the options have one */
	bool own_btf;
	int *map_fd;           /* by map; -1 */
	struct loaded *loaded; /* by function, */
	u32 n_loaded;          /* number of them */
	int data_fd;
	struct {
		int fd; /* 0: none yet */
		const char *module;
		u32 prog;
	} btf_of;                      /* load.c: the object whose types were referred to last */
	int turn_fd;                   /* turn.c; 0: not opened yet */
	bool tracer_asked, tracer_off; /* switches.c */
	u8 *data;                      /* the data map, mapped; data_len bytes */
	u32 data_len, gate_off;
	struct ring ring;
	struct bell bell;            /* zero: the program has none */
	struct map_watch *map_watch; /* NULL: not requested */
	struct ahead *ahead;         /* ahead.c; NULL: not asked yet */
	struct mover *movers;        /* by map; */
	u32 n_movers;                /* 0: stacks have one key each from the beginning */
	VEC(struct kept) kept;
	VEC(const char *) probed; /* files with uprobes of ours */
	VEC(struct attachment) attached;
};

/* objects.c */
void kernel_keep(struct kernel *k, int fd, bool slow);
int kernel_note(struct kernel *k, u32 func, u32 n_sites, const char *fmt, ...) FORMAT(4, 5);
/* Raises the soft limit of open files when `more` would not fit. */
void kernel_want_files(struct kernel *k, u32 more);
/* NULL with err set if there is no BTF. */
struct btf *kernel_btf(struct kernel *k, struct err *err);

/* release.c: closes the kept descriptors; slow ones in a separate process unless wait. */
void release_fast(struct kernel *k);
void release_all(struct kernel *k, bool wait, struct leaving *l);
/* turn.c: attaching has priority over detaching. The file, or -1. */
int turn_open(void);
void turn_take(struct kernel *k);
void turn_give(struct kernel *k);
/* Returns when no sonde attaches. */
void turn_yield(int turn);
/* private_dir.c: a descriptor of our private directory, which lasts until reboot, or -1. */
int private_dir(void);

/* data.c: the data map with the gate word at its end. */
int data_create(struct kernel *k, struct err *err);
void data_release(struct kernel *k);
static inline u32 *data_gate(struct kernel *k)
{
	return k->data ? (u32 *)(void *)(k->data + k->gate_off) : NULL;
}

/* move.c: the programs of kernel_map_move(), for maps keyed by user stacks. */
void movers_load(struct kernel *k);
void movers_release(struct kernel *k);

/* ring.c */
int ring_map(struct kernel *k, int fd, u64 size, struct err *err);
int bell_create(struct kernel *k, struct err *err); /* returns its descriptor */
void ring_unmap(struct kernel *k);

/* load.c: the descriptor of a function loaded with another attach type; loads on first use. */
int load_variant(struct kernel *k, u32 func, u32 attach_type, struct err *err);

/* ahead.c: threads that load some functions while the engine loads the others; if it is worth it,
 * once. */
struct ahead_loads {
	bool (*suits)(const struct bpf_func *f); /* any thread may load it */
	/* Loads it with its own attach type: a descriptor, or -1. */
	int (*load)(struct kernel *k, const struct bpf_func *f);
};
void ahead_start(struct kernel *k, const struct ahead_loads *loads);
/* The descriptor if a thread loaded it, which is the caller's; else -1, and no thread loads it. */
int ahead_take(struct kernel *k, u32 func);
/* Ends the threads and closes the descriptors that were not taken. */
void ahead_end(struct kernel *k);
/* join.c: one function of two, made from two, for a session; is_return: BTF id of the kernel
 * function that distinguishes them. NULL: too long. */
struct bpf_func *join_functions(struct arena *a, const struct bpf_func *entry,
				const struct bpf_func *ret, s32 is_return);
/* btf_blob.c: BTF that names the subprograms. Returns a descriptor or -1; info has n_subprogs
 * slots. */
int btf_blob_load(const struct bpf_func *f, u32 shift, struct bpf_func_info *info);

/* attach_*.c: one function for each site kind; 0 or -errno. */
typedef int attach_fn(struct kernel *k, u32 func, const struct site *s, struct err *err);
attach_fn attach_by_hand, attach_raw_tracepoint, attach_trampoline, attach_iter,
	attach_perf_tracepoint, attach_perf_software, attach_perf_timer, attach_watchpoint,
	attach_kprobe, attach_uprobe;
/* Attaches all sites in one call, or none: -EOPNOTSUPP if this kernel or these sites need separate
 * calls. The sites are of one kind, file, direction and process. */
typedef int attach_batch_fn(struct kernel *k, u32 func, const struct site *const *s, u32 n,
			    struct err *err);
attach_batch_fn attach_kprobes, attach_uprobes;
/* Sessions: attach the site and its twin at once. */
attach_fn attach_kprobe_session, attach_trampoline_session;
attach_batch_fn attach_kprobe_sessions;
/* Whether other functions have the name that the script gives, too. */
bool kprobe_has_namesakes(const struct site *s);
/* Whether several functions of the kernel have the name: a trampoline would be on the first one. */
bool is_one_of_several(struct kernel *k, const char *name);
/* Puts a program that others jump to into its slots of the map of programs. 0 or -errno. */
int kernel_put_slots(struct kernel *k, u32 func, const struct site *s, struct err *err);
/* Puts the program on an opened perf event and keeps it; closes it on failure. */
int attach_perf_event(struct kernel *k, int prog_fd, int event, u64 cookie, bool slow);
/* The cookie of a site when the program asks for it, else 0. */
static inline u64 site_cookie(const struct kernel *k, u32 func, const struct site *s)
{
	return k->loaded[func].uses_cookie ? (u64)s->index << k->prog->funcs.v[func]->cookie_shift :
					     0;
}

/* explain.c: text from errno, help by what was tried. Returns -errno. */
enum tried {
	TRIED_MAP,
	TRIED_LOAD,
	TRIED_RUN,
	TRIED_TRACEPOINT,
	TRIED_RAW_TRACEPOINT,
	TRIED_TRAMPOLINE,
	TRIED_PERF,
	TRIED_TIMER,
	TRIED_KPROBE,
	TRIED_UPROBE,
	TRIED_WATCHPOINT,
	TRIED_ITER,
};
int refused(struct err *err, enum tried what, const char *fmt, ...) FORMAT(3, 4);
/* A better hint if the verifier's log has one. */
void explain_log(struct err *err, const char *log);

/* site_needs.c */
bool is_multi_kprobe(const struct site *s);
bool has_uprobe_links(struct kernel *k, const struct site *s);
/* The attach type with which a multi link for this site needs its program loaded; returns
 * `otherwise` if none. */
u32 multi_attach_type(struct kernel *k, const struct site *s, u32 otherwise);
/* Whether such a site does not fire while kernel.ftrace_enabled is 0. */
bool stands_on_function_tracer(const struct kernel *k, u32 func, const struct site *s);

/* switches.c: whether kernel.ftrace_enabled is 0 (read once; k NULL: read again), and the error of
 * a site that is not attached because of it. */
bool function_tracer_is_off(struct kernel *k);
int refused_by_function_tracer(struct err *err, const struct site *s);

/* features.c: tests one feature by using it. feature_cache.c remembers. */
enum feature_answer feature_try(enum feature id);
/* As may_call of struct features. */
bool may_call_kfunc(struct features *f, u32 func_id, u32 prog_type, u32 attach_type, u32 attach_id);

/* rights.c */
/* The limit of locked memory caused the refusal of a map; a missing capability that of user-space
 * probes by perf events. false: another cause. */
bool help_memlock(struct err *err);
bool help_uprobe_right(struct err *err);
bool is_locked_down(void);

#endif
