/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Determines what this process may do. Capabilities, user namespaces, sysctls, lockdown, seccomp
 * filters and security modules all decide, so a right is determined by using it: with an empty
 * program, and with a counter that counts nothing. Only the reason for a refusal is looked up.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

u64 effective_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].effective | (u64)data[1].effective << 32;
}

static bool has_capability(u32 number)
{
	return effective_capabilities() >> number & 1;
}

/* ---- giving them up */

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
		{ CAP_KILL, "CAP_KILL" },             /* last: the child of -c */
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

/* capabilities(7). The bits need CAP_SETPCAP, so they come first; without them no_new_privs alone
 * stands in the way. */
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

/* ---- by using them */

static int try_program(void)
{
	const struct bpf_insn insns[] = { I_MOVI(0, 0), I_EXIT() };
	struct bpf_load l = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .insns = insns,
			      .n_insns = ARRAY_SIZE(insns),
			      .name = "sonde_try" };
	_fd int fd = -1;

	raise_memlock();
	fd = bpf_prog_load(&l);
	return fd < 0 ? errno : 0;
}

static int try_counter(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1 };
	u32 cpu = 0;
	_fd int fd = -1;

	cpus_online(&cpu, 1);
	fd = perf_event_open(&attr, -1, (s32)cpu, -1, 0);
	return fd < 0 ? errno : 0;
}

int bpf_right(void)
{
	static int known = -1;

	if (known < 0)
		known = try_program();
	return known;
}

int perf_right(void)
{
	static int known = -1;

	if (known < 0)
		known = try_counter();
	return known;
}

bool kernel_has_rights(void)
{
	return !bpf_right() && !perf_right();
}

/* ---- why not */

/* The file reads "none [integrity] confidentiality": the state in force is in brackets. */
const char *lockdown_file(void)
{
	static char state[32];
	_fd int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	char text[64], *at, *end;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	state[0] = '\0';
	if (n <= 0)
		return state;
	text[n] = '\0';
	at = strchr(text, '[');
	end = at ? strchr(at, ']') : NULL;
	if (end)
		snprintf(state, sizeof(state), "%.*s", (int)(end - at - 1), at + 1);
	return state;
}

/*
 * Without securityfs (a container) by what only a lockdown takes from a process that may load
 * programs: the helper that reads kernel memory (confidentiality), the one that writes user memory
 * (integrity; enum lockdown_reason, include/linux/security.h). That one is root's: nobody else
 * knows. Before 5.14, and what was patched since, it was left in at integrity: then "none" may be
 * wrong and nothing is refused for it.
 */
static const char *try_lockdown(void)
{
	if (bpf_right())
		return "";
	if (!feature_has(kernel_features(), FEAT_READ_KERNEL))
		return "confidentiality";
	if (!has_capability(CAP_SYS_ADMIN))
		return "";
	return feature_has(kernel_features(), FEAT_PROBE_WRITE_USER) ? "none" : "integrity";
}

const char *kernel_lockdown(void)
{
	const char *state = lockdown_file();

	return *state ? state : try_lockdown();
}

bool is_locked_down(void)
{
	const char *state = kernel_lockdown();

	return *state && !streq(state, "none");
}

/* The number after a line's name, "Seccomp:\t2"; -1 if the file or the line is missing. */
static s64 line_number(const char *path, const char *name)
{
	struct buf b = {};
	const char *at;
	s64 n = -1;

	if (buf_read_file(&b, path) == 0 && b.s && (at = strstr(b.s, name)))
		n = strtoll(at + strlen(name), NULL, 10);
	buf_release(&b);
	return n;
}

/* user_namespaces(7): the first one maps all ids, "0 0 4294967295". */
static bool in_user_namespace(void)
{
	struct buf b = {};
	unsigned int inside = 0, outside = 0, n = ~0u;
	bool other;

	if (buf_read_file(&b, "/proc/self/uid_map") < 0 || !b.s)
		return false;
	other = sscanf(b.s, "%u %u %u", &inside, &outside, &n) == 3 && (outside || n != ~0u);
	buf_release(&b);
	return other;
}

/* "CAP_BPF and CAP_PERFMON", or the one that is missing; "" when neither is. */
static const char *missing_capabilities(void)
{
	bool bpf = has_capability(CAP_BPF), perfmon = has_capability(CAP_PERFMON);

	if (has_capability(CAP_SYS_ADMIN) || (bpf && perfmon))
		return "";
	return bpf ? "CAP_PERFMON" : perfmon ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";
}

