/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a site needs from the kernel: a multi link, the function tracer, a kprobe. */
#include "arch/arch.h"
#include "engine/kernel/internal.h"

/* Whether a link can hold the site: at a function's start, named (the kernel's own) or by
 * address. */
bool is_multi_kprobe(const struct site *s)
{
	return s->kernel.symbol && !s->kernel.offset && (!s->kernel.module || s->kernel.address);
}

bool has_uprobe_links(struct kernel *k, const struct site *s)
{
	return feature_has(k->features, FEAT_UPROBE_MULTI) &&
	       (s->pid <= 0 || feature_has(k->features, FEAT_UPROBE_MULTI_PID));
}

u32 multi_attach_type(struct kernel *k, const struct site *s, u32 otherwise)
{
	if (s->kind == SITE_UPROBE && has_uprobe_links(k, s))
		return ATTACH_UPROBE_MULTI;
	if (s->kind == SITE_KPROBE && is_multi_kprobe(s) &&
	    feature_has(k->features, FEAT_KPROBE_MULTI))
		return ATTACH_KPROBE_MULTI;
	return otherwise;
}

static bool may_be_linked(const struct site *s)
{
	return is_multi_kprobe(s) && feature_has(kernel_features(), FEAT_KPROBE_MULTI);
}

/*
 * Trampolines, multi links, on some processors kprobes at a function's start. Attaching and
 * detaching while it is off leaves flags on the function (kernel/trace/ftrace.c:
 * __ftrace_hash_rec_update clears them when the code is next written, which does not happen). The
 * function tracer then fails when its last user detaches: a warning in the kernel's log, and no
 * kprobe or trampoline until reboot (ftrace_shutdown; seen on 6.1, 6.12, 7.2). So nothing is
 * attached. 5.10 itself refuses trampolines.
 */
bool stands_on_function_tracer(const struct kernel *k, u32 func, const struct site *s)
{
	if (s->kind == SITE_TRAMPOLINE)
		return !k->prog->funcs.v[func]->load.bpf_prog;
	return s->kind == SITE_KPROBE && !s->kernel.offset &&
	       (arch_native->kprobes_on_ftrace || may_be_linked(s));
}

bool kernel_may_disarm(const struct site *s)
{
	return s->kind == SITE_KPROBE && !may_be_linked(s);
}
