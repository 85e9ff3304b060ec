/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table. Words of a row are separated by blanks; = after one: a value follows. Options that
 * sonde has are not here, but in option.c: those are looked up first.
 */
#include "cli/peer.h"

struct peer_row {
	const char *command; /* of sonde; NULL: the words are commands of other tools */
	const char *words;
	const char *answer; /* NULL: without effect */
};

static const char machine
	[] = "sonde reads no samples of the processor's memory and branch units: perf does",
 by_script[] =
	 "sonde has its own language: sonde run --from FILE SCRIPT; a flame graph: sonde export --to html|folded FILE; others read sonde script -f json",
 by_user[] = "--where 'uid == 1000'",
 by_event[] = "sonde trace SYSTEM:EVENT prints it, sonde list -v SYSTEM:EVENT its fields",
 nothing_global[] =
	 "nothing stays on after a run and nothing global changes; after a kill: sonde detach",
 by_session[] =
	 "sonde record start NAME -e EVENT, record snapshot NAME, record stop NAME; sonde ftrace prints at once";

/* clang-format off */
static const struct peer_row rows[] = {
	/* perf */
	{ NULL, "annotate", "sonde profile --lines has the samples of each source line" },
	{ NULL, "archive", "a recording has the build ids of its files; copy it, and the files or DEBUGINFOD_URLS find them" },
	{ NULL, "bench", "sonde has no workloads: perf bench, and sonde beside it" },
	{ NULL, "buildid-cache", "there is no cache: files are found by path, build id and DEBUGINFOD_URLS" },
	{ NULL, "buildid-list", "sonde export --to perf -o x.perf.data FILE, and perf buildid-list -i x.perf.data" },
	{ NULL, "c2c", machine },
	{ NULL, "config daemon", "there are no files of configuration and no daemon; sonde record start NAME records in the background" },
	{ NULL, "data convert", "sonde export --to ctf|chrome|perfetto|perf|trace.dat FILE" },
	{ NULL, "diff", "sonde profile -o new.html compares with older pages and folded stacks (\"compare with\"); sonde report --sort dso,sym for each file" },
	{ NULL, "evlist", "the first table of sonde report FILE" },
	{ NULL, "inject", "nothing is needed in between: build ids and the maps of JIT compilers are read while recording" },
	{ NULL, "intel-pt iostat", machine },
	{ NULL, "kallsyms", "sonde list -v kprobe:NAME; /proc/kallsyms has the addresses" },
	{ NULL, "kmem", "sonde mem, live or --from FILE" },
	{ NULL, "kvm", "sonde trace 'kvm:*', or sonde record -e 'kvm:*'" },
	{ NULL, "kwork", "sonde irq, live or --from FILE; runs of threads: sonde sched timehist" },
	{ NULL, "test", "sonde info --selftest" },
	{ NULL, "timechart", "sonde record CMD, and sonde view or sonde export -o x.html" },
	{ NULL, "version", "sonde --version" },
	/* trace-cmd */
	{ NULL, "agent listen setup-guest", "sonde record -o - writes a recording to a pipe, as of ssh" },
	{ NULL, "attach", "sonde export --to trace.dat, and trace-cmd attach" },
	{ NULL, "check-events options", "formats and options are those of the kernel: sonde list -v, sonde ftrace -O NAME" },
	{ NULL, "dump restore", "sonde report FILE says what a recording has" },
	{ NULL, "extract snapshot", "sonde record start NAME --overwrite 16M, and record snapshot NAME" },
	{ NULL, "hist", "sonde report --sort comm,sym FILE; of a field: sonde run --from FILE -e 'tracepoint:SYSTEM:EVENT { @[args.FIELD] = count(); }'" },
	{ NULL, "reset clear reset-ftrace suspend resume restart", nothing_global },
	{ NULL, "set start stop show", by_session },
	{ NULL, "split", "sonde script --time FROM,TO, and sonde export --time FROM,TO -o PART.perf.data" },
	{ NULL, "sqlhist", "sonde -e PROGRAM: @start[tid] = nsecs at one event, hist(nsecs - @start[tid]) at the other" },
	{ NULL, "stack", "the deepest kernel stacks: trace-cmd stack; sonde has no stack tracer" },
	{ NULL, "stream", "sonde trace EVENT -- CMD, or sonde ftrace -T FUNC CMD" },
	/* perf-tools */
	{ NULL, "funcgraph", "sonde ftrace -G FUNC, or sonde flow FUNC" },
	{ NULL, "funcslower", "sonde flow FUNC --over 1ms" },
	{ NULL, "functrace", "sonde ftrace -T FUNC" },
	{ NULL, "iolatency", "sonde run biolatency" },
	{ NULL, "iosnoop", "sonde run biosnoop" },
	{ NULL, "kprobe uprobe", "sonde trace 'p:NAME FUNC ARG...', or uprobe:FILE:FUNC" },
	{ NULL, "perf-stat-hist", "sonde -e 'tracepoint:SYSTEM:EVENT { @ = hist(args.FIELD); }'" },
	{ NULL, "tpoint", by_event },
	/* words and options */
	{ "lock", "contention", NULL },
	{ "lock", "record report info script", "sonde lock records by itself; of a file: sonde record -e 'lock:*' CMD, and sonde lock --from sonde.data" },
	{ "mem", "record report", machine },
	{ "sched", "replay", "sonde replays no load: perf sched replay, of sonde export --to perf" },
	{ "sched", "script", "sonde script FILE prints the events" },
	{ "stat", "record report", "sonde stat -x , -o FILE or -j -o FILE keeps what it counts" },
	{ "ftrace", "trace", NULL },
	{ "ftrace", "latency", "sonde -e 'fentry:FUNC { @s[tid] = nsecs; } fexit:FUNC { @ = hist(nsecs - @s[tid]); }', or sonde run kfunclatency FUNC" },
	{ "trace", "record", "sonde record CMD, and sonde script" },
	{ "report", "-M= --disassembler-style= --vmlinux= -k= --kallsyms= --symfs= -f --force -m --modules --demangle --no-demangle --demangle-kernel --no-inline --inline -q --quiet -T --threads --full-source-path --ignore-vmlinux --source --raw-trace --stitch-lbr -w= --column-widths= --skip-empty --tui --gtk", NULL },
	{ "report", "--tasks --mmaps --stats --stat -E --events --uname", "the tables of sonde report without options have events and threads; --header-only the system" },
	{ "report", "-D --dump-raw-trace -R --raw --check-events -P -N -V -L -l -H= -O=", "sonde script prints events, with --ftrace as the kernel's trace file, with -f json all fields" },
	{ "report", "--group --socket-filter= --max-stack= --hierarchy --showcpuutilization -p= --parent= -x --exclude-other --ignore-callees= --mem-mode -b --branch-stack --branch-history --samples --total-cycles --latency --itrace=", "sonde view and sonde tui FILE show callers and callees; sonde report has tables by --sort" },
	{ "report", "-e= --event=", "sonde script --filter, or tables of all events" },
	{ "script", "-k= --vmlinux= --kallsyms= --symfs= -f --force -I --show-info -L --Latency --demangle --no-demangle --demangle-kernel --no-inline --inline --full-source-path -a --all-cpus --script-lang= --tod --stitch-lbr", NULL },
	{ "script", "-s= --script= -g= --gen-script= -l --list record report flamegraph stackcollapse rwtop wakeup-latency syscall-counts syscall-counts-by-pid failed-syscalls failed-syscalls-by-pid sctop netdev-times futex-contention event_analyzing_sample export-to-sqlite export-to-postgresql", by_script },
	{ "script", "-D --dump-raw-trace --show-task-events --show-mmap-events --show-switch-events --show-namespace-events --show-lost-events --show-round-events --show-bpf-events --show-cgroup-events --show-text-poke-events", "a recording has trace events: record sched:sched_process_*; sonde script -f json prints all fields" },
	{ "script", "--max-stack=", "stacks are printed as they were recorded" },
	{ "script", "--per-event-dump", "sonde script --filter EXPR -o FILE for each event" },
	{ "script", "--stop-bt= --itrace= --insn-trace --xed --call-trace --call-ret-trace --graph-function= --max-blocks= -d --debug-mode", machine },
	{ "stat", "-B --big-num --no-big-num -c --scale --no-scale --no-merge --hybrid-merge --no-csv-summary --interval-clear", NULL },
	{ "stat", "--log-fd=", "-o /proc/self/fd/N" },
	{ "stat", "-g --group", "a group is -e '{EVENT,EVENT}'" },
	{ "stat", "-M= --metrics= -T --transaction --topdown --td-level= --smi-cost --iostat --metric-only --metric-no-group --metric-no-merge --cputype=", "metrics of processors are in perf stat; sonde stat has the figures after #" },
	{ "stat", "--for-each-cgroup= --all-cgroups", "-G PATH counts one control group; of each: sonde -e 'software:page-faults:1 { @[cgroup] = count(); }'" },
	{ "stat", "--control= --bpf-counters --bpf-prog= -b=", "sonde stat -p PID sleep 10; a script counts in BPF: sonde -e 'PROBE { @ = count(); }'" },
	{ "stat", "-u= --uid=", "-p PID or -G PATH; probes: --where 'uid == 1000'" },
	{ "record", "-R --raw-samples -n --no-samples -s --stat -d --data -T --timestamp -P --period -N --no-buildid-cache -B --no-buildid --buildid-all --buildid-mmap --sample-cpu -m= --mmap-pages= --proc-map-timeout= --num-thread-synthesize= --kcore --strict-freq --affinity= --aio --tail-synthesize --synth= --bpf-event --no-bpf-event --namespaces --all-cgroups --running-time --code-page-size --data-page-size --phys-data -z --compression-level= --per-thread --timestamp-boundary --realtime= -r= --threads --date --force", NULL },
	{ "record", "-b --branch-any -j= --branch-filter= -I --intr-regs --user-regs= -W --weight -S --snapshot --aux-sample --transaction", machine },
	{ "record", "--off-cpu", "sonde profile --off-cpu, or sonde record and sonde export --to html" },
	{ "record", "-u= --uid=", by_user },
	{ "record", "-G= --cgroup=", "--where 'cgroup == cgroupid(\"PATH\")'; sonde profile -G PATH" },
	{ "record", "-k= --clockid=", "times are those of the boot clock; sonde script -F +tod has the time of day" },
	{ "record", "-D= --delay= --control= --timestamp-filename", "sonde record start NAME and record stop NAME; --switch-output" },
	{ "record", "--switch-events", "-e sched:sched_switch" },
	{ "record", "-l= --max-graph-depth= --module= -O=", "functions: sonde ftrace -T FUNC, -G FUNC, -D DEPTH, -O OPTION, with -o x.data" },
	{ "record", "-M=", "-C LIST" },
	{ "top", "--stdio --tui -z --zero -g --call-graph= --children --no-children -v -m= --mmap-pages= -k= --vmlinux= --kallsyms= --num-thread-synthesize= -n --show-nr-samples -f= --count-filter= -E= --entries= -w= --column-widths= -r= --realtime= --group --demangle", NULL },
	{ "top", "-s= --sort= --fields= -F= --freq= -c= --count= --percent-limit=", "keys of sonde top sort and filter (?); sonde profile -F HZ --by comm" },
	{ "top", "-K --hide_kernel_symbols -U --hide_user_symbols", "sonde profile --user or --kernel; / filters in sonde top" },
	{ "top", "-u= --uid= -C= --cpu= -t= --tid=", "sonde profile -C LIST --where 'uid == 1000 && tid == 12'" },
	{ "top", "-d= --delay=", "-i TIME" },
	{ "trace", "-T --time --comm --sched -m= --mmap-pages= --libtraceevent_print --sort-events --syscalls --no-syscalls", NULL },
	{ "trace", "-s -S --summary --with-summary --errno-summary --failure --min-stack= --expr=", "system calls: sonde strace, -c for their sums, -C for both, -Z for failures" },
	{ "trace", "-F= --pf=", "-e exceptions:page_fault_user, or sonde mem" },
	{ "trace", "--max-events=", "-n COUNT" },
	{ "trace", "--call-graph= -g --max-stack= --kernel-syscall-graph", "--stack; of system calls: sonde strace -k" },
	{ "trace", "-u= --uid=", by_user },
	{ "trace", "--filter-pids= -t= --tid= -D=", "--where 'pid != 12 && tid == 13'" },
	{ "trace", "-i= --input=", "sonde script FILE" },
	{ "sched", "-v -f --force -k= --vmlinux= --kallsyms= --symfs= --no-call-graph -g --call-graph --max-stack= -D --dump-raw-trace --color-pids= --color-cpus=", NULL },
	{ "sched", "--CPU=", "-C LIST" },
	{ "lock", "-v -b --use-bpf -E= --entries= -k= --key= -F= --field= --force -f --max-stack= --stack-skip=", NULL },
	{ "lock", "-t --threads -l --lock-addr -L= --lock-filter= -S= --callstack-filter= -Y= --type-filter=", "a script has other keys: sonde -e 'tracepoint:lock:contention_begin { @[comm, args.lock_addr] = count(); }'" },
	{ "ftrace", "--inherit -v -m=", NULL },
	{ "ftrace", "-F --funcs", "sonde list 'kprobe:vfs_*'" },
	{ "ftrace", "--func-opts= --graph-opts=", "-O OPTION, --over TIME for thresh, -R stacktrace for call-graph" },
	{ "probe", "--demangle --no-demangle --no-inlines --range --max-probes= --init", NULL },
	{ "probe", "--externs --cache --target-ns= --bootconfig", "not there: perf probe" },
	{ "probe", "-s= --source=", "sources are read at the paths that the debug information has" },
	{ "list", "--details --desc --no-desc --long-desc --deprecated --raw-dump", NULL },
	{ "list", "metric metrics metricgroup metricgroups", "metrics of processors: perf list" },
	{ "list", "sdt", "sonde list 'usdt:FILE:*'" },
	{ "list", "pmu", "ls /sys/bus/event_source/devices; events are UNIT/event=N/ of sonde stat" },
	{ "list", "-t= -o= -O= -B= -C= -P= -s=", "tracers, options and clocks are files of /sys/kernel/tracing: available_tracers, options, trace_clock" },
};
/* clang-format on */

