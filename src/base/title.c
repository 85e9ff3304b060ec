/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the process title by overwriting the bytes that held the arguments: the kernel shows them as
 * the command line (proc(5), arg_start and arg_end of /proc/PID/stat). If their last byte is not
 * NUL, it also shows what follows, the environment, up to the first NUL there (fs/proc/base.c:
 * get_mm_cmdline), so a title may be longer than the arguments.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/base.h"
#include "base/fd.h"
#include "base/title.h"

struct space {
	char *from, *args_end, *end;
};

enum { ARG_START = 48, ARG_END, ENV_START, ENV_END };

static const char *field_of(const char *stat, u32 wanted)
{
	const char *at = strrchr(stat, ')'); /* end of field 2 */

	for (u32 field = 2; at && field < wanted; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at;
}

static char *address(const char *stat, u32 field)
{
	const char *text = field_of(stat, field);

	return text ? (char *)(uintptr_t)strtoull(text, NULL, 10) : NULL;
}

static bool find_space(struct space *s)
{
	_fd int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[1024];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	*s = (struct space){ address(text, ARG_START), address(text, ARG_END),
			     address(text, ENV_END) };
	if (address(text, ENV_START) != s->args_end || s->end < s->args_end)
		s->end = s->args_end;
	return s->from && s->args_end > s->from;
}

void title_set(const char *name, const char *text)
{
	static struct space space; /* cached: the kernel may hide the addresses later */
	size_t room, len = strlen(text);

	prctl(PR_SET_NAME, name);
	if (!space.from && !find_space(&space))
		return;
	room = (size_t)(space.end - space.from);
	if (len >= room)
		len = room - 1;
	memset(space.from, 0, room);
	memcpy(space.from, text, len);
	if (space.from + len < space.args_end) /* trailing NULs would be shown as empty arguments */
		memset(space.from + len, ' ', (size_t)(space.args_end - space.from) - len - 1);
}