static bool lacks_capabilities(struct err *err)
{
	const char *missing = missing_capabilities();

	if (!*missing)
		return false;
	if (geteuid() == 0)
		err_help(
			err,
			"this root lacks %s: a container gets them by --cap-add BPF --cap-add PERFMON, a "
			"service by CapabilityBoundingSet=",
			missing);
	else if (strchr(missing, ' '))
		err_help(err, "tracing needs root, or CAP_BPF and CAP_PERFMON: try it with sudo");
	else
		err_help(
			err,
			"tracing needs root, or CAP_BPF and CAP_PERFMON, of which %s is missing: try it with sudo",
			missing);
	return true;
}

int kernel_check_rights(struct err *err)
{
	if (!*missing_capabilities())
		return 0;
	err_set(err, -EPERM, "this process may not trace: %s", strerror(EPERM));
	lacks_capabilities(err);
	return err->code;
}

/* Debian and Ubuntu know levels above 2, where CAP_PERFMON counts for nothing. */
static bool is_paranoid(struct err *err)
{
	s64 level = line_number("/proc/sys/kernel/perf_event_paranoid", "");

	if (level <= 2 || has_capability(CAP_SYS_ADMIN))
		return false;
	err_help(
		err,
		"kernel.perf_event_paranoid is %lld here, and leaves perf events to CAP_SYS_ADMIN: sysctl -w "
		"kernel.perf_event_paranoid=2, or root; rawtracepoint, syscall, fentry and iter need none",
		(long long)level);
	return true;
}

/* What maps and programs count against before 5.11. */
static bool memlock_is_low(void)
{
	struct rlimit limit;

	return !raise_memlock() && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	       limit.rlim_cur <= 8 << 20;
}

bool help_memlock(struct err *err)
{
	struct rlimit limit;

	if (bpf_right() || !memlock_is_low() || getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return false;
	err_help(
		err,
		"before Linux 5.11 maps count as locked memory, of which %llu KB are allowed here: ulimit -l unlimited, "
		"CAP_SYS_RESOURCE, or fewer keys and a smaller perf_rb_pages",
		(unsigned long long)limit.rlim_cur >> 10);
	return true;
}

bool help_uprobe_right(struct err *err)
{
	if (perf_right() || has_capability(CAP_SYS_ADMIN))
		return false;
	err_help(
		err,
		"this kernel leaves the perf events of user-space probes to CAP_SYS_ADMIN, so to root; Linux 6.6 and later "
		"have links for them, for which CAP_BPF and CAP_PERFMON do");
	return true;
}

static void help_policy(struct err *err)
{
	const char *who = line_number("/proc/self/status", "\nSeccomp:") == 2 ?
				  "a seccomp filter (container, service)" :
				  "a security policy";

	err_help(
		err,
		"%s forbids it, though the capabilities are there: allow bpf(2) and perf_event_open(2), or run "
		"sonde outside%s",
		who,
		memlock_is_low() ?
			"; before Linux 5.11 a low limit of locked memory (ulimit -l) does so, too" :
			"");
}

const char *why_no_fanotify(void)
{
	if (!has_capability(CAP_SYS_ADMIN))
		return "fanotify(7) needs CAP_SYS_ADMIN, so root";
	if (in_user_namespace())
		return "fanotify(7) is not for the root of a user namespace";
	return line_number("/proc/self/status", "\nSeccomp:") == 2 ?
		       "a seccomp filter (container, service) forbids a system call that waiting for files needs" :
		       strerror(EPERM);
}

void help_rights(struct err *err, bool perf)
{
	if (bpf_right() == ENOSYS || (perf && perf_right() == ENOSYS))
		err_help(
			err,
			"this kernel has no %s, or a seccomp filter hides it from this process (in a container: run "
			"sonde outside of it)",
			bpf_right() == ENOSYS ? "bpf(2)" : "perf_event_open(2)");
	else if (lacks_capabilities(err))
		return;
	else if ((bpf_right() || (perf && perf_right())) && in_user_namespace())
		err_help(err,
			 "the root of a user namespace may not trace: run sonde outside of it");
	else if (perf && perf_right() && is_paranoid(err))
		return;
	else if (!bpf_right() && !(perf && perf_right()) && is_locked_down())
		err_help(
			err,
			"this kernel is locked down (%s) and refuses this even to root: tracepoints, raw "
			"tracepoints and user-space probes usually still work",
			kernel_lockdown());
	else
		help_policy(err);
}

/* ---- for sonde info */

bool kernel_may_load(struct err *err)
{
	if (bpf_right())
		help_rights(err, false);
	return !bpf_right();
}

bool kernel_may_count(struct err *err)
{
	if (perf_right() && !err->help[0])
		help_rights(err, true);
	return !perf_right();
}
