/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thin layer over bpf(2) and perf_event_open(2). Every function returns a descriptor (close-
 * on-exec) or 0, or -1 with errno set, as the system calls do. Constants and layouts that the
 * headers of the oldest supported distribution (Linux 6.1) lack are written here.
 */
#ifndef SONDE_ENGINE_BPF_H
#define SONDE_ENGINE_BPF_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include "base/base.h"

enum { /* enum bpf_attach_type */
       ATTACH_TRACE_RAW_TP = 23,
       ATTACH_TRACE_FENTRY = 24,
       ATTACH_TRACE_ITER = 28,
       ATTACH_PERF_EVENT = 41,
       ATTACH_KPROBE_MULTI = 42,
       ATTACH_UPROBE_MULTI = 48,   /* 6.6 */
       ATTACH_KPROBE_SESSION = 56, /* 6.10 */
       ATTACH_UPROBE_SESSION = 57, /* 6.13 */
       ATTACH_TRACE_FSESSION = 58, /* 7.0 */
};

enum {
	LINK_MULTI_RETURN = 1, /* BPF_F_KPROBE_MULTI_RETURN, BPF_F_UPROBE_MULTI_RETURN */
};

struct bpf_load { /* the arguments of BPF_PROG_LOAD */
	u32 prog_type, attach_type, attach_btf_id, flags;
	int attach_fd; /* BTF object or program to which attach_btf_id refers; 0: the kernel */
	const struct bpf_insn *insns;
	u32 n_insns;
	const char *license;
	const char *name; /* at most 15 characters of [A-Za-z0-9_.], or NULL */
	char *log;        /* NULL: none */
	u32 log_size, log_level;
	int btf_fd; /* 0: none */
	const void *func_info;
	u32 n_func_info; /* records of struct bpf_func_info */
};

struct bpf_multi_link { /* kprobe_multi and uprobe_multi */
	u32 attach_type;
	int prog_fd;
	bool is_return;
	u32 n;
	const char *const *syms; /* kprobe: names, or ... */
	const u64 *addrs;        /* ... kprobe: addresses; uprobe: file offsets */
	const u64 *ref_ctrs;     /* uprobe: semaphores, or NULL */
	const u64 *cookies;      /* or NULL */
	const char *path;        /* uprobe */
	u32 pid;                 /* uprobe: 0: all */
};

int bpf_map_create(u32 type, const char *name, u32 key_size, u32 value_size, u32 max_entries,
		   u32 flags);
int bpf_map_lookup(int fd, const void *key, void *value);
int bpf_map_update(int fd, const void *key, const void *value, u64 flags);
int bpf_map_delete(int fd, const void *key);
/* key NULL: returns the first. -1 with ENOENT at the end. */
int bpf_map_next_key(int fd, const void *key, void *next);
/* Reads up to *n elements; in: position of the former call or NULL; ENOENT with *n set is the
 * end. */
int bpf_map_lookup_batch(int fd, const void *in, void *out, void *keys, void *values, u32 *n);
int bpf_map_delete_batch(int fd, const void *keys, u32 *n);
int bpf_prog_load(const struct bpf_load *l);
int bpf_prog_run(int fd, const void *ctx, u32 ctx_size, u32 *ret);
/* A raw tracepoint program without a context, on a processor, with its interrupts off. */
int bpf_prog_run_on(int fd, u32 cpu, u32 *ret);
int bpf_prog_recursion_misses(int fd, u64 *n);
bool bpf_prog_counts_misses(int fd); /* whether the kernel counts them */
/* While the descriptor that bpf_enable_stats() returns is open, the kernel counts the run time of
 * programs. */
int bpf_enable_stats(void);
int bpf_prog_run_time(int fd, u64 *ns);
/* How many instructions the verifier processed (5.16). */
int bpf_prog_followed(int fd, u64 *n);
int bpf_btf_load(const void *btf, u32 len, char *log, u32 log_size);
/* name NULL: the program names the target (attach_btf_id). cookie 0 works on old kernels. */
int bpf_raw_tracepoint_open(const char *name, int prog_fd, u64 cookie);
int bpf_link_perf(int prog_fd, int event_fd, u64 cookie);
int bpf_link_tracing(int prog_fd, u32 attach_type, u64 cookie);
int bpf_link_multi(const struct bpf_multi_link *l);
int bpf_link_iter(int prog_fd);
int bpf_iter_create(int link_fd);
int bpf_obj_pin(int fd, const char *path);
/* Whether a call has failed for lack of permission since the last query: EPERM, EACCES, ENOSYS. */
bool bpf_refused_since(void);
/* Whether a call has failed for lack of memory or descriptors, or because of a signal, since the
 * last query. */
bool bpf_short_since(void);

/* Copies at most 15 characters, those that the kernel accepts in a name. */
void object_name(char to[BPF_OBJ_NAME_LEN], const char *name);

#endif
