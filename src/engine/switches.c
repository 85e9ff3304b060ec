/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches of the kernel that keep a probe from running although it is attached and nothing was refused: who
 * finds no events wants to know. Each is a number in a file, 0: off. A file that may not be read says nothing.
 */
#include "engine/internal.h"

/* Stands on what the function tracer calls: trampolines, multi links, kprobes at a function's start (CONFIG_KPROBES_ON_FTRACE). */
static bool by_function_tracer(const struct site *s)
{
	return s->kind == SITE_TRAMPOLINE || (s->kind == SITE_KPROBE && !s->offset);
}

static bool is_kprobe(const struct site *s)
{
	return s->kind == SITE_KPROBE && !(is_multi_kprobe(s) && feature_has(kernel_features(), FEAT_KPROBE_MULTI));
}

static const struct {
	bool (*concerns)(const struct site *s);
	const char *file, *text;
} switches[] = {
	{ by_function_tracer, "/proc/sys/kernel/ftrace_enabled",
	  "the kernel calls no probe at its functions, because kernel.ftrace_enabled is 0: sysctl kernel.ftrace_enabled=1" },
	{ is_kprobe, "/sys/kernel/debug/kprobes/enabled",
	  "kprobes are disarmed, and do not run: echo 1 >/sys/kernel/debug/kprobes/enabled" },
};

/* Kernels before 5.11 or so refuse trampolines then, as if somebody else had the function. */
bool help_function_tracer(struct err *err)
{
	if (file_number(switches[0].file))
		return false;
	err_help(err, "%s", switches[0].text);
	return true;
}

u32 kernel_n_switches(void)
{
	return ARRAY_SIZE(switches);
}

bool kernel_switch_concerns(u32 i, const struct site *s)
{
	return switches[i].concerns(s);
}

const char *kernel_switched_off(u32 i)
{
	return file_number(switches[i].file) == 0 ? switches[i].text : NULL;
}
