/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscalls:sys_enter_NAME, sys_exit_NAME; raw_syscalls:sys_enter and sys_exit by their number. */
#include <stdio.h>
#include "export/calls.h"
#include "export/export.h"
#include "sym/syscalls.h"

static const char *name_of_number(u32 nr)
{
	static char unknown[24];
	const char *name = syscall_name(nr);

	if (name)
		return name;
	snprintf(unknown, sizeof unknown, "%u", nr);
	return unknown;
}

bool call_of_event(const struct trace_event *e, struct call_event *call)
{
	static const char *const sides[] = { "sys_enter", "sys_exit" };
	const char *colon = strchr(e->format->name, ':'), *rest;
	bool is_raw = starts_with(e->format->name, "raw_syscalls:");

	if (!colon || (!is_raw && !starts_with(e->format->name, "syscalls:")))
		return false;
	for (u32 side = 0; side < ARRAY_SIZE(sides); side++) {
		if (!starts_with(colon + 1, sides[side]))
			continue;
		rest = colon + 1 + strlen(sides[side]);
		*call = (struct call_event){ .is_exit = side, .is_raw = is_raw };
		call->number = is_raw ? (u32)event_number(e, "id") : 0;
		call->name = is_raw ? name_of_number(call->number) : rest + (*rest == '_');
		return true;
	}
	return false;
}
