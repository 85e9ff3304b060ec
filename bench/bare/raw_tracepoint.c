/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program counting system calls on the raw tracepoint sys_enter: the life of the whole
 * process. Two runs within a grace period of each other are slower: attaching again waits for
 * the former detach. */
#include "bare.h"

int main(int argc, char **argv)
{
	int data;
	u64 *count;

	if (argc == 1) {
		report_life(argv);
		return 0;
	}
	count = make_data(&data);
	must(bpf_raw_tracepoint_open(
		     "sys_enter", load_counter(BPF_PROG_TYPE_RAW_TRACEPOINT, data, (u32)getpid()),
		     0),
	     "attach");
	syscall(SYS_getppid);
	return *count != 1;
}
