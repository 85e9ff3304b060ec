/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter's row: begin, end and test probes in user space (vm/), without privileges. It has
 * no source of events: other sites are accepted and never fire.
 */
#include "engine/in_vm.h"
#include "vm/vm.h"

static enum feature_answer try_feature(struct features *f, enum feature id)
{
	return in_vm_feature(id);
}

static struct features *features(void)
{
	static struct features f = { .probe = try_feature, .engine = "interpreter" };

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
	return (struct leaving){ 0 };
}

static int drain(void *self, u64 until, record_fn f, void *ctx)
{
	return vm_drain(self, f, ctx);
}

const struct engine engine_interpreter = {
	.name = "interpreter",
	.brief = "begin, end and test probes in user space",
	.by_name_only = true,
	.features = features,
	.serves = serves,
	.open = open_machine,
	.close = close_machine,
	.run = in_vm_run,
	.drain = drain,
	IN_VM_OPERATIONS,
};
