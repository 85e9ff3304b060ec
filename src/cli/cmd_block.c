/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde block: how long requests of block devices take. */
#include "cli/sums.h"

static const struct sums_group groups[] = {
	{ "io",
	  "block requests, from their issue to their completion",
	  { "major", "minor", "kind" },
	  "block:block_rq_issue,block:block_rq_complete",
	  "tracepoint:block:block_rq_issue /followed(tid)/ { @issued[args.dev, args.sector] = nsecs; }\n"
	  /* in an interrupt, of whatever runs: followed() makes the clause see all threads */
	  "tracepoint:block:block_rq_complete /has_key(@issued, (args.dev, args.sector)) && (followed(tid) || true)/ {\n"
	  "	let $ns = nsecs - @issued[args.dev, args.sector];\n"
	  "	let $major = args.dev >> 20;\n"
	  "	let $minor = args.dev & 0xfffff;\n"
	  "	let $kind = str(args.rwbs);\n"
	  "	@io_n[$major, $minor, $kind] = count(); @io_ns[$major, $minor, $kind] = sum($ns); @io_max_ns[$major, $minor, $kind] = max($ns);\n"
	  "	@io_bytes[$major, $minor, $kind] = sum(args.nr_sector * 512);\n"
	  "	_ = delete(@issued, (args.dev, args.sector));\n}\n"
	  "end { clear(@issued); }\n" },
};

static int block(struct cli *c)
{
	return sums_run(c, groups, ARRAY_SIZE(groups));
}

const struct command command_block = {
	.name = "block",
	.args = "[CMD [ARG]...]",
	.brief = "sum up the latency of block devices by device and kind",
	.doc = "Requests by device and kind (R: read, W: write, D: discard, F: flush; then F: forced, A: ahead, S: synchronous, M: metadata, as the kernel's events "
	       "have them): how many, the time from issue to completion, the longest, bytes. With CMD or -p the requests that its threads issue; what is written back "
	       "later, the kernel's threads issue. Without either, all of the machine until Ctrl-C or --duration; of a recording with --from.",
	.example = "sonde block --duration 10s\n"
		   "sonde block dd if=/dev/sda of=/dev/null bs=1M count=64 iflag=direct\n"
		   "sonde record -a -e 'block:*' --duration 1s && sonde block --from sonde.data",
	.run = block,
	.takes = SETS_JOB | SET_CPUS | SET_FROM,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
