/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/uio.h>
#include "engine/process/internal.h"

bool process_read(u32 pid, u64 address, void *to, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)(uintptr_t)address, size };

	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool process_write(u32 pid, u64 address, const void *from, size_t size)
{
	struct iovec here = { (void *)(uintptr_t)from, size };
	struct iovec there = { (void *)(uintptr_t)address, size };

	return process_vm_writev((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}
