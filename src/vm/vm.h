/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF bytecode in user space: the interpreter. It runs a whole program, maps included, without the
 * kernel's BPF: tests compare the two, --vm runs a script in it, and scripts of begin and end only
 * need no privilege. Instruction set: Documentation/bpf/standardization/instruction-set.rst.
 */
#ifndef SONDE_VM_H
#define SONDE_VM_H

#include "base/err.h"
#include "trace/table.h"
#include "type/program.h"

struct shared_maps;
struct vm;

/* The system that programs see: fixed values make tests deterministic. */
struct vm_world {
	u64 pid_tgid, uid_gid, cgroup_id;
	char comm[16], leader_comm[16];
	u32 cpu, n_cpus, numa_node;
	u64 ring_size; /* bytes, a power of two, as the kernel engine's ring; 0: 1 MB */
	u64 (*now_ns)(void *ctx, u32 clock); /* enum timestamp_mode; NULL: real clocks */
	u32 (*random)(void *ctx);
	/*
	 * probe_read: returns 0 or -errno. NULL: reads fail with -EFAULT, except inside the vm's
	 * own memory.
	 */
	int (*read)(void *ctx, void *dst, u32 len, u64 addr, bool user);
	/* Stacks: fills ips, returns the number of frames. flags: those of bpf_get_stack. */
	int (*stack)(void *ctx, u64 *ips, u32 max, u64 flags);
	u64 task;                       /* bpf_get_current_task */
	u64 func_ip, cookie;            /* bpf_get_func_ip, bpf_get_attach_cookie */
	bool ignores_signals;           /* bpf_send_signal does nothing, and is not counted */
	void (*before_insn)(void *ctx); /* may be NULL; may call vm_interrupt() */
	/* Maps in memory that others change, too (shared.h); borrowed. NULL: the machine's own. */
	const struct shared_maps *shared;
	u8 *block;
	void *ctx;
};

/* Copies *world. prog must outlive the result, which vm_free() frees. */
struct vm *vm_new(struct program *prog, const struct vm_world *world);
void vm_free(struct vm *vm);
/*
 * The vm's copy, to be changed between runs: the next event's pid, CPU, comm. n_cpus must not
 * change.
 */
struct vm_world *vm_world(struct vm *vm);
/*
 * Runs prog->funcs[func] with r1 = ctx (len bytes readable). 0 and *ret, or -errno and err at a
 * fault (bad access, bad opcode, more than the limit of instructions).
 */
int vm_run(struct vm *vm, u32 func, void *ctx, u32 len, u64 *ret, struct err *err);
/*
 * Runs another function, without a context, between two instructions of the current one. 0, or a
 * fault that ends both.
 */
int vm_interrupt(struct vm *vm, u32 func);
/* As the kernel engine's. A record for which f returns non-zero counts as consumed. */
typedef int (*vm_record_fn)(void *ctx, const void *record, u32 len);
int vm_drain(struct vm *vm, vm_record_fn f, void *ctx);
int vm_map_read(struct vm *vm, u32 map, struct arena *a, struct table *t);
int vm_map_clear(struct vm *vm, u32 map);
int vm_map_zero(struct vm *vm, u32 map);
u32 vm_stack(struct vm *vm, const struct stack_value *v, u32 limit, u64 *ips, u64 *time);
u64 vm_data_u64(struct vm *vm, u32 offset);
void vm_set_data_u64(struct vm *vm, u32 offset, u64 v);
int vm_set_add(struct vm *vm, u32 map, const void *key, const void *value);
/* The most instructions of one run (default 1 << 30); a run that exceeds them fails with -ELOOP. */
void vm_set_limit(struct vm *vm, u64 steps);
/* The signals that bpf_send_signal was called with so far; *signals belongs to the vm. */
u32 vm_signals(const struct vm *vm, const u32 **signals);

#endif
