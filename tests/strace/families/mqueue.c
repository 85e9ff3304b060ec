/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX message queues. */
#include <mqueue.h>
#include "calls.h"

int main(void)
{
	struct mq_attr attr = { 0, 4, 64, 0 }, got;
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct timespec ts = { 1, 0 };
	unsigned prio;
	char b[64];
	int q;

	q = syscall(SYS_mq_open, "sonde-q", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);
	syscall(SYS_mq_open, "sonde-none", O_RDONLY);
	syscall(SYS_mq_timedsend, q, "message", 7, 5, NULL);
	syscall(SYS_mq_getsetattr, q, NULL, &got);
	syscall(SYS_mq_getsetattr, q, &attr, &got);
	syscall(SYS_mq_timedreceive, q, b, 64, &prio, &ts);
	syscall(SYS_mq_timedreceive, q, b, 64, NULL, &ts);
	syscall(SYS_mq_notify, q, &ev);
	syscall(SYS_mq_notify, q, NULL);
	syscall(SYS_mq_unlink, "sonde-q");
	syscall(SYS_mq_unlink, "sonde-q");
	return 0;
}
