/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system: uname, sysinfo, logs, modules, reboot. */
#include <sys/random.h>
#include <sys/klog.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include "calls.h"

int main(void)
{
	struct sysinfo si;
	struct utsname u;
	char b[64];

	uname(&u);
	uname(BAD);
	sysinfo(&si);
	syscall(SYS_syslog, 10, NULL, 0);
	syscall(SYS_syslog, 3, b, 20);
	syscall(SYS_syslog, 77, b, 20);
	syscall(SYS_syslog, 8, b, 99); /* refused: the machine's level stays */
	syscall(SYS_syslog, 8, b, 0);
	syscall(SYS_getrandom, b, 8, GRND_NONBLOCK);
	syscall(SYS_getrandom, b, 60, 0);
	syscall(SYS_getrandom, b, 8, 0x77);
	syscall(SYS_init_module, BAD, 3, "x=1");
	syscall(SYS_finit_module, -1, "y=2", 3);
	syscall(SYS_delete_module, "nothing", O_NONBLOCK);
	syscall(SYS_acct, "/nonexistent");
	syscall(SYS_quotactl, 0x800007 << 8, "/dev/nothing", 0, b);
	syscall(SYS_lookup_dcookie, 1, b, 64);
	syscall(SYS_name_to_handle_at, AT_FDCWD, "/etc", BAD, b, 0);
	syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	syscall(SYS_rseq, BAD, 32, 0, 0x53053053);
	return 0;
}