static bool is_word(const char *s, size_t n, const char *word, size_t len)
{
	return n == len && !memcmp(s, word, len);
}

static struct peer_word find(const char *command, const char *word, size_t len)
{
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct peer_row *row = &rows[i];

		if (!row->command != !command || (command && !streq(row->command, command)))
			continue;
		for (const char *s = row->words; *s;) {
			size_t n = strcspn(s, " "), name = n - (n && s[n - 1] == '=');

			if (is_word(s, name, word, len))
				return (struct peer_word){ true, name != n, row->answer };
			s += n + (s[n] == ' ');
		}
	}
	return (struct peer_word){ 0 };
}

struct peer_word peer_command(const char *word)
{
	return find(NULL, word, strlen(word));
}

struct peer_word peer_word(const struct command *cmd, const char *word, size_t len)
{
	return find(cmd->name, word, len);
}

/* The replacement of one of `which`, else the character. */
static void put_char(struct buf *b, char c, const char *which, const char *const *as)
{
	const char *at = strchr(which, c);

	if (at)
		buf_puts(b, as[at - which]);
	else
		buf_putc(b, c);
}

static void put_row(struct buf *b, const struct peer_row *row)
{
	buf_printf(b, "| `%s%s", row->command ? row->command : "", row->command ? " " : "");
	for (const char *s = row->words; *s; s++)
		put_char(b, *s, "= ", (const char *const[]){ "", "`, `" });
	buf_puts(b, "` | ");
	for (const char *s = row->answer ? row->answer : "taken, without effect"; *s; s++)
		put_char(b, *s, "|*<", (const char *const[]){ "\\|", "\\*", "\\<" });
	buf_puts(b, " |\n");
}

void peer_put_table(struct buf *b)
{
	buf_puts(
		b,
		"\n## Words of perf, trace-cmd and perf-tools\n\n"
		"sonde answers these words with a line, or takes them because it does that anyway.\n\n"
		"| word | answer |\n|---|---|\n");
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		put_row(b, &rows[i]);
}
