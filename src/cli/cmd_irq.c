/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde irq: time in interrupt handlers. */
#include "cli/sums.h"

static const struct sums_group groups[] = {
	{ "hard",
	  "hardware interrupts",
	  { "irq", "handler" },
	  "irq:irq_handler_entry,irq:irq_handler_exit",
	  "tracepoint:irq:irq_handler_entry { @entry[cpu, args.irq] = (nsecs, str(args.name)); }\n"
	  "tracepoint:irq:irq_handler_exit /has_key(@entry, (cpu, args.irq))/ {\n"
	  "	let $e = @entry[cpu, args.irq];\n"
	  "	let $ns = nsecs - $e.0;\n"
	  "	@hard_n[args.irq, $e.1] = count(); @hard_ns[args.irq, $e.1] = sum($ns); @hard_max_ns[args.irq, $e.1] = max($ns);\n"
	  "	_ = delete(@entry, (cpu, args.irq));\n}\n"
	  "end { clear(@entry); }\n" },
	{ "soft",
	  "soft interrupts",
	  { "vector" },
	  "irq:softirq_entry,irq:softirq_exit",
	  "tracepoint:irq:softirq_entry { @soft[cpu, args.vec] = nsecs; }\n"
	  "tracepoint:irq:softirq_exit /has_key(@soft, (cpu, args.vec))/ {\n"
	  "	let $ns = nsecs - @soft[cpu, args.vec];\n"
	  "	let $v = args.vec == 0 ? \"HI\" : args.vec == 1 ? \"TIMER\" : args.vec == 2 ? \"NET_TX\" : args.vec == 3 ? \"NET_RX\" :\n"
	  "		args.vec == 4 ? \"BLOCK\" : args.vec == 5 ? \"IRQ_POLL\" : args.vec == 6 ? \"TASKLET\" : args.vec == 7 ? \"SCHED\" :\n"
	  "		args.vec == 8 ? \"HRTIMER\" : \"RCU\";\n"
	  "	@soft_n[$v] = count(); @soft_ns[$v] = sum($ns); @soft_max_ns[$v] = max($ns);\n"
	  "	_ = delete(@soft, (cpu, args.vec));\n}\n"
	  "end { clear(@soft); }\n" },
};

static int irq(struct cli *c)
{
	return sums_run(c, groups, ARRAY_SIZE(groups));
}

const struct command command_irq = {
	.name = "irq",
	.args = "[CMD [ARG]...]",
	.brief = "sum up the time in interrupt handlers",
	.doc = "Handlers of devices by their number and name, and soft interrupts by kind: how many, the time in them, the longest. Interrupts that come meanwhile "
	       "count in both. On all CPUs until Ctrl-C or --duration; with CMD or -p those that interrupt its threads; of a recording with --from.",
	.example = "sonde irq --duration 5s\n"
		   "sonde irq -C 0 -- make\n"
		   "sonde record -a -e 'irq:*' --duration 1s && sonde irq --from sonde.data",
	.run = irq,
	.takes = SETS_JOB | SET_CPUS | SET_FROM,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
