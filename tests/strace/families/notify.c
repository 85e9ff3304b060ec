/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inotify, fanotify. */
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include "calls.h"

int main(void)
{
	char b[400];
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), wd, fan;

	syscall(SYS_inotify_init);
	wd = inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE | IN_MODIFY | IN_ONLYDIR);
	inotify_add_watch(fd, "nothing", IN_ALL_EVENTS);
	close(open("f", O_CREAT | O_WRONLY, 0600));
	read(fd, b, sizeof(b));
	read(fd, b, sizeof(b));
	inotify_rm_watch(fd, wd);
	inotify_rm_watch(fd, 99);
	fan = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_LARGEFILE);
	fanotify_mark(fan, FAN_MARK_ADD, FAN_OPEN | FAN_CLOSE_WRITE | FAN_EVENT_ON_CHILD, AT_FDCWD,
		      ".");
	fanotify_mark(fan, FAN_MARK_REMOVE | FAN_MARK_MOUNT, FAN_ALL_EVENTS, AT_FDCWD, NULL);
	fanotify_mark(fan, FAN_MARK_FLUSH, 0, 5, "x");
	return 0;
}
