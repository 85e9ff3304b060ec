/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations of engines that run programs in user space (vm/): their self is the struct vm. */
#ifndef SONDE_ENGINE_IN_VM_H
#define SONDE_ENGINE_IN_VM_H

#include "engine/engine.h"

/* Which kernel features the interpreter has. */
enum feature_answer in_vm_feature(enum feature id);

/* What no event of such an engine has (struct engine's lacks); NULL: it depends on the engine. */
const char *in_vm_lacks(u32 helper);

struct vm;
/* The receiver of drained records. */
struct in_vm_receiver {
	record_fn f;
	void *ctx;
	bool has_enough; /* f returned nonzero */
};
/* Passes on all waiting records; returns their number. */
int in_vm_drain(struct vm *vm, struct in_vm_receiver *to);
/* Runs a function for the site with that index and passes on its records. False: a fault ended
 * it. */
bool in_vm_handle(struct vm *vm, u32 func, u64 cookie, const void *ctx, u32 len,
		  struct in_vm_receiver *to);

int in_vm_run(void *self, u32 func, s32 *value, struct err *err);
int in_vm_time(void *self, u32 func, u64 times, u64 *ns, s32 *value, struct err *err);
int in_vm_map_read(void *self, u32 map, struct arena *a, struct table *t);
int in_vm_map_clear(void *self, u32 map);
int in_vm_map_zero(void *self, u32 map);
int in_vm_map_set(void *self, u32 map, const void *key, const void *value);
int in_vm_map_delete(void *self, u32 map, const void *key);
u32 in_vm_stack(void *self, const struct stack_value *v, u32 limit, u64 *ips, u64 *time);
u64 in_vm_data_u64(void *self, u32 offset);
void in_vm_set_data_u64(void *self, u32 offset, u64 value);

/* The operations that they share in struct engine; run is not among them. */
#define IN_VM_OPERATIONS                                                                           \
	.time = in_vm_time, .map_read = in_vm_map_read, .map_clear = in_vm_map_clear,              \
	.map_zero = in_vm_map_zero, .map_set = in_vm_map_set, .map_delete = in_vm_map_delete,      \
	.stack = in_vm_stack, .data_u64 = in_vm_data_u64, .set_data_u64 = in_vm_set_data_u64

#endif
