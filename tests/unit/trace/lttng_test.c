/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of LTTng's events in both directions: those of tests/live/record/lttng.list. Values. */
#include <stdio.h>
#include "tap.h"
#include "base/buf.h"
#include "trace/lttng.h"

static struct arena fx;

/* "event NAME SYSTEM:EVENT ..."; "-": the kernel has no such event. */
static u32 compare(char *line, u32 *wrong)
{
	const char *name, *kernel, *system, *event;

	if (!starts_with(line, "event "))
		return 0;
	strtok(line, " \n");
	name = strtok(NULL, " \n");
	kernel = strtok(NULL, " \n");
	if (!kernel || streq(kernel, "-"))
		return 0;
	lttng_kernel_event(&fx, name, &system, &event);
	if (!streq(lttng_event_name(&fx, kernel), name) ||
	    !streq(arena_printf(&fx, "%s:%s", system, event), kernel)) {
		note("%s: %s; %s: %s:%s", kernel, lttng_event_name(&fx, kernel), name, system,
		     event);
		(*wrong)++;
	}
	return 1;
}

static void names(void)
{
	FILE *f = fopen("tests/live/record/lttng.list", "r");
	char line[4096];
	u32 n = 0, wrong = 0;

	while (f && fgets(line, sizeof line, f))
		n += compare(line, &wrong);
	if (f)
		fclose(f);
	ok(n > 150 && !wrong, "%u names of events, %u wrong", n, wrong);
	is_str(lttng_field_name(&fx, "sched:sched_switch", "prev_pid"), "prev_tid", "a thread");
	is_str(lttng_field_name(&fx, "signal:signal_generate", "pid"), "pid", "not of sched");
	is_str(lttng_field_name(&fx, "syscall_entry_mmap", "off"), "offset", "an argument");
}

static void requests(void)
{
	static const struct {
		const char *rwbs;
		u32 flags;
	} v[] = { { "R", 4 },
		  { "WS", 33 },
		  { "RA", 12 },
		  { "N", 0 },
		  { "DE", 130 },
		  { "FF", 1280 },
		  { "FWFSM", 1 | 1024 | 512 | 32 | 64 },
		  { "WFS", 545 },
		  { "FWS", 1057 },
		  { "F", 256 } };
	char text[RWBS_SIZE];

	for (u32 i = 0; i < ARRAY_SIZE(v); i++) {
		is_int(lttng_request(v[i].rwbs, strlen(v[i].rwbs)), v[i].flags, "%s", v[i].rwbs);
		lttng_request_text(v[i].flags, text);
		is_str(text, v[i].rwbs, "%u is %s", v[i].flags, v[i].rwbs);
	}
	lttng_request_text(~0u, text);
	is_str(text, "FWDRFEFASM", "all flags fit");
	is_int(lttng_request("", 0), 0, "nothing");
}

static void values(void)
{
	is_int(lttng_state(0), 0, "R");
	is_int(lttng_state(1), 1, "S");
	is_int(lttng_state(0x100), 0, "R+");
	is_int(lttng_state(0x20), LTTNG_DEAD, "Z");
	is_int(lttng_state(0x80), 2, "I");
	is_int(lttng_value_of("sched:sched_switch", "prev_prio"), LTTNG_PRIO, "prev_prio");
	is_int(lttng_value_of("sched:sched_pi_setprio", "newprio"), LTTNG_PRIO, "newprio");
	is_int(lttng_value_of("block:block_rq_issue", "rwbs"), LTTNG_REQUEST, "rwbs");
	is_int(lttng_value_of("signal:signal_generate", "sig"), LTTNG_SAME, "sig");
}

int main(void)
{
	arena_init(&fx);
	names();
	requests();
	values();
	arena_release(&fx);
	return done();
}
