/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open. */
#include <linux/perf_event.h>
#include "calls.h"

int main(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .size = sizeof(a),
				     .config = PERF_COUNT_SW_TASK_CLOCK,
				     .disabled = 1,
				     .exclude_kernel = 1,
				     .sample_period = 1000,
				     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	uint64_t n;
	int fd;

	fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(fd, PERF_EVENT_IOC_ID, &n);
	ioctl(fd, PERF_EVENT_IOC_PERIOD, &n);
	read(fd, &n, 8);
	a.type = PERF_TYPE_HARDWARE;
	a.config = PERF_COUNT_HW_INSTRUCTIONS;
	a.freq = 1;
	a.precise_ip = 2;
	syscall(SYS_perf_event_open, &a, -1, 0, fd, 0);
	a.type = PERF_TYPE_TRACEPOINT;
	syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_OUTPUT);
	a.type = 99;
	syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
	a.size = 64;
	syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
	syscall(SYS_perf_event_open, BAD, 0, -1, -1, 0);
	return 0;
}
