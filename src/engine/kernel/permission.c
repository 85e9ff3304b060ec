/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process may do. Capabilities, user namespaces, sysctls, lockdown, seccomp filters and
 * security modules all decide, so a permission is determined by using it: with an empty program,
 * and with a counter that counts nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/fd.h"
#include "engine/kernel/insn.h"
#include "engine/kernel/internal.h"

/* Before 5.11 maps and programs count against the limit of locked memory. If the limit cannot be
 * raised, it usually suffices: only a later EPERM or ENOMEM reports it. */
bool raise_memlock(void)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	static int raised;

	if (!raised)
		raised = setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0 ? 1 : -1;
	return raised > 0;
}

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

/* Counts all processes, or user space of this one. */
static int try_counter(bool own)
{
	struct perf_event_attr attr = { .size = sizeof attr,
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = own,
					.disabled = 1 };
	u32 cpu = 0;
	_fd int fd = -1;

	cpus_online(&cpu, 1);
	fd = perf_event_open(&attr, own ? 0 : -1, (s32)cpu, -1, 0);
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
		known = try_counter(false);
	return known;
}

int perf_own_right(void)
{
	static int known = -1;

	if (known < 0)
		known = try_counter(true);
	return known;
}

bool kernel_has_rights(void)
{
	return !bpf_right() && !perf_right();
}

/* The file reads "none [integrity] confidentiality": the state in force is in brackets. */
const char *lockdown_file(void)
{
	static char state[32];
	_fd int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	char text[64], *at, *end;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	state[0] = '\0';
	if (n <= 0)
		return state;
	text[n] = '\0';
	at = strchr(text, '[');
	end = at ? strchr(at, ']') : NULL;
	if (end)
		snprintf(state, sizeof state, "%.*s", (int)(end - at - 1), at + 1);
	return state;
}
