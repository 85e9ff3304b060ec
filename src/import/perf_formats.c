/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of perf's events (include/uapi/linux/perf_event.h: enum perf_hw_id, perf_sw_ids), and the
 * format of their samples.
 */
#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include "base/buf.h"
#include "import/perf_formats.h"

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache_references",
	"cache_misses",
	"branches",
	"branch_misses",
	"bus_cycles",
	"stalled_cycles_frontend",
	"stalled_cycles_backend",
	"ref_cycles",
};
static const char *const software[] = {
	"cpu_clock",    "task_clock",      "page_faults",      "context_switches", "cpu_migrations",
	"minor_faults", "major_faults",    "alignment_faults", "emulation_faults", NULL, /* dummy */
	"bpf_output",   "cgroup_switches",
};

/* NULL: none of the two lists. */
static const char *generic_name(u32 type, u64 config)
{
	config &= 0xffffffff; /* above it: the processor's kind (PERF_PMU_TYPE_SHIFT) */
	if (type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hardware))
		return hardware[config];
	return type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software) ? software[config] :
									     NULL;
}

/* "L1-dcache-loads:u" -> "L1_dcache_loads". */
static const char *plain(struct arena *a, const char *described)
{
	char *name = arena_strndup(a, described, strcspn(described, ":"));

	for (char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s))
			*s = '_';
	return name;
}

static const char *name_of(struct arena *a, u32 type, u64 config, const char *described)
{
	const char *name = generic_name(type, config);

	if (name)
		return name;
	if (described && *described && *described != ':')
		return plain(a, described);
	if (type == PERF_TYPE_RAW)
		return arena_printf(a, "raw_%llx", (unsigned long long)config);
	return arena_printf(a, "event_%u_%llx", type, (unsigned long long)config);
}

bool perf_formats_add(struct importing *to, u32 id, u32 type, u64 config, const char *described)
{
	struct buf text = { 0 };

	if (type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_DUMMY)
		return false;
	buf_printf(
		&text,
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u64 ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 addr;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 period;\toffset:24;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"ip=0x%%llx addr=0x%%llx period=%%llu\", REC->ip, REC->addr, REC->period\n",
		name_of(&to->arena, type, config, described), id);
	import_add_format(to, "perf", text.s, text.len);
	buf_release(&text);
	return true;
}
