/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by engines that run programs in user space. */
#include "base/clock.h"
#include "engine/in_vm.h"
#include "vm/vm.h"

enum feature_answer in_vm_feature(enum feature id)
{
	switch (id) {
	case FEAT_ATOMIC_FETCH:
	case FEAT_SDIV:
	case FEAT_MOVSX:
	case FEAT_BSWAP:
	case FEAT_BPF_LOOP:
	case FEAT_FOR_EACH_MAP:
	case FEAT_BOOT_NS:
	case FEAT_LOOKUP_PERCPU:
	case FEAT_TAI:
	case FEAT_RINGBUF:
	case FEAT_COOKIE:
	case FEAT_GET_FUNC_IP:
	case FEAT_HASH_NO_PREALLOC:
	case FEAT_LONG_KEYS:
	case FEAT_SIGNAL:
	case FEAT_READ_KERNEL: return FEATURE_YES;
	case FEAT_KALLSYMS: /* is read, not run */ return feature_answer(kernel_features(), id);
	default: /* facilities of a kernel */ return FEATURE_NO;
	}
}

const char *in_vm_lacks(u32 helper)
{
	switch (helper) {
	case BPF_FUNC_get_current_uid_gid: return "users and groups";
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf: return "the kernel's structures of tasks";
	case BPF_FUNC_get_current_cgroup_id:
	case BPF_FUNC_get_current_ancestor_cgroup_id: return "cgroups";
	case BPF_FUNC_get_stack:
	case BPF_FUNC_get_stackid:
	case BPF_FUNC_get_task_stack: return "stacks";
	case BPF_FUNC_get_func_ip: return "functions";
	default: return NULL;
	}
}

static int receive(void *ctx, const void *record, u32 len)
{
	struct in_vm_receiver *to = ctx;

	to->has_enough |= to->f(to->ctx, record, len) != 0;
	return to->has_enough;
}

int in_vm_drain(struct vm *vm, struct in_vm_receiver *to)
{
	return vm_drain(vm, receive, to);
}

bool in_vm_handle(struct vm *vm, u32 func, u64 cookie, const void *ctx, u32 len,
		  struct in_vm_receiver *to)
{
	struct err err = { 0 };
	bool ok;

	vm_world(vm)->cookie = cookie;
	ok = vm_run(vm, func, (void *)(uintptr_t)ctx, len, NULL, &err) >= 0;
	err_release(&err);
	in_vm_drain(vm, to);
	return ok;
}

int in_vm_run(void *self, u32 func, s32 *value, struct err *err)
{
	u64 wide = 0;
	int ret = vm_run(self, func, NULL, 0, &wide, err);

	if (value)
		*value = (s32)wide;
	return ret;
}

int in_vm_time(void *self, u32 func, u64 times, u64 *ns, s32 *value, struct err *err)
{
	u64 start = clock_mono_ns();
	int ret = 0;

	for (u64 i = 0; i < times && ret >= 0; i++)
		ret = in_vm_run(self, func, value, err);
	*ns = clock_mono_ns() - start;
	return ret;
}

int in_vm_map_read(void *self, u32 map, struct arena *a, struct table *t)
{
	return vm_map_read(self, map, a, t);
}

int in_vm_map_clear(void *self, u32 map)
{
	return vm_map_clear(self, map);
}

int in_vm_map_zero(void *self, u32 map)
{
	return vm_map_zero(self, map);
}

int in_vm_map_set(void *self, u32 map, const void *key, const void *value)
{
	return vm_set_add(self, map, key, value);
}

int in_vm_map_delete(void *self, u32 map, const void *key)
{
	return vm_set_add(self, map, key, NULL);
}

u32 in_vm_stack(void *self, const struct stack_value *v, u32 limit, u64 *ips, u64 *time)
{
	return vm_stack(self, v, limit, ips, time);
}

u64 in_vm_data_u64(void *self, u32 offset)
{
	return vm_data_u64(self, offset);
}

void in_vm_set_data_u64(void *self, u32 offset, u64 value)
{
	vm_set_data_u64(self, offset, value);
}
