/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaching has priority over detaching: both need the kernel's event_mutex, kprobe_mutex or
 * ftrace_lock, which detaching holds for whole grace periods. An attaching process holds a read
 * lock on a private file (fcntl(2), F_OFD_SETLK: it ends with the process); a detaching process
 * checks for such a lock before each close, and never holds one. Without the file no process waits.
 */
#include <fcntl.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/kernel/internal.h"

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

enum {
	NAP_MS = 20,
	PATIENCE_MS = 30000, /* a process may be stopped while attaching */
};

int turn_open(void)
{
	_fd int dir = private_dir();

	return dir < 0 ? -1 :
			 openat(dir, "attaching", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

void turn_take(struct kernel *k)
{
	struct flock lock = { .l_type = F_RDLCK };

	if (k->turn_fd == 0)
		k->turn_fd = turn_open();
	if (k->turn_fd > 0)
		fcntl(k->turn_fd, F_OFD_SETLK, &lock);
}

void turn_give(struct kernel *k)
{
	struct flock lock = { .l_type = F_UNLCK };

	if (k->turn_fd > 0)
		fcntl(k->turn_fd, F_OFD_SETLK, &lock);
}

static bool somebody_attaches(int turn)
{
	struct flock lock = { .l_type = F_WRLCK };

	return turn >= 0 && fcntl(turn, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void turn_yield(int turn)
{
	for (u32 ms = 0; ms < PATIENCE_MS && somebody_attaches(turn); ms += NAP_MS)
		usleep(NAP_MS * 1000);
}
