/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring and asynchronous I/O. */
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include "calls.h"

int main(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
					  .cq_entries = 16 };
	struct iovec v = { malloc(4096), 4096 };
	aio_context_t ctx = 0;
	char b[16] = "aio data\n";
	struct iocb cb = { .aio_lio_opcode = IOCB_CMD_PWRITE,
			   .aio_buf = (uintptr_t)b,
			   .aio_nbytes = 9,
			   .aio_data = 7 },
		    *list[1] = { &cb };
	struct timespec ts = { 1, 0 };
	struct io_event ev[2];
	int fd, fds[2] = { 0, 1 };

	fd = syscall(SYS_io_uring_setup, 4, &params);
	syscall(SYS_io_uring_setup, 0, &params);
	syscall(SYS_io_uring_setup, 4, BAD);
	syscall(SYS_io_uring_enter, fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 8);
	syscall(SYS_io_uring_enter, -1, 1, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP, NULL,
		0);
	syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &v, 1);
	syscall(SYS_io_uring_register, fd, IORING_UNREGISTER_BUFFERS, NULL, 0);
	syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, fds, 2);
	syscall(SYS_io_uring_register, fd, IORING_REGISTER_EVENTFD, fds, 1);
	syscall(SYS_io_uring_register, fd, 99, NULL, 1);
	cb.aio_fildes = open("f", O_RDWR | O_CREAT, 0600);
	syscall(SYS_io_setup, 8, &ctx);
	syscall(SYS_io_submit, ctx, 1, list);
	syscall(SYS_io_getevents, ctx, 1, 2, ev, &ts);
	syscall(SYS_io_cancel, ctx, &cb, ev);
	syscall(SYS_io_pgetevents, ctx, 0, 2, ev, &ts, NULL);
	syscall(SYS_io_destroy, ctx);
	return 0;
}
