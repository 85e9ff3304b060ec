/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches of the kernel that keep a probe from running although nothing was refused: who finds no
 * events wants to know. Each is a number in a file, 0: off. A file that may not be read means
 * nothing.
 */
#include <errno.h>
#include "engine/kernel/internal.h"
#include "arch/arch.h"

static bool may_be_linked(const struct site *s)
{
	return is_multi_kprobe(s) && feature_has(kernel_features(), FEAT_KPROBE_MULTI);
}

/*
 * Trampolines, multi links, on some processors kprobes at a function's start. What is attached and
 * detached while it is off leaves flags at its function (kernel/trace/ftrace.c:
 * __ftrace_hash_rec_update clears them when the code is next written, which it is not), at which
 * the function tracer gives up when the last of its users goes: a warning in the kernel's log, and
 * no kprobe or trampoline until the next boot (ftrace_shutdown; seen on 6.1, 6.12, 7.2). So nothing
 * is attached. 5.10 refuses trampolines by itself.
 */
bool stands_on_function_tracer(const struct kernel *k, u32 func, const struct site *s)
{
	if (s->kind == SITE_TRAMPOLINE)
		return !k->prog->funcs.v[func]->attach_prog;
	return s->kind == SITE_KPROBE && !s->offset &&
	       (arch_native->kprobes_on_ftrace || may_be_linked(s));
}

bool function_tracer_is_off(struct kernel *k)
{
	static const char file[] = "/proc/sys/kernel/ftrace_enabled";

	if (!k)
		return file_number(file) == 0;
	if (!k->tracer_asked)
		k->tracer_off = file_number(file) == 0;
	k->tracer_asked = true;
	return k->tracer_off;
}

int refused_by_function_tracer(struct err *err, const struct site *s)
{
	err_set(err, -EOPNOTSUPP,
		"attach to %s: the kernel calls no probe at its functions, because kernel.ftrace_enabled is 0",
		s->probe);
	err_help(err, "sysctl kernel.ftrace_enabled=1");
	return -EOPNOTSUPP;
}

/* ---- kprobes */

bool kernel_may_disarm(const struct site *s)
{
	return s->kind == SITE_KPROBE && !may_be_linked(s);
}

const char *kernel_disarmed(void)
{
	return file_number("/sys/kernel/debug/kprobes/enabled") ?
		       NULL :
		       "kprobes are disarmed, and do not run: echo 1 >/sys/kernel/debug/kprobes/enabled";
}
