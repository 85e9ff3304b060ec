/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter's row: begin, end and test probes in user space (vm/), without any right. Nothing
 * feeds it events: other sites are taken and never fire.
 */
#include "base/clock.h"
#include "engine/engine.h"
#include "vm/vm.h"

static enum feature_answer try_feature(struct features *f, enum feature id)
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
	default: /* facilities of a kernel: not here */ return FEATURE_NO;
	}
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature };

	return &f;
}

static bool serves(const struct site *s, struct engine_answer *a)
{
	a->price_ns = s->kind == SITE_ONCE ? 5000 : PRICE_LAST_RESORT;
	return true;
}

static void *open_machine(struct program *prog, const struct engine_options *o, struct err *err)
{
	struct vm_world world = {
		.pid_tgid = 1ull << 32 | 1, .n_cpus = 1, .comm = "sonde", .ring_size = o->ring_size
	};

	return vm_new(prog, &world);
}

static struct leaving close_machine(void *self)
{
	vm_free(self);
	return (struct leaving){};
}

static int run(void *self, u32 func, s32 *value, struct err *err)
{
	u64 wide = 0;
	int ret = vm_run(self, func, NULL, 0, &wide, err);

	if (value)
		*value = (s32)wide;
	return ret;
}

static int time_it(void *self, u32 func, u64 times, u64 *ns, s32 *value, struct err *err)
{
	u64 start = clock_mono_ns();
	int ret = 0;

	for (u64 i = 0; i < times && ret >= 0; i++)
		ret = run(self, func, value, err);
	*ns = clock_mono_ns() - start;
	return ret;
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	return vm_drain(self, f, ctx);
}

static int map_read(void *self, u32 map, struct arena *a, struct table *t)
{
	return vm_map_read(self, map, a, t);
}

static int map_clear(void *self, u32 map)
{
	return vm_map_clear(self, map);
}

static int map_zero(void *self, u32 map)
{
	return vm_map_zero(self, map);
}

static int map_set(void *self, u32 map, const void *key, const void *value)
{
	return vm_set_add(self, map, key, value);
}

static int map_delete(void *self, u32 map, const void *key)
{
	return vm_set_add(self, map, key, NULL);
}

static u32 stack(void *self, const struct stack_value *v, u32 limit, u64 *ips)
{
	return vm_stack(self, v, limit, ips);
}

static u64 data_u64(void *self, u32 offset)
{
	return vm_data_u64(self, offset);
}

static void set_data_u64(void *self, u32 offset, u64 value)
{
	vm_set_data_u64(self, offset, value);
}

const struct engine engine_interpreter = {
	.name = "interpreter",
	.brief = "begin, end and test probes in user space",
	.by_name_only = true,
	.features = features,
	.serves = serves,
	.open = open_machine,
	.close = close_machine,
	.run = run,
	.time = time_it,
	.drain = drain,
	.map_read = map_read,
	.map_clear = map_clear,
	.map_zero = map_zero,
	.map_set = map_set,
	.map_delete = map_delete,
	.stack = stack,
	.data_u64 = data_u64,
	.set_data_u64 = set_data_u64,
};
