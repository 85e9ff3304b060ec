/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generated tables: system calls and constants. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "sym/constants.h"
#include "sym/syscalls.h"
#include "tap.h"

static void syscalls(void)
{
	u32 named = 0, bad = 0;

	is_str(syscall_name(SYS_openat), "openat", "by number");
	is_int(syscall_number("openat"), SYS_openat, "by name");
	is_int(syscall_number_of_event("newuname"), SYS_uname, "by event");
	is_str(syscall_event_name(SYS_sendfile), "sendfile64", "event by number");
	is_int(syscall_number_of_event("umount"), SYS_umount2, "umount is umount2");
#ifdef SYS_stat
	is_int(syscall_number_of_event("newstat"), SYS_stat, "newstat");
	is_int(syscall_number_of_event("stat"), -1, "stat is no event");
#endif
	is_int(syscall_number("no_such_call"), -1, "unknown name");
	is_int(syscall_number_of_event("no_such_call"), -1, "unknown event");
	ok(!syscall_name(511) && !syscall_name(~0u), "unknown numbers");
	for (u32 i = 0; i < syscall_count(); i++) {
		const char *name = syscall_name(i);

		named += name != NULL;
		if (name && (syscall_number(name) != (int)i ||
			     syscall_number_of_event(syscall_event_name(i)) != (int)i))
			bad++;
	}
	ok(named > 280, "%u calls are named", named);
	is_int(bad, 0, "names lead back to numbers");
}

static void constants(void)
{
	u32 unsorted = 0;

	for (u32 i = 1; i < constants_count(); i++)
		unsorted += strcmp(constant_at(i - 1)->name, constant_at(i)->name) >= 0;
	is_int(unsorted, 0, "the table is sorted, no name twice");
#define HAS(c) is_int(constant_find(#c) ? constant_find(#c)->value : -99999, c, #c)
	HAS(O_CLOEXEC);
	HAS(O_DIRECTORY);
	HAS(AF_INET6);
	HAS(SIGKILL);
	HAS(EAGAIN);
	HAS(SOCK_STREAM);
	HAS(AT_FDCWD);
	HAS(S_IFDIR);
	ok(!constant_find("NO_SUCH_CONSTANT") && !constant_find(""), "unknown names");
	is_str(errno_name(ENOENT), "ENOENT", "errno");
	is_str(errno_name(1), "EPERM", "errno 1 is not EPOLL_CTL_ADD");
	ok(!errno_name(0) && !errno_name(4000), "no such errno");
	is_str(signal_name(SIGABRT), "SIGABRT", "signal");
	is_str(signal_name(SIGKILL), "SIGKILL", "signal");
	is_str(constant_name("AF_", 2), "AF_INET", "by prefix");
	ok(!constant_name("AF_", 12345), "no such value");
}

int main(void)
{
	syscalls();
	constants();
	return done();
}
