/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites as perf events: their part of struct perf_event_attr (include/uapi/linux/perf_event.h). */
#include "engine/machine.h"

static void set_period(struct perf_event_attr *attr, const struct site *s)
{
	attr->freq = s->event.is_freq;
	if (s->event.is_freq)
		attr->sample_freq = s->event.period;
	else
		attr->sample_period = s->event.period ? s->event.period : 1;
}

void perf_attr_software(struct perf_event_attr *attr, const struct site *s)
{
	attr->type = s->event.type;
	attr->config = s->event.config;
	set_period(attr, s);
}

void perf_attr_timer(struct perf_event_attr *attr, const struct site *s)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	set_period(attr, s);
}

void perf_attr_watchpoint(struct perf_event_attr *attr, const struct site *s)
{
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->sample_period = 1;
	attr->bp_addr = s->watch.address;
	attr->bp_len = s->watch.len;
	attr->bp_type = s->watch.type;
}
