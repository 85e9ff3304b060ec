/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel switches that keep a probe from running although attaching succeeds; this is reported.
 * Each is a number in a file, 0: off. A file that cannot be read is ignored.
 */
#include <errno.h>
#include "engine/kernel/internal.h"

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

const char *kernel_disarmed(void)
{
	return file_number("/sys/kernel/debug/kprobes/enabled") ?
		       NULL :
		       "kprobes are disarmed, and do not run: echo 1 >/sys/kernel/debug/kprobes/enabled";
}
