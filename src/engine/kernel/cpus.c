/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processors, and small numbers in sysfs. Lists are as cpumap_print_to_pagebuf() writes them
 * ("0-3,8"). Per-CPU maps have one copy for each *possible* processor, offline ones included.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "base/fd.h"
#include "engine/kernel/internal.h"

static ssize_t read_small(const char *path, char *text, size_t len)
{
	_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, len - 1);
	if (n < 0)
		return -1;
	text[n] = '\0';
	return n;
}

s64 file_number(const char *path)
{
	char text[32];

	if (read_small(path, text, sizeof text) < 0)
		return -1;
	return strtoll(text, NULL, 0);
}

/* Returns how many numbers the list has, stores the first max of them, and the greatest in
 * *last. */
static u32 parse_list(const char *s, u32 *out, u32 max, u32 *last)
{
	u32 n = 0;

	while (*s >= '0' && *s <= '9') {
		char *end;
		u32 from = (u32)strtoul(s, &end, 10), to = from;

		if (*end == '-')
			to = (u32)strtoul(end + 1, &end, 10);
		for (u32 cpu = from; cpu <= to; cpu++, n++)
			if (n < max)
				out[n] = cpu;
		*last = to;
		s = *end == ',' ? end + 1 : end;
	}
	return n;
}

u32 cpus_possible(void)
{
	static u32 known;
	char text[512];
	u32 last = 0;

	if (known)
		return known;
	if (read_small("/sys/devices/system/cpu/possible", text, sizeof text) < 0 ||
	    !parse_list(text, NULL, 0, &last))
		last = (u32)sysconf(_SC_NPROCESSORS_CONF) - 1;
	known = last + 1;
	return known;
}

u32 cpus_online(u32 *cpu, u32 max)
{
	char text[4096];
	u32 last, n = 0;

	if (read_small("/sys/devices/system/cpu/online", text, sizeof text) > 0)
		n = parse_list(text, cpu, max, &last);
	if (n)
		return n;
	n = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	for (u32 i = 0; i < n && i < max; i++)
		cpu[i] = i;
	return n;
}
