/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde mem: page faults, and what the kernel allocates, by caller. */
#include "cli/sums.h"

#define SLAB(event)                                                                                \
	"tracepoint:kmem:" event " {\n"                                                            \
	"	let $at = ksym(args.call_site);\n"                                                       \
	"	@slab_n[$at] = count(); @slab_bytes[$at] = sum(args.bytes_alloc); @slab_requested[$at] = sum(args.bytes_req);\n}\n"

static const struct sums_group groups[] = {
	{ "faults",
	  "page faults of programs",
	  { "command", "pid" },
	  "exceptions:page_fault_user",
	  "tracepoint:exceptions:page_fault_user { @faults_n[comm, pid] = count(); @faults_writes[comm, pid] = sum(args.error_code >> 1 & 1); }\n" },
	{ "slab",
	  "kmalloc and slab caches, by caller",
	  { "caller" },
	  "kmem:kmalloc,kmem:kmem_cache_alloc",
	  SLAB("kmalloc") SLAB("kmem_cache_alloc") },
	{ "pages",
	  "pages",
	  { "command", "order" },
	  "kmem:mm_page_alloc",
	  "tracepoint:kmem:mm_page_alloc { @pages_n[comm, args.order] = count(); @pages_bytes[comm, args.order] = sum(4096 << args.order); }\n" },
};

static int mem(struct cli *c)
{
	return sums_run(c, groups, ARRAY_SIZE(groups));
}

const struct command command_mem = {
	.name = "mem",
	.args = "[CMD [ARG]...]",
	.brief = "sum up page faults and the kernel's allocations by caller",
	.doc = "Page faults of programs (x86-64) by process, and how many were writes; kmalloc and slab caches by the function of the kernel that allocates: how many, "
	       "bytes, bytes that were asked for; pages by command and order. Of CMD, of -p, or of the machine until Ctrl-C or --duration; of a recording with --from.",
	.example = "sonde mem ls -R /usr\n"
		   "sonde mem -p 1234 --duration 5s\n"
		   "sonde record -a -e 'kmem:*' --duration 1s && sonde mem --from sonde.data",
	.run = mem,
	.takes = SETS_JOB | SET_CPUS | SET_FROM,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
