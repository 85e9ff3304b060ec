/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capabilities of this process: which it has, and dropping those that it no longer needs. */
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/buf.h"
#include "engine/kernel/internal.h"

u64 effective_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].effective | (u64)data[1].effective << 32;
}

bool has_capability(u32 number)
{
	return effective_capabilities() >> number & 1;
}

struct right {
	u32 number;
	const char *name;
};

static u64 put_kept(bool kills_child, struct buf *how)
{
	static const struct right rows[] = {
		{ CAP_DAC_READ_SEARCH,
		  "CAP_DAC_READ_SEARCH" },            /* programs and their debug information */
		{ CAP_SYS_PTRACE, "CAP_SYS_PTRACE" }, /* /proc/PID/maps and /proc/PID/root */
		{ CAP_SYSLOG, "CAP_SYSLOG" },         /* addresses in /proc/kallsyms */
		{ CAP_BPF, "CAP_BPF" },               /* maps; the end probes */
		{ CAP_KILL, "CAP_KILL" },             /* last: for the child of -c */
	};
	u64 has = effective_capabilities(), keep = 0;

	for (u32 i = 0; i < ARRAY_SIZE(rows) - !kills_child; i++) {
		if (!(has >> rows[i].number & 1))
			continue;
		buf_printf(how, "%s%s", keep ? ", " : "", rows[i].name);
		keep |= 1ull << rows[i].number;
	}
	return keep;
}

static bool set_capabilities(u64 set)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (u32)set, .permitted = (u32)set },
		{ .effective = (u32)(set >> 32), .permitted = (u32)(set >> 32) },
	};

	return syscall(SYS_capset, &head, data) == 0;
}

/* capabilities(7). The bits need CAP_SETPCAP, so they come first; without them only no_new_privs
 * prevents regaining capabilities. */
bool rights_drop(bool kills_child, struct buf *how)
{
	size_t start = how->len;
	u64 had = effective_capabilities(), keep;

	buf_puts(how, "privileges: only ");
	keep = put_kept(kills_child, how);
	if (had & ~keep) {
		prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && set_capabilities(keep)) {
			buf_printf(how, "%s from now on\n", keep ? "" : "those of the user");
			return true;
		}
	}
	how->len = start;
	return false;
}
