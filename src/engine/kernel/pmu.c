/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kprobe and uprobe PMUs (kernel/events/core.c): their numbers and the bits of their settings,
 * from sysfs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "engine/machine.h"

#define PMU_DIR "/sys/bus/event_source/devices/"

/* "config:32-63" in a PMU's format file: the first bit. */
static u32 format_shift(const char *pmu, const char *field, u32 otherwise)
{
	char path[96];
	struct buf b = { 0 };
	u32 shift = otherwise;

	snprintf(path, sizeof path, PMU_DIR "%s/format/%s", pmu, field);
	if (buf_read_file(&b, path) == 0 && b.s && starts_with(b.s, "config:"))
		shift = (u32)atoi(b.s + strlen("config:"));
	buf_release(&b);
	return shift;
}

int pmu_probe(struct perf_event_attr *attr, const char *pmu, const struct site *s)
{
	char path[64];
	s64 type;

	snprintf(path, sizeof path, PMU_DIR "%s/type", pmu);
	type = file_number(path);
	if (type < 0)
		return -errno;
	attr->type = (u32)type;
	attr->sample_period = 1;
	if (s->is_return)
		attr->config |= 1ull << format_shift(pmu, "retprobe", 0);
	if (s->kind == SITE_UPROBE && s->user.ref_ctr_offset)
		attr->config |= s->user.ref_ctr_offset << format_shift(pmu, "ref_ctr_offset", 32);
	return 0;
}
