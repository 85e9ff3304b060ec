/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains why this process may not trace (permission.c): the reason for a refusal and the remedy,
 * from capabilities, user namespaces, sysctls, lockdown and seccomp filters.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/buf.h"
#include "engine/kernel/internal.h"

/*
 * Without securityfs (in a container), lockdown is detected by what it alone forbids to a process
 * that may load programs: the helper that reads kernel memory (confidentiality), and the one that
 * writes user memory (integrity; enum lockdown_reason, include/linux/security.h). Only root can
 * test the latter. Before 5.14 and its backports, integrity allowed it: then "none" may be wrong,
 * but nothing is refused either.
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
	struct buf b = { 0 };
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
	struct buf b = { 0 };
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

s64 perf_paranoid(void)
{
	return line_number("/proc/sys/kernel/perf_event_paranoid", "");
}

/* Debian and Ubuntu have levels above 2, at which CAP_PERFMON has no effect. */
static bool is_paranoid(struct err *err)
{
	s64 level = perf_paranoid();

	if (level <= 2 || has_capability(CAP_SYS_ADMIN))
		return false;
	err_help(
		err,
		"kernel.perf_event_paranoid is %lld, which reserves perf events for CAP_SYS_ADMIN: sysctl -w "
		"kernel.perf_event_paranoid=2, or root; rawtracepoint, syscall, fentry and iter need none",
		(long long)level);
	return true;
}

/* Before 5.11 maps and programs count against it. */
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
		"before Linux 5.11 maps count as locked memory, of which %llu KB are allowed here: "
		"ulimit -l unlimited, "
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
		"this kernel reserves perf events of user-space probes for CAP_SYS_ADMIN; Linux 6.6 and later "
		"have links for them, for which CAP_BPF and CAP_PERFMON suffice");
	return true;
}

static void help_policy(struct err *err)
{
	const char *who = line_number("/proc/self/status", "\nSeccomp:") == 2 ?
				  "a seccomp filter (container, service)" :
				  "a security policy";

	err_help(
		err,
		"%s forbids it, although the process has the capabilities: "
		"allow bpf(2) and perf_event_open(2), or run "
		"sonde outside%s",
		who,
		memlock_is_low() ?
			"; before Linux 5.11 a low limit of locked memory (ulimit -l) does so, too" :
			"");
}

const char *why_no_fanotify(void)
{
	if (!has_capability(CAP_SYS_ADMIN))
		return "fanotify(7) needs CAP_SYS_ADMIN (root)";
	if (in_user_namespace())
		return "fanotify(7) is not available to the root of a user namespace";
	return line_number("/proc/self/status", "\nSeccomp:") == 2 ?
		       "a seccomp filter (container, service) forbids a system call that waiting "
		       "for files needs" :
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

/* Documentation/admin-guide/perf-security.rst. */
void help_perf(struct err *err)
{
	static const char *const gives[] = {
		"permits all but tracepoints (except system calls of your processes); -1 permits those",
		"permits your processes (-p, -c), kernel included; "
		"0 permits samples of all processes, -1 tracepoints",
		"permits your processes (-p, -c), user space only; "
		"1 permits the kernel, too, 0 samples of all processes, -1 tracepoints",
	};
	s64 level = perf_paranoid();

	if (perf_own_right() && (perf_own_right() == ENOSYS || level <= 2))
		help_rights(err, true);
	else
		err_help(
			err,
			"kernel.perf_event_paranoid=%lld %s; CAP_PERFMON%s permits everything: try it with sudo",
			(long long)level,
			perf_own_right() ?
				"reserves perf events for root; 2 permits your processes (-p, -c)" :
				gives[MIN(MAX(level, 0), 2)],
			level > 2 ? " (before Linux 5.8, and above 2 on Debian, CAP_SYS_ADMIN)" :
				    "");
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
