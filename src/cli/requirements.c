/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sonde needs, and what it does with less: rows of the situations, and the kernel features of type/features.def.
 * Out: doc/requirements.md. tests/live/less and tests/vm/live/less make each situation and look.
 */
#include <ctype.h>
#include "cli/topic.h"
#include "type/features.h"

static const struct situation {
	const char *missing, *works, *lost, *way_out;
} situations[] = {
	{ "root, CAP_BPF and CAP_PERFMON",
	  "check, fmt, explain, help, list (of what may be read), -d, build; begin, end and test probes by --vm",
	  "everything that attaches; the message names what is missing",
	  "sudo, or both capabilities" },
	{ "CAP_BPF alone", "as without rights", "programs cannot be loaded",
	  "CAP_PERFMON as well" },
	{ "CAP_PERFMON alone", "as without rights", "maps and programs cannot be made",
	  "CAP_BPF as well" },
	{ "CAP_SYS_ADMIN, with CAP_BPF and CAP_PERFMON, where kernel.perf_event_paranoid is above 2 (Debian, Ubuntu)",
	  "rawtracepoint, syscall, tracepoint without fields, fentry, fexit, iter, kprobe and uprobe by multi links",
	  "what is attached by perf events: tracepoint with fields, profile, interval, software, watchpoint, kprobe and uprobe of older kernels; "
	  "uprobe before Linux 6.6 whatever that says",
	  "sysctl kernel.perf_event_paranoid=2" },
	{ "the right to read tracefs",
	  "rawtracepoint, syscall, kprobe, fentry, uprobe, iter, timers; tracepoint where no field is read, by BTF",
	  "the fields of tracepoints; lists of them",
	  "root, or a group for tracefs: mount -o remount,gid=GROUP" },
	{ "tracefs (not mounted, and not mountable)", "as above", "as above",
	  "mount -t tracefs tracefs /sys/kernel/tracing" },
	{ "BTF (/sys/kernel/btf)",
	  "tracepoint, kprobe and uprobe with arg0, arg1 ..., syscall, timers, --follow by a tracepoint",
	  "fentry, iter, arguments of kprobe and rawtracepoint by name, kernel structures",
	  "a kernel with CONFIG_DEBUG_INFO_BTF, or BPFTRACE_BTF=FILE of the same kernel; structures can be written in the script" },
	{ "lockdown below integrity", "all but what writes", "write_user",
	  "none while locked down" },
	{ "lockdown below confidentiality",
	  "counts; numbers behind typed pointers (args of rawtracepoint, fentry, lsm and iter, curtask), memory of programs, uprobe, "
	  "usdt, syscall, timers, --follow; kprobe multi links",
	  "other kernel memory, its strings too; tracefs; kprobe by perf events",
	  "a boot with lockdown=integrity" },
	{ "addresses in /proc/kallsyms (kernel.kptr_restrict)", "everything",
	  "kernel stacks and ksym() are numbers", "root, sysctl kernel.kptr_restrict=1" },
	{ "CAP_SYS_PTRACE, for processes of others", "everything that attaches to all processes",
	  "symbols of those processes: numbers, which the end of the run says",
	  "root, or CAP_SYS_PTRACE; newer kernels take CAP_PERFMON" },
	{ "the kernel's switches (kernel.ftrace_enabled, kprobes/enabled in debugfs)",
	  "tracepoint, rawtracepoint, syscall, uprobe, timers, iter",
	  "fentry, fexit, lsm, kprobe at functions: not attached while the function tracer is off, which would break it until "
	  "the next boot; kprobes that are disarmed are attached and do not run, which is said",
	  "the message names the switch" },
	{ "open files (ulimit -n)", "what fits", "many probes that no multi link holds",
	  "ulimit -n; with CAP_SYS_RESOURCE sonde takes what it needs" },
	{ "/proc", "everything that attaches", "symbols of kernel and processes, -p, the self-test",
	  "mount -t proc proc /proc" },
	{ "/sys", "rawtracepoint with arg0, arg1 ..., syscall, timers, software events",
	  "BTF, tracefs, kprobe and uprobe by perf events", "mount -t sysfs sysfs /sys" },
	{ "a place to write (/run, /tmp, HOME)", "everything",
	  "features are tried at each start, some milliseconds", "" },
	{ "bpf(2), by seccomp", "as without rights", "everything that attaches",
	  "run sonde outside of the container" },
	{ "CAP_SYS_RESOURCE, before Linux 5.11", "what fits the limit of locked memory",
	  "larger maps", "ulimit -l unlimited" },
	{ "hardware counters (virtual machines)", "profile, software", "hardware", "" },
};

static void put_cell(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (strchr("*_<>`[]|\\", *text))
			buf_putc(b, '\\');
		buf_putc(b, *text);
	}
	buf_puts(b, " |");
}

static void put_cells(struct buf *b, const char *const *text, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		put_cell(b, text[i]);
		buf_putc(b, i + 1 < n ? ' ' : '\n');
	}
}

static void put_feature(struct buf *b, const struct feature_row *row)
{
	buf_puts(b, "| `");
	for (const char *s = row->name; *s; s++)
		buf_putc(b, (char)tolower((u8)*s));
	buf_puts(b, "` | ");
	put_cells(b, (const char *[]){ row->text, row->since, row->without }, 3);
}

void put_requirements(struct buf *b)
{
	buf_puts(
		b,
		"# What sonde needs, and what it does without\n\n"
		"Printed by `sonde help --requirements-md` from the program's own tables; not written by hand.\n\n"
		"Linux 5.10 or newer on x86-64 or arm64, and root, or CAP\\_BPF and CAP\\_PERFMON. No headers, no compiler, no "
		"library beyond libc; a static build runs alone in 64 MB of memory. Everything else is used where it is there. "
		"`sonde info` says what this system has, `sonde info --selftest` which probe types count right on it.\n\n"
		"## Less than everything\n\n"
		"| without | works | does not | way out |\n| --- | --- | --- | --- |\n");
	for (u32 i = 0; i < ARRAY_SIZE(situations); i++) {
		const struct situation *s = &situations[i];

		buf_puts(b, "| ");
		put_cells(b, (const char *[]){ s->missing, s->works, s->lost, s->way_out }, 4);
	}
	buf_puts(
		b,
		"\n## Features of the kernel\n\n"
		"Each is tried, never read off the version: distributions carry features backwards. Those that only make "
		"things faster are replaced without a word.\n\n"
		"| feature | what it is | since Linux | without it |\n| --- | --- | --- | --- |\n");
	for (u32 i = 0; i < N_FEATURES; i++)
		put_feature(b, &feature_rows[i]);
}
