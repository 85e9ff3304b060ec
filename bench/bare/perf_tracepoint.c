/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same through a perf event of syscalls:sys_enter_getppid; tracefs must be mounted. Most of
 * the time is the kernel's at exit: grace periods when the event is closed. */
#include "bare.h"

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.sample_period = 1 };
	unsigned long long id = 0;
	int data, event;
	u64 *count;
	FILE *f;

	if (argc == 1) {
		report_life(argv);
		return 0;
	}
	f = fopen("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", "r");
	if (!f || fscanf(f, "%llu", &id) != 1)
		must(-1, "tracefs");
	count = make_data(&data);
	attr.config = id;
	event = must(perf_event_open(&attr, -1, 0, -1, 0), "perf_event_open");
	must(ioctl(event, PERF_EVENT_IOC_SET_BPF,
		   load_counter(BPF_PROG_TYPE_TRACEPOINT, data, (u32)getpid())),
	     "attach");
	syscall(SYS_getppid);
	return *count != 1;
}
